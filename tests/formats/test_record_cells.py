"""Records that stand as text in cells: a platform's CSV says what its JSON says, and flags and times are no scores."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, read
from evalgauge.formats.aliases import is_possible_score, is_score_name
from evalgauge.formats.record_cells import parsed
from evalgauge.scores.identity import fingerprints
from support.read_tables import cells

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalgauge.scores.table import ScoreTable

CASES = 6


def event(case: int, trial: int, **more: Any) -> dict[str, Any]:
    """Return one row of a Braintrust experiment: the root span of a trial."""
    name = f"{case}-{trial}"
    return {
        "id": f"row{name}",
        "created": "2026-01-01T00:00:00Z",
        "input": {"question": f"what is the capital of country {case}"},
        "output": "x",
        "expected": f"City {case}",
        "error": "TimeoutError" if (case, trial) == (3, 1) else None,
        "scores": {} if (case, trial) == (3, 1) else {"fit": case / 8, "exact": (case + trial) % 2},
        "metadata": {"topic": "geo" if case < 3 else "law"},
        "span_id": f"s{name}",
        "root_span_id": f"s{name}",
        "is_root": True,
        **more,
    }


def events() -> list[dict[str, Any]]:
    roots = [event(case, trial) for case in range(CASES) for trial in range(2)]
    below = [{**one, "id": f"task{one['id']}", "span_id": "t", "scores": None, "is_root": False} for one in roots]
    return [row for pair in zip(roots, below, strict=True) for row in pair]


def table_file(path: Path, rows: list[dict[str, Any]], spell: Callable[[Any], str] = json.dumps) -> Path:
    """Write rows as CSV, their records spelled as text."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        for row in rows:
            writer.writerow({name: spell(one) if isinstance(one, (dict, list)) else one for name, one in row.items()})
    return path


def expected_cells() -> dict[tuple[float | None, str], int]:
    """Return how often each score and status is due, counted from the rows themselves."""
    counts: dict[tuple[float | None, str], int] = {}
    for case in range(CASES):
        for trial in range(2):
            key = (None, "error") if (case, trial) == (3, 1) else (case / 8, "ok")
            counts[key] = counts.get(key, 0) + 1
    return counts


def counted_cells(table: ScoreTable, metric: str) -> dict[tuple[float | None, str], int]:
    counts: dict[tuple[float | None, str], int] = {}
    for score, status in cells(table, metric).values():
        counts[score, status] = counts.get((score, status), 0) + 1
    return counts


@pytest.mark.parametrize("spell", [json.dumps, repr])
def test_a_csv_of_records_says_what_the_json_says(tmp_path: Path, spell: Callable[[Any], str]) -> None:
    whole = tmp_path / "run.json"
    whole.write_text(json.dumps(events()), encoding="utf-8")
    known = read(whole)
    found = read(table_file(tmp_path / "run.csv", events(), spell))
    assert {run.framework for run in found.runs} == {"braintrust"}
    assert sorted(one.name for one in found.metrics) == ["scores.exact", "scores.fit"]
    assert len(found.cases) == CASES
    for metric in ("scores.fit", "scores.exact"):
        assert cells(found, metric) == cells(known, metric)
    assert counted_cells(found, "scores.fit") == expected_cells()
    assert fingerprints(found.cases).case_fp == fingerprints(known.cases).case_fp
    assert set(found.cases.fields) == {"topic"}


def test_rows_without_spans_are_known_too(tmp_path: Path) -> None:
    kept = ("input", "output", "expected", "scores", "metadata")
    rows = [{name: row[name] for name in kept} for row in events() if row["is_root"]]
    found = read(table_file(tmp_path / "run.csv", rows))
    assert len(found.cases) == CASES
    assert {run.framework for run in found.runs} == {"braintrust"}


def test_a_column_that_the_user_named_is_left_as_it_is(tmp_path: Path) -> None:
    rows = [{"id": one, "note": '{"a": 1}', "scores": {"fit": one / 4}} for one in range(4)]
    path = table_file(tmp_path / "run.csv", rows)
    assert set(read(path, ReadOptions(columns={"kind": "note"})).cases.fields) == {"kind"}
    assert [one.name for one in read(path, ReadOptions(columns={"score": "scores.fit"})).metrics] == ["scores.fit"]


def test_records_that_are_no_scores_stay_text(tmp_path: Path) -> None:
    rows = [{"id": one, "input": {"q": one}, "score": 1} for one in range(3)]
    contents = read(table_file(tmp_path / "run.csv", rows)).cases.contents
    assert contents is not None
    assert [one.input for one in contents() if one is not None] == ['{"q": 0}', '{"q": 1}', '{"q": 2}']


@pytest.mark.parametrize("text", ["[" * 9_000 + "]" * 9_000, "{" * 30_000 + "}" * 30_000, "{1: open('x')}", "{", "[1,"])
def test_text_that_is_no_record_is_left_alone(text: str) -> None:
    assert parsed(text) == text


def test_a_backslash_in_a_record_warns_nobody() -> None:
    assert parsed(r"{'a': '\d'}") == {"a": r"\d"}


def trace(number: int, scores: dict[str, Any]) -> dict[str, Any]:
    own: dict[str, Any] = {
        "bookmarked": False,
        "id": f"tr{number}",
        "timestamp": "2026-01-01",
        "name": "qa",
        "tags": [],
        "latency": 1.5,
    }
    return {**own, "input": {"q": f"question {number}"}, "output": "o", "metadata": {"topic": "a"}, **scores}


@pytest.mark.parametrize("is_csv", [True, False])
def test_scores_of_langfuse_traces_are_lists_of_one(tmp_path: Path, is_csv: bool) -> None:  # noqa: FBT001
    rows = [trace(one, {"fit": [one / 4] if one else None, "tone": ["good" if one % 2 else "bad"]}) for one in range(5)]
    path = tmp_path / "traces.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    found = read(
        table_file(tmp_path / "traces.csv", rows) if is_csv else path, ReadOptions(words={"good": 1, "bad": 0})
    )
    assert sorted(one.name for one in found.metrics) == ["scores.fit", "scores.tone"]
    assert [score for score, _ in cells(found, "scores.fit").values()] == [None, 0.25, 0.5, 0.75, 1.0]
    assert [score for score, _ in cells(found, "scores.tone").values()] == [0.0, 1.0, 0.0, 1.0, 0.0]
    assert set(found.cases.fields) == {"topic"}


def test_several_values_of_one_score_are_not_averaged(tmp_path: Path) -> None:
    path = table_file(tmp_path / "traces.csv", [trace(0, {"fit": [1, 0]}), trace(1, {"fit": [1]})])
    (metric,) = read(path).metrics
    assert (metric.name, metric.kind, metric.words) == ("scores.fit", "categorical", ("[1, 0]",))


def test_langfuse_experiments_are_known_by_their_columns(tmp_path: Path) -> None:
    rows = [
        {
            "Dataset Item ID": f"it{case}",
            "Run At": "2026-01-01",
            "Trace ID": f"t{case}{trial}",
            "Observation ID": "",
            "Input": {"q": f"question {case}"},
            "Expected Output": json.dumps(f"A{case}"),
            "Trace Output": '"o"',
            "Metadata": {"topic": "a"},
            "Latency (s)": 1.2 + trial,
            "Total Cost": 0.01 * case,
            "Error": "",
            "Score: right": (case + trial) % 2,
            "Score: tone": "good",
        }
        for case in range(4)
        for trial in range(2)
    ]
    found = read(table_file(tmp_path / "x.csv", rows))
    assert [one.name for one in found.metrics] == ["Score: right", "Score: tone"]
    assert sorted(found.cases.case_id) == ["it0", "it1", "it2", "it3"]
    assert [score for score, _ in cells(found, "Score: right").values()] == [0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0]
    assert set(found.cases.fields) == {"Metadata.topic"}


def test_a_row_a_score_of_langfuse_is_a_trace_by_metric(tmp_path: Path) -> None:
    def row(number: int, name: str, **more: Any) -> dict[str, Any]:
        return {"id": f"{name}{number}", "name": name, "value": number % 2, "traceId": f"tr{number}", **more}

    rows = [row(one, "right", dataType="NUMERIC", stringValue="") for one in range(4)]
    rows += [
        row(one, "tone", dataType="CATEGORICAL", stringValue="good" if one else "bad", value=0) for one in range(4)
    ]
    found = read(table_file(tmp_path / "scores.csv", rows), ReadOptions(words={"good": 1, "bad": 0}))
    assert len(found.cases) == 4
    assert [score for score, _ in cells(found, "right").values()] == [0.0, 1.0, 0.0, 1.0]
    assert [score for score, _ in cells(found, "tone").values()] == [0.0, 1.0, 1.0, 1.0]


@pytest.mark.parametrize("name", ["bookmarked", "is_root", "Latency (s)", "Total Cost", "cost_usd", "duration [ms]"])
def test_flags_times_and_costs_are_no_scores(tmp_path: Path, name: str) -> None:
    assert not is_possible_score(name)
    path = table_file(tmp_path / "x.csv", [{"id": one, name: one % 2} for one in range(4)])
    with pytest.raises(LogError, match="no column is recognised as the score"):
        read(path)


def test_a_score_may_say_its_scale_and_its_kind() -> None:
    assert is_possible_score("fluency (1-5)")
    assert is_score_name("Score: fluency")
