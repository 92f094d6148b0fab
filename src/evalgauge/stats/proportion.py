"""Intervals for a pass rate from a count of passes: k of n cases, one pass or fail a case.

Each rule has a ``*_limits`` form, which takes arrays (a coverage study asks for all of 0/n … n/n at once), and an
``*_interval`` form, which takes one count and returns a named :class:`~evalgauge.stats.results.Interval`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ScoreError
from evalgauge.stats.checks import checked_confidence, checked_count_arrays, checked_counts
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Limits: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

# 60 halvings of an interval inside [0, 1] end below the spacing of doubles near 1.
_HALVINGS = 60


def wilson_limits(p: ArrayLike, n: ArrayLike, crit: ArrayLike) -> Limits:
    """Return the ends of Wilson's score interval at a rate, a number of cases and a critical value.

    The one formula behind every Wilson interval of this package: ``n`` may be an effective number of cases and
    ``crit`` a Student quantile.

    Parameters
    ----------
    p
        Rate, a share from 0 to 1. Any shape.
    n
        Number of (effective) cases, above 0, not necessarily whole. Broadcasts with ``p``.
    crit
        Critical value: the normal or Student quantile, above 0. Broadcasts with ``p``.

    Returns
    -------
    tuple of ndarray
        Low and high ends, shares. ``0 <= low <= p <= high <= 1`` holds to the last digit, also at 0/n and n/n.

    References
    ----------
    Wilson 1927, JASA 22, 209-212.

    Examples
    --------
    >>> low, high = wilson_limits(1.0, 16, 1.959964)
    >>> round(float(low), 4), float(high)
    (0.8064, 1.0)
    """
    rate, cases, critical = (np.asarray(value, dtype=np.float64) for value in (p, n, crit))
    c2 = critical * critical
    # Each end is written as a quotient without subtraction; centre minus half-width loses every digit near 0 and 1.
    root = critical * np.sqrt(c2 + 4 * cases * rate * (1 - rate))
    passes, failures = cases * rate, cases * (1 - rate)
    low = 2 * passes * rate / (2 * passes + c2 + root)
    high = 1 - 2 * failures * (1 - rate) / (2 * failures + c2 + root)
    return low, high


def clopper_pearson_limits(passed: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of the Clopper-Pearson interval for arrays of counts.

    Parameters
    ----------
    passed, n
        Passes and cases. Any shapes that broadcast.
    confidence
        Two-sided level, a share.

    References
    ----------
    Clopper and Pearson 1934, Biometrika 26, 404-413; the beta form is in Brown, Cai and DasGupta 2001, section 4.2.1.

    Examples
    --------
    >>> low, high = clopper_pearson_limits([0, 30], 30)
    >>> high.round(3).tolist(), low.round(3).tolist()
    ([0.116, 1.0], [0.0, 0.884])
    """
    passes, cases = checked_count_arrays(passed, n)
    tail = (1 - checked_confidence(confidence)) / 2
    return _clopper_pearson_low(passes, cases, tail), 1 - _clopper_pearson_low(cases - passes, cases, tail)


def jeffreys_limits(passed: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of the Jeffreys interval for arrays of counts.

    Parameters
    ----------
    passed, n
        Passes and cases. Any shapes that broadcast.
    confidence
        Two-sided level, a share.

    References
    ----------
    Brown, Cai and DasGupta 2001, Statistical Science 16, 101-133, section 3.1.2 (low end 0 at 0/n, high end 1 at n/n).

    Examples
    --------
    >>> low, high = jeffreys_limits(9, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.6187, 0.989)
    """
    passes, cases = checked_count_arrays(passed, n)
    tail = (1 - checked_confidence(confidence)) / 2
    return _jeffreys_low(passes, cases, tail), 1 - _jeffreys_low(cases - passes, cases, tail)


def mid_p_limits(passed: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of the mid-p interval for arrays of counts.

    Parameters
    ----------
    passed, n
        Passes and cases. Any shapes that broadcast.
    confidence
        Two-sided level, a share.

    References
    ----------
    Lancaster 1961, JASA 56, 223-234; Berry and Armitage 1995, The Statistician 44, 417-423.

    Examples
    --------
    >>> low, high = mid_p_limits(9, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.5965, 0.995)
    """
    passes, cases = checked_count_arrays(passed, n)
    tail = (1 - checked_confidence(confidence)) / 2
    return _mid_p_low(passes, cases, tail), 1 - _mid_p_low(cases - passes, cases, tail)


def wilson_cc_limits(passed: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of Wilson's interval with continuity correction for arrays of counts.

    Parameters
    ----------
    passed, n
        Passes and cases. Any shapes that broadcast.
    confidence
        Two-sided level, a share.

    References
    ----------
    Newcombe 1998a, Statistics in Medicine 17, 857-872, method 4. The half case is always taken; R's ``prop.test``
    shrinks it when passes are within half a case of n/2.

    Examples
    --------
    >>> low, high = wilson_cc_limits(9, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.5412, 0.9948)
    """
    passes, cases = checked_count_arrays(passed, n)
    crit = normal_quantile(confidence)
    low, _ = wilson_limits(np.maximum(passes - 0.5, 0) / cases, cases, crit)
    _, high = wilson_limits(np.minimum(passes + 0.5, cases) / cases, cases, crit)
    return low, high


def wald_limits(passed: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of the Wald interval, cut to [0, 1], for arrays of counts: for comparison only.

    At 0/n and n/n both ends coincide, one of the reasons why no answer of this package rests on it.

    Parameters
    ----------
    passed, n
        Passes and cases. Any shapes that broadcast.
    confidence
        Two-sided level, a share.

    References
    ----------
    Brown, Cai and DasGupta 2001, Statistical Science 16, 101-133, section 2, on why not to use it.

    Examples
    --------
    >>> low, high = wald_limits([9, 10], 10)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.714, 1.0], [1.0, 1.0])
    """
    passes, cases = checked_count_arrays(passed, n)
    rate = passes / cases
    half = normal_quantile(confidence) * np.sqrt(rate * (1 - rate) / cases)
    return np.maximum(rate - half, 0), np.minimum(rate + half, 1)


def wilson_interval(passed: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return Wilson's score interval: which true rates agree with this pass count?

    Parameters
    ----------
    passed, n
        Passes and cases, 0 <= passed <= n.
    confidence
        Two-sided level, a share.

    Returns
    -------
    Interval
        Shares, method ``"wilson"``.

    Raises
    ------
    ArgumentError
        If the counts are impossible or ``confidence`` is not a share between 0 and 1.

    References
    ----------
    Wilson 1927, JASA 22, 209-212; Newcombe 1998a, method 3.

    Examples
    --------
    >>> print(wilson_interval(232, 800))
    0.2596 to 0.3224 (0.95 wilson)
    """
    passes, cases = checked_counts(passed, n)
    low, high = wilson_limits(passes / cases, cases, normal_quantile(confidence))
    return Interval(low=float(low), high=float(high), confidence=confidence, method="wilson")


def clopper_pearson_interval(passed: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the exact interval that never covers less than ``confidence``, at the price of width.

    Parameters, Raises as :func:`wilson_interval`; references as :func:`clopper_pearson_limits`.

    Examples
    --------
    >>> print(clopper_pearson_interval(0, 30))
    0 to 0.1157 (0.95 clopper-pearson)
    """
    return _named(clopper_pearson_limits, passed, n, confidence, "clopper-pearson")


def jeffreys_interval(passed: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the equal-tailed interval of a Beta(1/2, 1/2) prior.

    Parameters, Raises as :func:`wilson_interval`; references as :func:`jeffreys_limits`.

    Examples
    --------
    >>> print(jeffreys_interval(16, 16))
    0.8568 to 1 (0.95 jeffreys)
    """
    return _named(jeffreys_limits, passed, n, confidence, "jeffreys")


def mid_p_interval(passed: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the exact interval that counts half of the observed outcome's own chance.

    Parameters, Raises as :func:`wilson_interval`; references as :func:`mid_p_limits`.

    Examples
    --------
    >>> print(mid_p_interval(45, 50))
    0.7922 to 0.9624 (0.95 mid-p)
    """
    return _named(mid_p_limits, passed, n, confidence, "mid-p")


def wilson_cc_interval(passed: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return Wilson's interval with a continuity correction of half a case.

    Parameters, Raises as :func:`wilson_interval`; references as :func:`wilson_cc_limits`.

    Examples
    --------
    >>> print(wilson_cc_interval(45, 50))
    0.7741 to 0.9626 (0.95 wilson-cc)
    """
    return _named(wilson_cc_limits, passed, n, confidence, "wilson-cc")


def wald_interval(passed: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Return the Wald interval of most dashboards, for comparison only.

    Parameters as :func:`wilson_interval`; references as :func:`wald_limits`.

    Raises
    ------
    ArgumentError
        If the counts are impossible or ``confidence`` is not a share between 0 and 1.
    ScoreError
        At 0/n and n/n, where the rule has no width.

    Examples
    --------
    >>> print(wald_interval(45, 50))
    0.8168 to 0.9832 (0.95 wald)
    """
    if passed in (0, n):
        raise ScoreError(
            f"wald: {passed:g} of {n:g} passed, and the Wald interval has no width there, which would claim certainty. "
            "Use wilson or clopper-pearson."
        )
    return _named(wald_limits, passed, n, confidence, "wald")


def _named(limits: Callable[..., Limits], passed: float, n: float, confidence: float, method: str) -> Interval:
    passes, cases = checked_counts(passed, n)
    low, high = limits(passes, cases, confidence=confidence)
    return Interval(low=float(low), high=float(high), confidence=confidence, method=method)


# The high end of each exact rule is the mirror of the low end of the failures. Computing both from small tails keeps
# the digits that 1 - tail would lose.


def _clopper_pearson_low(passes: NDArray[np.float64], cases: NDArray[np.float64], tail: float) -> NDArray[np.float64]:
    some = np.where(passes > 0, passes, 1.0)  # the beta law has no parameter 0; 0/n is set below
    return np.where(passes > 0, special.betaincinv(some, cases - passes + 1, tail), 0.0)


def _jeffreys_low(passes: NDArray[np.float64], cases: NDArray[np.float64], tail: float) -> NDArray[np.float64]:
    return np.where(passes > 0, special.betaincinv(passes + 0.5, cases - passes + 0.5, tail), 0.0)


def _mid_p_low(passes: NDArray[np.float64], cases: NDArray[np.float64], tail: float) -> NDArray[np.float64]:
    low, high = np.zeros_like(passes), np.ones_like(passes)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        is_below = _mid_p_upper_tail(passes, cases, middle) < tail
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return np.where(passes > 0, low, 0.0)


def _mid_p_upper_tail(
    passes: NDArray[np.float64], cases: NDArray[np.float64], rate: NDArray[np.float64]
) -> NDArray[np.float64]:
    """P(X > passes) + P(X = passes)/2 for X ~ Binomial(cases, rate) and passes > 0, as the mean of two tails."""
    some = np.where(passes > 0, passes, 1.0)
    rest = np.where(passes < cases, cases - passes, 1.0)
    at_least = special.betainc(some, cases - passes + 1, rate)
    above = np.where(passes < cases, special.betainc(passes + 1, rest, rate), 0.0)
    return (at_least + above) / 2
