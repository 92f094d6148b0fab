"""Betting confidence sequences against bets placed one by one, and what must hold of them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.stats.betting import betting_interval, order_p_value


def is_ruled_out(scores: list[float], mean: float, error: float) -> bool:
    """Whether a bettor on more than a mean ever held 1/error, with the stakes multiplied one by one."""
    stake, total, squares = 1.0, 0.5, 0.25
    spread = 0.25
    for place, score in enumerate(scores, start=1):
        bet = min(math.sqrt(2 * math.log(1 / error) / (spread * place * math.log(1 + place))), 0.75 / mean)
        stake *= 1 + bet * (score - mean)
        if stake >= 1 / error:
            return True
        total += score
        squares += (score - total / (place + 1)) ** 2
        spread = squares / (place + 1)
    return False


@pytest.mark.parametrize("rate", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_limits_are_where_bettors_grow_rich(rate: float, confidence: float) -> None:
    scores = (np.random.default_rng(3).random(150) < rate).astype(float)
    found = betting_interval(scores, confidence=confidence)
    error = (1 - confidence) / 2
    for end, values in ((found.low, scores), (1 - found.high, 1 - scores)):
        if end > 0:
            assert is_ruled_out(values.tolist(), end - 1e-6, error)
        assert not is_ruled_out(values.tolist(), end + 1e-6, error)


@given(st.lists(st.sampled_from([0.0, 0.25, 1.0]), min_size=1, max_size=60), st.floats(0.6, 0.99))
def test_what_must_hold_of_every_interval(scores: list[float], confidence: float) -> None:
    found = betting_interval(scores, confidence=confidence)
    assert 0 <= found.low <= np.mean(scores) <= found.high <= 1
    assert found.width > 0
    mirrored = betting_interval([1 - score for score in scores], confidence=confidence)
    assert mirrored.low == pytest.approx(1 - found.high, abs=1e-9)
    stricter = betting_interval(scores, confidence=(1 + confidence) / 2)
    assert stricter.low <= found.low + 1e-9


@pytest.mark.parametrize("scores", [[], [1.5], [-0.1], [float("nan")], [[1.0, 0.0]]], ids=str)
def test_scores_that_cannot_be_bet_on_are_refused(scores: list[float]) -> None:
    with pytest.raises(ArgumentError, match="each from 0 to 1"):
        betting_interval(scores)


def test_order_is_seen_as_often_as_its_p_value_says() -> None:
    stream = np.random.default_rng(5)
    seen = np.mean([order_p_value((stream.random(200) < 0.8).astype(float)) < 0.05 for _ in range(2000)])
    # The limit law is conservative for discrete sums.
    assert seen <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / 2000)
    assert order_p_value(np.ones(50)) == 1
    assert order_p_value(np.repeat([1.0, 0.0], 30)) < 1e-4
