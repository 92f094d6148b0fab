"""Which of k arms on the same cases are better than which, and who shares a rank?"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalgauge.questions.best_of import BestOfOptions
from evalgauge.questions.parts import Ends, LedgerNote, Source
from evalgauge.questions.units import ScoreRange
from evalgauge.reusing.results import SelectionCost
from evalgauge.shown import ShownInNotebooks

Standing: TypeAlias = Literal["first", "tie", "no order"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOptions(BestOfOptions):
    """How to rank the arms.

    Attributes
    ----------
    cluster
        Field that says which cases share a source, such as doc.
    """

    cluster: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRequest(RankOptions):
    """A question about the order of several arms.

    Attributes
    ----------
    logs
        Logs, tables or folders; every arm in them is ranked.
    """

    verb: ClassVar[str] = "rank"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedArm:
    """One arm of the leaderboard.

    Attributes
    ----------
    name
        What it is called in the answer.
    rank
        Its rank by score alone; equal scores share one.
    best_rank, worst_rank
        The ranks that the data allow, for all arms together.
    estimate, low, high
        Its score on the shared cases and the interval of that one score, shares.
    together
        The interval that holds for all arms together.
    groups
        Numbers of its tied groups, from 1; arms that share no group are told apart.
    missing
        Shared cases without a score of this arm.
    left_out
        Its cases that not all arms have.
    source
        Where it came from.
    """

    name: str
    rank: int
    best_rank: int
    worst_rank: int
    estimate: float
    low: float
    high: float
    together: Ends
    groups: tuple[int, ...]
    missing: int
    left_out: int
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class PairVerdict:
    """Two arms of the leaderboard.

    Attributes
    ----------
    first, second
        Their names, the better scorer first.
    difference, low, high
        Score of the first less that of the second, and the interval that holds for all pairs together; shares.
    method
        Rule of that interval.
    p_value
        Two-sided p-value of the pair alone.
    p_holm
        Holm's p-value over both directions of all pairs.
    verdict
        ``"better"`` where the first is shown to be better than the second, else ``"tied"``. Pairs are tested down a
        ladder, which shows a little more than the single interval that holds for all of them.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    method: str
    p_value: float
    p_holm: float
    verdict: Literal["better", "tied"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankAnswer(ShownInNotebooks):
    """A leaderboard that claims no more than the data show.

    Attributes
    ----------
    verdict
        ``"first"``: one arm is shown to be better than every other; ``"tie"``: several may be the best; ``"no order"``:
        no pair is told apart.
    best
        Names of the arms that may be the best.
    arms
        All of them, best score first.
    groups
        Tied groups by name, best first: arms that share no group are told apart.
    pairs, pairs_of
        Every pair among the first ``pairs_of`` arms.
    n_pairs, n_apart
        All pairs, and those that are told apart.
    selection
        What it costs to name the best on the cases that chose it.
    critical, critical_error
        Critical value of all pairs together in standard errors, and its Monte-Carlo error.
    confidence, method
        Level of every interval and of all ranks together, and the rule of the arms' intervals.
    n_cases, n_units
        Shared cases, and the independent units among them: cases, or clusters.
    is_pass_fail, range, lower_is_better
        Whether every score is 0 or 1, the possible range of the score, and whether a low score is a good one.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the set is not registered.
    """

    verb: ClassVar[str] = "rank"
    verdict: Standing
    best: tuple[str, ...]
    arms: tuple[RankedArm, ...]
    groups: tuple[tuple[str, ...], ...]
    pairs: tuple[PairVerdict, ...]
    pairs_of: int
    n_pairs: int
    n_apart: int
    selection: SelectionCost
    critical: float
    critical_error: float
    confidence: float
    method: str
    n_cases: int
    n_units: int
    is_pass_fail: bool
    range: ScoreRange
    lower_is_better: bool
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: RankRequest = field(default_factory=RankRequest)

    def __str__(self) -> str:
        names = ", ".join(self.best[:3]) + (f" and {len(self.best) - 3:,} more" if len(self.best) > 3 else "")
        return (
            f"{self.verdict} of {len(self.arms):,}: {names}; {self.n_apart:,} of {self.n_pairs:,} pairs told apart, "
            f"{self.n_cases:,} cases"
        )
