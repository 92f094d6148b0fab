"""Leaderboards: two arms as a comparison judges them, order and copies of no account, graded scores of few and many."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.paired import paired_intervals, paired_p_value
from evalgauge.rules.ranking import ranked_pairs, ranking
from evalgauge.stats.maxima import upper_quantile, upper_tail
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.multiplier import max_t
from evalgauge.stats.proportion import clopper_pearson_interval, wilson_interval

FOURTHS = st.sampled_from([0.0, 0.25, 0.5, 1.0])
GRADED = arrays.arrays(np.float64, st.tuples(st.integers(3, 25), st.integers(2, 4)), elements=FOURTHS)
TWO = arrays.arrays(np.float64, st.tuples(st.integers(2, 25), st.just(2)), elements=FOURTHS)


def board(k: int, n: int = 200, *, seed: int = 1) -> np.ndarray:
    return (np.random.default_rng(seed).random((n, k)) < np.linspace(0.9, 0.5, k)).astype(float)


@given(TWO)
def test_two_arms_get_the_verdict_of_a_comparison(scores: np.ndarray) -> None:
    answer = paired_intervals(scores[:, 0] - scores[:, 1])
    found = ranking(scores)
    (pair,) = ranked_pairs(found, found.order)
    assert pair.is_shown == (answer.interval.low > 0 or answer.interval.high < 0)
    assert pair.p_value == pytest.approx(answer.p_value, rel=1e-6, abs=1e-12)
    assert pair.adjusted == pytest.approx(pair.p_value, rel=1e-9)
    ends = sorted([abs(answer.interval.low), abs(answer.interval.high)])
    assert sorted([abs(pair.interval.low), abs(pair.interval.high)]) == pytest.approx(ends, abs=1e-9)


@given(GRADED, st.randoms())
def test_the_order_of_the_arms_does_not_matter(scores: np.ndarray, lot: object) -> None:
    turned = list(range(scores.shape[1]))
    lot.shuffle(turned)  # type: ignore[attr-defined]
    one, two = ranking(scores), ranking(scores[:, turned])
    # The draws are those of other columns: only what no draw decides is exactly the same.
    np.testing.assert_allclose(one.pairs.z[np.ix_(turned, turned)], two.pairs.z, atol=1e-12)
    np.testing.assert_allclose(one.own[:, turned], two.own, atol=1e-12)
    assert one.sets.critical == pytest.approx(two.sets.critical, abs=0.2)


@given(GRADED, st.integers(2, 4))
def test_equal_columns_share_every_rank(scores: np.ndarray, times: int) -> None:
    copies = np.repeat(scores[:, :1], times, axis=1)
    found = ranking(copies)
    assert found.n_shown == 0
    assert found.groups == ((0, times - 1),)
    assert found.sets.best.tolist() == [1] * times
    assert found.sets.worst.tolist() == [times] * times


def test_clusters_of_one_case_change_nothing_and_copied_cases_no_more() -> None:
    scores = board(4, 60)
    plain, alone = ranking(scores), ranking(scores, clusters=np.arange(60))
    np.testing.assert_array_equal(plain.sets.shown, alone.sets.shown)
    np.testing.assert_array_equal(plain.together, alone.together)
    doubled = ranking(np.repeat(scores, 2, axis=0), clusters=np.repeat(np.arange(60), 2))
    naive = ranking(np.repeat(scores, 2, axis=0))
    assert doubled.pairs.n_units == 60
    # Cases of one source are known as one: nothing is won by copying.
    off = plain.pairs.z != 0
    assert (np.abs(doubled.pairs.z[off]) < np.abs(naive.pairs.z[off])).all()
    assert (np.diff(doubled.together, axis=0) > np.diff(naive.together, axis=0)).all()


@pytest.mark.parametrize("k", [20, 21])
def test_many_graded_arms_are_judged_by_their_sums(k: int) -> None:
    scores = board(k, 300) * 0.5 + board(k, 300, seed=2) * 0.5
    found = ranking(scores)
    for one, other in list(combinations(range(k), 2))[:40]:
        deltas = scores[:, one] - scores[:, other]
        expected = float(deltas.sum() / np.sqrt(np.square(deltas).sum()))
        if k == 20:
            p_value = paired_p_value(deltas)
            expected = float(np.copysign(upper_quantile(p_value / 2) if p_value < 1 else 0.0, expected))
        assert found.pairs.z[one, other] == pytest.approx(expected, abs=1e-9)
    assert 0 < found.n_shown < found.n_pairs


def test_intervals_of_arms_alone_and_together() -> None:
    scores = board(6, 300)
    found = ranking(scores)
    critical = found.largest.critical
    assert critical == max_t(scores, route="covariance").critical
    assert found.largest.expected_max == max_t(scores, route="covariance").expected_max
    for arm in range(6):
        own = wilson_interval(float(scores[:, arm].sum()), 300)
        assert found.own[:, arm].tolist() == [own.low, own.high]
        assert found.together[0, arm] < own.low
        assert found.together[1, arm] > own.high
    rare = np.column_stack([np.arange(300) % 100 > 0, np.arange(300) % 2 > 0]).astype(float)
    found = ranking(rare)
    exact = clopper_pearson_interval(297, 300, confidence=1 - 2 * upper_tail(found.largest.critical))
    assert found.together[:, 0].tolist() == pytest.approx([exact.low, exact.high])
    assert found.own[1, 0] == wilson_interval(297, 300).high


def test_differing_reps_cap_what_an_arm_is_worth() -> None:
    scores = np.array([[1.0, 0.5], [1.0, 1.0], [0.5, 0.0], [1.0, 0.5]])
    reps = np.array([[1, 2], [1, 2], [10, 2], [1, 2]])
    found = ranking(scores, reps=reps)
    capped = effective_n_wilson(scores[:, 0], reps=reps[:, 0]).interval
    assert found.own[:, 0].tolist() == pytest.approx([capped.low, capped.high])
    even = effective_n_wilson(scores[:, 1]).interval
    assert found.own[:, 1].tolist() == pytest.approx([even.low, even.high])


def test_arms_without_any_spread() -> None:
    found = ranking(np.column_stack([np.ones(50), np.zeros(50)]))
    assert found.n_shown == 1
    assert found.largest.route == "bonferroni"
    assert found.together[0, 0] > 0.8
    assert found.together[1, 1] < 0.2
    level = ranking(np.column_stack([np.full(50, 0.5), np.full(50, 0.6)]))
    # Every case changed by the same amount, which shows no spread: the guarded interval decides.
    assert (np.diff(level.together, axis=0) > 0).all()


@pytest.mark.parametrize(
    ("scores", "given", "text"),
    [
        ([[1.0], [0.0]], {}, "scores: got 'an array of shape (2, 1)', allowed is cases × arms, two of each or more."),
        ([[1.5, 0.0], [0.0, 1.0]], {}, "scores: got 'scores from 0 to 1.5', allowed is shares from 0 to 1."),
        ([[1.0, np.nan], [0.0, 1.0]], {}, "scores: got 'values that are NaN or infinite'"),
        ([[1.0, 0.0], [0.0, 1.0]], {"confidence": 95}, "confidence: got 95"),
        ([[1.0, 0.0], [0.0, 1.0]], {"clusters": ["a", "a"]}, "all 2 cases belong to one cluster"),
    ],
)
def test_refusals(scores: object, given: dict[str, object], text: str) -> None:
    with pytest.raises((ArgumentError, ScoreError)) as refusal:
        ranking(scores, **given)  # type: ignore[arg-type]
    assert text in str(refusal.value)
