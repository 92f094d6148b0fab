"""The engine: what goes in comes out, in order, within the memory limit, and without the net."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from evalgauge.engine.duck import csv_columns, is_relation, parquet_columns, relation_columns, write_parquet
from evalgauge.errors import LogError


def objects(values: list[Any]) -> np.ndarray[Any, Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def test_parquet_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "it's [1].parquet"
    columns = {
        'a "name"': objects(["x", None, ""]),
        "real": np.array([0.1, np.nan, -1e300]),
        "whole": np.array([1, -2, 3], dtype=np.int32),
        "empty": objects([None, None, None]),
    }
    write_parquet(columns, path)
    text, real, whole, empty = parquet_columns(path, label="log")
    assert (text.name, text.kind, text.values.tolist()[0]) == ('a "name"', "text", "x")
    assert text.missing is not None
    assert text.missing.tolist() == [False, True, False]
    assert real.missing is not None
    assert real.missing.tolist() == [False, True, False]
    assert real.values.tolist()[0::2] == [0.1, -1e300]
    assert whole.values.dtype == np.int64
    assert whole.missing is None
    assert empty.missing is not None
    assert empty.missing.all()


def test_text_after_many_empty_cells_stays_text(tmp_path: Path) -> None:
    cells = objects([None] * 50_000 + ["late"])
    write_parquet({"raw": cells}, tmp_path / "x.parquet")
    (raw,) = parquet_columns(tmp_path / "x.parquet", label="log")
    assert raw.values.tolist()[-1] == "late"


def test_order_is_kept_over_many_row_groups(tmp_path: Path) -> None:
    numbers = np.arange(600_000)
    write_parquet({"a": numbers, "b": numbers % 7}, tmp_path / "x.parquet")
    a, b = parquet_columns(tmp_path / "x.parquet", label="log", memory_limit="200MB")
    np.testing.assert_array_equal(a.values, numbers)
    np.testing.assert_array_equal(b.values, numbers % 7)


def test_csv_larger_than_the_memory_limit(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    lines = (f"q{number},{number % 2},{'text ' * 80}\n" for number in range(300_000))
    path.write_text("id,score,note\n" + "".join(lines))
    case, score, _ = csv_columns(path, names=["id", "score", "note"], delimiter=",", memory_limit="100MB")
    assert case.values.tolist()[:2] == ["q0", "q1"]
    assert case.values.tolist()[-1] == "q299999"
    assert score.values.tolist()[-2:] == ["0", "1"]


def test_folders_that_look_like_partitions_add_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "subject=law"
    folder.mkdir()
    write_parquet({"a": np.arange(2)}, folder / "x.parquet")
    assert [column.name for column in parquet_columns(folder / "x.parquet", label="log")] == ["a"]
    (folder / "x.csv").write_text("id,score\na,1\n")
    assert len(list(csv_columns(folder / "x.csv", names=["id", "score"], delimiter=","))) == 2


def test_relation_types() -> None:
    relation = duckdb.sql(
        "SELECT 18446744073709551615::UBIGINT big, DATE '2026-01-02' AS dated, 'a'::ENUM('a') e, 1.5::DECIMAL(4, 2) d, "
        "{'x': [1, 2]} s, NULL::BOOLEAN flag, 3::UTINYINT small"
    )
    assert is_relation(relation)
    found = {column.name: column for column in relation_columns(relation)}
    assert found["big"].values.tolist() == ["18446744073709551615"]
    assert found["dated"].values.tolist() == ["2026-01-02"]
    assert found["e"].kind == "text"
    assert found["d"].values.tolist() == [1.5]
    assert found["s"].kind == "nested"
    assert found["flag"].missing is not None
    assert found["small"].values.dtype == np.int64


def test_other_objects_are_no_relation() -> None:
    class DuckDBPyRelation:
        pass

    assert not is_relation(DuckDBPyRelation())
    assert not is_relation("SELECT 1")


def test_damaged_files_are_log_errors(tmp_path: Path) -> None:
    (tmp_path / "x.parquet").write_bytes(b"PAR1" + b"\0" * 50)
    with pytest.raises(LogError, match=r"^shown: cannot be read: .*The file may be cut off: copy or write it again\."):
        list(parquet_columns(tmp_path / "x.parquet", label="shown"))
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(LogError, match=r"cannot be read: .*Line: 3\."):
        list(csv_columns(tmp_path / "x.csv", names=["a", "b"], delimiter=","))


def test_reading_a_small_csv_loads_no_engine(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("case,score\na,1\n")
    code = (
        "import sys; from evalgauge.formats import read; print(len(read(sys.argv[1]))); "
        "print(sorted({'duckdb', 'narwhals', 'scipy', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "x.csv")], capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["1", "[]"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_a_file_that_cannot_be_written_is_an_error_of_the_system(tmp_path: Path) -> None:
    columns = {"a": np.arange(3)}
    with pytest.raises(OSError, match="No space left on device") as full:
        write_parquet(columns, Path("/dev/full"))
    assert full.value.errno == errno.ENOSPC
    with pytest.raises(OSError, match="No such file or directory") as nowhere:
        write_parquet(columns, tmp_path / "no" / "x.parquet")
    assert nowhere.value.errno == errno.EIO
