"""Mean change on the same cases: t forms, the hull and the sign-flip test."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats import paired_means as rules
from evalgauge.stats import sign_flip
from evalgauge.stats.hull import dual_p_value, hull, hull_limits
from evalgauge.stats.means import effective_n_wilson_limits
from evalgauge.stats.paired_proportions import mcnemar_exact_p
from evalgauge.stats.quantiles import t_p_value, t_quantile
from evalgauge.stats.results import Interval
from support.oracles import oracle_rows

if TYPE_CHECKING:
    from evalgauge.stats.results import Estimate

C03 = [0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]
STUDENT = [rules.paired_t, rules.tie_aware_t, rules.paired_delta_wald]

lattices = st.integers(1, 12).flatmap(
    lambda reps: st.lists(st.integers(-reps, reps).map(lambda steps: steps / reps), min_size=2, max_size=40)
)


def spread(deltas: list[float]) -> bool:
    return max(deltas) - min(deltas) > 1e-9


def of_oracle(function: str) -> tuple[list[float], float, float]:
    """Deltas, expected value and tolerance of the one row of a function; its data are "d=.1 -.2 …"."""
    (row,) = oracle_rows(function)
    return [float(value) for value in str(row.arguments).removeprefix("d=").split()], row.expected, row.tol


def test_paired_t_agrees_with_r() -> None:
    for end in ("low", "high"):
        deltas, expected, tol = of_oracle({"low": "paired_t_lo", "high": "paired_t_hi"}[end])
        assert getattr(rules.paired_t(deltas).interval, end) == pytest.approx(expected, abs=tol)
    deltas, expected, tol = of_oracle("paired_t_p")
    assert rules.paired_t_p(deltas) == pytest.approx(expected, abs=tol)


def test_sign_flip_agrees_with_full_enumeration_in_r() -> None:
    deltas, expected, tol = of_oracle("signflip_exact_p_two_sided")
    assert sign_flip.sign_flip_test(deltas).p_value == pytest.approx(expected, abs=tol)


def test_several_epochs_are_averaged_before_the_test() -> None:
    """User question C03: 8 items × 3 epochs; as 24 items the same data would give p = 0.011, a false win."""
    result = rules.paired_t(C03)
    assert result.estimate == pytest.approx(0.25)
    assert result.std_error == pytest.approx(0.137, abs=5e-4)
    assert (result.interval.low, result.interval.high) == pytest.approx((-0.075, 0.575), abs=5e-4)
    assert rules.paired_t_p(C03) == pytest.approx(0.11, abs=5e-3)
    as_items = [1, 1, 1, 1, 1, 0, 1, 0, 0] + [0] * 15
    assert rules.paired_t_p(as_items) == pytest.approx(0.011, abs=5e-4)


def test_tie_aware_t_follows_its_definition() -> None:
    d = np.array(C03)
    k, n = 3, 8
    w, h2 = 1 - k / n, np.sum(d * d) / k
    total = n + 2 * w
    m = d.sum() / total
    v = (np.sum(d * d) + 2 * w * h2 - total * m * m) / (total - 1)
    half = t_quantile(0.95, total - 1) * math.sqrt(v / total)
    result = rules.tie_aware_t(C03)
    assert (result.interval.low, result.interval.high) == pytest.approx((m - half, m + half), abs=1e-12)
    assert (result.df, result.std_error) == pytest.approx((total - 1, math.sqrt(v / total)), rel=1e-12)


@given(st.lists(st.floats(0.1, 1), min_size=3, max_size=30))
def test_tie_aware_t_is_plain_t_without_ties(deltas: list[float]) -> None:
    assume(spread(deltas))
    tie_aware, plain = rules.tie_aware_t(deltas).interval, rules.paired_t(deltas).interval
    assert (tie_aware.low, tie_aware.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


@pytest.mark.parametrize("rule", STUDENT)
@given(deltas=lattices)
def test_student_rules_mirror_and_ignore_the_order(rule: object, deltas: list[float]) -> None:
    assert callable(rule)
    assume(spread(deltas))
    interval = rule(deltas).interval
    mirrored = rule([-delta for delta in deltas]).interval
    shuffled = rule(sorted(deltas)).interval
    assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)
    assert (shuffled.low, shuffled.high) == pytest.approx((interval.low, interval.high), abs=1e-12)
    assert interval.low < interval.high


@pytest.mark.parametrize("rule", STUDENT)
@given(deltas=lattices, counts=st.lists(st.integers(1, 4), min_size=40, max_size=40))
def test_counts_stand_for_repeated_deltas(rule: object, deltas: list[float], counts: list[int]) -> None:
    assert callable(rule)
    assume(spread(deltas))
    short = rule(deltas, counts=counts[: len(deltas)])
    long = rule(np.repeat(deltas, counts[: len(deltas)]))
    assert (short.estimate, short.interval.low, short.interval.high, short.df) == pytest.approx(
        (long.estimate, long.interval.low, long.interval.high, long.df), abs=1e-9
    )


@pytest.mark.parametrize(
    ("limits", "rule"),
    [(rules.paired_t_limits, rules.paired_t), (rules.tie_aware_t_limits, rules.tie_aware_t)],
)
def test_limits_along_the_last_axis_are_those_of_single_evals(limits: object, rule: object) -> None:
    assert callable(limits)
    assert callable(rule)
    deltas = np.random.default_rng(3).integers(-3, 4, (5, 2, 9)) / 3
    low, high = limits(deltas, confidence=0.9)
    for i, j in itertools.product(range(5), range(2)):
        interval = rule(deltas[i, j], confidence=0.9).interval
        assert (low[i, j], high[i, j]) == pytest.approx((interval.low, interval.high), abs=1e-12)


@given(lattices)
def test_p_values_agree_with_their_intervals(deltas: list[float]) -> None:
    assume(spread(deltas))
    for rule, p_rule in ((rules.paired_t, rules.paired_t_p), (rules.tie_aware_t, rules.tie_aware_t_p)):
        interval, p_value = rule(deltas).interval, p_rule(deltas)
        if abs(p_value - 0.05) > 1e-9:
            assert (interval.low > 0 or interval.high < 0) == (p_value < 0.05)


def test_hull_is_the_outside_of_its_two_intervals() -> None:
    d = np.array([0.5, -0.25, 0, 0, 0.1, 0, 0, 0, 0, -1, 0, 0.3])
    lost, gained = np.maximum(-d, 0), np.maximum(d, 0)
    (low_l, high_l, _), (low_g, high_g, _) = effective_n_wilson_limits(lost), effective_n_wilson_limits(gained)
    loss, gain = lost.mean(), gained.mean()
    r = -loss * gain / (lost.std() * gained.std())
    low = gain - loss - math.sqrt((high_l - loss) ** 2 + (gain - low_g) ** 2 - 2 * r * (high_l - loss) * (gain - low_g))
    high = (
        gain - loss + math.sqrt((high_g - gain) ** 2 + (loss - low_l) ** 2 - 2 * r * (high_g - gain) * (loss - low_l))
    )
    low_w, high_w, n_eff = effective_n_wilson_limits((d + 1) / 2)
    result = hull(d)
    assert (result.interval.low, result.interval.high) == pytest.approx(
        (min(low, 2 * low_w - 1), max(high, 2 * high_w - 1)), abs=1e-12
    )
    assert (result.n_eff, result.df) == pytest.approx((float(n_eff), 11), rel=1e-12)


@given(lattices)
def test_hull_has_width_holds_the_mean_and_mirrors(deltas: list[float]) -> None:
    result = hull(deltas)
    mirrored = hull([-delta for delta in deltas]).interval
    assert -1 <= result.interval.low < result.interval.high <= 1
    assert result.interval.low - 1e-12 <= result.estimate <= result.interval.high + 1e-12
    assert (mirrored.low, mirrored.high) == pytest.approx((-result.interval.high, -result.interval.low), abs=1e-9)


@given(deltas=lattices, levels=st.tuples(st.floats(0.5, 0.999), st.floats(0.5, 0.999)), clustered=st.booleans())
def test_more_confidence_never_narrows_the_hull(
    deltas: list[float], levels: tuple[float, float], *, clustered: bool
) -> None:
    codes = [index % 2 for index in range(len(deltas))] if clustered else None
    narrow, wide = (hull(deltas, confidence=level, clusters=codes).interval for level in sorted(levels))
    assert wide.low <= narrow.low + 1e-12
    assert wide.high >= narrow.high - 1e-12


def test_hull_of_many_evals_is_that_of_single_ones() -> None:
    deltas = np.random.default_rng(4).integers(-3, 4, (6, 9)) / 3
    low, high, n_eff = hull_limits(deltas)
    single = [hull(row) for row in deltas]
    np.testing.assert_allclose(low, [result.interval.low for result in single], atol=1e-12)
    np.testing.assert_allclose(high, [result.interval.high for result in single], atol=1e-12)
    np.testing.assert_allclose(n_eff, [result.n_eff for result in single], rtol=1e-12)


def test_a_hull_over_clusters_is_wider_where_they_break_together() -> None:
    deltas = np.zeros(100)
    deltas[:10] = -1
    together, apart = np.repeat(np.arange(10), 10), np.tile(np.arange(10), 10)
    assert hull(deltas, clusters=together).interval.low < hull(deltas, clusters=apart).interval.low - 0.1
    assert hull(deltas, clusters=together).interval.low < hull(deltas).interval.low - 0.1


def test_one_case_gives_a_wide_hull() -> None:
    result: Estimate = hull([0.3])
    assert result.interval.width > 1.5
    assert math.isinf(result.df)
    assert math.isnan(result.std_error)


def test_dual_p_value_is_the_level_where_an_interval_leaves_zero() -> None:
    def student(level: float) -> Interval:
        half = t_quantile(level, 7.0) * 0.3
        return Interval(low=0.7 - half, high=0.7 + half, confidence=level, method="t")

    assert dual_p_value(student) == pytest.approx(t_p_value(0.7 / 0.3, 7.0), rel=1e-9)
    always = Interval(low=0.1, high=0.2, confidence=0.5, method="always")
    never = Interval(low=-0.1, high=0.2, confidence=0.5, method="never")
    assert (dual_p_value(lambda _: always), dual_p_value(lambda _: never)) == (1e-14, 1.0)


@given(st.lists(st.integers(-6, 6), min_size=1, max_size=11).filter(any))
def test_every_way_to_the_sign_flip_law_agrees(steps: list[int]) -> None:
    sizes = np.abs(np.array([step for step in steps if step]))
    total = abs(sum(steps))
    signs = np.array(list(itertools.product((-1, 1), repeat=sizes.size)))
    expected = np.mean(np.abs(signs @ sizes) >= total)
    assert sign_flip.sign_flip_test([step / 7 for step in steps]).p_value == pytest.approx(expected, abs=1e-12)
    assert sign_flip._lattice_p(sizes.astype(np.int64), total) == pytest.approx(expected, rel=1e-9)


def test_sign_flips_of_pass_fail_changes_are_the_exact_mcnemar_test() -> None:
    for wins, losses in ((22, 9), (60, 2), (400, 100), (130, 0)):
        result = sign_flip.sign_flip_test([1.0] * wins + [-1.0] * losses + [0.0] * 30)
        assert result.is_exact
        assert result.p_value == pytest.approx(float(mcnemar_exact_p(wins, losses)), rel=1e-8)


def test_sign_flips_are_drawn_where_no_lattice_fits() -> None:
    changes = np.random.default_rng(5).normal(0.1, 1, 400)
    drawn, again = sign_flip.sign_flip_test(changes), sign_flip.sign_flip_test(changes)
    assert drawn == again
    assert not drawn.is_exact
    assert drawn.draws == 20_000
    assert 0 < drawn.mc_error < 0.01
    # Rounded onto a fine lattice the law is known exactly.
    exact = sign_flip.sign_flip_test(np.rint(changes * 20) / 20)
    assert exact.is_exact
    assert abs(drawn.p_value - exact.p_value) < 4 * drawn.mc_error + 0.01
    assert sign_flip.sign_flip_test(changes, seed=1).p_value != drawn.p_value


def test_no_changed_case_gives_p_one() -> None:
    assert sign_flip.sign_flip_test([0.0, 0.0]).p_value == 1


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: rules.paired_t([0.1]), ArgumentError, "deltas: got '1 values', allowed is at least 2"),
        (lambda: rules.paired_t([0.9 - 0.6, 0.4 - 0.1]), ScoreError, "paired t: all 2 deltas are 0.3.*Use the hull"),
        (lambda: rules.tie_aware_t([0, 0, 0]), ScoreError, "tie-aware t: all 3 deltas are 0, and this interval has no"),
        (lambda: rules.paired_delta_wald([1, 0], counts=[4, 0]), ScoreError, "all 4 deltas are 1"),
        (lambda: rules.paired_t_p([1, 0], counts=[1, 0]), ArgumentError, "counts: got '1 cases in all', allowed is at"),
        (lambda: rules.paired_t([0.1, math.nan]), ArgumentError, "deltas: got '1 values that are NaN or infinite'"),
        (lambda: rules.tie_aware_t([[0.1, 0.2]]), ArgumentError, "deltas: got 'an array of shape"),
        (lambda: rules.paired_t([0.1, 0.2], confidence=95), ArgumentError, r"Did you mean 0\.95\?"),
        (lambda: hull([0.5, 3.0]), ArgumentError, "deltas: got 'values from 0.5 to 3'.*Divide by the score's range"),
        (lambda: hull([]), ArgumentError, "deltas: got '0 values', allowed is at least 1"),
        (lambda: hull([0.5, 0.1], clusters=[1, 1]), ScoreError, "all cases belong to one cluster"),
        (lambda: sign_flip.sign_flip_test([]), ArgumentError, "deltas: got '0 values'"),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    assert callable(call)
    with pytest.raises(error, match=text):
        call()
