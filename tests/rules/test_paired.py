"""Which interval answers which paired data, and what must hold whatever the data."""

from __future__ import annotations

import copy
import dataclasses
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.answers import PairedAnswer, PValues
from evalgauge.rules.paired import paired_counts, paired_intervals
from evalgauge.rules.unpaired import unpaired_view_of_paired
from evalgauge.stats.clusters import cluster_mean_interval
from evalgauge.stats.hull import hull
from evalgauge.stats.paired_means import tie_aware_t
from evalgauge.stats.paired_proportions import tango_interval

C03 = [0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]


@st.composite
def pairs(draw: st.DrawFn, most: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Pass/fail runs of two arms on the same cases, cases × reps."""
    n, reps = draw(st.integers(1, most)), draw(st.integers(1, 4))
    bits = st.lists(st.integers(0, 1), min_size=n * reps, max_size=n * reps)
    base, cand = (np.array(draw(bits), dtype=float).reshape(n, reps) for _ in range(2))
    return base, cand


def ends(answer: PairedAnswer) -> list[float]:
    intervals = (answer.interval, answer.guarded, answer.guarded_equivalence, *answer.alternatives)
    return [end for interval in intervals for end in (interval.low, interval.high)]


def of_runs(pair: tuple[np.ndarray, np.ndarray]) -> PairedAnswer:
    base, cand = pair
    return paired_intervals(cand.mean(axis=1) - base.mean(axis=1))


def graded(n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.binomial(5, 0.8, n) - rng.binomial(5, 0.7, n)) / 5


def test_pass_fail_changes_get_tango_whatever_the_reps() -> None:
    answer = paired_intervals([1.0] * 22 + [-1.0] * 9 + [0.0] * 209)
    assert answer.interval == answer.guarded == tango_interval(22, 9, 240)
    assert answer.guarded_equivalence == tango_interval(22, 9, 240, confidence=0.9)
    assert (answer.wins, answer.losses, answer.ties, answer.n_cases, answer.n_moved) == (22, 9, 209, 240, 31)
    assert (answer.n_eff, answer.df) == (240, math.inf)
    assert ends(answer) == ends(paired_counts(22, 9, 240))


def test_graded_changes_get_tie_aware_t_and_the_hull() -> None:
    d = graded(40)
    answer = paired_intervals(d)
    assert answer.interval == tie_aware_t(d, span=1.0).interval
    assert answer.guarded == hull(d).interval
    assert answer.guarded_equivalence == hull(d, confidence=0.9).interval
    assert answer.df == tie_aware_t(d).df
    assert answer.n_eff == hull(d).n_eff


def test_the_tenth_moved_case_hands_over_to_the_spread() -> None:
    nine, ten = [0.5, 0.25] * 4 + [0.5], [0.5, 0.25] * 5
    rest = [0.0] * 30
    assert paired_intervals(nine + rest).interval.method == "hull"
    assert "9 of 39 cases moved, fewer than 10" in paired_intervals(nine + rest).notes[1]
    assert paired_intervals(ten + rest).interval.method == "tie-aware t"


def test_the_guarded_interval_holds_the_other_one() -> None:
    rng = np.random.default_rng(0)
    reached = 0
    for _ in range(200):
        deltas = (rng.binomial(3, 0.5, 12) - rng.binomial(3, 0.5, 12)) / 3
        answer, plain = paired_intervals(deltas), hull(deltas).interval
        assert answer.guarded.low <= min(answer.interval.low, plain.low)
        assert answer.guarded.high >= max(answer.interval.high, plain.high)
        reached += answer.interval.low < plain.low
    # It is a real case: here Student's quantile reaches past the hull in some logs in a hundred.
    assert reached >= 2


def test_equal_changes_get_the_guarded_interval() -> None:
    answer = paired_intervals([0.9 - 0.6, 0.4 - 0.1] * 10)
    assert answer.interval == answer.guarded
    assert answer.interval.method == "hull"
    assert "shows no spread" in answer.notes[1]
    assert "t" not in answer.p_values


def test_clusters_get_cr2_and_a_hull_over_clusters() -> None:
    d, documents = graded(60), np.repeat(np.arange(12), 5)
    answer = paired_intervals(d, clusters=documents)
    plain = cluster_mean_interval(d, documents)
    assert answer.interval == plain.interval
    assert answer.df == plain.df
    assert answer.guarded == hull(d, clusters=documents).interval
    assert answer.p_value == answer.p_values["t"]
    assert {"tie-aware t", "paired-delta wald"} <= {interval.method for interval in answer.alternatives}


def test_pass_fail_changes_in_clusters_are_not_read_as_independent() -> None:
    d, documents = np.repeat([1.0, -1.0, 0.0, 0.0, 1.0, 0.0], 10), np.repeat(np.arange(6), 10)
    answer = paired_intervals(d, clusters=documents)
    assert answer.interval.method == "cr2 t"
    assert answer.guarded.width > answer.named("tango").width
    assert answer.named("tango") == tango_interval(20, 10, 60)
    assert "The clusters weigh like 6.0 (df 5.0): few" in answer.notes[-1]


def test_clusters_of_one_case_each_change_nothing() -> None:
    d = graded(30)
    assert ends(paired_intervals(d, clusters=[f"q{i}" for i in range(30)])) == ends(paired_intervals(d))


def test_few_clusters_are_called_too_few() -> None:
    d = [0.5, 0.2, 0.1, -0.3, 0.5, 0.2] * 2
    answer = paired_intervals(d, clusters=[0] * 6 + [1] * 6)
    assert answer.interval == answer.guarded
    assert "too few to rest a decision on" in answer.notes[-1]


def test_several_epochs() -> None:
    """User question C03: +25.0 points, t 95 % [-7.5, +57.5], p = 0.11."""
    answer = paired_intervals(C03)
    student = answer.named("paired t")
    assert answer.estimate == pytest.approx(0.25)
    assert (student.low, student.high) == pytest.approx((-0.075, 0.575), abs=5e-4)
    assert answer.p_values["t"] == pytest.approx(0.11, abs=5e-3)


def test_unpaired_view_misses_what_the_paired_one_sees() -> None:
    """User question C01 and C31: both right 150, only A 9, only B 22, neither 59."""
    base = [1] * 150 + [1] * 9 + [0] * 22 + [0] * 59
    cand = [1] * 150 + [0] * 9 + [1] * 22 + [0] * 59
    answer = paired_intervals(np.subtract(cand, base), both_passed=150)
    assert unpaired_view_of_paired(base, cand) == pytest.approx(0.200, abs=5e-4)
    assert answer.estimate == pytest.approx(0.054, abs=5e-4)
    assert (answer.interval.low, answer.interval.high) == pytest.approx((0.009, 0.103), abs=5e-4)
    assert answer.p_values["exact"] == pytest.approx(0.029, abs=5e-4)
    assert answer.p_value == pytest.approx(0.020, abs=5e-4)
    assert answer.named("newcombe paired").low == pytest.approx(0.008424, abs=5e-7)


@pytest.mark.parametrize(
    ("counts", "p_value", "interval"),
    [
        ((27, 18, 45), 0.233, None),
        ((270, 180, 450), 2.6e-5, None),
        ((7, 0, 7), 0.016, None),
        ((20, 8, 50), 0.036, (0.034, 0.425)),
        ((13, 7, 500), 0.26, (-0.006, 0.032)),
        ((1, 0, 4), 1.0, None),
        ((4, 0, 4), 0.125, None),
        ((6, 0, 6), 0.03125, None),
    ],
)
def test_head_to_head_counts(
    counts: tuple[int, int, int], p_value: float, interval: tuple[float, float] | None
) -> None:
    """User question C05, C22 and P06: the named exact p-value, and Tango with the ties in n."""
    answer = paired_counts(*counts)
    assert answer.p_values["exact"] == pytest.approx(p_value, rel=0.03)
    if interval is not None:
        assert (answer.interval.low, answer.interval.high) == pytest.approx(interval, abs=5e-4)


@given(pairs(), st.integers(2, 5))
def test_copying_every_rep_changes_nothing(pair: tuple[np.ndarray, np.ndarray], times: int) -> None:
    once = of_runs(pair)
    many = of_runs((np.repeat(pair[0], times, axis=1), np.repeat(pair[1], times, axis=1)))
    assert [interval.method for interval in once.alternatives] == [interval.method for interval in many.alternatives]
    assert ends(many) == pytest.approx(ends(once), abs=1e-9)
    assert many.p_value == pytest.approx(once.p_value, rel=1e-6)


@given(pairs())
def test_swapping_the_arms_mirrors(pair: tuple[np.ndarray, np.ndarray]) -> None:
    one, other = of_runs(pair), of_runs(pair[::-1])
    mirrored = [-end for low, high in zip(ends(other)[::2], ends(other)[1::2], strict=True) for end in (high, low)]
    assert mirrored == pytest.approx(ends(one), abs=1e-9)
    assert (one.wins, one.losses) == (other.losses, other.wins)
    assert dict(one.p_values) == pytest.approx(dict(other.p_values), rel=1e-6)


@given(pairs(), st.integers(0, 2**32 - 1))
def test_the_order_of_the_cases_does_not_matter(pair: tuple[np.ndarray, np.ndarray], seed: int) -> None:
    order = np.random.default_rng(seed).permutation(pair[0].shape[0])
    assert ends(of_runs((pair[0][order], pair[1][order]))) == pytest.approx(ends(of_runs(pair)), abs=1e-9)


@given(pairs(), st.floats(0.1, 50))
def test_the_unit_of_the_score_only_scales(pair: tuple[np.ndarray, np.ndarray], span: float) -> None:
    deltas = pair[1].mean(axis=1) - pair[0].mean(axis=1)
    one, scaled = paired_intervals(deltas), paired_intervals(deltas * span, span=span)
    assert ends(scaled) == pytest.approx([end * span for end in ends(one)], abs=1e-9 * span)
    assert scaled.estimate == pytest.approx(one.estimate * span, abs=1e-12 * span)


@given(pairs())
def test_no_interval_is_without_width_or_out_of_range(pair: tuple[np.ndarray, np.ndarray]) -> None:
    answer = of_runs(pair)
    for low, high in zip(ends(answer)[::2], ends(answer)[1::2], strict=True):
        assert -1 <= low < high <= 1
    assert all(0 < p_value <= 1 for p_value in answer.p_values.values())
    assert answer.interval.low <= answer.estimate <= answer.interval.high
    assert answer.guarded.low <= min(answer.interval.low, answer.guarded_equivalence.low)
    assert answer.guarded.high >= max(answer.interval.high, answer.guarded_equivalence.high)


@given(pairs(), st.tuples(st.floats(0.55, 0.999), st.floats(0.55, 0.999)))
def test_more_confidence_never_narrows(pair: tuple[np.ndarray, np.ndarray], levels: tuple[float, float]) -> None:
    deltas = pair[1].mean(axis=1) - pair[0].mean(axis=1)
    narrow, wide = (ends(paired_intervals(deltas, confidence=level)) for level in sorted(levels))
    assert all(low_w <= low_n + 1e-9 for low_w, low_n in zip(wide[::2], narrow[::2], strict=True))
    assert all(high_w >= high_n - 1e-9 for high_w, high_n in zip(wide[1::2], narrow[1::2], strict=True))


@given(pairs())
def test_the_p_value_agrees_with_the_interval(pair: tuple[np.ndarray, np.ndarray]) -> None:
    answer = of_runs(pair)
    assume(abs(answer.p_value - 0.05) > 1e-9)
    assert (answer.interval.low > 0 or answer.interval.high < 0) == (answer.p_value < 0.05)
    assert answer.p_value == answer.p_values["dual"]


def test_one_case_and_no_change_say_so() -> None:
    assert "One case says next to nothing" in paired_intervals([0.0]).notes[0]
    assert paired_intervals([0.4]).interval.width > 1.5
    assert "None of the 50 cases changed" in paired_intervals([0.0] * 50).notes[0]
    assert paired_intervals([0.0] * 50).interval.half_width == pytest.approx(0.0713, abs=5e-5)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 8, 30])
@pytest.mark.parametrize("change", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_change_of_nearly_nothing_has_a_p_value_near_one(n: int, change: float) -> None:
    # At a level of 1e-9 the quantile of 4 degrees of freedom is rounded to 0, and an interval there is no number.
    answer = paired_intervals([0.0] * (n - 1) + [change])
    assert 0.5 < answer.p_value <= 1


def test_scores_without_a_range_rest_on_their_spread() -> None:
    deltas = [3.0, -1.0, 2.5, 0.0, 4.0, 1.5]
    answer = paired_intervals(deltas, span=None)
    plain = tie_aware_t(deltas)
    assert answer.interval == answer.guarded
    assert (answer.interval.low, answer.interval.high) == pytest.approx((plain.interval.low, plain.interval.high))
    assert "no guarded interval can be built" in answer.notes[0]
    clustered = paired_intervals(deltas, span=None, clusters=[0, 0, 1, 1, 2, 2])
    assert clustered.interval.method == "cr2 t"
    # Without a range, changes of ±1 and 0 are no pass/fail changes.
    assert paired_intervals([1.0, 0.0, -1.0, 1.0], span=None).interval.method == "tie-aware t"


def test_drawn_sign_flips_print_their_error() -> None:
    answer = paired_intervals(np.random.default_rng(1).uniform(-0.4, 0.5, 100))
    assert "20,000 seeded draws" in answer.notes[-1]


def test_answers_are_frozen_and_print_in_one_line() -> None:
    answer = paired_counts(22, 9, 240)
    assert str(answer).startswith(
        "+0.05417 (0.00922 to 0.1027 (0.95 tango)), 22 won, 9 lost, 209 unchanged, p = 0.0196"
    )
    with pytest.raises(dataclasses.FrozenInstanceError):
        answer.wins = 3  # type: ignore[misc]
    p_values = PValues({"dual": 0.5})
    assert (len(p_values), list(p_values), copy.deepcopy(p_values)) == (1, ["dual"], p_values)
    with pytest.raises(KeyError):
        p_values["exact"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: paired_intervals([]), ArgumentError, "deltas: got '0 values', allowed is at least 1"),
        (
            lambda: paired_intervals([2.0, 0]),
            ArgumentError,
            "deltas: got 'a change of 2', allowed is changes from -1 to",
        ),
        (lambda: paired_intervals([math.nan]), ArgumentError, "deltas: got '1 values that are NaN"),
        (
            lambda: paired_intervals([0.1], confidence=0.5),
            ArgumentError,
            "confidence: got 0.5, allowed is a share above",
        ),
        (lambda: paired_intervals([0.1], confidence=95), ArgumentError, r"Did you mean 0\.95\?"),
        (
            lambda: paired_intervals([0.1], span=0),
            ArgumentError,
            "span: got 0, allowed is the width of the score's range",
        ),
        (lambda: paired_intervals([0.1, 0], clusters=[1]), ArgumentError, "clusters: got 'an array of shape"),
        (lambda: paired_intervals([0.1, 0], clusters=[1, 1]), ScoreError, "all 2 cases belong to one cluster.*finer"),
        (
            lambda: paired_intervals([2, 2], span=None),
            ScoreError,
            "changed by the same 2, .*no range.*Declare the range",
        ),
        (lambda: paired_counts(3, 3, 5), ArgumentError, "n: got 5, allowed is at least wins"),
        (
            lambda: paired_counts(1, 0, 5).named("welch"),
            ArgumentError,
            "method: got 'welch', allowed is one of agresti",
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    assert callable(call)
    with pytest.raises(error, match=text):
        call()
