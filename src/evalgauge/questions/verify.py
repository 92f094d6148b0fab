"""How often does an interval hold the truth, on evals like mine?"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalgauge.questions.counts import Count
from evalgauge.questions.parts import LedgerNote, ReadingOptions, Target
from evalgauge.questions.units import Names, Points, ScoreRange, Share, WholeNumbers
from evalgauge.shown import ShownInNotebooks
from evalgauge.studies.coverage_results import NullChange, RuleCoverage

StudyKind: TypeAlias = Literal["paired", "single"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions(ReadingOptions):
    """Which evals to simulate, and which rules to grade.

    Attributes
    ----------
    n_cases
        Cases of an eval. Default 25, or as many as the log has.
    reps
        Runs of each case (in each arm): 2,10,50. Default these three, or those of the log.
    rates
        How true pass rates are spread over cases: 80%, uniform:0.05:0.95 (default), beta:4:1, or a mixture such as
        0.9@1,0.1@beta:7:3; for two arms 0.02@1/0 (breaks) or uniform:0:1/+0.3 (moves).
    effect
        Mean change from baseline to candidate: 10pp. Default 10pp for the built-in scenario, else none.
    effect_sd
        How much the change differs from case to case (standard deviation): 15pp. Default as for --effect.
    design
        Two arms on the same cases (paired), or one score (single). Default paired; single for one log, for graded
        scores and for clusters.
    target
        What an interval should hold: new-cases like these, or these-cases exactly (only the noise between runs counts).
    graded
        Take --rates as graded scores, the same in every run, and not as pass rates.
    cluster_size
        Cases that share a source: 10, or 3:27 for sizes spread evenly from 3 to 27.
    icc
        Share of the variance of a pass or fail that lies between clusters: 0.2.
    missing_share
        Share of the runs that get no score, by chance: 5%. Default that of the log.
    rule
        Interval rules by name, the one you use first: one_over_sqrt_nR, per_case_wald, runs_as_cases,
        percentile_bootstrap, bca_bootstrap … Default those in wide use.
    like
        Log to take cases, rates, noise between runs and missing runs from; two of the same cases for a change.
    same_system
        The two logs are runs of one system (A/A): study what two such runs show by chance.
    metric
        Which score of the log to use, when it holds several.
    task
        Which eval set (task) of the log to use.
    arm
        Which system of the log to use.
    cluster
        Field of the log that says which cases share a source, such as doc.
    score_range
        Lowest and highest possible score of the log, such as 0:100. Default 0:1.
    sims
        Evals to draw where coverage cannot be counted out exactly.
    seed
        Seed of the draws: the same seed gives the same answer, whatever the number of workers.
    jobs
        Workers to share the draws out to.
    confidence
        Level that the rules are asked for, two-sided.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the answer says so.
    """

    n_cases: Count | None = None
    reps: WholeNumbers | None = None
    rates: str | None = None
    effect: Points | None = None
    effect_sd: Points | None = None
    design: StudyKind | None = None
    target: Target = "new-cases"
    graded: bool = False
    cluster_size: str | None = None
    icc: Share | None = None
    missing_share: Share | None = None
    rule: Names = Names()  # noqa: RUF009 - Names is an immutable tuple
    like: tuple[str, ...] = ()
    same_system: bool = False
    metric: str | None = None
    task: str | None = None
    arm: str | None = None
    cluster: str | None = None
    score_range: ScoreRange | None = None
    sims: Count = Count(20_000)  # noqa: RUF009 - a Count is an immutable int
    seed: Count = Count(0)  # noqa: RUF009 - same
    jobs: Count = Count(1)  # noqa: RUF009 - same
    confidence: Share = Share(0.95)  # noqa: RUF009 - a Share is an immutable float
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyRequest(VerifyOptions):
    """A question about interval rules.

    Attributes
    ----------
    logs
        Always empty: the logs of a study are named with ``like``.
    """

    verb: ClassVar[str] = "verify"
    logs: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StudiedLog:
    """What was taken from logs.

    Attributes
    ----------
    logs
        Their names.
    rate
        Mean score (of the baseline), a share.
    n_cases, n_reps
        Scored cases, and the runs that most of them have (in each arm).
    case_sd, run_sd
        Spread between the true rates of the simulated cases, and between the runs of one of them.
    missing
        Share of the planned runs without a score.
    """

    logs: tuple[str, ...]
    rate: float
    n_cases: int
    n_reps: int
    case_sd: float
    run_sd: float
    missing: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SameSystemCheck:
    """Whether two logs look like runs of one system.

    Attributes
    ----------
    change
        Mean change from the first to the second, a share.
    changed
        Cases whose mean score differs.
    p_value
        Chance of a change at least as large when signs are chance (sign-flip test).
    """

    change: float
    changed: int
    p_value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyAnswer(ShownInNotebooks):
    """How often interval rules hold the truth.

    Attributes
    ----------
    rules
        Every rule at every number of reps: coverage, misses, width, each with its Monte-Carlo error.
    missing_rules
        Where runs go missing: coverage by what a missing run counts as.
    missing_share
        Share of the runs that go missing in these.
    asked
        The rule in question: the one you use, or the worst of those in wide use, at its worst number of reps.
    holds
        Whether it covers what it says, to within a point (and beyond Monte-Carlo error).
    advised
        What evalgauge answers on the same evals; ``None`` where that is what was asked about, or it has no rule.
    cases
        The simulated evals in words.
    truth
        What the intervals should hold: true mean rate or change; ``None`` where each log has its own.
    design, target
        One score or a change, of new cases or exactly these.
    n_cases, reps
        Size of the evals.
    confidence
        Level that the rules were asked for.
    sims, seed
        Draws where coverage was not exact.
    null_changes
        For two runs of one system: how far apart they lie by chance, for each number of reps.
    log
        What was taken from logs.
    same_system
        For two logs of one system: whether they look like it.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the log's set is not registered.
    """

    verb: ClassVar[str] = "verify"
    rules: tuple[RuleCoverage, ...]
    asked: RuleCoverage
    holds: bool
    advised: RuleCoverage | None
    cases: str
    truth: float | None
    design: StudyKind
    target: Target
    n_cases: int
    reps: WholeNumbers
    confidence: float
    sims: int
    seed: int
    missing_rules: tuple[RuleCoverage, ...] = ()
    missing_share: float = 0.0
    null_changes: tuple[NullChange, ...] = ()
    log: StudiedLog | None = None
    same_system: SameSystemCheck | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: VerifyRequest = field(default_factory=VerifyRequest)

    def __str__(self) -> str:
        asked = self.asked
        return (
            f"{asked.title} covers {100 * asked.coverage:.1f} %, asked {100 * self.confidence:g} % "
            f"({self.n_cases:,} cases × {asked.reps:,} reps, {self.design})"
        )
