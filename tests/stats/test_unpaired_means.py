"""Mean scores of arms on different cases: Welch against R, MOVER against its closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.results import Estimate, Interval
from evalgauge.stats.unpaired_means import mover_difference, welch_p, welch_t
from support.oracles import oracle_rows

arms = st.lists(st.integers(0, 10).map(lambda tenths: tenths / 10), min_size=2, max_size=30)


def of_oracle(function: str) -> tuple[list[float], list[float], float, float]:
    """Candidate x and baseline y (R prints x − y), expected value and tolerance."""
    (row,) = oracle_rows(function)
    x, y = (part.split("=")[1].split() for part in str(row.arguments).split(";"))
    return [float(v) for v in x], [float(v) for v in y], row.expected, row.tol


def test_welch_agrees_with_r() -> None:
    got = {}
    for name in ("lo", "hi", "df", "p"):
        cand, base, expected, tol = of_oracle(f"welch_{name}")
        result = welch_t(base, cand)
        got = {"lo": result.interval.low, "hi": result.interval.high, "df": result.df, "p": welch_p(base, cand)}
        assert got[name] == pytest.approx(expected, abs=tol)


def spread(base: list[float], cand: list[float]) -> bool:
    return max(np.ptp(base), np.ptp(cand)) > 1e-9


@given(arms, arms)
def test_welch_mirrors_and_its_p_value_agrees(base: list[float], cand: list[float]) -> None:
    assume(spread(base, cand))
    interval, mirrored, p_value = welch_t(base, cand).interval, welch_t(cand, base).interval, welch_p(base, cand)
    assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)
    assert interval.low < interval.high
    if abs(p_value - 0.05) > 1e-9:
        assert (interval.low > 0 or interval.high < 0) == (p_value < 0.05)


def test_counts_stand_for_repeated_scores() -> None:
    short = welch_t([0, 1], [0, 1], base_counts=[75, 175], cand_counts=[53, 197])
    long = welch_t([0] * 75 + [1] * 175, [0] * 53 + [1] * 197)
    assert (short.interval.low, short.interval.high, short.df) == pytest.approx(
        (long.interval.low, long.interval.high, long.df), rel=1e-12
    )


def test_welch_is_cut_at_the_span() -> None:
    assert welch_t([0, 0.1], [1, 0.8], span=1.0).interval.high == 1
    assert welch_t([0, 0.1], [1, 0.8]).interval.high > 1


@given(arms, arms)
def test_mover_has_width_stays_in_range_and_mirrors(base: list[float], cand: list[float]) -> None:
    one, two = effective_n_wilson(base), effective_n_wilson(cand)
    interval, mirrored = mover_difference(one, two), mover_difference(two, one)
    assert -1 <= interval.low < interval.high <= 1
    assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)


def test_mover_of_symmetric_parts_adds_variances() -> None:
    def arm(mean: float, half: float) -> Estimate:
        ends = Interval(low=mean - half, high=mean + half, confidence=0.9, method="t")
        return Estimate(estimate=mean, interval=ends, std_error=half, df=5, n_eff=math.nan)

    interval = mover_difference(arm(0.5, 0.03), arm(0.6, 0.04))
    assert (interval.low, interval.high, interval.confidence) == pytest.approx((0.05, 0.15, 0.9))


def test_correlation_of_the_parts_narrows_or_widens() -> None:
    first, second = (0.5, 0.4, 0.6), (0.6, 0.5, 0.7)
    halves = [
        float(np.subtract(*mover_difference_limits(first, second, correlation=r)[::-1])) / 2 for r in (-1, 0, 0.5, 1)
    ]
    assert halves == pytest.approx([0.2, 0.1 * math.sqrt(2), 0.1, 0], abs=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: welch_t([1], [1, 0]), ArgumentError, "base_means: got '1 cases', allowed is at least 2"),
        (lambda: welch_t([1, 0], [1, 0], cand_counts=[1, 0]), ArgumentError, "cand_means: got '1 cases'"),
        (lambda: welch_p([1, 1], [0.5, 0.5]), ScoreError, "welch: all 2 baseline scores are 1 and all 2 candidate"),
        (lambda: welch_t([1, math.inf], [1, 0]), ArgumentError, "base_means: got '1 values that are NaN or infinite'"),
        (lambda: welch_t([1, 0], [1, 0], confidence=0), ArgumentError, "confidence: got 0, allowed is a share"),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    assert callable(call)
    with pytest.raises(error, match=text):
        call()
