"""Ledgers on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalgauge.ledger.places import named_place
from support.postgres import cluster

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalgauge.ledger.places import Place
    from support.postgres import Cluster


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    with cluster() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """Where a new ledger can go: a file, and a database of a real server."""
    if request.param == "sqlite":
        return named_place(str(tmp_path / "ledger.db"))
    return named_place(request.getfixturevalue("postgres").new_database())


@pytest.fixture
def file_place(tmp_path: Path) -> Place:
    return named_place(str(tmp_path / "ledger.db"))
