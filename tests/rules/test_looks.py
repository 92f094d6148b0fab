"""Planned looks: each level is that of the bounds, whatever share of the error a claim may spend."""

from __future__ import annotations

import numpy as np
import pytest

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.gate import Claim, Reading, errors_of, judged
from evalgauge.rules.gate_claims import Change, Score, drop_claim, rate_claim
from evalgauge.rules.looks import Look, look_from_text
from evalgauge.rules.paired_missing import ArmRuns
from evalgauge.stats.group_sequential import look_bounds


@pytest.mark.parametrize(
    "text", ["", "2", "2/", "/5", "0/5", "6/5", "1/1", "1/21", "a/b", "-1/5", "1/5/5", "²/5", "01234/99999"]
)
def test_looks_that_cannot_be_planned_are_refused(text: str) -> None:
    with pytest.raises(ArgumentError, match="such as 2/5, at most 20"):
        look_from_text(text, "pocock")


def test_every_claim_is_read_at_the_look_of_its_own_share() -> None:
    asked: list[float] = []

    def at(level: float) -> Reading:
        asked.append(level)
        return Reading(low=-1, high=1, method="none")

    look = Look(number=2, of=4, bounds="obrien-fleming")
    judged([Claim(threshold=0, at=at)] * 3, errors_of(0.95, 2, look=look))
    wanted = [look_bounds(4, "obrien-fleming", confidence=1 - 2 * 0.025 / 3).confidences[1]]
    assert set(np.round(asked, 12)) == set(np.round(wanted, 12))


def test_the_earliest_of_many_looks_has_a_level_below_100_percent() -> None:
    assert Look(number=1, of=20, bounds="obrien-fleming").level(0.95) < 1


def paired(changes: np.ndarray, *, is_anytime: bool = True) -> Change:
    ones = np.ones(changes.size)
    arms = [ArmRuns(sums=np.maximum(sign * changes, 0), scored=ones, planned=ones) for sign in (-1, 1)]
    return Change(base=arms[0], cand=arms[1], is_anytime=is_anytime)


def test_cases_sorted_by_what_became_of_them_are_not_bet_on() -> None:
    changes = np.repeat([-1.0, 1.0, 0.0], [9, 22, 209])
    with pytest.raises(ScoreError, match="Run the cases in a random order"):
        drop_claim(paired(changes), max_drop=0.02).at(0.95)
    score = np.repeat([1.0, 0.0], [100, 40])
    runs = ArmRuns(sums=score, scored=np.ones(140), planned=np.ones(140))
    with pytest.raises(ScoreError, match="Run the cases in a random order"):
        rate_claim(Score(runs=runs, squares=score, is_anytime=True), min_rate=0.5).at(0.95)


def test_missing_runs_are_read_both_ways_at_any_time() -> None:
    stream = np.random.default_rng(1)
    base, cand = (stream.random(400) < 0.9).astype(float), (stream.random(400) < 0.9).astype(float)
    planned = np.ones(400)
    scored = (np.arange(400) % 40 > 0).astype(int)
    whole = ArmRuns(sums=base, scored=planned, planned=planned)
    readings = {
        policy: drop_claim(
            Change(
                base=whole,
                cand=ArmRuns(sums=cand * scored, scored=scored, planned=planned),
                policy=policy,
                is_anytime=True,
            ),
            max_drop=0.1,
        ).at(0.95)
        for policy in ("bounds", "fail", "drop")
    }
    assert readings["bounds"].low <= readings["fail"].low < readings["drop"].low
    assert readings["bounds"].high >= max(readings["fail"].high, readings["drop"].high)
