"""What can a gate see before anything is run: can each rule pass, can it fail, and from how many cases on?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.counts import Count
from evalgauge.questions.gate import GateOptions, RuleKind
from evalgauge.questions.parts import LedgerNote
from evalgauge.questions.scale import count
from evalgauge.questions.units import ScoreRange, Share
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions(GateOptions):
    """What a check is told beside the rules.

    Attributes
    ----------
    cases
        With --check: cases that will be run, where no log tells.
    reps
        With --check: runs of each case.
    rate
        With --check: expected pass rate.
    discordance
        With --check: share of cases that turn out differently in two runs of one system.
    """

    cases: Count | None = None
    reps: Count | None = None
    rate: Share | None = None
    discordance: Share | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheckRequest(CheckOptions):
    """A question about the rules of a gate.

    Attributes
    ----------
    logs
        A baseline, or two logs, that are like those that will be judged; none where ``cases`` says how many.
    """

    verb: ClassVar[str] = "gate_check"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCheck:
    """What one rule can say.

    Attributes
    ----------
    rule, part, metric
        Which.
    threshold
        What it asks for, a share.
    confidence
        Two-sided level at which it is judged when all parts are open.
    n_cases
        Cases that it will have; ``None`` where they are not known.
    least_to_pass, least_to_fail
        Fewest cases with which it can pass, and fail, at all; ``None`` where no number is enough.
    hard_floor
        For a drop: fewest cases below which no rule whatever can tell total breaks from none.
    least_reps
        For a rule over the reps of each case: fewest runs with which one that never passes is found.
    can_pass, can_fail
        Whether it can with ``n_cases``; ``None`` where they are not known.
    pass_chance
        Chance to pass a candidate that is as good as the baseline, or as good as was expected; ``None`` where unknown.
    fail_chances
        Chance to fail by the size of a true drop, in shares as text: ``{"0.05": 0.41}``.
    seen_drop
        Smallest drop that fails with a chance of 80 %.
    fires_at, visible_rate
        For a rule over reps: most passes with which a case is found, and the true rate at which it is with 80 %.
    assumes
        What the chances rest on, in one sentence.
    """

    rule: RuleKind
    part: str
    metric: str
    threshold: float
    confidence: float
    n_cases: int | None
    least_to_pass: int | None = None
    least_to_fail: int | None = None
    hard_floor: int | None = None
    least_reps: int | None = None
    can_pass: bool | None = None
    can_fail: bool | None = None
    pass_chance: float | None = None
    fail_chances: dict[str, float] = field(default_factory=dict[str, float])
    seen_drop: float | None = None
    fires_at: int | None = None
    visible_rate: float | None = None
    assumes: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateCheckAnswer(ShownInNotebooks):
    """What the rules of a gate can see.

    Attributes
    ----------
    can_decide
        Whether every rule can pass and can fail; ``None`` where the number of cases is not known.
    rules
        What each rule can say.
    hard_floors
        Fewest cases by margin in shares as text, below which total breaks cannot be told from none.
    confidence, rules_from
        Two-sided level of the gate, and where its rules were read.
    n_cases, n_reps
        Cases and runs of each that are planned for; ``None`` where they are not known.
    range
        The possible range of the score that is judged first.
    notes
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the set is not registered.
    """

    verb: ClassVar[str] = "gate_check"
    can_decide: bool | None
    rules: tuple[RuleCheck, ...]
    hard_floors: dict[str, int]
    confidence: float
    rules_from: str
    n_cases: int | None
    n_reps: int | None
    range: ScoreRange
    notes: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: GateCheckRequest = field(default_factory=GateCheckRequest)

    def __str__(self) -> str:
        said = {None: "no cases named", True: "every rule can decide", False: "some rule can never decide"}
        return f"{said[self.can_decide]} ({count(len(self.rules), 'rule')})"
