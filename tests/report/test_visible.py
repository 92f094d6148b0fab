"""What a log or a file is called cannot command the terminal."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.report.visible import visible

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


@given(st.text())
def test_nothing_is_left_that_controls(text: str) -> None:
    shown = visible(text)
    assert not [sign for sign in shown if unicodedata.category(sign) in {"Cc", "Zl", "Zp"}]
    assert visible(shown) == shown
    if text.isprintable():
        assert shown == text


@pytest.mark.parametrize("name", ["\x1b[31mred", "two\nlines", "\r", "\x9b2J", "a\u202ecod.exe"])
def test_names_of_cases_metrics_and_files_are_shown_and_not_obeyed(command: Command, tmp_path: Path, name: str) -> None:
    log = tmp_path / f"{name}.csv"
    rows = "".join(f'"{name}{i}","{name}",{i % 2},{name!r}\n' for i in range(4))
    log.write_text(f'case,topic,"score{name}",other\n{rows}', encoding="utf-8", newline="")
    for words in (["measure", log], ["measure", log, "--by", "topic"], ["measure", tmp_path / f"{name}.nothing"]):
        seen = command(*words)
        for text in (*seen.out.splitlines(), *seen.err.splitlines()):
            assert visible(text) == text
