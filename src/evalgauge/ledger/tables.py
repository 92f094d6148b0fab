"""The tables of a ledger, and how an older ledger becomes a present one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from sqlalchemy import (
    Column,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    bindparam,
    select,
    text,
    update,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from sqlalchemy import Connection

SCHEMA = 2
PREFIX = "evalgauge_"

metadata = MetaData()
META = Table(f"{PREFIX}meta", metadata, Column("name", String(32), primary_key=True), Column("value", Text))
# The place is the primary key and given by the writer: two writers who start from one head want one place.
EVENTS = Table(
    f"{PREFIX}events",
    metadata,
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("hash", String(64), nullable=False, unique=True),
    Column("body", Text, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("subject", String(32), nullable=False, index=True),
)
BLOBS = Table(
    f"{PREFIX}blobs",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("data", LargeBinary, nullable=False),
)


def _with_kind_and_subject(connection: Connection) -> None:
    """From 1 to 2: a set's events are found without reading all of them."""
    for name, size in (("kind", 16), ("subject", 32)):
        connection.execute(text(f"ALTER TABLE {EVENTS.name} ADD COLUMN {name} VARCHAR({size}) NOT NULL DEFAULT ''"))
    change = (
        update(EVENTS)
        .where(EVENTS.c.place == bindparam("at"))
        .values(kind=bindparam("of_kind"), subject=bindparam("of_subject"))
    )
    rows: list[dict[str, object]] = []
    for place, body in connection.execute(select(EVENTS.c.place, EVENTS.c.body)):
        event = json.loads(body)
        rows.append({"at": place, "of_kind": event["kind"], "of_subject": event["subject"]})
    if rows:
        connection.execute(change, rows)
    for index in EVENTS.indexes:
        index.create(connection)


MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {1: _with_kind_and_subject}
"""By the version that it starts from."""


def migrate(connection: Connection, version: int) -> None:
    """Bring the tables of an older ledger to the present form, within the caller's transaction."""
    for step in range(version, SCHEMA):
        MIGRATIONS[step](connection)
    connection.execute(update(META).where(META.c.name == "schema").values(value=str(SCHEMA)))
