"""Sets of ranks against the reference implementation's published example, exact laws and plain loops."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats import rank_sets as rank_sets_module
from evalgauge.stats.all_pairs import AllPairs, all_pairs
from evalgauge.stats.maxima import upper_quantile
from evalgauge.stats.multiplicity import holm
from evalgauge.stats.paired_proportions import mcnemar_chi2_p
from evalgauge.stats.quantiles import normal_p_value
from evalgauge.stats.rank_sets import rank_sets, tied_groups

# Mean mathematics score and standard error of 37 countries (OECD, PISA 2018), as the R package csranks ships them.
PISA = """491.3600252 1.939833031|498.9423138 2.970998694|508.0703063 2.262662011|512.0169429 2.357475749
417.4065563 2.41588757|390.9322732 2.989559274|499.4676508 2.460661531|509.3983746 1.735002337
523.4145802 1.743602224|507.3013618 1.967920411|495.4075794 2.320214487|500.0437805 2.647083096
451.3703438 3.091228197|481.0826364 2.319596741|495.1873762 1.953082603|499.632894 2.198621128
463.0345488 3.498563228|486.5898573 2.780045867|526.9732502 2.471475318|525.933002 3.121394315
496.1263306 1.962766789|481.1911884 1.953282039|483.421485 1.097632409|408.8014734 2.493225544
519.2309824 2.632277885|494.489676 1.705942856|500.9637885 2.219044878|515.6478747 2.602085176
492.4874062 2.684570081|486.1648542 2.555595707|508.8975441 1.363877596|481.3926126 1.462417763
502.3877022 2.654250935|515.3147131 2.908003898|453.5077774 2.260406789|501.7698992 2.564428111
478.2447174 3.235444099"""
# What csranks prints for them: simultaneous sets of ranks at 95 %, from 1,000 draws.
BEST = "12 7 4 3 35 37 7 4 1 4 12 7 32 23 12 8 31 15 1 1 12 23 23 35 1 12 7 1 12 18 4 24 5 1 32 6 23"
WORST = "30 26 18 17 36 37 25 18 6 18 26 25 34 31 26 25 34 31 6 7 26 31 31 36 11 26 24 12 31 31 18 31 24 13 34 24 32"
PASSES = arrays.arrays(np.int8, st.tuples(st.integers(2, 30), st.integers(2, 6)), elements=st.integers(0, 1))


def normal_pairs(means: np.ndarray, covariance: np.ndarray) -> AllPairs:
    """Return pairs of means whose covariance is known."""
    own = np.diag(covariance)
    root = np.sqrt(own[:, None] + own - 2 * covariance)
    np.fill_diagonal(root, 1.0)
    z = (means[:, None] - means) / root
    return AllPairs(means=means, z=z, covariance=covariance, n_cases=1_000, n_units=1_000)


def test_the_published_sets_of_37_countries() -> None:
    means, errors = np.array([one.split() for one in PISA.replace("\n", "|").split("|")], dtype=np.float64).T
    found = rank_sets(normal_pairs(means, np.diag(errors**2)))
    best, worst = (np.array(text.split(), dtype=np.int64) for text in (BEST, WORST))
    # Both critical values are drawn, there from 1,000 draws (error .04): a pair at the edge falls on either side.
    off = np.concatenate([found.best - best, found.worst - worst])
    assert np.abs(off).max() <= 1
    assert (off != 0).mean() < 0.2


@given(PASSES)
def test_pass_fail_pairs_are_those_of_mcnemar(passes: np.ndarray) -> None:
    found = all_pairs(passes)
    for i, j in zip(*np.triu_indices(passes.shape[1], 1), strict=True):
        wins = int((passes[:, i] > passes[:, j]).sum())
        losses = int((passes[:, i] < passes[:, j]).sum())
        expected = float(mcnemar_chi2_p(wins, losses))
        assert float(normal_p_value(float(found.z[i, j]))) == pytest.approx(expected, rel=1e-9)
        assert found.z[i, j] == -found.z[j, i]
        assert found.z[i, j] ** 2 <= wins + losses + 1e-9
    np.testing.assert_allclose(found.covariance, np.cov(passes.T, ddof=0) / len(passes), atol=1e-12)


@given(PASSES, st.integers(0, 2**32 - 1))
def test_clusters_are_summed_and_clusters_of_one_change_nothing(passes: np.ndarray, seed: int) -> None:
    stream = np.random.default_rng(seed)
    alone, grouped = stream.permutation(len(passes)), np.arange(len(passes)) % 2
    plain, single = all_pairs(passes), all_pairs(passes, clusters=alone)
    np.testing.assert_allclose(single.z, plain.z, atol=1e-12)
    np.testing.assert_allclose(single.covariance, plain.covariance, atol=1e-12)
    found = all_pairs(passes, clusters=grouped)
    sums = np.stack([passes[grouped == group].sum(axis=0) for group in (0, 1)]).astype(float)
    delta = sums[:, 0] - sums[:, 1]
    expected = delta.sum() / math.sqrt(np.square(delta).sum()) if delta.any() else 0.0
    assert found.z[0, 1] == pytest.approx(expected, abs=1e-12)
    sizes = np.array([(grouped == group).sum() for group in (0, 1)])
    residual = sums - sizes[:, None] * passes.mean(axis=0)
    np.testing.assert_allclose(found.covariance, residual.T @ residual / len(passes) ** 2, atol=1e-12)


@given(PASSES)
def test_sets_hold_the_observed_ranks_and_all_that_holm_shows(passes: np.ndarray) -> None:
    pairs = all_pairs(passes)
    found = rank_sets(pairs)
    above = (pairs.means[None, :] > pairs.means[:, None]).sum(axis=1)
    at_least = (pairs.means[None, :] >= pairs.means[:, None]).sum(axis=1)
    assert (found.best <= 1 + above).all()
    assert (found.worst >= at_least).all()
    assert not (found.shown & found.shown.T).any()
    assert (found.shown >= (found.adjusted < 0.05)).all()


def test_holm_is_over_both_directions_of_all_pairs() -> None:
    passes = np.random.default_rng(5).random((300, 5)) < np.linspace(0.4, 0.8, 5)
    pairs = all_pairs(passes)
    off = ~np.eye(5, dtype=bool)
    one_sided = np.where(pairs.z >= 0, normal_p_value(pairs.z) / 2, 1 - normal_p_value(pairs.z) / 2)
    expected = holm(one_sided[off])
    np.testing.assert_allclose(rank_sets(pairs).adjusted[off], np.where(expected < 1, expected, 1.0), rtol=1e-12)


def test_two_arms_need_no_draws() -> None:
    found = rank_sets(all_pairs([[1, 0]] * 13 + [[0, 1]] * 7 + [[1, 1]] * 480))
    assert (found.critical, found.draws, found.mc_error) == (pytest.approx(upper_quantile(0.025)), 0, 0.0)
    assert found.best.tolist() == [1, 1]
    assert found.adjusted[0, 1] == pytest.approx(float(mcnemar_chi2_p(13, 7)), rel=1e-12)


@pytest.mark.parametrize(("k", "expected"), [(3, 2.344), (5, 2.728), (10, 3.164), (20, 3.544)])
def test_unrelated_arms_need_the_studentised_range(k: int, expected: float) -> None:
    # Upper 5 % points of the studentised range with infinite degrees of freedom, over √2 (tables of Tukey's test).
    found = rank_sets(normal_pairs(np.zeros(k), np.eye(k)))
    assert abs(found.critical - expected) < 4 * found.mc_error + 5e-4
    assert not found.shown.any()


def test_each_way_to_the_largest_pair_is_that_of_a_plain_loop() -> None:
    stream = np.random.default_rng(3)
    drawn = stream.standard_normal((40, 60), dtype=np.float32)
    whole = stream.random((40, 40), dtype=np.float32)
    for weights in (whole, np.where(stream.random((40, 40)) < 0.3, whole, np.float32(0))):
        for both in (weights, np.maximum(weights, weights.T)):
            np.fill_diagonal(both, 0)
            apart = drawn[:, None] - drawn[None]
            expected = np.maximum(0, (apart * both[:, :, None]).max(axis=(0, 1)))
            np.testing.assert_allclose(rank_sets_module._largest_of_few(drawn, both), expected, rtol=1e-6)
            np.testing.assert_allclose(rank_sets_module._largest_of_many(drawn, both), expected, rtol=1e-6)


def test_the_ladder_shows_more_than_its_first_step() -> None:
    means = np.array([9.0, 6.0, 3.0, 0.6, 0.3, 0.0]) * 0.93
    found = rank_sets(normal_pairs(means, np.eye(6) / 2))
    single = found.critical
    pairs = normal_pairs(means, np.eye(6) / 2)
    assert found.shown.sum() > (pairs.z > single).sum()


def test_copies_are_never_told_apart_and_constant_gaps_are_counted() -> None:
    base = np.random.default_rng(2).random((80, 1)) < 0.6
    copies = np.repeat(base, 4, axis=1)
    found = rank_sets(all_pairs(copies))
    assert found.best.tolist() == [1] * 4
    assert found.worst.tolist() == [4] * 4
    all_or_none = np.column_stack([np.ones(80), np.zeros(80), base])
    found = rank_sets(all_pairs(all_or_none))
    assert (found.draws, found.critical) == (0, pytest.approx(upper_quantile(0.05 / 6)))
    assert found.best.tolist() == [1, 3, 2]


def test_many_arms_take_bonferroni_and_some_a_few_draws() -> None:
    many = rank_sets(normal_pairs(np.zeros(1_001), np.eye(1_001)))
    assert (many.draws, many.critical) == (0, pytest.approx(upper_quantile(0.05 / (1_001 * 1_000))))
    some = rank_sets(normal_pairs(np.zeros(250), np.eye(250)))
    assert some.draws == 2_000
    assert 4.5 < some.critical < upper_quantile(0.05 / (250 * 249))


@given(st.integers(0, 2**32 - 1), st.integers(1, 9))
def test_groups_say_which_arms_are_not_told_apart(seed: int, k: int) -> None:
    shown = np.triu(np.random.default_rng(seed).random((k, k)) < 0.6, 1)
    groups = tied_groups(shown)
    for i in range(k):
        mine = [group for group in groups if group[0] <= i <= group[1]]
        assert mine
        for j in range(i + 1, k):
            shares = any(first <= i and j <= last for first, last in groups)
            assert shares or shown[i, j]
    assert all(one[0] < two[0] and one[1] < two[1] for one, two in pairwise(groups))


@pytest.mark.parametrize(
    ("scores", "clusters", "text"),
    [
        ([1, 0, 1], None, "scores: got 'an array of shape (3,)', allowed is cases × arms, two of each or more."),
        ([[1], [0]], None, "scores: got 'an array of shape (2, 1)'"),
        ([[1, math.nan], [0, 1]], None, "scores: got 'values that are NaN or infinite', allowed is finite numbers."),
        ([[1, 0], [0, 1]], [1, 1], "clusters: all cases belong to one cluster"),
        ([[1, 0], [0, 1]], [1], "clusters: got 'int64 of shape (1,)', allowed is one whole number per case (2)"),
    ],
)
def test_refusals(scores: object, clusters: object, text: str) -> None:
    with pytest.raises((ArgumentError, ScoreError)) as refusal:
        all_pairs(scores, clusters=clusters)  # type: ignore[arg-type]
    assert text in str(refusal.value)
