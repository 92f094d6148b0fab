"""``evalgauge plan`` and ``plan reps`` with pilot logs: what is taken from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.tables import paired_tables, reps_table, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


def test_a_pilot_log_gives_the_rate_and_the_slices(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{i}", int(i % 5 > 0), "web" if i < 60 else "api") for i in range(80)]
    log = written(tmp_path / "pilot.csv", ("case", "score", "channel"), rows)
    answer = command.json("plan", "--like", log, "--by", "channel")
    assert answer["rate"] == 0.8
    assert answer["pilot"]["n_cases"] == 80
    assert (answer["slices"]["count"], answer["slices"]["smallest_share"]) == (2, 0.25)
    assert answer["precision"]["rule"] == "wilson"
    named = command.json("plan", "--like", log, "--rate", "90%")
    assert named["precision"]["per_slice"] == 141


def test_two_pilot_logs_give_the_discordance(command: Command, tmp_path: Path) -> None:
    base, cand = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    answer = command.json("plan", "--like", base, "--like", cand, "--drop", "5pp")
    assert answer["detection"]["paired"]["discordance"] == pytest.approx(31 / 240)
    assert answer["detection"]["paired"]["assumed"] is False
    assert answer["rate"] == pytest.approx(159 / 240)


def test_a_pilot_log_with_reps_plans_by_the_rule_that_grades_reps(command: Command, tmp_path: Path) -> None:
    passes = {f"q{i}": ("111", "110", "000", "101", "010", "111")[i % 6] for i in range(36)}
    answer = command.json("plan", "--like", reps_table(tmp_path / "run.csv", passes))
    assert answer["precision"]["rule"] == "effective-n wilson t"
    assert 0 < answer["precision"]["rho"] < 1
    assert answer["precision"]["assurance"] == {}
    assert answer["pilot"]["n_reps"] == 3


def test_a_pilot_log_with_clusters_gives_their_correlation(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{i}", int((i // 5) % 4 > 0), f"doc{i // 5}") for i in range(100)]
    log = written(tmp_path / "pilot.csv", ("case", "score", "doc"), rows)
    answer = command.json("plan", "--like", log, "--cluster", "doc")
    assert answer["clusters"]["size"] == 5
    assert answer["clusters"]["icc"] == pytest.approx(1)
    assert answer["prescribed"]["because"] == "clusters"


def test_reps_from_a_log_are_bands(command: Command, tmp_path: Path) -> None:
    passes = {f"q{i}": ("11111", "11011", "00000", "10101", "01010", "11110")[i % 6] for i in range(120)}
    log = reps_table(tmp_path / "run.csv", passes)
    answer = command.json("plan", "reps", log)
    assert answer["is_too_few"] is False
    assert all(band["low"] < band["half_width"] < band["high"] for band in answer["bands"])
    assert answer["rows"][0]["cases"] == 120
    counts = command.json("plan", "reps", log, "--margin", "5pp")["counts"]
    assert counts[0]["n"] > counts[-1]["n"]


def test_a_log_with_one_rep_cannot_tell(command: Command, tmp_path: Path) -> None:
    log = written(tmp_path / "run.csv", ("case", "score"), [(f"q{i}", i % 2) for i in range(50)])
    answer = command.json("plan", "reps", log)
    assert answer["is_too_few"] is True
    assert (answer["best"], answer["rows"]) == (None, [])
    assert any("Too few reps to tell" in note for note in answer["notes"])
    assert command("plan", "reps", log).out.startswith("TOO FEW REPS TO TELL")


def test_two_logs_weigh_the_reps_of_a_change(command: Command, tmp_path: Path) -> None:
    one = {f"q{i}": ("111", "110", "000", "101", "010", "111")[i % 6] for i in range(60)}
    two = {f"q{i}": ("111", "111", "010", "101", "110", "111")[i % 6] for i in range(60)}
    logs = (reps_table(tmp_path / "base.csv", one), reps_table(tmp_path / "cand.csv", two))
    answer = command.json("plan", "reps", *logs, "--drop", "5pp")
    assert answer["kind"] == "paired change"
    assert answer["counts"][0]["runs"] == 2 * answer["counts"][0]["n"]
    undecided = command.json(
        "plan", "reps", logs[0], written(tmp_path / "c.csv", ("case", "score"), [(f"q{i}", i % 2) for i in range(60)])
    )
    assert undecided["is_too_few"] is True
