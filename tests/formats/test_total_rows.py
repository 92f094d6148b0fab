"""Totals at the end of a spreadsheet are no cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalgauge.formats import read
from support.read_tables import texts, written

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "a,1\nb,0\nc,1\nd,1\n"


@pytest.mark.parametrize("last", ["Total,0.75", "average:,0.750", "TOTAL,3", "Mean,75%", "Overall,"])
def test_the_row_of_totals_is_left_out_and_said(tmp_path: Path, last: str) -> None:
    table = read(written(tmp_path, f"id,score\n{ROWS}{last}\n"))
    assert table.cases.case_id == ("a", "b", "c", "d")
    assert table.score.tolist() == [1.0, 0.0, 1.0, 1.0]
    assert [text for text in texts(table) if "it is no case and was left out" in text]


def test_every_score_has_to_be_a_total(tmp_path: Path) -> None:
    rows = "a,1,0.5\nb,0,0.7\nc,1,0.6\n"
    total = read(written(tmp_path, f"id,f1,accuracy\n{rows}total,0.67,0.6\n", "a.csv"))
    assert len(total.cases.case_id) == 3
    case = read(written(tmp_path, f"id,f1,accuracy\n{rows}total,0.67,0.1\n", "b.csv"))
    assert len(case.cases.case_id) == 4
    assert "The last row is called 'total' and is counted as a case: if it is a total, delete it." in texts(case)


@pytest.mark.parametrize("text", ["total,0.75\na,1\nb,0\n", "a,1\nb,0\nc,0.5\n", "total,1\nb,0\ntotal,0.5\n"])
def test_other_rows_stay_and_nothing_is_said(tmp_path: Path, text: str) -> None:
    table = read(written(tmp_path, f"id,score\n{text}"))
    assert len(table) == 3
    assert not any("last row" in said for said in texts(table))
