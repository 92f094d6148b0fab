"""The store: what it refuses, a full disk, a read-only file, an older form, a newer one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import create_engine, text

from evalgauge.errors import ArgumentError, LedgerError
from evalgauge.jobs.ledger_files import ledger_check
from evalgauge.ledger.places import Place, found_place, named_place, new_place
from evalgauge.ledger.store import Ledger, created, opened

if TYPE_CHECKING:
    from collections.abc import Iterator


def where(place: Place) -> str:
    return str(place.path) if place.path else place.shown


def fill(ledger: Ledger, looks: int = 5) -> None:
    with ledger.writing() as writing:
        for number in range(looks):
            writing.append("look", {"number": number, "results": writing.keep(f"part {number}".encode())}, subject="s")


def bodies(ledger: Ledger) -> list[str]:
    with ledger.reading() as reading:
        return [event.body for event in reading.events()]


def test_what_is_written_is_read_back(place: Place) -> None:
    ledger = created(place)
    fill(ledger)
    again = opened(place)
    assert (again.name, again.salt) == (ledger.name, ledger.salt)
    with again.reading() as reading:
        events = reading.events()
        assert [event.kind for event in events] == ["init"] + ["look"] * 5
        assert reading.size() == 6
        assert reading.head() == events[-1]
        assert reading.events(kinds=("init",)) == events[:1]
        assert reading.events(subject="s") == events[1:]
        assert reading.named(events[2].hash[:12]) == [events[2]]
        assert reading.blob(events[1].data["results"]) == b"part 0"
        assert reading.blobs_of([event.data["results"] for event in events[1:]]).keys() == {
            event.data["results"] for event in events[1:]
        }


def test_an_error_keeps_nothing(place: Place) -> None:
    ledger = created(place)
    before = bodies(ledger)

    def fail() -> None:
        with ledger.writing() as writing:
            writing.append("look", {})
            raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        fail()
    assert bodies(ledger) == before


def test_a_second_ledger_is_never_put_over_a_first(place: Place) -> None:
    created(place)
    before = bodies(opened(place))
    with pytest.raises(LedgerError, match=r"evalgauge ledger status"):
        created(place)
    assert bodies(opened(place)) == before


def test_ledgers_are_found_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVALGAUGE_LEDGER", raising=False)
    monkeypatch.chdir(tmp_path)
    created(new_place())
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    found = found_place(start=deep)
    assert found is not None
    assert found.path == tmp_path / ".evalgauge" / "ledger.db"
    monkeypatch.setenv("EVALGAUGE_LEDGER", str(tmp_path / "other.db"))
    found = found_place(start=deep)
    assert found is not None
    assert found.path == tmp_path / "other.db"


@pytest.mark.parametrize(
    ("named", "shown"),
    [
        ("postgresql://me:secret@host:5/evals", "postgresql://me@host:5/evals"),
        ("postgres://host/evals?password=secret", "postgresql://host/evals"),
        ("postgresql+psycopg://me@/evals?host=/tmp", "postgresql://me@/evals?host=/tmp"),
        ("sqlite:////tmp/x.db", "/tmp/x.db"),  # noqa: S108 - nothing is written
    ],
)
def test_a_place_is_shown_without_its_password(named: str, shown: str) -> None:
    assert named_place(named).shown == shown


@pytest.mark.parametrize(
    ("named", "came"),
    [
        ("mysql://me:secret@host/x", "mysql://…"),
        ("postgersql://me:secret@host/x", "postgersql://…"),
        ("postgresql:/me:secret@host/x", "postgresql:…"),
        ("postgres:me:secret@host/x", "postgres:…"),
        ("sqlite://x.db", "sqlite://…"),
        ("postgresql://me:secret@[::1", "postgresql://…"),
        ("postgresql://me:secret/1@host/x", "postgresql://…"),
    ],
)
def test_other_addresses_are_refused_without_their_password(named: str, came: str) -> None:
    with pytest.raises(ArgumentError) as refused:
        named_place(named)
    assert str(refused.value).startswith(
        f"ledger: got '{came}', allowed is a file, or postgresql://user@host/database."
    )
    assert "secret" not in str(refused.value)


def test_a_drive_is_a_file() -> None:
    assert named_place("C:/work/ledger.db").path is not None


def test_a_folder_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"is a folder, and a ledger is a file\. Name it with --ledger\."):
        opened(named_place(str(tmp_path)))


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, r"There is no ledger at .*Say: evalgauge ledger init"),
        (b"", r"is no ledger of evalgauge"),
        (b"not a database at all" * 100, r"no ledger of evalgauge, or its first page is damaged"),
    ],
)
def test_what_is_no_ledger_is_refused(file_place: Place, content: bytes | None, told: str) -> None:
    assert file_place.path is not None
    if content is not None:
        file_place.path.write_bytes(content)
    with pytest.raises(LedgerError, match=told):
        opened(file_place)


def test_a_server_that_is_away_is_said() -> None:
    with pytest.raises(LedgerError, match=r"postgresql://me@127.0.0.1:1/x: .*Check the address and that the server"):
        opened(named_place("postgresql://me:secret@127.0.0.1:1/x"))


def test_an_empty_database_is_no_ledger(postgres: object) -> None:
    with pytest.raises(LedgerError, match=r"holds no ledger. Say: evalgauge ledger init --ledger 'postgresql://"):
        opened(named_place(postgres.new_database()))  # type: ignore[attr-defined]


def as_form_1(place: Place) -> None:
    """Give a ledger the tables that the first form had: events without the columns for kind and set."""
    url = f"sqlite:///{place.path}" if place.path else place.url
    engine = create_engine(url)
    with engine.begin() as connection:
        for statement in (
            "CREATE TABLE old_events (place INTEGER NOT NULL PRIMARY KEY, hash VARCHAR(64) NOT NULL UNIQUE, body TEXT)",
            "INSERT INTO old_events SELECT place, hash, body FROM evalgauge_events",
            "DROP TABLE evalgauge_events",
            "ALTER TABLE old_events RENAME TO evalgauge_events",
            "UPDATE evalgauge_meta SET value = '1' WHERE name = 'schema'",
        ):
            connection.execute(text(statement))
    engine.dispose()


def test_an_older_form_is_migrated_and_kept(place: Place) -> None:
    ledger = created(place)
    fill(ledger)
    before = bodies(ledger)
    as_form_1(place)
    migrated = opened(place)
    assert bodies(migrated) == before
    with migrated.reading() as reading:
        assert [event.kind for event in reading.events(subject="s")] == ["look"] * 5
    assert ledger_check(ledger=where(place)).is_whole
    fill(migrated, 1)
    assert bodies(opened(place))[:-1] == before
    assert kept_form(place) == ("1", before)


def kept_form(place: Place) -> tuple[str, list[str]]:
    """Return form and events of the backup."""
    if place.path is not None:
        (backup,) = place.path.parent.glob("*.backup")
        assert re.fullmatch(r"ledger\.db\.form1-\d{8}T\d{6}\.backup", backup.name)
        engine, end = create_engine(f"sqlite:///{backup}"), ""
    else:
        engine = create_engine(place.url)
        with engine.connect() as connection:
            found = "SELECT tablename FROM pg_tables WHERE tablename LIKE 'evalgauge_events_form1_%'"
            end = connection.execute(text(found)).scalar_one().removeprefix("evalgauge_events")
    with engine.connect() as connection:
        form = connection.execute(text(f"SELECT value FROM evalgauge_meta{end} WHERE name = 'schema'")).scalar_one()  # noqa: S608 - ours
        events = connection.execute(text(f"SELECT body FROM evalgauge_events{end} ORDER BY place")).scalars().all()  # noqa: S608 - ours
    engine.dispose()
    return form, list(events)


def test_a_newer_form_is_refused(place: Place) -> None:
    created(place)
    engine = create_engine(f"sqlite:///{place.path}" if place.path else place.url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE evalgauge_meta SET value = '3' WHERE name = 'schema'"))
    engine.dispose()
    with pytest.raises(LedgerError, match=r"newer evalgauge \(form 3; this one knows 2\).*pip install --upgrade"):
        opened(place)


FULL = """
import resource, signal, sys
from pathlib import Path
from evalgauge.errors import LedgerError
from evalgauge.ledger.places import named_place
from evalgauge.ledger.store import opened

ledger = opened(named_place(sys.argv[1]))
if len(sys.argv) > 2:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    size = Path(sys.argv[1]).stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 200_000, size + 200_000))
for number in range(10_000):
    try:
        with ledger.writing() as writing:
            event = writing.append("look", {"number": number, "padding": "x" * 5_000})
    except LedgerError as error:
        print("told:", error)
        break
    print(event.hash, flush=True)
"""


def filled_up(path: Path, *more: str) -> tuple[list[str], str]:
    run = subprocess.run(
        [sys.executable, "-c", FULL, str(path), *more], capture_output=True, text=True, check=False, timeout=200
    )
    assert run.returncode == 0, run.stderr
    *acknowledged, told = run.stdout.splitlines()
    return acknowledged, told


def assert_kept(place: Place, acknowledged: list[str]) -> None:
    assert len(acknowledged) > 5
    assert ledger_check(ledger=where(place)).is_whole
    with opened(place).reading() as reading:
        assert [event.hash for event in reading.events(kinds=("look",))] == acknowledged
    fill(opened(place), 1)


def test_a_limit_on_the_size_of_files_loses_nothing(file_place: Place) -> None:
    created(file_place)
    assert file_place.path is not None
    acknowledged, told = filled_up(file_place.path, "limited")
    assert re.search(r"told: .*the disk (took no more|is full), so nothing was recorded. Free some space", told)
    assert_kept(file_place, acknowledged)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(folder)], check=False, capture_output=True
        ).returncode
    ):
        pytest.skip("mounting a small disk needs more rights than this machine gives")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_loses_nothing(small_disk: Path) -> None:
    place = named_place(str(small_disk / "ledger.db"))
    created(place)
    assert place.path is not None
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 400_000)
    acknowledged, told = filled_up(place.path)
    assert re.search(r"told: .*the disk is full, so nothing was recorded. Free some space and say it again", told)
    ballast.unlink()
    assert_kept(place, acknowledged)


READ_ONLY = """
import os, sys
from evalgauge.errors import LedgerError
from evalgauge.jobs.ledger_cards import ledger_status
from evalgauge.jobs.ledger_files import ledger_check
from evalgauge.ledger.places import named_place
from evalgauge.ledger.store import opened

# Everything is imported before the rights are given up: they would hide the interpreter's own files as well.
ledger_status(ledger=sys.argv[1]); ledger_check(ledger=sys.argv[1])
with opened(named_place(sys.argv[1])).writing() as writing: writing.append("look", {})
for end in ("-wal", "-shm"):
    if os.path.exists(sys.argv[1] + end): os.unlink(sys.argv[1] + end)
os.chmod(sys.argv[1], 0o444); os.chmod(os.path.dirname(sys.argv[1]), 0o555)
if os.geteuid() == 0: os.setgid(65534); os.setuid(65534)
print(ledger_status(ledger=sys.argv[1]), ledger_check(ledger=sys.argv[1]).is_whole)
try:
    with opened(named_place(sys.argv[1])).writing() as writing: writing.append("look", {})
except LedgerError as error: print(error)
"""


def test_a_read_only_ledger_is_read_and_not_written() -> None:
    folder = Path("/tmp") / f"eg-read-only-{os.getpid()}"  # noqa: S108 - pytest's folders are closed to other accounts
    folder.mkdir()
    try:
        place = named_place(str(folder / "ledger.db"))
        created(place)
        run = subprocess.run(
            [sys.executable, "-c", READ_ONLY, where(place)], capture_output=True, text=True, check=False, timeout=200
        )
        assert run.returncode == 0, run.stderr
        status, told = run.stdout.splitlines()
        assert status == "no set True"
        assert re.search(r"ledger.db: (the ledger is read-only here|the file cannot be opened)", told)
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)
