"""OpenAI evals: events as scores, errors, logs that were cut off, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats.openai_evals import READER
from support.logs import cells, problems, read_log, source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "openai-evals"
SPEC = {"completion_fns": ["gpt"], "eval_name": "sums.dev.v0", "base_eval": "sums", "split": "dev", "run_id": "R"}
REPORT = {"final_report": {"accuracy": 1}, "run_id": "R"}


def event(sample: str | None, kind: str, **data: Any) -> dict[str, Any]:
    return {"run_id": "R", "event_id": 0, "sample_id": sample, "type": kind, "data": data, "created_by": "x"}


def written(folder: Path, *lines: dict[str, Any], spec: bool = True, report: bool = True) -> Path:
    path = folder / "log.jsonl"
    whole = [*([{"spec": SPEC}] if spec else []), *lines, *([REPORT] if report else [])]
    path.write_text("".join(json.dumps(line) + "\n" for line in whole), encoding="utf-8")
    return path


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", ["match", "metrics"])
def test_matches_are_those_of_the_frameworks_report(name: str) -> None:
    path = FIXTURES / f"{name}.jsonl"
    found = cells(read_log(path), "match")
    by_hand = {
        (line["sample_id"], 1): float(line["data"]["correct"]) for line in events(path) if line.get("type") == "match"
    }
    scored = {key: score for key, score in found.items() if not isinstance(score, str)}
    assert scored == by_hand
    report = next(line["final_report"] for line in events(path) if "final_report" in line)
    assert sum(scored.values()) / len(scored) == pytest.approx(report["accuracy"])


def test_metrics_and_errors() -> None:
    path = FIXTURES / "metrics.jsonl"
    table = read_log(path)
    tones = {(line["sample_id"], 1): line["data"]["tone"] for line in events(path) if line.get("type") == "metrics"}
    failed = {(line["sample_id"], 1): "error" for line in events(path) if line.get("type") == "error"}
    assert len(failed) == 1
    assert cells(table, "tone") == {**tones, **failed}
    assert [metric.name for metric in table.metrics] == ["match", "tone"]
    assert problems(table) == "Not read: 'choice', which is no number."


def test_columns() -> None:
    path = FIXTURES / "match.jsonl"
    table = read_log(path)
    spec = events(path)[0]["spec"]
    run = table.runs[0]
    assert (run.run_id, run.set_name, run.arm) == (spec["run_id"], "triage.dev.v0", "demo/router")
    assert (run.framework, run.created, run.rep_source, run.state) == (
        "openai-evals",
        spec["created_at"],
        "none",
        "complete",
    )
    assert table.cases.contents is not None
    prompts = {line["sample_id"]: line["data"]["prompt"] for line in events(path) if line.get("type") == "sampling"}
    expected = {line["sample_id"]: line["data"]["expected"] for line in events(path) if line.get("type") == "match"}
    for case_id, content in zip(table.cases.case_id, table.cases.contents(), strict=True):
        assert content is not None
        assert (content.input, content.target) == (prompts[case_id], expected[case_id])
    assert problems(table) == ""


def test_a_sample_that_was_asked_and_never_scored_is_unscored(tmp_path: Path) -> None:
    path = written(tmp_path, event("a", "match", correct=True), event("b", "sampling", prompt="?", sampled=["!"]))
    assert cells(read_log(path), "match") == {("a", 1): 1.0, ("b", 1): "unscored"}


def test_several_events_of_one_score_are_reps_and_it_is_said(tmp_path: Path) -> None:
    path = written(tmp_path, event("a", "match", correct=True), event("a", "match", correct=False))
    table = read_log(path)
    assert cells(table, "match") == {("a", 1): 1.0, ("a", 2): 0.0}
    assert table.runs[0].rep_source == "inferred"
    assert "1 sample has several events of one score: taken as reps" in problems(table)


def test_a_log_without_a_report_did_not_end(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, event("a", "match", correct=True), report=False))
    assert table.runs[0].state == "partial"
    assert "There is no final report" in problems(table)


def test_a_log_that_lost_its_specification_is_read(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, event("a", "match", correct=True), spec=False))
    assert (table.runs[0].arm, table.runs[0].set_name) == ("unnamed", "")
    assert cells(table, "match") == {("a", 1): 1.0}


def test_a_cut_log_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path, event("a", "match", correct=True), event("b", "match", correct=True), report=False)
    path.write_bytes(path.read_bytes()[:-30])
    table = read_log(path)
    assert cells(table, "match") == {("a", 1): 1.0}
    assert "The last line (line 3) is cut off" in problems(table)


def test_a_broken_line_is_named_and_tolerance_leaves_it_out(tmp_path: Path) -> None:
    path = written(tmp_path, event("a", "match", correct=True))
    path.write_text(path.read_text(encoding="utf-8").replace('"type": "match"', '"type": 3'), encoding="utf-8")
    with pytest.raises(LogError, match=r"log.jsonl, line 2, field 'type': expected `str`, got `int`"):
        read_log(path)
    with pytest.raises(LogError, match="holds no event of a sample"):
        read_log(path, tolerant=True)


def test_claims_by_bytes(tmp_path: Path) -> None:
    assert READER.claims(source(FIXTURES / "match.jsonl"))
    assert READER.claims(source(written(tmp_path, event("a", "match", correct=True), spec=False)))
    assert not READER.claims(source(tmp_path))
    other = tmp_path / "other.jsonl"
    other.write_text('{"spec": {"x": 1}}\n{"sample_id": "a", "score": 1}\n', encoding="utf-8")
    assert not READER.claims(source(other))


def test_a_word_of_a_metrics_event_is_a_score_where_the_user_says_so(tmp_path: Path) -> None:
    path = written(tmp_path, event("a", "metrics", choice="Y"), event("b", "metrics", choice="N"))
    assert cells(read_log(path, words={"Y": 1, "N": 0}), "choice") == {("a", 1): 1.0, ("b", 1): 0.0}
