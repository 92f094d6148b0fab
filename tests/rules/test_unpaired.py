"""Which interval answers which unpaired data, and what must hold whatever the data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.unpaired import unpaired_counts, unpaired_intervals, unpaired_view_of_paired
from evalgauge.stats.clusters import cluster_mean_interval, effective_n_wilson_clustered
from evalgauge.stats.means import effective_n_wilson, t_interval
from evalgauge.stats.two_proportions import miettinen_nurminen_interval, newcombe_interval
from evalgauge.stats.unpaired_means import mover_difference, welch_t

if TYPE_CHECKING:
    from evalgauge.rules.answers import UnpairedAnswer

arms = st.lists(st.integers(0, 4).map(lambda quarters: quarters / 4), min_size=1, max_size=25)
BASE, CAND = [0.5, 0.65, 0.7, 0.4], [0.9, 0.8, 0.7, 1, 0.6]


def ends(answer: UnpairedAnswer) -> list[float]:
    intervals = (answer.interval, answer.guarded, answer.guarded_equivalence, *answer.alternatives)
    return [end for interval in intervals for end in (interval.low, interval.high)]


def test_pass_fail_arms_get_miettinen_nurminen() -> None:
    answer = unpaired_intervals([1] * 45 + [0] * 5, [1] * 30 + [0] * 50)
    assert answer.interval == answer.guarded == miettinen_nurminen_interval(45, 50, 30, 80)
    assert answer.guarded_equivalence == miettinen_nurminen_interval(45, 50, 30, 80, confidence=0.9)
    assert ends(answer) == ends(unpaired_counts(45, 50, 30, 80))
    assert (answer.base_estimate, answer.cand_estimate, answer.n_base, answer.n_cand) == (0.9, 0.375, 50, 80)
    assert {i.method for i in answer.alternatives} == {"newcombe", "agresti-caffo", "wald", "welch"}


def test_overlapping_bars_hide_a_real_difference() -> None:
    """User question C20: 175/250 and 197/250, p = 0.024, +8.8 points [1.1, 16.3]."""
    answer = unpaired_counts(175, 250, 197, 250)
    assert answer.estimate == pytest.approx(0.088)
    assert answer.p_values["z"] == pytest.approx(0.024, abs=5e-4)
    assert answer.named("newcombe") == newcombe_interval(175, 250, 197, 250)
    assert (answer.named("newcombe").low, answer.named("newcombe").high) == pytest.approx((0.011, 0.163), abs=5e-4)


def test_graded_arms_get_mover_on_effective_n_wilson() -> None:
    answer = unpaired_intervals(BASE, CAND)
    assert answer.interval == mover_difference(effective_n_wilson(BASE), effective_n_wilson(CAND))
    assert answer.named("welch") == welch_t(BASE, CAND, span=1.0).interval
    assert answer.df == 3
    assert set(answer.p_values) == {"dual", "welch"}


def test_reps_that_differ_cap_what_an_arm_is_worth() -> None:
    base, cand = [1.0, 1.0, 0.9, 1.0], [0.5, 1.0, 0.0, 1.0]
    reps = ([1, 1, 10, 1], [2, 2, 2, 2])
    answer = unpaired_intervals(base, cand, reps=reps)
    assert answer.interval == mover_difference(effective_n_wilson(base, reps=reps[0]), effective_n_wilson(cand))
    assert answer.interval != unpaired_intervals(base, cand).interval


def test_clusters_count_on_the_side_that_has_them() -> None:
    rng = np.random.default_rng(1)
    base, cand = rng.integers(0, 2, 30).astype(float), rng.integers(0, 2, 20).astype(float)
    documents = np.repeat(np.arange(6), 5)
    answer = unpaired_intervals(base, cand, clusters=(documents, np.arange(20)))
    assert answer.interval == mover_difference(effective_n_wilson_clustered(base, documents), effective_n_wilson(cand))
    assert answer.alternatives == ()
    unclustered = unpaired_intervals(base, cand, clusters=(np.arange(30), np.arange(20)))
    assert ends(unclustered) == ends(unpaired_intervals(base, cand))


def test_scores_without_a_range() -> None:
    base, cand = [3.0, 5.0, 9.0], [4.0, 8.0, 9.5, 7.0]
    answer = unpaired_intervals(base, cand, score_range=None)
    assert answer.interval == welch_t(base, cand).interval
    assert "no range" in answer.notes[0]
    clustered = unpaired_intervals(base, cand, score_range=None, clusters=([0, 1, 2], [0, 0, 1, 1]))
    parts = (t_interval(base), cluster_mean_interval(cand, [0, 0, 1, 1]))
    assert clustered.interval == mover_difference(*parts, span=math.inf)
    assert "no range" in clustered.notes[0]


@given(arms, arms)
def test_swapping_the_arms_mirrors(base: list[float], cand: list[float]) -> None:
    one, other = unpaired_intervals(base, cand), unpaired_intervals(cand, base)
    mirrored = [-end for low, high in zip(ends(other)[::2], ends(other)[1::2], strict=True) for end in (high, low)]
    assert mirrored == pytest.approx(ends(one), abs=1e-9)
    assert dict(other.p_values) == pytest.approx(dict(one.p_values), rel=1e-6)


@given(arms, arms, st.randoms(use_true_random=False))
def test_the_order_of_the_cases_does_not_matter(base: list[float], cand: list[float], random: object) -> None:
    shuffled = list(base)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert ends(unpaired_intervals(shuffled, cand)) == pytest.approx(ends(unpaired_intervals(base, cand)), abs=1e-9)


@given(arms, arms)
def test_no_interval_is_without_width_or_out_of_range(base: list[float], cand: list[float]) -> None:
    answer = unpaired_intervals(base, cand)
    for low, high in zip(ends(answer)[::2], ends(answer)[1::2], strict=True):
        assert -1 <= low < high <= 1
    assert all(0 < p_value <= 1 for p_value in answer.p_values.values())
    assert answer.interval.low - 1e-12 <= answer.estimate <= answer.interval.high + 1e-12
    if abs(answer.p_value - 0.05) > 1e-9:
        assert (answer.interval.low > 0 or answer.interval.high < 0) == (answer.p_value < 0.05)


@given(arms, arms, st.tuples(st.floats(0.55, 0.999), st.floats(0.55, 0.999)))
def test_more_confidence_never_narrows(base: list[float], cand: list[float], levels: tuple[float, float]) -> None:
    narrow, wide = (ends(unpaired_intervals(base, cand, confidence=level)) for level in sorted(levels))
    assert all(low_w <= low_n + 1e-9 for low_w, low_n in zip(wide[::2], narrow[::2], strict=True))
    assert all(high_w >= high_n - 1e-9 for high_w, high_n in zip(wide[1::2], narrow[1::2], strict=True))


@given(arms, arms)
def test_the_unit_of_the_score_only_scales(base: list[float], cand: list[float]) -> None:
    one = unpaired_intervals(base, cand)
    scaled = unpaired_intervals(
        [1 + 4 * score for score in base], [1 + 4 * score for score in cand], score_range=(1.0, 5.0)
    )
    assert ends(scaled) == pytest.approx([4 * end for end in ends(one)], abs=1e-9)
    assert scaled.base_estimate == pytest.approx(1 + 4 * one.base_estimate)


def test_arms_that_do_not_vary_still_get_an_interval() -> None:
    answer = unpaired_counts(0, 10, 20, 20)
    assert answer.interval.low > 0
    assert "rests on their numbers alone" in answer.notes[0]
    assert {interval.method for interval in answer.alternatives} == {"newcombe", "agresti-caffo"}


def test_the_wrong_view_uses_welch_for_graded_scores() -> None:
    base, cand = [0.1, 0.5, 0.4], [0.3, 0.5, 0.9]
    expected = stats.ttest_ind(base, cand, equal_var=False).pvalue
    assert unpaired_view_of_paired(base, cand) == pytest.approx(expected, rel=1e-9)


def test_answers_print_in_one_line() -> None:
    text = "+0.088 (0.01148 to 0.164 (0.95 miettinen-nurminen)), 0.7 of 250 cases to 0.788 of 250, p = 0.0243"
    assert str(unpaired_counts(175, 250, 197, 250)) == text


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: unpaired_counts(5, 4, 1, 3), ArgumentError, "passed: got 5, allowed is a count from 0 to n = 4"),
        (lambda: unpaired_counts(0.5, 4, 1, 3), ArgumentError, "x1: got 0.5, allowed is a whole number of cases"),
        (lambda: unpaired_counts(1, 4, 1, 3, confidence=0.4), ArgumentError, "confidence: got 0.4, allowed is a share"),
        (lambda: unpaired_intervals([], [1]), ArgumentError, "base_means: got '0 values', allowed is at least 1"),
        (lambda: unpaired_intervals([1], [2]), ArgumentError, "cand_means: got 'scores from 2 to 2'.*declared range"),
        (
            lambda: unpaired_intervals([0.3], [0.5], clusters=([0], [0, 1])),
            ArgumentError,
            "clusters: got 'an array of shape",
        ),
        (lambda: unpaired_intervals([1, 1], [0, 1], clusters=([3, 3], [0, 1])), ScoreError, "belong to one cluster"),
        (
            lambda: unpaired_intervals([1, 1], [2, 2], score_range=None),
            ScoreError,
            "welch: all 2 baseline scores are 1",
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    assert callable(call)
    with pytest.raises(error, match=text):
        call()
