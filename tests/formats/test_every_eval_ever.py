"""Every Eval Ever: what is read of its samples and results, and what is refused."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.every_eval_ever import READER
from support.logs import cells, problems, read_log, source

if TYPE_CHECKING:
    from pathlib import Path


def sample(sample_id: str, score: Any, **more: Any) -> dict[str, Any]:
    return {
        "schema_version": "0.3.0",
        "evaluation_id": "e/1",
        "model_id": "org/model",
        "evaluation_name": "sums",
        "evaluation_result_id": "sums.accuracy",
        "sample_id": sample_id,
        "sample_hash": f"hash of {sample_id}",
        "interaction_type": "single_turn",
        "input": {"raw": f"What is {sample_id}?", "reference": ["4"], "choices": None},
        "output": {"raw": ["4"]},
        "answer_attribution": [],
        "evaluation": {"score": score, "is_correct": score == 1},
        "metadata": {"subject": "arithmetic"},
        **more,
    }


def result(result_id: str = "sums.accuracy", **config: Any) -> dict[str, Any]:
    return {
        "evaluation_result_id": result_id,
        "evaluation_name": "sums",
        "source_data": {"dataset_name": "sums", "source_type": "other"},
        "metric_config": {
            "metric_name": "accuracy",
            "lower_is_better": False,
            "min_score": 0,
            "max_score": 1,
            **config,
        },
        "score_details": {"score": 0.5},
    }


def written(
    folder: Path,
    rows: list[dict[str, Any]] | None,
    results: list[dict[str, Any]] | None = None,
    name: str = "run",
    **more: Any,
) -> Path:
    """Write samples and the results that they belong to; return the results."""
    path = folder / f"{name}.json"
    if rows is not None:
        (folder / f"{name}_samples.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    aggregate = {
        "schema_version": "0.3.0",
        "evaluation_id": "e/1",
        "retrieved_timestamp": "1750000001",
        "source_metadata": {"source_type": "evaluation_run"},
        "eval_library": {"name": "inspect_ai", "version": "unknown"},
        "model_info": {"name": "model", "id": "org/model", "inference_platform": "local"},
        "evaluation_results": results or [result()],
        **more,
    }
    path.write_text(json.dumps(aggregate, indent=1), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["run.json", "run_samples.jsonl", ""])
def test_results_samples_and_their_folder_are_one_table(tmp_path: Path, name: str) -> None:
    written(tmp_path, [sample("a", 1.0), sample("b", 0.25)])
    table = read_log(tmp_path / name)
    assert cells(table, "accuracy") == {("a", 1): 1.0, ("b", 1): 0.25}
    assert problems(table) == ""


def test_columns(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [sample("a", 1.0)], evaluation_timestamp="2026-01-02"))
    run = table.runs[0]
    assert (run.arm, run.set_name, run.framework, run.created) == ("org/model", "sums", "every-eval-ever", "2026-01-02")
    assert run.run_id == "e/1/sums/org/model"
    assert run.arm_detail == {"model": "org/model", "platform": "local", "library": "inspect_ai"}
    metric = table.metrics[0]
    assert (metric.name, metric.low, metric.high, metric.higher_is_better) == ("accuracy", 0.0, 1.0, True)
    assert table.cases.fields == {"subject": ("arithmetic",)}
    assert table.cases.source_hash == ("hash of a",)
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert (content.input, content.target, content.choices) == ("What is a?", "4", None)


def test_several_references_and_choices_are_kept(tmp_path: Path) -> None:
    asked = {"raw": "Which?", "reference": ["x", "y"], "choices": ["x", "y", "z"]}
    table = read_log(written(tmp_path, [sample("a", 1.0, input=asked)]))
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert (content.target, content.choices) == (["x", "y"], ("x", "y", "z"))


@pytest.mark.parametrize(
    ("row", "score"),
    [
        (sample("a", 1), 1.0),
        (sample("a", None), "unscored"),
        (sample("a", 0.0, error="timeout"), "error"),
        (sample("a", 1.0, error=""), 1.0),
    ],
)
def test_what_became_of_a_sample(tmp_path: Path, row: dict[str, Any], score: float | str) -> None:
    assert cells(read_log(written(tmp_path, [row])), "accuracy") == {("a", 1): score}


def test_an_unknown_level_is_no_score(tmp_path: Path) -> None:
    rows = [sample("a", -1), sample("b", 2)]
    path = written(
        tmp_path, rows, [result(score_type="levels", has_unknown_level=True, min_score=None, max_score="Infinity")]
    )
    table = read_log(path)
    assert cells(table, "accuracy") == {("a", 1): "unscored", ("b", 1): 2.0}
    assert (table.metrics[0].low, table.metrics[0].high) == (None, None)


def test_a_lower_score_can_be_better(tmp_path: Path) -> None:
    assert (
        read_log(written(tmp_path, [sample("a", 1.0)], [result(lower_is_better=True)])).metrics[0].higher_is_better
        is False
    )


def test_results_of_one_metric_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    rows = [sample("a", 1.0), sample("a", 0.0, evaluation_result_id="sums.strict")]
    table = read_log(written(tmp_path, rows, [result(), result("sums.strict")]))
    assert cells(table, "sums.accuracy") == {("a", 1): 1.0}
    assert cells(table, "sums.strict") == {("a", 1): 0.0}


def test_evaluations_of_one_file_are_sets(tmp_path: Path) -> None:
    rows = [sample("a", 1.0), sample("a", 0.0, evaluation_name="logic", evaluation_result_id="logic.accuracy")]
    table = read_log(written(tmp_path, rows))
    assert table.cases.case_id == ("sums/a", "logic/a")
    assert [run.set_name for run in table.runs] == ["sums", "logic"]


def test_models_of_one_file_are_arms(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [sample("a", 1.0), sample("a", 0.0, model_id="org/other")]))
    assert cells(table, "accuracy", "org/other") == {("a", 1): 0.0}
    assert len(table.cases) == 1


def test_samples_that_come_again_are_reps_and_it_is_said(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [sample("a", 1.0), sample("b", 1.0), sample("a", 0.0)]))
    assert cells(table, "accuracy") == {("a", 1): 1.0, ("b", 1): 1.0, ("a", 2): 0.0}
    assert table.runs[0].rep_source == "inferred"
    assert (
        problems(table) == "Samples come up to 2 times by one metric: read as reps, in order; the format numbers none."
    )


def test_numbers_of_reps_in_the_metadata_are_believed(tmp_path: Path) -> None:
    rows = [sample("a", score, metadata={"epoch": str(epoch)}) for epoch, score in ((2, 0.0), (1, 1.0))]
    table = read_log(written(tmp_path, rows))
    assert cells(table, "accuracy") == {("a", 1): 1.0, ("a", 2): 0.0}
    assert (table.runs[0].rep_source, problems(table)) == ("explicit", "")
    assert table.cases.fields == {}


def test_one_id_with_two_inputs_is_two_cases(tmp_path: Path) -> None:
    other = {"raw": "Another question", "reference": ["5"]}
    table = read_log(written(tmp_path, [sample("a", 1.0), sample("a", 0.0, input=other)]))
    assert table.cases.case_id == ("a", "a")
    assert table.cases.dup.tolist() == [0, 1]


def test_samples_without_their_results_are_read_and_it_is_said(tmp_path: Path) -> None:
    written(tmp_path, [sample("a", 1.0)])
    (tmp_path / "run.json").unlink()
    table = read_log(tmp_path / "run_samples.jsonl")
    assert cells(table, "score") == {("a", 1): 1.0}
    assert "The results that these samples belong to are not beside them" in problems(table)


def test_results_find_their_samples_by_the_path_that_they_name(tmp_path: Path) -> None:
    detailed = {"format": "jsonl", "file_path": "data/a/b/c/0_samples.jsonl"}
    path = written(tmp_path, None, detailed_evaluation_results=detailed)
    (tmp_path / "0_samples.jsonl").write_text(json.dumps(sample("a", 1.0)) + "\n", encoding="utf-8")
    assert cells(read_log(path), "accuracy") == {("a", 1): 1.0}
    assert cells(read_log(tmp_path / "0_samples.jsonl"), "accuracy") == {("a", 1): 1.0}


def test_counts_and_checksums_are_compared(tmp_path: Path) -> None:
    rows = [sample("a", 1.0)]
    right = hashlib.sha256((json.dumps(rows[0]) + "\n").encode()).hexdigest()
    detailed: dict[str, Any] = {"format": "jsonl", "file_path": "", "hash_algorithm": "sha256"}
    path = written(tmp_path, rows, detailed_evaluation_results={**detailed, "checksum": right, "total_rows": 1})
    assert problems(read_log(path)) == ""
    path = written(tmp_path, rows, detailed_evaluation_results={**detailed, "checksum": "0" * 64, "total_rows": 7})
    said = problems(read_log(path))
    assert "The results speak of 7 rows, the samples are 1." in said
    assert "The samples are not those whose checksum the results hold." in said


def test_results_alone_are_refused_with_what_they_hold(tmp_path: Path) -> None:
    path = written(tmp_path, None)
    with pytest.raises(UnknownFormatError) as refusal:
        read_log(path)
    assert str(refusal.value) == (
        f"{path}: holds totals only (sums: 0.5). An interval needs the scores per sample: put …_samples.jsonl beside "
        "it."
    )


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path, [sample("a", 1.0), sample("b", 0.0)])
    samples = tmp_path / "run_samples.jsonl"
    samples.write_bytes(samples.read_bytes()[:-20])
    table = read_log(path)
    assert cells(table, "accuracy") == {("a", 1): 1.0}
    assert table.runs[0].state == "partial"
    assert "The last line (line 2) is cut off" in problems(table)


def test_a_broken_line_is_named_and_tolerance_leaves_it_out(tmp_path: Path) -> None:
    path = written(tmp_path, [sample("a", 1.0), sample("b", 0.0)])
    samples = tmp_path / "run_samples.jsonl"
    lines = samples.read_text(encoding="utf-8").splitlines()
    samples.write_text("\n".join([lines[0], '{"evaluation_id": 3}', lines[1]]) + "\n", encoding="utf-8")
    with pytest.raises(LogError, match=r"run_samples.jsonl, line 2, field 'evaluation_id': expected `str`, got `int`"):
        read_log(path)
    table = read_log(path, tolerant=True)
    assert len(table.cases) == 2
    assert "Left out: 1 line that cannot be read (first: line 2)." in problems(table)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "bad_samples.jsonl").write_text(
        '{"evaluation_id": "x", "model_id": "", "evaluation_name": "", "sample_id": 3}\n', encoding="utf-8"
    )
    assert "This file is left out." not in problems(read_log(path, tolerant=True))
    assert "This file is left out." in problems(read_log(tmp_path, tolerant=True))


def test_claims_by_bytes(tmp_path: Path) -> None:
    path = written(tmp_path, [sample("a", 1.0)])
    assert READER.claims(source(path))
    assert READER.claims(source(tmp_path / "run_samples.jsonl"))
    assert READER.claims(source(tmp_path))
    other = tmp_path / "x.jsonl"
    other.write_text('{"sample_id": "a", "score": 1}\n', encoding="utf-8")
    assert not READER.claims(source(other))


def test_the_real_files_equal_a_hand_count(real_logs: Path) -> None:
    folder = real_logs / "every-eval-ever"
    for name in ("demo.json", "demo_samples.jsonl", ""):
        table = read_log(folder / name)
        assert cells(table, "accuracy") == {("demo_0001", 1): 1.0}
        assert table.runs[0].arm == "demo-org/demo-model"
        assert table.cases.fields == {"subject": ("arithmetic",)}
    # The schemas of the format lie there too, and are no results.
    assert not READER.claims(source(folder / "eval.schema.json"))
    assert "checksum" not in problems(read_log(folder / "demo.json"))
