"""What is this score, with an interval that is true?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.counts import Count
from evalgauge.questions.judge import JudgeCorrection
from evalgauge.questions.parts import Counts, Ends, LedgerNote, NamedInterval, ScoringOptions, Source, Target
from evalgauge.questions.units import ScoreRange, Weights
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureOptions(ScoringOptions):
    """How to measure.

    Attributes
    ----------
    arm
        Which system to measure, when a log or folder holds several.
    weights
        Weight of each slice of --by in the total: web=60%,phone=40%, or equal.
    rule
        Interval rule by name: wilson, clopper-pearson, jeffreys, mid-p, t; auto (the default) lets the data choose.
    target
        What the interval speaks of: new-cases like these (the default), or these-cases exactly (only the noise between
        runs counts; needs reps).
    pass_k
        Report pass@k and pass^k for this k.
    passed
        Number of cases passed, in place of a log.
    of
        Number of cases, in place of a log.
    judge_labels
        Labels of some of the cases (case and label, 0 or 1), where a judge gave the scores: the judge's error is taken
        out of the score.
    engine
        Where tables lie that are too large for one machine: spark://host:7077, sc://host:15002 (Spark Connect), or
        ibis:URL of a warehouse. The logs are then tables there; only counts per case leave it.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the answer says so.
    """

    arm: str | None = None
    weights: Weights | None = None
    rule: str = "auto"
    target: Target = "new-cases"
    pass_k: Count | None = None
    passed: Count | None = None
    of: Count | None = None
    judge_labels: str | None = None
    engine: str | None = None
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureRequest(MeasureOptions):
    """A question about one score.

    Attributes
    ----------
    logs
        Logs, tables or folders; empty when the counts are given.
    """

    verb: ClassVar[str] = "measure"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredOnly:
    """The score when missing runs are left out.

    Attributes
    ----------
    estimate, low, high
        The score on the scored runs and its interval, in shares.
    """

    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Where the spread of scores comes from.

    Attributes
    ----------
    case_var, run_var
        Variance between cases (true rates) and between runs of one case.
    case_sd, run_sd
        Their square roots.
    is_truncated
        Whether the moment estimate of ``case_var`` was below 0 and set to 0.
    run_share
        Share of the variance of the mean that more reps could remove.
    floor_half_width
        Half-width that no number of reps can go below, by the planner's formula 1.96·s_case/√n.
    identical_reps
        Whether every rep of every case gave the same score: perhaps served from a cache.
    """

    case_var: float
    run_var: float
    case_sd: float
    run_sd: float
    is_truncated: bool
    run_share: float
    floor_half_width: float
    identical_reps: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PassAtK:
    """Chance that at least one, and that every one, of k runs passes.

    Attributes
    ----------
    k
        Number of runs.
    any_of_k, all_of_k
        pass@k and pass^k, averaged over cases, with their intervals.
    any_interval, all_interval
        Their intervals over cases.
    n_cases, left_out
        Cases with at least k scored runs, and those with fewer.
    """

    k: int
    any_of_k: float
    any_interval: Ends
    all_of_k: float
    all_interval: Ends
    n_cases: int
    left_out: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How many cases like these would bring the interval down to a margin.

    Attributes
    ----------
    margin
        Half-width, a share.
    cases
        Cases that it takes, run as often as these, if the true rate is as measured.
    cases_at_worst, worst_rate
        The same if it lies at the end of the interval that is nearest to one half, and that rate.
    """

    margin: float
    cases: int
    cases_at_worst: int
    worst_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceScore:
    """The score of one slice.

    Attributes
    ----------
    name
        Value of the slice field.
    estimate, low, high
        Its score with its own interval.
    simultaneous
        The interval that holds for all slices together (Bonferroni).
    n_cases, n_runs
        How much it rests on.
    weight
        Its weight in a weighted total.
    method
        The rule of its interval.
    problem
        Why the slice has no interval, where it has none.
    """

    name: str
    estimate: float
    low: float
    high: float
    simultaneous: Ends
    n_cases: int
    n_runs: int
    weight: float | None
    method: str
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureAnswer(ShownInNotebooks):
    """A score with its honest interval.

    Attributes
    ----------
    source
        What was measured.
    estimate, low, high
        The score on the scored cases, and the interval under the missing policy, in shares of ``range``
        (in score units for a score without limits).
    confidence, method, target
        Level, rule and what the interval speaks of.
    alternatives
        Other rules on the same data, by name.
    n_cases, n_runs, n_reps
        Scored cases, scored runs, and reps a case (the most, where they differ: ``reps_differ``).
    scored, errored, planned
        Runs.
    counts
        The same in full.
    missing
        The policy.
    bounds
        The score with every missing run failed and passed; ``None`` for a score without limits.
    scored_only
        The score when missing runs are left out.
    components
        Spread between cases and between runs; ``None`` with one rep.
    pass_at_k
        pass@k and pass^k where asked for.
    naive
        What counting runs as cases would say; ``None`` where it is the same.
    slices, weighted
        Scores by slice; whether the headline is the weighted total over them.
    std_error, n_eff, df
        Of the rule.
    range
        The possible range of the score; ``None`` without limits.
    is_pass_fail
        Whether every score is 0 or 1.
    notes, problems
        Plain sentences: what to know of the number, and what the reader met.
    beside
        Every arm of the logs on the same set, this one too.
    judge
        What labels say of the judge that gave the scores, where they were given: then estimate, low, high and method
        are of the corrected score.
    reach
        Cases for an interval of ±5 points; ``None`` where it is as narrow already, or the rule cannot be planned with.
    ledger
        What the ledger of looks says; ``None`` where the set is not registered.
    """

    verb: ClassVar[str] = "measure"
    source: Source
    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    target: Target
    alternatives: tuple[NamedInterval, ...]
    n_cases: int
    n_runs: int
    n_reps: int
    reps_differ: bool
    scored: int
    errored: int
    planned: int
    counts: Counts
    missing: str
    bounds: Ends | None
    scored_only: ScoredOnly
    components: Components | None
    pass_at_k: PassAtK | None
    naive: NamedInterval | None
    slices: tuple[SliceScore, ...]
    weighted: bool
    std_error: float
    n_eff: float
    df: float
    range: ScoreRange | None
    is_pass_fail: bool
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    judge: JudgeCorrection | None = None
    reach: Reach | None = None
    ledger: LedgerNote | None = None
    request: MeasureRequest = field(default_factory=MeasureRequest)

    def __str__(self) -> str:
        scale = 100.0 if self.range is not None else 1.0
        unit = " %" if self.range is not None else ""
        cases = "case" if self.n_cases == 1 else "cases"
        return (
            f"{scale * self.estimate:.1f}{unit}, {100 * self.confidence:g} % interval {scale * self.low:.1f} to "
            f"{scale * self.high:.1f}{unit}, {self.n_cases:,} {cases} ({self.method})"
        )
