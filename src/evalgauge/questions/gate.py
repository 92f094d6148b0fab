"""May the candidate ship: pass, fail, or not decided?"""

from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias

from evalgauge.questions.compare import CompareAnswer
from evalgauge.questions.measure import MeasureAnswer
from evalgauge.questions.parts import LedgerNote, ScoringOptions
from evalgauge.questions.scale import count
from evalgauge.questions.units import Names, Points, ScoreRange, Share
from evalgauge.shown import ShownInNotebooks

Verdict: TypeAlias = Literal["pass", "fail", "inconclusive"]
Bounds: TypeAlias = Literal["obrien-fleming", "pocock"]
PairingPolicy: TypeAlias = Literal["any", "content"]
RuleKind: TypeAlias = Literal[
    "max-drop",
    "min-rate",
    "better-than",
    "slice-drop",
    "slice-rate",
    "case-rate",
    "min-scored",
    "min-overlap",
    "pairing",
    "holdout",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleOptions(ScoringOptions):
    """What has to hold.

    Attributes
    ----------
    max_drop
        The largest drop against the baseline that would not matter: 2pp. It passes where a larger one is excluded.
    min_rate
        The least pass rate (or mean score) of the candidate: 90%. It passes where the interval lies above it.
    better_than
        The gain over the baseline that has to be shown: 0pp for any gain.
    slice_drop
        The largest drop in every slice of --by; --max-drop where left out.
    slice_rate
        The least rate in every slice of --by; --min-rate where left out.
    case_rate
        The share of its reps that every case should pass: 80%. It fails where some case is shown to pass fewer.
    candidate_metric
        Which score of the candidate to use, when it has another name there.
    """

    max_drop: Points | None = None
    min_rate: Share | None = None
    better_than: Points | None = None
    slice_drop: Points | None = None
    slice_rate: Share | None = None
    case_rate: Share | None = None
    candidate_metric: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions(RuleOptions):
    """How to judge.

    Attributes
    ----------
    config
        File with the rules, evalgauge.toml; where it is in the current folder and no rule is named, it is used.
    arms
        Two arms of one file, baseline first: base,new.
    unpaired
        The two logs hold different cases: compare the rates without pairing.
    pairing
        Which pairs to accept: any, or only those matched by their content.
    min_scored
        Least share of the planned cases, and of their runs, that must be scored in each arm for a pass.
    min_overlap
        Least share of the cases that must have a partner in the other log for a pass.
    on_inconclusive
        What the exit code says where the data cannot decide: pass (0), fail (1) or inconclusive (3).
    interim
        Which planned look at the growing logs this is, and of how many: 2/5. All looks together err no more than one.
    bounds
        What the planned looks share their error by: obrien-fleming (strict early) or pocock (alike at every look).
    anytime
        Judge by intervals that hold after any number of cases, in the order of the log: look as often as you like.
    allow_blind
        Judge even where a rule could never pass, or never fail, with this many cases.
    flips
        List every case that changed.
    holdout
        Judge on a set that is in the ledger: show pass or no pass alone, at a price that keeps all such verdicts true
        together, however candidates were tuned on them. The scores stay sealed.
    engine
        Where tables lie that are too large for one machine: spark://host:7077, sc://host:15002 (Spark Connect), or
        ibis:URL of a warehouse. The logs are then tables there; only counts per case leave it.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the answer says so.
    """

    config: str | None = None
    arms: Names = Names()  # noqa: RUF009 - Names is an immutable tuple
    unpaired: bool = False
    pairing: PairingPolicy = "any"
    min_scored: Share = Share(0.95)  # noqa: RUF009 - a Share is an immutable float
    min_overlap: Share = Share(0.95)  # noqa: RUF009 - same
    on_inconclusive: Verdict = "inconclusive"
    interim: str | None = None
    bounds: Bounds = "obrien-fleming"
    anytime: bool = False
    allow_blind: bool = False
    flips: bool = False
    holdout: bool = False
    engine: str | None = None
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GateRequest(GateOptions):
    """A question about a candidate, and what has to hold.

    Attributes
    ----------
    logs
        Baseline and candidate; the candidate alone where no rule needs a baseline, or the rules name one.
    """

    verb: ClassVar[str] = "gate"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleVerdict:
    """What one rule says.

    Attributes
    ----------
    rule
        Its name, that of its option.
    part
        The slice it speaks of, as ``topic=billing``; empty for the set as a whole.
    metric
        The score.
    verdict
        pass, fail or inconclusive.
    reason
        Why, in one sentence.
    needs
        What would decide it, in one sentence; empty where it is decided.
    needs_cases, needs_reps
        Cases like these, or reps of each case, that would decide it; ``None`` where they would not, or it is decided.
    threshold
        What the rule asks for, a share.
    estimate, low, high
        The change or the score, and the interval that was read, in shares; ``None`` for rules about the data.
    confidence
        Two-sided level of that interval; above the gate's own where several parts are judged together.
    method
        Rule of the interval.
    n_cases
        What it rests on.
    cases
        Cases that are shown to be broken, for a rule over the reps of each case.
    """

    rule: RuleKind
    part: str
    metric: str
    verdict: Verdict
    reason: str
    needs: str = ""
    needs_cases: int | None = None
    needs_reps: int | None = None
    threshold: float
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    method: str = ""
    n_cases: int
    cases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sequential:
    """How the looks at growing logs share the errors, and what that costs.

    Attributes
    ----------
    bounds
        obrien-fleming or pocock for planned looks, anytime for intervals that hold after any number of cases.
    look, looks
        Which look this is, and how many are planned; ``None`` for anytime.
    price
        How many times the cases of a single look it takes: for planned looks at the last one with 80 % power; for
        anytime to make an interval of this width from these data.
    next_cases
        Cases at which the next planned look is due; ``None`` after the last, after a verdict and for anytime.
    """

    bounds: Literal["obrien-fleming", "pocock", "anytime"]
    look: int | None
    looks: int | None
    price: float
    next_cases: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateAnswer(ShownInNotebooks):
    """A verdict that a pipeline can trust, with every rule's own.

    Attributes
    ----------
    verdict
        fail where a rule fails, inconclusive where none fails and one cannot be decided, else pass.
    outcome
        The same after ``on_inconclusive``: what the exit code says.
    rules
        What each rule says.
    comparisons
        The change against the baseline, one answer per score that was judged.
    scores
        The candidate's score, one answer per score that has a floor.
    confidence
        Two-sided level of the gate.
    pass_error, alarm_error
        Most chance that the gate passes a candidate which breaks a rule, and that it fails one which keeps them all.
    rules_from
        Where the rules were read: a file, or the command line.
    missing, pairing, min_scored, min_overlap, on_inconclusive
        The policies that were in force.
    range
        The possible range of the score that was judged first.
    is_blessed
        Whether the baseline is a blessed file.
    sequential
        How looks at growing logs share the errors; ``None`` for a single look.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the set is not registered.
    """

    verb: ClassVar[str] = "gate"
    verdict: Verdict
    outcome: Verdict
    rules: tuple[RuleVerdict, ...]
    comparisons: tuple[CompareAnswer, ...]
    scores: tuple[MeasureAnswer, ...]
    confidence: float
    pass_error: float
    alarm_error: float
    rules_from: str
    missing: str
    pairing: str
    min_scored: float
    min_overlap: float
    on_inconclusive: str
    range: ScoreRange
    is_blessed: bool = False
    sequential: Sequential | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: GateRequest = field(default_factory=GateRequest)

    def __str__(self) -> str:
        counts = {verdict: sum(one.verdict == verdict for one in self.rules) for verdict in ("fail", "inconclusive")}
        said = ", ".join(f"{n} {verdict}" for verdict, n in counts.items() if n) or "all rules pass"
        return f"{self.verdict}: {said} ({count(len(self.rules), 'rule')})"
