"""``reuse`` and ``best-of`` at the ends of what they take, nonsense from Python, and where their next steps lead."""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
import sys
from contextlib import chdir, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import evalgauge as eg
from evalgauge.errors import EvalgaugeError
from evalgauge.stats.maxima import expected_max_normal
from support.tables import written

if TYPE_CHECKING:
    from support.command import Command

TRILLION = 1_000_000_000_000


def test_a_trillion_cases_answer_at_once_and_as_the_normal_law(command: Command) -> None:
    answer = command.json("reuse", "--cases", TRILLION, "--rate", "80%", "--looks", 10)
    sigma = math.sqrt(0.16 / TRILLION)
    assert answer["optimism"]["binomial"] == pytest.approx(sigma * expected_max_normal(10), rel=1e-5)
    seen = command("reuse", "--cases", TRILLION, "--rate", "80%", "--looks", 10).out
    assert "flatter the best by less than 0.1 points" in seen
    assert "80.0 to 80.0" not in seen


def test_the_least_tolerance_asks_for_a_set_that_nobody_has(command: Command) -> None:
    words = ("reuse", "--cases", 1000, "--rate", "50%", "--looks", 10, "--tolerance", "0.0001pp")
    answer = command.json(*words)
    assert answer["look_budget"]["shown"] == "1"
    assert answer["fresh_set"]["normal"] == math.ceil(0.25 * (expected_max_normal(10) / 1e-6 / (1 + 1e-12)) ** 2)
    assert answer["fresh_set"]["binomial"] == pytest.approx(answer["fresh_set"]["normal"], rel=1e-3)
    more = (*words[:5], "--looks", 1000, *words[7:])
    assert command.json(*more)["fresh_set"] == {"blom": None, "normal": None, "binomial": None}
    assert "more than a trillion normal" in command(*more).out


@pytest.mark.parametrize("rate", ["1e-300", "1e-9", "0.999999999999"])
def test_rates_next_to_certainty_answer(command: Command, rate: str) -> None:
    answer = command.json("reuse", "--cases", 100, "--rate", rate, "--looks", 10)
    assert 0 <= answer["optimism"]["binomial"] <= 1 - float(rate) + 1e-12
    assert answer["look_budget"]["shown"] == "more than 1,000"


def test_a_perfect_score_flatters_by_all_that_separates_it_from_the_common_rate(command: Command) -> None:
    answer = command.json("reuse", "100/100", "--looks", 10)
    assert answer["optimism"]["binomial"] == pytest.approx(1 - answer["rate"], abs=1e-12)
    assert answer["point_if_equal"] == answer["rate"]
    assert command.json("reuse", "100/100")["optimism"]["binomial"] == 0


@pytest.mark.parametrize("count", ["5/100", "90/100", "100/100", "0/100"])
def test_a_refresh_of_the_share_that_is_advised_is_enough(command: Command, count: str) -> None:
    words = ("reuse", count, "--looks", 300, "--tolerance", "1.5pp")
    answer = command.json(*words)
    share = answer["share_to_replace"]
    assert 0 <= share < 1
    after = command.json(*words, "--refresh", f"{100 * share}%")["refresh"]
    assert after["optimism_before"] == answer["optimism"]["binomial"]
    assert after["optimism_after"] <= 0.015 + 1e-12


@pytest.mark.parametrize("correlation", ["99.9%", "99.9999999%"])
def test_looks_that_hardly_differ_cost_no_less_than_one(command: Command, correlation: str) -> None:
    interval = command.json("reuse", "80/100", "--looks", 10, "--correlation", correlation)["interval"]
    assert interval["low"] <= interval["plain_low"]
    assert interval["low"] == pytest.approx(interval["plain_low"], abs=0.003)


NONSENSE: list[Any] = ["x", "", True, None, [], [3], math.nan, math.inf, -math.inf, -1, 0.5, 1e30, 10**40, {}, b"3"]
NUMBERS = ["n_cases", "rate", "looks", "tolerance", "correlation", "cap", "passes", "step", "refresh", "more_looks"]


@pytest.mark.parametrize("value", NONSENSE, ids=repr)
@pytest.mark.parametrize("option", [*NUMBERS, "retired", "climb", "edit", "confidence", "display"])
def test_nonsense_from_python_is_refused_or_answered(option: str, value: Any) -> None:
    asked: dict[str, Any] = {"n_cases": 300, "rate": 0.8, "looks": 5, "display": "pass-fail", option: value}
    if option == "step":
        asked["display"] = "rounded"
    if option == "more_looks":
        asked["refresh"] = 0.5
    # Nothing but an error of ours may come out.
    with suppress(EvalgaugeError):
        interval = eg.reuse(**asked).interval
        assert 0 <= interval.low <= interval.high <= 1


@pytest.mark.parametrize("kind", [np.int64, np.int16, np.float64, np.float32])
def test_numpy_numbers_are_numbers(kind: Any) -> None:
    assert eg.reuse(n_cases=kind(300), rate=0.8, looks=kind(5)) == eg.reuse(n_cases=300, rate=0.8, looks=5)


def test_a_log_twice_is_one_log(tmp_path: Path) -> None:
    written(tmp_path / "a.csv", ("case", "score"), [(f"q{i}", i % 2) for i in range(30)])
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    table = eg.read(tmp_path / "a.csv")
    for logs in ((tmp_path / "a.csv", tmp_path / "link.csv"), (table, table)):
        with pytest.raises(EvalgaugeError, match="each log once: a copy is no candidate"):
            eg.best_of(*logs)
    with pytest.raises(EvalgaugeError, match="missing: got 'skip', allowed is one of fail, drop"):
        eg.best_of(tmp_path / "a.csv", tmp_path / "b.csv", missing="skip")  # type: ignore[arg-type]


STARTS: list[list[str]] = [
    ["reuse", "--cases", "1000", "--rate", "80%", "--looks", "10"],
    ["reuse", "--cases", "100", "--rate", "4%"],
    ["reuse", "100/100", "--looks", "1000"],
    ["reuse", "0/40", "--looks", "3"],
    ["reuse", "1/2", "--looks", "1000000"],
    ["reuse", "a.csv", "--looks", "30", "--tolerance", "1pp", "--correlation", "50%"],
    ["reuse", "graded.csv", "--looks", "9"],
]


@pytest.mark.parametrize("words", STARTS, ids=" ".join)
def test_next_steps_run_as_printed_and_end_in_a_plan(command: Command, tmp_path: Path, words: list[str]) -> None:
    stream = np.random.default_rng(4)
    written(tmp_path / "a.csv", ("case", "score"), [(f"q{i}", int(stream.random() < 0.7)) for i in range(80)])
    written(tmp_path / "graded.csv", ("case", "score"), [(f"q{i}", round(stream.random(), 3)) for i in range(80)])
    seen: list[list[str]] = []
    with chdir(tmp_path):
        while words[0] == "reuse":
            assert words not in seen
            seen.append(words)
            answer = command(*words)
            assert answer.code == 0
            words = shlex.split(answer.out.splitlines()[-1].removeprefix("  Next: evalgauge "))
        assert words[0] == "plan"
        assert command(*words).code == 0
    assert len(seen) <= 3


ASKED: list[list[str]] = [
    ["reuse", "--cases", "1000", "--rate", "80%", "--looks", "10", "--display", "rounded", "--step", "1pp"],
    ["reuse", "258/300", "--looks", "25", "--display", "pass-fail", "--passes", "3", "--retired", "--cap", "99.5%"],
    ["reuse", "a.csv", "--looks", "9", "--refresh", "50%", "--more-looks", "4", "--confidence", "90%"],
    ["best-of", "a.csv", "b.csv", "--missing", "drop", "--confidence", "90%"],
]


@pytest.mark.parametrize("words", ASKED, ids=" ".join)
def test_the_code_that_is_shown_gives_the_same_numbers(command: Command, tmp_path: Path, words: list[str]) -> None:
    stream = np.random.default_rng(5)
    for name in ("a", "b"):
        rows = [(f"q{i}", int(stream.random() < 0.7) if i % 9 else "") for i in range(80)]
        written(tmp_path / f"{name}.csv", ("case", "score"), rows)
    with chdir(tmp_path):
        code = command(*words, "--show-code").out.replace("print(eg.", "print(eg.to_json(eg.").rstrip("\n") + ")\n"
        home = {**os.environ, "PYTHONPATH": str(Path(eg.__file__).parents[1])}
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=home)
        assert json.loads(run.stdout) == command.json(*words)
