"""Intervals over case means: against enumeration and R, by property, and their refusals."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats import means
from evalgauge.stats.proportion import wilson_interval, wilson_limits
from evalgauge.stats.quantiles import t_quantile
from support.oracles import OracleRow, oracle_params, required

UNIT = st.floats(0.001, 0.999)
CASE_MEANS = st.lists(st.one_of(st.sampled_from([0.0, 0.5, 1.0]), UNIT), min_size=1, max_size=40)


def passes_and_reps(arguments: str) -> tuple[np.ndarray, int]:
    match = re.fullmatch(r"passes K=(\[.*\]) R=(\d+)", arguments)
    assert match
    return np.array(json.loads(match[1])), int(match[2])


@pytest.mark.parametrize(
    ("function", "row"), oracle_params("effn_rate", "effn_neff", "effn_wilson_t_lo", "effn_wilson_t_hi")
)
def test_without_its_pseudo_case_the_rule_agrees_with_enumeration(function: str, row: OracleRow | None) -> None:
    # These rows hold the plain design-effect form n_eff = p(1 - p)/(s²/n), without the pseudo-case that the spec 1 adds
    # because this form has no width where all case means are equal. Formula, quantile and mean are the same.
    arguments, expected, tol = required(row)
    passes, reps = passes_and_reps(str(arguments))
    y = passes / reps
    p, n = y.mean(), y.size
    plain = p * (1 - p) * n / y.var(ddof=1)
    low, high = wilson_limits(p, plain, t_quantile(0.95, float(n - 1)))
    found = {
        "effn_rate": means.effective_n_wilson(y).estimate,
        "effn_neff": plain,
        "effn_wilson_t_lo": low,
        "effn_wilson_t_hi": high,
    }
    assert found[function] == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(
    ("passes", "reps", "expected"),
    [
        # The spec 1 in fractions: n(n + 1)/(n·rho + 1), n·rho = sum of squares over p(1 - p).
        ([1, 1, 0], 1, Fraction(3)),
        ([2, 1, 0], 2, Fraction(12) / (Fraction(1, 2) / Fraction(1, 4) + 1)),
        ([1, 1, 1, 1], 2, Fraction(20)),
        ([4, 4, 3, 4], 4, Fraction(20) / (Fraction(12, 256) / Fraction(15, 256) + 1)),
    ],
)
def test_effective_n_in_fractions(passes: list[int], reps: int, expected: Fraction) -> None:
    assert float(means.effective_n(np.array(passes) / reps)) == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize(("function", "row"), oracle_params("mean_t_lo", "mean_t_hi"))
def test_t_agrees_with_r(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    scores = [float(part) for part in re.findall(r"\.\d+", str(arguments))]
    interval = means.t_interval(scores).interval
    assert (interval.low if function == "mean_t_lo" else interval.high) == pytest.approx(expected, abs=tol)


@given(CASE_MEANS)
def test_effective_n_is_between_the_cases_and_their_pairs(case_means: list[float]) -> None:
    n, n_eff = len(case_means), float(means.effective_n(case_means))
    assert n * (1 - 1e-12) <= n_eff <= n * (n + 1)


@given(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=40))
def test_pass_fail_cases_are_worth_one_each(case_means: list[float]) -> None:
    assert float(means.effective_n(case_means)) == pytest.approx(len(case_means), rel=1e-12)


@given(CASE_MEANS, st.floats(0.5, 0.999))
def test_effective_n_wilson_has_width_and_stays_in_range(case_means: list[float], confidence: float) -> None:
    result = means.effective_n_wilson(case_means, confidence=confidence)
    assert 0 <= result.interval.low < result.interval.high <= 1
    assert result.interval.low - 1e-12 <= result.estimate <= result.interval.high + 1e-12


@given(CASE_MEANS, st.floats(0.5, 0.998))
def test_more_confidence_never_narrows(case_means: list[float], confidence: float) -> None:
    some = means.effective_n_wilson(case_means, confidence=confidence).interval
    more = means.effective_n_wilson(case_means, confidence=confidence + 0.001).interval
    assert more.low <= some.low
    assert more.high >= some.high


@given(CASE_MEANS, st.randoms(use_true_random=False))
def test_order_does_not_matter(case_means: list[float], random: object) -> None:
    shuffled = list(case_means)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    once, again = (means.effective_n_wilson(y).interval for y in (case_means, shuffled))
    np.testing.assert_allclose([once.low, once.high], [again.low, again.high], rtol=1e-9, atol=1e-12)


@given(CASE_MEANS, st.floats(-100, 100), st.floats(0.1, 100))
def test_range_only_rescales(case_means: list[float], low: float, span: float) -> None:
    unit = means.effective_n_wilson(case_means)
    scores = np.clip(np.array(case_means) * span + low, low, low + span)
    wide = means.effective_n_wilson(scores, score_range=(low, low + span))
    expected = [unit.interval.low * span + low, unit.interval.high * span + low]
    np.testing.assert_allclose([wide.interval.low, wide.interval.high], expected, atol=1e-6 * span)


def test_one_case_is_read_as_one_pass_fail_case() -> None:
    one = means.effective_n_wilson([0.6])
    assert (one.n_eff, one.df) == (1.0, math.inf)
    assert math.isnan(one.std_error)
    assert means.effective_n_wilson([1.0]).interval.low == wilson_interval(1, 1).low


def test_price_of_a_tight_graded_metric_is_as_stated() -> None:
    # The spec 1: scores with standard deviation .03 cost 4 times the width of t at n = 8, 1.9 at 50, 1.5 at 100.
    ratios = []
    for n in (8, 50, 100):
        scores = np.array([-1.0, 1.0] * (n // 2))
        scores = 0.85 + 0.03 * scores / scores.std(ddof=1)
        ratios.append(means.effective_n_wilson(scores).interval.width / means.t_interval(scores).interval.width)
    np.testing.assert_allclose(ratios, [4.0, 1.9, 1.5], rtol=0.04)


LUCKY = ([1.0] * 7 + [0.98], [1] * 7 + [50])


def test_cap_keeps_single_runs_from_passing_as_many() -> None:
    free, capped = means.effective_n_wilson(LUCKY[0]), means.effective_n_wilson(LUCKY[0], reps=LUCKY[1])
    assert free.n_eff > 50
    assert capped.n_eff == pytest.approx(64 / (7 + 1 / 50))
    assert capped.interval.low < free.interval.low


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 12)), min_size=1, max_size=20),
    st.integers(2, 50),
)
def test_copying_every_rep_changes_no_digit(counts: list[tuple[int, int]], copies: int) -> None:
    reps = np.array([max(pair) for pair in counts])
    passes = np.array([min(pair) for pair in counts])
    once = means.effective_n_wilson(passes / reps, reps=reps)
    many = means.effective_n_wilson((copies * passes) / (copies * reps), reps=copies * reps)
    assert once.interval == many.interval
    assert once.n_eff == many.n_eff


def test_cap_is_off_where_reps_are_equal() -> None:
    assert math.isinf(means.effective_n_cap([0.5, 1.0], [2, 2]))


def test_many_logs_at_once_agree_with_one_by_one() -> None:
    reps = np.array([1, 2, 3, 6])
    logs = np.random.default_rng(5).binomial(reps, 0.7, (50, 4)) / reps
    low, high, n_eff = means.effective_n_wilson_limits(logs, confidence=0.9, reps=reps)
    for index, log in enumerate(logs):
        one = means.effective_n_wilson(log, confidence=0.9, reps=reps)
        assert (one.interval.low, one.interval.high, one.n_eff) == (low[index], high[index], n_eff[index])


def test_fixed_cases_with_equal_spread_pool_the_variance() -> None:
    result = means.fixed_cases_interval([0.5, 0.5, 0.5], [4, 4, 4], [2.0, 2.0, 2.0])
    # Three cases with the same sample variance 1/3: (1/3)/(4·3) for the mean, 3·(4 - 1) degrees of freedom.
    assert result.std_error == pytest.approx(math.sqrt(1 / 36))
    assert result.df == pytest.approx(9)


def test_fixed_cases_with_one_rep_borrow_the_pooled_variance() -> None:
    result = means.fixed_cases_interval([0.5, 0.5, 1.0], [2, 2, 1], [1.0, 1.0, 1.0])
    assert result.std_error == pytest.approx(math.sqrt((0.25 + 0.25 + 0.5) / 9))
    assert result.df == pytest.approx(2)


def test_fixed_cases_is_cut_at_the_declared_range() -> None:
    args = ([0.5, 1.0, 1.0], [2, 2, 2], [1.0, 2.0, 2.0])
    assert means.fixed_cases_interval(*args).interval.high > 1
    assert means.fixed_cases_interval(*args, score_range=(0.0, 1.0)).interval.high == 1


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(2, 5)), min_size=1, max_size=20))
def test_fixed_cases_is_narrower_than_new_cases_never_empty(counts: list[tuple[int, int]]) -> None:
    reps = np.array([pair[1] for pair in counts])
    passes = np.minimum([pair[0] for pair in counts], reps)
    if ((passes == 0) | (passes == reps)).all():
        with pytest.raises(ScoreError, match="agree"):
            means.fixed_cases_interval(passes / reps, reps, passes)
        return
    result = means.fixed_cases_interval(passes / reps, reps, passes, score_range=(0.0, 1.0))
    assert 0 <= result.interval.low < result.interval.high <= 1
    assert 1 - 1e-9 <= result.df <= (reps - 1).sum() + 1e-9


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: means.t_interval([0.7, 0.7, 0.7]),
            ScoreError,
            (
                "t: all 3 case means equal 0.7, so a t interval would have no width and claim certainty. "
                "Declare the range of the score (--range) to get an interval that "
                "stays honest, or add cases."
            ),
        ),
        (lambda: means.t_interval([0.7]), ArgumentError, "scores: got '1 values', allowed is at least 2."),
        (
            lambda: means.t_interval([0.7, math.nan]),
            ArgumentError,
            (
                "scores: got '1 values that are NaN or infinite', allowed is finite numbers. "
                "Missing scores are left out before this point, with their count kept."
            ),
        ),
        (
            lambda: means.effective_n_wilson([0.2, 7.0]),
            ArgumentError,
            (
                "case_means: got 'scores from 0.2 to 7', allowed is scores from 0 to 1, the declared range. "
                "Declare the true range (--range), or give no range to get a t interval."
            ),
        ),
        (
            lambda: means.effective_n_wilson([0.2], score_range=(1.0, 1.0)),
            ArgumentError,
            "score_range: got (1.0, 1.0), allowed is two finite numbers, the low one first, such as (0, 1).",
        ),
        (
            lambda: means.effective_n([0.2, 1.5]),
            ArgumentError,
            "case_means: got 'values outside 0 to 1 or NaN', allowed is shares from 0 to 1. Rescale them first.",
        ),
        (
            lambda: means.effective_n([]),
            ArgumentError,
            "case_means: got 'an array of shape (0,)', allowed is at least one case on the last axis.",
        ),
        (
            lambda: means.effective_n_wilson([0.25, 1.0], reps=[2, 3]),
            ArgumentError,
            (
                "reps: got 'case means that are no whole number of passes', allowed is reps of pass/fail scores. "
                "Leave reps out."
            ),
        ),
        (
            lambda: means.effective_n_wilson([0.5, 1.0], reps=[2, 0]),
            ArgumentError,
            "reps: got [2, 0], allowed is whole numbers of at least 1.",
        ),
        (
            lambda: means.effective_n_wilson([0.5, 1.0], reps=[2]),
            ArgumentError,
            "reps: got 'an array of shape (1,)', allowed is one whole number per case (2).",
        ),
        (
            lambda: means.fixed_cases_interval([0.0, 1.0], [1, 1], [0.0, 1.0]),
            ScoreError,
            (
                "within-case t: every case has one rep, so the noise between runs cannot be seen. Run each case "
                "at least twice, or ask for new cases (target='new-cases')."
            ),
        ),
        (
            lambda: means.fixed_cases_interval([0.1, 0.3], [3, 3], [0.03, 0.27]),
            ScoreError,
            (
                "within-case t: the reps of every case agree, so the interval for exactly these cases would have "
                "no width. Check that reps are not served from a cache; else ask for new cases (target='new-cases') "
                "or run more reps."
            ),
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text
