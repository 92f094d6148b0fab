"""A table that is counted where it lies gives the answers and the refusals of one that is read row by row."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evalgauge as eg
from evalgauge.engine.counts import CountQuery
from evalgauge.engine.duck_counts import DuckRows, parquet_rows
from evalgauge.errors import LogError
from evalgauge.formats import csv_table, jsonl_table, parquet_table
from evalgauge.formats.large_table import counted_table
from evalgauge.formats.open import read
from evalgauge.formats.protocol import ReadOptions
from support.large import NEVER, answer, large_from, written_lines, written_parquet

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.engine.duck import Fetched
    from evalgauge.scores.table import ScoreTable

COLUMNS = {"case": "VARCHAR", "arm": "VARCHAR", "score": "DOUBLE", "status": "VARCHAR", "topic": "VARCHAR"}
IDS = [f"q{number}" for number in range(1, 13)]
LATTICE = st.sampled_from([0.0, 0.25, 0.5, 1.0, float("nan"), None])
ANY_SCORE = st.one_of(LATTICE, st.floats(0, 1))
QUESTIONS: dict[str, dict[str, Any]] = {
    "compare": {"arms": ("a", "b"), "by": "topic"},
    "gate": {"arms": ("a", "b"), "max_drop": 0.2},
    "measure": {"arm": "b", "cluster": "topic", "missing": "bounds"},
    "best_of": {},
    "rank": {},
}


def tables(scores: st.SearchStrategy[float | None]) -> st.SearchStrategy[list[tuple[object, ...]]]:
    """Rows of two arms in the order of their ids; every case of a set has one topic, or in some rows none."""
    row = st.tuples(
        st.integers(0, 11), st.sampled_from("ab"), scores, st.sampled_from(["ok", "error", None]), st.booleans()
    )
    whole = [(place, arm, 1.0, "ok", True) for place in (0, 5, 11) for arm in "ab"]
    return st.lists(row, max_size=60).map(
        lambda rows: [
            (IDS[place], arm, score, status, "abc"[place % 3] if has_topic else None)
            for place, arm, score, status, has_topic in sorted([*whole, *rows], key=lambda one: one[:2])
        ]
    )


@pytest.mark.parametrize("question", QUESTIONS)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.one_of(tables(LATTICE), tables(ANY_SCORE)))
def test_counting_changes_no_answer(
    question: str, rows: list[tuple[object, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = written_parquet(tmp_path / "log.parquet", COLUMNS, rows)
    asked = QUESTIONS[question]
    with monkeypatch.context() as patch:
        large_from(patch, NEVER)
        row_by_row = answer(question, log, **asked)
    with monkeypatch.context() as patch:
        large_from(patch, 1, engine_rows=NEVER)
        read_whole = answer(question, log, **asked)
    with monkeypatch.context() as patch:
        large_from(patch, 1)
        seen: list[int] = []

        def counting(*given: Any) -> ScoreTable:
            seen.append(1)
            return counted_table(*given)

        def not_per_case(*_given: object) -> None:
            return None

        patch.setattr(parquet_table, "counted_table", counting)
        counted = answer(question, log, **asked)
        patch.setattr(DuckRows, "case_counts", not_per_case)
        in_groups = answer(question, log, **asked)
    assert len(seen) == 2
    assert counted == read_whole
    assert counted == row_by_row
    assert counted == in_groups


@given(rows=tables(ANY_SCORE), seed=st.integers(0, 99))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_rows_changes_no_byte(
    rows: list[tuple[object, ...]], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    order: list[int] = np.random.default_rng(seed).permutation(len(rows)).tolist()
    shuffled = [rows[place] for place in order]
    one = written_parquet(tmp_path / "one.parquet", COLUMNS, rows)
    two = written_parquet(tmp_path / "two.parquet", COLUMNS, shuffled)
    for engine_rows in (1, NEVER):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=engine_rows)
            assert answer("compare", one, **QUESTIONS["compare"]) == answer("compare", two, **QUESTIONS["compare"])


NUMBERED = {"case": "BIGINT", "arm": "VARCHAR", "rep": "INTEGER", "score": "DOUBLE"}
FULL = [(case, arm, rep, float(case % 2)) for case in range(4) for arm in "ab" for rep in (0, 1, 2)]


@pytest.mark.parametrize("scale", [1, 50])
@pytest.mark.parametrize(
    ("changed", "text"),
    [
        ([*FULL, (3, "a", 1, 0.0), (3, "a", 1, 1.0)], "2 rows repeat a case, rep and metric"),
        ([*FULL, (3, "a", None, 0.0)], "1 row has no rep number"),
        ([*FULL, (None, "a", 0, 0.0)], "1 row has no case id"),
        ([(case, arm, rep, None) for case, arm, rep, _ in FULL], "none of the 4 planned cases has a score"),
    ],
)
def test_refusals_are_the_same_on_every_way(
    changed: list[tuple[Any, ...]], text: str, scale: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(case, arm, None if rep is None else rep * scale, score) for case, arm, rep, score in changed]
    log = written_parquet(tmp_path / "log.parquet", NUMBERED, rows)
    said: list[str] = []
    for engine_rows in (1, NEVER):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=engine_rows)
            said.append(answer("compare", log, arms=("a", "b")))
    assert text in said[0]
    assert said[0] == said[1]


def test_numbered_reps_are_checked_and_left_in_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = written_parquet(tmp_path / "log.parquet", NUMBERED, FULL)
    large_from(monkeypatch, 1)
    found = eg.measure(log, arm="a", no_ledger=True)
    assert (found.n_cases, found.n_runs, found.n_reps) == (4, 12, 3)


def test_two_values_of_a_slice_are_refused_by_the_first_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        ("q10", "a", 1.0, "ok", "x"),
        ("q10", "a", 1.0, "ok", "y"),
        ("q9", "a", 1.0, "ok", "x"),
        ("q9", "a", 0.0, "ok", "y"),
    ]
    log = written_parquet(tmp_path / "log.parquet", COLUMNS, rows)
    for engine_rows in (1, NEVER):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=engine_rows)
            with pytest.raises(LogError, match="two values for case 'q9'"):
                eg.measure(log, by="kind", columns={"kind": "topic"}, no_ledger=True)


def test_csv_is_counted_like_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"q{case}", arm, float(case % 2), "ok", "x") for case in range(9) for arm in "ab" for _ in range(3)]
    log = written_parquet(tmp_path / "log.parquet", COLUMNS, rows)
    text = tmp_path / "log.csv"
    cells = "".join(f"{case},{arm},{score:g},{status},{topic}\n" for case, arm, score, status, topic in rows)
    text.write_text(f"{','.join(COLUMNS)}\n{cells}")
    large_from(monkeypatch, 1)
    assert answer("compare", log, **QUESTIONS["compare"]) == answer("compare", text, **QUESTIONS["compare"])


def written_jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return path


VALUES = {
    "case": st.one_of(st.integers(1, 12), st.sampled_from(IDS)),
    "arm": st.sampled_from("ab"),
    "score": st.one_of(st.integers(0, 1), st.booleans(), st.floats(0, 1), st.none(), st.sampled_from(["0.5", "yes"])),
    "topic": st.sampled_from(["x", "y", None]),
    "note": st.one_of(st.none(), st.text(max_size=3), st.lists(st.integers(), max_size=2), st.integers(2**62, 2**70)),
}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.fixed_dictionaries({}, optional=VALUES), min_size=1, max_size=30),
    same=st.sampled_from([None, 1, "q1"]),
    kind=st.sampled_from([None, int, float, bool]),
)
def test_json_lines_are_counted_like_records(
    rows: list[dict[str, Any]],
    same: int | str | None,
    kind: type | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for number, row in enumerate(rows):
        if same is not None:
            row |= {"case": number // 2 % 5 if same == 1 else f"q{number // 2 % 5}", "arm": "ab"[number % 2]}
            row.pop("note", None)
        if kind is not None:
            row["score"] = kind(number % 3 > 0)
    log = written_jsonl(tmp_path / "log.jsonl", rows)
    for question, asked in (("compare", {"arms": ("a", "b")}), ("measure", {"arm": "a", "by": "topic"})):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=NEVER)
            line_by_line = answer(question, log, **asked)
        with monkeypatch.context() as patch:
            large_from(patch, 1)
            assert answer(question, log, **asked) == line_by_line


def test_large_json_lines_are_counted_by_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"case": f"q{case}", "arm": arm, "rep": rep, "score": (case + rep) % 3 > 0, "topic": "xy"[case % 2]}
        for case in range(30)
        for arm in "ab"
        for rep in range(4)
    ]
    # A key of the last row alone is a column, too: here it says that the run went wrong.
    rows[-1] |= {"score": None, "error": "timed out"}
    log = written_jsonl(tmp_path / "log.jsonl", rows)
    seen: list[str] = []

    def looked_at(*given: Any, **more: Any) -> Any:
        seen.append("counted")
        return counted_table(*given, **more)

    large_from(monkeypatch, 1)
    monkeypatch.setattr(jsonl_table, "counted_table", looked_at)
    found = eg.measure(log, arm="b", no_ledger=True)
    assert seen == ["counted"]
    assert (found.n_cases, found.n_runs, found.counts.errored) == (30, 119, 1)


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ('{"case": "q9", "arm": "a", "sco', "is cut off and was left out"),
        ("{'case': 1}", "line 9"),
        ("[1, 2]", "line 9"),
        ('{"case": {"id": 1}, "arm": "a", "score": 1}', ""),
        ('{"case": "q9", "arm": "a", "score": 1, "Score": 0}', ""),
        ('{"case": "q9", "arm": "a", "score": 1, "case": "q8"}', ""),
        ('{"case": "q9", "arm": "a", "score": NaN}', ""),
        ('{"case": "q9", "arm": "a", "score": 18446744073709551615}', ""),
    ],
)
def test_json_lines_that_the_engine_does_not_read_are_read_by_line(
    last: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [{"case": f"q{case}", "arm": arm, "score": case % 2} for case in range(4) for arm in "ab"]
    log = written_jsonl(tmp_path / "log.jsonl", rows)
    log.write_text(log.read_text("utf-8") + last, "utf-8")
    said: list[str] = []
    for engine_rows in (1, NEVER):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=engine_rows)
            said.append(answer("compare", log, arms=("a", "b")))
    assert said[0] == said[1]
    assert words in said[0]


JSON_CELL = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 3), st.sampled_from([0.5, 1.0, 2**53 + 1, 2**64, "1", "é", " x", "pass"])
)


@given(
    rows=st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys(["case", "arm", "rep", "score", "note"], JSON_CELL)))
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_json_lines_of_any_types_are_counted_as_they_are_read(
    rows: list[dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = [
        {"case": case, "arm": arm, "rep": rep, "score": case % 2}
        for case in (7, 10, 12)
        for arm in "ab"
        for rep in (1, 2)
    ]
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in [*whole, *rows]))
    said: list[str] = []
    for engine_rows in (1, NEVER):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=engine_rows)
            said.append(answer("compare", log, arms=("a", "b")))
    assert said[0] == said[1]


def test_a_file_of_few_rows_keeps_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.csv"
    log.write_text("case,score\n" + "".join(f"{case},{case % 2}\n" for case in (30, 4, 17)))
    large_from(monkeypatch, 1_000, engine_rows=1_000)
    with monkeypatch.context() as patch:
        patch.setattr(csv_table, "ENGINE_ABOVE", 0)
        assert read(str(log), ReadOptions(is_counted=True)).cases.case_id == ("30", "4", "17")


@pytest.mark.parametrize(
    "line", ['{"case": 1, "score": 1,}', '{"case": 1, "case": 2, "score": 1}', '{"case": 1', "[1]", "3", ""]
)
def test_json_lines_that_are_no_records_are_refused_as_ever(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.jsonl"
    whole = [{"case": case, "arm": arm, "score": 1} for case in (7, 10, 12) for arm in "ab"]
    log.write_text("".join(json.dumps(record) + "\n" for record in whole) + line + '\n{"case": 7, "score": 0}\n')
    said: list[str] = []
    for engine_rows in (1, NEVER):
        with monkeypatch.context() as patch:
            large_from(patch, 1, engine_rows=engine_rows)
            said.append(answer("compare", log, arms=("a", "b")))
    assert said[0] == said[1]


@pytest.mark.parametrize("packed", [False, True])
def test_json_lines_are_counted_like_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, packed: bool) -> None:
    rows = [(f"q{case}", arm, float(case % 2), "ok", "x") for case in range(9) for arm in "ab" for _ in range(3)]
    log = written_parquet(tmp_path / "log.parquet", COLUMNS, rows)
    lines = written_lines(tmp_path / "log.jsonl", COLUMNS, rows)
    if packed:
        lines = tmp_path / "log.jsonl.gz"
        lines.write_bytes(gzip.compress((tmp_path / "log.jsonl").read_bytes()))
    seen: list[int] = []

    def counting(*given: Any, **options: Any) -> ScoreTable:
        seen.append(1)
        return counted_table(*given, **options)

    large_from(monkeypatch, 1)
    monkeypatch.setattr(jsonl_table, "counted_table", counting)
    assert answer("compare", log, **QUESTIONS["compare"]) == answer("compare", lines, **QUESTIONS["compare"])
    assert seen


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json"])
def test_parts_of_text_are_one_table(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"q{case}", arm, float(case % 2), "ok", "x") for case in range(9) for arm in "ab"]
    log = written_parquet(tmp_path / "log.parquet", COLUMNS, rows)
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, some in enumerate((rows[::2], rows[1::2])):
        part = folder / f"part-{number}.{ending}"
        if ending == "csv":
            cells = "".join(",".join(map(str, row)) + "\n" for row in some)
            part.write_text(f"{','.join(COLUMNS)}\n{cells}")
        else:
            written_lines(part, COLUMNS, some)
    large_from(monkeypatch, 1)
    assert answer("compare", log, **QUESTIONS["compare"]) == answer("compare", folder, **QUESTIONS["compare"])


def test_parts_of_one_table_are_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"q{case}", arm, float(case % 2), "ok", "x") for case in range(9) for arm in "ab"]
    log = written_parquet(tmp_path / "log.parquet", COLUMNS, rows)
    folder = tmp_path / "parts"
    folder.mkdir()
    written_parquet(folder / "part-0.parquet", COLUMNS, rows[::2])
    written_parquet(folder / "part-1.parquet", COLUMNS, rows[1::2])
    (folder / "_SUCCESS").touch()
    large_from(monkeypatch, 1)
    assert answer("compare", log, **QUESTIONS["compare"]) == answer("compare", folder, **QUESTIONS["compare"])


KINDS = {"case": "BIGINT", "arm": "VARCHAR", "rep": "INTEGER", "score": "DOUBLE", "status": "VARCHAR"}
WIDE_REPS = st.sampled_from([0, 1, 5, 31, 40, 62])


@st.composite
def kinds_of_rows(draw: st.DrawFn) -> tuple[list[tuple[Any, ...]], dict[str, list[Any]]]:
    """Rows that mostly are of a few kinds, and the values that somebody has seen of them."""
    one = st.tuples(
        st.integers(0, 4),
        st.sampled_from("abc"),
        WIDE_REPS,
        st.sampled_from([0.0, 1.0, float("nan"), None]),
        st.sampled_from(["ok", None]),
    )
    rows: list[tuple[Any, ...]] = [*draw(st.lists(one, min_size=1, max_size=40))]
    if draw(st.booleans()):
        rows = [*{row[:3]: row for row in rows}.values()]
    if draw(st.integers(0, 9)) == 0:
        rows.append((draw(st.sampled_from([None, 3])), "a", None, 1.0, "ok"))
    columns: dict[str, list[Any]] = {
        name: list(dict.fromkeys("nan" if row[at] != row[at] else row[at] for row in rows))
        for at, name in ((1, "arm"), (3, "score"), (4, "status"))
    }
    for name, values in columns.items():
        kept = values[1:] if len(values) > 1 and draw(st.integers(0, 9)) == 0 else values
        columns[name] = [float("nan") if value == "nan" else value for value in kept]
    return rows, columns


@pytest.mark.parametrize("is_numbered", [True, False])
@given(made=kinds_of_rows())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_per_case_are_the_counts_of_the_rows_or_none(
    made: tuple[list[tuple[Any, ...]], dict[str, list[Any]]], tmp_path: Path, *, is_numbered: bool
) -> None:
    rows, seen = made
    log = written_parquet(tmp_path / "log.parquet", KINDS, rows)
    query = CountQuery(
        keys=("case", "arm", "score", "status"),
        case="case",
        rep="rep" if is_numbered else None,
        runs=("arm",),
        most_rep=62,
    )
    with parquet_rows([log], label="log") as source:
        found = source.case_counts(query, seen)
    told = [tuple("nan" if cell != cell else cell for cell in row) for row in rows]  # noqa: PLR0124 (NaN)
    is_known = all(
        cell in ["nan" if value != value else value for value in seen[name]]  # noqa: PLR0124 (NaN)
        for row in told
        for name, cell in (("arm", row[1]), ("score", row[3]), ("status", row[4]))
    )
    is_distinct = len({row[:3] for row in told}) == len(told) and all(row[2] is not None for row in told)
    if not is_known or any(row[0] is None for row in told) or (is_numbered and not is_distinct):
        assert found is None
        return
    if found is None:
        # As many kinds as do not fit into some whole numbers.
        assert len(seen["arm"]) * len(seen["score"]) * len(seen["status"]) > 6
        return
    expected = Counter((row[0], row[1], row[3], row[4]) for row in told)
    cells = [[None if gone else cell for cell, gone in zip(*cells_of(one), strict=True)] for one in found.kinds]
    counted = Counter[tuple[Any, ...]]()
    for place, kind in enumerate(zip(*cells, strict=True)):
        for case, count in zip(found.case.values.tolist(), found.count[place].tolist(), strict=True):
            counted[case, *("nan" if cell != cell else cell for cell in kind)] += count  # noqa: PLR0124 (NaN)
    assert +counted == expected


def cells_of(column: Fetched) -> tuple[list[Any], list[bool]]:
    missing = np.zeros(column.values.size, dtype=np.bool_) if column.missing is None else column.missing
    return column.values.tolist(), missing.tolist()


def test_counts_that_do_not_fit_are_counted_the_long_way(tmp_path: Path) -> None:
    log = tmp_path / "log.parquet"
    with duckdb.connect() as connection:
        rows = 'SELECT 0 AS "case", i % 2 AS arm, i % 3 % 2 AS score FROM range(200000) AS rows(i)'
        connection.execute(f"COPY ({rows}) TO '{log}' (FORMAT parquet)")
    query = CountQuery(keys=("case", "arm", "score"), case="case", runs=("arm",))
    with parquet_rows([log], label="log") as source:
        assert source.case_counts(query, {"arm": [0, 1], "score": [0, 1]}) is None
        assert sum(source.counts(query).count.tolist()) == 200_000


def test_a_table_that_does_not_shrink_is_refused(tmp_path: Path) -> None:
    log = written_parquet(tmp_path / "log.parquet", NUMBERED, [(case, "a", 1, case / 7) for case in range(9)])
    query = CountQuery(keys=("case", "score"), case="case")
    with parquet_rows([log], label="log") as rows, pytest.raises(LogError, match="9 different scores of cases, and 8"):
        rows.counts(query, most_rows=8)
