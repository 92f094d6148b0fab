"""The interval of the best of k, what is certified after displays, and how a gate spends its error."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from evalgauge.errors import ArgumentError
from evalgauge.reusing.interval import corrected_interval, corrected_mean_interval
from evalgauge.reusing.transcripts import certified_low
from evalgauge.rules.spending import declared_error, log_transcripts, look_error
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.one_sided import clopper_pearson_lower, upper_quantile_of_log
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Callable


@st.composite
def scores(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 2000))
    return draw(st.integers(0, n)), n


def test_800_of_1000_after_ten_looks() -> None:
    found = corrected_interval(800, 1000, 10)
    assert (round(found.low, 6), round(found.high, 6), round(found.symmetric_high, 6)) == (0.76221, 0.823623, 0.8331)
    assert (found.confidence, found.capped, found.method) == (0.995, False, "wilson")


@given(score=scores(), looks=st.integers(1, 500))
def test_more_looks_never_tighten_and_one_is_plain(score: tuple[int, int], looks: int) -> None:
    one, more = (corrected_interval(*score, k) for k in (looks, looks + 1))
    assert more.low <= one.low + 1e-12
    assert more.high >= one.high - 1e-12
    assert more.symmetric_high >= one.symmetric_high - 1e-12
    plain = wilson_interval(*score)
    single = corrected_interval(*score, 1)
    assert (single.low, single.high, single.symmetric_high) == (plain.low, plain.high, plain.high)


@pytest.mark.parametrize(("passed", "n"), [(30, 1000), (15, 16), (1000, 1000), (0, 40), (20, 35), (48, 63)])
def test_clopper_pearson_where_wilson_is_no_bound(passed: int, n: int) -> None:
    found = corrected_interval(passed, n, 50)
    assert found.low == pytest.approx(float(clopper_pearson_limits(passed, n, confidence=0.999)[0]), abs=1e-12)
    assert found.method == "clopper-pearson"


def test_a_cap_binds_and_says_so() -> None:
    found = corrected_interval(800, 1000, 1000, cap=0.9999)
    assert (found.confidence, found.capped) == (0.9999, True)
    assert found.low > corrected_interval(800, 1000, 1000).low
    assert not corrected_interval(800, 1000, 10, cap=0.9999).capped


def test_a_known_correlation_narrows_and_independence_is_no_worse_than_bonferroni() -> None:
    lows = [corrected_interval(800, 1000, 50, correlation=rho).low for rho in (0.0, 0.5, 0.9)]
    assert corrected_interval(800, 1000, 50).low <= lows[0] < lows[1] < lows[2] < wilson_interval(800, 1000).low


@given(means=st.lists(st.sampled_from([0, 0.25, 0.5, 0.75, 1.0]), min_size=2, max_size=60), looks=st.integers(1, 200))
def test_graded_scores_pay_at_both_ends(means: list[float], looks: int) -> None:
    found, more = (corrected_mean_interval(means, k) for k in (looks, looks + 1))
    assert found.high == found.symmetric_high
    assert more.low <= found.low + 1e-12
    assert more.high >= found.high - 1e-12
    plain = effective_n_wilson(means).interval
    assert (found.plain_low, found.plain_high) == (plain.low, plain.high)


def test_repeating_every_rep_changes_no_interval() -> None:
    means = np.arange(30) % 4 / 3
    once, thrice = (corrected_mean_interval(means, 10, reps=np.full(30, reps)) for reps in (3, 9))
    assert once == thrice


# REUSE section 3: points below an observed 80 % after 30 looks, by what was displayed.
TABLE = {200: (6.22, 10.11, 12.59, 15.84, 14.41, 25.00, 58.41), 1000: (2.62, 4.23, 5.25, 6.57, 5.99, 11.25, 30.67)}
TABLE[2000] = (1.82, 2.94, 3.64, 4.55, 4.15, 7.99, 22.16)


@pytest.mark.parametrize("n", TABLE)
def test_certified_margins(n: int) -> None:
    counts = [
        log_transcripts(30, "pass-fail", passes=1),
        log_transcripts(30, "pass-fail", passes=3),
        log_transcripts(30, "pass-fail", passes=3, retired=True),
        log_transcripts(30, "score-on-pass", passes=3, levels=n + 1),
        log_transcripts(30, "exact", levels=n + 1),
    ]
    found = [certified_low(0.8 * n, n, count, looks=30) for count in counts]
    margins = [0.8 - found[0].naive_low, 0.8 - found[0].fixed_low, *(0.8 - one.low for one in found)]
    assert [round(100 * margin, 2) for margin in margins] == list(TABLE[n])


def test_counts_of_transcripts() -> None:
    assert log_transcripts(30, "nothing") == math.log(30)
    # Retired on the first pass: no more histories than looks.
    assert log_transcripts(30, "pass-fail", passes=1, retired=True) == pytest.approx(math.log(30), abs=1e-12)
    assert log_transcripts(30, "pass-fail") == pytest.approx(math.log(2**30 - 1), abs=1e-12)
    assert log_transcripts(30, "exact", levels=2) == pytest.approx(math.log(2**30 - 1), abs=1e-12)
    by_hand = sum(math.comb(i - 1, b) * 11**b for i in range(1, 13) for b in range(4))
    assert log_transcripts(12, "score-on-pass", passes=3, levels=11) == pytest.approx(math.log(by_hand), abs=1e-12)
    found = certified_low(800, 1000, log_transcripts(30, "pass-fail", passes=3), looks=30)
    assert found.z == pytest.approx(4.8026, abs=5e-5)


def test_bounds_far_beyond_the_reach_of_a_level() -> None:
    count = log_transcripts(2000, "exact", levels=10_001)
    found = certified_low(8000, 10_000, count, looks=2000)
    assert found.low == 0
    assert found.z == pytest.approx(-special.ndtri_exp(math.log(0.025) - count), rel=1e-12)
    assert clopper_pearson_lower(0, 10, -3.0) == 0


@given(looks=st.integers(1, 80), passes=st.integers(1, 80))
def test_showing_more_never_costs_less(looks: int, passes: int) -> None:
    nothing = log_transcripts(looks, "nothing")
    retired = log_transcripts(looks, "pass-fail", passes=passes, retired=True)
    going_on = log_transcripts(looks, "pass-fail", passes=passes)
    on_pass = log_transcripts(looks, "score-on-pass", passes=passes, levels=101)
    exact = log_transcripts(looks, "exact", levels=101)
    assert nothing <= retired + 1e-9 <= going_on + 2e-9 <= on_pass + 3e-9
    assert on_pass <= exact + math.log(2) * looks


@pytest.mark.parametrize(("look", "z"), [(1, 2.54), (5, 3.34), (10, 3.64), (30, 4.07)])
def test_price_of_a_look_without_a_pass(look: int, z: float) -> None:
    assert upper_quantile_of_log(look_error(look, 0) - math.log(2)) == pytest.approx(z, abs=0.005)


@pytest.mark.parametrize("levels", [1, 101])
def test_all_histories_together_spend_no_more_than_alpha(levels: int) -> None:
    spent = sum(
        math.comb(look - 1, passes) * levels**passes * math.exp(look_error(look, passes, levels=levels))
        for look in range(1, 120)
        for passes in range(look)
    )
    # Each look spends its part of the series, but for the passes that cannot have been: 1 - 2^-j.
    parts = sum(look**-1.6 * (1 - 0.5**look) for look in range(1, 120)) / special.zeta(1.6)
    assert spent == pytest.approx(0.05 * parts, rel=1e-9)
    assert spent <= 0.05


def test_declared_looks_share_alpha() -> None:
    assert math.exp(declared_error(10)) == pytest.approx(0.005, abs=1e-15)
    assert declared_error(30, passes=3, retired=False) == pytest.approx(math.log(0.05) - 10.3713012857, abs=1e-9)


def coin_flip_tuner(stream: np.random.Generator, n: int, looks: int) -> tuple[float, int]:
    """Return the score of the last candidate of a tuner who knows nothing, and the passes it saw.

    Each look shows whether a vector of coins beats one half; the last candidate is their vote, with the answers of
    those that failed turned round.
    """
    right = 2 * stream.integers(0, 2, (looks - 1, n), dtype=np.int8) - 1
    passed = right.sum(axis=1, dtype=np.int64) > 0
    vote = np.where(passed, 1, -1) @ right.astype(np.int64)
    return float((vote > 0).sum() + 0.5 * (vote == 0).sum()), int(passed.sum())


def test_the_coin_flip_attack_breaks_spending_over_looks_alone_and_not_over_transcripts() -> None:
    n, looks, runs = 1000, 100, 200
    stream = np.random.default_rng(20)
    by_look = math.log(0.05) - 1.6 * math.log(looks) - math.log(2.285766)
    broken = kept = 0
    for _ in range(runs):
        score, passes = coin_flip_tuner(stream, n, looks)
        broken += clopper_pearson_lower(score, n, by_look - math.log(2)) > 0.5
        kept += clopper_pearson_lower(score, n, look_error(looks, passes) - math.log(2)) > 0.5
    assert kept == 0
    assert broken / runs == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / runs))


REFUSALS: list[tuple[Callable[[], object], str]] = [
    (lambda: corrected_interval(5, 10, 0), "looks: got 0, allowed is a number of looks from 1"),
    (lambda: corrected_interval(5, 10, 2.5), "looks: got 2.5, allowed is a whole number of looks"),  # type: ignore[arg-type]
    (lambda: corrected_interval(11, 10, 2), "passed: got 11, allowed is a count from 0 to n = 10."),
    (lambda: corrected_interval(5, 10, 2, cap=0.9), "cap: got 0.9, allowed is a share from the confidence of 95 %"),
    (lambda: corrected_interval(5, 10, 2, correlation=1), "correlation: got 1, allowed is a share from 0 to below 1"),
    (lambda: log_transcripts(0, "nothing"), "looks: got 0, allowed is a whole number of looks, 1 or more"),
    (lambda: log_transcripts(3, "per-case"), "The tuner has seen the cases: only a fresh set can certify."),
    (lambda: log_transcripts(3, "all"), "display: got 'all', allowed is nothing, pass-fail, score-on-pass"),  # type: ignore[arg-type]
    (lambda: log_transcripts(3, "exact"), "levels: got None, allowed is the number of values a shown score can have"),
    (lambda: log_transcripts(3, "pass-fail", passes=0), "passes: got 0, allowed is a whole number of passes"),
    (lambda: log_transcripts(3, "pass-fail", retired=True), "passes: got 'nothing', allowed is a number of passes"),
    (lambda: look_error(0, 0), "look: got 0, allowed is a whole number from 1 on"),
    (lambda: look_error(3, 3), "passes: got 3, allowed is a whole number from 0 to 2, the passes before look 3"),
    (lambda: look_error(3, 1, levels=0), "levels: got 0, allowed is the number of values"),
]


@pytest.mark.parametrize(("call", "text"), REFUSALS, ids=[text[:30] for _, text in REFUSALS])
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert text in str(caught.value)
