"""A run that is killed leaves no half-written output and no temporary file behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import duckdb
import pytest

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 400_000
ROWS = f"""
SELECT 'q' || (i // 2 % 20000) AS "case", i % 2 AS arm, hash(i) % 2 AS score FROM range({COUNT}) AS rows(i)
"""  # noqa: S608 (a number of ours)


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("killed") / "log.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({ROWS}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("after", [0.5, 1.0, 1.5, 2.0])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_nothing_is_left_half_written(log: Path, after: float, sent: signal.Signals, tmp_path: Path) -> None:
    written = tmp_path / "scores.parquet"
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    words = [sys.executable, "-m", "evalgauge", "convert", str(log), "-o", str(written)]
    with subprocess.Popen(
        words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_environment(scratch)
    ) as running:
        time.sleep(after)
        running.send_signal(sent)
    if written.exists():
        with duckdb.connect() as connection:
            count = connection.sql(f"SELECT count(*) FROM '{written}'").fetchall()  # noqa: S608 (a path of ours)
        assert count == [(COUNT,)]
    if sent is signal.SIGINT:
        assert not list(scratch.iterdir())


# Killed between the last byte and the name, and in the middle of the bytes where they are written by Python.
BEFORE_THE_NAME = "pathlib.Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)"
MIDWAY = (
    "whole = pathlib.Path.write_bytes; pathlib.Path.write_bytes = lambda path, data: "
    "(whole(path, data[: len(data) // 2]), os.kill(os.getpid(), signal.SIGKILL))"
)
SAYS = "from evalgauge.cli import main; sys.exit(main(sys.argv[1:]))"
OUTPUTS = {
    "scores.parquet": ["convert", "log.csv", "-o", "scores.parquet", "--overwrite"],
    "scores.csv": ["convert", "log.csv", "-o", "scores.csv", "--overwrite"],
    "scores.json": ["convert", "log.csv", "-o", "scores.json", "--overwrite"],
    "report.html": ["report", "log.csv", "-o", "report.html", "--overwrite"],
    "baseline.json": ["bless", "log.csv", "-o", "baseline.json", "--overwrite"],
    "junit.xml": ["gate", "log.csv", "other.csv", "--max-drop", "20pp", "--junit", "junit.xml"],
    "metrics.json": ["gate", "log.csv", "other.csv", "--max-drop", "20pp", "--metrics", "metrics.json"],
    "chart.svg": ["plot", "arms", "log.csv", "-o", "chart.svg", "--overwrite"],
}
WHOLE_BY_PYTHON = {"report.html", "baseline.json", "junit.xml", "metrics.json"}


@pytest.mark.parametrize("name", OUTPUTS)
def test_what_was_there_stays_until_the_new_file_is_whole(name: str, tmp_path: Path) -> None:
    cells = "".join(f"q{case},{case % 3 > 0:d}\n" for case in range(40))
    for log in ("log.csv", "other.csv"):
        (tmp_path / log).write_text(f"case,passed\n{cells}")
    target = tmp_path / name
    words = [*OUTPUTS[name], "--no-ledger"] if OUTPUTS[name][0] == "gate" else OUTPUTS[name]
    for fault in (BEFORE_THE_NAME, MIDWAY) if name in WHOLE_BY_PYTHON else (BEFORE_THE_NAME,):
        target.write_text("old")
        code = f"import os, pathlib, signal, sys; {fault}; {SAYS}"
        done = subprocess.run([sys.executable, "-c", code, *words], cwd=tmp_path, capture_output=True, check=False)
        assert done.returncode == -signal.SIGKILL, done.stderr
        assert target.read_text() == "old"
    done = subprocess.run([sys.executable, "-m", "evalgauge", *words], cwd=tmp_path, capture_output=True, check=False)
    assert target.read_bytes() != b"old", done.stderr


def _environment(scratch: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(scratch)}
