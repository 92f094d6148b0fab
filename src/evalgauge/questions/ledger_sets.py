"""Questions about a ledger and the sets in it: make it, register, declare, check, hand it over."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from evalgauge.questions.counts import Count
from evalgauge.questions.ledger_parts import LedgerOptions, Promise
from evalgauge.questions.parts import ReadingOptions
from evalgauge.questions.units import Points, Share
from evalgauge.rules.displays import Display
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class InitRequest(LedgerOptions):
    """A wish for a new ledger."""

    verb: ClassVar[str] = "ledger_init"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitAnswer(ShownInNotebooks):
    """A new ledger.

    Attributes
    ----------
    place
        Where it is.
    head
        Hash of its first event.
    """

    verb: ClassVar[str] = "ledger_init"
    place: str
    head: str
    request: InitRequest = field(default_factory=InitRequest)

    def __str__(self) -> str:
        return f"new ledger: {self.place}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterOptions(ReadingOptions):
    """How to register a set.

    Attributes
    ----------
    name
        What to call the set; the task's name in the log when left out.
    task
        Which eval set (task) to register, when the log holds several.
    rate
        Expected rate of the candidates, such as 80%: the figures rest on it until scores are shown.
    note
        Anything worth keeping.
    ledger
        The ledger's file, or postgresql://user@host/database; the one in this folder or above it when left out.
    """

    name: str = ""
    task: str | None = None
    rate: Share | None = None
    note: str = ""
    ledger: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterRequest(RegisterOptions):
    """A set to register.

    Attributes
    ----------
    logs
        One log, table or folder that holds all of its cases. Its scores are not looked at.
    """

    verb: ClassVar[str] = "ledger_register"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterAnswer(ShownInNotebooks):
    """A set that was registered.

    Attributes
    ----------
    name, set_id
        Its name, and its name for good: the start of its Merkle root.
    n_cases, identity
        Its cases, and what they are known by: ``content``, or ``id``.
    is_generic
        Whether the ids are mere numbers, so that the set is known only where it is named.
    event
        Short hash of the event.
    related
        Sets that it shares cases with, in words.
    request
        What was asked.
    """

    verb: ClassVar[str] = "ledger_register"
    name: str
    set_id: str
    n_cases: int
    identity: str
    is_generic: bool
    event: str
    related: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    request: RegisterRequest = field(default_factory=RegisterRequest)

    def __str__(self) -> str:
        return f"registered {self.name}: {self.n_cases:,} cases, known by {self.identity}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareOptions(LedgerOptions):
    """What to promise before the first look.

    Attributes
    ----------
    looks
        At most so many looks. With it each look pays the same, which is cheaper than an open number.
    ships
        At most so many passes; the set retires on the last of them. 1 when left out.
    tolerance
        Optimism that is fine.
    display
        The most that a look may show: nothing, pass-fail, score-on-pass, rounded or exact. Commands that show more are
        refused.
    step
        For rounded: the step of the scores that are shown, such as 1pp.
    confidence
        Level over all looks, two-sided.
    """

    looks: Count | None = None
    ships: Count | None = None
    tolerance: Points = Points(0.02)  # noqa: RUF009 - Points are an immutable float
    display: Display | None = None
    step: Points | None = None
    confidence: Share = Share(0.95)  # noqa: RUF009 - a Share is an immutable float


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareRequest(DeclareOptions):
    """A promise about a set.

    Attributes
    ----------
    names
        The set; not needed where there is one only.
    """

    verb: ClassVar[str] = "ledger_declare"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclareAnswer(ShownInNotebooks):
    """A promise that was recorded.

    Attributes
    ----------
    name, n_cases, event
        The set, and the short hash of the event.
    promise
        What was declared.
    log_histories
        ln K: natural logarithm of the number of histories that every look pays for; ``None`` for an open number.
    look_confidence, z
        Level of each look, and the same in standard errors; of the first look in an open set.
    least_drop
        Smallest drop that the set's cases can rule out at that level, where no case changed, a share; ``None`` where
        they can rule out none.
    """

    verb: ClassVar[str] = "ledger_declare"
    name: str
    n_cases: int
    event: str
    promise: Promise
    log_histories: float | None
    look_confidence: float | None
    z: float | None
    least_drop: float | None
    request: DeclareRequest = field(default_factory=DeclareRequest)

    def __str__(self) -> str:
        looks = "an open number of looks" if self.promise.looks is None else f"at most {self.promise.looks:,} looks"
        return f"declared for {self.name}: {looks}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions(LedgerOptions):
    """What to check beside the chain.

    Attributes
    ----------
    head
        A hash, or the start of one, that was noted before: is it still in the chain? Cutting off the end of a ledger
        shows only so.
    """

    head: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRequest(CheckOptions):
    """A wish to see whether a ledger was touched."""

    verb: ClassVar[str] = "ledger_check"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """One thing that is wrong.

    Attributes
    ----------
    where
        The event or part, by place and name.
    what
        What is wrong with it.
    """

    where: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckAnswer(ShownInNotebooks):
    """Whether a ledger is whole.

    Attributes
    ----------
    place
        Where it is.
    is_whole
        Whether every hash holds.
    events, parts, merges
        How many were checked.
    head
        Hash of the last event: note it elsewhere, and a later check can say that nothing was cut off.
    broken
        What is wrong, the first broken link first.
    """

    verb: ClassVar[str] = "ledger_check"
    place: str
    is_whole: bool
    events: int
    parts: int
    merges: int
    head: str
    broken: tuple[Broken, ...] = ()
    request: CheckRequest = field(default_factory=CheckRequest)

    def __str__(self) -> str:
        return f"{self.place}: {'whole' if self.is_whole else 'BROKEN'}, {self.events:,} events, head {self.head}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions(LedgerOptions):
    """How to write an export.

    Attributes
    ----------
    overwrite
        Replace the output file if it exists.
    """

    overwrite: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRequest(ExportOptions):
    """A wish for the ledger as a file to hand over.

    Attributes
    ----------
    output
        File to write, JSON Lines.
    """

    verb: ClassVar[str] = "ledger_export"
    output: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportAnswer(ShownInNotebooks):
    """What was written.

    Attributes
    ----------
    output
        The file.
    events, parts, head
        What is in it, and the last event.
    """

    verb: ClassVar[str] = "ledger_export"
    output: str
    events: int
    parts: int
    head: str
    request: ExportRequest = field(default_factory=ExportRequest)

    def __str__(self) -> str:
        return f"wrote {self.output}: {self.events:,} events"


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRequest(LedgerOptions):
    """Exports of other copies of this ledger to take in.

    Attributes
    ----------
    files
        Exports. Where there is no ledger yet, the first one becomes it.
    """

    verb: ClassVar[str] = "ledger_merge"
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeAnswer(ShownInNotebooks):
    """What was taken in.

    Attributes
    ----------
    place
        The ledger.
    is_new
        Whether it was made from the export.
    added, known
        Events that were new here, and events that were here already.
    kind
        ``"nothing"`` new, ``"behind"``: this copy was behind and caught up, or ``"joined"``: both had gone on.
    side_by_side
        Sets that were looked at in both copies.
    head
        The last event now.
    """

    verb: ClassVar[str] = "ledger_merge"
    place: str
    is_new: bool
    added: int
    known: int
    kind: Literal["nothing", "behind", "joined"]
    side_by_side: tuple[str, ...]
    head: str
    request: MergeRequest = field(default_factory=MergeRequest)

    def __str__(self) -> str:
        return f"{self.place}: {self.added:,} events taken in, {self.known:,} known before"
