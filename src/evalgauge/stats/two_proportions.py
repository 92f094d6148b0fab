"""Pass/fail on different cases, two arms: intervals for the difference of two pass rates, and the z test.

Everywhere arm 1 is the baseline and arm 2 the candidate, and the difference is candidate − baseline = x2/n2 − x1/n1.
(R and the papers mostly print arm 1 − arm 2: exchange the arms to compare.)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_counts
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import normal_p_value, normal_quantile
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

# Halving [-1, 1] so often leaves nothing that a double could tell apart.
_HALVINGS = 60
# The closed form of a cubic loses half of its digits where two roots come near each other; two Newton steps give them
# back.
_POLISHING_STEPS = 2


def miettinen_nurminen_interval(x1: float, n1: float, x2: float, n2: float, *, confidence: float = 0.95) -> Interval:
    """Answer "how far apart are two pass rates from different cases?" with Miettinen and Nurminen's score interval.

    The differences that a score test at 1 − confidence does not reject. It has width whatever the counts and stays
    inside [−1, 1].

    Parameters
    ----------
    x1, n1
        Passes and cases of the baseline.
    x2, n2
        Passes and cases of the candidate.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If a count is outside 0 to n, n is not above 0, or the level is not a share.

    References
    ----------
    Miettinen and Nurminen 1985, Statistics in Medicine 4, 213-226, equations 8 to 10 and appendix 1.

    Examples
    --------
    >>> print(miettinen_nurminen_interval(30, 80, 45, 50))
    0.3731 to 0.6456 (0.95 miettinen-nurminen)
    """
    x1, n1, x2, n2 = *checked_counts(x1, n1), *checked_counts(x2, n2)
    low, high = miettinen_nurminen_limits(x1, n1, x2, n2, confidence=confidence)
    return Interval(low=float(low), high=float(high), confidence=confidence, method="miettinen-nurminen")


def miettinen_nurminen_limits(
    x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike, *, confidence: float = 0.95
) -> tuple[Array, Array]:
    """Return the ends of Miettinen and Nurminen's interval for arrays of counts that broadcast; they are not checked.

    Parameters
    ----------
    x1, n1, x2, n2
        Counts as in `miettinen_nurminen_interval`; numbers or arrays.
    confidence
        Two-sided level, a share.

    References
    ----------
    Miettinen and Nurminen 1985, Statistics in Medicine 4, 213-226.

    Examples
    --------
    >>> low, high = miettinen_nurminen_limits([0, 5], 10, [0, 5], 10)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.2879, -0.4101], [0.2879, 0.4101])
    """
    a1, m1, a2, m2 = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(x1, n1, x2, n2))
    crit = normal_quantile(confidence)
    # Exchanging the arms mirrors the interval; -0.0 is folded into 0.0.
    return _score_low(a1, m1, a2, m2, crit), 0.0 - _score_low(a2, m2, a1, m1, crit)


def _score_low(x1: Array, n1: Array, x2: Array, n2: Array, crit: float) -> Array:
    """Bisect for the difference at which the falling score statistic passes ``crit``.

    Only inner points are looked at: where all of one arm pass and all of the other fail, the score equation has a
    second root at the estimate itself, which is not the end of the interval.
    """
    bottom, top = np.full_like(x1, -1.0), x2 / n2 - x1 / n1
    for _ in range(_HALVINGS):
        middle = (bottom + top) / 2
        above = _score(x1, n1, x2, n2, middle) > crit
        bottom, top = np.where(above, middle, bottom), np.where(above, top, middle)
    return (bottom + top) / 2


def miettinen_nurminen_statistic(
    x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike, *, difference: float
) -> Array:
    """Return the score statistic for "the true difference is ``difference``", without solving for an interval.

    The interval at level c holds ``difference`` exactly when the statistic is within ±`normal_quantile` (c); exact
    power is a sum over this.

    Parameters
    ----------
    x1, n1, x2, n2
        Counts as in `miettinen_nurminen_interval`; numbers or arrays. They are not checked.
    difference
        Hypothetical difference candidate − baseline, strictly between −1 and 1.

    Raises
    ------
    ArgumentError
        If ``difference`` is not strictly between −1 and 1.

    References
    ----------
    Miettinen and Nurminen 1985, Statistics in Medicine 4, 213-226, equation 8.

    Examples
    --------
    >>> round(float(miettinen_nurminen_statistic(175, 250, 197, 250, difference=0.0)), 4)
    2.2521
    """
    if not -1 < difference < 1:
        raise ArgumentError("difference", difference, "a difference of rates strictly between -1 and 1")
    a1, m1, a2, m2 = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(x1, n1, x2, n2))
    return _score(a1, m1, a2, m2, np.full_like(a1, difference))


def _score(x1: Array, n1: Array, x2: Array, n2: Array, difference: Array) -> Array:
    rate1 = _constrained_rate(x1, n1, x2, n2, difference)
    rate2 = np.clip(rate1 + difference, 0, 1)
    total = n1 + n2
    # N/(N − 1) is what sets Miettinen and Nurminen apart from Mee.
    variance = (rate1 * (1 - rate1) / n1 + rate2 * (1 - rate2) / n2) * total / (total - 1)
    distance = x2 / n2 - x1 / n1 - difference
    spread = np.sqrt(np.maximum(variance, np.finfo(np.float64).tiny))
    return np.where(distance == 0, 0.0, distance / spread)


def _constrained_rate(x1: Array, n1: Array, x2: Array, n2: Array, difference: Array) -> Array:
    """Return the most likely rate of arm 1 when arm 2's is ``difference`` higher: a root of a cubic (appendix 1)."""
    total, passed = n1 + n2, x1 + x2
    square = (2 * n1 + n2) * difference - total - passed
    linear = n1 * difference * difference - (total + 2 * x1) * difference + passed
    third = square / (3 * total)
    q = third**3 - linear * square / (6 * total * total) + x1 * difference * (1 - difference) / (2 * total)
    radius = np.where(q < 0, -1.0, 1.0) * np.sqrt(np.maximum(third * third - linear / (3 * total), 0.0))
    cosine = np.divide(q, radius**3, out=np.ones_like(q), where=radius != 0)
    angle = (np.pi + np.arccos(np.clip(cosine, -1, 1))) / 3
    lowest, highest = np.maximum(0.0, -difference), np.minimum(1.0, 1 - difference)
    rate = np.clip(2 * radius * np.cos(angle) - third, lowest, highest)
    for _ in range(_POLISHING_STEPS):
        other = rate + difference
        value = (x1 - n1 * rate) * other * (1 - other) + (x2 - n2 * other) * rate * (1 - rate)
        slope = 3 * total * rate * rate + 2 * square * rate + linear
        step = np.divide(value, slope, out=np.zeros_like(value), where=slope < 0)
        rate = np.clip(rate - step, lowest, highest)
    return rate


def newcombe_interval(x1: float, n1: float, x2: float, n2: float, *, confidence: float = 0.95) -> Interval:
    """Combine the Wilson limits of the two arms into an interval for the difference: a closed form.

    Parameters
    ----------
    x1, n1
        Passes and cases of the baseline.
    x2, n2
        Passes and cases of the candidate.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If a count is outside 0 to n, n is not above 0, or the level is not a share.

    References
    ----------
    Newcombe 1998, Statistics in Medicine 17, 873-890, method 10.

    Examples
    --------
    >>> print(newcombe_interval(175, 250, 197, 250))
    0.01145 to 0.1633 (0.95 newcombe)
    """
    x1, n1, x2, n2 = *checked_counts(x1, n1), *checked_counts(x2, n2)
    crit = normal_quantile(confidence)
    low, high = mover_difference_limits(
        (x1 / n1, *wilson_limits(x1 / n1, n1, crit)), (x2 / n2, *wilson_limits(x2 / n2, n2, crit))
    )
    return Interval(low=float(low), high=float(high), confidence=confidence, method="newcombe")


def agresti_caffo_interval(x1: float, n1: float, x2: float, n2: float, *, confidence: float = 0.95) -> Interval:
    """Return the Wald interval after one pass and one failure are added to each arm, cut to [−1, 1].

    Parameters
    ----------
    x1, n1
        Passes and cases of the baseline.
    x2, n2
        Passes and cases of the candidate.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If a count is outside 0 to n, n is not above 0, or the level is not a share.

    References
    ----------
    Agresti and Caffo 2000, The American Statistician 54, 280-288.

    Examples
    --------
    >>> print(agresti_caffo_interval(175, 250, 197, 250))
    0.01129 to 0.1633 (0.95 agresti-caffo)
    """
    x1, n1, x2, n2 = *checked_counts(x1, n1), *checked_counts(x2, n2)
    low, high = wald_difference_limits(x1 + 1, n1 + 2, x2 + 1, n2 + 2, confidence=confidence)
    return Interval(low=float(low), high=float(high), confidence=confidence, method="agresti-caffo")


def wald_difference_interval(x1: float, n1: float, x2: float, n2: float, *, confidence: float = 0.95) -> Interval:
    """Return the handbook interval for the difference, cut to [−1, 1]: a comparison, never a default.

    Parameters
    ----------
    x1, n1
        Passes and cases of the baseline.
    x2, n2
        Passes and cases of the candidate.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If a count is outside 0 to n, n is not above 0, or the level is not a share.
    ScoreError
        If each arm passes all or fails all of its cases, where the rule has no width.

    References
    ----------
    Newcombe 1998, Statistics in Medicine 17, 873-890, method 1.

    Examples
    --------
    >>> print(wald_difference_interval(175, 250, 197, 250))
    0.01188 to 0.1641 (0.95 wald)
    """
    x1, n1, x2, n2 = *checked_counts(x1, n1), *checked_counts(x2, n2)
    if x1 in {0.0, n1} and x2 in {0.0, n2}:
        raise ScoreError(
            f"wald: {x1:g} of {n1:g} and {x2:g} of {n2:g} passed, and the Wald interval has no width there, which "
            "would claim certainty. Use miettinen-nurminen or newcombe."
        )
    low, high = wald_difference_limits(x1, n1, x2, n2, confidence=confidence)
    return Interval(low=float(low), high=float(high), confidence=confidence, method="wald")


def wald_difference_limits(
    x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike, *, confidence: float = 0.95
) -> tuple[Array, Array]:
    """Return the ends of the Wald interval for arrays of counts; both ends coincide where no arm varies.

    Parameters
    ----------
    x1, n1, x2, n2
        Counts as in `wald_difference_interval`; numbers or arrays. They are not checked.
    confidence
        Two-sided level, a share.

    References
    ----------
    Newcombe 1998, Statistics in Medicine 17, 873-890, method 1.

    Examples
    --------
    >>> low, high = wald_difference_limits([0, 5], 10, [0, 5], 10)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.0, -0.4383], [0.0, 0.4383])
    """
    a1, m1, a2, m2 = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(x1, n1, x2, n2))
    rate1, rate2 = a1 / m1, a2 / m2
    reach = normal_quantile(confidence) * np.sqrt(rate1 * (1 - rate1) / m1 + rate2 * (1 - rate2) / m2)
    return np.maximum(rate2 - rate1 - reach, -1), np.minimum(rate2 - rate1 + reach, 1)


def pooled_z_p(x1: float, n1: float, x2: float, n2: float) -> float:
    """Return the two-sided p-value of the z test for equal rates, with the variance pooled over the arms.

    Parameters
    ----------
    x1, n1
        Passes and cases of the baseline.
    x2, n2
        Passes and cases of the candidate. Where every case passes, or none, the arms are equal and the result is 1.

    Raises
    ------
    ArgumentError
        If a count is outside 0 to n or n is not above 0.

    References
    ----------
    Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, section 3.1.

    Examples
    --------
    >>> round(pooled_z_p(175, 250, 197, 250), 3)
    0.024
    """
    x1, n1, x2, n2 = *checked_counts(x1, n1), *checked_counts(x2, n2)
    pooled = (x1 + x2) / (n1 + n2)
    if pooled in {0.0, 1.0}:
        return 1.0
    z = (x2 / n2 - x1 / n1) / math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2))
    return normal_p_value(z)
