"""Data frames: every library gives the table that the file gives."""

from __future__ import annotations

import datetime as dt
import io
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from evalgauge.errors import ArgumentError, LogError
from evalgauge.formats import ReadOptions, read
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.scores.table import ScoreTable

DATA: dict[str, list[Any]] = {
    "case": ["007", "b", "007", "b"],
    "model": ["m1", "m1", "m2", "m2"],
    "rep": [1, 1, 1, 1],
    "passed": [True, False, True, None],
    "topic": ["x", None, "x", None],
    "number": [1, 2, 1, 2],
}


def duck_relation(data: dict[str, list[Any]]) -> object:
    view = f"data_{id(data)}"
    duckdb.register(view, pa.table(data))
    return duckdb.sql(f"SELECT * FROM {view}")  # noqa: S608 (a name made here)


FRAMES: dict[str, Callable[[dict[str, list[Any]]], object]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "arrow": pa.table,
    "duckdb": duck_relation,
}


def content(table: ScoreTable) -> tuple[Any, ...]:
    return (
        table.cases.case_id,
        dict(table.cases.fields),
        [run.arm for run in table.runs],
        table.run.tolist(),
        table.case.tolist(),
        table.rep.tolist(),
        [str(score) for score in table.score.tolist()],
        table.status.tolist(),
    )


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_table(library: str) -> None:
    table = read(FRAMES[library](DATA))
    assert table.cases.case_id == ("007", "b")
    assert [run.arm for run in table.runs] == ["m1", "m2"]
    assert table.status.tolist() == [Status.OK, Status.OK, Status.OK, Status.UNSCORED]
    assert table.cases.fields == {"topic": ("x", None), "number": ("1", "2")}
    assert table.problems == ()
    assert content(table) == content(read(pd.DataFrame(DATA)))


def test_frame_and_csv_agree(tmp_path: Any) -> None:
    path = tmp_path / "log.csv"
    pd.DataFrame(DATA).to_csv(path, index=False)
    assert content(read(path)) == content(read(pd.DataFrame(DATA)))


@pytest.mark.parametrize("library", FRAMES)
def test_long_ids_with_a_gap_keep_their_digits(library: str) -> None:
    ids = [2**60 + 1, 2**60 + 2]
    frame = FRAMES[library]({"id": ids, "parent": [2**60 + 5, None], "score": [1.0, 0.0]})
    table = read(frame)
    assert table.cases.case_id == tuple(str(one) for one in ids)
    if library != "pandas":  # pandas itself turns whole numbers with a gap into floats
        assert table.cases.fields["parent"] == (str(2**60 + 5), None)


def test_whole_ids_that_pandas_made_floats_stay_whole() -> None:
    frame = pd.DataFrame({"id": [1, 2, None], "score": [1, 0, 1]}).dropna()
    assert read(frame).cases.case_id == ("1", "2")


@pytest.mark.parametrize("library", FRAMES)
def test_nested_columns_are_flattened(library: str) -> None:
    data = {
        "id": ["a", "b"],
        "scores": [{"acc": 1.0, "f1": 0.5}, {"acc": 0.0, "f1": None}],
        "tags": [["x"], ["y", "z"]],
    }
    table = read(FRAMES[library](data))
    assert [metric.name for metric in table.metrics] == ["scores.acc", "scores.f1"]
    assert table.status.tolist() == [0, 0, 0, Status.UNSCORED]


def test_other_types_of_pandas() -> None:
    frame = pd.DataFrame(
        {
            "id": pd.Series(["a", "b", "c"], dtype="category"),
            "score": pd.Series([1, None, 0], dtype="Int64"),
            "day": [dt.date(2026, 1, 1)] * 3,
            "mixed": pd.Series([True, "x", 3], dtype=object),
        }
    )
    table = read(frame)
    assert table.cases.case_id == ("a", "b", "c")
    assert table.status.tolist() == [Status.OK, Status.UNSCORED, Status.OK]
    assert table.cases.fields["day"] == ("2026-01-01",) * 3
    assert table.cases.fields["mixed"] == ("true", "x", "3")


def test_decimals_and_small_types() -> None:
    frame = pl.DataFrame(
        {"id": pl.Series([1, 2], dtype=pl.UInt8), "score": pl.Series(["0.5", "1"]).cast(pl.Decimal(4, 2))}
    )
    table = read(frame)
    assert table.score.tolist() == [0.5, 1.0]
    assert table.cases.case_id == ("1", "2")


def test_a_named_index_of_pandas_is_a_column() -> None:
    frame = pd.DataFrame({"score": [1, 0]}, index=pd.Index(["x", "y"], name="qid"))
    assert read(frame).cases.case_id == ("x", "y")
    two = pd.DataFrame({"score": [1, 0]}, index=pd.MultiIndex.from_tuples([("x", 1), ("x", 2)], names=["case", "rep"]))
    assert read(two).rep.tolist() == [1, 2]
    plain = read(pd.DataFrame({"score": [1, 0]}, index=["x", "y"]))
    assert plain.cases.id_is_row_number


def test_nan_of_a_frame_is_missing_and_infinity_is_said() -> None:
    table = read(pl.DataFrame({"id": ["a", "b", "c"], "score": [1.0, float("nan"), float("inf")]}))
    assert table.status.tolist() == [Status.OK, Status.UNSCORED, Status.INVALID]
    assert [problem.text for problem in table.problems] == ["In column 'score', 1 cell is infinite and is not scored."]


def test_roles_can_be_named_for_frames() -> None:
    frame = pl.DataFrame({"k": ["a", "b"], "base": [1, 0], "new": [1, 1]})
    table = read(frame, ReadOptions(columns={"case": "k"}, wide_arms=("base", "new")))
    assert [run.arm for run in table.runs] == ["base", "new"]
    assert table.score.tolist() == [1, 0, 1, 1]


def test_equal_frames_have_equal_run_ids() -> None:
    one, same = read(pl.DataFrame(DATA, strict=False)), read(pl.DataFrame(DATA, strict=False))
    other = read(pl.DataFrame({**DATA, "passed": [True, True, True, None]}, strict=False))
    assert one.runs[0].run_id == same.runs[0].run_id != other.runs[0].run_id


@pytest.mark.parametrize(
    ("source", "came"),
    [(5, "'int'"), (np.zeros(3), "'ndarray'"), (pd.Series([1]), "'Series'"), (io.StringIO(), "'StringIO'")],
)
def test_other_things_are_refused(source: object, came: str) -> None:
    with pytest.raises(ArgumentError) as refusal:
        read(source)
    assert str(refusal.value) == (
        f"source: got {came}, allowed is a path, a list of paths, a data frame (pandas, Polars, Arrow, Spark, DuckDB) "
        "or a ScoreTable."
    )


def test_empty_frames_are_refused() -> None:
    with pytest.raises(ArgumentError, match="source: got 'a data frame without columns', allowed is a table with"):
        read(pd.DataFrame())
    with pytest.raises(LogError, match="data frame: holds column names but no rows"):
        read(pl.DataFrame({"case": [], "score": []}))


def test_a_million_rows_do_not_pass_through_a_python_loop() -> None:
    n = 1_000_000
    frame = pl.DataFrame({"case": np.arange(n) // 10, "rep": np.arange(n) % 10, "score": np.arange(n) % 2})
    table = read(frame)
    assert len(table.cases) == 100_000
    assert table.rep[:11].tolist() == [*range(1, 11), 1]
    assert table.metrics[0].kind == "binary"
    assert float(table.score.sum()) == n / 2


TWINS = [
    pd.DataFrame([["a", 1, 0]], columns=["case", "score", "score"]),
    pd.DataFrame([["a", "b", 0]], columns=["case", "case", "score"]),
    pd.DataFrame([["a", 1, 2, 3]], columns=["case", "score", 5, "5"]),
    pd.DataFrame({"score": [1]}, index=pd.MultiIndex.from_tuples([("a", 1)], names=["case", "case"])),
    pa.table([pa.array(["a"]), pa.array([1]), pa.array([0])], names=["case", "score", "score"]),
    duckdb.sql("SELECT 'a' AS case, 1 AS score, 2 AS score"),
]


@pytest.mark.parametrize("frame", TWINS, ids=["pandas", "case", "number and text", "index", "arrow", "duckdb"])
def test_a_name_that_two_columns_have_is_refused(frame: object) -> None:
    with pytest.raises(ArgumentError, match=r"got .a data frame with several columns '(score|case|5)'.*Rename them"):
        read(frame)


@pytest.mark.parametrize("lazy", [pl.scan_csv("/nonexistent.csv"), pl.LazyFrame({"a": ["x"]}).select(pl.col("b"))])
def test_what_the_library_of_a_frame_refuses_is_said_in_one_line(lazy: pl.LazyFrame) -> None:
    with pytest.raises(LogError) as refusal:
        read(lazy)
    assert "\n" not in str(refusal.value)
