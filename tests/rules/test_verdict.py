"""Claims, verdict words, and the least data that can carry a claim."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.rules.answers import PairedAnswer, equivalence_level
from evalgauge.rules.paired import paired_counts, paired_intervals
from evalgauge.rules.paired_missing import ArmRuns, paired_with_missing
from evalgauge.rules.verdict import (
    Claims,
    claims,
    hard_floor,
    least_drop,
    least_flips_for_better,
    least_n_for_no_worse,
)
from evalgauge.stats.hull import hull
from evalgauge.stats.paired_proportions import mcnemar_exact_p, tango_interval
from evalgauge.stats.results import Interval


def reading(interval: tuple[float, float], guarded: tuple[float, float], inside: tuple[float, float]) -> PairedAnswer:
    def named(ends: tuple[float, float], confidence: float) -> Interval:
        return Interval(low=ends[0], high=ends[1], confidence=confidence, method="made up")

    return dataclasses.replace(
        paired_counts(1, 1, 10),
        interval=named(interval, 0.95),
        guarded=named(guarded, 0.95),
        guarded_equivalence=named(inside, 0.9),
    )


@pytest.mark.parametrize(
    ("interval", "guarded", "inside", "expected"),
    [
        ((0.01, 0.1), (-0.03, 0.1), (-0.01, 0.09), ("better", True, False, False, False)),
        ((-0.1, -0.01), (-0.1, 0.01), (-0.09, 0.0), ("worse", False, True, False, False)),
        ((-0.01, 0.01), (-0.03, 0.03), (-0.015, 0.015), ("equivalent", False, False, True, False)),
        ((-0.01, 0.01), (-0.015, 0.03), (-0.01, 0.025), ("no worse", False, False, False, True)),
        ((-0.01, 0.01), (-0.03, 0.03), (-0.025, 0.025), ("inconclusive", False, False, False, False)),
        ((0.001, 0.01), (-0.01, 0.015), (-0.01, 0.01), ("better", True, False, True, True)),
    ],
)
def test_each_claim_reads_its_own_interval(
    interval: tuple[float, float],
    guarded: tuple[float, float],
    inside: tuple[float, float],
    expected: tuple[str, bool, bool, bool, bool],
) -> None:
    result = claims(reading(interval, guarded, inside), margin=0.02)
    assert (result.verdict, result.better, result.worse, result.equivalent, result.no_worse) == expected
    assert result.within_margin == ((result.better or result.worse) and result.equivalent)


def test_without_a_margin_only_better_and_worse_can_be_said() -> None:
    quiet = claims(paired_counts(0, 0, 10_000))
    assert quiet == Claims(
        better=False, worse=False, equivalent=None, no_worse=None, verdict="inconclusive", within_margin=False
    )
    assert claims(paired_counts(22, 9, 240)).verdict == "better"
    assert claims(paired_counts(9, 22, 240)).verdict == "worse"


def test_result_file_row() -> None:
    """User question C31: 9 lost, 22 won of 240 is better; C22: 13 against 7 of 500 is a tie."""
    assert claims(paired_counts(22, 9, 240), margin=0.02).verdict == "better"
    assert claims(paired_counts(13, 7, 500)).verdict == "inconclusive"


def test_a_change_can_be_real_and_too_small_to_matter() -> None:
    result = claims(paired_counts(60, 20, 10_000), margin=0.02)
    assert (result.verdict, result.within_margin, result.no_worse) == ("better", True, True)


def test_a_claim_that_nothing_broke_is_not_made_from_a_narrow_spread() -> None:
    answer = paired_intervals([0.01, -0.01] * 10, confidence=0.95)
    assert answer.interval.low > -0.02
    assert claims(answer, margin=0.02).no_worse is False


@given(
    st.lists(st.integers(-5, 5).map(lambda steps: steps / 5), min_size=1, max_size=40),
    st.floats(0.001, 0.9),
    st.floats(0.001, 0.9),
)
def test_a_wider_margin_never_takes_a_claim_back(deltas: list[float], one: float, other: float) -> None:
    answer = paired_intervals(deltas)
    narrow, wide = (claims(answer, margin=margin) for margin in sorted((one, other)))
    assert (narrow.better, narrow.worse) == (wide.better, wide.worse)
    assert bool(narrow.no_worse) <= bool(wide.no_worse)
    assert bool(narrow.equivalent) <= bool(wide.equivalent)
    assert not (wide.better and wide.worse)


@pytest.mark.parametrize(("margin", "floor"), [(0.02, 183), (0.05, 72), (0.10, 36)])
def test_hard_floor(margin: float, floor: int) -> None:
    assert least_n_for_no_worse(margin).hard_floor == floor
    assert (1 - margin) ** floor <= 0.025 < (1 - margin) ** (floor - 1)


@pytest.mark.parametrize("margin", [0.5, 0.10, 0.05, 0.02, 0.005])
def test_one_case_fewer_cannot_pass(margin: float) -> None:
    n = least_n_for_no_worse(margin).unchanged
    assert tango_interval(0, 0, n).low > -margin
    assert tango_interval(0, 0, n - 1).low <= -margin
    assert claims(paired_counts(0, 0, n), margin=margin).no_worse
    n = least_n_for_no_worse(margin, graded=True).unchanged
    assert hull([0.0] * n).interval.low > -margin
    assert hull([0.0] * (n - 1)).interval.low <= -margin


def test_the_least_counts_move_with_the_level() -> None:
    assert least_n_for_no_worse(0.02, confidence=0.8).unchanged < least_n_for_no_worse(0.02).unchanged
    assert least_n_for_no_worse(0.02, confidence=0.8).hard_floor == math.ceil(math.log(0.1) / math.log(0.98))
    assert least_flips_for_better(confidence=0.99).exact == 8


def test_fewest_flips_that_are_evidence() -> None:
    """User question P06: at least 6 one-way flips for an exact p below 0.05."""
    least = least_flips_for_better()
    assert least.exact == 6
    assert float(mcnemar_exact_p(6, 0)) < 0.05 < float(mcnemar_exact_p(5, 0))
    assert claims(paired_counts(least.tango, 0, 100)).better
    assert not claims(paired_counts(least.tango - 1, 0, 100)).better


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: claims(paired_counts(1, 0, 5), margin=0), "margin: got 0, allowed is a difference above 0.*leave the"),
        (lambda: claims(paired_counts(1, 0, 5), margin=-0.1), "margin: got -0.1, allowed is a difference above 0"),
        (lambda: claims(paired_counts(1, 0, 5), margin=math.nan), "margin: got nan"),
        (lambda: least_n_for_no_worse(2), r"margin: got 2, allowed is a share.*Did you mean 0\.02\?"),
        (lambda: least_n_for_no_worse(0.0), "margin: got 0.0, allowed is a share of the score's range between 0 and 1"),
        (lambda: least_n_for_no_worse(0.1, confidence=95), r"Did you mean 0\.95\?"),
        (lambda: least_flips_for_better(confidence=1), "confidence: got 1, allowed is a share between 0 and 1"),
        (lambda: equivalence_level(0.5), "confidence: got 0.5, allowed is a share above 0.5 and below 1"),
    ],
)
def test_refusals(call: object, text: str) -> None:
    assert callable(call)
    with pytest.raises(ArgumentError, match=text):
        call()


def test_a_graded_log_below_the_hard_floor_claims_no_absence_of_breaks() -> None:
    # 30 of 35 cases moved by a hair, none broke: at 35 cases a tenth of total breaks could have hidden.
    deltas = [0.0] * 5 + [0.001, -0.001] * 15
    small = paired_intervals(deltas)
    assert small.guarded.method == "hull"
    assert small.guarded.low > -0.2
    assert hard_floor(0.1) == 36
    for margin, floor in ((0.2, 17), (0.1, 36), (0.05, 72)):
        assert hard_floor(margin) == floor
        said = claims(small, margin=margin)
        assert said.no_worse == (len(deltas) >= floor and small.guarded.low > -margin)
        assert not said.equivalent or len(deltas) >= floor
    many = paired_intervals(deltas * 3)
    assert claims(many, margin=0.1).no_worse


def test_pass_fail_changes_need_no_floor() -> None:
    assert claims(paired_counts(0, 0, 35), margin=0.1).no_worse
    assert paired_counts(0, 0, 35).least_margin == 0


HAIRS = np.tile([0.001, -0.001], 500)


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
def test_the_floor_counts_cases_and_its_margin_is_the_same_equation(margin: float) -> None:
    floor = hard_floor(margin)
    assert paired_intervals(HAIRS[:floor]).least_margin <= margin < paired_intervals(HAIRS[: floor - 1]).least_margin


def test_the_floor_counts_clusters_where_cases_share_them() -> None:
    # 360 cases are plenty for 5 points, 36 documents are not: a twentieth of all documents could be absent.
    deltas, documents = HAIRS[:360], np.repeat(np.arange(36), 10)
    assert claims(paired_intervals(deltas), margin=0.05).no_worse
    clustered = paired_intervals(deltas, clusters=documents)
    assert clustered.least_margin == pytest.approx(paired_intervals(HAIRS[:36]).least_margin)
    assert not claims(dataclasses.replace(clustered, guarded=clustered.interval), margin=0.05).no_worse


def test_the_floor_is_in_the_unit_of_the_score() -> None:
    answer, scaled = paired_intervals(HAIRS[:40]), paired_intervals(5 * HAIRS[:40], span=5.0)
    assert scaled.least_margin == pytest.approx(5 * answer.least_margin)
    # 40 cases show 10 % of the range and not 8 %, in either unit.
    for share, shown in ((0.1, True), (0.08, False)):
        for reading, margin in ((answer, share), (scaled, 5 * share)):
            free = dataclasses.replace(reading, guarded=reading.interval)
            assert claims(free, margin=margin).no_worse is shown
    assert paired_intervals(HAIRS[:40], span=None).least_margin == 0


def test_the_floor_holds_when_runs_are_missing() -> None:
    base = ArmRuns(sums=np.full(40, 1.5), scored=np.full(40, 3), planned=np.full(40, 3))
    cand = ArmRuns(sums=1.5 + HAIRS[:40], scored=np.full(40, 3), planned=np.r_[np.full(39, 3), 4])
    result = paired_with_missing(base, cand)
    assert result.answer.least_margin == result.scored_only.least_margin > 0.08


@given(n=st.integers(2, 5_000), confidence=st.floats(0.5, 1 - 1e-12))
def test_the_least_drop_is_the_first_that_so_many_cases_can_rule_out(n: int, confidence: float) -> None:
    def is_enough(margin: float) -> bool:
        found = least_n_for_no_worse(margin, confidence=confidence)
        return max(found.unchanged, found.hard_floor) <= n

    drop = least_drop(n, confidence=confidence)
    if drop is None:
        assert not is_enough(0.5)
        return
    assert is_enough(drop)
    assert drop <= 0.005 or not is_enough(round(drop - 0.005, 3))
