"""Variance components and the reps forecast: against R, simulation, by property, and their refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.components import VarianceComponents, variance_components, within_sums_of_squares
from evalgauge.stats.reps_forecast import forecast_std_error
from support.oracles import OracleRow, oracle_params, required


def reps_and_passes(arguments: str) -> tuple[np.ndarray, np.ndarray]:
    match = re.search(r"K=([\d ]+), R=(\d+)", arguments)
    if match:
        passes = np.array(match[1].split(), dtype=float)
        return np.full(passes.size, int(match[2])), passes
    match = re.search(r"n=([\d ]+), K=([\d ]+)", arguments)
    assert match
    return np.array(match[1].split(), dtype=int), np.array(match[2].split(), dtype=float)


@pytest.mark.parametrize(
    ("function", "row"),
    oracle_params("anova_MSB", "anova_MSW", "anova_n0", "s_run2_anova", "s_case2_anova", "icc_anova"),
)
def test_moments_agree_with_r(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    reps, passes = reps_and_passes(str(arguments))
    parts = variance_components(reps, passes, passes)
    found = {
        "anova_MSB": parts.mean_square_between,
        "anova_MSW": parts.run_var,
        "anova_n0": parts.n0,
        "s_run2_anova": parts.run_var,
        "s_case2_anova": parts.case_var,
        "icc_anova": parts.icc,
    }
    assert found[function] == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("function", "row"), oracle_params("s_run2_REML", "s_case2_REML"))
def test_likelihood_agrees_where_reps_are_equal(function: str, row: OracleRow | None) -> None:
    # With equal reps and s_case² > 0 the REML equations are solved by the moments. With unequal reps they weigh the
    # cases differently, so those two rows only bound the moments: within 3 % here.
    arguments, expected, tol = required(row)
    reps, passes = reps_and_passes(str(arguments))
    parts = variance_components(reps, passes, passes)
    found = parts.run_var if function == "s_run2_REML" else parts.case_var
    is_balanced = bool((reps == reps[0]).all())
    assert found == pytest.approx(expected, abs=tol if is_balanced else 0.03 * expected)
    assert is_balanced or abs(found - expected) > tol


def test_demand_m03() -> None:
    passes = np.array([3, 2, 0, 2, 0, 3])
    parts = variance_components([3] * 6, passes, passes)
    assert (round(parts.run_var, 4), round(parts.case_var, 4)) == (0.1111, 0.1704)
    # The two parts give the standard error of the case means, .1859.
    assert math.sqrt((parts.case_var + parts.run_var / 3) / 6) == pytest.approx(0.1859, abs=5e-5)


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(1, 8)), min_size=2, max_size=25),
    st.floats(0.1, 10),
    st.floats(-5, 5),
)
def test_scale_and_shift_act_as_they_must(counts: list[tuple[int, int]], scale: float, shift: float) -> None:
    reps = np.array([pair[1] for pair in counts])
    passes = np.minimum([pair[0] for pair in counts], reps).astype(float)
    if reps.max() == 1:
        return
    plain = variance_components(reps, passes, passes)
    # score -> scale·score + shift, in sums and sums of squares
    sums = scale * passes + shift * reps
    squares = scale**2 * passes + 2 * scale * shift * passes + shift**2 * reps
    moved = variance_components(reps, sums, squares)
    assert moved.run_var == pytest.approx(scale**2 * plain.run_var, abs=1e-8)
    assert moved.case_var == pytest.approx(scale**2 * plain.case_var, abs=1e-8)


@given(st.lists(st.integers(0, 6), min_size=3, max_size=25))
def test_bounds_enclose_what_they_bound(passes: list[int]) -> None:
    parts = variance_components([6] * len(passes), passes, passes)
    assert parts.case_var == max(parts.case_var_untruncated, 0)
    assert parts.is_truncated == (parts.case_var_untruncated < 0)
    if parts.run_var == 0:
        assert parts.run_var_bounds is None
        assert parts.icc_bounds is None
        return
    assert parts.run_var_bounds
    assert parts.icc_bounds
    assert parts.removable_share_bounds
    assert parts.case_var_bounds
    assert parts.run_var_bounds.low < parts.run_var < parts.run_var_bounds.high
    assert 0 <= parts.icc_bounds.low <= parts.icc_bounds.high <= 1
    assert 0 < parts.removable_share_bounds.low <= parts.removable_share_bounds.high <= 1
    assert 0 <= parts.case_var_bounds.low <= parts.case_var_bounds.high
    assert parts.removable_share is not None
    assert parts.removable_share_bounds.low <= parts.removable_share <= parts.removable_share_bounds.high


def normal_logs(n: int, reps: int, case_sd: float, run_sd: float, logs: int) -> list[VarianceComponents]:
    stream = np.random.default_rng(11)
    found: list[VarianceComponents] = []
    for _ in range(logs):
        scores = case_sd * stream.standard_normal((n, 1)) + run_sd * stream.standard_normal((n, reps))
        found.append(variance_components([reps] * n, scores.sum(axis=1), np.square(scores).sum(axis=1), confidence=0.9))
    return found


def test_bounds_cover_for_normal_scores() -> None:
    logs, reps = 2000, 3
    found = normal_logs(12, reps, 0.5, 1.0, logs)
    truth = {
        "run_var_bounds": 1.0,
        "icc_bounds": 0.2,
        "removable_share_bounds": (1 / reps) / (0.25 + 1 / reps),
        "case_var_bounds": 0.25,
    }
    band = 4 * math.sqrt(0.9 * 0.1 / logs)
    for name, value in truth.items():
        bounds = [getattr(parts, name) for parts in found]
        coverage = np.mean([bound.low <= value <= bound.high for bound in bounds])
        assert coverage >= 0.9 - band, name
        assert name == "case_var_bounds" or coverage <= 0.9 + band, name


def test_agreeing_reps_have_no_noise_to_scale_bounds_with() -> None:
    parts = variance_components([3, 3, 3], [3, 0, 3], [3, 0, 3])
    assert (parts.run_var, parts.icc, parts.removable_share) == (0.0, 1.0, 0.0)
    assert parts.removable_share_bounds is None


def test_equal_scores_have_no_icc() -> None:
    parts = variance_components([2, 2], [2, 2], [2, 2])
    assert parts.icc is None
    assert parts.removable_share is None


def test_rounding_is_no_run_noise() -> None:
    # 0.1 summed three times squares to slightly less than its sum of squares; reps agree all the same.
    assert within_sums_of_squares([3], [0.1 + 0.1 + 0.1], [3 * 0.1**2]).tolist() == [0.0]
    assert within_sums_of_squares([2], [2000.001], [1000.0**2 + 1000.001**2])[0] == pytest.approx(5e-7, rel=1e-2)


COUNTS = np.array([2, 1, 2, 0, 2, 2, 1, 0, 2, 2, 1, 2, 2, 2, 0, 1, 2, 2, 2, 1])


def test_forecast_is_repeatable_and_narrows_with_cases() -> None:
    few = forecast_std_error([2] * 20, COUNTS, COUNTS, at_reps=10)
    again = forecast_std_error([2] * 20, COUNTS, COUNTS, at_reps=10)
    many = forecast_std_error([2] * 2000, np.tile(COUNTS, 100), np.tile(COUNTS, 100), at_reps=10)
    assert few == again
    assert few != forecast_std_error([2] * 20, COUNTS, COUNTS, at_reps=10, seed=1)
    assert few.low < few.std_error < few.high
    assert many.high / many.low < 1.2 < few.high / few.low


def test_forecast_band_spans_a_factor_of_two_in_variance_at_fifty_cases_two_reps() -> None:
    # The spec 1, of cases that are nearly alike: the variance forecast can be off by two and more.
    passes = np.random.default_rng(3).binomial(2, np.random.default_rng(4).beta(16, 4, 50))
    band = forecast_std_error([2] * 50, passes, passes, at_reps=10)
    assert (band.high / band.low) ** 2 > 2


def test_forecast_at_the_same_reps_is_the_standard_error() -> None:
    parts = variance_components([2] * 20, COUNTS, COUNTS)
    band = forecast_std_error([2] * 20, COUNTS, COUNTS, at_reps=2)
    assert band.std_error == pytest.approx(math.sqrt((parts.case_var + parts.run_var / 2) / 20))
    assert forecast_std_error([2] * 20, COUNTS, COUNTS, at_reps=50).std_error < band.std_error


def test_forecast_covers_the_truth() -> None:
    stream, hits, logs = np.random.default_rng(8), 0, 300
    truth = math.sqrt((0.9**2 / 12 + (0.25 - 0.9**2 / 12) / 10) / 50)
    for log in range(logs):
        passes = stream.binomial(3, stream.uniform(0.05, 0.95, 50))
        band = forecast_std_error([3] * 50, passes, passes, at_reps=10, draws=500, seed=log)
        hits += band.low <= truth <= band.high
    assert hits / logs == pytest.approx(0.8, abs=4 * math.sqrt(0.8 * 0.2 / logs))


def test_forecast_of_graded_scores_and_unequal_reps() -> None:
    stream = np.random.default_rng(9)
    reps = stream.integers(1, 5, 40)
    scores = [0.7 + 0.1 * stream.standard_normal() + 0.05 * stream.standard_normal(r) for r in reps]
    sums, squares = [s.sum() for s in scores], [np.square(s).sum() for s in scores]
    band = forecast_std_error(reps, sums, squares, at_reps=10)
    assert band.low < math.sqrt((0.01 + 0.0025 / 10) / 40) < band.high
    passes = np.minimum(reps, 2)
    mixed = forecast_std_error(reps, passes, passes, at_reps=10)
    assert 0 < mixed.low < mixed.high


def test_forecast_when_reps_agree_is_about_cases_alone() -> None:
    passes = np.array([3, 3, 0, 3, 3, 3, 0, 3])
    band = forecast_std_error([3] * 8, passes, passes, at_reps=10)
    assert band.std_error == pytest.approx((passes / 3).std(ddof=1) / math.sqrt(8))
    assert band.low < band.std_error < band.high


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: variance_components([1, 1], [1, 0], [1, 0]),
            ScoreError,
            (
                "Variance components: every case has one rep, so runs and cases cannot be told apart. "
                "Run each case at least twice."
            ),
        ),
        (
            lambda: variance_components([3], [1], [1]),
            ScoreError,
            "Variance components: one case shows no spread between cases. Score at least two cases.",
        ),
        (
            lambda: variance_components([2, 2], [2, 1], [0.5, 1]),
            ArgumentError,
            (
                "sums_of_squares: got 'a value below sum²/reps', allowed is the squared scores of each case's runs, "
                "summed. Check that sums and sums_of_squares come from the same runs."
            ),
        ),
        (
            lambda: forecast_std_error([2, 2], [2, 2], [2, 2], at_reps=10),
            ScoreError,
            (
                "Forecast of reps: all scores are equal, so there is no spread to forecast from. "
                "Add cases or harder ones."
            ),
        ),
        (
            lambda: forecast_std_error([2, 2], [2, 1], [2, 1], at_reps=0),
            ArgumentError,
            "at_reps: got 0, allowed is a whole number of at least 1.",
        ),
        (
            lambda: forecast_std_error([2, 2], [2, 1], [2, 1], at_reps=3, draws=9),
            ArgumentError,
            "draws: got 9, allowed is at least 100 bootstrap logs.",
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text
