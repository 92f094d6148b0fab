"""Missing runs: the demanded cases, the policies, properties and refusals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.missing import Bounds, HonestScore, honest_interval
from evalgauge.rules.single import score_interval

M11 = (np.array([1] * 45 + [0] * 15), np.array([1] * 54 + [0] * 6), np.ones(60, dtype=int))
M13 = (np.array([0.9] * 5 + [0.1] + [0.0] * 4), np.array([1] * 6 + [0] * 4), np.ones(10, dtype=int))


def rounded(answer: HonestScore) -> tuple[float, float]:
    return round(100 * answer.interval.low, 1), round(100 * answer.interval.high, 1)


def test_demand_m11_errors_do_not_raise_the_score() -> None:
    answer = honest_interval(*M11, pass_fail=True)
    assert round(100 * answer.scored.estimate, 1) == 83.3
    assert answer.bounds == Bounds(low=0.75, high=0.85)
    assert rounded(answer) == (62.8, 91.9)
    assert (answer.n_scored, answer.n_planned, answer.n_cases_missing) == (54, 60, 6)
    assert answer.notes == (
        "6 of 60 planned runs have no score; the interval spans all of them failed to all of them passed.",
    )
    failed = honest_interval(*M11, pass_fail=True, policy="fail")
    assert failed.estimate == 0.75


def test_demand_m13_failed_judge_calls_do_not_raise_the_mean() -> None:
    answer = honest_interval(*M13)
    assert round(answer.scored.estimate, 3) == 0.767
    assert answer.bounds
    assert (round(answer.bounds.low, 2), round(answer.bounds.high, 2)) == (0.46, 0.86)
    assert answer.scored_share == 0.6


def test_policies() -> None:
    bounds, fail, drop = (honest_interval(*M11, pass_fail=True, policy=name) for name in ("bounds", "fail", "drop"))
    assert drop.interval == drop.scored.interval == score_interval([1.0] * 45 + [0.0] * 9).interval
    assert fail.interval == score_interval([1.0] * 45 + [0.0] * 15).interval
    assert bounds.interval.low == fail.interval.low
    assert bounds.interval.high == score_interval([1.0] * 51 + [0.0] * 9).interval.high
    assert bounds.bounds == fail.bounds == drop.bounds
    assert "count as failed" in fail.notes[0]
    assert "left out" in drop.notes[0]


def test_a_missing_rep_counts_inside_its_case() -> None:
    answer = honest_interval([2, 3, 0], [2, 3, 0], [3, 3, 3], pass_fail=True)
    assert answer.scored.estimate == 1.0
    assert answer.bounds == Bounds(low=pytest.approx((2 / 3 + 1) / 3), high=1.0)  # type: ignore[arg-type]
    assert answer.n_cases_missing == 1
    # Scored cases pass as a whole; with a run failed inside a case they do not.
    assert answer.interval.method == "wilson and effective-n wilson t"


def test_without_missing_runs_every_policy_is_the_plain_answer() -> None:
    plain = score_interval([1.0, 0.5, 0.0], reps=[2, 2, 2], pass_fail=True)
    for policy in ("bounds", "fail", "drop"):
        answer = honest_interval([2, 1, 0], [2, 2, 2], [2, 2, 2], pass_fail=True, policy=policy)  # type: ignore[arg-type]
        assert answer.interval == plain.interval
        assert answer.notes == ()


def test_scores_without_a_range_have_no_bounds() -> None:
    answer = honest_interval([4.0, 7.0, 0.0], [1, 1, 0], [1, 1, 1], score_range=None)
    assert answer.bounds is None
    assert answer.interval == answer.scored.interval
    assert answer.notes == (
        "1 of 3 planned runs have no score; without a range nothing bounds what they could be, so they are left out.",
    )


def test_missing_runs_fill_with_the_ends_of_the_declared_range() -> None:
    answer = honest_interval([5.0, 3.0, 0.0], [1, 1, 0], [1, 1, 1], score_range=(1.0, 5.0))
    assert answer.bounds == Bounds(low=3.0, high=pytest.approx(13 / 3))  # type: ignore[arg-type]


def test_clusters_and_run_noise_go_along() -> None:
    sums, counts, planned = [2, 1, 2, 0, 1, 2, 1, 0], [2, 2, 2, 2, 2, 2, 1, 0], [2] * 8
    clustered = honest_interval(sums, counts, planned, clusters=np.arange(8) // 2, pass_fail=True)
    assert clustered.scored.n_cases == 7
    assert [interval.method for interval in clustered.scored.alternatives] == ["cr2 t"]
    these = honest_interval(sums, counts, planned, target="these-cases", sums_of_squares=sums)
    assert these.interval.method == "within-case t"
    assert these.interval.high > these.scored.estimate > these.interval.low


@st.composite
def logs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    planned = np.array(draw(st.lists(st.integers(1, 4), min_size=1, max_size=15)))
    counts = np.array([draw(st.integers(0, int(runs))) for runs in planned])
    counts[0] = max(counts[0], 1)
    return np.array([draw(st.integers(0, int(runs))) for runs in counts]), counts, planned


@given(logs())
def test_the_honest_interval_holds_every_completion_of_the_extremes(log: tuple[np.ndarray, ...]) -> None:
    sums, counts, planned = log
    answer = honest_interval(sums, counts, planned, pass_fail=True)
    assert answer.bounds
    assert answer.bounds.low <= answer.bounds.high + 1e-12
    assert 0 <= answer.interval.low < answer.interval.high <= 1
    for filled in (sums, sums + planned - counts):
        end = score_interval(filled / planned, reps=planned, pass_fail=True)
        if (counts < planned).any():
            assert answer.interval.low <= end.interval.low
            assert end.interval.high <= answer.interval.high
    assert answer.interval.low <= answer.scored.interval.low
    assert answer.scored.interval.high <= answer.interval.high


@given(logs(), st.integers(2, 5))
def test_copying_every_run_changes_no_interval(log: tuple[np.ndarray, ...], copies: int) -> None:
    once = honest_interval(*log, pass_fail=True)
    many = honest_interval(*(copies * column for column in log), pass_fail=True)
    assert once.interval == many.interval
    assert once.bounds == many.bounds


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: honest_interval([0, 0], [0, 0], [1, 1]),
            ScoreError,
            "No run was scored: 0 of 2 planned. Look at the errors in the log; a score needs at least one scored run.",
        ),
        (
            lambda: honest_interval([1, 0], [2, 1], [1, 1]),
            ArgumentError,
            "counts: got '1 cases with more scored runs than planned', allowed is at most the planned runs.",
        ),
        (
            lambda: honest_interval([1, 1], [1, 0], [1, 1]),
            ArgumentError,
            "sums: got 'a sum without scored runs', allowed is 0 for a case without scored runs.",
        ),
        (
            lambda: honest_interval([1, 0], [1, 0], [1, 1], policy="zero"),  # type: ignore[arg-type]
            ArgumentError,
            "policy: got 'zero', allowed is 'bounds', 'fail' or 'drop'.",
        ),
        (
            lambda: honest_interval([7, 2], [1, 1], [1, 1], policy="fail", score_range=None),
            ArgumentError,
            ("policy: got 'fail', allowed is 'drop' for a score without a range. Declare the range (--range)."),
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text


def test_one_line() -> None:
    assert (
        str(honest_interval(*M11, pass_fail=True))
        == "0.8333, 0.6277 to 0.919 (0.95 wilson), 54 of 60 runs scored, bounds"
    )
