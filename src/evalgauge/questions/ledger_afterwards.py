"""Questions about looks that were recorded: decide on them, show their sealed scores, declare them void."""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.ledger_parts import LedgerOptions
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideOptions(LedgerOptions):
    """What to say of a decision.

    Attributes
    ----------
    note
        Anything worth keeping.
    """

    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideRequest(DecideOptions):
    """A decision on a look.

    Attributes
    ----------
    names
        The look, and the decision: ship, hold or iterate.
    """

    verb: ClassVar[str] = "ledger_decide"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DecideAnswer(ShownInNotebooks):
    """A decision that was recorded.

    Attributes
    ----------
    set_name, look, label, decision
        The set, the look, the candidate, and what was decided.
    """

    verb: ClassVar[str] = "ledger_decide"
    set_name: str
    look: str
    label: str
    decision: str
    request: DecideRequest = field(default_factory=DecideRequest)

    def __str__(self) -> str:
        return f"{self.label} (look {self.look}): {self.decision}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealRequest(LedgerOptions):
    """Sealed scores to show.

    Attributes
    ----------
    names
        Looks. Each counts as a look that shows an exact score.
    """

    verb: ClassVar[str] = "ledger_reveal"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealedScore:
    """A score that was sealed.

    Attributes
    ----------
    look, label
        The look and the candidate.
    was_sealed
        Whether this reveal was the first to show it.
    score
        The score, a share.
    low, high
        Plain interval of one look, shares; ``None`` for scores that are no single pass or fail a case.
    certified_low
        Lower bound that holds whatever was tuned on the displays, a share; ``None`` where nothing can be certified.
    confidence
        Level, two-sided.
    n_scored
        Cases behind it.
    """

    look: str
    label: str
    was_sealed: bool
    score: float
    low: float | None
    high: float | None
    certified_low: float | None
    confidence: float
    n_scored: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealAnswer(ShownInNotebooks):
    """Scores that were sealed.

    Attributes
    ----------
    set_name
        The set.
    scores
        One entry per look.
    looks, left
        Looks that count by now, and how many are left (``None`` where they are no problem).
    """

    verb: ClassVar[str] = "ledger_reveal"
    set_name: str
    scores: tuple[RevealedScore, ...]
    looks: int
    left: int | None
    request: RevealRequest = field(default_factory=RevealRequest)

    def __str__(self) -> str:
        return "; ".join(f"{one.label} {100 * one.score:.1f} %" for one in self.scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidOptions(LedgerOptions):
    """Why something is void.

    Attributes
    ----------
    reason
        Why; it stays in the history.
    """

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidRequest(VoidOptions):
    """A look, or the draw of a refresh, that is not to count.

    Attributes
    ----------
    names
        The look, or the set whose refresh is to be begun anew.
    """

    verb: ClassVar[str] = "ledger_void"
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VoidAnswer(ShownInNotebooks):
    """Something that no longer counts.

    Attributes
    ----------
    set_name, what, reason
        The set, what is void, and why.
    was_shown
        Whether something had been shown: then it still counts against claims.
    """

    verb: ClassVar[str] = "ledger_void"
    set_name: str
    what: str
    reason: str
    was_shown: bool
    request: VoidRequest = field(default_factory=VoidRequest)

    def __str__(self) -> str:
        return f"void: {self.what} of {self.set_name}"
