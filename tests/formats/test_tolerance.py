"""With tolerance a damaged row costs its own run, which counts as unreadable, and no advice is given that was taken."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from evalgauge.formats import ReadOptions, read
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.scores.table import ScoreTable


def statuses(table: ScoreTable) -> set[Status]:
    return {Status(int(one)) for one in set(table.status.tolist())}


def with_a_bad_line(source: Path, path: Path) -> Path:
    """Copy a log of one row a line, with its second line broken."""
    lines = source.read_bytes().splitlines(keepends=True)
    lines[1] = b'{"broken": \n'
    path.write_bytes(b"".join(lines))
    return path


def test_a_bad_row_of_lm_eval_is_unreadable_and_not_absent(fixtures: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(fixtures / "lm-eval" / "base", folder)
    path = next(folder.rglob("samples_sums_2*.jsonl"))
    whole = read(path)
    with_a_bad_line(path, path)
    table = read(path, ReadOptions(tolerant=True))
    assert statuses(whole) == {Status.OK}
    assert statuses(table) == {Status.OK, Status.UNREADABLE}
    assert len(table) == len(whole)
    assert any("they count as unreadable" in problem.text for problem in table.problems)


def test_a_bad_row_of_promptfoo_is_unreadable_and_not_absent(fixtures: Path, tmp_path: Path) -> None:
    source = fixtures / "promptfoo" / "errors.jsonl"
    table = read(with_a_bad_line(source, tmp_path / "errors.jsonl"), ReadOptions(tolerant=True))
    assert len(table) <= len(read(source))
    assert Status.NOT_RUN not in statuses(table)


@pytest.mark.parametrize("line", ["{", "Traceback!", "5", "[1, 2]", "null", '"text"'])
def test_a_line_that_is_no_record_is_left_out(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(f'{{"id": "a", "score": 1}}\n{line}\n{{"id": "b", "score": 0}}\n', encoding="utf-8")
    table = read(path, ReadOptions(tolerant=True))
    assert table.cases.case_id == ("a", "b")
    assert not any("tolerant" in problem.text for problem in table.problems)
