"""How worn are the sets of a ledger, and what happened to one?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalgauge.jobs.ledger_access import chosen_set, only_set, open_ledger
from evalgauge.jobs.wear import basis_of, correlation_of, set_row, spent_looks, wear_card
from evalgauge.ledger.chain import SHORT
from evalgauge.ledger.state import in_time, set_states
from evalgauge.questions.ledger_cards import HistoryAnswer, HistoryRequest, StatusAnswer, StatusRequest
from evalgauge.questions.ledger_parts import LookRow, SetRow, WearCard

if TYPE_CHECKING:
    from evalgauge.jobs.wear import Basis
    from evalgauge.ledger.chain import Event
    from evalgauge.ledger.records import Look, SetState


def ledger_status(*names: str, ledger: str | None = None) -> StatusAnswer:
    """Say how worn the sets of a ledger are, how many looks are left, what may be claimed, and what to do next.

    Parameters
    ----------
    *names
        Sets; all when left out.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    StatusAnswer
        One card per set.

    Raises
    ------
    LedgerError
        When there is no ledger, or no such set.

    Examples
    --------
    >>> import evalgauge as eg, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = eg.ledger_init(ledger=f"{folder}/ledger.db").place
    ...     print(eg.ledger_status(ledger=place))
    no set
    """
    return status_answer(StatusRequest(names=names, ledger=ledger))


def status_answer(request: StatusRequest) -> StatusAnswer:
    """Return the answer to a request."""
    ledger = open_ledger(request.ledger)
    with ledger.reading() as reading:
        known = set_states(reading.events(kinds=("register",)))
        names = list(dict.fromkeys(request.names))
        several = not names and len(known) > 1
        cards, rows = list[WearCard](), list[SetRow]()
        if several:
            rows = [set_row(state) for state in set_states(reading.events()).values()]
        else:
            merges = reading.events(kinds=("merge",))
            for one in [chosen_set(known, name) for name in names] or known.values():
                state = set_states(reading.events(subject=one.id))[one.id]
                cards.append(wear_card(reading, state, salt=ledger.salt, merges=merges))
        return StatusAnswer(
            place=ledger.place.shown,
            events=reading.size(),
            head=reading.head().hash[:SHORT],
            cards=tuple(cards),
            sets=tuple(rows),
            request=request,
        )


def ledger_history(*names: str, ledger: str | None = None) -> HistoryAnswer:
    """Say what happened to a set, and how its wear grew.

    Parameters
    ----------
    *names
        The set; not needed where there is one only.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    HistoryAnswer
        One row per event.

    Raises
    ------
    LedgerError
        When there is no ledger, or no such set.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_history("support")  # doctest: +SKIP
    """
    return history_answer(HistoryRequest(names=names, ledger=ledger))


def history_answer(request: HistoryRequest) -> HistoryAnswer:
    """Return the answer to a request."""
    ledger = open_ledger(request.ledger)
    with ledger.reading() as reading:
        one = only_set(set_states(reading.events(kinds=("register",))), request.names, "history")
        events = in_time(reading.events(subject=one.id))
        state = set_states(events)[one.id]
        basis = basis_of(state, correlation=correlation_of(reading, state, ledger.salt))
    return HistoryAnswer(
        name=state.name,
        n_cases=state.present.n,
        tolerance=basis.tolerance,
        budget=basis.budget(),
        rows=_rows(state, events, basis),
        request=request,
    )


def _rows(state: SetState, events: list[Event], basis: Basis) -> tuple[LookRow, ...]:
    looks = {look.event.hash: look for look in state.looks}
    after = iter(spent_looks(state))
    spent = 0.0
    rows: list[LookRow] = []
    for event in events:
        if event.kind in {"look", "reveal", "add"}:
            spent = next(after)
        optimism = basis.optimism_after(spent)
        if event.kind == "look":
            rows.append(_look_row(looks[event.hash], spent, optimism))
            continue
        rows.append(
            LookRow(
                at=event.at,
                actor=event.actor,
                kind=event.kind,
                id=event.hash[:SHORT],
                note=_words(event, looks),
                spent=spent,
                optimism=optimism,
            )
        )
    return tuple(rows)


def _look_row(look: Look, spent: float, optimism: float) -> LookRow:
    data = look.data
    return LookRow(
        at=data.happened or look.event.at,
        actor=look.event.actor,
        kind="look",
        id=look.id,
        label=look.label,
        display=look.display,
        intent=data.intent,
        passed=look.passed,
        score=data.score,
        is_void=look.is_void,
        decision=look.decision or "",
        note=look.reason
        if look.is_void
        else "; ".join(filter(None, (data.rule and f"asked for {data.rule}", data.note))),
        spent=spent,
        optimism=optimism,
    )


def _words(event: Event, looks: dict[str, Look]) -> str:
    """Return what an event says, in words."""
    data = event.data
    if event.kind == "declare":
        return _promise_words(data)
    if event.kind == "decision":
        return f"{_look_words(data['look'], looks)}: {data['decision']}"
    if event.kind == "reveal":
        return "exact scores of " + ", ".join(_look_words(name, looks) for name in data["looks"])
    if event.kind == "retire":
        chosen = " (chosen by hand)" if data["seed_chosen"] else ""
        return f"{data['n_retired']:,} cases drawn by seed {data['seed']}{chosen}"
    if event.kind in {"register", "add"}:
        return f"{data['n']:,} cases" + (f", {data['n_added']:,} of them new" if "n_added" in data else "")
    return f"{_look_words(data['target'], looks)}: {data['reason']}"


def _look_words(name: str, looks: dict[str, Look]) -> str:
    label = f"{looks[name].label}, " if name in looks else ""
    return f"{label}{name[:SHORT]}"


def _promise_words(data: dict[str, Any]) -> str:
    looks = "an open number of looks" if data["looks"] is None else f"at most {data['looks']:,} looks"
    ships = "" if data["ships"] is None else f", passes at most {data['ships']:,}"
    shown = "" if data["display"] is None else f", showing {data['display']} at most"
    return f"{looks}{ships}{shown}; tolerance {100 * data['tolerance']:g} points"
