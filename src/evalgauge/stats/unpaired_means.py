"""Graded scores or averaged reps on different cases, two arms: intervals for the difference of the mean scores.

Arm 1 is the baseline, arm 2 the candidate, and the difference is candidate − baseline. Each arm is one mean per case.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_scores, checked_whole
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.quantiles import t_p_value, t_quantile
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    Pivot: TypeAlias = tuple[float, float, float]


def welch_t(
    base_means: ArrayLike,
    cand_means: ArrayLike,
    *,
    confidence: float = 0.95,
    span: float = math.inf,
    base_counts: ArrayLike | None = None,
    cand_counts: ArrayLike | None = None,
) -> Estimate:
    """Answer "how far apart are the mean scores of two arms on different cases?" with Welch's t interval.

    Parameters
    ----------
    base_means, cand_means
        One mean per case, at least 2 cases an arm, in the unit of the score.
    confidence
        Two-sided level, a share.
    span
        Width of the score's range: the ends are cut at ±``span``.
    base_counts, cand_counts
        How many cases each mean stands for, whole numbers; one each where they are left out.

    Raises
    ------
    ArgumentError
        If an arm has fewer than 2 cases or NaN among them, or the level is not a share.
    ScoreError
        If no arm varies, where the rule has no width.

    References
    ----------
    Welch 1947, Biometrika 34, 28-35.

    Examples
    --------
    >>> print(welch_t([0.5, 0.65, 0.7, 0.4], [0.9, 0.8, 0.7, 1, 0.6]).interval)
    0.003484 to 0.4715 (0.95 welch)
    """
    difference, error, df = _welch_pivot((base_means, base_counts), (cand_means, cand_counts))
    reach = t_quantile(confidence, df) * error
    interval = Interval(
        low=max(-span, difference - reach), high=min(span, difference + reach), confidence=confidence, method="welch"
    )
    return Estimate(estimate=difference, interval=interval, std_error=error, df=df, n_eff=math.nan)


def welch_p(
    base_means: ArrayLike,
    cand_means: ArrayLike,
    *,
    base_counts: ArrayLike | None = None,
    cand_counts: ArrayLike | None = None,
) -> float:
    """Return the two-sided p-value of Welch's t test, the one that agrees with `welch_t`.

    Parameters
    ----------
    base_means, cand_means
        One mean per case, at least 2 cases an arm.
    base_counts, cand_counts
        How many cases each mean stands for, whole numbers; one each where they are left out.

    Raises
    ------
    ArgumentError
        If an arm has fewer than 2 cases or NaN among them.
    ScoreError
        If no arm varies: there is no spread to measure the difference by.

    References
    ----------
    Welch 1947, Biometrika 34, 28-35.

    Examples
    --------
    >>> round(welch_p([0.5, 0.65, 0.7, 0.4], [0.9, 0.8, 0.7, 1, 0.6]), 4)
    0.0475
    """
    difference, error, df = _welch_pivot((base_means, base_counts), (cand_means, cand_counts))
    return t_p_value(difference / error, df)


def _welch_pivot(base: tuple[ArrayLike, ArrayLike | None], cand: tuple[ArrayLike, ArrayLike | None]) -> Pivot:
    """Return the difference, its standard error and Satterthwaite's degrees of freedom."""
    mean1, square1, n1 = _moments(*base, "base_means", "base_counts")
    mean2, square2, n2 = _moments(*cand, "cand_means", "cand_counts")
    part1, part2 = square1 / n1, square2 / n2
    # A spread of rounding size is none.
    if math.sqrt(max(square1, square2)) <= 1e-12 * max(abs(mean1), abs(mean2)):
        raise ScoreError(
            f"welch: all {n1:g} baseline scores are {mean1:g} and all {n2:g} candidate scores are {mean2:g}; this "
            "interval has no width there, which would claim certainty. Use mover."
        )
    df = (part1 + part2) ** 2 / (part1**2 / (n1 - 1) + part2**2 / (n2 - 1))
    return mean2 - mean1, math.sqrt(part1 + part2), df


def _moments(means: ArrayLike, counts: ArrayLike | None, argument: str, counts_argument: str) -> Pivot:
    """Return mean, variance (n - 1) and number of cases."""
    scores = checked_scores(means, argument)
    held = None if counts is None else checked_whole(counts, counts_argument, least=0, size=scores.size)
    n = float(scores.size if held is None else held.sum())
    if n < 2:
        raise ArgumentError(argument, f"{n:g} cases", "at least 2")
    if held is None:
        mean = float(scores.sum()) / n
        return mean, float(np.square(scores - mean).sum()) / (n - 1), n
    mean = float(scores @ held) / n
    return mean, float(np.square(scores - mean) @ held) / (n - 1), n


def mover_difference(base: Estimate, candidate: Estimate, *, span: float = 1.0) -> Interval:
    """Combine the intervals of two arms on different cases into one for the difference, candidate − baseline.

    With effective-n Wilson estimates this is Newcombe's hybrid for reps, graded scores and clusters: it has width when
    every case passes, and each arm keeps its own degrees of freedom.

    Parameters
    ----------
    base, candidate
        Estimate and interval of each arm, at the same confidence.
    span
        Width of the score's range: the ends are cut at ±``span``.

    References
    ----------
    Zou and Donner 2008, Statistics in Medicine 27, 1693-1702, equation 6; Newcombe 1998, Statistics in Medicine 17,
    873-890, method 10.

    Examples
    --------
    >>> arm = Interval(low=0.6, high=0.8, confidence=0.95, method="effective-n-wilson")
    >>> base = Estimate(estimate=0.7, interval=arm, std_error=0.05, df=9, n_eff=80)
    >>> print(mover_difference(base, base))
    -0.1414 to 0.1414 (0.95 mover)
    """
    low, high = mover_difference_limits(
        (base.estimate, base.interval.low, base.interval.high),
        (candidate.estimate, candidate.interval.low, candidate.interval.high),
    )
    return Interval(
        low=max(-span, float(low)), high=min(span, float(high)), confidence=base.interval.confidence, method="mover"
    )
