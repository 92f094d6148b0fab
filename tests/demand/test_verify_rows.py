"""What users of evals asked about trust in an interval, by the row of the list of demands; through the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.stats.quantiles import normal_quantile
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


def coverages(answer: dict[str, Any], reps: int) -> dict[str, float]:
    return {one["rule"]: one["coverage"] for one in answer["rules"] if one["reps"] == reps}


@pytest.mark.parametrize(
    ("rate", "expected"), [("95%", (0.639, 0.639, 0.925, 0.984)), ("90%", (0.876, 0.876, 0.957, 0.989))]
)
def test_v01_the_bootstrap_at_small_n_is_no_better_than_wald(
    command: Command, rate: str, expected: tuple[float, ...]
) -> None:
    rules = ("wald_on_runs", "percentile_bootstrap", "evalgauge_default", "clopper_pearson")
    words = ("--design", "single", "--cases", 20, "--reps", 1, "--rates", rate, "--rule", ",".join(rules))
    answer = command.json("verify", *words)
    assert all(one["exact"] for one in answer["rules"])
    found = coverages(answer, 1)
    assert [found[rule] for rule in rules] == pytest.approx(expected, abs=6e-4)


def test_v02_repeats_are_no_extra_cases(command: Command) -> None:
    words = ("--design", "single", "--cases", 20, "--rates", "uniform:10%:90%", "--reps", "1,5,30,200")
    rules = ("--rule", "runs_as_cases,per_case_t")
    answer = command.json("verify", *words, *rules)
    for reps, claimed in ((1, 0.958), (5, 0.840), (30, 0.529), (200, 0.232)):
        error = (claimed * (1 - claimed) / 20_000) ** 0.5
        assert coverages(answer, reps)["runs_as_cases"] == pytest.approx(claimed, abs=4 * error + 5e-4)
    student = next(one for one in answer["rules"] if (one["rule"], one["reps"]) == ("per_case_t", 30))
    band = 4 * (student["error"] ** 2 + 0.948 * 0.052 / 20_000) ** 0.5
    assert student["coverage"] == pytest.approx(0.948, abs=band + 5e-4)


def test_v06_the_error_that_is_printed_gives_the_band_of_a_check(command: Command) -> None:
    words = ("verify", "--reps", 10, "--rule", "evalgauge_default", "--sims", 2_000)
    answer = command.json(*words)
    one = answer["rules"][0]
    share = one["coverage"]
    assert one["error"] == pytest.approx((share * (1 - share) / 2_000) ** 0.5)
    at_nominal = (0.95 * 0.05 / 2_000) ** 0.5
    # One check accepts 94.0 to 96.0 %; twenty at 5 % overall need ±1.47 points.
    assert 1.96 * at_nominal == pytest.approx(0.0096, abs=5e-5)
    assert normal_quantile(1 - 0.05 / 20) * at_nominal == pytest.approx(0.0147, abs=5e-5)
    assert abs(share - 0.95) < normal_quantile(1 - 0.05 / 20) * at_nominal
    assert command(*words).out == command(*words).out


def test_v12_the_noise_floor_of_identical_runs_is_not_zero_flips(command: Command, tmp_path: Path) -> None:
    flipped = {0, 1, 2, 90, 91, 92}
    runs = [
        written(
            tmp_path / f"{name}.csv", ("case", "score"), [(f"q{i}", int(i < 90) ^ int(i in some)) for i in range(120)]
        )
        for name, some in (("one", set[int]()), ("two", flipped))
    ]
    words = ("verify", "--like", runs[0], "--like", runs[1], "--same-system", "--rule", "evalgauge_default")
    null = command.json(*words)["null_changes"][0]
    assert null["flips"] == pytest.approx(6, abs=0.1)
    assert 120 * null["sd"] == pytest.approx(2.4, abs=0.06)
    assert (null["gain_of_one"], null["gain_of_two"]) == pytest.approx((0.42, 0.26), abs=0.01)
    assert 120 * null["floor"] == pytest.approx(5)
