"""Results as tools of today write them: the scores and nothing beside them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.formats import read
from support.read_tables import cells, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

N = 6
BROKEN = 3


def right(place: int) -> bool:
    return place % 2 == 1


def langsmith(place: int) -> dict[str, Any]:
    broken = place == BROKEN
    scores = [{"key": "correct", "score": int(right(place)), "comment": "why"}, {"key": "short", "score": 0.25}]
    return {
        "run": {"id": f"r{place}", "error": "TimeoutError()" if broken else None, "total_tokens": 7, "total_cost": 0.5},
        "example": {
            "id": f"e{place}",
            "inputs": {"q": f"q {place}"},
            "outputs": {"a": "x"},
            "metadata": {"topic": "t"},
        },
        "evaluation_results": {"results": [] if broken else scores},
    }


def openai_api(place: int) -> dict[str, Any]:
    broken = place == BROKEN
    result = {"name": "check", "passed": right(place), "score": float(right(place))}
    return {
        "object": "eval.run.output_item",
        "id": f"o{place}",
        "status": "error" if broken else ("pass" if right(place) else "fail"),
        "datasource_item_id": f"e{place}",
        "datasource_item": {"q": f"q {place}"},
        "results": [] if broken else [result],
        "sample": {"model": "gpt", "top_p": 1.0, "temperature": 1.0, "usage": {"total_tokens": 1}},
    }


def azure(place: int) -> dict[str, Any]:
    return {
        "inputs.id": f"e{place}",
        "inputs.query": f"q {place}",
        "inputs.response": "x",
        "outputs.relevance.relevance": 4.0 if right(place) else 2.0,
        "outputs.relevance.gpt_relevance": 1.0,
        "outputs.relevance.relevance_reason": "so",
        "outputs.relevance.relevance_result": "pass" if right(place) else "fail",
        "outputs.relevance.relevance_threshold": 3,
        "outputs.f1_score.f1_score": 0.5,
        "line_number": place,
    }


def trulens(place: int) -> dict[str, Any]:
    return {
        "record_id": f"r{place}",
        "app_version": "v1",
        "app_name": "rag",
        "input": f"q {place}",
        "output": "x",
        "Answer Relevance": place / 10,
        "Groundedness": float(right(place)),
        "latency": 1,
        "total_tokens": 20,
        "total_cost": 0.5,
    }


def weave(place: int) -> dict[str, Any]:
    broken = place == BROKEN
    return {
        "id": f"r{place}",
        "op_name": "Evaluation.predict_and_score",
        "inputs.example.q": f"q {place}",
        "output.scores.match": None if broken else right(place),
        "output.model_latency": 0.5,
        "summary.weave.status": "error" if broken else "success",
        "exception": "Boom" if broken else None,
    }


def terminal_bench(place: int) -> dict[str, Any]:
    return {
        "task_id": f"e{place}",
        "trial_name": f"e{place}.1-of-1",
        "instruction": f"q {place}",
        "is_resolved": right(place),
        "parser_results": {"test_a": "passed", "test_b": "failed"},
        "total_input_tokens": 1,
    }


SHAPES: dict[str, tuple[Callable[[int], dict[str, Any]], str, list[str], bool, bool]] = {
    "langsmith": (
        langsmith,
        "evaluation_results.results.correct",
        ["evaluation_results.results.correct", "evaluation_results.results.short"],
        True,
        True,
    ),
    "openai-evals-api": (openai_api, "results.check", ["results.check"], True, True),
    "azure-ai-evaluation": (
        azure,
        "outputs.relevance.relevance_result",
        [
            "outputs.relevance.relevance",
            "outputs.relevance.relevance_result",
            "outputs.f1_score.f1_score",
        ],
        True,
        False,
    ),
    "trulens": (trulens, "Groundedness", ["Answer Relevance", "Groundedness"], False, False),
    "weave": (weave, "output.scores.match", ["output.scores.match"], False, True),
    "terminal-bench": (terminal_bench, "is_resolved", ["is_resolved"], True, False),
}


@pytest.mark.parametrize("framework", SHAPES)
def test_scores_and_nothing_else_are_metrics(framework: str, tmp_path: Path) -> None:
    make, metric, metrics, has_ids, has_errors = SHAPES[framework]
    table = read(written(tmp_path, json.dumps([make(place) for place in range(N)]), "log.json"))
    assert {run.framework for run in table.runs} == {framework}
    assert [one.name for one in table.metrics] == metrics
    found = list(cells(table, metric).values())
    broken = (None, "error")
    assert found == [broken if has_errors and place == BROKEN else (float(right(place)), "ok") for place in range(N)]
    if has_ids:
        assert table.cases.case_id == tuple(f"e{place}" for place in range(N))
    assert table.cases.contents is not None
    contents = table.cases.contents()
    assert [f"q {place}" in str(one.input if one else "") for place, one in enumerate(contents)] == [True] * N


def test_an_experiment_of_langfuse_is_read_by_its_items_and_not_by_its_averages(tmp_path: Path) -> None:
    items = [
        {
            "item": {"id": f"e{place}", "input": f"q {place}"},
            "output": "x",
            "evaluations": [{"name": "right", "value": int(right(place))}],
            "trace_id": f"t{place}",
        }
        for place in range(N)
    ]
    log = {"run_name": "one", "item_results": items, "run_evaluations": [{"name": "mean", "value": 0.5}]}
    table = read(written(tmp_path, json.dumps(log), "log.json"))
    assert table.score.tolist() == [float(right(place)) for place in range(N)]


def test_the_node_of_a_test_is_its_case(tmp_path: Path) -> None:
    tests = [{"nodeid": f"t.py::q[{place}]", "outcome": "passed" if right(place) else "failed"} for place in range(N)]
    table = read(written(tmp_path, json.dumps({"tests": tests, "summary": {"total": N}}), "log.json"))
    assert table.cases.case_id == tuple(f"t.py::q[{place}]" for place in range(N))
    assert table.score.tolist() == [float(right(place)) for place in range(N)]
