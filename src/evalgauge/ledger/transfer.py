"""A ledger as a file that can be handed over, and two copies that went on apart from each other brought together."""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from evalgauge.errors import LedgerError
from evalgauge.ledger.chain import parsed_event
from evalgauge.ledger.checks import checked_chain, named_parts
from evalgauge.ledger.store import created, opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalgauge.ledger.chain import Event
    from evalgauge.ledger.places import Place
    from evalgauge.ledger.store import Ledger, Writing

FORM = 1
_LOOKS = ("look", "reveal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """A ledger that was read from a file.

    Attributes
    ----------
    name, salt
        The ledger's.
    events
        In an order in which each follows those that it names.
    parts
        Bytes by digest.
    """

    name: str
    salt: bytes
    events: tuple[Event, ...]
    parts: dict[str, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What a merge did.

    Attributes
    ----------
    added, known
        Events that were new here, and that were here before.
    kind
        ``"nothing"`` new, ``"behind"``: this copy only had to catch up, or ``"joined"``: both had gone on.
    side_by_side
        Ids of the sets that were looked at in both copies.
    """

    added: int
    known: int
    kind: Literal["nothing", "behind", "joined"]
    side_by_side: tuple[str, ...]


def exported_lines(ledger: Ledger) -> Iterator[str]:
    """Yield a ledger as JSON Lines: what it is, its parts, its events."""
    with ledger.reading() as reading:
        events = reading.events()
        head = {"evalgauge_ledger": FORM, "ledger": ledger.name, "salt": ledger.salt.hex(), "events": len(events)}
        yield json.dumps(head) + "\n"
        for digest, data in reading.blobs():
            yield json.dumps({"part": digest, "data": base64.b64encode(data).decode()}) + "\n"
        for event in events:
            yield json.dumps({"event": event.hash, "body": event.body}) + "\n"


def read_export(lines: Iterable[str], file: str) -> Exported:
    """Return the ledger of an export.

    Parameters
    ----------
    lines
        The lines of the file.
    file
        Its name, for messages.

    Raises
    ------
    LedgerError
        If it is no export, is cut off, or a hash does not hold: nothing of it is taken in then.
    """
    records = _records(lines, file)
    head = next(records, dict[str, Any]())
    if head.get("evalgauge_ledger") != FORM:
        newer = "it was written by a newer evalgauge" if "evalgauge_ledger" in head else "it is no export of a ledger"
        raise LedgerError(f"{file}: {newer}. Exports are made by: evalgauge ledger export -o ledger.jsonl")
    rows: list[tuple[int, str, str, str, str]] = []
    events: list[Event] = []
    parts: dict[str, bytes] = {}
    try:
        salt = bytes.fromhex(head["salt"])
        for record in records:
            if "part" in record:
                parts[record["part"]] = base64.b64decode(record["data"], validate=True)
            else:
                event = parsed_event(record["body"], record["event"])
                rows.append((len(rows), event.hash, event.body, event.kind, event.subject))
                events.append(event)
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise LedgerError(
            f"{file}: record {len(rows) + len(parts) + 2} was changed or cut off. Export again."
        ) from error
    if len(events) != head.get("events"):
        raise LedgerError(f"{file}: it says {head.get('events')} events and holds {len(events)}. Export again.")
    checked = checked_chain(rows, parts.items(), name=head["ledger"], salt=salt)
    if checked.faults:
        first = checked.faults[0]
        raise LedgerError(f"{file}: {first.where}: {first.what} Nothing was taken in.")
    return Exported(name=head["ledger"], salt=salt, events=tuple(events), parts=parts)


def merged(ledger: Ledger, other: Exported) -> Merged:
    """Take in what another copy of this ledger has and this one has not; nothing is lost, and twice is once.

    Parameters
    ----------
    ledger
        This copy.
    other
        The other one.

    Raises
    ------
    LedgerError
        If it is no copy of this ledger.
    """
    if (other.name, other.salt) != (ledger.name, ledger.salt):
        raise LedgerError(
            f"That is another ledger ({other.name}, and this is {ledger.name}): their salts differ, so their sets "
            "cannot be told apart. Copies are made by evalgauge ledger merge FILE where there is no ledger yet."
        )
    with ledger.writing() as writing:
        here = {event.hash: event for event in writing.events()}
        new = [event for event in other.events if event.hash not in here]
        theirs = {event.hash for event in other.events}
        ours = [event for name, event in here.items() if name not in theirs]
        head = writing.head()
        _take_over(writing, other, new)
        known = len(other.events) - len(new)
        if not new:
            return Merged(added=0, known=known, kind="nothing", side_by_side=())
        if not ours:
            return Merged(added=len(new), known=known, kind="behind", side_by_side=())
        return _joined(writing, head, new, ours, known)


def copied(place: Place, other: Exported) -> Ledger:
    """Make a ledger that is a copy of an exported one."""
    ledger = created(place, salt=other.salt, name=other.name, begin=False)
    with ledger.writing() as writing:
        _take_over(writing, other, other.events)
    return opened(place)


def _joined(writing: Writing, head: Event, new: list[Event], ours: list[Event], known: int) -> Merged:
    mine, his = _looks(ours), _looks(new)
    both = tuple(name for name in mine if name in his)
    # One event follows both ends, so that the next one follows everything.
    writing.append("merge", {"ours": dict(mine), "theirs": dict(his)}, merges=new[-1], after=head)
    return Merged(added=len(new), known=known, kind="joined", side_by_side=both)


def _looks(events: Iterable[Event]) -> Counter[str]:
    return Counter(event.subject for event in events if event.kind in _LOOKS)


def _take_over(writing: Writing, other: Exported, new: Iterable[Event]) -> None:
    events = list(new)
    for digest in dict.fromkeys(named_parts(events)):
        writing.keep(other.parts[digest])
    for event in events:
        writing.take_over(event)


def _records(lines: Iterable[str], file: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise LedgerError(
                f"{file}: line {number} is no JSON: the file is damaged or cut off. Export again."
            ) from error
        if not isinstance(record, dict):
            raise LedgerError(f"{file}: line {number} is no record of an export. Export again.")
        yield record
