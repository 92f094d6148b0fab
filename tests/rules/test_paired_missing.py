"""Paired comparisons with missing runs: bounds, policies, and what must hold whatever the missing runs were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, PairingError
from evalgauge.rules.paired_missing import ArmRuns, paired_with_missing
from evalgauge.stats.paired_proportions import tango_interval
from rules.test_paired import ends, of_runs, pairs


def runs_of(scored: list[list[float | None]]) -> ArmRuns:
    """Runs per case, None for a missing one."""
    return ArmRuns(
        sums=[sum(score for score in case if score is not None) for case in scored],
        scored=[sum(score is not None for score in case) for case in scored],
        planned=[len(case) for case in scored],
    )


def test_missing_runs_count_both_ways() -> None:
    base = runs_of([[1.0]] * 30 + [[0.0]] * 8 + [[None]] * 2)
    cand = runs_of([[1.0]] * 32 + [[0.0]] * 5 + [[None]] * 3)
    result = paired_with_missing(base, cand)
    # Scored in both: 37 cases, 2 won. At worst the candidate's 3 failed and the baseline's 2 passed.
    assert (result.planned_cases, result.scored_cases, result.complete_cases) == (40, 37, 37)
    assert result.scored_only.estimate == result.answer.estimate == pytest.approx(2 / 37)
    assert (result.low, result.high) == (0.0, pytest.approx(5 / 40))
    assert result.answer.interval.low == tango_interval(2, 2, 40).low
    assert result.answer.interval.high == tango_interval(5, 0, 40).high
    assert result.answer.p_value == 1
    fail = paired_with_missing(base, cand, policy="fail")
    assert fail.answer.estimate == pytest.approx(2 / 40)
    drop = paired_with_missing(base, cand, policy="drop")
    assert drop.answer == drop.scored_only


def test_a_missing_rep_counts_inside_its_case() -> None:
    base = runs_of([[0.0, 0.0, 1.0]] * 20)
    cand = runs_of([[1.0, 1.0, None]] * 20)
    result = paired_with_missing(base, cand)
    assert result.scored_only.estimate == pytest.approx(1 - 1 / 3)
    assert (result.low, result.high) == pytest.approx((1 / 3, 2 / 3))
    assert result.complete_cases == 0


def test_missing_scores_take_the_ends_of_their_range() -> None:
    base = runs_of([[2.0], [3.0], [4.0], [None]])
    cand = runs_of([[4.0], [3.0], [5.0], [5.0]])
    result = paired_with_missing(base, cand, score_range=(1.0, 5.0))
    assert (result.low, result.high) == pytest.approx((3 / 4, 7 / 4))
    assert paired_with_missing(base, cand, score_range=(1.0, 5.0), policy="fail").answer.estimate == pytest.approx(
        7 / 4
    )


@given(pairs(), st.sampled_from(["bounds", "fail", "drop"]))
def test_without_missing_runs_every_policy_is_the_plain_answer(
    pair: tuple[np.ndarray, np.ndarray], policy: str
) -> None:
    base, cand = (runs_of(arm.tolist()) for arm in pair)
    result = paired_with_missing(base, cand, policy=policy)  # type: ignore[arg-type]
    assert ends(result.answer) == pytest.approx(ends(of_runs(pair)), abs=1e-9)
    assert result.answer.p_value == pytest.approx(of_runs(pair).p_value, rel=1e-6)


@given(pairs(), st.data())
def test_bounds_hold_whatever_the_missing_runs_were(pair: tuple[np.ndarray, np.ndarray], data: st.DataObject) -> None:
    n = pair[0].shape[0]
    gone = data.draw(st.lists(st.booleans(), min_size=2 * n, max_size=2 * n))
    holes = [
        [[None, *case[1:]] if gone[arm * n + index] else case for index, case in enumerate(runs.tolist())]
        for arm, runs in enumerate(pair)
    ]
    base, cand = (runs_of(arm) for arm in holes)
    assume((np.minimum(base.scored, cand.scored) > 0).any())
    result, full = paired_with_missing(base, cand), of_runs(pair)
    assert result.low - 1e-12 <= full.estimate <= result.high + 1e-12
    assert result.answer.interval.low <= result.scored_only.interval.low
    assert result.answer.interval.high >= result.scored_only.interval.high
    is_excluded = result.answer.interval.low > 0 or result.answer.interval.high < 0
    if abs(result.answer.p_value - 0.05) > 1e-9:
        assert is_excluded == (result.answer.p_value < 0.05)


def test_missing_cases_keep_their_clusters() -> None:
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 2, (2, 40, 2)).astype(float).tolist()
    scores[1][3] = [None, None]
    base, cand = (runs_of(arm) for arm in scores)
    result = paired_with_missing(base, cand, clusters=np.repeat(np.arange(8), 5))
    assert result.scored_only.n_cases == 39
    assert result.scored_only.interval.method == "cr2 t"


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: paired_with_missing(runs_of([[1.0]]), runs_of([[1.0]]), policy="ignore"),  # type: ignore[arg-type]
            ArgumentError,
            "policy: got 'ignore', allowed is bounds, fail or drop",
        ),
        (
            lambda: paired_with_missing(runs_of([[1.0]]), runs_of([[1.0]] * 2)),
            ArgumentError,
            "cand: got '2 cases', allowed is as many as the baseline has",
        ),
        (
            lambda: paired_with_missing(runs_of([[None], [1.0]]), runs_of([[1.0], [None]])),
            PairingError,
            "No case was scored in both arms: 1 of 2 in the baseline, 1 in the candidate.*Run the missing cases",
        ),
        (
            lambda: paired_with_missing(ArmRuns(sums=[1], scored=[2], planned=[1]), runs_of([[1.0]])),
            ArgumentError,
            r"base\.scored: got '2 runs of case 0', allowed is at most its planned 1",
        ),
        (
            lambda: paired_with_missing(runs_of([[1.0]]), runs_of([[3.0]])),
            ArgumentError,
            r"cand\.sums: got 'a sum of 3 over 1 scored runs of case 0', allowed is scores from 0 to 1.*--range",
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    assert callable(call)
    with pytest.raises(error, match=text):
        call()
