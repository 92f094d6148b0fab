"""A folder with a registered set and its candidates, for tests of commands."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from support.holdouts import TEXTS
from support.sets import coin, log_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.command import Command


@pytest.fixture
def folder(tmp_path: Path, command: Command) -> Iterator[Path]:
    log_of(tmp_path / "base.jsonl", TEXTS, coin(0.7, 0))
    for number in range(1, 6):
        log_of(tmp_path / f"cand-{number}.jsonl", TEXTS, coin(0.7, number), arm=f"prompt-{number}")
    with chdir(tmp_path):
        assert command("ledger", "init").code == 0
        assert command("ledger", "register", "base.jsonl", "--name", "support").code == 0
        yield tmp_path
