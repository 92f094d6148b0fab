"""Betting confidence sequences: limits of the mean of bounded scores that hold at every number of cases at once.

Somebody who bets on each next score, never knowing it, multiplies the stake by 1 + bet·(score − m). Were the mean m, no
way of betting wins on average, so the stake ever reaching 1/error is as rare as error. The means that no bettor grew
rich on are the confidence sequence; it may be looked at after every case.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

# Share of what can be lost at most on one case.
_MOST_AT_STAKE = 0.75
_HALVINGS = 40


def betting_interval(scores: ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Answer "what is the mean, whenever I look?", for scores in the order in which they came.

    Parameters
    ----------
    scores
        One score per case, each from 0 to 1, in the order of the runs; the order must not depend on the scores.
    confidence
        Two-sided level over all numbers of cases together, a share. Each side errs with half of 1 − confidence.

    Raises
    ------
    ArgumentError
        If a score is outside 0 to 1, or there is none.

    References
    ----------
    Waudby-Smith and Ramdas 2024, Journal of the Royal Statistical Society B 86, 1-27 (theorem 3, predictable plug-in
    bets of equation 26); Ville 1939.

    Examples
    --------
    >>> print(betting_interval([1.0] * 200))
    0.9758 to 1 (0.95 betting)
    """
    x: Array = np.asarray(scores, dtype=np.float64)
    if x.ndim != 1 or not x.size or not np.all((x >= 0) & (x <= 1)):
        raise ArgumentError("scores", f"{x.size} numbers", "at least one score, each from 0 to 1")
    error = (1 - checked_confidence(confidence)) / 2
    bets, mean = _bets(x, error), float(x.mean())
    # What was ruled out earlier stays so, unless all scores so far speak for it: an interval without its mean misleads.
    low, high = min(_lower(x, bets, error), mean), max(1 - _lower(1 - x, bets, error), mean)
    return Interval(low=low, high=high, confidence=confidence, method="betting")


def order_p_value(scores: ArrayLike) -> float:
    """Answer "do the scores drift along their order?": the p-value of their being in no order at all.

    Parameters
    ----------
    scores
        One score per case, in order.

    References
    ----------
    Kolmogorov 1933: the largest excursion of a Brownian bridge, to which the centred sums tend.

    Examples
    --------
    >>> order_p_value([1.0] * 40 + [0.0] * 40) < 1e-6, order_p_value([1.0, 0.0] * 40) > 0.9
    (True, True)
    """
    x: Array = np.asarray(scores, dtype=np.float64)
    spread = float(x.std())
    if not spread:
        return 1.0
    sums = np.cumsum(x - x.mean())
    return float(special.kolmogorov(np.abs(sums).max() / (spread * math.sqrt(x.size))))


def _bets(x: Array, error: float) -> Array:
    """Return how much to bet on each score, from those before it."""
    t = np.arange(1, x.size + 1)
    means = (0.5 + np.cumsum(x)) / (t + 1)
    spread = (0.25 + np.cumsum(np.square(x - means))) / (t + 1)
    before = np.concatenate(([0.25], spread[:-1]))
    return np.sqrt(2 * math.log(1 / error) / (before * t * np.log1p(t)))


def _lower(x: Array, bets: Array, error: float) -> float:
    """Return the largest mean that bets on more have grown rich on: 0 where there is none."""
    rich = -math.log(error)

    def is_ruled_out(mean: float) -> bool:
        stakes = np.minimum(bets, _MOST_AT_STAKE / mean)
        return bool(np.cumsum(np.log1p(stakes * (x - mean))).max() >= rich)

    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if is_ruled_out(middle) else (low, middle)
    return low
