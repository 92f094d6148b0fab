"""The pages over a folder of small logs."""

from __future__ import annotations

import shutil
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient

from evalgauge.web.app import make_app
from evalgauge.web.library import Library
from evalgauge.web.safety import Guard
from support.charted import BASE, CANDIDATE
from support.tables import written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Path]:
    """Return a folder with two logs and a table, in which the process works as the server does."""
    folder = tmp_path / "served"
    folder.mkdir()
    shutil.copy(BASE, folder / "base.eval")
    shutil.copy(CANDIDATE, folder / "cand.eval")
    (folder / "deep").mkdir()
    written(folder / "deep" / "table.csv", ("case", "score"), [(f"q{n}", int(n % 4 > 0)) for n in range(80)])
    with chdir(folder):
        yield folder


@pytest.fixture
def library(served: Path) -> Iterator[Library]:
    found = Library(served)
    yield found
    found.close()


@pytest.fixture
def client(library: Library) -> Iterator[TestClient]:
    app = make_app(library, Guard("127.0.0.1"))
    with TestClient(app, base_url="http://127.0.0.1:8000", follow_redirects=False) as found:
        yield found
