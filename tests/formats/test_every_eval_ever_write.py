"""Converting to Every Eval Ever: valid by its schemas, with the interval that measure gives, and read back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.scores.identity import fingerprints
from support.logs import cells, read_log

if TYPE_CHECKING:
    from evalgauge.scores.table import ScoreTable
    from support.command import Command

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
LOGS = {
    "base": ("inspect/triage-base.eval", []),
    "errors": ("inspect/errors.eval", []),
    "arm": ("promptfoo/repeat3.json", ["--arm", "candidate"]),
    "swe": ("swe-bench/report/demo__patcher-1.nightly.json", []),
}


@pytest.fixture(params=sorted(LOGS))
def converted(request: pytest.FixtureRequest, tmp_path: Path, command: Command) -> tuple[Path, Path, list[str]]:
    log, arm = LOGS[request.param]
    target = tmp_path / "x.json"
    assert command("convert", FIXTURES / log, *arm, "-o", target).code == 0
    return FIXTURES / log, target, arm


def document(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


def samples(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.with_name("x_samples.jsonl").read_text(encoding="utf-8").splitlines()]


def test_both_files_are_valid_by_the_schemas(converted: tuple[Path, Path, list[str]], real_logs: Path) -> None:
    validators: Any = pytest.importorskip("jsonschema")
    folder = real_logs / "every-eval-ever"
    validators.validate(document(converted[1]), document(folder / "eval.schema.json"))
    rows = samples(converted[1])
    assert rows
    for row in rows:
        validators.validate(row, document(folder / "instance_level_eval.schema.json"))


def test_the_interval_is_that_of_measure(converted: tuple[Path, Path, list[str]], command: Command) -> None:
    log, target, arm = converted
    for result in document(target)["evaluation_results"]:
        metric = result["metric_config"]["metric_name"]
        answer = command.json("measure", log, "--metric", metric, *arm)
        uncertainty = result["score_details"]["uncertainty"]
        assert result["score_details"]["score"] == answer["estimate"]
        assert uncertainty["confidence_interval"] == {
            "lower": answer["low"],
            "upper": answer["high"],
            "confidence_level": answer["confidence"],
            "method": answer["method"],
        }
        assert uncertainty["num_samples"] == answer["n_cases"]
        assert result["score_details"]["details"]["n_runs_planned"] == str(answer["planned"])
        assert result["metric_config"]["lower_is_better"] is False


def test_every_scored_run_is_read_back(converted: tuple[Path, Path, list[str]]) -> None:
    log, target, arm = converted
    ours, theirs = read_log(log), read_log(target)
    for metric in theirs.metrics:
        scored = {
            key: score
            for key, score in cells(ours, metric.name, arm[1] if arm else None).items()
            if not isinstance(score, str)
        }
        assert cells(theirs, metric.name) == scored
    assert {metric.name for metric in theirs.metrics} == {metric.name for metric in ours.metrics}
    assert prints(theirs).items() <= prints(ours).items()


def prints(table: ScoreTable) -> dict[str, tuple[str | None, str | None]]:
    found = fingerprints(table.cases)
    return dict(zip(table.cases.case_id, zip(found.case_fp, found.input_fp, strict=True), strict=True))


def test_no_text_of_a_case_is_written(converted: tuple[Path, Path, list[str]]) -> None:
    contents = read_log(converted[0]).cases.contents
    text = converted[1].read_text(encoding="utf-8") + converted[1].with_name("x_samples.jsonl").read_text(
        encoding="utf-8"
    )
    asked = [json.dumps(one.input)[1:-1] for one in (contents() if contents else ()) if one]
    assert all(one not in text for one in asked)


def test_contents_are_written_where_they_are_asked_for(tmp_path: Path, command: Command) -> None:
    log = FIXTURES / "inspect/choices.eval"
    assert command("convert", log, "-o", tmp_path / "x.json", "--with-content").code == 0
    ours, theirs = read_log(log).cases, read_log(tmp_path / "x.json").cases
    assert ours.contents is not None
    assert theirs.contents is not None
    for one, other in zip(ours.contents(), theirs.contents(), strict=True):
        assert one is not None
        assert other is not None
        assert (other.input, other.choices, other.target) == (one.input, one.choices, one.target)
    assert prints(read_log(tmp_path / "x.json")) == prints(read_log(log))


def test_the_hash_is_that_of_the_format(tmp_path: Path, command: Command) -> None:
    rows = [{"id": "a", "question": "What is 2 + 2?", "target": "4", "score": 1}]
    log = tmp_path / "log.json"
    log.write_text(json.dumps(rows), encoding="utf-8")
    command("convert", log, "-o", tmp_path / "x.json")
    # The sample of that question in the format's own demonstration.
    assert samples(tmp_path / "x.json")[0]["sample_hash"] == (
        "9c94305328f8e70341f9d1880f4eaa6ea7f93b8922e6a03a8cdcf1924d28db0b"
    )


def test_ends_of_a_metric(tmp_path: Path, command: Command) -> None:
    log = tmp_path / "log.csv"
    log.write_text("case,passed,score\na,1,0.5\nb,0,0.25\n", encoding="utf-8")
    command("convert", log, "-o", tmp_path / "x.json")
    configs = {
        one["evaluation_name"] and one["metric_config"]["metric_name"]: one["metric_config"]
        for one in document(tmp_path / "x.json")["evaluation_results"]
    }
    assert (configs["passed"]["score_type"], configs["passed"]["min_score"], configs["passed"]["max_score"]) == (
        "binary",
        0,
        1,
    )
    assert (configs["score"]["score_type"], configs["score"]["min_score"]) == ("continuous", "-Infinity")


def test_rows_without_a_score_are_counted_and_named(tmp_path: Path, command: Command) -> None:
    seen = command("convert", FIXTURES / "inspect/errors.eval", "-o", tmp_path / "x.json")
    assert "20 of 72 rows have no place in the file: it takes scores alone." in " ".join(seen.out.split())


def test_several_arms_are_refused_until_one_is_named(tmp_path: Path, command: Command) -> None:
    log, target = FIXTURES / "promptfoo/repeat3.json", tmp_path / "x.json"
    assert "--arm: got 'nothing', allowed is one of base, candidate. Every Eval Ever keeps one model a file." in (
        command.refusal("convert", log, "-o", target)
    )
    assert "Did you mean base?" in command.refusal("convert", log, "-o", target, "--arm", "bass")
    assert not target.exists()


def test_an_arm_can_be_named_for_every_format(tmp_path: Path, command: Command) -> None:
    log = FIXTURES / "promptfoo/repeat3.json"
    command("convert", log, "-o", tmp_path / "x.csv", "--arm", "base")
    table = read_log(tmp_path / "x.csv")
    assert [run.arm for run in table.runs] == ["base"]
    assert cells(table, "pass") == cells(read_log(log), "pass", "base")


@pytest.mark.parametrize("name", ["x.json", "x_samples.jsonl"])
def test_neither_file_is_replaced_unasked(tmp_path: Path, command: Command, name: str) -> None:
    (tmp_path / name).write_text("kept", encoding="utf-8")
    log = FIXTURES / "inspect/triage-base.eval"
    assert "a file that is not there yet" in command.refusal("convert", log, "-o", tmp_path / "x.json")
    assert (tmp_path / name).read_text(encoding="utf-8") == "kept"
    assert command("convert", log, "-o", tmp_path / "x.json", "--overwrite").code == 0
    assert len(samples(tmp_path / "x.json")) == 120


def test_scores_that_cannot_be_measured_are_named(tmp_path: Path, command: Command) -> None:
    log = tmp_path / "log.csv"
    log.write_text("case,score,grade\na,1,left\nb,0,right\n", encoding="utf-8")
    seen = command("convert", log, "-o", tmp_path / "x.json", "--map", "score=score|grade")
    assert "Not written: metric 'grade': some scores are words without a number" in " ".join(seen.out.split())
    log.write_text("case,score\na,left\nb,right\n", encoding="utf-8")
    assert "some scores are words" in command.refusal("convert", log, "-o", tmp_path / "y.json", "--map", "score=score")
