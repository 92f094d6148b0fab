"""Looks that were recorded: decide on one, show its sealed score, declare it void."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError, LedgerError
from evalgauge.jobs.ledger_access import chosen_look, chosen_set, open_ledger
from evalgauge.jobs.wear import basis_of, certified_of
from evalgauge.ledger.chain import SHORT
from evalgauge.ledger.seals import unsealed
from evalgauge.ledger.state import set_states
from evalgauge.questions.ledger_afterwards import (
    DecideAnswer,
    DecideRequest,
    RevealAnswer,
    RevealedScore,
    RevealRequest,
    VoidAnswer,
    VoidRequest,
)
from evalgauge.stats.proportion import wilson_interval

if TYPE_CHECKING:
    from evalgauge.ledger.records import Look, SetState

DECISIONS = ("ship", "hold", "iterate")


def ledger_decide(*names: str, note: str = "", ledger: str | None = None) -> DecideAnswer:
    """Record what was decided on a look.

    Parameters
    ----------
    *names
        The look, and the decision: ``"ship"``, ``"hold"`` or ``"iterate"``.
    note
        Anything worth keeping.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    DecideAnswer
        The look and the decision.

    Raises
    ------
    ArgumentError
        When the decision is none of these.
    LedgerError
        When there is no such look.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_decide("3f2a9c01de", "ship")  # doctest: +SKIP
    """
    return decide_answer(DecideRequest(names=names, note=note, ledger=ledger))


def decide_answer(request: DecideRequest) -> DecideAnswer:
    """Return the answer to a request."""
    if len(request.names) != 2 or request.names[1] not in DECISIONS:
        came = " ".join(request.names) or "nothing"
        raise ArgumentError("names", came, "a look and ship, hold or iterate", "Say: evalgauge ledger decide LOOK ship")
    name, decision = request.names
    ledger = open_ledger(request.ledger)
    with ledger.writing() as writing:
        state, look = chosen_look(set_states(writing.events()).values(), name)
        data = {"look": look.event.hash, "decision": decision, "note": request.note}
        writing.append("decision", data, subject=state.id)
    return DecideAnswer(set_name=state.name, look=look.id, label=look.label, decision=decision, request=request)


def ledger_reveal(*names: str, ledger: str | None = None) -> RevealAnswer:
    """Show sealed scores. Each counts as a look that shows an exact score.

    Parameters
    ----------
    *names
        Looks, by their names or the first digits of them.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    RevealAnswer
        The scores with the lower bounds that still hold.

    Raises
    ------
    LedgerError
        When there is no such look, or the looks are at several sets.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_reveal("3f2a9c01de")  # doctest: +SKIP
    """
    return reveal_answer(RevealRequest(names=names, ledger=ledger))


def reveal_answer(request: RevealRequest) -> RevealAnswer:
    """Return the answer to a request."""
    if not request.names:
        raise ArgumentError("names", "nothing", "one or more looks", "evalgauge ledger history SET lists them.")
    ledger = open_ledger(request.ledger)
    with ledger.writing() as writing:
        states = set_states(writing.events())
        chosen = [chosen_look(states.values(), name) for name in dict.fromkeys(request.names)]
        ids = {state.id for state, _ in chosen}
        if len(ids) > 1:
            raise LedgerError("These looks are at different sets. Reveal one set at a time.")
        before = chosen[0][0]
        fresh = [look for _, look in chosen if look.data.score is None and not look.is_revealed]
        if fresh:
            writing.append("reveal", {"looks": [look.event.hash for look in fresh]}, subject=before.id)
        after = set_states(writing.events(subject=before.id))[before.id]
    basis = basis_of(after)
    return RevealAnswer(
        set_name=before.name,
        scores=tuple(_revealed(before, look, look in fresh, ledger.salt) for _, look in chosen),
        looks=math.ceil(basis.spent - 1e-9),
        left=basis.left(),
        request=request,
    )


def ledger_void(*names: str, reason: str = "", ledger: str | None = None) -> VoidAnswer:
    """Declare a look void, or the draw of a refresh that is to be begun anew. It stays in the history.

    Parameters
    ----------
    *names
        The look, or the set whose draw is void.
    reason
        Why.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    VoidAnswer
        What no longer counts.

    Raises
    ------
    ArgumentError
        When no reason is given.
    LedgerError
        When there is no such look or draw.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_void("3f2a9c01de", reason="the log was of another model")  # doctest: +SKIP
    """
    return void_answer(VoidRequest(names=names, reason=reason, ledger=ledger))


def void_answer(request: VoidRequest) -> VoidAnswer:
    """Return the answer to a request."""
    if len(request.names) != 1:
        raise ArgumentError("names", " ".join(request.names) or "nothing", "one look, or one set with a draw")
    if not request.reason.strip():
        raise ArgumentError("reason", "nothing", "why it is void, in words; it stays in the history")
    (name,) = request.names
    ledger = open_ledger(request.ledger)
    with ledger.writing() as writing:
        states = set_states(writing.events())
        if any(name == state.name for state in states.values()):
            state = chosen_set(states, name)
            if state.draw is None:
                raise LedgerError(
                    f"{name} is a set without a draw that waits for its new cases. Name a look to void it."
                )
            target, what, was_shown = state.draw.event.hash, "the draw of a refresh", False
        else:
            state, look = chosen_look(states.values(), name)
            if look.is_void:
                raise LedgerError(f"Look {look.id} is void already: {look.reason}")
            target, what, was_shown = look.event.hash, f"look {look.id} ({look.label})", look.is_shown
        writing.append("void", {"target": target, "reason": request.reason}, subject=state.id)
    return VoidAnswer(set_name=state.name, what=what, reason=request.reason, was_shown=was_shown, request=request)


def _revealed(state: SetState, look: Look, was_sealed: bool, salt: bytes) -> RevealedScore:  # noqa: FBT001 - inner
    sealed_score = look.data.sealed
    score = unsealed(sealed_score, salt=salt)["score"] if sealed_score else look.data.score or 0.0
    n, confidence = look.data.n_scored, state.promise.confidence
    plain = wilson_interval(round(score * n), n, confidence=confidence) if look.data.is_pass_fail else None
    return RevealedScore(
        look=look.event.hash[:SHORT],
        label=look.label,
        was_sealed=was_sealed,
        score=score,
        low=None if plain is None else plain.low,
        high=None if plain is None else plain.high,
        certified_low=certified_of(look, state, score),
        confidence=confidence,
        n_scored=n,
    )
