"""The best of k on the same cases: critical values, out-of-bag scores, effective looks, ties, guards, refusals."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.reusing.selection import best_of_k
from evalgauge.stats.maxima import equicorrelated_critical, expected_max_normal, upper_quantile
from evalgauge.stats.multiplier import correlations, max_t
from evalgauge.stats.out_of_bag import out_of_bag
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_interval
from evalgauge.stats.streams import Block, blocks, in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def correlated(n: int, k: int, correlation: float, *, seed: int) -> NDArray[np.float64]:
    """Return a matrix whose columns have exactly this correlation in the sample."""
    drawn = np.random.default_rng(seed).standard_normal((n, k))
    drawn -= drawn.mean(axis=0)
    white = drawn @ np.linalg.inv(np.linalg.cholesky(drawn.T @ drawn / n)).T
    wanted = np.full((k, k), correlation) + (1 - correlation) * np.eye(k)
    return white @ np.linalg.cholesky(wanted).T


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("route", ["covariance", "direct"])
def test_both_routes_give_the_critical_value_of_equal_correlation(correlation: float, route: str) -> None:
    found = max_t(correlated(400, 10, correlation, seed=1), draws=40_000, seed=7, route=route)
    expected = equicorrelated_critical(10, correlation, 0.025)
    assert abs(found.critical - expected) < 4 * found.mc_error
    mean = (1 - correlation) ** 0.5 * expected_max_normal(10)
    assert found.expected_max == pytest.approx(mean, abs=4 * 0.6 / 40_000**0.5)


def test_the_cheaper_route_is_chosen() -> None:
    assert max_t(correlated(300, 8, 0.3, seed=2), draws=2_000).route == "covariance"
    wide = np.random.default_rng(3).integers(0, 2, (20, 60))
    assert max_t(wide, draws=2_000).route == "direct"


def test_exact_counts_give_the_correlations_of_floats() -> None:
    matrix = np.random.default_rng(4).integers(0, 2, (200, 12))
    np.testing.assert_allclose(correlations(matrix), np.corrcoef(matrix.T), atol=1e-12)
    np.testing.assert_allclose(correlations(matrix / 3), np.corrcoef(matrix.T), atol=1e-12)


def test_columns_without_spread_are_counted_by_bonferroni() -> None:
    varying = np.arange(50)[:, None] % 2
    found = max_t(np.hstack([varying, np.ones((50, 9))]), draws=20_000)
    assert found.n_constant == 9
    # All ten have independent errors as far as anybody knows: the value of ten, within Monte-Carlo error.
    assert found.critical == pytest.approx(upper_quantile(0.0025), abs=0.05)
    alone = max_t(np.ones((50, 4)))
    assert (alone.critical, alone.route) == (upper_quantile(0.025 / 4), "bonferroni")


def test_the_critical_value_is_never_below_the_plain_one() -> None:
    copies = np.repeat(np.arange(40)[:, None] % 2, 6, axis=1)
    assert upper_quantile(0.025) <= max_t(copies, draws=500, seed=3).critical


@settings(max_examples=15)
@given(copies=st.integers(2, 30), seed=st.integers(0, 50))
def test_copies_of_one_candidate_count_as_one_look(copies: int, seed: int) -> None:
    column = np.random.default_rng(seed).random((400, 1)) < 0.75
    found = best_of_k(np.repeat(column, copies, axis=1), draws=2_000, resamples=200, seed=seed)
    assert found.effective_looks == pytest.approx(1.0, abs=0.01)
    assert found.tied == tuple(range(copies))
    plain = wilson_interval(float(column.sum()), 400)
    assert found.interval.high == pytest.approx(plain.high, abs=1e-12)
    # Only the Monte-Carlo error of the critical value is left.
    assert abs(found.interval.low - plain.low) < 4 * found.mc_error * 0.05 + 1e-3


def test_independent_candidates_count_in_full_and_correlated_ones_in_part() -> None:
    stream = np.random.default_rng(5)
    shared, own = stream.random((4000, 1)) < 0.5, stream.random((4000, 10)) < 0.5
    apart = best_of_k(own, draws=20_000)
    assert apart.effective_looks == pytest.approx(10, abs=0.6)
    together = best_of_k(np.where(stream.random((4000, 10)) < 0.9, shared, own), draws=20_000)
    assert together.effective_looks < 4
    assert together.critical < apart.critical


def test_the_winner_of_coins_is_expected_at_one_half() -> None:
    coins = np.random.default_rng(6).integers(0, 2, (300, 40))
    found = best_of_k(coins)
    assert found.observed > 0.55
    assert abs(found.expected - 0.5) < 0.04
    assert found.interval.low < 0.5
    assert found.if_equal < found.observed
    assert found.naive.low > found.interval.low > found.bonferroni.low - 0.01


def test_a_clear_winner_keeps_its_score() -> None:
    stream = np.random.default_rng(7)
    matrix = np.hstack([stream.random((500, 1)) < 0.9, stream.random((500, 8)) < 0.5])
    found = best_of_k(matrix)
    assert found.best == 0
    assert found.chosen[0] == 1.0
    assert found.expected == pytest.approx(found.observed, abs=0.01)


def test_ties_are_broken_by_lot_in_the_bag() -> None:
    one = np.random.default_rng(8).integers(0, 2, (100, 1))
    chosen = out_of_bag(np.hstack([one, one]), draws=2_000).chosen
    assert abs(chosen[0] - 0.5) < 4 * 0.5 / 2_000**0.5


@pytest.mark.parametrize(("n", "rate"), [(16, 0.8), (200, 0.03), (300, 0.4)])
def test_clopper_pearson_where_wilson_is_no_bound(n: int, rate: float) -> None:
    matrix = np.random.default_rng(9).random((n, 50)) < rate
    found = best_of_k(matrix, draws=2_000, resamples=100)
    passed = float(matrix.sum(axis=0).max())
    assert found.interval.method == "clopper-pearson at alpha/k"
    assert found.interval.low == pytest.approx(float(clopper_pearson_limits(passed, n, confidence=0.999)[0]), abs=1e-12)


def test_between_the_two_the_level_of_the_correlated_errors_is_kept() -> None:
    column = np.repeat((np.arange(60)[:, None] < 36), 20, axis=1)
    found = best_of_k(column, draws=2_000, resamples=100)
    assert found.interval.method == "max-t clopper-pearson"
    assert found.interval.low == pytest.approx(float(clopper_pearson_limits(36, 60, confidence=0.95)[0]), abs=0.01)


def test_graded_scores_take_the_symmetric_interval_and_reps_change_nothing() -> None:
    graded = np.random.default_rng(10).integers(0, 5, (150, 6)) / 4
    once = best_of_k(graded, reps=np.full(graded.shape, 4))
    again = best_of_k(graded, reps=np.full(graded.shape, 12))
    assert once == again
    assert once.interval.high == once.symmetric_high > once.naive.high


def test_one_worker_and_many_give_the_same_numbers() -> None:
    def drawn(block: Block) -> float:
        return float(block.stream().standard_normal(block.size).sum())

    serial = in_blocks(drawn, blocks(1_003, seed=3, size=100))
    with ThreadPoolExecutor(4) as pool:
        assert in_blocks(drawn, blocks(1_003, seed=3, size=100), mapper=pool.map) == serial
    assert len(serial) == 11
    assert len(set(serial)) == 11
    assert in_blocks(drawn, blocks(1_003, seed=4, size=100)) != serial
    assert in_blocks(drawn, blocks(1_003, seed=3, size=100, part=(1,))) != serial


REFUSALS: list[tuple[Callable[[], object], str]] = [
    (lambda: best_of_k(np.ones((5, 1))), "scores: got 'an array of shape (5, 1)', allowed is cases × candidates, two"),
    (lambda: best_of_k(np.ones((1, 5))), "scores: got 'an array of shape (1, 5)'"),
    (lambda: best_of_k(2 * np.ones((5, 5))), "scores: got 'scores from 2 to 2', allowed is shares from 0 to 1."),
    (lambda: best_of_k(np.full((5, 5), np.nan)), "scores: got 'scores from nan to nan'"),
    (lambda: max_t(np.ones((5, 2)), tail=0), "tail: got 0, allowed is a chance between 0 and 1."),
    (lambda: max_t(np.array([[1, np.nan], [0, 1]])), "scores: got 'values that are NaN or infinite'"),
    (lambda: max_t(np.ones(5)), "scores: got 'an array of shape (5,)'"),
    (lambda: max_t(np.eye(3), route="fast"), "route: got 'fast', allowed is auto, covariance or direct."),
    (lambda: out_of_bag(np.ones((1, 2))), "scores: got 'an array of shape (1, 2)'"),
    (lambda: out_of_bag(np.array([[1, np.inf], [0, 1]])), "scores: got 'values that are NaN or infinite'"),
    (lambda: list(blocks(0, seed=1, size=5)), "total: got (0, 5), allowed is whole numbers of draws"),
    (lambda: list(blocks(5, seed=-1, size=5)), "seed: got -1, allowed is a whole number, 0 or more."),
    (lambda: equicorrelated_critical(5, 0.5, 1), "tail: got 1, allowed is a chance between 0 and 1."),
]


@pytest.mark.parametrize(("call", "text"), REFUSALS, ids=[text[:40] for _, text in REFUSALS])
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert text in str(caught.value)
