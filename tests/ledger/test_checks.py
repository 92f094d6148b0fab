"""A byte that was flipped anywhere is found, and the first broken link named."""

from __future__ import annotations

import hashlib
import random
import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from evalgauge.errors import LedgerError
from evalgauge.jobs.ledger_files import ledger_check
from evalgauge.ledger.places import named_place
from evalgauge.ledger.store import created, opened

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalgauge.ledger.places import Place
    from evalgauge.questions.ledger_sets import CheckAnswer

COLUMNS = [
    ("evalgauge_events", "body"),
    ("evalgauge_events", "hash"),
    ("evalgauge_events", "kind"),
    ("evalgauge_events", "subject"),
    ("evalgauge_meta", "value"),
    ("evalgauge_blobs", "data"),
    ("evalgauge_blobs", "digest"),
]


def filled(place: Place, looks: int = 12) -> None:
    with created(place).writing() as writing:
        for number in range(looks):
            part = writing.keep(hashlib.sha256(b"%d" % number).digest() * 3)
            writing.append("look", {"number": number, "note": "é ü", "results": part}, subject=f"set{number % 3}")


def checked(place: Place) -> CheckAnswer:
    return ledger_check(ledger=str(place.path) if place.path else place.shown)


def found_out(path: Path) -> CheckAnswer | None:
    """Return what a check says; ``None`` where the ledger is too damaged to be opened, and says so."""
    try:
        return checked(named_place(str(path)))
    except LedgerError:
        return None


def contents(path: Path) -> list[object]:
    with closing(sqlite3.connect(path)) as connection:
        found: list[object] = []
        for table in ("meta", "events", "blobs"):
            found += connection.execute(f"SELECT * FROM evalgauge_{table} ORDER BY 1").fetchall()  # noqa: S608 - ours
        return found


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_flipped_bit_in_any_value_is_found(file_place: Place, tmp_path: Path, table: str, column: str) -> None:
    filled(file_place)
    assert file_place.path is not None
    assert checked(file_place).is_whole
    draw = random.Random(f"{table} {column}")  # noqa: S311 - test data
    with closing(sqlite3.connect(file_place.path)) as connection:
        rows = connection.execute(f"SELECT rowid, CAST({column} AS BLOB) FROM {table}").fetchall()  # noqa: S608 - ours
    for attempt in range(25):
        row, value = draw.choice(rows)
        at = draw.randrange(len(value)) if value else None
        if at is None:
            continue
        flipped = bytearray(value)
        flipped[at] ^= 1 << draw.randrange(8)
        path = tmp_path / f"flipped-{attempt}.db"
        shutil.copy(file_place.path, path)
        cast = "?" if column == "data" else "CAST(? AS TEXT)"
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"UPDATE {table} SET {column} = {cast} WHERE rowid = ?", (bytes(flipped), row))  # noqa: S608 - ours
        answer = found_out(path)
        if answer is None:
            # The ledger's own form or salt can become unreadable; then it does not open at all.
            assert table == "evalgauge_meta"
            continue
        assert not answer.is_whole
        if table == "evalgauge_events" and column != "hash":
            assert answer.broken[0].where.startswith(f"event {row} (")
        elif table == "evalgauge_meta":
            assert answer.broken[0].where == "name and salt"


def test_a_flipped_bit_anywhere_in_the_file_changes_nothing_or_is_found(file_place: Place, tmp_path: Path) -> None:
    filled(file_place)
    assert file_place.path is not None
    with closing(sqlite3.connect(file_place.path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole, before = file_place.path.read_bytes(), contents(file_place.path)
    draw = random.Random(7)  # noqa: S311 - test data
    found = 0
    for attempt in range(150):
        path = tmp_path / f"flipped-{attempt}.db"
        flipped = bytearray(whole)
        flipped[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        path.write_bytes(flipped)
        answer = found_out(path)
        found += answer is None or not answer.is_whole
        if answer is not None and answer.is_whole:
            # The byte belongs to no value: it lies in the unused part of a page.
            assert contents(path) == before
    assert found > 20


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("DELETE FROM evalgauge_events WHERE place = 4", r"event 5 .*an event is missing before it: 4 was due"),
        ("DELETE FROM evalgauge_events WHERE place = 0", r"event 1 .*does not begin with its first event|0 was due"),
        ("UPDATE evalgauge_events SET place = 99 WHERE place = 3", r"3 was due"),
        ("DELETE FROM evalgauge_blobs", r"the part \w+ that it names is missing"),
        ("INSERT INTO evalgauge_blobs (digest, data) VALUES ('ab', 'x')", r"bytes are not those|no event names it"),
    ],
)
def test_what_was_cut_out_or_put_in_is_named(place: Place, change: str, told: str) -> None:
    import re  # noqa: PLC0415 - one use

    filled(place)
    engine = create_engine(f"sqlite:///{place.path}" if place.path else place.url)
    with engine.begin() as connection:
        connection.execute(text(change))
    engine.dispose()
    answer = checked(place)
    assert not answer.is_whole
    assert any(re.search(told, f"{one.where} {one.what}") for one in answer.broken), answer.broken


def test_a_forged_event_breaks_the_link_after_it(place: Place) -> None:
    filled(place)
    with opened(place).reading() as reading:
        event = reading.events()[3]
    forged = event.body.replace('"number":2', '"number":7')
    engine = create_engine(f"sqlite:///{place.path}" if place.path else place.url)
    with engine.begin() as connection:
        change = text("UPDATE evalgauge_events SET body = :body, hash = :hash WHERE place = 3")
        connection.execute(change, {"body": forged, "hash": hashlib.sha256(forged.encode()).hexdigest()})
    engine.dispose()
    answer = checked(place)
    assert [one.where.split(" (")[0] for one in answer.broken][:1] == ["event 4"]
    assert "does not stand before it" in answer.broken[0].what


def test_a_cut_end_shows_against_a_head_that_was_noted(place: Place) -> None:
    filled(place)
    where = str(place.path) if place.path else place.shown
    head = ledger_check(ledger=where).head
    engine = create_engine(f"sqlite:///{place.path}" if place.path else place.url)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM evalgauge_events WHERE place = 12"))
        digest = hashlib.sha256(hashlib.sha256(b"11").digest() * 3).hexdigest()
        connection.execute(text(f"DELETE FROM evalgauge_blobs WHERE digest = '{digest}'"))  # noqa: S608 - ours
    engine.dispose()
    assert ledger_check(ledger=where).is_whole
    answer = ledger_check(ledger=where, head=head[:10])
    assert not answer.is_whole
    assert answer.broken[0].what == "it is not in the chain: events were cut off."


def test_two_events_after_one_are_a_fork(place: Place) -> None:
    filled(place, looks=3)
    ledger = opened(place)
    with ledger.writing() as writing:
        writing.append("look", {"fork": 1}, after=writing.events()[1])
    answer = checked(place)
    assert any("the chain forks here" in one.what for one in answer.broken)


def test_the_command_leaves_with_1_when_the_chain_is_broken(file_place: Place, command: Callable[..., object]) -> None:
    filled(file_place)
    assert command("ledger", "check", "--ledger", file_place.path).code == 0  # type: ignore[attr-defined]
    assert file_place.path is not None
    with closing(sqlite3.connect(file_place.path)) as connection, connection:
        change = """replace(body, '"number":5', '"number":6')"""
        connection.execute(f"UPDATE evalgauge_events SET body = {change} WHERE place = 6")  # noqa: S608 - ours
    seen = command("ledger", "check", "--ledger", file_place.path)
    assert seen.code == 1  # type: ignore[attr-defined]
    assert "BROKEN" in seen.out  # type: ignore[attr-defined]
    assert "event 6" in seen.out  # type: ignore[attr-defined]
