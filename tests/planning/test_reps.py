"""Cases or reps: formulas, counts, the old rule, best numbers of reps, pilot logs."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.planning.pilot import cluster_icc, pilot_spread
from evalgauge.planning.reps import best_reps, budget_rows, reps_counts, reps_row, reps_sketch
from evalgauge.planning.spread import Spread, classic_half_width, graded_half_width, pass_fail_rate
from support.oracles import oracle_rows

if TYPE_CHECKING:
    from collections.abc import Callable

SINGLE = Spread(case_var=0.16, run_var=0.09)
# The 25-case scenario: rates U(.05, .95), effect N(.10, .15) cut to [0, 1].
PAIRED = Spread(case_var=0.0193076, run_var=0.3456993, arms=2)
variances = st.floats(0.001, 0.12)
prices = st.floats(0.01, 100)


# Coverage 89/83/62 % and widths 14.1, 6.3, 2.8 of the old rule; 17.0, 9.0, 6.3 points of the honest one.
@pytest.mark.parametrize(
    ("reps", "claimed", "holds", "honest"), [(2, 0.141, 0.89, 0.17), (10, 0.063, 0.83, 0.09), (50, 0.028, 0.62, 0.063)]
)
def test_the_old_rule_in_the_25_case_scenario(reps: int, claimed: float, holds: float, honest: float) -> None:
    row = reps_row(25, reps, PAIRED)
    assert row.claimed == pytest.approx(claimed, abs=5e-4)
    assert row.claim_holds == pytest.approx(holds, abs=0.006)
    assert row.half_width == pytest.approx(honest, abs=0.0025)


# The single score of the same scenario: 1/√(nR) holds in 71 and 40 % of evals at R = 10 and 50.
@pytest.mark.parametrize(("reps", "holds"), [(10, 0.71), (50, 0.40)])
def test_the_old_rule_for_one_score(reps: int, holds: float) -> None:
    row = reps_row(25, reps, Spread(case_var=0.0675, run_var=0.1825))
    # The spec measured these by simulation; the closed form stands within a point or two of them.
    assert row.claim_holds == pytest.approx(holds, abs=0.02)


def test_where_cases_are_all_alike_the_old_rule_holds_as_often_as_it_says() -> None:
    assert reps_row(25, 10, Spread(case_var=0.0, run_var=0.25)).claim_holds == pytest.approx(0.9545, abs=5e-5)


def test_standard_errors_that_miller_prints() -> None:
    (row,) = oracle_rows("miller_bernoulli_se")
    variance = 0.655 * 0.345
    found = classic_half_width(5000, 1, Spread(case_var=0.0, run_var=variance, rate=0.655)) / 1.959963984540054
    assert found == pytest.approx(row.expected, abs=row.tol)


def test_standard_errors_that_intervals_of_miller_imply() -> None:
    ends = [(0.012, 0.038), (-0.072, 0.01), (-0.061, 0.007)]
    for (_, expected, tol), (low, high) in zip(oracle_rows("miller_implied_paired_se"), ends, strict=True):
        spread = Spread(case_var=expected**2, run_var=0.0, arms=2)
        assert 2 * classic_half_width(1, 1, spread) == pytest.approx(high - low, abs=2 * 1.96 * tol)


@given(variances, variances, prices, prices, st.sampled_from([1, 2]))
def test_the_best_number_of_reps_is_the_cheapest_for_a_precision(
    case_var: float, run_var: float, cost_case: float, cost_run: float, arms: int
) -> None:
    spread = Spread(case_var=case_var, run_var=run_var, arms=arms)
    best = best_reps(spread, cost_case=cost_case, cost_run=cost_run)
    assert best.exact == pytest.approx(math.sqrt(run_var / case_var * cost_case / (arms * cost_run)))
    assert best.reps is not None
    assert best.high is not None

    def price(reps: int) -> float:
        return (cost_case + arms * reps * cost_run) * spread.variance(reps)

    near = range(max(1, best.reps - 3), best.reps + 4)
    assert min(near, key=price) in {best.reps, best.reps - 1, best.reps + 1}
    assert price(best.reps) <= min(price(reps) for reps in near) * (1 + 1e-12)
    limit = 1.05 * price(best.reps) * (1 + 1e-9)
    assert price(best.low) <= limit
    assert price(best.high) <= limit
    assert price(best.high + 1) > limit * (1 - 1e-6)
    assert best.low == 1 or price(best.low - 1) > limit * (1 - 1e-6)


@pytest.mark.parametrize(
    ("spread", "cost_case", "cost_run", "expected"),
    [
        (Spread(case_var=0.2, run_var=0.0), 1.0, 1.0, (0.0, 1, 1, 1)),
        (SINGLE, 0.0, 1.0, (0.0, 1, 1, 1)),
        (SINGLE, 1.0, 0.0, (None, None, 1, None)),
        (Spread(case_var=0.0, run_var=0.2), 1.0, 1.0, (None, None, 1, None)),
        (Spread(case_var=0.0, run_var=0.2), 0.0, 1.0, (0.0, 1, 1, None)),
    ],
)
def test_the_best_number_of_reps_at_its_edges(
    spread: Spread, cost_case: float, cost_run: float, expected: tuple[float | None, int | None, int, int | None]
) -> None:
    best = best_reps(spread, cost_case=cost_case, cost_run=cost_run)
    assert (best.exact, best.reps, best.low, best.high) == expected


@given(variances, variances, st.floats(0.02, 0.2), st.integers(1, 20))
def test_planned_cases_reach_the_margin_and_one_fewer_does_not(
    case_var: float, run_var: float, margin: float, reps: int
) -> None:
    for spread in (Spread(case_var=case_var, run_var=run_var), Spread(case_var=case_var, run_var=run_var, arms=2)):
        (count,) = reps_counts(spread, margin=margin, reps=(reps,))
        assert (graded_half_width(count.n, reps, spread) or 1) <= margin * (1 + 1e-9)
        if count.n > 16:
            assert (graded_half_width(count.n - 1, reps, spread) or 1) > margin


@given(variances, variances, st.floats(0.02, 0.2))
def test_more_reps_never_ask_for_more_cases(case_var: float, run_var: float, change: float) -> None:
    counts = reps_counts(Spread(case_var=case_var, run_var=run_var, arms=2), change=change)
    numbers = [count.n for count in counts]
    assert numbers == sorted(numbers, reverse=True)
    assert all(count.n >= count.n_classic for count in counts)


def test_no_number_of_reps_goes_below_the_spread_between_cases() -> None:
    row = reps_row(100, 10**6, SINGLE)
    assert row.half_width == pytest.approx(row.floor_half_width, rel=1e-6)
    assert row.floor_half_width == pytest.approx(1.959964 * 0.4 / 10, rel=1e-6)


def test_a_budget_is_never_overspent() -> None:
    for row in budget_rows(1000, SINGLE, cost_case=7.0, cost_run=0.3):
        assert row.cost <= 1000
        assert row.cost + 7.0 + 0.3 * row.reps > 1000


def test_a_single_case_has_no_graded_width() -> None:
    assert reps_row(1, 5, SINGLE).graded_half_width is None


def test_pass_fail_scores_show_their_rate_by_their_spread() -> None:
    assert pass_fail_rate(0.06, 0.03) == pytest.approx(0.9)
    assert pass_fail_rate(0.3, 0.3) is None


def test_a_log_with_reps_gives_bands_around_its_point() -> None:
    stream = np.random.default_rng(11)
    rates = stream.uniform(0.05, 0.95, 200)
    passes = stream.binomial(5, rates)
    found = pilot_spread(np.full(200, 5), passes, passes, at_reps=(1, 5, 50))
    assert not found.is_too_few
    assert found.case_var == pytest.approx(0.0675, abs=0.02)
    assert found.run_var == pytest.approx(0.1825, abs=0.02)
    for band in found.bands:
        assert band.half_width is not None
        assert 0 < band.low < band.half_width < band.high
    widths = [band.half_width or 0 for band in found.bands]
    assert widths == sorted(widths, reverse=True)


def test_few_cases_with_two_reps_are_too_few_to_tell() -> None:
    passes = [2, 2, 1, 0, 1, 2, 0, 1]
    found = pilot_spread([2] * 8, passes, passes)
    assert found.is_too_few
    assert found.removable_high - found.removable_low > 0.5


def test_one_rep_leaves_everything_open_between_two_ends() -> None:
    found = pilot_spread([1] * 100, [1] * 80 + [0] * 20, [1] * 80 + [0] * 20, at_reps=(4,))
    (band,) = found.bands
    assert found.is_too_few
    assert band.half_width is None
    assert band.low == pytest.approx(band.high / 2)


def test_a_log_without_spread_is_refused() -> None:
    with pytest.raises(ScoreError, match="all scores are equal"):
        pilot_spread([2, 2, 2], [2, 2, 2], [2, 2, 2])


def test_clusters_of_one_case_have_no_correlation_to_see() -> None:
    assert cluster_icc([0, 1, 2], [1, 0, 1]) is None
    assert cluster_icc([0, 0, 0], [1, 0, 1]) is None
    assert cluster_icc([0, 0, 1, 1], [1, 1, 0, 0]) == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Spread(case_var=-1, run_var=0.1), "case_var: got -1, allowed is a variance of 0 or more."),
        (lambda: Spread(case_var=0, run_var=0), "allowed is some spread between cases or between runs."),
        (lambda: Spread(case_var=0.4, run_var=0.3), "variances that add up to 0.7"),
        (lambda: Spread(case_var=0.1, run_var=0.1, rate=0.95), "at most rate·(1 − rate) = 0.0475"),
        (lambda: reps_row(0, 1, SINGLE), "cases: got 0, allowed is a whole number of cases, 1 or more."),
        (lambda: reps_row(1, 0, SINGLE), "reps: got 0, allowed is a whole number of reps, 1 or more."),
        (lambda: reps_sketch(0, 1), "cases: got 0"),
        (lambda: budget_rows(1, SINGLE), "budget: got 1, allowed is at least 2, the price of two cases with one rep."),
        (lambda: reps_counts(SINGLE), "margin: got 'nothing', allowed is a margin, or a change between two arms"),
        (lambda: reps_counts(SINGLE, margin=0), "margin: got 0, allowed is points from 0.0001"),
        (lambda: reps_counts(PAIRED, change=0), "drop: got 0, allowed is points above 0"),
        (lambda: best_reps(SINGLE, cost_case=-1), "cost_case: got -1, allowed is a price of 0 or more"),
        (lambda: best_reps(SINGLE, cost_run=0), "cost_run: got 0, allowed is a price above 0 for cases, for runs"),
    ],
)
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(text)):
        call()
