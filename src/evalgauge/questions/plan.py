"""How many cases and slices do I need, and what can the set I own show?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.planning.results import (
    ClusterPlan,
    Design,
    DetectionPlan,
    FloorPlan,
    LooksPlan,
    NeverPass,
    NoWorsePlan,
    OwnSet,
    PrecisionPlan,
    Prescription,
    SlicePlan,
    Strictness,
)
from evalgauge.questions.counts import Count, Number
from evalgauge.questions.parts import LedgerNote, ReadingOptions
from evalgauge.questions.units import Points, ScoreRange, Share, Weights
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotOptions(ReadingOptions):
    """Which scores of a pilot log to use.

    Attributes
    ----------
    metric
        Which score of the pilot log to use, when it holds several.
    task
        Which eval set (task) of the pilot log to use.
    arm
        Which system of the pilot log to use.
    cluster
        Field of the pilot log that says which cases share a source, such as doc.
    score_range
        Lowest and highest possible score of the pilot log, such as 0:100. Default 0:1.
    power
        Chance to show what is there.
    confidence
        Level of every interval, two-sided.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the answer says so.
    """

    metric: str | None = None
    task: str | None = None
    arm: str | None = None
    cluster: str | None = None
    score_range: ScoreRange | None = None
    power: Share = Share(0.8)  # noqa: RUF009 - a Share is an immutable float
    confidence: Share = Share(0.95)  # noqa: RUF009 - same
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeOptions(PilotOptions):
    """Which change is to be shown.

    Attributes
    ----------
    rate
        Expected pass rate (of the baseline): 90%. Default: that of the pilot log, else 90%.
    drop
        Fall of the rate to show: 10pp. Default 10pp, unless a rise is named.
    rise
        Rise of the rate to show, in place of a drop: 5pp.
    discordance
        Share of cases that exactly one of the two systems passes: 10%.
    correlation
        Correlation of the two systems over cases, in place of a discordance. Default 0, the cautious end.
    rule
        The intervals that grade: auto (Wilson, Tango, Miettinen-Nurminen), or exact (Clopper-Pearson, exact McNemar,
        Fisher).
    slices
        Number of slices that are judged one by one.
    slice_shares
        Share of each slice in the traffic: web=60%,phone=40%.
    smallest_share
        Share of the smallest slice: 10%.
    by
        Field of the pilot log to take slices and their shares from.
    own
        Number of cases that you own, over all slices (per arm for independent arms).
    like
        Pilot log to take rate, spread, discordance and clustering from; name two for a discordance.
    """

    rate: Share | None = None
    drop: Points | None = None
    rise: Points | None = None
    discordance: Share | None = None
    correlation: Number | None = None
    rule: Strictness = "auto"
    slices: Count | None = None
    slice_shares: Weights | None = None
    smallest_share: Share | None = None
    by: str | None = None
    own: Count | None = None
    like: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions(ChangeOptions):
    """How to plan a set.

    Attributes
    ----------
    margin
        How wide an interval may be, to each side: 5pp.
    assurance
        Meet the margin in this share of all runs: 90%. Without it, in about one of two.
    design
        How a change will be looked for: held-reference, paired or independent-arms.
    min_rate
        Also certify that the rate is above this: 85%.
    max_drop
        Also pass a gate that allows no more than this drop: 2pp.
    looks
        Number of planned looks at one comparison, the last one included.
    cluster_size
        Cases that share a source.
    icc
        Intraclass correlation of such cases: 0.2.
    """

    margin: Points = Points(0.05)  # noqa: RUF009 - Points is an immutable float
    assurance: Share | None = None
    design: Design = "held-reference"
    min_rate: Share | None = None
    max_drop: Points | None = None
    looks: Count | None = None
    cluster_size: Count | None = None
    icc: Share | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest(PlanOptions):
    """A question about the size of a set."""

    verb: ClassVar[str] = "plan"
    logs: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pilot:
    """What was taken from a pilot log.

    Attributes
    ----------
    logs
        The files.
    rate
        Mean score, a share.
    n_cases, n_reps
        What it rests on.
    case_sd, run_sd
        Spread between cases and between runs; ``None`` with one rep.
    discordance
        Share of cases that exactly one arm passes; ``None`` for a single log, or scores that are not pass/fail.
    cluster_size, icc
        Mean cases per cluster, and their intraclass correlation; ``None`` without a cluster field.
    """

    logs: tuple[str, ...]
    rate: float
    n_cases: int
    n_reps: int
    case_sd: float | None
    run_sd: float | None
    discordance: float | None
    cluster_size: float | None
    icc: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAnswer(ShownInNotebooks):
    """How many cases, and what the owned set can show. Counts are at the level of one slice, corrected for slices.

    Attributes
    ----------
    rate, power, confidence, design
        What was planned for.
    precision
        Cases for the margin.
    detection
        Cases for the change, by design.
    prescribed
        The count to collect.
    own
        What the owned set can show; ``None`` if none was named.
    slices
        How the set is split.
    floor, no_worse
        Cases for a least rate, and for a gate on a drop; ``None`` if not asked for.
    never
        Counts below which no data could show a change.
    clusters, looks
        Counts for clustered cases, and for planned looks; ``None`` if not asked for.
    pilot
        What was taken from a log; ``None`` without one.
    notes, problems
        Plain sentences: what is assumed, and what the reader of the pilot log met.
    ledger
        What the ledger of looks says; ``None`` where the pilot log's set is not registered.
    """

    verb: ClassVar[str] = "plan"
    precision: PrecisionPlan
    detection: DetectionPlan
    prescribed: Prescription
    own: OwnSet | None
    slices: SlicePlan
    rate: float
    power: float
    confidence: float
    design: Design
    floor: FloorPlan | None
    no_worse: NoWorsePlan | None
    never: NeverPass
    clusters: ClusterPlan | None
    looks: LooksPlan | None
    pilot: Pilot | None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: PlanRequest = field(default_factory=PlanRequest)

    def __str__(self) -> str:
        slices = f" ({self.prescribed.per_slice:,} in each of {self.slices.count:,} slices)"
        own = "" if self.own is None else f"; you own {self.own.total:,}, add {self.own.add:,}"
        return (
            f"{self.prescribed.total:,} cases{slices if self.slices.count > 1 else ''}, because of "
            f"{self.prescribed.because}{own}"
        )
