"""A CSV file whose first line is no header loses a case where that is not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from evalgauge import measure
from evalgauge.errors import LogError, ScoreError
from evalgauge.formats import ReadOptions, read
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("q0,1\nq1,0\nq2,1\n", "q0,1"),
        ("q0;0,5\nq1;1\n", "q0;0,5"),
        ("q0,85%\nq1,90%\n", "q0,85%"),
        ("q0,pass\nq1,fail\nq2,pass\n", "q0,pass"),
        ("q0,true,web\nq1,false,phone\nq2,true,web\n", "q0,true,web"),
        ("q0\t0.5\nq1\ttimeout\nq2\t1\n", "q0\t0.5"),
        ("a,b,c,d,e,f,1\ng,h,i,j,k,l,0\n", "a,b,c,d,e …"),
    ],
)
def test_a_first_line_that_is_a_case_is_refused(tmp_path: Path, text: str, first: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    with pytest.raises(LogError) as refusal:
        read(path)
    assert str(refusal.value).endswith(
        f"x.csv, line 1: the first line looks like a case and not like column names: {first!r}. Add a header line, "
        "such as: case,score. If it is one, name the score: --map score=COLUMN."
    )


@pytest.mark.parametrize(
    ("text", "n_cases"),
    [
        ("case,1,2,3\na,1,0,1\nb,0,0,1\n", 2),
        ("ticket,1\na,1\nb,0\n", 2),
        ("name,pass\na,pass\nb,fail\n", 2),
        ("thing,correct\na,yes\nb,no\n", 2),
        ("thing,2024\na,open\nb,closed\n", 0),
    ],
)
def test_a_header_with_numbers_or_score_words_stays_one(tmp_path: Path, text: str, n_cases: int) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    if n_cases:
        assert len(read(path).cases) == n_cases
    else:
        with pytest.raises(LogError, match="no column is recognised as the score"):
            read(path)


def test_a_column_that_the_user_names_makes_a_header(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("thing,1,2\na,1,0\nb,0,0\n")
    with pytest.raises(LogError, match="looks like a case"):
        read(path)
    assert len(read(path, ReadOptions(wide_reps=("1", "2")))) == 4
    assert len(read(path, ReadOptions(columns={"score": "1|2"}))) == 4
    assert len(read(path, ReadOptions(columns={"case": "thing"}))) == 4


@pytest.mark.parametrize("same", [False, True])
def test_a_table_of_very_many_columns_is_refused_in_a_few_words(same: bool, tmp_path: Path) -> None:  # noqa: FBT001 - a column
    names = ["c" if same else f"c{number}" for number in range(20_000)]
    path = written(tmp_path / "wide.csv", names, [[1] * len(names)])
    with pytest.raises(ScoreError, match="The log holds 20,000 metrics and none is named") as refusal:
        measure(path)
    assert "'c29' and 19,970 more" in str(refusal.value) or "'c (30)' and 19,970 more" in str(refusal.value)
    assert len(str(refusal.value)) < 600


def test_columns_of_one_name_are_numbered_past_names_that_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("case,a,a,a (2),a\nq1,1,0,1,0\n")
    names = [metric.name for metric in read(path).metrics]
    assert len(set(names)) == 4
    assert {"a", "a (2)", "a (2) (2)", "a (3)"} == set(names)
