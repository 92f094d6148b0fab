"""The two databases that a ledger lives in: one file beside the work, or a PostgreSQL server of a team."""

from __future__ import annotations

import os
import secrets
import shlex
import sqlite3
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from sqlalchemy import create_engine, event, inspect, select, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from evalgauge.errors import LedgerError, MissingExtraError
from evalgauge.ledger.tables import BLOBS, EVENTS, META, MIGRATIONS, SCHEMA, migrate

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from sqlalchemy import Connection, Engine

    from evalgauge.ledger.places import Place

# A writer holds the ledger for some milliseconds; somebody who waits longer than this waits for a stopped process.
WAIT_SECONDS = 60


class Database:
    """The tables of one ledger.

    Parameters
    ----------
    place
        Where they are.
    """

    def __init__(self, place: Place) -> None:
        self.place = place
        self._engines: dict[tuple[bool, bool], Engine] = {}

    @property
    def is_file(self) -> bool:
        """Whether the ledger is one file."""
        return self.place.path is not None

    @contextmanager
    def connection(self, *, writes: bool, tolerant: bool = False) -> Generator[Connection]:
        """Give one transaction; a writer has the ledger alone. A tolerant reader reads text that is no longer text."""
        with self._told(), self._engine_for(writes=writes, tolerant=tolerant).begin() as connection:
            if writes and not self.is_file:
                # The row is the ledger's one lock: PostgreSQL lets the next writer in when this one has ended.
                connection.execute(select(META.c.value).where(META.c.name == "schema").with_for_update())
            yield connection

    def facts(self) -> dict[str, str]:
        """Return the ledger's name, salt and schema version."""
        with self.connection(writes=False) as connection:
            rows = connection.execute(select(META.c.name, META.c.value)).all()
        return {str(row.name): str(row.value) for row in rows}

    def damage(self) -> list[str]:
        """Return what the database itself finds wrong with its file; nothing for a server, which checks itself."""
        if not self.is_file:
            return []
        with self.connection(writes=False) as connection:
            found = connection.execute(text("PRAGMA integrity_check")).scalars().all()
        return [one for one in found if one != "ok"]

    def create(self, fill: Callable[[Connection], None]) -> None:
        """Make the tables and fill them, all or nothing."""
        if self.place.path is None:
            with self._told(), self._engine_for(writes=True).begin() as connection:
                connection.execute(text("SELECT pg_advisory_xact_lock(8131207)"))
                if inspect(connection).has_table(META.name):
                    raise LedgerError(f"{self.place.shown} holds a ledger already. Say: evalgauge ledger status")
                fill(connection)
            return
        self._create_file(self.place.path, fill)

    def bring_up_to_date(self) -> None:
        """Migrate an older ledger, with its former state kept beside it.

        Raises
        ------
        LedgerError
            If there is no ledger, or it is newer than this version of evalgauge.
        """
        version = self._version()
        if version == SCHEMA:
            return
        if version > SCHEMA:
            raise LedgerError(
                f"{self.place.shown} was written by a newer evalgauge (form {version}; this one knows {SCHEMA}). "
                "Upgrade it: pip install --upgrade evalgauge"
            )
        with self.connection(writes=True) as connection:
            # Somebody else may have been here while this process waited.
            version = int(connection.execute(select(META.c.value).where(META.c.name == "schema")).scalar_one())
            if version < SCHEMA:
                self._back_up(connection, version)
                migrate(connection, version)

    def _version(self) -> int:
        if self.place.path is not None and self.place.path.is_dir():
            raise LedgerError(f"{self.place.shown} is a folder, and a ledger is a file. Name it with --ledger.")
        if self.place.path is not None and not self.place.path.is_file():
            raise LedgerError(f"There is no ledger at {self.place.shown}. Say: evalgauge ledger init{self._named()}")
        with self._told(), self._engine_for(writes=False).connect() as connection:
            if not inspect(connection).has_table(META.name):
                raise LedgerError(
                    f"{self.place.shown} holds no ledger. Say: evalgauge ledger init{self._named()}"
                    if not self.is_file
                    else f"{self.place.shown} is no ledger of evalgauge. Name another file with --ledger."
                )
            found = connection.execute(select(META.c.value).where(META.c.name == "schema")).scalar_one_or_none()
        if found is None or not found.isdecimal() or int(found) < min(MIGRATIONS):
            raise LedgerError(
                f"{self.place.shown} does not say its form: {found!r} is no version. Restore a good copy."
            )
        return int(found)

    def _named(self) -> str:
        return f" --ledger {shlex.quote(self.place.shown)}"

    def _back_up(self, connection: Connection, version: int) -> None:
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S")
        if self.place.path is None:
            for table in (META, EVENTS, BLOBS):
                copy = f"{table.name}_form{version}_{stamp}".lower()
                connection.execute(text(f"CREATE TABLE {copy} AS SELECT * FROM {table.name}"))  # noqa: S608 - our names
            return
        backup = self.place.path.with_name(f"{self.place.path.name}.form{version}-{stamp}.backup")
        # A second connection reads what the writer has not yet touched.
        with closing(self._file_connection(writes=False)) as source, closing(sqlite3.connect(backup)) as target:
            source.backup(target)

    def _engine_for(self, *, writes: bool, tolerant: bool = False) -> Engine:
        kind = writes, tolerant
        if kind not in self._engines:
            self._engines[kind] = self._new_engine(writes=writes, tolerant=tolerant)
        return self._engines[kind]

    def _new_engine(self, *, writes: bool, tolerant: bool) -> Engine:
        if self.is_file:
            engine = create_engine(
                "sqlite://", creator=lambda: self._file_connection(writes=writes, tolerant=tolerant), poolclass=NullPool
            )
            begin = "BEGIN IMMEDIATE" if writes else "BEGIN"

            def on_begin(connection: Connection) -> None:
                connection.exec_driver_sql(begin)

            event.listen(engine, "begin", on_begin)
            return engine
        try:
            # A reader sees one moment; a writer sees what the last writer left, once it has the lock.
            level = "READ COMMITTED" if writes else "REPEATABLE READ"
            return create_engine(self.place.url, poolclass=NullPool, isolation_level=level)
        except ModuleNotFoundError as error:
            raise MissingExtraError(
                "A ledger on PostgreSQL needs a driver that is not installed. Say: pip install 'evalgauge[postgres]'"
            ) from error
        except SQLAlchemyError as error:
            raise LedgerError(f"{self.place.shown} is no address of a database: {error}.") from error

    def _file_connection(self, *, writes: bool, tolerant: bool = False) -> sqlite3.Connection:
        path = self.place.path
        if path is None:
            raise LedgerError("a server is no file")
        name = quote(str(path.absolute()))
        mode = "mode=rw" if writes else "mode=ro"
        if not writes and not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists():
            # Even a reader of a write-ahead log makes a file beside it; where that cannot be, nobody writes either.
            mode += "&immutable=1"
        connection = sqlite3.connect(f"file:{name}?{mode}", uri=True, timeout=WAIT_SECONDS, isolation_level=None)
        if tolerant:
            # A flipped bit can make text unreadable: it is still read, so that a check can name where it stands.
            connection.text_factory = _lenient_text
        # A look that was acknowledged survives a power cut as well.
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    def _create_file(self, path: Path, fill: Callable[[Connection], None]) -> None:
        taken = LedgerError(f"{self.place.shown} exists already. Say: evalgauge ledger status")
        if path.exists():
            raise taken
        name = str(path.with_name(f".new-ledger-{secrets.token_hex(8)}"))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Unlike a temporary file, it gets the rights that this folder's files get: a team may share it.
            os.close(os.open(name, os.O_CREAT | os.O_EXCL, 0o666))
        except OSError as error:
            hint = "Name a file in a folder that you may write to: --ledger FILE."
            raise LedgerError(f"{self.place.shown} cannot be made: {error.strerror}. {hint}") from error
        try:
            with closing(sqlite3.connect(name)) as connection:
                connection.execute("PRAGMA journal_mode=WAL")
            half = Database(_beside(self.place, Path(name)))
            with half.connection(writes=True) as connection:
                fill(connection)
            # A link appears whole or not at all, and never over a ledger that somebody else made meanwhile.
            os.link(name, path)
        except FileExistsError as error:
            raise taken from error
        finally:
            for left in (name, f"{name}-wal", f"{name}-shm"):
                Path(left).unlink(missing_ok=True)

    @contextmanager
    def _told(self) -> Generator[None]:
        try:
            yield
        except DBAPIError as error:
            raise LedgerError(f"{self.place.shown}: {_reason(str(error.orig))}") from error
        except sqlite3.Error as error:
            raise LedgerError(f"{self.place.shown}: {_reason(str(error))}") from error


def _lenient_text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _beside(place: Place, path: Path) -> Place:
    return type(place)(path=path, shown=place.shown)


_REASONS = (
    ("locked", f"another process has been writing for {WAIT_SECONDS} seconds. Try again when it has ended."),
    ("full", "the disk is full, so nothing was recorded. Free some space and say it again."),
    ("disk I/O", "the disk took no more, so nothing was recorded. Free some space and say it again."),
    ("readonly", "the ledger is read-only here, so nothing was recorded. Ask who owns it, or work on a copy."),
    ("malformed", "the file is damaged. Say: evalgauge ledger check, and restore the last good copy or export."),
    ("not a database", "this is no ledger of evalgauge, or its first page is damaged. Restore the last good copy."),
    ("unable to open", "the file cannot be opened. Check that it is there and that you may read it."),
)


def _reason(text: str) -> str:
    """Return what a database's message means here."""
    for part, words in _REASONS:
        if part in text:
            return f"{words} ({text.strip().splitlines()[0]})"
    return f"{' '.join(text.split()).rstrip('.?')}. Check the address and that the server is up."
