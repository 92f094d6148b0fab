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


COMMANDS = [
    "compare {log} {log}",
    "measure {log} --json",
    "plan --show-code",
    "convert {log} -o {log}.jsonl",
    "plan reps --help",
]


def shell(script: str, log: Path) -> subprocess.CompletedProcess[str]:
    text = script.replace("evalgauge", f"{sys.executable} -m evalgauge").format(log=log)
    return subprocess.run(["bash", "-c", text], capture_output=True, text=True, check=False, encoding="utf-8")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_output_is_said_in_one_line(log: Path, command: str) -> None:
    found = shell(f"evalgauge {command} >&-", log)
    assert found.returncode == 2
    assert found.stderr == "evalgauge: the standard output is closed: there is nowhere to write the answer.\n"
    assert sorted(log.parent.iterdir()) == [log]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_pipe_ends_as_for_other_tools(log: Path, command: str) -> None:
    # The writer waits until the reader is surely gone.
    found = shell(f"set -o pipefail; (sleep 0.3; exec evalgauge {command}) | true", log)
    assert (found.returncode, found.stdout, found.stderr) == (141, "", "")


@pytest.mark.parametrize("command", COMMANDS)
def test_closed_errors_cost_nothing(log: Path, command: str) -> None:
    found = shell(f"evalgauge {command} 2>&-", log)
    assert found.returncode == 0
    assert found.stdout
    if "convert" in command:
        written = log.with_name(f"{log.name}.jsonl").read_text(encoding="utf-8")
        assert len(written.splitlines()) == 20


@pytest.mark.parametrize("errors", ["2>&-", "2> >(true)"], ids=["closed", "broken"])
def test_a_refusal_that_nobody_reads_still_refuses(log: Path, errors: str) -> None:
    found = shell(f"evalgauge measure {log}.nothing {errors}", log)
    assert (found.returncode, found.stdout) == (2, "")


@pytest.mark.parametrize("command", ["measure -", "-", "compare - {log}", "convert - -o {log}.csv", "plan --like=-"])
def test_no_standard_input_is_said(log: Path, command: str) -> None:
    found = shell(f"evalgauge {command} <&-", log)
    assert found.returncode == 2
    assert "evalgauge measure - < scores.csv" in found.stderr
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["measure {log}", "convert {log} -o {log}.csv"])
def test_all_streams_closed_writes_into_no_file(log: Path, command: str) -> None:
    before = log.read_bytes()
    found = shell(f"evalgauge {command} <&- >&- 2>&-", log)
    assert found.returncode == 2
    assert log.read_bytes() == before


def test_no_home_and_no_colour_change_nothing(log: Path) -> None:
    plain = run([str(log)])
    assert run([str(log)], HOME="/nonexistent", NO_COLOR="1").stdout == plain.stdout
