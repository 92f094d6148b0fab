"""What users of evals asked about one score, by the row of the list of demands; all through the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from support.tables import reps_table, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

# Answers are given to a tenth of a point.
TENTH = 0.0006


def alternative(answer: dict[str, Any], method: str) -> tuple[float, float]:
    """Return the interval of a named rule."""
    return next((one["low"], one["high"]) for one in answer["alternatives"] if one["method"] == method)


def test_m01_a_greedy_run_still_has_an_interval(command: Command) -> None:
    answer = command.json("measure", "--passed", 232, "--of", 800)
    assert answer["estimate"] == 0.29
    assert answer["std_error"] == pytest.approx(0.0161, abs=5e-5)
    assert (answer["low"], answer["high"]) == pytest.approx((0.260, 0.322), abs=TENTH)
    assert answer["method"] == "wilson"
    assert answer["target"] == "new-cases"


def test_m03_epochs_are_averaged_inside_their_case_first(command: Command, tmp_path: Path) -> None:
    passes = dict(zip("abcdef", ("111", "110", "000", "101", "000", "111"), strict=True))
    answer = command.json("measure", reps_table(tmp_path / "run.csv", passes))
    assert answer["estimate"] == pytest.approx(10 / 18)
    assert answer["std_error"] == pytest.approx(0.1859, abs=5e-5)
    low, high = alternative(answer, "t")
    # Six case means allow a t interval of ±.478, which is cut where no rate can be.
    assert low == pytest.approx(10 / 18 - 0.478, abs=TENTH)
    assert high == 1.0
    assert answer["components"]["run_var"] == pytest.approx(0.1111, abs=5e-5)
    assert answer["components"]["case_var"] == pytest.approx(0.1704, abs=5e-5)
    naive = answer["naive"]
    assert naive["high"] - naive["low"] < answer["high"] - answer["low"]
    as_if_18_cases = command.json("10/18")
    assert as_if_18_cases["std_error"] == pytest.approx(0.1205, abs=5e-5)
    assert (naive["low"], naive["high"]) == (as_if_18_cases["low"], as_if_18_cases["high"])


def test_m07_a_rate_of_two_percent_has_no_zero_error(command: Command) -> None:
    answer = command.json("measure", "3/150")
    assert answer["estimate"] == 0.02
    assert answer["std_error"] == pytest.approx(0.0115, abs=5e-5)
    assert (answer["low"], answer["high"]) == pytest.approx((0.007, 0.057), abs=TENTH)


def test_m11_errored_cases_stay_in_the_denominator(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{i}", 1, "") for i in range(45)] + [(f"q{i}", 0, "") for i in range(45, 54)]
    rows += [(f"q{i}", "", "timeout") for i in range(54, 60)]
    log = written(tmp_path / "run.csv", ("case", "score", "error"), rows)
    answer = command.json("measure", log)
    assert answer["scored_only"]["estimate"] == pytest.approx(0.833, abs=TENTH)
    assert (answer["bounds"]["low"], answer["bounds"]["high"]) == pytest.approx((0.75, 0.85))
    assert (answer["low"], answer["high"]) == pytest.approx((0.628, 0.919), abs=TENTH)
    assert (answer["scored"], answer["errored"], answer["planned"]) == (54, 6, 60)
    assert command.json("measure", log, "--missing", "fail")["estimate"] == pytest.approx(0.75)
    text = command("measure", log).out
    assert "planned 60, scored 54, errored or missing 6" in text


def test_m13_rows_whose_judge_failed_are_not_dropped(command: Command, tmp_path: Path) -> None:
    scores = [0.9] * 5 + [0.1] + ["NaN"] * 4
    log = written(tmp_path / "run.csv", ("case", "score"), [(f"q{i}", score) for i, score in enumerate(scores)])
    answer = command.json("measure", log)
    assert answer["scored_only"]["estimate"] == pytest.approx(0.767, abs=TENTH)
    assert (answer["bounds"]["low"], answer["bounds"]["high"]) == pytest.approx((0.46, 0.86))
    assert (answer["scored"], answer["planned"]) == (6, 10)


@pytest.mark.parametrize(
    ("count", "ends", "exact"), [("0/30", (0.0, 0.114), (0.0, 0.116)), ("30/30", (0.886, 1.0), (0.884, 1.0))]
)
def test_m18_all_failed_and_all_passed_have_width(
    command: Command, count: str, ends: tuple[float, float], exact: tuple[float, float]
) -> None:
    answer = command.json("measure", count)
    assert (answer["low"], answer["high"]) == pytest.approx(ends, abs=TENTH)
    assert alternative(answer, "clopper-pearson") == pytest.approx(exact, abs=TENTH)
    assert 0 <= answer["low"] < answer["high"] <= 1


@pytest.mark.parametrize(
    ("count", "ends"),
    [("1/1", (0.207, 1.0)), ("12/12", (0.758, 1.0)), ("48/50", (0.865, 0.989)), ("460/500", (0.893, 0.941))],
)
def test_m22_a_pass_rate_comes_with_its_interval(command: Command, count: str, ends: tuple[float, float]) -> None:
    answer = command.json(count)
    assert (answer["low"], answer["high"]) == pytest.approx(ends, abs=TENTH)


def test_m24_pass_at_k_is_the_unbiased_one(command: Command, tmp_path: Path) -> None:
    log = reps_table(tmp_path / "run.csv", {"q1": "1100000000", "q2": "1100000000"})
    found = command.json("measure", log, "--pass-k", 5)["pass_at_k"]
    assert found["any_of_k"] == pytest.approx(0.7778, abs=5e-5)


def test_m27_repeated_tries_are_not_independent_cases(command: Command, tmp_path: Path) -> None:
    means = [10, 10, 7, 7, 4, 4, 1, 1, 1, 1] + [0] * 20
    passes = {f"q{i}": "1" * k + "0" * (10 - k) for i, k in enumerate(means)}
    answer = command.json("measure", reps_table(tmp_path / "run.csv", passes))
    assert answer["estimate"] == pytest.approx(0.153, abs=TENTH)
    assert answer["std_error"] == pytest.approx(0.055, abs=TENTH)
    low, high = alternative(answer, "t")
    assert (high - low) / 2 == pytest.approx(0.113, abs=TENTH)
    assert (answer["naive"]["low"], answer["naive"]["high"]) == pytest.approx((0.117, 0.198), abs=TENTH)


def test_m34_repeats_from_a_cache_are_flagged_and_count_once(command: Command, tmp_path: Path) -> None:
    passes = {f"q{i}": ("1" if i < 13 else "0") * 5 for i in range(20)}
    log = reps_table(tmp_path / "run.csv", passes)
    answer = command.json("measure", log)
    assert answer["n_cases"] == 20
    assert (answer["low"], answer["high"]) == pytest.approx((0.433, 0.819), abs=TENTH)
    assert (answer["naive"]["low"], answer["naive"]["high"]) == pytest.approx((0.553, 0.736), abs=TENTH)
    assert answer["components"]["identical_reps"] is True
    assert "served from a cache" in command("measure", log).out
