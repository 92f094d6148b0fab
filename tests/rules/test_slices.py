"""Slices and totals: levels, averages, verdicts, properties and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.single import score_interval
from evalgauge.rules.slices import holm_rejections, slice_scores
from evalgauge.stats.proportion import wilson_interval

PASSED = np.array([1.0] * 45 + [0.0] * 5 + [1.0] * 28 + [0.0] * 12 + [1.0] * 9 + [0.0])
SLICES = np.repeat([3, 5, 9], [50, 40, 10])


def test_weights_that_are_not_case_shares_take_the_stratified_interval() -> None:
    answer = slice_scores(PASSED, SLICES, weights=[0.6, 0.3, 0.1], pass_fail=True)
    assert (answer.average, answer.interval.method) == ("weighted", "yan-su")
    assert answer.estimate == pytest.approx(0.84)
    assert [part.code for part in answer.slices] == [3, 5, 9]
    assert [part.share for part in answer.slices] == [0.5, 0.4, 0.1]
    assert [part.weight for part in answer.slices] == pytest.approx([0.6, 0.3, 0.1])
    assert "by the share given" in answer.notes[0]


def test_weights_that_are_case_shares_take_the_pooled_interval() -> None:
    pooled = slice_scores(PASSED, SLICES, pass_fail=True)
    assert pooled.interval == wilson_interval(82, 100)
    assert slice_scores(PASSED, SLICES, weights=[0.5, 0.4, 0.1]).interval == pooled.interval
    assert "micro average" in pooled.notes[0]


def test_macro_and_micro_differ_and_say_which() -> None:
    macro = slice_scores(PASSED, SLICES, weights="equal")
    assert macro.estimate == pytest.approx((0.9 + 0.7 + 0.9) / 3)
    assert macro.average == "macro"
    assert "macro average" in macro.notes[0]


def test_pooled_misses_under_traffic_skew_and_the_stratified_holds() -> None:
    # The spec 5: pooling covers .026 when traffic is skewed towards a slice that the set hardly has.
    stream = np.random.default_rng(6)
    slices, rates, weights = np.repeat([0, 1], [180, 20]), np.array([0.9, 0.5]), [0.1, 0.9]
    truth, logs = float(np.dot(rates, weights)), 400
    hits = {"pooled": 0, "yan-su": 0}
    for _ in range(logs):
        passed = (stream.random(200) < rates[slices]).astype(float)
        for name, given_weights in (("pooled", "cases"), ("yan-su", weights)):
            interval = slice_scores(passed, slices, weights=given_weights).interval
            hits[name] += interval.low <= truth <= interval.high
    assert hits["pooled"] / logs < 0.05
    assert hits["yan-su"] / logs >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / logs)


def test_simultaneous_intervals_take_the_bonferroni_level() -> None:
    answer = slice_scores(PASSED, SLICES, simultaneous=True)
    assert answer.slice_confidence == pytest.approx(1 - 0.05 / 3)
    alone = score_interval(PASSED[SLICES == 5], confidence=answer.slice_confidence)
    assert answer.slices[1].score == alone
    assert answer.interval.confidence == 0.95
    assert any("Bonferroni" in note for note in answer.notes)


def test_repeated_runs_and_graded_scores_go_into_a_weighted_total() -> None:
    stream = np.random.default_rng(1)
    means = stream.binomial(4, stream.uniform(0.3, 1, 60)) / 4
    slices = np.repeat([0, 1], 30)
    answer = slice_scores(means, slices, weights=[0.8, 0.2], reps=[4] * 60, pass_fail=True)
    once = slice_scores(means, slices, weights=[0.8, 0.2])
    assert answer.interval == once.interval
    heavy = answer.slices[0].score
    assert heavy
    # Four fifths of the total rest on one slice, so its width is near that slice's share.
    assert answer.interval.width == pytest.approx(0.8 * heavy.interval.width, rel=0.1)
    tens = slice_scores(10 * means, slices, weights=[0.8, 0.2], score_range=(0.0, 10.0))
    assert (tens.interval.low, tens.interval.high) == pytest.approx((10 * once.interval.low, 10 * once.interval.high))


def test_scores_without_a_range_take_a_weighted_t() -> None:
    answer = slice_scores([3.0, 5.0, 4.0, 8.0, 6.0, 9.0], [0, 0, 0, 1, 1, 1], weights=[0.9, 0.1], score_range=None)
    assert answer.interval.method == "weighted t"
    assert answer.estimate == pytest.approx(0.9 * 4 + 0.1 * 23 / 3)


def test_these_cases_weigh_run_noise() -> None:
    answer = slice_scores(
        [0.5, 1.0, 0.5, 0.0],
        [0, 0, 1, 1],
        weights=[0.7, 0.3],
        target="these-cases",
        reps=[4] * 4,
        pass_fail=True,
        confidence=0.999,
    )
    assert answer.interval.method == "weighted t"
    assert 0 <= answer.interval.low < answer.interval.high <= 1


def test_one_small_slice_does_not_silence_the_others() -> None:
    answer = slice_scores([3.0, 5.0, 4.0, 8.0], [0, 0, 0, 1], score_range=None)
    assert answer.slices[0].score
    assert answer.slices[1].score is None
    assert answer.slices[1].problem.startswith("t: one case shows nothing")
    weighted = slice_scores([3.0, 5.0, 4.0, 8.0], [0, 0, 0, 1], score_range=None, weights=[1.0, 0.0])
    assert weighted.estimate == pytest.approx(4)


def test_clusters_across_slices_are_said() -> None:
    scores = [1.0, 0.5] * 8
    clusters, slices = np.arange(16) // 2, np.repeat([0, 1], 8)
    apart = slice_scores(scores, slices, clusters=clusters, weights="equal")
    across = slice_scores(scores, np.tile([0, 1], 8), clusters=clusters, weights="equal")
    assert len(across.notes) == len(apart.notes) + 1
    assert "more than one slice" in across.notes[-1]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=40), st.data())
def test_relabelling_and_order_of_cases_change_nothing(cases: list[tuple[int, float]], data: st.DataObject) -> None:
    codes, scores = np.array([case[0] for case in cases]), np.array([case[1] for case in cases])
    order = np.array(data.draw(st.permutations(range(codes.size))))
    once = slice_scores(scores, codes, weights="equal")
    again = slice_scores(scores[order], 7 * codes[order] - 2, weights="equal")
    assert 0 <= once.interval.low < once.interval.high <= 1
    assert (once.interval.low, once.interval.high) == pytest.approx((again.interval.low, again.interval.high), abs=1e-9)


def test_holm_reads_verdicts_together() -> None:
    assert holm_rejections([0.001, 0.02, 0.04]).tolist() == [True, True, True]
    assert holm_rejections([0.04, 0.02, 0.03]).tolist() == [False, False, False]
    assert holm_rejections([0.04, 0.02, 0.03], confidence=0.9).tolist() == [True, True, True]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: slice_scores([1.0, 0.0], [0.5, 1.0]),
            ArgumentError,
            "slices: got 'float64 of shape (2,)', allowed is one whole number per case (2).",
        ),
        (
            lambda: slice_scores([1.0, 0.0], [0, 1], weights="traffic"),
            ArgumentError,
            "weights: got 'traffic', allowed is 'cases', 'equal' or one share per slice.",
        ),
        (
            lambda: slice_scores([1.0, 0.0], [0, 1], weights=[60, 40]),
            ArgumentError,
            "weights: got [60.0, 40.0], allowed is shares of 0 or more that sum to 1. Divide each by their sum, 100.",
        ),
        (
            lambda: slice_scores([1.0, 0.0], [0, 1], reps=[3]),
            ArgumentError,
            "reps: got 'an array of shape (1,)', allowed is one entry per case (2).",
        ),
        (
            lambda: slice_scores([3.0, 5.0, 8.0], [0, 0, 1], score_range=None, weights="equal"),
            ScoreError,
            (
                "Slice 1 has weight 0.5 but no answer: t: one case shows nothing of how cases differ. "
                "Declare the range of the score (--range), or add cases."
            ),
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text


def test_one_line() -> None:
    assert str(slice_scores(PASSED, SLICES)) == "0.82, 0.7333 to 0.883 (0.95 wilson), micro over 3 slices"
