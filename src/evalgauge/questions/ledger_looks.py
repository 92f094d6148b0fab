"""Questions about looks: record one, import those of old logs, and replace cases."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

from evalgauge.questions.counts import Count
from evalgauge.questions.ledger_parts import Decision, Intent
from evalgauge.questions.parts import ReadingOptions
from evalgauge.questions.units import Points, ScoreRange, Share
from evalgauge.rules.displays import Display
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredLog(ReadingOptions):
    """Which scores of a log, and which ledger.

    Attributes
    ----------
    metric
        Which score to use, when a log holds several.
    task
        Which eval set (task) to use, when a log or folder holds several.
    arm
        Which system to use, when a log holds several.
    score_range
        Lowest and highest possible score, such as 0:100. Default 0:1.
    set_name
        The registered set, where it cannot be known by its cases.
    ledger
        The ledger's file, or postgresql://user@host/database; the one in this folder or above it when left out.
    """

    metric: str | None = None
    task: str | None = None
    arm: str | None = None
    score_range: ScoreRange | None = None
    set_name: str | None = None
    ledger: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LookOptions(ScoredLog):
    """What to say of a look.

    Attributes
    ----------
    display
        What to show: nothing (sealed until a reveal), rounded or exact. What was declared for the set when left out,
        and exact where nothing was.
    step
        For rounded: the step, such as 1pp.
    intent
        What the look is for: explore, gate, final or audit.
    label
        What to call the candidate; its name in the log when left out.
    reps
        How many runs of this candidate the look is for. Further runs of it then belong to this look.
    decision
        What was decided: ship, hold or iterate.
    parent
        A look that this candidate builds on.
    note
        Anything worth keeping.
    """

    display: Display | None = None
    step: Points | None = None
    intent: Intent = "explore"
    label: str = ""
    reps: Count = Count(1)  # noqa: RUF009 - a Count is an immutable int
    decision: Decision | None = None
    parent: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookRequest(LookOptions):
    """A look to record.

    Attributes
    ----------
    logs
        The log of one candidate.
    """

    verb: ClassVar[str] = "ledger_look"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAnswer(ShownInNotebooks):
    """A look that is in the ledger.

    Attributes
    ----------
    set_name, look, label
        The set, the short name of the look, and the candidate.
    is_new, is_rep
        Whether it was recorded now, and whether it belongs to a look that declared its reps before.
    display
        What it shows.
    score, step
        The score that is shown and its step, shares; ``None`` while it is sealed.
    n_cases, n_scored
        Cases of the set, and cases with a score.
    looks, left
        Looks that count by now, and how many are left (``None`` where they are no problem).
    known_as
        How the set was known again, where something about it had changed.
    """

    verb: ClassVar[str] = "ledger_look"
    set_name: str
    look: str
    label: str
    is_new: bool
    is_rep: bool
    display: Display
    score: float | None
    step: float | None
    n_cases: int
    n_scored: int
    looks: int
    left: int | None
    known_as: str
    problems: tuple[str, ...] = ()
    request: LookRequest = field(default_factory=LookRequest)

    def __str__(self) -> str:
        shown = "sealed" if self.score is None else f"{100 * self.score:.1f} %"
        return f"look {self.look} at {self.set_name}: {self.label}, {shown}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions(ReadingOptions):
    """How to import old logs.

    Attributes
    ----------
    display
        What was seen of them: exact when left out.
    metric
        Which score to use, when the logs hold several.
    score_range
        Lowest and highest possible score, such as 0:100. Default 0:1.
    register
        Register sets that the ledger does not know yet.
    ledger
        The ledger's file, or postgresql://user@host/database; the one in this folder or above it when left out.
    """

    display: Display = "exact"
    metric: str | None = None
    score_range: ScoreRange | None = None
    register: bool = False
    ledger: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRequest(ImportOptions):
    """Old logs to import as looks.

    Attributes
    ----------
    logs
        Folders and logs.
    """

    verb: ClassVar[str] = "ledger_import"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSet:
    """What an import found of one set.

    Attributes
    ----------
    name
        The registered set, or what the logs call it.
    is_registered
        Whether the ledger knows it.
    added, known
        Looks that were added, and results that were in the ledger before.
    example
        A log of it.
    """

    name: str
    is_registered: bool
    added: int
    known: int
    example: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportAnswer(ShownInNotebooks):
    """What an import brought.

    Attributes
    ----------
    added, known
        Looks that were added, and results that were in the ledger before.
    sets
        The same by set.
    unread
        Files that could not be read, with the reason.
    """

    verb: ClassVar[str] = "ledger_import"
    added: int
    known: int
    sets: tuple[ImportedSet, ...]
    unread: tuple[str, ...] = ()
    request: ImportRequest = field(default_factory=ImportRequest)

    def __str__(self) -> str:
        return f"{self.added:,} looks imported, {self.known:,} known before"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshOptions(ReadingOptions):
    """How to replace cases.

    Attributes
    ----------
    share
        Share of the cases to replace, such as 50%: they are drawn at random. Left out for the second step, when the log
        of the refreshed set is there.
    seed
        Seed of the draw; one at random when left out. It is recorded.
    task
        Which eval set (task), when the log holds several.
    ledger
        The ledger's file, or postgresql://user@host/database; the one in this folder or above it when left out.
    """

    share: Share | None = None
    seed: Count | None = None
    task: str | None = None
    ledger: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshRequest(RefreshOptions):
    """A refresh of a set.

    Attributes
    ----------
    logs
        A log of the set as it is (with a share), or of the refreshed set. Its scores are not looked at.
    output
        File for the ids of the cases to replace, one a line.
    """

    verb: ClassVar[str] = "ledger_refresh"
    logs: tuple[str, ...] = ()
    output: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshAnswer(ShownInNotebooks):
    """A step of a refresh.

    Attributes
    ----------
    set_name
        The set.
    step
        ``"drawn"``: these cases go; ``"done"``: the new ones are in.
    share, seed
        Share that is replaced, and the seed of the draw.
    n_cases, n_retired, n_added
        Cases of the set (by now), cases that go, and cases that came.
    retired
        Ids of the cases that go.
    spent_before, spent_after
        Looks that counted before, and that will count (or count now) once the cases are replaced.
    left
        Looks left then; ``None`` where they are no problem.
    """

    verb: ClassVar[str] = "ledger_refresh"
    set_name: str
    step: Literal["drawn", "done"]
    share: float
    seed: int
    n_cases: int
    n_retired: int
    n_added: int
    retired: tuple[str, ...]
    spent_before: float
    spent_after: float
    left: int | None
    request: RefreshRequest = field(default_factory=RefreshRequest)

    def __str__(self) -> str:
        return f"{self.set_name}: {self.n_retired:,} cases {'to replace' if self.step == 'drawn' else 'replaced'}"
