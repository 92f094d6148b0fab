"""Intervals for k of n: against R, by property, at the edges, and their refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats import proportion
from evalgauge.stats.quantiles import normal_quantile
from support.oracles import OracleRow, oracle_params, oracle_rows, required

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.stats.results import Interval

INTERVALS: dict[str, Callable[..., Interval]] = {
    "wilson": proportion.wilson_interval,
    "clopper_pearson": proportion.clopper_pearson_interval,
    "jeffreys": proportion.jeffreys_interval,
    "midp": proportion.mid_p_interval,
    "wilson_cc": proportion.wilson_cc_interval,
    "wald": proportion.wald_interval,
}
HONEST = [name for name in INTERVALS if name != "wald"]
LIMITS: dict[str, Callable[..., Any]] = {
    "wilson": lambda k, n: proportion.wilson_limits(k / n, n, normal_quantile(0.95)),
    "clopper_pearson": proportion.clopper_pearson_limits,
    "wald": proportion.wald_limits,
}


@st.composite
def counts(draw: st.DrawFn, most: int = 3000) -> tuple[int, int]:
    n = draw(st.integers(1, most))
    return draw(st.integers(0, n)), n


@pytest.mark.parametrize(
    ("function", "row"),
    oracle_params(*(f"{name}_{end}" for name in HONEST for end in ("lo", "hi"))),
)
def test_agrees_with_r(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    name, end = function.rsplit("_", 1)
    interval = INTERVALS[name](arguments["x"], arguments["n"], confidence=arguments["conf"])
    assert (interval.low if end == "lo" else interval.high) == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("_function", "row"), oracle_params("wilson_half_width"))
def test_half_width_of_a_planned_set(_function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    low, high = proportion.wilson_limits(arguments["p"], arguments["n"], arguments["z"])
    assert (high - low) / 2 == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("_function", "row"), oracle_params("expected_wilson_half_width"))
def test_expected_half_width(_function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    law, low, high = exact_law(int(arguments["n"]), arguments["p"], "wilson")
    assert (law * (high - low) / 2).sum() == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(
    ("function", "row"),
    oracle_params("exact_coverage_wilson", "exact_coverage_clopper_pearson", "exact_coverage_wald"),
)
def test_exact_coverage(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    law, low, high = exact_law(int(arguments["n"]), arguments["p"], function.removeprefix("exact_coverage_"))
    assert law[(low <= arguments["p"]) & (arguments["p"] <= high)].sum() == pytest.approx(expected, abs=tol)


def exact_law(n: int, p: float, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Chances of 0 … n passes, and the ends of the interval at each: the array form is what studies use."""
    passed = np.arange(n + 1)
    law = np.exp(
        special.gammaln(n + 1)
        - special.gammaln(passed + 1)
        - special.gammaln(n - passed + 1)
        + special.xlogy(passed, p)
        + special.xlog1py(n - passed, -p)
    )
    return law, *LIMITS[name](passed, n)


@pytest.mark.parametrize("name", HONEST)
@given(case=counts(), confidence=st.floats(0.5, 0.999))
def test_has_width_stays_in_range_and_holds_the_rate(name: str, case: tuple[int, int], confidence: float) -> None:
    passed, n = case
    interval = INTERVALS[name](passed, n, confidence=confidence)
    assert 0 <= interval.low < interval.high <= 1
    assert interval.low <= passed / n <= interval.high
    assert interval.method.replace("-", "") == name.replace("_", "")


@pytest.mark.parametrize("name", HONEST)
@given(case=counts(), confidence=st.floats(0.5, 0.998))
def test_more_confidence_never_narrows(name: str, case: tuple[int, int], confidence: float) -> None:
    some = INTERVALS[name](*case, confidence=confidence)
    more = INTERVALS[name](*case, confidence=confidence + 0.001)
    assert more.low <= some.low
    assert more.high >= some.high


@pytest.mark.parametrize("name", HONEST)
@given(case=counts())
def test_failures_mirror_passes(name: str, case: tuple[int, int]) -> None:
    passed, n = case
    passes, failures = INTERVALS[name](passed, n), INTERVALS[name](n - passed, n)
    assert passes.low == pytest.approx(1 - failures.high, abs=1e-14)
    assert passes.high == pytest.approx(1 - failures.low, abs=1e-14)


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("n", [1, 10**9, 10**15])
@pytest.mark.parametrize("confidence", [0.5, 0.95, 1 - 1e-12])
def test_edges_and_huge_sets(name: str, n: int, confidence: float) -> None:
    none, everything = INTERVALS[name](0, n, confidence=confidence), INTERVALS[name](n, n, confidence=confidence)
    assert none.low == 0
    assert none.high > 0
    assert everything.high == 1
    assert everything.low < 1
    half = INTERVALS[name](n // 2, n, confidence=confidence)
    assert half.low < half.high


@given(case=counts(60), confidence=st.floats(0.5, 0.999))
def test_wilson_ends_solve_the_score_equation(case: tuple[int, int], confidence: float) -> None:
    passed, n = case
    z = normal_quantile(confidence)
    interval = proportion.wilson_interval(passed, n, confidence=confidence)
    for end in (interval.low, interval.high):
        assert (passed / n - end) ** 2 == pytest.approx(z * z * end * (1 - end) / n, abs=1e-12)


def test_all_counts_at_once_agree_with_one_by_one() -> None:
    n = 30
    for name in ("clopper_pearson", "jeffreys", "mid_p", "wilson_cc"):
        low, high = getattr(proportion, f"{name}_limits")(np.arange(n + 1), n, confidence=0.9)
        one = [getattr(proportion, f"{name}_interval")(k, n, confidence=0.9) for k in range(n + 1)]
        np.testing.assert_array_equal(low, [interval.low for interval in one])
        np.testing.assert_array_equal(high, [interval.high for interval in one])


def test_continuity_correction_is_newcombes_where_r_shrinks_it() -> None:
    # Newcombe 1998a, method 4, evaluated by its own closed form at 5/10, where prop.test takes no correction.
    n, p, z = 10, 0.5, normal_quantile(0.95)
    low = (2 * n * p + z * z - 1 - z * math.sqrt(z * z - 2 - 1 / n + 4 * p * (n * (1 - p) + 1))) / (2 * (n + z * z))
    assert proportion.wilson_cc_interval(5, 10).low == pytest.approx(low, abs=1e-12)


def test_demand_m18_all_fail_and_all_pass() -> None:
    assert_points(proportion.wilson_interval(0, 30), 0.0, 11.4)
    assert_points(proportion.clopper_pearson_interval(0, 30), 0.0, 11.6)
    assert_points(proportion.wilson_interval(30, 30), 88.6, 100.0)
    assert_points(proportion.clopper_pearson_interval(30, 30), 88.4, 100.0)


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [(1, 1, 20.7, 100.0), (12, 12, 75.8, 100.0), (48, 50, 86.5, 98.9), (460, 500, 89.3, 94.1)],
)
def test_demand_m22(passed: int, n: int, low: float, high: float) -> None:
    assert_points(proportion.wilson_interval(passed, n), low, high)


def test_floor_of_sixteen() -> None:
    widths = [proportion.wilson_interval(n, n).width for n in (15, 16)]
    assert [round(100 * width, 1) for width in widths] == [20.4, 19.4]


def assert_points(interval: Interval, low: float, high: float) -> None:
    """Compare in points, to the digit that is printed."""
    assert (round(100 * interval.low, 1), round(100 * interval.high, 1)) == (low, high)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((1, 0), "n: got 0, allowed is a number of cases above 0."),
        ((5, 4), "passed: got 5, allowed is a count from 0 to n = 4."),
        ((-1, 4), "passed: got -1, allowed is a count from 0 to n = 4."),
        ((math.nan, 4), "passed: got nan, allowed is a count from 0 to n = 4."),
        ((1, math.inf), "n: got inf, allowed is a number of cases above 0."),
    ],
)
def test_refuses_impossible_counts(arguments: tuple[float, float], text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        proportion.wilson_interval(*arguments)
    assert str(caught.value) == text


def test_refuses_impossible_arrays() -> None:
    with pytest.raises(ArgumentError, match=r"passed: got \[1, 9\], allowed is counts from 0 to n\."):
        proportion.jeffreys_limits([1, 9], 8)
    with pytest.raises(ArgumentError, match=r"n: got \[0, 8\], allowed is numbers of cases above 0\."):
        proportion.mid_p_limits(0, [0, 8])


def test_refuses_percent_as_confidence() -> None:
    with pytest.raises(ArgumentError, match=r"confidence: got 95, .* Did you mean 0\.95\?"):
        proportion.wilson_interval(1, 2, confidence=95)


@pytest.mark.parametrize("passed", [0, 30])
def test_wald_refuses_to_claim_certainty(passed: int) -> None:
    with pytest.raises(ScoreError, match=rf"wald: {passed} of 30 passed.*no width.*Use wilson or clopper-pearson\."):
        proportion.wald_interval(passed, 30)


def test_wald_has_width_elsewhere() -> None:
    assert_points(proportion.wald_interval(45, 50), 81.7, 98.3)


def test_oracle_rows_refuse_an_unknown_name() -> None:
    oracle_rows("wilson_lo")
    with pytest.raises(KeyError):
        oracle_rows("wilson_low")
