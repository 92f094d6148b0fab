"""Is the chain whole? Every hash is computed again, and every link followed, from the first event on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalgauge.ledger.chain import SHORT, body_hash, parsed_event

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalgauge.ledger.chain import Event

_PARTS = ("hashes", "sketches", "results", "retired")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that is wrong.

    Attributes
    ----------
    where
        The event or part.
    what
        What is wrong with it, as a sentence.
    """

    where: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a check found.

    Attributes
    ----------
    events, parts, merges
        How many there are.
    head
        Hash of the last event.
    faults
        What is wrong, in the order of the chain.
    """

    events: int
    parts: int
    merges: int
    head: str
    faults: tuple[Fault, ...]


def checked_chain(
    rows: Iterable[tuple[int, str, str, str, str]],
    parts: Iterable[tuple[str, bytes]],
    *,
    name: str,
    salt: bytes,
) -> Checked:
    """Return what is wrong with a ledger, the first broken link first.

    Parameters
    ----------
    rows
        Place, hash, body, kind and subject of every event, in order.
    parts
        Digest and bytes of everything that events name.
    name, salt
        The ledger's, as it is kept beside the chain.
    """
    walk = _Walk(name=name, salt=salt)
    for place, (at, kept, body, kind, subject) in enumerate(rows):
        walk.step(place, at, kept, body, kind, subject)
    walk.end()
    found = {digest: hashlib.sha256(data).hexdigest() == digest for digest, data in parts}
    walk.faults += [
        Fault(where=f"part {digest[:SHORT]}", what="its bytes are not those that were kept under this name.")
        for digest, is_whole in found.items()
        if not is_whole
    ]
    walk.faults += [
        Fault(where=where, what=f"the part {digest[:SHORT]} that it names is missing.")
        for digest, where in walk.parts.items()
        if digest not in found
    ]
    walk.faults += [
        Fault(where=f"part {digest[:SHORT]}", what="no event names it.") for digest in found if digest not in walk.parts
    ]
    return Checked(events=walk.events, parts=len(found), merges=walk.merges, head=walk.last, faults=tuple(walk.faults))


class _Walk:
    def __init__(self, *, name: str, salt: bytes) -> None:
        self.name, self.salt = name, salt
        self.faults: list[Fault] = []
        self.parts: dict[str, str] = {}
        self.events = self.merges = 0
        self.last = ""
        self._times: dict[str, str] = {}
        self._open: dict[str, str] = {}

    def step(self, place: int, at: int, kept: str, body: str, kind: str, subject: str) -> None:
        self.events += 1
        where = f"event {at} ({kept[:SHORT]})"
        if at != place:
            self._fault(where, f"an event is missing before it: {place} was due.")
        try:
            event = parsed_event(body)
        except (ValueError, KeyError, TypeError, RecursionError):
            self._fault(where, "its text is no event: it was changed.")
            self._remember(kept, "", where)
            return
        if body_hash(body) != kept:
            self._fault(where, "its text does not have this hash: it was changed after it was recorded.")
        if (event.kind, event.subject) != (kind, subject):
            self._fault(where, "it is listed under another kind or set than its text says.")
        self._links(place, where, event)
        self._remember(kept, event.at, where)
        for part in _PARTS:
            if isinstance(digest := event.data.get(part), str):
                self.parts.setdefault(digest, where)

    def end(self) -> None:
        if not self.events:
            self._fault("event 0", "the ledger has no event at all.")
        heads = [name for name in self._open if name != self.last]
        for name in heads:
            self._fault(self._open[name], "nothing follows it, and it is not the last event: the chain forks here.")

    def _links(self, place: int, where: str, event: Event) -> None:
        if place == 0:
            self._first(where, event)
            return
        if event.merges:
            self.merges += 1
        for link in filter(None, (event.prev, event.merges)):
            if link not in self._times:
                self._fault(where, f"the event {link[:SHORT]} that it follows does not stand before it.")
            elif event.at <= self._times[link]:
                self._fault(where, f"it claims to be older than the event {link[:SHORT]} that it follows.")
            self._open.pop(link, None)
        if not event.prev:
            self._fault(where, "it follows nothing, but is not the first event.")

    def _first(self, where: str, event: Event) -> None:
        if event.prev or event.kind != "init":
            self._fault(where, "the ledger does not begin with its first event: its start was cut off.")
        elif (event.data.get("ledger"), event.data.get("salt_sha256")) != (
            self.name,
            hashlib.sha256(self.salt).hexdigest(),
        ):
            self._fault("name and salt", "they are not those that the first event was written for.")

    def _remember(self, kept: str, at: str, where: str) -> None:
        self._times[kept] = at
        self._open[kept] = where
        self.last = kept

    def _fault(self, where: str, what: str) -> None:
        self.faults.append(Fault(where=where, what=what))


def named_parts(events: Iterable[Event]) -> Iterator[str]:
    """Yield the digests of everything that events name."""
    for event in events:
        for part in _PARTS:
            if isinstance(digest := event.data.get(part), str):
                yield digest
