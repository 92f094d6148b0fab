"""The same question of the same scores has one answer, byte for byte, wherever the table lies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest

from evalgauge.engine.counts import CountQuery
from evalgauge.engine.duck_counts import parquet_rows
from evalgauge.formats import jsonl_table
from support.large import NEVER, answer, large_from, written_lines, written_parquet

if TYPE_CHECKING:
    from evalgauge.engine.counts import Counts
    from evalgauge.engine.duck import Fetched

ASKED: dict[str, Any] = {"arms": ("base", "new"), "by": "topic", "margin": 0.02}
MILLION = """
SELECT 'q' || (i // 2 % 50000) AS "case", CASE i % 2 WHEN 0 THEN 'base' ELSE 'new' END AS arm, i // 100000 AS rep,
       's' || (i // 2 % 50000 % 7) AS topic,
       CASE WHEN hash(i) % 50 = 0 THEN NULL ELSE (hash(i, 7) % 100 < 55 + 4 * (i % 2))::INTEGER / 4 END AS score
FROM range(1000000) AS rows(i)
"""


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a million rows, as Parquet and as CSV: 50,000 cases, two arms, ten reps, some missing."""
    folder = tmp_path_factory.mktemp("million")
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({MILLION}) TO '{folder / 'scores.parquet'}' (FORMAT parquet)")
        connection.execute(f"COPY ({MILLION}) TO '{folder / 'scores.csv'}' (FORMAT csv)")
        connection.execute(f"COPY ({MILLION}) TO '{folder / 'scores.jsonl'}' (FORMAT json)")
    return folder


@pytest.fixture(scope="module")
def expected(million: Path) -> str:
    """Return the answer from Parquet, counted by DuckDB."""
    found = answer("compare", million / "scores.parquet", **ASKED)
    assert '"verdict"' in found
    return found


def test_csv(million: Path, expected: str) -> None:
    assert answer("compare", million / "scores.csv", **ASKED) == expected


def test_csv_counted_by_duckdb(million: Path, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    large_from(monkeypatch, 500_000)
    assert answer("compare", million / "scores.csv", **ASKED) == expected


@pytest.mark.parametrize("engine_above", [0, NEVER])
def test_json_lines(million: Path, expected: str, engine_above: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl_table, "ENGINE_ABOVE", engine_above)
    assert answer("compare", million / "scores.jsonl", **ASKED) == expected


def test_row_by_row(million: Path, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    large_from(monkeypatch, 500_000, engine_rows=NEVER)
    assert answer("compare", million / "scores.parquet", **ASKED) == expected


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "duckdb", "ibis"])
def test_frames(library: str, million: Path, expected: str) -> None:
    path = str(million / "scores.parquet")
    frame: Any
    if library == "pandas":
        frame = pytest.importorskip("pandas").read_parquet(path)
    elif library == "polars":
        frame = pytest.importorskip("polars").read_parquet(path)
    elif library == "pyarrow":
        frame = pytest.importorskip("pyarrow.parquet").read_table(path)
    elif library == "duckdb":
        frame = duckdb.read_parquet(path)
    else:
        frame = pytest.importorskip("ibis").duckdb.connect().read_parquet(path)
    assert answer("compare", frame, **ASKED) == expected


def test_duckdb_through_ibis(million: Path, expected: str) -> None:
    for name in ("scores.parquet", "scores.csv"):
        assert answer("compare", str(million / name), engine="ibis:duckdb://", **ASKED) == expected


def test_a_table_in_a_database_file(million: Path, expected: str, tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "runs.duckdb")) as connection:
        connection.execute(f"CREATE TABLE scores AS SELECT * FROM '{million / 'scores.parquet'}'")  # noqa: S608 (a path of ours)
    address = f"ibis:duckdb://{tmp_path / 'runs.duckdb'}"
    for table in ("scores", "main.scores"):
        assert answer("compare", table, engine=address, **ASKED) == expected


def test_spark(spark: Any, million: Path, expected: str) -> None:
    assert answer("compare", str(million / "scores.parquet"), engine="spark://local[2]", **ASKED) == expected
    frame = spark.read.parquet(str(million / "scores.parquet"))
    assert answer("compare", frame, **ASKED) == expected


def test_spark_connect_and_the_command_line(connect: str, million: Path) -> None:
    words = [str(million / "scores.parquet"), "--arms", "base,new", "--by", "topic", "--margin", "2pp", "--no-ledger"]
    command = [sys.executable, "-m", "evalgauge", "compare", *words, "--json"]
    # A session in this process leaves its settings in the environment; a user's shell holds none.
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    here, there = (
        subprocess.run([*command, *more], capture_output=True, check=False, timeout=300, cwd=million, env=clean)
        for more in ([], ["--engine", connect])
    )
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    assert here.stdout == there.stdout


COLUMNS = {"case": "BIGINT", "arm": "VARCHAR", "rep": "INTEGER", "score": "DOUBLE", "topic": "VARCHAR"}
FULL = [
    (case, arm, rep, (case + rep) % 3 / 2, "xy"[case % 2])
    for case in range(6)
    for arm in ("base", "new")
    for rep in (1, 2)
]
WORDS = {**COLUMNS, "score": "VARCHAR"}
SAID = ("1", "PASS", "dunno", "timeout")
REFUSED = {"rows there twice", "no rep number", "no id", "outside the range", "mixed words", "two values of a slice"}
NASTY: dict[str, tuple[dict[str, str], list[tuple[Any, ...]]]] = {
    "plain": (COLUMNS, FULL),
    "NaN and NULL": (COLUMNS, [*FULL, (6, "base", 1, float("nan"), "x"), (6, "new", 1, None, "x")]),
    "nothing scored in a slice": (COLUMNS, [*FULL, (7, "base", 1, None, "z"), (7, "new", 1, None, "z")]),
    "a slice without a name": (COLUMNS, [*FULL, (8, "base", 1, 1.0, None), (8, "new", 1, 0.0, None)]),
    "rows there twice": (COLUMNS, [*FULL, FULL[0], FULL[1]]),
    "no rep number": (COLUMNS, [*FULL, (0, "base", None, 1.0, "x")]),
    "no id": (COLUMNS, [*FULL, (None, "base", 1, 1.0, "x")]),
    "infinite": (COLUMNS, [*FULL, *((9, arm, rep, float("inf"), "x") for arm in ("base", "new") for rep in (1, 2))]),
    "infinite in one rep": (COLUMNS, [*FULL, (9, "base", 1, float("inf"), "x"), (9, "new", 1, 0.0, "x")]),
    "outside the range": (COLUMNS, [*FULL, (9, "base", 1, 7.0, "x")]),
    "scores without a lattice": (
        COLUMNS,
        [(case, arm, rep, 1 / (2 + case + rep), topic) for case, arm, rep, _, topic in FULL],
    ),
    "words": (WORDS, [(*row[:3], "pass" if row[3] else "fail", row[4]) for row in FULL]),
    "words without a score": (
        WORDS,
        [*((*row[:3], "1", row[4]) for row in FULL), *((9, "base", rep, "timeout", "x") for rep in (1, 2))],
    ),
    "mixed words": (WORDS, [(*row[:3], SAID[row[0] % 4], row[4]) for row in FULL]),
    "reps without numbers": (
        {name: kind for name, kind in COLUMNS.items() if name != "rep"},
        [(*row[:2], *row[3:]) for row in FULL],
    ),
    "long ids": (COLUMNS, [(2**53 + row[0], *row[1:]) for row in FULL]),
    "two values of a slice": (COLUMNS, [(*row[:4], "xyz"[row[2]]) for row in FULL]),
}


def ways_of(log: Path, name: str) -> dict[str, Any]:
    """Return a table of the hard ones as files and frames of every kind."""
    columns, rows = NASTY[name]
    relation = duckdb.read_parquet(str(log))
    relation.write_csv(str(log.with_suffix(".csv")))
    pandas, polars, arrow, ibis = map(pytest.importorskip, ("pandas", "polars", "pyarrow.parquet", "ibis"))
    return {
        "csv": log.with_suffix(".csv"),
        "jsonl": written_lines(log.with_suffix(".jsonl"), columns, rows),
        "pandas": pandas.read_parquet(log),
        "polars": polars.read_parquet(log),
        "arrow": arrow.read_table(log),
        "duckdb": relation,
        "ibis": ibis.duckdb.connect().read_parquet(log),
    }


@pytest.mark.parametrize("name", NASTY)
def test_what_is_hard_is_answered_or_refused_alike(
    name: str, spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written_parquet(tmp_path / "log.parquet", *NASTY[name])
    said: dict[str, str] = {}
    for way, engine_rows in (("counted", 1), ("row by row", NEVER)):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=engine_rows)
            said[way] = answer("compare", str(log), **ASKED)
            for kind, given in ways_of(log, name).items():
                said[f"{kind}, {way}"] = answer("compare", given, **ASKED)
            said[f"Spark frame, {way}"] = answer("compare", spark.read.parquet(str(log)), **ASKED)
    for engine in ("ibis:duckdb://", "spark://local[2]"):
        said[engine] = answer("compare", str(log), engine=engine, **ASKED)
    expected = said["counted"]
    assert not {way: text for way, text in said.items() if text != expected}, expected
    assert ('"verdict"' in expected) == (name not in REFUSED), expected


def test_spark_connect_answers_or_refuses_alike(connect: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = {name: written_parquet(tmp_path / f"{place}.parquet", *NASTY[name]) for place, name in enumerate(NASTY)}
    large_from(monkeypatch, 1)
    expected = {name: answer("compare", str(log), **ASKED) for name, log in logs.items()}
    # A process holds one kind of Spark session.
    code = (
        "import json, sys; from support.large import answer; logs, asked, engine = map(json.loads, sys.argv[1:]); "
        "print(json.dumps({name: answer('compare', log, engine=engine, **asked) for name, log in logs.items()}))"
    )
    words = [json.dumps(one) for one in ({name: str(log) for name, log in logs.items()}, ASKED, connect)]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SPARK", "PYSPARK"))}
    path = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, [clean.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        check=False,
        timeout=300,
        env={**clean, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected


def test_sql_of_our_own_is_the_ibis_expression(tmp_path: Path) -> None:
    from evalgauge.engine.ibis_rows import engine_rows  # noqa: PLC0415 (needs the extra)

    log = written_parquet(tmp_path / "log.parquet", *NASTY["NaN and NULL"])
    query = CountQuery(keys=("case", "arm", "score"), case="case", spans=("topic",), rep="rep", runs=("arm",))
    with parquet_rows([log], label="log") as ours, engine_rows("ibis:duckdb://", str(log)) as theirs:
        assert rows_of(ours.counts(query)) == rows_of(theirs.counts(query))
        assert ours.doubled(query) == theirs.doubled(query) == 0


def rows_of(counts: Counts) -> list[str]:
    columns = [
        [
            "none" if gone else str(value)
            for value, gone in zip(one.values.tolist(), absent_in(one, counts), strict=True)
        ]
        for one in counts.columns
    ]
    varies = [values.tolist() for values in counts.varying.values()]
    return sorted(map(str, zip(*columns, *varies, counts.count.tolist(), strict=True)))


def absent_in(column: Fetched, counts: Counts) -> list[bool]:
    return [False] * counts.count.size if column.missing is None else column.missing.tolist()


@pytest.mark.parametrize(
    ("engine", "table", "text"),
    [
        ("flink://here", "scores", "engine: got 'flink://here', allowed is spark://HOST:PORT"),
        ("ibis:", "scores", "allowed is spark://HOST:PORT"),
        ("ibis:duckdb://", "nothing", "nothing: cannot be read by the engine"),
        ("ibis:duckdb://", "nothing.parquet", "nothing.parquet: cannot be read by the engine"),
    ],
)
def test_refusals(engine: str, table: str, text: str) -> None:
    assert text in answer("measure", table, engine=engine).replace("LOG", table)


def test_a_table_without_ids_is_refused_with_the_way_out(tmp_path: Path) -> None:
    log = written_parquet(tmp_path / "log.parquet", {"score": "DOUBLE"}, [(1.0,), (0.0,)])
    said = answer("measure", str(log), engine="ibis:duckdb://")
    assert "cannot be counted by an engine: no column names the case" in said
    assert "without --engine" in said


@pytest.mark.slow
def test_ten_million_ids(tmp_path: Path) -> None:
    log = tmp_path / "log.parquet"
    rows = """SELECT 'q' || i AS "case", 'a' AS arm, (hash(i) % 2)::INTEGER AS score FROM range(10000000) AS rows(i)"""
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({rows}) TO '{log}' (FORMAT parquet)")
    counted = answer("measure", str(log))
    assert '"n_cases": 10000000' in counted
    assert answer("measure", str(log), engine="ibis:duckdb://") == counted
