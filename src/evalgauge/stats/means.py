"""Intervals for a mean of case means: reps are averaged inside their case first, so the sample is the cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_confidence, checked_scores, checked_unit_scores, checked_whole
from evalgauge.stats.components import within_sums_of_squares
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


def effective_n(case_means: ArrayLike) -> Array:
    """Return how many independent pass/fail cases would be as informative as these case means.

    Case means near each other carry more than one pass or fail each, up to ``n + 1`` of them: one pass/fail
    pseudo-case is added to the variance, so that no log is ever worth more than ``n(n + 1)`` or less than ``n``.

    Parameters
    ----------
    case_means
        Means of the runs of each case, shares from 0 to 1; the last axis holds the cases.

    Returns
    -------
    ndarray
        ``n(n + 1)/(n·rho + 1)`` for each leading index, where rho is the variance of the case means relative to that
        of a pass/fail score of the same mean; rho is 1 where the mean is 0 or 1. One case alone is worth one.

    Raises
    ------
    ArgumentError
        If a mean is outside 0 to 1 or there is no case.

    Examples
    --------
    >>> round(float(effective_n([0.6, 1.0, 0.8, 0.0, 0.4])), 2)
    8.82
    >>> float(effective_n([1.0, 0.0, 1.0]))
    3.0
    """
    y = np.asarray(case_means, dtype=np.float64)
    if y.ndim == 0 or y.shape[-1] == 0:
        raise ArgumentError("case_means", f"an array of shape {y.shape}", "at least one case on the last axis")
    if not ((y >= 0) & (y <= 1)).all():
        raise ArgumentError("case_means", "values outside 0 to 1 or NaN", "shares from 0 to 1", "Rescale them first.")
    n = y.shape[-1]
    p = y.mean(axis=-1)
    return np.ones_like(p) if n == 1 else pseudo_case_n(np.square(y - p[..., None]).sum(axis=-1), p, n)


def pseudo_case_n(sum_of_squares: Array, p: Array, n: float) -> Array:
    """Return ``n(n + 1)/(n·rho + 1)``, the effective number of cases with one pass/fail pseudo-case in the variance.

    Parameters
    ----------
    sum_of_squares
        Squared deviations of the n case means, summed; for clusters: n times n times the variance of the mean.
    p
        Mean, a share.
    n
        Number of cases, or of effective clusters.

    Examples
    --------
    >>> float(pseudo_case_n(np.array(0.0), np.array(1.0), 16))
    16.0
    """
    pass_fail = n * p * (1 - p)
    rho = np.divide(sum_of_squares, pass_fail, out=np.ones_like(p), where=pass_fail > 0)
    return n * (n + 1) / (n * rho + 1)


def effective_n_cap(case_means: ArrayLike, reps: ArrayLike) -> Array:
    """Return the most that pass/fail case means can be worth when the numbers of reps differ.

    Were all cases alike, the mean of case means would vary like ``n²/sum(1/R)`` independent runs. A few cases with one
    rep that all passed can look steadier than that by luck.

    Parameters
    ----------
    case_means
        Shares of passed runs of each case; the last axis holds the cases.
    reps
        Runs of each case, whole numbers above 0, one per case.

    Returns
    -------
    ndarray
        ``max(n, n²/sum(1/R))``, and infinity where every case has the same number of reps. R counts runs after the
        largest whole factor that all passes and all reps share is taken out: a log in which every run is
        copied k times is worth what the log itself is worth.

    Raises
    ------
    ArgumentError
        If a case mean is not a whole number of passes out of its reps.

    Examples
    --------
    >>> cap = effective_n_cap([1.0, 1.0, 0.5, 1.0], [1, 1, 10, 1])
    >>> round(float(cap), 2), float(effective_n_cap([1.0, 1.0, 0.5, 1.0], [3, 3, 30, 3])) == float(cap)
    (5.16, True)
    """
    y = np.asarray(case_means, dtype=np.float64)
    n = y.shape[-1]
    runs = checked_whole(reps, "reps", least=1, size=n)
    passes = np.rint(y * runs)
    if np.abs(y * runs - passes).max() > 1e-6:
        raise ArgumentError(
            "reps", "case means that are no whole number of passes", "reps of pass/fail scores", "Leave reps out."
        )
    shared = np.gcd(np.gcd.reduce(passes.astype(np.int64), axis=-1), np.gcd.reduce(runs))
    cap = np.maximum(n, n * n / (shared[..., None] / runs).sum(axis=-1))
    return np.full(y.shape[:-1], np.inf) if (runs == runs[0]).all() else cap


def effective_n_wilson_limits(
    case_means: ArrayLike, *, confidence: float = 0.95, reps: ArrayLike | None = None
) -> tuple[Array, Array, Array]:
    """Return the ends of the effective-n Wilson interval, and the effective n, for many logs at once.

    Parameters
    ----------
    case_means
        Shares; the last axis holds the cases.
    confidence
        Two-sided level, a share.
    reps
        Runs of each case, for pass/fail scores only: see :func:`effective_n_cap`.

    Returns
    -------
    tuple of ndarray
        Low ends, high ends, effective n; one of each per leading index.

    Examples
    --------
    >>> low, high, n_eff = effective_n_wilson_limits([[1.0, 0.5], [1.0, 1.0]])
    >>> n_eff.round(2).tolist()
    [3.6, 2.0]
    """
    y = np.asarray(case_means, dtype=np.float64)
    n_eff = effective_n(y)
    if reps is not None:
        n_eff = np.minimum(n_eff, effective_n_cap(y, reps))
    n = y.shape[-1]
    # No Student law has 0 degrees of freedom: one case is read as one pass/fail case, by the normal quantile.
    crit = t_quantile(confidence, float(n - 1)) if n > 1 else normal_quantile(confidence)
    return *wilson_limits(y.mean(axis=-1), n_eff, crit), n_eff


def effective_n_wilson(
    case_means: ArrayLike,
    *,
    confidence: float = 0.95,
    score_range: tuple[float, float] = (0.0, 1.0),
    reps: ArrayLike | None = None,
) -> Estimate:
    """Return the mean score over new cases like these, with the effective-n Wilson interval.

    For repeated runs and graded scores: Wilson's formula at the effective number of cases, with a Student quantile.
    It depends on the case means alone, so copying every rep changes nothing.

    Parameters
    ----------
    case_means
        One mean per case, in the unit of the score.
    confidence
        Two-sided level, a share.
    score_range
        Lowest and highest possible score.
    reps
        Runs of each case, for pass/fail scores only: where they differ, the effective n is capped
        (:func:`effective_n_cap`).

    Returns
    -------
    Estimate
        In the unit of the score; method ``"effective-n wilson t"``. With one case the quantile is normal
        (``df`` is infinite) and ``std_error`` is not a number.

    Raises
    ------
    ArgumentError
        If a score is outside ``score_range``, or reps are given for scores that are not pass/fail.

    References
    ----------
    Wilson 1927, JASA 22, 209-212, for the formula; Korn and Graubard 1998, Survey Methodology 24, 193-201, for an
    effective number of cases with a Student quantile in an interval for a proportion.

    Examples
    --------
    >>> result = effective_n_wilson([0.6, 1.0, 0.8, 0.0, 0.4, 1.0])
    >>> print(result.interval)
    0.2704 to 0.8895 (0.95 effective-n wilson t)
    """
    y = checked_unit_scores(case_means, score_range)
    low, high, n_eff = effective_n_wilson_limits(y, confidence=confidence, reps=reps)
    start, span = score_range[0], score_range[1] - score_range[0]
    return Estimate(
        estimate=float(y.mean()) * span + start,
        interval=Interval(
            low=float(low) * span + start,
            high=float(high) * span + start,
            confidence=confidence,
            method="effective-n wilson t",
        ),
        std_error=float(y.std(ddof=1)) * span / math.sqrt(y.size) if y.size > 1 else math.nan,
        df=y.size - 1 if y.size > 1 else math.inf,
        n_eff=float(n_eff),
    )


def t_limits(scores: ArrayLike, *, confidence: float = 0.95) -> tuple[Array, Array]:
    """Return the ends of Student's interval for many logs at once; they coincide where all scores are equal.

    Parameters
    ----------
    scores
        The last axis holds the cases, at least two.
    confidence
        Two-sided level, a share.

    Examples
    --------
    >>> low, high = t_limits([[1.0, 2.0, 3.0], [2.0, 2.0, 2.0]])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([-0.484, 2.0], [4.484, 2.0])
    """
    y = np.asarray(scores, dtype=np.float64)
    n = y.shape[-1]
    half = t_quantile(confidence, float(n - 1)) * y.std(axis=-1, ddof=1) / math.sqrt(n)
    return y.mean(axis=-1) - half, y.mean(axis=-1) + half


def t_interval(scores: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Return the mean score over new cases like these, with Student's interval over case means.

    For scores without a range; where a range is known, :func:`effective_n_wilson` covers better near its ends.

    Parameters
    ----------
    scores
        One mean per case, at least two, in any unit.
    confidence
        Two-sided level, a share.

    Returns
    -------
    Estimate
        In the unit of the scores; method ``"t"``.

    Raises
    ------
    ArgumentError
        If there are fewer than two cases or a score is not finite.
    ScoreError
        If all scores are equal: the interval would have no width.

    References
    ----------
    Student 1908, Biometrika 6, 1-25.

    Examples
    --------
    >>> print(t_interval([0.2, 0.5, 0.9]).interval)
    -0.3391 to 1.406 (0.95 t)
    """
    checked_confidence(confidence)
    y = checked_scores(scores, least=2)
    if y.min() == y.max():
        raise ScoreError(
            f"t: all {y.size} case means equal {y[0]:g}, so a t interval would have no width and claim certainty. "
            "Declare the range of the score (--range) to get an interval that stays honest, or add cases."
        )
    low, high = t_limits(y, confidence=confidence)
    return Estimate(
        estimate=float(y.mean()),
        interval=Interval(low=float(low), high=float(high), confidence=confidence, method="t"),
        std_error=float(y.std(ddof=1)) / math.sqrt(y.size),
        df=y.size - 1,
        n_eff=math.nan,
    )


def fixed_cases_interval(
    case_means: ArrayLike,
    reps: ArrayLike,
    sums_of_squares: ArrayLike,
    *,
    confidence: float = 0.95,
    score_range: tuple[float, float] | None = None,
) -> Estimate:
    """Return the mean score of exactly these cases, were each run without end: only run noise counts.

    Parameters
    ----------
    case_means
        One mean per case, in the unit of the score.
    reps
        Runs of each case. At least one case needs two; a case with one run borrows the pooled variance of the others.
    sums_of_squares
        Squared scores of the runs of each case, summed.
    confidence
        Two-sided level, a share.
    score_range
        Lowest and highest possible score; the ends are cut there.

    Returns
    -------
    Estimate
        In the unit of the score; method ``"within-case t"``, Satterthwaite degrees of freedom. They count the cases
        that were seen to vary: with one such case at two reps there is one degree of freedom.

    Raises
    ------
    ScoreError
        If no case has two reps, or the reps of every case agree.

    References
    ----------
    Satterthwaite 1946, Biometrics Bulletin 2, 110-114, equation 17.

    Examples
    --------
    >>> result = fixed_cases_interval([2 / 3, 1.0, 1 / 3], [3, 3, 3], [2.0, 3.0, 1.0])
    >>> round(result.std_error, 4), result.df
    (0.1571, 4.0)
    """
    checked_confidence(confidence)
    y = checked_scores(case_means, "case_means")
    runs = checked_whole(reps, "reps", least=1, size=y.size)
    squares = within_sums_of_squares(runs, y * runs, checked_scores(sums_of_squares, "sums_of_squares"))
    free = runs - 1
    if free.sum() == 0:
        raise ScoreError(
            "within-case t: every case has one rep, so the noise between runs cannot be seen. Run each case at least "
            "twice, or ask for new cases (target='new-cases')."
        )
    if squares.sum() == 0:
        raise ScoreError(
            "within-case t: the reps of every case agree, so the interval for exactly these cases would have no width. "
            "Check that reps are not served from a cache; else ask for new cases (target='new-cases') or run more reps."
        )
    case_var = squares / np.maximum(free, 1)
    # The variance of the mean is a weighted sum of the case variances; the pooled one serves the cases run once.
    weights = np.where(free > 0, 1 / runs, 0.0) + (free == 0).sum() * free / free.sum()
    parts = weights * case_var / y.size**2
    df = float(parts.sum() ** 2 / (np.square(parts[free > 0]) / free[free > 0]).sum())
    std_error = math.sqrt(parts.sum())
    half = t_quantile(confidence, df) * std_error
    low, high = score_range if score_range is not None else (-math.inf, math.inf)
    return Estimate(
        estimate=float(y.mean()),
        interval=Interval(
            low=max(float(y.mean()) - half, low),
            high=min(float(y.mean()) + half, high),
            confidence=confidence,
            method="within-case t",
        ),
        std_error=std_error,
        df=df,
        n_eff=math.nan,
    )
