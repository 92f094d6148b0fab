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


def _environment(scratch: Path) -> dict[str, str]:
    return {**os.environ, "TMPDIR": str(scratch)}
