"""A verdict that a handful of cases carries says so, by the exact test of another library; others say nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from evalgauge.rules.paired import paired_counts, paired_intervals
from evalgauge.rules.small_numbers import small_number_notes
from evalgauge.rules.unpaired import unpaired_counts


def exact_p(wins: int, losses: int) -> float:
    return binomtest(wins, wins + losses).pvalue


@given(st.integers(0, 80), st.integers(0, 80), st.integers(10, 500), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_a_claim_that_the_exact_test_does_not_share_says_so(
    wins: int, losses: int, ties: int, confidence: float
) -> None:
    answer = paired_counts(wins, losses, wins + losses + ties, confidence=confidence)
    notes = small_number_notes(answer, confidence=confidence)
    is_claimed = answer.interval.low > 0 or answer.interval.high < 0
    parts = is_claimed and exact_p(wins, losses) >= 1 - confidence
    assert any("so it calls this no change yet" in note for note in notes) == parts
    if parts:
        assert f"the exact test gives p = {exact_p(wins, losses):.3g}" in notes[0].lower()


@given(st.integers(1, 40), st.sampled_from([0.8, 0.9, 0.95, 0.99]))
def test_too_few_changed_cases_are_named_with_the_least_that_could_show_a_change(
    changed: int, confidence: float
) -> None:
    least = next(count for count in range(1, 60) if exact_p(count, 0) < 1 - confidence)
    text = " ".join(small_number_notes(paired_counts(changed, 0, 1000, confidence=confidence), confidence=confidence))
    assert (f"fewer than {least}" in text) == (changed < least)


def test_nothing_is_said_of_no_change_and_of_many_cases() -> None:
    assert small_number_notes(paired_counts(0, 0, 50), confidence=0.95) == ()
    assert small_number_notes(paired_counts(22, 9, 240), confidence=0.95) == ()
    assert small_number_notes(unpaired_counts(45, 50, 30, 80), confidence=0.95) == ()


@pytest.mark.parametrize(("n", "is_few"), [(9, True), (10, False)])
def test_fewer_than_ten_cases_are_outside_the_promise(n: int, is_few: bool) -> None:  # noqa: FBT001 - a test table
    expected = "Fewer than 10 cases"
    paired = small_number_notes(paired_counts(0, 0, n), confidence=0.95)
    unpaired = small_number_notes(unpaired_counts(1, n, 3, 30), confidence=0.95)
    graded = small_number_notes(paired_intervals(np.linspace(0.01, 0.2, n)), confidence=0.95)
    for notes in (paired, unpaired, graded):
        assert any(expected in note for note in notes) == is_few
