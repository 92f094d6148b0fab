"""What must hold for every log, through the public functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evalgauge as eg

if TYPE_CHECKING:
    from random import Random

    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.measure import MeasureAnswer

GRADES = (0.0, 0.25, 0.5, 0.75, 1.0)
# Case by case the scores of its reps; at least two cases, so that a comparison has something to compare.
PASS_FAIL = st.lists(st.lists(st.sampled_from((0.0, 1.0)), min_size=1, max_size=4), min_size=2, max_size=12)
GRADED = st.lists(st.lists(st.sampled_from(GRADES), min_size=1, max_size=4), min_size=2, max_size=12)
LOGS = st.one_of(PASS_FAIL, GRADED)


def frame(scores: list[list[float]], times: int = 1) -> pd.DataFrame:
    rows = [
        {"case": f"q{case}", "rep": rep + copy * len(reps), "score": score}
        for case, reps in enumerate(scores)
        for copy in range(times)
        for rep, score in enumerate(reps, start=1)
    ]
    return pd.DataFrame(rows)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[list[float]], list[list[float]]]:
    values = draw(st.sampled_from(((0.0, 1.0), GRADES)))
    size = draw(st.integers(2, 12))
    reps = st.lists(st.sampled_from(values), min_size=1, max_size=4)
    arm = st.lists(reps, min_size=size, max_size=size)
    return draw(arm), draw(arm)


def ends(answer: MeasureAnswer) -> tuple[float, float, float]:
    return answer.estimate, answer.low, answer.high


def change(answer: CompareAnswer) -> list[float]:
    found = answer.difference
    return [found.estimate, found.low, found.high, answer.guarded.low, answer.guarded.high]


@given(LOGS, st.integers(2, 4))
def test_copying_every_rep_changes_no_interval(scores: list[list[float]], times: int) -> None:
    once, copied = eg.measure(frame(scores)), eg.measure(frame(scores, times))
    assert ends(copied) == pytest.approx(ends(once), abs=1e-12)
    assert copied.n_cases == once.n_cases


@given(LOGS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(scores: list[list[float]], random: Random) -> None:
    table = frame(scores)
    order = list(range(len(table)))
    random.shuffle(order)
    # Adding in another order moves the last digits of a float.
    assert ends(eg.measure(table.iloc[order])) == pytest.approx(ends(eg.measure(table)), abs=1e-12)


@given(LOGS, st.floats(0.55, 0.98), st.floats(0.001, 0.019))
def test_more_confidence_never_narrows(scores: list[list[float]], level: float, more: float) -> None:
    table = frame(scores)
    narrow, wide = eg.measure(table, confidence=level), eg.measure(table, confidence=level + more)
    assert wide.low <= narrow.low + 1e-12
    assert narrow.high - 1e-12 <= wide.high


@given(LOGS)
def test_an_interval_has_width_and_stays_in_range(scores: list[list[float]]) -> None:
    answer = eg.measure(frame(scores))
    assert 0 <= answer.low < answer.high <= 1
    assert answer.low <= answer.estimate <= answer.high
    for other in answer.alternatives:
        assert 0 <= other.low <= other.high <= 1


@given(pairs())
def test_swapping_the_arms_mirrors_the_change(pair: tuple[list[list[float]], list[list[float]]]) -> None:
    base, cand = (frame(scores) for scores in pair)
    there, back = eg.compare(base, cand), eg.compare(cand, base)
    estimate, low, high, guarded_low, guarded_high = change(back)
    assert change(there) == pytest.approx([-estimate, -high, -low, -guarded_high, -guarded_low], abs=1e-9)
    assert (there.wins, there.losses, there.ties) == (back.losses, back.wins, back.ties)
    assert there.claims.better == back.claims.worse


@given(pairs(), st.integers(2, 3))
def test_copying_every_rep_changes_no_comparison(pair: tuple[list[list[float]], list[list[float]]], times: int) -> None:
    once = eg.compare(*(frame(scores) for scores in pair))
    copied = eg.compare(*(frame(scores, times) for scores in pair))
    assert change(copied) == pytest.approx(change(once), abs=1e-12)


@given(pairs())
def test_a_change_has_width_and_stays_in_range(pair: tuple[list[list[float]], list[list[float]]]) -> None:
    answer = eg.compare(*(frame(scores) for scores in pair))
    for low, high in ((answer.difference.low, answer.difference.high), (answer.guarded.low, answer.guarded.high)):
        assert -1 <= low < high <= 1


@given(pairs(), st.floats(0.01, 0.5))
def test_verdict_is_the_first_true_claim(pair: tuple[list[list[float]], list[list[float]]], margin: float) -> None:
    answer = eg.compare(*(frame(scores) for scores in pair), margin=margin)
    said = answer.claims
    order = (
        ("better", said.better),
        ("worse", said.worse),
        ("equivalent", said.equivalent),
        ("no worse", said.no_worse),
    )
    assert answer.verdict == next((word for word, is_true in order if is_true), "inconclusive")
    # Below the hard floor a graded log may not claim it, whatever the interval says.
    assert not said.no_worse or answer.guarded.low > -margin


@given(GRADED, st.integers(-5, 5), st.integers(1, 100))
@settings(max_examples=50)
def test_another_scale_changes_nothing_but_the_unit(scores: list[list[float]], low: int, width: int) -> None:
    moved = frame(scores)
    moved["score"] = low + width * moved["score"]
    plain, other = eg.measure(frame(scores)), eg.measure(moved, score_range=(low, low + width))
    assert ends(other) == pytest.approx(ends(plain), abs=1e-9)


@given(LOGS, st.integers(0, 3), st.sampled_from(("bounds", "fail", "drop")))
def test_missing_runs_never_make_an_interval_narrower_under_bounds(
    scores: list[list[float]], gaps: int, policy: str
) -> None:
    table = frame(scores)
    holes = pd.concat([table, pd.DataFrame([{"case": f"m{i}", "rep": 1, "score": None} for i in range(gaps)])])
    answer, full = eg.measure(holes, missing=policy), eg.measure(table)
    assert answer.planned == full.planned + gaps
    if policy == "bounds":
        assert answer.low <= full.low
        assert answer.high >= full.high
