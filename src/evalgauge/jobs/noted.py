"""Looks that record themselves: before a score of a registered set is shown, the ledger knows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from evalgauge.errors import LedgerError
from evalgauge.ledger.places import found_place
from evalgauge.questions.parts import LedgerNote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.rules.displays import Display


class LedgerChoice(Protocol):
    """A request that says which ledger to use, or none."""

    @property
    def ledger(self) -> str | None:
        """The ledger that was named."""
        ...

    @property
    def no_ledger(self) -> bool:
        """Whether nothing is to be recorded."""
        ...


def noted(asked: LedgerChoice, arms: Sequence[Arm], *, display: Display, verb: str) -> tuple[LedgerNote | None, ...]:
    """Record that scores of these arms are about to be shown, where their sets are registered.

    Parameters
    ----------
    asked
        Which ledger, or none.
    arms
        Whose scores will be seen.
    display
        What will be seen of them.
    verb
        The command that shows them.

    Returns
    -------
    tuple
        What to say beside each arm; ``None`` where its set is not registered.

    Raises
    ------
    LedgerError
        If the look cannot be recorded, or shows more than was declared for the set.
    """
    if asked.no_ledger:
        return (LedgerNote(state="off"),) * len(arms)
    place = found_place(asked.ledger)
    if place is None:
        return (None,) * len(arms)
    from evalgauge.jobs.looks import noted_look  # noqa: PLC0415 - most questions are asked where no ledger is
    from evalgauge.ledger.store import opened  # noqa: PLC0415 - same

    try:
        ledger = opened(place)
        return tuple(noted_look(ledger, arm, display, verb) for arm in arms)
    except LedgerError as error:
        raise LedgerError(
            f"The look is not recorded, so no score is shown: {error} To see it without a record say --no-ledger, and "
            "the answer says so."
        ) from error


def last_noted(asked: LedgerChoice, arms: Sequence[Arm], *, display: Display, verb: str) -> LedgerNote | None:
    """Record looks as ``noted`` does, and return the last new one, which says how worn the set is by then."""
    notes = [note for note in noted(asked, arms, display=display, verb=verb) if note is not None]
    new = [note for note in notes if note.state == "recorded"]
    return (new or notes)[-1] if notes else None
