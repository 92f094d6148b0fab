"""skill-creator: pass rates counted anew, absent gradings, trees against the benchmark made of them, refusals."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats.skill_creator import READER
from support.logs import cells, problems, read_log, source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "skill-creator"
BENCHMARK = FIXTURES / "benchmark.json"
ARMS = ("with_skill", "without_skill")


def benchmark(folder: Path, runs: list[dict[str, Any]], **metadata: Any) -> Path:
    whole = {"metadata": {"skill_name": "pdf", "evals_run": [1], **metadata}, "runs": runs, "run_summary": {}}
    path = folder / "benchmark.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


def run(number: int, *, eval_id: int = 1, configuration: str = "with_skill", **more: Any) -> dict[str, Any]:
    return {"eval_id": eval_id, "configuration": configuration, "run_number": number, **more}


def hand_count(configuration: str) -> dict[tuple[str, int], float]:
    """Count the gradings that are on disk."""
    found = {}
    for path in FIXTURES.glob(f"*/{configuration}/*/grading.json"):
        expectations = json.loads(path.read_text(encoding="utf-8"))["expectations"]
        key = (path.parents[2].name.removeprefix("eval-"), int(path.parent.name.removeprefix("run-")))
        found[key] = sum(one["passed"] for one in expectations) / len(expectations)
    return found


@pytest.mark.parametrize("configuration", ARMS)
@pytest.mark.parametrize("path", [FIXTURES, BENCHMARK], ids=["tree", "benchmark"])
def test_pass_rates_are_those_of_the_gradings(path: Path, configuration: str) -> None:
    found = cells(read_log(path), "pass_rate", configuration)
    scored = {key: score for key, score in found.items() if not isinstance(score, str)}
    assert scored == pytest.approx(hand_count(configuration))
    absent = {key: score for key, score in found.items() if isinstance(score, str)}
    assert absent == ({("2", 3): "not run"} if configuration == "without_skill" else {})


def test_a_grading_without_a_summary_is_no_zero() -> None:
    rows = json.loads(BENCHMARK.read_text(encoding="utf-8"))["runs"]
    theirs = next(
        row["result"]["pass_rate"]
        for row in rows
        if (row["eval_id"], row["configuration"], row["run_number"]) == (3, "with_skill", 2)
    )
    assert theirs == 0
    assert cells(read_log(BENCHMARK), "pass_rate", "with_skill")["3", 2] == hand_count("with_skill")["3", 2] > 0


def test_absent_runs_are_said() -> None:
    for path in (FIXTURES, BENCHMARK):
        assert "1 run that others have has no grading: not run" in problems(read_log(path))


def test_columns_of_a_tree() -> None:
    table = read_log(FIXTURES)
    assert [one.arm for one in table.runs] == list(ARMS)
    first = table.runs[0]
    assert (first.set_name, first.framework) == ("reply-tone", "skill-creator")
    assert (first.rep_source, first.rep_kind, first.planned_reps) == ("explicit", "run", 3)
    assert first.created.startswith("20")
    # The script leaves placeholders for what it does not know.
    assert first.arm_detail == {"configuration": "with_skill"}
    assert table.cases.case_id == ("1", "2", "3", "4")
    assert table.cases.fields["eval_name"] == ("refund-letter", "parcel-lost", "two-accounts", "angry-customer")
    assert table.cases.contents is not None
    assert (
        next(content.input for content in table.cases.contents() if content) == "Answer ticket number 1: refund letter."
    )
    assert "Left out" not in problems(table)


def test_columns_of_a_benchmark(tmp_path: Path) -> None:
    expectations = [{"text": "a", "passed": True}, {"text": "b", "passed": False}]
    rows = [run(2, eval_name="ocean", expectations=expectations, result={"pass_rate": 0.67})]
    table = read_log(benchmark(tmp_path, rows, executor_model="sonnet", timestamp="2026-01-15T10:30:00Z"))
    assert cells(table, "pass_rate") == {("1", 1): 0.5}
    assert table.cases.fields == {"eval_name": ("ocean",)}
    assert table.runs[0].arm_detail == {"configuration": "with_skill", "model": "sonnet"}
    assert table.runs[0].created == "2026-01-15T10:30:00Z"


@pytest.mark.parametrize(
    ("more", "score"),
    [
        ({"result": {"pass_rate": 0.67, "passed": 2, "total": 3}}, 2 / 3),
        ({"result": {"pass_rate": 0.0, "passed": 0, "total": 0}}, "unscored"),
        ({"result": {"pass_rate": 0.67}}, 0.67),
        ({}, "unscored"),
        ({"expectations": [{"text": "a", "passed": True}, {"text": "b", "passed": None}]}, "unscored"),
        ({"expectations": [], "result": {"passed": 1, "total": 1}}, 1.0),
    ],
)
def test_where_a_pass_rate_comes_from(tmp_path: Path, more: dict[str, Any], score: float | str) -> None:
    assert cells(read_log(benchmark(tmp_path, [run(1, **more)])), "pass_rate") == {("1", 1): score}


def test_a_rounded_rate_is_said(tmp_path: Path) -> None:
    said = problems(read_log(benchmark(tmp_path, [run(1, result={"pass_rate": 0.67})])))
    assert said == "1 run has a rounded pass rate and neither expectations nor counts to take it from."


def test_the_last_of_two_runs_with_one_number_counts(tmp_path: Path) -> None:
    rows = [run(1, result={"passed": passed, "total": 2}) for passed in (0, 2)]
    table = read_log(benchmark(tmp_path, rows))
    assert cells(table, "pass_rate") == {("1", 1): 1.0}
    assert "Some runs come twice with one number: the last counts." in problems(table)


def test_older_trees_stand_in_a_folder_runs(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES, tmp_path / "bench" / "runs", ignore=shutil.ignore_patterns("benchmark.*"))
    shutil.copy(BENCHMARK, tmp_path / "bench" / "benchmark.json")
    table = read_log(tmp_path / "bench")
    assert len(table.runs) == 2
    assert table.runs[0].set_name == "reply-tone"
    assert cells(table, "pass_rate", ARMS[1]) == cells(read_log(FIXTURES), "pass_rate", ARMS[1])


def test_iterations_in_one_folder_are_arms_of_their_own(tmp_path: Path) -> None:
    for name in ("iteration-1", "iteration-2"):
        shutil.copytree(FIXTURES, tmp_path / name)
    arms = [one.arm for one in read_log(tmp_path).runs]
    assert arms == [f"{arm} ({name})" for name in ("iteration-1", "iteration-2") for arm in ARMS]


def test_a_grading_by_itself_and_a_tree_without_run_folders(tmp_path: Path) -> None:
    path = FIXTURES / "eval-1" / "with_skill" / "run-2" / "grading.json"
    table = read_log(path)
    assert list(cells(table, "pass_rate").values()) == [hand_count("with_skill")["1", 2]]
    assert table.runs[0].arm == "with_skill"
    for arm in ARMS:
        (tmp_path / "first-eval" / arm).mkdir(parents=True)
        shutil.copy(path, tmp_path / "first-eval" / arm / "grading.json")
    assert cells(read_log(tmp_path), "pass_rate", ARMS[1]) == {("first-eval", 1): hand_count("with_skill")["1", 2]}


def test_a_damaged_grading_is_named_and_tolerance_reads_around_it(tmp_path: Path) -> None:
    shutil.copytree(FIXTURES, tmp_path / "tree")
    path = tmp_path / "tree" / "eval-1" / "with_skill" / "run-2" / "grading.json"
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(LogError, match=r"eval-1/with_skill/run-2/grading.json: is no valid JSON"):
        read_log(tmp_path / "tree")
    table = read_log(tmp_path / "tree", tolerant=True)
    assert cells(table, "pass_rate", "with_skill")["1", 2] == "not run"
    assert "This file is left out." in problems(table)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([], "benchmark.json: holds no run. Run the benchmark again, or give its folder."),
        ([{"eval_id": 1}], "field 'runs[0]': object missing required field `configuration`."),
    ],
)
def test_refusals(tmp_path: Path, rows: list[dict[str, Any]], text: str) -> None:
    with pytest.raises(LogError) as refusal:
        read_log(benchmark(tmp_path, rows))
    assert text in str(refusal.value)


def test_claims_by_bytes(tmp_path: Path) -> None:
    assert READER.claims(source(BENCHMARK))
    assert READER.claims(source(FIXTURES))
    assert not READER.claims(source(tmp_path))
    # Other benchmarks have metadata too.
    other = tmp_path / "benchmark.json"
    other.write_text('{"metadata": {"name": "x"}, "runs": []}', encoding="utf-8")
    assert not READER.claims(source(other))
