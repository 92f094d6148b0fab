"""How good is the best of several candidates on the same cases really?"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalgauge.questions.parts import LedgerNote, NamedInterval, ReadingOptions, Source
from evalgauge.questions.units import ScoreRange, Share
from evalgauge.shown import ShownInNotebooks

MissingScores: TypeAlias = Literal["fail", "drop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOfOptions(ReadingOptions):
    """How to read the candidates.

    Attributes
    ----------
    metric
        Which score to use, when a log holds several.
    task
        Which eval set (task) to use, when a log or folder holds several.
    score_range
        Lowest and highest possible score, such as 0:100. Default 0:1.
    missing
        What a case without a score counts as: fail (the lowest score, cautious) or drop (left out for all).
    confidence
        Level of every interval, two-sided.
    engine
        Where tables lie that are too large for one machine: spark://host:7077, sc://host:15002 (Spark Connect), or
        ibis:URL of a warehouse. The logs are then tables there; only counts per case leave it.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the answer says so.
    """

    metric: str | None = None
    task: str | None = None
    score_range: ScoreRange | None = None
    missing: MissingScores = "fail"
    confidence: Share = Share(0.95)  # noqa: RUF009 - a Share is an immutable float
    engine: str | None = None
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOfRequest(BestOfOptions):
    """A question about several candidates.

    Attributes
    ----------
    logs
        Logs, tables or folders; every arm in them is a candidate.
    """

    verb: ClassVar[str] = "best_of"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateScore:
    """One candidate.

    Attributes
    ----------
    name
        What it is called in the answer.
    estimate
        Its score on the shared cases, a share.
    chosen
        Share of the resamples in which it came out best.
    source
        Where it came from.
    """

    name: str
    estimate: float
    chosen: float
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class BestOfAnswer(ShownInNotebooks):
    """The best of k with an interval that is true after the choice.

    Attributes
    ----------
    best
        Name of the best candidate.
    tied
        Names of all candidates that share the best score.
    observed
        Its score, a share: too high as an estimate.
    low, high, method, confidence
        Interval corrected for the choice; ``symmetric_high`` where both ends are corrected.
    expected, expected_error
        What the winner of such a choice scores on cases that did not choose it, and the Monte-Carlo error.
    critical, critical_error
        Critical value of the lower end in standard errors, and its Monte-Carlo error.
    looks, effective_looks
        Candidates, and how many independent ones they were worth.
    naive
        What is often reported: no correction, Bonferroni, and the score less the optimism of independent candidates.
    if_equal
        That last figure, a share.
    candidates
        All of them, best first.
    n_cases
        Shared cases.
    is_pass_fail, range
        Whether every score is 0 or 1, and the possible range of the score.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the set is not registered.
    """

    verb: ClassVar[str] = "best_of"
    best: str
    tied: tuple[str, ...]
    observed: float
    low: float
    high: float
    symmetric_high: float
    method: str
    confidence: float
    expected: float
    expected_error: float
    critical: float
    critical_error: float
    looks: int
    effective_looks: float
    naive: tuple[NamedInterval, ...]
    if_equal: float
    candidates: tuple[CandidateScore, ...]
    n_cases: int
    is_pass_fail: bool
    range: ScoreRange
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: BestOfRequest = field(default_factory=BestOfRequest)

    def __str__(self) -> str:
        return (
            f"best of {self.looks}: {self.best}, {100 * self.observed:.1f} %, {100 * self.confidence:g} % interval "
            f"{100 * self.low:.1f} to {100 * self.high:.1f} %, expected {100 * self.expected:.1f} % on new cases"
        )
