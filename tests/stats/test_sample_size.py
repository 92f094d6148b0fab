"""Handbook counts against R and their papers, and the safe count by property."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.stats import sample_size as sizes
from evalgauge.stats.power import paired_power, reference_power, two_arm_power
from evalgauge.stats.safe_size import safe_n, smallest_drop
from support.oracles import OracleRow, oracle_params, oracle_rows, required

if TYPE_CHECKING:
    from collections.abc import Callable

CLOSED_FORMS: dict[str, Callable[[dict[str, float]], float]] = {
    "detect_n_raw_held_reference": lambda a: sizes.held_reference_n(a["p0"], a["p0"] - a["drop"]),
    "detect_n_raw_two_arms_pooled_null": lambda a: sizes.two_arm_n(a["p0"], a["p0"] - a["drop"]),
    "paired_n_connor1987_raw": lambda a: sizes.paired_n(a["disc"], a["d"]),
    "paired_n_miettinen1968_raw": lambda a: sizes.paired_miettinen_n(a["disc"], a["d"]),
}
# R finds these with a root finder that stops at steps of 1e-4.
SOLVED: dict[str, Callable[[dict[str, float], float], float]] = {
    "samplesize_2p": lambda a, power: sizes.two_arm_n(a["p1"], a["p2"], power=power),
    "samplesize_2p_arcsine": lambda a, power: sizes.two_arm_arcsine_n(a["p1"], a["p2"], power=power),
    "samplesize_paired_t": lambda a, power: sizes.paired_t_n(a["d"], power=power),
}


def within_digits(expected: float, tol: float) -> float:
    """Return the tolerance of a row, or half of the last of the ten digits that it is printed with."""
    return max(tol, 0.5 * 10.0 ** (math.ceil(math.log10(abs(expected))) - 10))


@pytest.mark.parametrize(("function", "row"), oracle_params(*CLOSED_FORMS))
def test_formulas_give_the_printed_counts(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    assert isinstance(arguments, dict)
    assert CLOSED_FORMS[function](arguments) == pytest.approx(expected, abs=within_digits(expected, tol))


@pytest.mark.parametrize(("function", "row"), oracle_params(*SOLVED))
def test_at_the_count_of_r_the_power_is_the_one_asked_for(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    assert isinstance(arguments, dict)
    count, power = SOLVED[function], arguments["power"]
    assert count(arguments, power - tol) < expected < count(arguments, power + tol)
    assert count(arguments, power) == pytest.approx(expected, abs=1e-4)


def test_power_of_the_paired_t_test() -> None:
    for arguments, expected, tol in oracle_rows("power_paired_t"):
        assert isinstance(arguments, dict)
        found = sizes.paired_t_power(arguments["n"], arguments["d"])
        assert float(found) == pytest.approx(expected, abs=tol)


def test_counts_and_differences_of_miller() -> None:
    (row,) = oracle_rows("miller_n")
    assert sizes.paired_mean_n(1 / 9, 0.03) == pytest.approx(row.expected, abs=within_digits(row.expected, row.tol))
    for (_, expected, tol), reps in zip(oracle_rows("miller_mde"), (1, 10), strict=True):
        found = sizes.paired_mean_drop(198, 1 / 9 + 2 / 6 / reps)
        assert found == pytest.approx(expected, abs=tol)


def test_variance_of_uniform_cases_falls_with_reps_as_miller_prints() -> None:
    # Rates uniform on [0, 1]: variance 1/12 between cases and 1/6 within.
    for (_, expected, tol), reps in zip(oracle_rows("miller_resample_var"), (1, 2, 4), strict=True):
        assert 1 / 12 + (1 / 6) / reps == pytest.approx(expected, abs=tol)


@given(st.floats(0.05, 0.95), st.floats(0.02, 0.4), st.floats(0.5, 0.99))
def test_solving_for_the_drop_undoes_the_formula(rate: float, part: float, power: float) -> None:
    drop = part * rate
    n = sizes.held_reference_n(rate, rate - drop, power=power)
    found = smallest_drop(lambda size: sizes.held_reference_n(rate, rate - size, power=power) <= n, rate)
    assert found == pytest.approx(drop, abs=1e-8)


@given(st.floats(0.1, 0.9), st.floats(0.1, 0.9), st.floats(0, 1))
def test_a_discordance_is_one_that_two_arms_can_have(rate1: float, rate2: float, part: float) -> None:
    low, high = sizes.correlation_range(rate1, rate2)
    changed = sizes.discordance_of(rate1, rate2, low + part * (high - low))
    assert abs(rate1 - rate2) - 1e-9 <= changed <= min(rate1 + rate2, 2 - rate1 - rate2) + 1e-9


HELD = st.tuples(st.floats(0.05, 0.95), st.floats(0.1, 0.9), st.sampled_from([0.7, 0.8, 0.9]))


def _window(drop: float) -> int:
    return math.ceil(8 / drop) + 32


@settings(deadline=None)
@given(HELD, st.sampled_from(["wilson", "clopper-pearson"]))
def test_no_count_from_the_safe_one_on_falls_short_and_the_one_before_does(
    asked: tuple[float, float, float], rule: Any
) -> None:
    rate, part, power = asked
    drop = max(part * rate, 0.02)

    def powers(n: Any) -> Any:
        return reference_power(n, rate, max(rate - drop, 0.0), rule=rule)

    start = math.ceil(sizes.held_reference_n(rate, max(rate - drop, 0.0), power=power))
    safe = safe_n(powers, power, start=start, window=_window(drop))
    assert (powers(np.arange(safe, math.ceil(1.2 * safe) + 60)) >= power).all()
    assert safe == 1 or powers(safe - 1) < power


@settings(deadline=None)
@given(st.floats(0.1, 0.95), st.floats(0.2, 0.8), st.sampled_from([0.7, 0.8, 0.9]))
def test_the_safe_count_of_two_arms_is_found_without_looking_at_every_count(
    rate: float, part: float, power: float
) -> None:
    drop = max(part * rate, 0.05)
    other = max(rate - drop, 0.0)
    start = math.ceil(sizes.two_arm_n(rate, other, power=power))
    bottom = max(1, start - _window(drop))
    variance = rate * (1 - rate) + other * (1 - other)
    rise = drop / (2 * math.sqrt(bottom * variance)) if bottom * variance >= 20 else None

    def powers(n: Any) -> Any:
        return two_arm_power(n, n, rate, other)

    safe = safe_n(powers, power, start=start, window=_window(drop), rise=rise)
    assert safe == safe_n(powers, power, start=start, window=_window(drop))
    assert safe == 1 or powers(safe - 1) < power


@settings(deadline=None)
@given(st.floats(0.05, 1.0), st.floats(0.2, 1.0), st.sampled_from([0.7, 0.8, 0.9]), st.sampled_from(["tango", "exact"]))
def test_the_safe_count_of_pairs(changed: float, part: float, power: float, rule: Any) -> None:
    drop = max(part * changed, 0.05)
    start = math.ceil(sizes.paired_n(changed, drop, power=power))

    def powers(n: Any) -> Any:
        return paired_power(n, changed, drop, rule=rule)

    safe = safe_n(powers, power, start=start, window=_window(drop))
    assert (powers(np.arange(safe, math.ceil(1.2 * safe) + 20)) >= power).all()
    assert safe == 1 or powers(safe - 1) < power


@pytest.mark.parametrize(("start", "window"), [(1, 3), (10, 3), (500, 20), (3000, 50)])
def test_the_window_moves_until_it_holds_the_last_dip(start: int, window: int) -> None:
    def powers(n: Any) -> Any:
        return np.where((n < 400) | ((n > 440) & (n % 17 == 0) & (n < 460)), 0.5, 0.9)

    # From below, a window as narrow as 3 counts cannot span the gap of 41 to the last dips; from above they are met.
    expected = 460 if start >= 500 else 400
    assert safe_n(powers, 0.8, start=start, window=window) == expected


def test_the_smallest_count_is_returned_where_all_are_enough() -> None:
    assert safe_n(lambda n: np.ones(n.size), 0.8, start=50, window=10) == 1
    assert safe_n(lambda n: np.ones(n.size), 0.8, start=50, window=10, least=16) == 16


def test_no_drop_is_found_where_even_the_largest_is_not_enough() -> None:
    assert smallest_drop(lambda _: False, 0.9) is None


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: sizes.power_quantile(80), "power: got 80, allowed is a share between 0 and 1, such as 0.8. Did you"),
        (lambda: sizes.power_quantile(1), "power: got 1, allowed is a share between 0 and 1"),
        (
            lambda: sizes.discordance_of(0.9, 0.8, 0.9),
            "correlation: got 0.9, allowed is a correlation from -0.167 to 0",
        ),
        (lambda: sizes.shortcut_n(0.9, 0.05, confidence=0), "confidence: got 0"),
    ],
)
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(text)):
        call()
