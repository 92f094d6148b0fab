"""pass@k and pass^k: against enumeration, by property, and their refusals."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.passk import mean_pass_k, pass_at_k, pass_hat_k
from evalgauge.stats.proportion import wilson_interval


def test_demand_m24() -> None:
    assert round(float(pass_at_k([2], [10], k=5)[0]), 4) == 0.7778
    assert round(1 - (1 - 2 / 10) ** 5, 4) == 0.6723  # the plug-in of the thread, biased low


@given(st.integers(1, 7), st.data())
def test_is_the_share_of_all_choices_of_k_runs(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    choices = [[run < c for run in chosen] for chosen in combinations(range(n), k)]
    assert pass_at_k([c], [n], k=k)[0] == pytest.approx(np.mean([any(runs) for runs in choices]), abs=1e-12)
    assert pass_hat_k([c], [n], k=k)[0] == pytest.approx(np.mean([all(runs) for runs in choices]), abs=1e-12)


def test_is_unbiased_over_runs() -> None:
    n, k, p = 6, 3, 0.35
    law = np.array([math.comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)])
    assert law @ pass_at_k(np.arange(n + 1), [n] * (n + 1), k=k) == pytest.approx(1 - (1 - p) ** k)
    assert law @ pass_hat_k(np.arange(n + 1), [n] * (n + 1), k=k) == pytest.approx(p**k)


def test_huge_counts_do_not_overflow() -> None:
    value = pass_at_k([50_000], [100_000], k=1000)[0]
    assert value == 1.0
    assert pass_hat_k([99_999], [100_000], k=1000)[0] == pytest.approx(0.99)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=15))
def test_one_try_is_the_case_mean(counts: list[tuple[int, int]]) -> None:
    reps = np.array([pair[1] for pair in counts])
    passes = np.minimum([pair[0] for pair in counts], reps)
    result = mean_pass_k(passes, reps, k=1)
    assert result.pass_at_k == pytest.approx((passes / reps).mean())
    assert result.pass_hat_k == pytest.approx((passes / reps).mean())


@given(st.lists(st.integers(0, 6), min_size=1, max_size=15), st.integers(1, 5))
def test_more_tries_help_one_and_hurt_the_other(passes: list[int], k: int) -> None:
    reps = [6] * len(passes)
    some, more = mean_pass_k(passes, reps, k=k), mean_pass_k(passes, reps, k=k + 1)
    assert more.pass_at_k >= some.pass_at_k - 1e-12
    assert more.pass_hat_k <= some.pass_hat_k + 1e-12
    assert 0 <= some.pass_at_k_interval.low < some.pass_at_k_interval.high <= 1
    assert 0 <= some.pass_hat_k_interval.low < some.pass_hat_k_interval.high <= 1


def test_interval_counts_a_case_as_one_pass_or_fail_at_most() -> None:
    passes, reps = [2, 10, 0, 7], [10] * 4
    result = mean_pass_k(passes, reps, k=5)
    assert result.pass_at_k_interval == wilson_interval(float(pass_at_k(passes, reps, k=5).sum()), 4)
    assert result.pass_hat_k_interval == wilson_interval(float(pass_hat_k(passes, reps, k=5).sum()), 4)
    # One try is the score itself, with the interval that the score has.
    assert mean_pass_k(passes, reps, k=1).pass_at_k_interval == effective_n_wilson([0.2, 1.0, 0.0, 0.7]).interval
    agreed = mean_pass_k([5, 0, 5, 5], [5] * 4, k=3, confidence=0.9)
    assert agreed.pass_at_k_interval == wilson_interval(3, 4, confidence=0.9)


def test_short_cases_are_left_out_and_counted() -> None:
    result = mean_pass_k([1, 4, 2], [2, 5, 5], k=3, short="leave out")
    assert (result.n_cases, result.n_left_out) == (2, 1)
    assert result.pass_at_k == pytest.approx(pass_at_k([4, 2], [5, 5], k=3).mean())


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: mean_pass_k([1, 4], [2, 5], k=3),
            ArgumentError,
            (
                "k: got 3, allowed is at most the reps of every case (the least is 2; 1 cases have fewer than 3). "
                "Ask for a smaller k, run more reps, or leave those cases out (short='leave out')."
            ),
        ),
        (
            lambda: mean_pass_k([1, 4], [2, 5], k=9, short="leave out"),
            ScoreError,
            "pass@9: no case has 9 reps (the most is 5). Ask for a smaller k or run more reps.",
        ),
        (lambda: pass_at_k([1], [2], k=0), ArgumentError, "k: got 0, allowed is a whole number of tries, at least 1."),
        (
            lambda: pass_hat_k([3], [2], k=1),
            ArgumentError,
            "passes: got '3 passes of 2 reps', allowed is at most one pass a rep.",
        ),
        (
            lambda: pass_hat_k([0.5], [2], k=1),
            ArgumentError,
            "passes: got [0.5], allowed is whole numbers of at least 0.",
        ),
        (
            lambda: mean_pass_k([1], [2], k=1, short="skip"),  # type: ignore[arg-type]
            ArgumentError,
            "short: got 'skip', allowed is 'refuse' or 'leave out'.",
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text
