"""A table that is counted where it lies gives the answers and the refusals of one that is read row by row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import evalgauge as eg
from evalgauge.engine.counts import CountQuery
from evalgauge.engine.duck_counts import parquet_rows
from evalgauge.errors import LogError
from evalgauge.formats import parquet_table
from evalgauge.formats.large_table import counted_table
from support.large import NEVER, answer, large_from, written_parquet

if TYPE_CHECKING:
    from pathlib import Path

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
        patch.setattr(parquet_table, "counted_table", lambda *given: seen.append(1) or counted_table(*given))
        counted = answer(question, log, **asked)
    assert seen
    assert counted == read_whole
    assert counted == row_by_row


@given(rows=tables(ANY_SCORE), seed=st.integers(0, 99))
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_order_of_rows_changes_no_byte(
    rows: list[tuple[object, ...]], seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shuffled = [rows[place] for place in np.random.default_rng(seed).permutation(len(rows)).tolist()]
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


def test_a_table_that_does_not_shrink_is_refused(tmp_path: Path) -> None:
    log = written_parquet(tmp_path / "log.parquet", NUMBERED, [(case, "a", 1, case / 7) for case in range(9)])
    query = CountQuery(keys=("case", "score"), case="case")
    with parquet_rows([log], label="log") as rows, pytest.raises(LogError, match="9 different scores of cases, and 8"):
        rows.counts(query, most_rows=8)
