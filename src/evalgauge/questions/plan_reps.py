"""More cases or more reps: what do runs buy, and what can no number of them remove?"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalgauge.planning.reps_results import BestReps, RepsBand, RepsCount, RepsGrid, RepsRow, RepsSketch
from evalgauge.questions.counts import Count, Number
from evalgauge.questions.parts import LedgerNote
from evalgauge.questions.plan import Pilot, PilotOptions
from evalgauge.questions.units import Points, Share
from evalgauge.shown import ShownInNotebooks

RepsKind: TypeAlias = Literal["one score", "paired change", "sketch"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRepsOptions(PilotOptions):
    """How to weigh cases against reps.

    Attributes
    ----------
    case_sd
        Standard deviation of the true rates of cases, in shares: 0.4.
    run_sd
        Standard deviation of the runs of one case (of the baseline, where arms are paired): 0.3.
    change_sd
        For two arms on the same cases: standard deviation of the true change per case.
    run_sd_candidate
        For two arms: standard deviation of the candidate's runs. Default: that of the baseline.
    rate
        Expected mean score: 90%. Default: that of pass/fail scores with this spread.
    cases
        Number of cases that you have or plan.
    reps
        A number of reps to look at, beside the usual ones.
    budget
        What may be spent, in the unit of the prices; in runs, when no price is given.
    margin
        How wide an interval may be, to each side: 5pp.
    drop
        For two arms: mean change to show.
    cost_case
        Price of making one case. Default 0.
    cost_run
        Price of running one case once. Default 1.
    """

    case_sd: Number | None = None
    run_sd: Number | None = None
    change_sd: Number | None = None
    run_sd_candidate: Number | None = None
    rate: Share | None = None
    cases: Count | None = None
    reps: Count | None = None
    budget: Number | None = None
    margin: Points | None = None
    drop: Points | None = None
    cost_case: Number = Number(0.0)  # noqa: RUF009 - a Number is an immutable float
    cost_run: Number = Number(1.0)  # noqa: RUF009 - a Number is an immutable float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRepsRequest(PlanRepsOptions):
    """A question about reps.

    Attributes
    ----------
    logs
        A pilot log to take the spread from, or two of them for a change; empty when the spread is given.
    """

    verb: ClassVar[str] = "plan_reps"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRepsAnswer(ShownInNotebooks):
    """What runs buy.

    Attributes
    ----------
    kind
        One score, a paired change, or a sketch before anything is known.
    case_sd, run_sd
        Spread between cases (of the change, where paired), and of the runs (of both arms together, where paired);
        ``None`` in a sketch and where a log cannot tell them apart.
    rate
        Mean score that the grading rule is asked at; ``None`` for a change.
    confidence, power
        Two-sided level, and chance to show the change.
    crossover
        The number of reps up to which run noise is larger than case spread: s_run²/s_case². ``None`` without spread
        between cases.
    rows
        Ways to spend the budget, or the reps on the cases at hand.
    counts
        Cases for the margin or the change, by reps.
    best
        The number of reps that buys most for the price.
    grid
        Half-widths by cases and reps.
    bands
        From a log: half-widths by reps on its own cases, as bands.
    removable, removable_low, removable_high
        From a log: the share of the variance that more reps could remove, as estimated, and its interval.
    is_too_few
        Whether the log has too few reps to tell cases from runs.
    sketch
        The rough range before any run; ``None`` once a spread is known.
    pilot
        What was taken from a log.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the pilot log's set is not registered.
    """

    verb: ClassVar[str] = "plan_reps"
    kind: RepsKind
    case_sd: float | None
    run_sd: float | None
    rate: float | None
    confidence: float
    power: float
    crossover: float | None
    rows: tuple[RepsRow, ...]
    counts: tuple[RepsCount, ...]
    best: BestReps | None
    grid: RepsGrid | None
    bands: tuple[RepsBand, ...]
    removable: float | None
    removable_low: float | None
    removable_high: float | None
    is_too_few: bool
    sketch: RepsSketch | None
    pilot: Pilot | None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: PlanRepsRequest = field(default_factory=PlanRepsRequest)

    def __str__(self) -> str:
        if self.sketch is not None:
            low, high = 100 * self.sketch.low, 100 * self.sketch.high
            return (
                f"sketch: {self.sketch.cases:,} cases × {self.sketch.reps:,} reps give ±{low:.0f} to ±{high:.0f} points"
            )
        if self.is_too_few:
            return "too few reps to tell cases from runs"
        best = self.best.reps if self.best is not None else None
        return f"{self.kind}: best number of reps {best if best is not None else 'without end'}"
