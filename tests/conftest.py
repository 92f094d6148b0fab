"""Shared fixtures: where the fixture logs, the real public logs and the expected values are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from support.browser import chromium
from support.command import Command

if TYPE_CHECKING:
    from collections.abc import Iterator

# The clock judges nothing here: a busy machine is no fault. On a CI machine the examples are the same every time.
settings.register_profile("default", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")

ROOT = Path(__file__).resolve().parent.parent
FIXTURES = ROOT / "tests" / "fixtures"


def _outside(variable: str, beside: str) -> Path:
    """Return a folder that is provided from outside; skip without it, or fail where everything is required."""
    folder = Path(os.environ.get(variable) or ROOT.parent / "shared" / beside)
    if folder.is_dir():
        return folder
    text = f"{variable} does not name a folder (tried {folder})"
    if os.environ.get("EVALGAUGE_REQUIRE_ALL") == "1":
        pytest.fail(text)
    pytest.skip(text)


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """Folder of the small logs that the real frameworks wrote."""
    return FIXTURES


@pytest.fixture(scope="session")
def real_logs() -> Path:
    """Folder of real public logs, provided through EVALGAUGE_LOGS."""
    return _outside("EVALGAUGE_LOGS", "logs")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Return a real Chromium."""
    with chromium() as found:
        yield found


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command line as a user would."""
    return Command(capsys)
