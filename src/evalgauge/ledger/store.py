"""A ledger in a database: events are added one after the other, and nothing is ever changed or deleted."""

from __future__ import annotations

import getpass
import hashlib
import os
import secrets
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select

from evalgauge.errors import LedgerError
from evalgauge.ledger.chain import SHORT, parsed_event, written_event
from evalgauge.ledger.engines import Database
from evalgauge.ledger.tables import BLOBS, EVENTS, META, SCHEMA, metadata

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Mapping

    from sqlalchemy import Connection, Select

    from evalgauge.ledger.chain import Event
    from evalgauge.ledger.places import Place

ACTOR_VARIABLE = "EVALGAUGE_ACTOR"
SALT_BYTES = 32
# Databases limit how many values one question may name.
_AT_ONCE = 500


def actor() -> str:
    """Return who is at work: EVALGAUGE_ACTOR, or the login name."""
    named = os.environ.get(ACTOR_VARIABLE)
    if named:
        return named
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        # A container without user names.
        return "unknown"


class Ledger:
    """An open ledger. Nothing is held between two calls: other writers are never kept waiting.

    Parameters
    ----------
    database
        Where its tables are.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        facts = database.facts()
        try:
            self.name, self.salt = facts["ledger"], bytes.fromhex(facts["salt"])
        except (KeyError, ValueError) as error:
            raise LedgerError(
                f"{database.place.shown} is damaged: its name or salt cannot be read. Restore a good copy or export."
            ) from error

    @property
    def place(self) -> Place:
        """Where the ledger is."""
        return self._database.place

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong with its file."""
        return self._database.damage()

    @contextmanager
    def reading(self, *, tolerant: bool = False) -> Generator[Reading]:
        """Give one consistent view of the ledger; a tolerant one also of text that is no longer text, for a check."""
        with self._database.connection(writes=False, tolerant=tolerant) as connection:
            yield Reading(connection)

    @contextmanager
    def writing(self) -> Generator[Writing]:
        """Give the ledger to one writer; everything is kept at the end, or nothing on an error.

        Nobody else writes in the meantime, so what was read inside is still true when the new event follows it.
        """
        with self._database.connection(writes=True) as connection:
            yield Writing(connection)


class Reading:
    """One consistent view of a ledger.

    Parameters
    ----------
    connection
        An open transaction.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def head(self) -> Event:
        """Return the last event."""
        row = self._connection.execute(select(EVENTS.c.hash, EVENTS.c.body).order_by(EVENTS.c.place.desc()).limit(1))
        name, body = row.one()
        return parsed_event(body, name)

    def size(self) -> int:
        """Return the number of events."""
        return self._connection.execute(select(func.count()).select_from(EVENTS)).scalar_one()

    def events(self, *, kinds: Collection[str] = (), subject: str | None = None) -> list[Event]:
        """Return events in the order in which they came to this ledger.

        Parameters
        ----------
        kinds
            Only these; all when left out.
        subject
            Only those of this set.
        """
        wanted = select(EVENTS.c.hash, EVENTS.c.body).order_by(EVENTS.c.place)
        if kinds:
            wanted = wanted.where(EVENTS.c.kind.in_(list(kinds)))
        if subject is not None:
            wanted = wanted.where(EVENTS.c.subject == subject)
        return [parsed_event(body, name) for name, body in self._connection.execute(wanted).all()]

    def named(self, start: str) -> list[Event]:
        """Return the events whose hash starts so."""
        wanted = select(EVENTS.c.hash, EVENTS.c.body).where(EVENTS.c.hash.startswith(start, autoescape=True))
        return [parsed_event(body, name) for name, body in self._connection.execute(wanted.limit(2))]

    def rows(self) -> Iterator[tuple[int, str, str, str, str]]:
        """Yield place, hash, body, kind and subject of every event as they are kept, for a check."""
        wanted = select(EVENTS.c.place, EVENTS.c.hash, EVENTS.c.body, EVENTS.c.kind, EVENTS.c.subject)
        for row in self._streamed(wanted.order_by(EVENTS.c.place)):
            place, *texts = row
            # A flipped bit can make one type of value into another; a check has to look at it all the same.
            name, body, kind, subject = (one if isinstance(one, str) else repr(one) for one in texts)
            yield place, name, body, kind, subject

    def hashes(self) -> set[str]:
        """Return the names of all events."""
        return set(self._connection.execute(select(EVENTS.c.hash)).scalars())

    def blob(self, digest: str) -> bytes:
        """Return the bytes that are kept under a digest.

        Raises
        ------
        LedgerError
            If they are not there, or are others.
        """
        data = self._connection.execute(select(BLOBS.c.data).where(BLOBS.c.digest == digest)).scalar_one_or_none()
        if data is None or hashlib.sha256(data).hexdigest() != digest:
            what = "is missing" if data is None else "was changed"
            raise LedgerError(
                f"A part of the ledger {what} ({digest[:SHORT]}). Say: evalgauge ledger check, and restore the last "
                "good copy or export."
            )
        return bytes(data)

    def blobs_of(self, digests: Collection[str]) -> dict[str, bytes]:
        """Return the bytes that are kept under several digests."""
        wanted = list(dict.fromkeys(digests))
        found: dict[str, bytes] = {}
        for start in range(0, len(wanted), _AT_ONCE):
            some = select(BLOBS.c.digest, BLOBS.c.data).where(BLOBS.c.digest.in_(wanted[start : start + _AT_ONCE]))
            found |= {digest: bytes(data) for digest, data in self._connection.execute(some)}
        return found

    def blobs(self) -> Iterator[tuple[str, bytes]]:
        """Yield every digest with its bytes."""
        for digest, data in self._streamed(select(BLOBS.c.digest, BLOBS.c.data).order_by(BLOBS.c.digest)):
            yield str(digest), data if isinstance(data, bytes) else repr(data).encode()

    def _streamed(self, wanted: Select[*tuple[Any, ...]]) -> Iterator[Any]:
        yield from self._connection.execution_options(yield_per=1000).execute(wanted)


class Writing(Reading):
    """A ledger in the hands of one writer.

    Parameters
    ----------
    connection
        An open transaction that keeps others from writing.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._last: tuple[int, Event | None] | None = None

    def append(
        self,
        kind: str,
        data: Mapping[str, Any],
        *,
        subject: str = "",
        merges: Event | None = None,
        after: Event | None = None,
    ) -> Event:
        """Add what happened, after all that happened before.

        Parameters
        ----------
        kind, data, subject
            See ``Event``.
        merges, after
            For a merge, the head of the other branch, and the one of this branch.
        """
        last = self._end()[1]
        event = written_event(
            prev=after or last,
            kind=kind,
            subject=subject,
            data=data,
            actor=actor(),
            tool=f"evalgauge {version('evalgauge')}",
            merges=merges,
        )
        self.take_over(event)
        return event

    def take_over(self, event: Event) -> None:
        """Add an event as it is, such as one of another copy of this ledger."""
        place = self._end()[0] + 1
        row = {"place": place, "hash": event.hash, "body": event.body, "kind": event.kind, "subject": event.subject}
        self._connection.execute(insert(EVENTS).values(row))
        self._last = place, event

    def keep(self, data: bytes) -> str:
        """Keep bytes and return the digest that names them; the same bytes are kept once."""
        digest = hashlib.sha256(data).hexdigest()
        known = self._connection.execute(select(BLOBS.c.digest).where(BLOBS.c.digest == digest)).scalar_one_or_none()
        if known is None:
            self._connection.execute(insert(BLOBS).values(digest=digest, data=data))
        return digest

    def _end(self) -> tuple[int, Event | None]:
        """Return the last event and its place; it is read once, since nobody else writes."""
        if self._last is None:
            row = self._connection.execute(
                select(EVENTS.c.place, EVENTS.c.hash, EVENTS.c.body).order_by(EVENTS.c.place.desc()).limit(1)
            ).one_or_none()
            self._last = (-1, None) if row is None else (row.place, parsed_event(row.body, row.hash))
        return self._last


def opened(place: Place) -> Ledger:
    """Return the ledger at a place.

    Raises
    ------
    LedgerError
        If there is none, it is no ledger, it is newer than this version knows, or it cannot be reached.
    MissingExtraError
        If it is on a PostgreSQL server and the driver is not installed.
    """
    database = Database(place)
    database.bring_up_to_date()
    return Ledger(database)


def created(place: Place, *, salt: bytes | None = None, name: str = "", begin: bool = True) -> Ledger:
    """Make a new ledger.

    Parameters
    ----------
    place
        Where.
    salt, name
        Those of the ledger that this one becomes a copy of; new ones when left out.
    begin
        Whether to write the first event; a copy gets that of its origin.

    Raises
    ------
    LedgerError
        If there is one already, or the place cannot be written.
    """
    salt = salt or secrets.token_bytes(SALT_BYTES)
    name = name or secrets.token_hex(8)

    def fill(connection: Connection) -> None:
        metadata.create_all(connection)
        rows = {"schema": str(SCHEMA), "ledger": name, "salt": salt.hex()}
        connection.execute(insert(META), [{"name": key, "value": value} for key, value in rows.items()])
        if begin:
            Writing(connection).append("init", {"ledger": name, "salt_sha256": hashlib.sha256(salt).hexdigest()})

    database = Database(place)
    database.create(fill)
    return Ledger(database)
