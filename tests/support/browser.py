"""A real Chromium for tests: none is a skip, or a failure where everything is required."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

# Nothing of the browser's own errands: tests look at what pages ask for.
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
FLAGS += ["--disable-component-update", "--disable-sync"]


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium, and end it."""
    path = shutil.which("chromium") or shutil.which("google-chrome")
    if path is None:
        text = "Chromium is not installed"
        if os.environ.get("EVALGAUGE_REQUIRE_ALL") == "1":
            pytest.fail(text)
        pytest.skip(text)
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - only with a browser

    with sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield found
        found.close()
