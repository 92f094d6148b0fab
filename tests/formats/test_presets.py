"""Tables that platforms export: the scores are those of the platform's own objects, and reps are no cases."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from evalgauge.formats import ReadOptions, read
from evalgauge.scores.table import ScoreTable, Status
from support.read_tables import cells, of_records, texts, written

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FOLDER = FIXTURES / "platforms"
EXPECTED: dict[str, list[dict[str, Any]]] = json.loads(
    (FIXTURES / "expected" / "platforms.json").read_text(encoding="utf-8")
)
METRICS: dict[str, dict[str, str]] = {
    "langsmith": {"right": "feedback.right", "tone": "feedback.tone"},
    "ragas": {"exact_match": "exact_match", "string_present": "string_present"},
    "mlflow": {"right": "right/value", "shared": "shared/value"},
    "mlflow_eval_results_table": {"right": "exact/score"},
    "braintrust": {"right": "scores.right", "shared": "scores.shared"},
    "langfuse": {"right": "evaluations.right"},
}
FILES = {path.stem: path for path in sorted(FOLDER.iterdir())}
WORDS = {"short": 0.0, "long": 1.0}


def queues() -> set[str]:
    """Return the expected answers, from a table that no preset is needed for."""
    return {row[1] for row in json.loads(FILES["mlflow_eval_results_table"].read_text(encoding="utf-8"))["data"]}


def asked(table: ScoreTable) -> list[str]:
    """Return the text of each case, whatever it is wrapped in."""
    contents = table.cases.contents
    assert contents is not None
    found = [one.input for one in contents() if one is not None]
    assert len(found) == len(table.cases)
    return [json.dumps(one) if isinstance(one, dict) else str(one) for one in found]


def by_case(table: ScoreTable, metric: str) -> dict[int, list[float | None]]:
    index = [one.name for one in table.metrics].index(metric)
    found: defaultdict[int, dict[int, float | None]] = defaultdict(dict)
    for row in range(len(table)):
        if table.metric[row] == index:
            is_scored = table.status[row] == Status.OK
            found[int(table.case[row])][int(table.rep[row])] = float(table.score[row]) if is_scored else None
    return {case: [reps[rep] for rep in sorted(reps)] for case, reps in found.items()}


@pytest.mark.parametrize("name", sorted(FILES))
def test_scores_are_those_of_the_platforms_objects(name: str) -> None:
    table = read(FILES[name], ReadOptions(words=WORDS))
    rows = EXPECTED["mlflow" if name.startswith("mlflow") else name]
    assert [one.name for one in table.metrics] == list(METRICS[name].values())
    for key, metric in METRICS[name].items():
        expected: defaultdict[str, list[float | None]] = defaultdict(list)
        for row in rows:
            value = WORDS.get(row[key], row[key])
            expected[row["case"]].append(None if row.get("error") else float(value))
        found = by_case(table, metric)
        assert len(found) == len(expected)
        ids, inputs = table.cases.case_id, asked(table)
        for case, scores in found.items():
            (known,) = [one for one in expected if one == ids[case] or one in inputs[case]]
            assert scores == expected[known]


@pytest.mark.parametrize(
    ("name", "framework", "fields"),
    [
        ("langsmith", "langsmith", set()),
        ("ragas", "ragas", set()),
        ("mlflow", "mlflow", {"hard"}),
        ("mlflow_eval_results_table", "mlflow", set()),
        ("braintrust", "braintrust", {"topic"}),
        ("langfuse", "langfuse", {"topic"}),
    ],
)
def test_who_wrote_a_table_and_what_can_group_its_cases(name: str, framework: str, fields: set[str]) -> None:
    table = read(FILES[name])
    assert {run.framework for run in table.runs} == {framework}
    assert set(table.cases.fields) == fields


@pytest.mark.parametrize("name", ["langsmith", "braintrust"])
def test_repetitions_are_reps(name: str) -> None:
    table = read(FILES[name])
    assert len(table.cases) == 6
    assert set(table.rep.tolist()) == {1, 2, 3}


def test_a_failed_run_is_an_error_though_an_evaluator_scored_it() -> None:
    table = read(FILES["langsmith"])
    statuses = [status for _, status in cells(table, "feedback.right").values()]
    assert statuses.count("error") == sum(row["error"] for row in EXPECTED["langsmith"]) > 0


def test_targets_are_content(tmp_path: Path) -> None:
    contents = read(FILES["langsmith"]).cases.contents
    assert contents is not None
    assert {one.target for one in contents() if one is not None} == queues()
    row = {"example_id": "a", "execution_time": 1, "inputs.q": "?", "reference.a": 1, "reference.b": "x"}
    path = tmp_path / "two.jsonl"
    path.write_text(json.dumps({**row, "feedback.ok": 1}) + "\n", encoding="utf-8")
    two = read(path).cases.contents
    assert two is not None
    (content,) = two()
    assert content is not None
    assert content.target == {"a": "1", "b": "x"}


def test_a_frame_and_its_file_agree() -> None:
    frame = pd.read_csv(FILES["langsmith"])
    assert cells(read(frame), "feedback.right") == cells(read(FILES["langsmith"]), "feedback.right")


def test_what_the_user_maps_wins() -> None:
    table = read(FILES["ragas"], ReadOptions(columns={"score": "string_present", "case": "reference"}))
    assert [one.name for one in table.metrics] == ["string_present"]
    assert set(table.cases.case_id) == queues()
    mapped = read(FILES["langfuse"], ReadOptions(columns={"kind": "item.metadata.topic", "said": "output"}))
    assert set(mapped.cases.fields) == {"kind", "said"}
    wide = read(FILES["ragas"], ReadOptions(wide_arms=("exact_match", "string_present")))
    assert sorted(run.arm for run in wide.runs) == ["exact_match", "string_present"]


def span(number: int, *, root: int, **more: Any) -> dict[str, Any]:
    ids = {"id": f"e{number}", "span_id": f"s{number}", "root_span_id": f"s{root}", "created": "2026-01-01"}
    return {**ids, "input": "x", "expected": "y", "output": "z", "metrics": {"tokens": number}, **more}


def test_spans_of_braintrust_below_the_root_are_no_runs() -> None:
    rows = [
        span(1, root=1, scores={"ok": 1}, origin={"id": "q1"}),
        span(2, root=1, scores=None, span_attributes={"type": "task"}),
        span(3, root=1, scores={"ok": 1}, span_attributes={"type": "score"}),
        span(4, root=4, scores={"ok": 0}, origin={"id": "q1"}),
        span(5, root=5, scores={"ok": None}, origin={"id": "q2"}, error="down"),
    ]
    table = of_records(rows)
    assert cells(table, "scores.ok") == {
        ("q1", 0, 1): (1.0, "ok"),
        ("q1", 0, 2): (0.0, "ok"),
        ("q2", 0, 1): (None, "error"),
    }
    assert table.cases.fields == {}


def test_trials_of_braintrust_without_an_origin_are_reps_of_their_input() -> None:
    rows = [
        {"id": f"e{place}", "input": asked, "output": "o", "expected": "e", "scores": {"ok": place % 2}, "metrics": {}}
        for place, asked in enumerate("ababab")
    ]
    table = of_records(rows)
    assert len(table.cases) == 2
    assert set(table.rep.tolist()) == {1, 2, 3}


def phoenix(example: str, rep: int, score: float | None, label: str = "") -> dict[str, Any]:
    return {
        "example_id": example,
        "repetition_number": rep,
        "input": json.dumps({"question": f"ask {example}"}),
        "reference_output": json.dumps({"answer": "a"}),
        "output": "o",
        "error": None,
        "latency_ms": 12,
        "annotation_right_label": label,
        "annotation_right_score": score,
        "annotation_right_error": None,
    }


def test_the_csv_of_phoenix_is_read_as_its_json() -> None:
    rows = [phoenix("a", 1, 1), phoenix("a", 2, 0), phoenix("b", 1, None), phoenix("b", 2, 1)]
    table = of_records(rows)
    assert cells(table, "annotation_right_score") == {
        ("a", 0, 1): (1.0, "ok"),
        ("a", 0, 2): (0.0, "ok"),
        ("b", 0, 1): (None, "unscored"),
        ("b", 0, 2): (1.0, "ok"),
    }
    contents = table.cases.contents
    assert contents is not None
    (first, _) = contents()
    assert first is not None
    assert (first.input, first.target) == ({"question": "ask a"}, {"answer": "a"})
    assert table.cases.fields == {}
    odd = of_records([{**phoenix("a", 1, 1), "input": "{not json"}])
    assert odd.cases.contents is not None
    assert odd.cases.contents()[0].input == "{not json"  # type: ignore[union-attr]


def weave(**summary: Any) -> str:
    rows = [
        {
            "row_digest": digest,
            "raw_data_row": {"question": digest},
            "evaluations": [
                {
                    "evaluation_call_id": arm,
                    "trials": [
                        {"predict_and_score_call_id": "c", "scores": {"judge": {"ok": ok, "why": "so"}, "length": 0.5}}
                        for ok in oks
                    ],
                }
                for arm, oks in arms.items()
            ],
        }
        for digest, arms in {
            "d1": {"e1": (True, False), "e2": (True, True)},
            "d2": {"e1": (False, False), "e2": (None, True)},
        }.items()
    ]
    return json.dumps({"rows": rows, "total_rows": 2, "warnings": [], **summary})


def test_rows_of_weave_are_cases_and_trials_are_reps(tmp_path: Path) -> None:
    table = read(written(tmp_path, weave(), "weave.json"))
    assert sorted(run.arm for run in table.runs) == ["e1", "e2"]
    assert {run.framework for run in table.runs} == {"weave"}
    assert [one.name for one in table.metrics] == ["scores.judge.ok", "scores.length"]
    first = [run.arm for run in table.runs].index("e1")
    found = {
        (table.cases.case_id[table.case[row]], int(table.rep[row])): float(table.score[row])
        for row in range(len(table))
        if table.run[row] == first and table.metric[row] == 0
    }
    assert found == {("d1", 1): 1.0, ("d1", 2): 0.0, ("d2", 1): 0.0, ("d2", 2): 0.0}
    assert texts(table) == []


def test_evaluations_of_weave_are_called_as_the_answer_calls_them(tmp_path: Path) -> None:
    told = [{"evaluation_call_id": "e1", "display_name": "base"}, {"evaluation_call_id": "e2", "model_ref": "new"}]
    table = read(written(tmp_path, weave(summary={"row_count": 2, "evaluations": told}), "weave.json"))
    assert sorted(run.arm for run in table.runs) == ["base", "new"]
    twice = [{"evaluation_call_id": one, "display_name": "same"} for one in ("e1", "e2")]
    table = read(written(tmp_path, weave(summary={"evaluations": twice}), "twice.json"))
    assert sorted(run.arm for run in table.runs) == ["e2", "same"]


def test_the_address_of_a_row_is_no_content(tmp_path: Path) -> None:
    text = weave().replace('{"question": "d1"}', '"weave:///a/b/object/x"')
    contents = read(written(tmp_path, text, "weave.json")).cases.contents
    assert contents is not None
    assert [one is None for one in contents()] == [True, False]


@pytest.mark.parametrize(
    ("document", "framework"),
    [
        ({"columns": ["id", "score"], "data": [["a", 1], ["b", 0]]}, "table"),
        ({"rows": [{"id": "a", "score": 1}, {"id": "b", "score": 0}]}, "table"),
    ],
)
def test_other_tables_stay_plain(tmp_path: Path, document: dict[str, Any], framework: str) -> None:
    table = read(written(tmp_path, json.dumps(document), "x.json"))
    assert cells(table, "score") == {("a", 0, 1): (1.0, "ok"), ("b", 0, 1): (0.0, "ok")}
    assert table.runs[0].framework == framework
