"""A total over slices (strata) whose weights are not the shares of cases, such as traffic shares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence, checked_scores
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


def checked_weights(weights: ArrayLike, size: int) -> Array:
    """Return the weights of the strata: shares of 0 or more that sum to 1.

    Parameters
    ----------
    weights
        One share per stratum.
    size
        Number of strata.

    Raises
    ------
    ArgumentError
        If there is not one weight per stratum, a weight is negative or they do not sum to 1.

    Examples
    --------
    >>> checked_weights([0.5, 0.25, 0.25], 3).tolist()
    [0.5, 0.25, 0.25]
    """
    w = checked_scores(weights, "weights")
    if w.size != size:
        raise ArgumentError("weights", f"{w.size} weights", f"one weight per slice ({size})")
    if w.min() < 0 or abs(float(w.sum()) - 1) > 1e-6:
        raise ArgumentError(
            "weights", w.tolist(), "shares of 0 or more that sum to 1", f"Divide each by their sum, {w.sum():g}."
        )
    return w / w.sum()


def yan_su_limits(rates: Array, n_eff: Array, weights: Array, df: Array, *, confidence: float) -> tuple[Array, Array]:
    """Return the ends of the stratified Wilson interval for many logs at once.

    Parameters
    ----------
    rates, n_eff
        Rate and (effective) number of cases of each stratum; the last axis holds the strata.
    weights
        Weight of each stratum.
    df
        Degrees of freedom of each stratum's variance; infinite for pass counts.
    confidence
        Two-sided level, a share.

    References
    ----------
    Yan and Su 2010, Statistics in Biopharmaceutical Research 2, 329-335, with fixed weights; Satterthwaite 1946 for the
    degrees of freedom of the weighted variance.

    Examples
    --------
    >>> rates, cases = np.array([0.9, 0.7, 0.9]), np.array([50.0, 40.0, 10.0])
    >>> low, high = yan_su_limits(rates, cases, np.array([0.6, 0.3, 0.1]), np.full(3, np.inf), confidence=0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.7576, 0.8946)
    """
    parts, free = _variance_parts(rates, n_eff, weights, df, confidence=confidence)
    shrink = np.sqrt(parts.sum(axis=-1)) / np.sqrt(parts).sum(axis=-1)
    low, high = wilson_limits(rates, n_eff, (t_quantile(confidence, free) * shrink)[..., None])
    return (weights * low).sum(axis=-1), (weights * high).sum(axis=-1)


def yan_su_interval(
    rates: ArrayLike,
    n_eff: ArrayLike,
    *,
    weights: ArrayLike,
    df: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Return the weighted total over strata with the stratified Wilson interval: what is the score on real traffic?

    Parameters
    ----------
    rates
        Mean of each stratum, a share.
    n_eff
        Cases of each stratum; for repeated or graded scores the effective number of cases
        (:func:`~evalgauge.stats.means.effective_n`).
    weights
        Weight of each stratum; they sum to 1.
    df
        Degrees of freedom behind each ``n_eff`` (its cases less one); infinite, the default, for pass counts.
    confidence
        Two-sided level, a share.

    Returns
    -------
    Estimate
        Shares; method ``"yan-su"``.

    Raises
    ------
    ArgumentError
        If the arrays do not fit together or a value is impossible.

    References
    ----------
    Yan and Su 2010, Statistics in Biopharmaceutical Research 2, 329-335.

    Examples
    --------
    >>> print(yan_su_interval([0.9, 0.7, 0.9], [50, 40, 10], weights=[0.6, 0.3, 0.1]).interval)
    0.7576 to 0.8946 (0.95 yan-su)
    """
    checked_confidence(confidence)
    p, n, w = _checked_strata(rates, n_eff, weights)
    free = np.full(p.size, np.inf) if df is None else np.asarray(df, dtype=np.float64)
    if free.shape != p.shape or not (free > 0).all():
        raise ArgumentError("df", df, f"one number above 0 per stratum ({p.size})")
    low, high = yan_su_limits(p, n, w, free, confidence=confidence)
    parts, total_df = _variance_parts(p, n, w, free, confidence=confidence)
    return Estimate(
        estimate=float((w * p).sum()),
        interval=Interval(low=float(low), high=float(high), confidence=confidence, method="yan-su"),
        std_error=math.sqrt(parts.sum()),
        df=float(total_df),
        n_eff=math.nan,
    )


def weighted_t_interval(
    means: ArrayLike, std_errors: ArrayLike, df: ArrayLike, *, weights: ArrayLike, confidence: float = 0.95
) -> Estimate:
    """Return the weighted total over strata whose scores have no range, with a Student interval.

    Parameters
    ----------
    means, std_errors
        Mean of each stratum and its standard error, in the unit of the score.
    df
        Degrees of freedom of each standard error.
    weights
        Weight of each stratum; they sum to 1.
    confidence
        Two-sided level, a share.

    Returns
    -------
    Estimate
        In the unit of the scores; method ``"weighted t"``, Satterthwaite degrees of freedom.

    Raises
    ------
    ArgumentError
        If the arrays do not fit together, or a standard error or its degrees of freedom are not above 0.

    References
    ----------
    Satterthwaite 1946, Biometrics Bulletin 2, 110-114.

    Examples
    --------
    >>> print(weighted_t_interval([4.1, 3.0], [0.2, 0.3], [19, 9], weights=[0.7, 0.3]).interval)
    3.429 to 4.111 (0.95 weighted t)
    """
    checked_confidence(confidence)
    y, errors, free = (
        checked_scores(values, name) for values, name in ((means, "means"), (std_errors, "std_errors"), (df, "df"))
    )
    w = checked_weights(weights, y.size)
    if not y.shape == errors.shape == free.shape or errors.min() <= 0 or free.min() <= 0:
        raise ArgumentError("std_errors, df", (std_errors, df), f"one number above 0 per stratum ({y.size})")
    parts = np.square(w * errors)
    total_df = float(parts.sum() ** 2 / (np.square(parts) / free).sum())
    std_error, total = math.sqrt(parts.sum()), float((w * y).sum())
    half = t_quantile(confidence, total_df) * std_error
    return Estimate(
        estimate=total,
        interval=Interval(low=total - half, high=total + half, confidence=confidence, method="weighted t"),
        std_error=std_error,
        df=total_df,
        n_eff=math.nan,
    )


def mover_total_interval(
    rates: ArrayLike, lows: ArrayLike, highs: ArrayLike, *, weights: ArrayLike, confidence: float = 0.95
) -> Interval:
    """Return an interval for a weighted total, recovered from the intervals of the strata.

    Parameters
    ----------
    rates
        Mean of each stratum.
    lows, highs
        Ends of each stratum's interval at ``confidence``.
    weights
        Weight of each stratum; they sum to 1.
    confidence
        Two-sided level of the given intervals, a share.

    Returns
    -------
    Interval
        Method ``"mover total"``.

    Raises
    ------
    ArgumentError
        If the arrays do not fit together or an estimate is outside its interval.

    References
    ----------
    Zou, Huang and Zhang 2009, Computational Statistics and Data Analysis 53, 1080-1085.

    Examples
    --------
    >>> print(mover_total_interval([0.9, 0.7], [0.8, 0.5], [0.95, 0.85], weights=[0.5, 0.5]))
    0.6882 to 0.8791 (0.95 mover total)
    """
    checked_confidence(confidence)
    p = checked_scores(rates, "rates")
    low, high = checked_scores(lows, "lows"), checked_scores(highs, "highs")
    if not p.shape == low.shape == high.shape or not ((low <= p) & (p <= high)).all():
        raise ArgumentError("lows, highs", "ends that do not enclose each rate", "one low and one high end per stratum")
    w = checked_weights(weights, p.size)
    total = float((w * p).sum())
    return Interval(
        low=total - math.sqrt(np.square(w * (p - low)).sum()),
        high=total + math.sqrt(np.square(w * (high - p)).sum()),
        confidence=confidence,
        method="mover total",
    )


def _checked_strata(rates: ArrayLike, n_eff: ArrayLike, weights: ArrayLike) -> tuple[Array, Array, Array]:
    p, n = checked_scores(rates, "rates"), checked_scores(n_eff, "n_eff")
    if p.min() < 0 or p.max() > 1:
        raise ArgumentError("rates", p.tolist(), "shares from 0 to 1", "Rescale graded scores by their range first.")
    if n.size != p.size or n.min() <= 0:
        raise ArgumentError("n_eff", n.tolist(), f"one number above 0 per stratum ({p.size})")
    return p, n, checked_weights(weights, p.size)


def _variance_parts(rates: Array, n_eff: Array, weights: Array, df: Array, *, confidence: float) -> tuple[Array, Array]:
    """Variance of the total by stratum, and its Satterthwaite degrees of freedom (infinite for pass counts)."""
    z2 = normal_quantile(confidence) ** 2
    # A stratum at 0 or 1 shows no variance of its own to share the width out by; it gets that of its Wilson midpoint.
    is_edge = (rates <= 0) | (rates >= 1)
    rate = np.where(is_edge, (rates * n_eff + z2 / 2) / (n_eff + z2), rates)
    parts = weights**2 * rate * (1 - rate) / np.where(is_edge, n_eff + z2, n_eff)
    variance, spread = np.asarray(parts.sum(axis=-1)), np.asarray((parts**2 / df).sum(axis=-1))
    return parts, np.divide(variance**2, spread, out=np.full_like(variance, np.inf), where=spread > 0)
