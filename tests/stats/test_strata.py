"""Totals over strata: against R, by property, by exact coverage at the edges, and their refusals."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.stats.proportion import wilson_interval, wilson_limits
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.strata import mover_total_interval, yan_su_interval, yan_su_limits
from support.oracles import OracleRow, oracle_params, required


def strata(arguments: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    match = re.fullmatch(r"x=(.*) n=(.*) w=(.*)", arguments)
    assert match
    passed, n, weights = (np.array(match[index].split(), dtype=float) for index in (1, 2, 3))
    return passed / n, n, weights


@pytest.mark.parametrize(
    ("function", "row"),
    oracle_params(
        "strat_rate",
        "strat_wilson_yan_su_lo",
        "strat_wilson_yan_su_hi",
        "strat_mover_wilson_lo",
        "strat_mover_wilson_hi",
    ),
)
def test_agrees_with_r(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    rates, n, weights = strata(str(arguments))
    result = yan_su_interval(rates, n, weights=weights)
    mover = mover_total_interval(rates, *wilson_limits(rates, n, normal_quantile(0.95)), weights=weights)
    found = {
        "strat_rate": result.estimate,
        "strat_wilson_yan_su_lo": result.interval.low,
        "strat_wilson_yan_su_hi": result.interval.high,
        "strat_mover_wilson_lo": mover.low,
        "strat_mover_wilson_hi": mover.high,
    }
    assert found[function] == pytest.approx(expected, abs=tol)


@st.composite
def slices(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    size = draw(st.integers(1, 6))
    n = np.array(draw(st.lists(st.integers(1, 80), min_size=size, max_size=size)), dtype=float)
    passed = np.array([draw(st.integers(0, int(cases))) for cases in n])
    weights = np.array(draw(st.lists(st.floats(0.05, 1), min_size=size, max_size=size)))
    return passed / n, n, weights / weights.sum()


@given(slices(), st.floats(0.5, 0.998))
def test_has_width_stays_in_range_and_widens(
    data: tuple[np.ndarray, np.ndarray, np.ndarray], confidence: float
) -> None:
    rates, n, weights = data
    some = yan_su_interval(rates, n, weights=weights, confidence=confidence)
    more = yan_su_interval(rates, n, weights=weights, confidence=confidence + 0.001).interval
    assert -1e-12 <= more.low <= some.interval.low < some.interval.high <= more.high <= 1 + 1e-12
    assert some.interval.low - 1e-12 <= some.estimate <= some.interval.high + 1e-12
    assert some.std_error > 0


@given(slices(), st.randoms(use_true_random=False))
def test_order_of_slices_does_not_matter(data: tuple[np.ndarray, np.ndarray, np.ndarray], random: object) -> None:
    rates, n, weights = data
    order = list(range(n.size))
    random.shuffle(order)  # type: ignore[attr-defined]
    once = yan_su_interval(rates, n, weights=weights).interval
    again = yan_su_interval(rates[order], n[order], weights=weights[order]).interval
    assert (once.low, once.high) == pytest.approx((again.low, again.high), abs=1e-12)


@pytest.mark.parametrize("passed", [0, 7, 16])
def test_one_slice_is_plain_wilson(passed: int) -> None:
    interval = yan_su_interval([passed / 16], [16], weights=[1.0]).interval
    plain = wilson_interval(passed, 16)
    assert (interval.low, interval.high) == pytest.approx((plain.low, plain.high), abs=1e-12)


def test_all_pass_in_equal_slices_is_wilson_on_their_sum() -> None:
    interval = yan_su_interval([1.0] * 5, [16] * 5, weights=[0.2] * 5).interval
    assert interval.low == pytest.approx(wilson_interval(80, 80).low)
    assert interval.high == pytest.approx(1)


def test_a_slice_without_weight_changes_nothing() -> None:
    two = yan_su_interval([0.9, 0.7], [50, 40], weights=[0.4, 0.6]).interval
    three = yan_su_interval([0.9, 0.7, 0.1], [50, 40, 5], weights=[0.4, 0.6, 0.0]).interval
    assert (two.low, two.high) == pytest.approx((three.low, three.high), abs=1e-12)


def test_repeated_runs_take_a_student_quantile_of_the_total() -> None:
    # Equal slices with equal variances: Satterthwaite adds their degrees of freedom.
    result = yan_su_interval([0.7, 0.7], [12.0, 12.0], weights=[0.5, 0.5], df=[9.0, 9.0])
    assert result.df == pytest.approx(18)
    low, high = wilson_limits(0.7, 12.0, t_quantile(0.95, 18.0) / math.sqrt(2))
    assert (result.interval.low, result.interval.high) == pytest.approx((float(low), float(high)))


@pytest.mark.parametrize(
    ("rates", "weights"),
    [((0.9, 0.7), (0.8, 0.2)), ((0.98, 0.98), (0.5, 0.5)), ((0.99, 0.6), (0.9, 0.1)), ((1.0, 0.9), (0.9, 0.1))],
)
def test_exact_coverage_with_slices_at_the_edge(rates: tuple[float, float], weights: tuple[float, float]) -> None:
    # All 31 × 31 outcomes of two slices of 30; the slices at 30/30 are where the published formula has no variance.
    n, k = 30, np.arange(31)
    chances = [np.array([math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in k]) for p in rates]
    law = np.outer(*chances).ravel()
    grid = np.stack(np.meshgrid(k / n, k / n, indexing="ij"), axis=-1).reshape(-1, 2)
    low, high = yan_su_limits(grid, np.array([30.0, 30.0]), np.array(weights), np.full(2, np.inf), confidence=0.95)
    truth = float(np.dot(rates, weights))
    assert law[(low <= truth) & (truth <= high)].sum() >= 0.92


def test_mover_agrees_with_its_parts_for_one_slice() -> None:
    total = mover_total_interval([0.8], [0.6], [0.9], weights=[1.0])
    assert (total.low, total.high) == pytest.approx((0.6, 0.9))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: yan_su_interval([0.5, 0.5], [9, 9], weights=[0.6, 0.6]),
            "weights: got [0.6, 0.6], allowed is shares of 0 or more that sum to 1. Divide each by their sum, 1.2.",
        ),
        (
            lambda: yan_su_interval([0.5, 0.5], [9, 9], weights=[1.0]),
            "weights: got '1 weights', allowed is one weight per slice (2).",
        ),
        (
            lambda: yan_su_interval([0.5, 1.5], [9, 9], weights=[0.5, 0.5]),
            "rates: got [0.5, 1.5], allowed is shares from 0 to 1. Rescale graded scores by their range first.",
        ),
        (
            lambda: yan_su_interval([0.5, 0.5], [9, 0], weights=[0.5, 0.5]),
            "n_eff: got [9.0, 0.0], allowed is one number above 0 per stratum (2).",
        ),
        (
            lambda: yan_su_interval([0.5, 0.5], [9, 9], weights=[0.5, 0.5], df=[3]),
            "df: got [3], allowed is one number above 0 per stratum (2).",
        ),
        (
            lambda: mover_total_interval([0.5], [0.6], [0.9], weights=[1.0]),
            "lows, highs: got 'ends that do not enclose each rate', allowed is one low and one high end per stratum.",
        ),
    ],
)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text
