"""Each reader is fed with damaged logs for a while: no traceback, no hang, no memory above 1 GB.

``EVALGAUGE_FUZZ_SECONDS`` says for how many core-seconds each (10 by default; ``make slow FUZZ=600``). Half go to
atheris, which coverage guides, where it is installed.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.fuzz import SEEDS

SECONDS = float(os.environ.get("EVALGAUGE_FUZZ_SECONDS", "10"))
PROGRAM = Path(__file__).resolve().parent.parent / "support" / "fuzz.py"


def fed(name: str, *options: str) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(PROGRAM), name, str(SECONDS / 2), *options]
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=20 * SECONDS + 600)


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
