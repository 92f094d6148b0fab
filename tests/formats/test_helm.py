"""HELM runs: means per instance, trials, perturbed copies, requests without an answer, and what is refused."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.helm import READER
from support.logs import cells, problems, read_log, source

if TYPE_CHECKING:
    from pathlib import Path

TYPOS = {"name": "misspelling", "robustness": True, "fairness": False, "prob": 0.1}
NAME = "mmlu:subject=law,method=multiple_choice_joint,model=demo_one"


def stat(name: str, mean: float | None, perturbation: dict[str, Any] | None = None) -> dict[str, Any]:
    named = {"name": name, "split": "test", **({"perturbation": perturbation} if perturbation else {})}
    return {"name": named, "count": 0} if mean is None else {"name": named, "count": 1, "sum": mean, "mean": mean}


def stats(instance: str, score: float | None, trial: int = 0, **more: Any) -> dict[str, Any]:
    kept = [stat("num_prompt_tokens", 211.0), stat("logprob", -3.5), stat("exact_match", score)]
    return {"instance_id": instance, "train_trial_index": trial, "stats": kept, **more}


def request(instance: str, trial: int = 0, *, success: bool = True, **more: Any) -> dict[str, Any]:
    references = [{"output": {"text": text}, "tags": ["correct"] * (text == "yes")} for text in ("yes", "no")]
    asked = {
        "input": {"text": f"Is {instance} right?"},
        "references": references,
        "split": "test",
        "id": instance,
        **more,
    }
    return {"instance": asked, "train_trial_index": trial, "result": {"success": success, "completions": []}}


def run(
    folder: Path,
    rows: list[dict[str, Any]],
    requests: list[dict[str, Any]] | None = None,
    model: str = "demo/one",
    **more: Any,
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    adapter = {"method": "multiple_choice_joint", "model": model, "temperature": 0.0, **more}
    spec = {"name": NAME, "adapter_spec": adapter, "scenario_spec": {"class_name": "MMLU", "args": {}}}
    (folder / "run_spec.json").write_text(json.dumps(spec), encoding="utf-8")
    (folder / "per_instance_stats.json").write_text(json.dumps(rows), encoding="utf-8")
    (folder / "stats.json").write_text(json.dumps([stat("exact_match", 0.5)]), encoding="utf-8")
    if requests is not None:
        state = {"adapter_spec": adapter, "request_states": requests}
        (folder / "scenario_state.json").write_text(json.dumps(state), encoding="utf-8")
    return folder


def test_means_are_the_scores_and_bookkeeping_is_left_out(tmp_path: Path) -> None:
    table = read_log(run(tmp_path / "run", [stats("id1", 1.0), stats("id2", 0.25)], [request("id1"), request("id2")]))
    assert [metric.name for metric in table.metrics] == ["exact_match"]
    assert cells(table, "exact_match") == {("id1", 1): 1.0, ("id2", 1): 0.25}
    assert (table.metrics[0].low, table.metrics[0].high, table.metrics[0].higher_is_better) == (0.0, 1.0, True)


def test_a_metric_that_nobody_knows_is_kept_without_a_range(tmp_path: Path) -> None:
    row = {"instance_id": "id1", "train_trial_index": 0, "stats": [stat("wildbench_score", 7.5)]}
    metric = read_log(run(tmp_path / "run", [row])).metrics[0]
    assert (metric.name, metric.low, metric.high, metric.higher_is_better) == ("wildbench_score", None, None, None)


def test_columns(tmp_path: Path) -> None:
    table = read_log(
        run(tmp_path / "run", [stats("id1", 1.0)], [request("id1", sub_split="hard")], max_train_instances=5)
    )
    one = table.runs[0]
    assert (one.set_name, one.arm, one.framework) == (
        "mmlu:subject=law,method=multiple_choice_joint",
        "demo/one",
        "helm",
    )
    assert one.arm_detail == {"model": "demo/one", "temperature": "0.0", "max_train_instances": "5"}
    assert (one.rep_source, one.rep_kind, one.planned_cases, one.planned_reps) == ("explicit", "prompt", 1, 1)
    assert table.cases.fields == {"split": ("test",), "sub_split": ("hard",)}
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert (content.input, content.choices, content.target) == ("Is id1 right?", ("yes", "no"), ["yes"])


def test_answers_to_an_open_question_are_targets_and_no_choices(tmp_path: Path) -> None:
    table = read_log(run(tmp_path / "run", [stats("id1", 1.0)], [request("id1")], method="generation"))
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert (content.choices, content.target) == (None, ["yes"])


def test_what_became_of_a_request(tmp_path: Path) -> None:
    rows = [stats("id1", 1.0), stats("id2", None), stats("id3", 0.0)]
    asked = [request("id1"), request("id2"), request("id3", success=False), request("id4")]
    assert cells(read_log(run(tmp_path / "run", rows, asked)), "exact_match") == {
        ("id1", 1): 1.0,
        ("id2", 1): "unscored",
        ("id3", 1): "error",
        ("id4", 1): "not run",
    }


def test_trials_are_reps_of_the_prompt(tmp_path: Path) -> None:
    rows = [stats("id1", 1.0, 0), stats("id1", 0.0, 1), stats("id2", 1.0, 1)]
    table = read_log(run(tmp_path / "run", rows))
    assert cells(table, "exact_match") == {
        ("id1", 1): 1.0,
        ("id1", 2): 0.0,
        ("id2", 1): "not run",
        ("id2", 2): 1.0,
    }


def test_perturbed_copies_are_cases_of_one_cluster(tmp_path: Path) -> None:
    rows = [
        stats("id1", 1.0),
        stats("id1", 0.0, perturbation=TYPOS),
        stats("id1", 0.5, perturbation={**TYPOS, "prob": 0.5}),
    ]
    table = read_log(run(tmp_path / "run", rows, [request("id1"), request("id1", perturbation=TYPOS)]))
    assert table.cases.case_id == ("id1", "id1+misspelling", "id1+misspelling")
    assert table.cases.dup.tolist() == [0, 0, 1]
    assert table.score.tolist() == [1.0, 0.0, 0.5]
    assert table.cases.fields["instance"] == ("id1",) * 3
    assert table.cases.fields["perturbation"] == (None, "misspelling", "misspelling")


def test_a_statistic_over_the_copies_has_a_name_of_its_own(tmp_path: Path) -> None:
    worst = {**TYPOS, "computed_on": "worst"}
    row = {"instance_id": "id1", "stats": [stat("exact_match", 1.0), stat("exact_match", 0.0, worst)]}
    table = read_log(run(tmp_path / "run", [row]))
    assert cells(table, "exact_match") == {("id1", 1): 1.0}
    assert cells(table, "exact_match/worst") == {("id1", 1): 0.0}


def test_a_folder_of_runs_names_arms_by_what_differs(tmp_path: Path) -> None:
    run(tmp_path / "runs" / "v1" / "a", [stats("id1", 1.0)], [request("id1")])
    run(tmp_path / "runs" / "v1" / "b", [stats("id1", 0.0)], [request("id1")], model="demo/two")
    run(tmp_path / "runs" / "v1" / "c", [stats("id1", 0.0)], [request("id1")], model="demo/two", temperature=1.0)
    table = read_log(tmp_path)
    assert [one.arm for one in table.runs] == ["demo/one", "demo/two (temperature=0.0)", "demo/two (temperature=1.0)"]
    assert len({one.set_name for one in table.runs}) == 1
    assert problems(table) == ""


def test_a_run_whose_requests_or_name_are_lost_is_read_and_says_so(tmp_path: Path) -> None:
    folder = run(tmp_path / "law:method=x,model=demo_three", [stats("id1", 1.0)])
    assert "There is no scenario_state.json beside it: what was asked" in problems(read_log(folder))
    (folder / "run_spec.json").unlink()
    table = read_log(folder)
    assert (table.runs[0].set_name, table.runs[0].arm) == ("law:method=x", "demo_three")
    assert "There is no run_spec.json beside it: the name of the run is not known." in problems(table)


@pytest.mark.parametrize("name", ["per_instance_stats.json", "stats.json", "run_spec.json", "scenario_state.json"])
def test_any_file_of_a_run_names_it(tmp_path: Path, name: str) -> None:
    folder = run(tmp_path / "run", [stats("id1", 1.0)], [request("id1")])
    assert READER.claims(source(folder / name))
    assert cells(read_log(folder / name), "exact_match") == {("id1", 1): 1.0}


def test_claims_by_bytes(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", [stats("id1", 1.0)])
    renamed = shutil.copy(folder / "per_instance_stats.json", tmp_path / "scores.json")
    assert READER.claims(source(renamed))
    assert READER.claims(source(folder))
    alone = shutil.copy(folder / "stats.json", tmp_path / "stats.json")
    assert not READER.claims(source(alone))
    (tmp_path / "empty").mkdir()
    assert not READER.claims(source(tmp_path / "empty"))


def test_a_cut_run_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", [stats("id1", 1.0), stats("id2", 0.0)], [request("id1"), request("id2")])
    path = folder / "per_instance_stats.json"
    path.write_bytes(path.read_bytes()[:-30])
    table = read_log(folder)
    assert cells(table, "exact_match") == {("id1", 1): 1.0, ("id2", 1): "not run"}
    assert table.runs[0].state == "partial"
    assert "1 record before that place could be read" in problems(table)


def test_a_damaged_file_beside_is_named_and_tolerance_does_without_it(tmp_path: Path) -> None:
    folder = run(tmp_path / "run", [stats("id1", 1.0)], [request("id1")])
    (folder / "scenario_state.json").write_text('{"request_states": [', encoding="utf-8")
    with pytest.raises(LogError, match=r"scenario_state.json: is no valid JSON"):
        read_log(folder)
    table = read_log(folder, tolerant=True)
    assert cells(table, "exact_match") == {("id1", 1): 1.0}
    assert "The scores are read without it." in problems(table)


def test_a_run_that_cannot_be_read_is_left_out_of_a_tolerant_folder(tmp_path: Path) -> None:
    run(tmp_path / "runs" / "a", [stats("id1", 1.0)], [request("id1")])
    bad = run(tmp_path / "runs" / "b", [])
    with pytest.raises(LogError, match=r"b/per_instance_stats.json: holds no record"):
        read_log(tmp_path)
    assert len(read_log(tmp_path, tolerant=True).runs) == 1
    with pytest.raises(LogError, match="holds no record"):
        read_log(bad, tolerant=True)


def test_a_run_without_a_quality_is_refused(tmp_path: Path) -> None:
    row = {"instance_id": "id1", "stats": [stat("num_prompt_tokens", 3.0)]}
    with pytest.raises(UnknownFormatError, match="no statistic in it says how good an answer is"):
        read_log(run(tmp_path / "run", [row]) / "per_instance_stats.json")


def test_instances_that_come_twice_are_said(tmp_path: Path) -> None:
    table = read_log(run(tmp_path / "run", [stats("id1", 1.0), stats("id1", 0.0)], [request("id1")]))
    assert cells(table, "exact_match") == {("id1", 1): 0.0}
    assert problems(table) == "Some instances come twice in one trial: the last counts."


def test_the_real_run_equals_a_hand_count(real_logs: Path) -> None:
    (folder,) = (real_logs / "helm").iterdir()
    table = read_log(folder)
    records = json.loads((folder / "per_instance_stats.json").read_text(encoding="utf-8"))
    totals = json.loads((folder / "stats.json").read_text(encoding="utf-8"))
    assert len(table.cases) == len(records) == 10
    assert len(table.metrics) == 8
    for metric in (metric.name for metric in table.metrics):
        found = cells(table, metric)
        by_hand = {
            (record["instance_id"], 1): one["mean"]
            for record in records
            for one in record["stats"]
            if one["name"]["name"] == metric
        }
        assert found == by_hand
        # HELM's own totals, over the instances of each split.
        splits = {one["name"]["split"]: one["mean"] for one in totals if one["name"]["name"] == metric}
        split_of = dict(zip(table.cases.case_id, table.cases.fields["split"], strict=True))
        for split, mean in splits.items():
            scores = [score for (name, _), score in by_hand.items() if split_of[name] == split]
            assert sum(scores) / len(scores) == pytest.approx(mean)
    assert table.runs[0].arm == "openai/gpt2"
    assert table.runs[0].set_name == "mmlu:subject=philosophy,method=multiple_choice_joint"
    assert problems(table) == ""
