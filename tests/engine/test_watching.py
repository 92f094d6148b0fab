"""Reads that take long say how far they are to whoever watches, and to a terminal, and to nobody else."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import duckdb

import evalgauge as eg
from evalgauge.cli import reading_bar
from evalgauge.cli.reading_bar import ReadingBar
from evalgauge.engine import watching
from evalgauge.engine.watching import asked_again_and_again, tell, watched
from support.large import large_from, written_parquet

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_nobody_is_told_unless_they_watch() -> None:
    seen: list[tuple[int, int]] = []
    tell(1, 2)
    with watched(lambda done, total: seen.append((done, total))):
        tell(2, 3)
        with watched(lambda _done, _total: None):
            tell(3, 4)
    tell(4, 5)
    assert seen == [(2, 3)]


def test_a_query_is_asked_how_far_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "_OFTEN", 0.002)
    seen: list[int] = []
    with duckdb.connect() as connection, watched(lambda done, _total: seen.append(done)):
        connection.execute("CREATE TABLE numbers AS SELECT range AS n FROM range(20_000_000)")
        with asked_again_and_again(connection):
            connection.execute("CREATE TABLE counts AS SELECT n % 1_000_003 AS k, count(*) FROM numbers GROUP BY k")
        told = len(seen)
        connection.execute("SELECT count(*) FROM numbers")
    assert told > 1
    assert seen == sorted(seen)
    assert 0 <= seen[0] <= seen[-1] <= 100
    # Who asks from beside ends with the query.
    assert len(seen) == told


def test_a_count_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    columns = {"case": "BIGINT", "score": "INTEGER"}
    log = written_parquet(tmp_path / "log.parquet", columns, [(case, case % 2) for case in range(9)])
    large_from(monkeypatch, 1)
    plain = watching.asked_again_and_again
    monkeypatch.setattr(
        "evalgauge.engine.duck_counts.asked_again_and_again", lambda one: asked.append(one) or plain(one)
    )
    assert eg.measure(log, no_ledger=True).n_cases == 9
    assert asked


def test_a_bar_waits_and_goes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 0.5, 1.2, 1.25, 1.4, 9.0])
    monkeypatch.setattr(reading_bar.time, "monotonic", lambda: next(now))
    out = io.StringIO()
    bar = ReadingBar(out)
    for done in (1, 5, 20, 30, 40, 100):
        bar(done, 100)
    assert re.findall(r"Reading: \d+ %", out.getvalue()) == ["Reading: 20 %", "Reading: 40 %"]
    assert out.getvalue().endswith("\r\x1b[K")


def test_a_terminal_sees_it_and_a_file_does_not(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text("".join(f'{{"case": "q{number}", "score": {number % 2}}}\n' for number in range(60_000)), "utf-8")
    # Shown at once, so that the test need not wait for a slow read.
    program = (
        "import sys; from evalgauge.cli import reading_bar; reading_bar._AFTER = -1.0; reading_bar._OFTEN = -1.0; "
        "from evalgauge.cli import main; sys.argv = ['evalgauge', 'measure', sys.argv[1], '--no-ledger']; main()"
    )
    words = [sys.executable, "-c", program, str(log)]
    quiet = subprocess.run(words, capture_output=True, check=False, timeout=120)
    assert quiet.stderr == b""
    ours, theirs = pty.openpty()
    shown = subprocess.run(words, stdout=subprocess.PIPE, stderr=theirs, check=False, timeout=120)
    os.close(theirs)
    said = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "Reading: " in said
    assert said.endswith("\r\x1b[K")
    assert shown.stdout == quiet.stdout
