"""Many writers at once, and writers killed in the middle: nothing acknowledged is lost, and the chain never forks."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evalgauge.jobs.ledger_files import ledger_check
from evalgauge.ledger.store import created, opened

if TYPE_CHECKING:
    from evalgauge.ledger.places import Place

PROGRAM = Path(__file__).parent / "writers.py"


def written(mode: str, place: Place, first: int, second: int) -> list[str]:
    """Run the writers and return the looks that were acknowledged."""
    where = str(place.path) if place.path else place.shown
    run = subprocess.run(
        [sys.executable, str(PROGRAM), mode, where, str(first), str(second)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "EVALGAUGE_ACTOR": "test"},
        timeout=900,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def assert_whole(place: Place, acknowledged: list[str]) -> None:
    where = str(place.path) if place.path else place.shown
    answer = ledger_check(ledger=where)
    assert answer.is_whole, answer.broken
    with opened(place).reading() as reading:
        events = reading.events()
    names = [event.hash for event in events]
    assert set(acknowledged) <= set(names)
    assert len(acknowledged) == len(set(acknowledged))
    # One chain: every event but the last is followed by exactly one, in the order of their places.
    assert [event.prev for event in events] == ["", *names[:-1]]
    assert Counter(event.kind for event in events)["merge"] == 0


def test_no_acknowledged_look_is_lost_when_writers_are_killed(place: Place) -> None:
    created(place)
    acknowledged = written("kill", place, 40, 11)
    assert acknowledged
    assert_whole(place, acknowledged)


@pytest.mark.slow
def test_a_thousand_kills(place: Place) -> None:
    created(place)
    acknowledged = written("kill", place, 1000, 12)
    assert len(acknowledged) > 200
    assert_whole(place, acknowledged)


def test_thirty_two_writers_at_once(place: Place) -> None:
    created(place)
    acknowledged = written("crowd", place, 32, 4)
    assert len(acknowledged) == 32 * 4
    assert_whole(place, acknowledged)


def test_two_at_once_make_one_ledger(file_place: Place) -> None:
    code = (
        "import sys\n"
        "from evalgauge.jobs.ledger_sets import ledger_init\n"
        "from evalgauge.errors import LedgerError\n"
        "try: ledger_init(ledger=sys.argv[1]); print('made')\n"
        "except LedgerError as error: print(error)\n"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", code, str(file_place.path)], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    told = [run.communicate(timeout=120)[0].strip() for run in runs]
    assert told.count("made") == 1
    assert all("exists already" in text for text in told if text != "made")
    assert_whole(file_place, [])
    assert file_place.path is not None
    assert [path.name for path in file_place.path.parent.iterdir() if path.name.startswith(".new")] == []
