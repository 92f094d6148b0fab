"""Optimism, budgets, fresh sets and refresh: by enumeration, by property, at the edges, and their refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from evalgauge.errors import ArgumentError
from evalgauge.reusing.optimism import (
    adaptive_figures,
    budget_words,
    common_rate,
    effective_looks,
    fresh_set_size,
    look_budget,
    optimism,
    sampling_sd,
)
from evalgauge.reusing.refresh import audit_reach, audit_size, refresh, share_to_replace, spent_after_refresh
from evalgauge.stats.maxima import equivalent_looks, expected_max_blom, expected_max_normal

if TYPE_CHECKING:
    from collections.abc import Callable

RATES = st.floats(0.02, 0.98)
CASES = st.integers(2, 3000)
LOOKS = st.integers(1, 5000)
LAWS = ("binomial", "normal", "blom")


@pytest.mark.parametrize(("k", "exact", "blom"), [(2, 0.5642, 0.5895), (4, 1.0294, 1.0491), (8, 1.4236, 1.4342)])
def test_blom_errs_by_what_is_said(k: int, exact: float, blom: float) -> None:
    assert expected_max_normal(k) == pytest.approx(exact, abs=5e-5)
    assert expected_max_blom(k) == pytest.approx(blom, abs=5e-5)


def test_two_and_three_normals_have_known_maxima() -> None:
    assert expected_max_normal(2) == pytest.approx(1 / math.sqrt(math.pi), abs=1e-13)
    assert expected_max_normal(3) == pytest.approx(1.5 / math.sqrt(math.pi), abs=1e-13)


@pytest.mark.parametrize(("n", "rate", "k"), [(3, 0.4, 2), (16, 0.8, 10), (60, 0.97, 1.5)])
def test_the_binomial_maximum_is_the_enumerated_one(n: int, rate: float, k: float) -> None:
    counts = np.arange(n + 1)
    law = special.bdtr(counts, n, rate) ** k
    expected = float((counts * np.diff(law, prepend=0.0)).sum()) / n
    assert optimism(n, rate, k) == pytest.approx(expected - rate, abs=1e-12)


def test_laws_part_where_the_rate_is_high() -> None:
    budgets = [look_budget(1000, 0.95, 0.02, maximum=law) for law in ("blom", "normal", "binomial")]
    assert budgets == [336, 323, 628]


@given(n=CASES, rate=RATES, looks=LOOKS, law=st.sampled_from(LAWS))
def test_more_looks_never_shrink_the_optimism_and_it_has_a_ceiling(n: int, rate: float, looks: int, law: Any) -> None:
    one, more = (optimism(n, rate, k, maximum=law) for k in (looks, looks + 1))
    assert 0 <= one <= more + 1e-12
    assert more <= 1 - rate + 1e-12


@given(n=CASES, rate=RATES, law=st.sampled_from(LAWS))
def test_one_look_costs_nothing(n: int, rate: float, law: Any) -> None:
    assert optimism(n, rate, 1, maximum=law) == 0
    assert fresh_set_size(rate, 1, 0.01, maximum=law) == 2


@given(n=CASES, rate=st.floats(0.1, 0.9), tolerance=st.floats(0.002, 0.08), law=st.sampled_from(("binomial", "normal")))
def test_the_budget_is_the_last_look_within_the_tolerance(n: int, rate: float, tolerance: float, law: Any) -> None:
    budget = look_budget(n, rate, tolerance, maximum=law)
    if budget is None:
        assert optimism(n, rate, 1_000_000, maximum=law) <= tolerance * (1 + 1e-9)
        return
    assert budget >= 1
    assert optimism(n, rate, budget, maximum=law) <= tolerance * (1 + 1e-9)
    assert optimism(n, rate, budget + 1, maximum=law) > tolerance


@given(rate=st.floats(0.1, 0.9), looks=st.integers(2, 300), tolerance=st.floats(0.01, 0.08))
def test_a_fresh_set_of_that_size_suffices_and_one_case_fewer_does_not(
    rate: float, looks: int, tolerance: float
) -> None:
    size = fresh_set_size(rate, looks, tolerance)
    assert optimism(size, rate, looks) <= tolerance * (1 + 1e-9)
    if size > 2:
        assert optimism(size - 1, rate, looks) > tolerance


@given(looks=LOOKS, correlation=st.floats(0, 0.99))
def test_correlated_looks_are_worth_no_more_than_independent_ones(looks: int, correlation: float) -> None:
    found = effective_looks(looks, correlation)
    assert 1 <= found <= looks * (1 + 1e-9)
    cost = optimism(500, 0.5, looks, maximum="normal", correlation=correlation)
    if looks > 1:
        assert cost == pytest.approx(sampling_sd(500, 0.5) * expected_max_normal(found), abs=1e-9)


def test_a_correlation_widens_the_budget_alike_for_every_law() -> None:
    half = math.sqrt(0.5)
    for law in LAWS:
        loose = look_budget(1000, 0.8, 0.02, maximum=law, correlation=0.5)
        assert loose == look_budget(1000, 0.8, 0.02 / half, maximum=law)
        assert fresh_set_size(0.8, 10, 0.02, maximum=law, correlation=0.5) == fresh_set_size(
            0.8, 10, 0.02 / half, maximum=law
        )


def test_the_observed_best_is_no_rate_to_plug_in() -> None:
    # The best of 30 at a true 95 % comes out at 98.8 %; plugged in, that would say 1.2 points, while it is 3.8.
    observed = 0.95 + optimism(100, 0.95, 30)
    assert 100 * optimism(100, 0.95, 30) == pytest.approx(3.8, abs=0.05)
    assert 100 * optimism(100, observed, 30) == pytest.approx(1.2, abs=0.05)
    assert common_rate(observed, 100, 30) == pytest.approx(0.95, abs=1e-9)
    assert 1 - common_rate(1.0, 100, 30) > 0.03


@given(n=st.integers(5, 2000), observed=st.floats(0, 1), looks=LOOKS)
def test_the_common_rate_explains_the_best(n: int, observed: float, looks: int) -> None:
    rate = common_rate(observed, n, looks)
    target = min(max(observed, 1 / (2 * n)), 1 - 1 / (2 * n))
    assert 0 < rate <= target
    assert rate + optimism(n, rate, looks) == pytest.approx(target, abs=1e-9)


@pytest.mark.parametrize(
    ("budget", "words"), [(1, "1"), (1000, "1,000"), (1001, "more than 1,000"), (None, "more than 1,000")]
)
def test_budgets_beyond_a_thousand_are_not_told_apart(budget: int | None, words: str) -> None:
    assert budget_words(budget) == words


def test_named_figures() -> None:
    found = adaptive_figures(1000, 0.8, 10)
    assert found.fixed_in_advance == pytest.approx(0.0194646, abs=1e-6)
    assert found.attack == pytest.approx(0.0398278, abs=1e-6)
    assert found.provable == pytest.approx(math.sqrt(10 * math.log(1001) / 2000), abs=1e-12)
    assert found.order_of_magnitude == pytest.approx(0.1, abs=1e-12)


@given(excess=st.floats(0.01, 4.8))
def test_equivalent_looks_undo_the_maximum(excess: float) -> None:
    assert expected_max_normal(equivalent_looks(excess)) == pytest.approx(excess, abs=1e-9)


@pytest.mark.parametrize(("share", "spent"), [(0.0, 30.0), (0.25, 9.87), (0.5, 3.95), (0.75, 1.86), (1.0, 1.0)])
def test_a_refresh_buys_looks_back(share: float, spent: float) -> None:
    assert spent_after_refresh(30, share) == pytest.approx(spent, abs=0.005)
    found = refresh(0.0126, 30, share, more_looks=2)
    assert found.bought_back == pytest.approx(30 - found.spent, abs=1e-12)
    assert found.optimism_after == pytest.approx((1 - share) * found.optimism_before, abs=1e-15)
    assert found.optimism_with_more >= found.optimism_after - 1e-12


def test_the_share_to_replace_brings_the_optimism_back_to_the_tolerance() -> None:
    cost = 0.0126 * expected_max_normal(30)
    share = share_to_replace(cost, 0.02)
    assert refresh(0.0126, 30, share).optimism_after == pytest.approx(0.02, abs=1e-12)
    assert refresh(0.0126, 30, share, cost=0.03).optimism_after == pytest.approx(0.03 * (1 - share), abs=1e-12)
    assert share_to_replace(0.019, 0.02) == 0
    assert share_to_replace(0.0, 0.02) == 0


def test_old_against_fresh_cases() -> None:
    assert 100 * audit_reach(0.8, 500) == pytest.approx(7.1, abs=0.05)
    assert audit_size(0.8, audit_reach(0.8, 500) * (1 + 1e-12)) == 500


REFUSALS: list[tuple[Callable[[], object], str]] = [
    (lambda: optimism(1000, 0.8, 0), "looks: got 0, allowed is a number of looks from 1 to 1,000,000. The first look"),
    (lambda: optimism(1000, 0.8, 2_000_000), "looks: got 2000000, allowed is"),
    (lambda: optimism(1000, 1.0, 3), "rate: got 1.0, allowed is a share above 0 % and below 100 %. A true rate of 0"),
    (lambda: optimism(1000, 80, 3), "rate: got 80, allowed is a share above 0 % and below 100 %. Did you mean 80 %"),
    (
        lambda: optimism(1, 0.8, 3),
        "cases: got 1, allowed is a whole number of cases from 2 to 1,000,000,000,000. One case says",
    ),
    (lambda: optimism(10.5, 0.8, 3), "cases: got 10.5, allowed is a whole number"),
    (lambda: optimism(10, 0.8, 3, maximum="gumbel"), "maximum: got 'gumbel', allowed is binomial, normal or blom"),  # type: ignore[arg-type]
    (lambda: optimism(10, 0.8, 3, correlation=1.0), "correlation: got 1.0, allowed is a share from 0 to below 1"),
    (
        lambda: look_budget(1000, 0.8, 0),
        "tolerance: got 0, allowed is points from 0.0001pp to below 100pp, such as 2pp",
    ),
    (lambda: look_budget(1000, 0.8, 2), "Did you mean 2pp (0.02)?"),
    (lambda: spent_after_refresh(30, 1.5), "refresh: got 1.5, allowed is a share from 0 to 1"),
    (lambda: effective_looks(30, 2), "correlation: got 2, allowed is a share from 0 to 1 (0 % to 100 %). Did you mean"),
    (lambda: expected_max_normal(0.5), "k: got 0.5, allowed is a number from 1 to 1,000,000."),
]


@pytest.mark.parametrize(("call", "text"), REFUSALS, ids=[text[:30] for _, text in REFUSALS])
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert text in str(caught.value)
