"""Counts for a margin: against enumeration, and what is planned is what is graded."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.planning.precision import (
    FLOOR,
    assurance_chance,
    assurance_count,
    expected_half_width,
    precision_count,
)
from evalgauge.stats.binomial import outer_chance
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.proportion import clopper_pearson_interval, wilson_interval
from support.oracles import OracleRow, oracle_params, required

if TYPE_CHECKING:
    from collections.abc import Callable

rates = st.floats(0.01, 0.99)
margins = st.floats(0.01, 0.3)
levels = st.sampled_from([0.8, 0.95, 0.99])
RULES = st.sampled_from(["wilson", "clopper-pearson", "effective-n wilson t"])


@pytest.mark.parametrize(("_function", "row"), oracle_params("precision_n_wilson"))
def test_counts_are_the_enumerated_ones(_function: str, row: OracleRow | None) -> None:
    arguments, expected, _tol = required(row)
    assert isinstance(arguments, dict)
    assert precision_count(arguments["p"], arguments["margin"], confidence=arguments["conf"]) == expected


@pytest.mark.parametrize(("_function", "row"), oracle_params("assurance_prob_wilson_hw<=margin"))
def test_chances_of_the_margin_are_the_enumerated_ones(_function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    assert isinstance(arguments, dict)
    found = assurance_chance(int(arguments["n"]), arguments["p"], arguments["margin"])
    assert float(found) == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("_function", "row"), oracle_params("expected_wilson_half_width"))
def test_the_mean_half_width_over_all_outcomes(_function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    assert isinstance(arguments, dict)
    n, p = int(arguments["n"]), arguments["p"]
    below = [float(outer_chance(-1, n, p))]
    widths = [wilson_interval(k, n).half_width for k in range(n + 1)]
    # The width at k passes is that at n − k: the law of min(k, n − k) is all that the mean needs.
    half = range(n // 2 + 1)
    below += [float(outer_chance(k, n, p)) for k in half]
    mean = sum((below[k + 1] - below[k]) * widths[k] for k in half)
    assert mean == pytest.approx(expected, abs=tol)


@given(rates, margins, levels, RULES, st.floats(0.05, 1))
def test_the_planned_count_passes_its_own_grader_and_one_fewer_fails(
    rate: float, margin: float, confidence: float, rule: Any, rho: float
) -> None:
    options = {"confidence": confidence, "rule": rule, "rho": rho}
    n = precision_count(rate, margin, **options)
    assert n >= FLOOR
    assert expected_half_width(n, rate, **options) <= margin * (1 + 1e-12)
    if n > FLOOR:
        assert expected_half_width(n - 1, rate, **options) > margin


@given(st.integers(1, 400), st.data())
def test_the_grader_is_the_one_of_a_measurement(n: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, n))
    assert expected_half_width(n, passed / n) == pytest.approx(wilson_interval(passed, n).half_width, abs=1e-12)
    strict = expected_half_width(n, passed / n, rule="clopper-pearson")
    assert strict == pytest.approx(clopper_pearson_interval(passed, n).half_width, abs=1e-9)


def test_the_grader_of_reps_is_the_one_of_a_measurement() -> None:
    means = [0.2, 0.4, 1.0, 1.0, 0.8, 0.6, 0.0, 1.0]
    mean = sum(means) / 8
    rho = sum((one - mean) ** 2 for one in means) / 8 / (mean * (1 - mean))
    planned = expected_half_width(8, mean, rule="effective-n wilson t", rho=rho)
    assert planned == pytest.approx(effective_n_wilson(means).interval.half_width, rel=1e-12)


@given(rates, margins, st.floats(0.3, 0.999), levels, RULES)
def test_a_tighter_margin_never_asks_for_fewer_cases(
    rate: float, margin: float, part: float, confidence: float, rule: Any
) -> None:
    loose = precision_count(rate, margin, confidence=confidence, rule=rule)
    assert precision_count(rate, margin * part, confidence=confidence, rule=rule) >= loose


@given(st.floats(0.05, 0.95), st.floats(0.03, 0.2), st.sampled_from([0.6, 0.8, 0.9]))
def test_the_assured_count_is_kept_at_every_larger_one(rate: float, margin: float, assurance: float) -> None:
    n = assurance_count(rate, margin, assurance)
    later = assurance_chance(range(n, int(1.2 * n) + 40), rate, margin)
    assert (later >= assurance).all()
    assert n == FLOOR or float(assurance_chance(n - 1, rate, margin)) < assurance


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (
            lambda: precision_count(90, 0.05),
            "rate: got 90, allowed is a share from 0 to 1 (0 % to 100 %). Did you mean",
        ),
        (
            lambda: precision_count(0.9, 0),
            "margin: got 0, allowed is points from 0.0001 to below 100, such as 5pp (0.05).",
        ),
        (lambda: precision_count(0.9, 5), "Did you mean 5pp (0.05)?"),
        (
            lambda: precision_count(0.9, 0.05, rule="wald"),
            "rule: got 'wald', allowed is wilson, clopper-pearson or eff",
        ),  # pyright: ignore[reportArgumentType]
        (lambda: assurance_count(0.9, 0.05, 90), "assurance: got 90, allowed is a share between 0 and 1, such as 90%"),
        (lambda: assurance_count(0.9, 0.05, 1), "assurance: got 1, allowed is a share between 0 and 1"),
    ],
)
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(text)):
        call()
