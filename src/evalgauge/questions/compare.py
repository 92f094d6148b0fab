"""Is the candidate really better than the baseline?"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalgauge.questions.counts import Count
from evalgauge.questions.parts import Counts, Ends, LedgerNote, NamedInterval, ScoringOptions, Source
from evalgauge.questions.units import Names, Points, ScoreRange
from evalgauge.shown import ShownInNotebooks

Verdict: TypeAlias = Literal["better", "worse", "equivalent", "no worse", "inconclusive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions(ScoringOptions):
    """How to compare.

    Attributes
    ----------
    margin
        The change that matters: 2pp. With it, equivalent and no worse can be said too.
    candidate_metric
        Which score of the candidate to use, when it has another name there.
    arms
        Two arms of one file, baseline first: base,new.
    unpaired
        The two logs hold different cases: compare the rates without pairing.
    flips
        List every case that changed.
    explain_pairing
        Say for every case by what it was matched, and why not by something better.
    wins
        Cases that only the candidate passed, in place of logs.
    losses
        Cases that only the baseline passed, in place of logs.
    of
        Number of cases that both were tried on, in place of logs.
    engine
        Where tables lie that are too large for one machine: spark://host:7077, sc://host:15002 (Spark Connect), or
        ibis:URL of a warehouse. The logs are then tables there; only counts per case leave it.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the answer says so.
    """

    margin: Points | None = None
    candidate_metric: str | None = None
    arms: Names = Names()  # noqa: RUF009 - Names is an immutable tuple
    unpaired: bool = False
    flips: bool = False
    explain_pairing: bool = False
    wins: Count | None = None
    losses: Count | None = None
    of: Count | None = None
    engine: str | None = None
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest(CompareOptions):
    """A question about two arms.

    Attributes
    ----------
    logs
        Baseline and candidate: logs, tables, folders, or counts such as 45/50; one file when ``arms`` is given.
    """

    verb: ClassVar[str] = "compare"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Candidate minus baseline.

    Attributes
    ----------
    estimate, low, high
        The mean change and its interval, in shares.
    method
        The rule.
    p_value
        From the same rule as the interval.
    p_values
        By name: ``dual``, ``exact``, ``mid_p`` and others where they exist.
    """

    estimate: float
    low: float
    high: float
    method: str
    p_value: float
    p_values: dict[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What may be claimed.

    Attributes
    ----------
    better, worse
        Whether the interval of the change lies above, or below, 0.
    equivalent, no_worse
        Whether the guarded interval lies within the margin, or above its lower end; false without a margin.
    """

    better: bool
    worse: bool
    equivalent: bool
    no_worse: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A case whose score changed.

    Attributes
    ----------
    case
        Its id.
    baseline, candidate, change
        Its mean scores and their difference, in shares.
    """

    case: str
    baseline: float
    candidate: float
    change: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedPair:
    """How one case was matched.

    Attributes
    ----------
    baseline, candidate
        Its ids; ``None`` where it has no partner.
    tier
        What matched it: content, input, source hash, near or id; ``""`` without a partner.
    reason
        What kept something better from matching it; ``""`` for content.
    """

    baseline: str | None
    candidate: str | None
    tier: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """How the cases of the two logs were put side by side.

    Attributes
    ----------
    matched
        Number of pairs.
    by
        The tier that most pairs were matched by: content, near or id; ``none`` when unpaired.
    by_counts
        Pairs by tier.
    only_baseline, only_candidate
        Ids of the cases without a partner.
    explained
        Every case and pair, where that was asked for.
    """

    matched: int
    by: str
    by_counts: dict[str, int]
    only_baseline: tuple[str, ...]
    only_candidate: tuple[str, ...]
    explained: tuple[ExplainedPair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmScore:
    """One side.

    Attributes
    ----------
    source
        Where it came from.
    estimate
        Mean over the compared cases, in shares.
    n_cases, n_runs, n_reps
        What it rests on.
    counts
        What became of its planned runs.
    """

    source: Source
    estimate: float
    n_cases: int
    n_runs: int
    n_reps: int
    counts: Counts | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceDifference:
    """The change in one slice.

    Attributes
    ----------
    name
        Value of the slice field.
    estimate, low, high, method, p_value
        The change with its own interval.
    p_holm
        The p-value after Holm's correction over all slices.
    verdict
        better, worse or inconclusive, by ``p_holm``.
    n_cases, wins, losses, ties
        What it rests on.
    """

    name: str
    estimate: float
    low: float
    high: float
    method: str
    p_value: float
    p_holm: float
    verdict: Verdict
    n_cases: int
    wins: int
    losses: int
    ties: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareAnswer(ShownInNotebooks):
    """A difference with its honest interval, and what may be claimed from it.

    Attributes
    ----------
    baseline, candidate
        The two sides.
    verdict
        The first true claim of better, worse, equivalent, no worse; else inconclusive.
    within_margin
        Whether a better or worse verdict is still inside the margin.
    difference, guarded
        The interval of the mean change, and the one that stays true when a few cases break completely.
    alternatives
        Other rules on the same data, by name.
    claims, margin, confidence
        What may be claimed, the margin that was given, the level.
    wins, losses, ties, flips
        Cases that got better, worse, or stayed, ``None`` where cases are not paired; the changed cases, losses first.
    pairing, is_paired
        How cases were matched.
    missing, scored_only, bounds
        The policy, the difference on scored pairs, and the two extreme estimates where scores are missing.
    unpaired_p_value
        What treating the arms as unrelated would say; ``None`` when they are.
    least_n
        Least number of cases at which the best possible data could show "no worse" at this margin.
    slices
        Differences by slice.
    range, is_pass_fail, lower_is_better
        The possible range of the score, whether every score is 0 or 1, and whether a fall is an improvement.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the set is not registered.
    """

    verb: ClassVar[str] = "compare"
    baseline: ArmScore
    candidate: ArmScore
    verdict: Verdict
    within_margin: bool
    difference: Difference
    guarded: NamedInterval
    alternatives: tuple[NamedInterval, ...]
    claims: Claims
    margin: float | None
    confidence: float
    wins: int | None
    losses: int | None
    ties: int | None
    flips: tuple[Flip, ...]
    pairing: Pairs
    is_paired: bool
    missing: str
    scored_only: Ends | None
    bounds: Ends | None
    unpaired_p_value: float | None
    least_n: int | None
    slices: tuple[SliceDifference, ...]
    range: ScoreRange | None
    is_pass_fail: bool
    lower_is_better: bool = False
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: CompareRequest = field(default_factory=CompareRequest)

    def __str__(self) -> str:
        scale = 100.0 if self.range is not None else 1.0
        unit = " points" if self.range is not None else ""
        return (
            f"{self.verdict}: {scale * self.difference.estimate:+.1f}{unit}, {100 * self.confidence:g} % interval "
            f"{scale * self.difference.low:+.1f} to {scale * self.difference.high:+.1f} ({self.difference.method})"
        )
