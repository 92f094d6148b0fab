"""The command line as a process: streams, encodings, pipes. No traceback, no fault, no broken word."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

EVALGAUGE = [sys.executable, "-m", "evalgauge"]


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "run.csv"
    path.write_text("case,score\n" + "".join(f"q{i},{i % 2}\n" for i in range(20)), encoding="utf-8")
    return path


def run(words: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, **environment}
    command = [*EVALGAUGE, *words]
    return subprocess.run(command, capture_output=True, text=True, env=settings, check=False, encoding="utf-8")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
@pytest.mark.parametrize("words", [["{log}"], ["{log}", "{log}"], ["{log}", "--json"]], ids=["text", "compare", "json"])
def test_every_encoding_gets_an_answer(log: Path, encoding: str, words: list[str]) -> None:
    found = subprocess.run(
        [*EVALGAUGE, *(word.format(log=log) for word in words)],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding},
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == b""
    text = found.stdout.decode(encoding)
    assert "?" not in text


def test_a_full_disk_is_said_in_one_line(log: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device, not a file
        found = subprocess.run([*EVALGAUGE, str(log)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert found.returncode == 2
    assert found.stderr.strip().splitlines() == ["evalgauge: the output cannot be written: No space left on device."]


def test_a_reader_that_goes_away_is_no_error(log: Path) -> None:
    script = f"{sys.executable} -m evalgauge {log} --json | head -c 1"
    found = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert found.stdout == "{"
    assert found.stderr == ""


def test_no_standard_input_is_said(log: Path) -> None:
    found = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m evalgauge measure - <&-"], capture_output=True, text=True, check=False
    )
    assert found.returncode == 2
    assert "evalgauge measure - < scores.csv" in found.stderr
    assert "fault" not in found.stderr
    assert log.exists()


def test_no_home_and_no_colour_change_nothing(log: Path) -> None:
    plain = run([str(log)])
    assert run([str(log)], HOME="/nonexistent", NO_COLOR="1").stdout == plain.stdout
