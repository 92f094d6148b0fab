"""How often does my gate alarm where nothing changed, and how often does it miss a drop?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.counts import Count
from evalgauge.questions.gate import GateOptions, RuleKind
from evalgauge.questions.parts import Ends, LedgerNote
from evalgauge.questions.units import Points, Share
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyGateOptions(GateOptions):
    """Which runs to put before the gate.

    Attributes
    ----------
    like
        Log to take cases, rates, noise between runs and missing runs from; or several runs of one system on the same
        cases (A/A), which are put before the gate themselves as well.
    drop
        Drop to look for: 5pp. Default the largest that the rules allow and twice that; 5 and 10 points without one.
    discordance
        Share of cases that turn out differently in two runs of one system: 10%. For a log of one run a case, which
        cannot show it.
    sims
        Pairs of runs to draw, for no change and for each drop.
    seed
        Seed of the draws: the same seed gives the same answer, whatever the number of workers.
    jobs
        Workers to share the draws out to.
    """

    like: tuple[str, ...] = ()
    drop: Points | None = None
    discordance: Share | None = None
    sims: Count = Count(1_000)  # noqa: RUF009 - a Count is an immutable int
    seed: Count = Count(0)  # noqa: RUF009 - same
    jobs: Count = Count(1)  # noqa: RUF009 - same


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyGateRequest(VerifyGateOptions):
    """A question about a gate.

    Attributes
    ----------
    logs
        Always empty: the logs of a study are named with ``like``.
    """

    verb: ClassVar[str] = "verify_gate"
    logs: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRates:
    """What one rule said over the draws.

    Attributes
    ----------
    rule, part, metric
        Which.
    passed, failed
        Shares of the draws; the rest was not decided.
    """

    rule: RuleKind
    part: str
    metric: str
    passed: float
    failed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRates:
    """What the gate said of candidates that are truly worse by one drop, or not at all.

    Attributes
    ----------
    drop
        The true drop, a share; 0 where nothing changed.
    passed, failed, inconclusive
        Shares of the draws.
    passed_range, failed_range
        Their exact 95 % intervals: the draws are finite.
    rules
        Each rule's own.
    """

    drop: float
    passed: float
    failed: float
    inconclusive: float
    passed_range: Ends
    failed_range: Ends
    rules: tuple[RuleRates, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NullPairs:
    """What the gate said of real runs of one system.

    Attributes
    ----------
    pairs, alarms, passes
        Pairs of logs that share none, those that failed, and those that passed.
    alarm_range
        Exact 95 % interval of the share that fails.
    pairs_needed
        Pairs without one alarm that would show the share to be within the promise.
    """

    pairs: int
    alarms: int
    passes: int
    alarm_range: Ends
    pairs_needed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyGateAnswer(ShownInNotebooks):
    """How often a gate alarms for nothing, and what it misses.

    Attributes
    ----------
    scenarios
        What it said, by true drop; no change first.
    null_pairs
        What it said of real runs of one system; ``None`` with one log.
    is_quiet
        Whether false alarms are within the promise, as far as the draws can tell.
    alarm_error, pass_error
        The promises: most chance of a false alarm, and of passing a candidate that breaks a rule.
    unkept
        Rules that the log itself does not keep, in words: where they fail, it is no false alarm.
    logs
        Names of the logs.
    rate, n_cases, n_reps
        Mean score (a share), scored cases and the runs that most of them have.
    discordance
        Share of the cases that turn out differently in two simulated single runs; ``None`` for graded scores.
    rules_from
        Where the rules were read.
    confidence
        Two-sided level of the gate.
    sims, seed
        Draws, and their seed.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the log's set is not registered.
    """

    verb: ClassVar[str] = "verify_gate"
    scenarios: tuple[GateRates, ...]
    null_pairs: NullPairs | None
    is_quiet: bool
    alarm_error: float
    pass_error: float
    unkept: tuple[str, ...]
    logs: tuple[str, ...]
    rate: float
    n_cases: int
    n_reps: int
    discordance: float | None
    rules_from: str
    confidence: float
    sims: int
    seed: int
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: VerifyGateRequest = field(default_factory=VerifyGateRequest)

    def __str__(self) -> str:
        null = self.scenarios[0]
        return f"fails {100 * null.failed:.1f} % of runs in which nothing changed ({self.sims:,} simulated)"
