"""The ledger that a question is about, and the set in it that people mean."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from evalgauge.errors import LedgerError
from evalgauge.ledger.places import found_place
from evalgauge.ledger.prints import kept_sketches, set_print, set_sketches, stored_hashes, stored_sketches
from evalgauge.ledger.recognition import LEAST_SHARE, KnownSet, near_relation, relation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalgauge.ledger.prints import SetPrint
    from evalgauge.ledger.recognition import Relation
    from evalgauge.ledger.records import Look, SetState, Version
    from evalgauge.ledger.store import Ledger, Reading
    from evalgauge.scores.identity import CaseView

_SHOWN_NAMES = 6


def open_ledger(named: str | None) -> Ledger:
    """Return the ledger that was named, or the one that is found.

    Raises
    ------
    LedgerError
        If there is none.
    """
    if (ledger := ledger_if_any(named)) is None:
        raise LedgerError("There is no ledger in this folder or above it. Say: evalgauge ledger init")
    return ledger


def ledger_if_any(named: str | None) -> Ledger | None:
    """Return the ledger that was named, or the one that is found; ``None`` where there is none."""
    place = found_place(named)
    if place is None:
        return None
    from evalgauge.ledger.store import opened  # noqa: PLC0415 - the database library is loaded when there is a ledger

    return opened(place)


def chosen_set(states: Mapping[str, SetState], name: str) -> SetState:
    """Return the set of this name or id.

    Raises
    ------
    LedgerError
        If none has it, or two have.
    """
    found = [state for state in states.values() if state.name == name]
    found = found or [state for state in states.values() if len(name) >= 4 and state.id.startswith(name)]
    if len(found) == 1:
        return found[0]
    if found:
        ids = ", ".join(state.id for state in found)
        raise LedgerError(f"Two sets are called {name}, which came here by a merge. Say the id of one: {ids}.")
    if not states:
        raise LedgerError("No set is registered yet. Say: evalgauge ledger register LOG --name NAME")
    names = [state.name for state in states.values()]
    close = get_close_matches(name, names, n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise LedgerError(f"No set is called {name}; there is {_some(names)}.{hint}")


def only_set(states: Mapping[str, SetState], names: Iterable[str], verb: str) -> SetState:
    """Return the one set that a command is about: the named one, or the only one there is.

    Raises
    ------
    LedgerError
        If none or several are meant.
    """
    wanted = list(names)
    if len(wanted) == 1:
        return chosen_set(states, wanted[0])
    if not wanted and len(states) == 1:
        return next(iter(states.values()))
    if not states:
        return chosen_set(states, "")
    listed = _some([state.name for state in states.values()])
    raise LedgerError(f"Name one set: evalgauge ledger {verb} SET. There is {listed}.")


def chosen_look(states: Iterable[SetState], name: str) -> tuple[SetState, Look]:
    """Return the look whose hash starts so, and its set.

    Raises
    ------
    LedgerError
        If none or several do.
    """
    found = [
        (state, look) for state in states for look in state.looks if len(name) >= 4 and look.event.hash.startswith(name)
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise LedgerError(f"Several looks start with {name}. Say more digits; evalgauge ledger history SET lists them.")
    raise LedgerError(f"No look is called {name}. Say four digits of its name or more: evalgauge ledger history SET")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recognised:
    """A log's set, known again.

    Attributes
    ----------
    state
        The registered set.
    relation
        What the log's cases are to it.
    """

    state: SetState
    relation: Relation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Matches:
    """What of a ledger is in a log.

    Attributes
    ----------
    best
        The set that the log is of; ``None`` where fewer than half of its cases are those of any.
    others
        Further sets that hold half of its cases or more.
    contained
        Sets that are wholly in the log, but make up less than half of it.
    """

    best: Recognised | None
    others: tuple[Recognised, ...]
    contained: tuple[Recognised, ...]


def matches(
    reading: Reading,
    states: Mapping[str, SetState],
    view: CaseView,
    found: SetPrint,
    *,
    salt: bytes,
    is_named: bool = False,
) -> Matches:
    """Return which registered sets a log's cases are, by equal content, by input, by near text, or by id.

    Parameters
    ----------
    reading
        The ledger.
    states
        Its sets.
    view, found
        The log's cases and their print.
    salt
        The ledger's.
    is_named
        Whether somebody said which set it is.
    """
    related = {name: relation(found, known_set(reading, state), is_named=is_named) for name, state in states.items()}
    if not any(one is not None and one.matched == min(one.n_new, one.n_known) for one in related.values()):
        related |= _near(reading, states, view, found, salt)
    pairs = [Recognised(state=states[name], relation=one) for name, one in related.items() if one is not None]
    held = sorted((pair for pair in pairs if pair.relation.share >= LEAST_SHARE), key=_rank, reverse=True)
    contained = tuple(pair for pair in pairs if pair.relation.kind == "superset" and pair not in held)
    return Matches(best=held[0] if held else None, others=tuple(held[1:]), contained=contained)


def known_set(reading: Reading, state: SetState, version: Version | None = None) -> KnownSet:
    """Return the cases of a registered set: the present ones, or those of one version."""
    version = version or state.present
    case, asked = stored_hashes(reading.blob(version.hashes))
    return KnownSet(
        case=case,
        asked=asked,
        identity=state.identity,
        root=version.root,
        order=version.order,
        name=state.log_name,
        is_generic=state.is_generic,
    )


def printed(ledger: Ledger, view: CaseView, name: str) -> tuple[SetPrint, bytes | None]:
    """Return a set's print and the sketches to keep of it."""
    found = set_print(view, salt=ledger.salt, name=name)
    return found, kept_sketches(view, found, salt=ledger.salt)


def _near(
    reading: Reading, states: Mapping[str, SetState], view: CaseView, found: SetPrint, salt: bytes
) -> dict[str, Relation | None]:
    if found.identity == "id" or not any(view.fingerprints.texts):
        return {}
    texts = None
    related: dict[str, Relation | None] = {}
    for name, state in states.items():
        if state.present.sketches is None:
            continue
        texts = texts or set_sketches(view, salt=salt)
        kept = stored_sketches(reading.blob(state.present.sketches))
        near = near_relation(found, known_set(reading, state), texts, kept)
        if near is not None:
            related[name] = near
    return related


def _rank(pair: Recognised) -> tuple[float, str]:
    return pair.relation.likeness, pair.state.registered.at


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN_NAMES:,} more" if len(names) > _SHOWN_NAMES else ""
    return ", ".join(names[:_SHOWN_NAMES]) + more
