"""Everything about some logs in one document: scores, comparisons with a baseline, ranks, missing runs, wear."""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.compare import CompareAnswer
from evalgauge.questions.ledger_cards import HistoryAnswer
from evalgauge.questions.ledger_parts import WearCard
from evalgauge.questions.measure import MeasureAnswer
from evalgauge.questions.parts import ScoringOptions
from evalgauge.questions.rank import RankAnswer
from evalgauge.questions.scale import count
from evalgauge.questions.units import Names, Points
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions(ScoringOptions):
    """What to report on.

    Attributes
    ----------
    title
        Heading of the report; the name of the eval set when left out.
    margin
        The change that matters: 2pp. With it, equivalent and no worse can be said too.
    arms
        Arms of one file, baseline first: base,new. Left out, the first arm is the baseline.
    judge_labels
        Labels of some of the cases (case and label, 0 or 1), where a judge gave the scores of one arm.
    flips
        List the changed cases even where the set is registered, on record.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the report says so.
    """

    title: str = ""
    margin: Points | None = None
    arms: Names = Names()  # noqa: RUF009 - Names is an immutable tuple
    judge_labels: str | None = None
    flips: bool = False
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportRequest(ReportOptions):
    """A wish for a report.

    Attributes
    ----------
    logs
        Logs, tables or folders, the baseline first.
    """

    verb: ClassVar[str] = "report"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportAnswer(ShownInNotebooks):
    """What a report says.

    Attributes
    ----------
    title
        Its heading.
    scores
        Every arm, the baseline first.
    comparisons
        Every other arm against the baseline; none for a single arm.
    ranking
        All arms as a leaderboard, from three arms on.
    card, history
        How worn the set is, where a ledger knows it.
    made
        When it was made (UTC).
    """

    verb: ClassVar[str] = "report"
    title: str
    scores: tuple[MeasureAnswer, ...]
    comparisons: tuple[CompareAnswer, ...]
    ranking: RankAnswer | None
    card: WearCard | None
    history: HistoryAnswer | None
    made: str
    request: ReportRequest = field(default_factory=ReportRequest)

    def __str__(self) -> str:
        told = "; ".join(str(one) for one in (*self.comparisons[:3], *self.scores[:1]))
        return f"{self.title}, {count(len(self.scores), 'arm')}: {told}"
