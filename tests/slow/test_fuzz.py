"""Each reader is fed with damaged logs for a while: no traceback, no hang, no memory above 1 GB.

``EVALGAUGE_FUZZ_SECONDS`` says for how many core-seconds each (10 by default; ``make slow FUZZ=600``). Half go to
atheris, which coverage guides, where it is installed.
"""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from evalgauge.errors import LogError
from evalgauge.formats.log_guard import reading
from support import fuzz
from support.fuzz import SEEDS

if TYPE_CHECKING:
    from collections.abc import Iterator

SECONDS = float(os.environ.get("EVALGAUGE_FUZZ_SECONDS", "10"))
PROGRAM = Path(__file__).resolve().parent.parent / "support" / "fuzz.py"


def fed(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(PROGRAM), name, str(SECONDS / 2), *options]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=20 * SECONDS + 600)


def slowly(_path: Path, *, tolerant: bool) -> bool:
    """Stand for a reader that hangs beneath the net that turns every exception into a refusal."""
    with suppress(LogError), reading("x.json"):
        end = time.process_time() + 5
        while time.process_time() < end:
            pass
    return tolerant


@pytest.fixture
def alarm() -> Iterator[None]:
    before = signal.signal(signal.SIGPROF, fuzz.too_long)
    yield
    signal.signal(signal.SIGPROF, before)


@pytest.mark.usefixtures("alarm")
def test_a_hang_is_no_refusal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzz, "use", slowly)
    # Tests before this one may have needed more memory than a log may.
    monkeypatch.setattr(fuzz, "memory", lambda: 0)
    monkeypatch.setattr(fuzz, "LONGEST", 0.05)
    with pytest.raises(fuzz.LimitError, match="core-seconds"):
        fuzz.one(tmp_path, "x.json", b"{}", tolerant=False)


def test_memory_is_looked_at_after_every_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fuzz.MOST_MEMORY == 1_000_000
    monkeypatch.setattr(fuzz, "MOST_MEMORY", 1)
    with pytest.raises(fuzz.LimitError, match="MB"):
        fuzz.one(tmp_path, "x.csv", b"case,score\na,1\n", tolerant=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SEEDS))
def test_damaged_logs_are_read_or_refused(name: str) -> None:
    done = fed(name)
    assert done.returncode == 0, done.stderr[-3_000:]
    assert " read, " in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(SEEDS))
def test_logs_that_coverage_guides_are_read_or_refused(name: str) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed: pip install --group slow")
    done = fed(name, "--atheris")
    assert done.returncode == 0, done.stderr[-3_000:]
    assert " read, " in done.stdout
