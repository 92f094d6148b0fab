"""Questions to a ledger: how worn are the sets, what happened, may this candidate pass?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.ledger_parts import LedgerOptions, LookRow, SetRow, WearCard
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusRequest(LedgerOptions):
    """How worn are the sets?

    Attributes
    ----------
    names
        Sets; all when left out.
    """

    verb: ClassVar[str] = "ledger_status"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusAnswer(ShownInNotebooks):
    """How worn the sets of a ledger are.

    Attributes
    ----------
    place, events, head
        The ledger, how many events it holds, and the last one.
    cards
        One per set that was named; that of the only set.
    sets
        A row per set, where there are several and none was named.
    """

    verb: ClassVar[str] = "ledger_status"
    place: str
    events: int
    head: str
    cards: tuple[WearCard, ...]
    sets: tuple[SetRow, ...] = ()
    request: StatusRequest = field(default_factory=StatusRequest)

    def __str__(self) -> str:
        known = [f"{one.name}: {one.action}, {one.looks:,} looks" for one in (*self.cards, *self.sets)]
        return "; ".join(known) or "no set"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRequest(LedgerOptions):
    """What happened to a set?

    Attributes
    ----------
    names
        The set; not needed where there is one only.
    """

    verb: ClassVar[str] = "ledger_history"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryAnswer(ShownInNotebooks):
    """What happened to a set, in time.

    Attributes
    ----------
    name, n_cases
        The set.
    tolerance, budget
        Optimism that is fine, a share, and the looks that it bears; ``None`` where they are no problem.
    rows
        One per event.
    """

    verb: ClassVar[str] = "ledger_history"
    name: str
    n_cases: int
    tolerance: float
    budget: int | None
    rows: tuple[LookRow, ...]
    request: HistoryRequest = field(default_factory=HistoryRequest)

    def __str__(self) -> str:
        return f"{self.name}: {len(self.rows):,} events"
