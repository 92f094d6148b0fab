"""Trajectories with trials: rewards by task and trial, errors, absent trials, both versions, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats.tau_bench import READER
from support.logs import cells, problems, read_log, source

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

NAME = "tool-calling-gpt-4o-0.0_range_0--1_user-gpt-4o-llm_1201093015.json"


def trial(task: int, number: int, reward: float, **info: Any) -> dict[str, Any]:
    asked = {
        "user_id": f"u{task % 2}",
        "instruction": f"Change order {task}.",
        "actions": [{"name": "x"}],
        "outputs": [],
    }
    return {
        "task_id": task,
        "reward": reward,
        "info": {"task": asked, **info},
        "traj": [{"role": "user"}],
        "trial": number,
    }


def written(folder: Path, rows: list[dict[str, Any]], name: str = NAME) -> Path:
    path = folder / name
    path.write_text(json.dumps(rows, indent=2), encoding="utf-8")
    return path


def simulation(task: str, number: int, reward: float | None, reason: str = "user_stop") -> dict[str, Any]:
    info = None if reward is None else {"reward": reward, "reward_breakdown": {"DB": reward}}
    return {
        "id": f"{task}-{number}",
        "task_id": task,
        "timestamp": "2026-01-02",
        "termination_reason": reason,
        "reward_info": info,
        "messages": [],
        "trial": number,
    }


def second(folder: Path, simulations: list[dict[str, Any]] | None, name: str = "results.json", **more: Any) -> Path:
    agent = {"implementation": "llm_agent", "llm": "gpt-4.1", "llm_args": {"temperature": 0.0}}
    tasks = [
        {
            "id": task,
            "user_scenario": {"persona": None, "instructions": {"reason": f"Lost bag {task}"}},
            "evaluation_criteria": {"actions": []},
        }
        for task in ("t1", "t2")
    ]
    info = {
        "git_commit": "abc",
        "num_trials": 2,
        "max_steps": 100,
        "max_errors": 10,
        "user_info": {
            "implementation": "user_simulator",
            "llm": "gpt-4.1-mini",
            "global_simulation_guidelines": "x" * 9_000,
        },
        "agent_info": agent,
        "environment_info": {"domain_name": "airline", "policy": "p"},
    }
    whole = {"timestamp": "2026-01-01T00:00:00", "info": {**info, **more.pop("info", {})}, "tasks": tasks, **more}
    if simulations is not None:
        whole["simulations"] = simulations
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps(whole), encoding="utf-8")
    return folder / name


def test_rewards_by_task_and_trial(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [trial(0, 0, 1.0), trial(1, 0, 0.0), trial(1, 1, 1.0), trial(0, 1, 0.5)]))
    assert cells(table, "reward") == {("0", 1): 1.0, ("0", 2): 0.5, ("1", 1): 0.0, ("1", 2): 1.0}
    assert problems(table) == ""


def test_columns_of_the_first_version(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [trial(0, 0, 1.0), trial(1, 0, 0.0)]))
    run = table.runs[0]
    assert (run.arm, run.set_name, run.framework) == ("tool-calling-gpt-4o-0.0", "", "tau-bench")
    assert run.arm_detail == {"model": "tool-calling-gpt-4o-0.0", "user": "gpt-4o-llm"}
    assert (run.rep_source, run.rep_kind, run.planned_reps) == ("explicit", "run", 1)
    assert table.cases.fields == {"user_id": ("u0", "u1")}
    assert table.cases.contents is not None
    content = table.cases.contents()[1]
    assert content is not None
    assert (content.input, content.target) == ("Change order 1.", [[{"name": "x"}], []])
    assert (table.metrics[0].low, table.metrics[0].high, table.metrics[0].higher_is_better) == (0.0, 1.0, True)
    assert read_log(written(tmp_path, [trial(0, 0, 1.0)], "gpt-4o-airline.json")).runs[0].arm == "gpt-4o-airline"


def test_a_trial_that_broke_is_no_failure_of_the_agent(tmp_path: Path) -> None:
    broken = {"task_id": 1, "reward": 0.0, "info": {"error": "timeout", "traceback": "…"}, "traj": [], "trial": 0}
    table = read_log(written(tmp_path, [broken, trial(1, 1, 1.0)]))
    assert cells(table, "reward") == {("1", 1): "error", ("1", 2): 1.0}
    # Its other trial says what the task asks.
    assert table.cases.contents is not None
    assert table.cases.contents()[0] is not None


def test_trials_that_others_have_were_not_run(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [trial(0, 0, 1.0), trial(1, 0, 0.0), trial(1, 2, 1.0)]))
    assert cells(table, "reward")["0", 2] == "not run"
    assert problems(table) == "1 trial is absent: not run."


def test_a_trial_twice_counts_once(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [trial(0, 0, 1.0), trial(0, 0, 0.0)]))
    assert cells(table, "reward") == {("0", 1): 0.0}
    assert problems(table) == "Some trials come twice: the last counts."


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path, [trial(0, 0, 1.0), trial(1, 0, 0.0)])
    path.write_bytes(path.read_bytes()[:-40])
    table = read_log(path)
    assert cells(table, "reward") == {("0", 1): 1.0}
    assert table.runs[0].state == "partial"


@pytest.mark.parametrize(
    ("reward", "reason", "score"),
    [
        (1.0, "user_stop", 1.0),
        (0.0, "max_steps", 0.0),
        (0.0, "too_many_errors", 0.0),
        (0.0, "infrastructure_error", "error"),
        (None, "unexpected_error", "error"),
        (None, "timeout", "limit"),
        (None, "user_stop", "unscored"),
    ],
)
def test_what_became_of_a_simulation(tmp_path: Path, reward: float | None, reason: str, score: float | str) -> None:
    table = read_log(second(tmp_path, [simulation("t1", 0, reward, reason)]))
    assert cells(table, "reward")["t1", 1] == score


def test_planned_simulations_that_are_absent_were_not_run(tmp_path: Path) -> None:
    table = read_log(second(tmp_path, [simulation("t1", 0, 1.0), simulation("t1", 1, 0.0)]))
    assert cells(table, "reward") == {("t1", 1): 1.0, ("t1", 2): 0.0, ("t2", 1): "not run", ("t2", 2): "not run"}
    assert problems(table) == "2 trials are absent: not run."


def test_columns_of_the_second_version(tmp_path: Path) -> None:
    table = read_log(second(tmp_path, [simulation("t1", 0, 1.0)]))
    run = table.runs[0]
    assert (run.arm, run.set_name, run.created, run.planned_reps) == ("gpt-4.1", "airline", "2026-01-01T00:00:00", 2)
    assert run.arm_detail == {
        "model": "gpt-4.1",
        "agent": "llm_agent",
        "agent_args": '{"temperature": 0.0}',
        "user": "gpt-4.1-mini",
    }
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert (content.input, content.target) == ([{"reason": "Lost bag t1"}], {"actions": []})
    solo = {"agent_info": {"implementation": "llm_agent_solo", "llm": "gpt-4.1"}}
    assert read_log(second(tmp_path, [simulation("t1", 0, 1.0)], info=solo)).runs[0].arm == "gpt-4.1 (llm_agent_solo)"


@pytest.mark.parametrize("has_index", [True, False])
def test_simulations_in_files_of_their_own(tmp_path: Path, has_index: bool) -> None:  # noqa: FBT001 (a parameter)
    index = [{"id": "t1-0", "task_id": "t1", "trial": 0, "reward": 1.0, "termination_reason": "user_stop"}]
    second(tmp_path / "run", None, simulation_index=index if has_index else None)
    (tmp_path / "run" / "simulations").mkdir()
    one = tmp_path / "run" / "simulations" / "t1-0.json"
    one.write_text(json.dumps(simulation("t1", 0, 1.0)), encoding="utf-8")
    for path in (tmp_path / "run" / "results.json", tmp_path):
        table = read_log(path)
        assert cells(table, "reward")["t1", 1] == 1.0
        assert "Left out" not in problems(table)


def test_a_folder_of_results_and_what_tolerance_leaves_out(tmp_path: Path) -> None:
    second(tmp_path, [simulation("t1", 0, 1.0)], "one.json")
    written(tmp_path, [trial(0, 0, 1.0)], "two.json")
    assert [run.set_name for run in read_log(tmp_path).runs] == ["airline", ""]
    second(tmp_path, [], "one.json")
    with pytest.raises(LogError, match=r"one.json, field 'simulations': holds no simulation. Give the whole folder"):
        read_log(tmp_path)
    assert "This file is left out." in problems(read_log(tmp_path, tolerant=True))


def test_a_record_of_another_shape_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [trial(0, 0, 1.0), {"task_id": 1, "reward": 1.0, "trial": "first"}])
    with pytest.raises(LogError, match=r"field '\[1\].trial': expected `int`, got `str`"):
        read_log(path)


def test_claims_by_bytes(tmp_path: Path) -> None:
    assert READER.claims(source(written(tmp_path, [trial(0, 0, 1.0)])))
    assert READER.claims(source(second(tmp_path, [])))
    assert READER.claims(source(tmp_path))
    # Records of a table that happen to have a task.
    other = tmp_path / "other.json"
    other.write_text('[{"task_id": 1, "score": 1}]', encoding="utf-8")
    assert not READER.claims(source(other))


def test_pass_hat_k_is_the_benchmarks_own(tmp_path: Path, command: Command) -> None:
    """Pass^k as tau-bench counts it: the mean over tasks of comb(c, k) / comb(trials, k)."""
    passes = {0: (1, 1, 1), 1: (1, 1, 0), 2: (0, 1, 0), 3: (0, 0, 0)}
    rows = [trial(task, number, float(one)) for task, marks in passes.items() for number, one in enumerate(marks)]
    answer = command.json("measure", written(tmp_path, rows), "--pass-k", "2")
    assert answer["estimate"] == pytest.approx(6 / 12)
    assert answer["pass_at_k"]["all_of_k"] == pytest.approx((3 / 3 + 1 / 3 + 0 + 0) / 4)
