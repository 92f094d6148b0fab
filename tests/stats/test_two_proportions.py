"""Two pass rates from different cases: against R, against each other, and at the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats import two_proportions as rules
from evalgauge.stats.quantiles import normal_quantile
from support.oracles import OracleRow, oracle_params, required

NAMED = {
    "miettinen_nurminen": rules.miettinen_nurminen_interval,
    "newcombe_hybrid": rules.newcombe_interval,
    "agresti_caffo": rules.agresti_caffo_interval,
}
ROWS = oracle_params(*(f"{name}_{end}" for name in NAMED for end in ("lo", "hi")))
WALD_ROWS = oracle_params("wald_diff_lo", "wald_diff_hi")


@st.composite
def tables(draw: st.DrawFn, most: int = 80) -> tuple[int, int, int, int]:
    n1, n2 = draw(st.integers(1, most)), draw(st.integers(1, most))
    return draw(st.integers(0, n1)), n1, draw(st.integers(0, n2)), n2


def numbers(row: OracleRow) -> dict[str, float]:
    """The four counts; a remark in brackets behind them stops the reader of the table from doing this itself."""
    text = row.arguments
    return text if isinstance(text, dict) else {k: float(v) for k, v in (part.split("=") for part in text.split()[:5])}


@pytest.mark.parametrize(("function", "row"), ROWS)
def test_agrees_with_r(function: str, row: OracleRow | None) -> None:
    row = required(row)
    counts = numbers(row)
    name, end = function.rsplit("_", 1)
    # R prints arm 1 − arm 2; here the difference is candidate − baseline, so R's arm 1 is the candidate.
    interval = NAMED[name](counts["x2"], counts["n2"], counts["x1"], counts["n1"], confidence=counts["conf"])
    # Two Agresti-Caffo rows of R leave [-1, 1]; a difference of rates cannot.
    expected = min(1.0, max(-1.0, row.expected))
    assert (interval.low if end == "lo" else interval.high) == pytest.approx(expected, abs=row.tol)


@pytest.mark.parametrize(("function", "row"), WALD_ROWS)
def test_wald_agrees_with_r(function: str, row: OracleRow | None) -> None:
    row = required(row)
    counts = numbers(row)
    ends = rules.wald_difference_limits(counts["x2"], counts["n2"], counts["x1"], counts["n1"])
    assert float(ends[function.endswith("hi")]) == pytest.approx(row.expected, abs=row.tol)


def test_agrees_with_the_published_counterexample_to_statsmodels() -> None:
    interval = rules.miettinen_nurminen_interval(30, 80, 45, 50)
    assert (interval.low, interval.high) == pytest.approx((0.373121, 0.645563), abs=5e-7)


def test_overlapping_single_intervals_hide_a_real_difference() -> None:
    """User question C20: [64.1, 75.3] and [73.3, 83.4] overlap, and yet the arms differ."""
    assert rules.pooled_z_p(175, 250, 197, 250) == pytest.approx(0.024, abs=5e-4)
    newcombe = rules.newcombe_interval(175, 250, 197, 250)
    assert (newcombe.low, newcombe.high) == pytest.approx((0.011, 0.163), abs=5e-4)


def test_treating_paired_arms_as_unrelated_misses_the_difference() -> None:
    """User question C01: 159 and 172 of the same 240 cases."""
    assert rules.pooled_z_p(159, 240, 172, 240) == pytest.approx(0.200, abs=5e-4)


@given(tables(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_score_interval_ends_where_the_score_test_rejects(table: tuple[int, int, int, int], confidence: float) -> None:
    interval = rules.miettinen_nurminen_interval(*table, confidence=confidence)
    crit = normal_quantile(confidence)
    for end, expected in ((interval.low, crit), (interval.high, -crit)):
        if abs(end) < 1:
            statistic = float(rules.miettinen_nurminen_statistic(*table, difference=end))
            assert statistic == pytest.approx(expected, abs=1e-6)


@given(tables())
def test_score_interval_excludes_zero_exactly_when_its_test_rejects(table: tuple[int, int, int, int]) -> None:
    interval = rules.miettinen_nurminen_interval(*table)
    statistic = abs(float(rules.miettinen_nurminen_statistic(*table, difference=0.0)))
    if abs(statistic - normal_quantile(0.95)) > 1e-9:
        assert (interval.low > 0 or interval.high < 0) == (statistic > normal_quantile(0.95))


@pytest.mark.parametrize("rule", NAMED.values(), ids=NAMED)
@given(table=tables())
def test_every_rule_has_width_and_stays_in_range_and_mirrors(rule: object, table: tuple[int, int, int, int]) -> None:
    assert callable(rule)
    x1, n1, x2, n2 = table
    interval, swapped = rule(x1, n1, x2, n2), rule(x2, n2, x1, n1)
    assert -1 <= interval.low < interval.high <= 1
    assert (swapped.low, swapped.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)


@pytest.mark.parametrize("rule", NAMED.values(), ids=NAMED)
@given(table=tables(), levels=st.tuples(st.floats(0.5, 0.999), st.floats(0.5, 0.999)))
def test_more_confidence_never_narrows(
    rule: object, table: tuple[int, int, int, int], levels: tuple[float, float]
) -> None:
    assert callable(rule)
    narrow, wide = (rule(*table, confidence=level) for level in sorted(levels))
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


@given(tables())
def test_arrays_give_what_single_tables_give(table: tuple[int, int, int, int]) -> None:
    single = rules.miettinen_nurminen_interval(*table)
    x1, n1, x2, n2 = table
    low, high = rules.miettinen_nurminen_limits([x1, 0], [n1, 5], [x2, 3], [n2, 4])
    assert (low[0], high[0]) == pytest.approx((single.low, single.high), abs=1e-12)


def test_constrained_rates_solve_the_likelihood_equation() -> None:
    rng = np.random.default_rng(7)
    n1, n2 = rng.integers(1, 2000, 500).astype(float), rng.integers(1, 2000, 500).astype(float)
    x1, x2 = np.floor(rng.random(500) * (n1 + 1)), np.floor(rng.random(500) * (n2 + 1))
    difference = rng.uniform(-0.99, 0.99, 500)
    rate = rules._constrained_rate(x1, n1, x2, n2, difference)
    grid = np.linspace(np.maximum(0, -difference), np.minimum(1, 1 - difference), 4001)[1:-1]

    def log_likelihood(p: np.ndarray) -> np.ndarray:
        q = np.clip(p + difference, 1e-300, 1)
        p = np.clip(p, 1e-300, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            parts = [x1 * np.log(p), (n1 - x1) * np.log1p(-p), x2 * np.log(q), (n2 - x2) * np.log1p(-q)]
        return sum(np.where(np.isnan(part), 0.0, part) for part in parts)

    assert np.all(log_likelihood(rate) >= log_likelihood(grid).max(axis=0) - 1e-7)


def test_p_value_of_the_pooled_test_is_one_where_the_arms_are_equal() -> None:
    assert rules.pooled_z_p(0, 10, 0, 20) == 1
    assert rules.pooled_z_p(10, 10, 20, 20) == 1
    assert rules.pooled_z_p(0, 10**6, 10**6, 10**6) > 0


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: rules.miettinen_nurminen_interval(5, 4, 1, 3), ArgumentError, "passed: got 5, allowed is a count"),
        (lambda: rules.newcombe_interval(1, 4, -1, 3), ArgumentError, "passed: got -1, allowed is a count from 0 to n"),
        (lambda: rules.agresti_caffo_interval(0, 0, 1, 3), ArgumentError, "n: got 0, allowed is a number of cases"),
        (lambda: rules.pooled_z_p(1, 4, math.nan, 3), ArgumentError, "passed: got nan"),
        (lambda: rules.newcombe_interval(1, 4, 1, 3, confidence=95), ArgumentError, r"Did you mean 0\.95\?"),
        (
            lambda: rules.miettinen_nurminen_statistic(1, 4, 1, 3, difference=1.0),
            ArgumentError,
            "difference: got 1.0, allowed is a difference of rates strictly between -1 and 1",
        ),
        (lambda: rules.wald_difference_interval(0, 9, 7, 7), ScoreError, "0 of 9 and 7 of 7 passed.*no width"),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    assert callable(call)
    with pytest.raises(error, match=text):
        call()
