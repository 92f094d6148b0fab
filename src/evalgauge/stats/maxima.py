"""How high the best of k comes out by luck alone: expected maxima of k normal and of k binomial scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

# Up to here the integral below is exact to 1e-13; nobody looks at one set more often.
MOST_LOOKS = 1_000_000
_LOWEST, _HIGHEST, _STEPS = -9.0, 11.0, 400
# Halvings that bring an interval of a million below the spacing of doubles.
_HALVINGS = 80
# Points over the window of a binomial maximum, 24 standard deviations: strides of a 85th of one lose no digit.
_MOST_POINTS = 2_048


def expected_max_normal(k: float) -> float:
    """Return m(k), the expected maximum of k independent standard normal scores.

    Parameters
    ----------
    k
        How many, from 1 to 1,000,000; not necessarily whole, so that an effective number of looks fits.

    Raises
    ------
    ArgumentError
        If ``k`` is outside that range.

    References
    ----------
    Order statistics: the integral of x·k·φ(x)·Φ(x)^(k-1), by the trapezoid rule, which is exact to 1e-13 for such
    integrands (Trefethen and Weideman 2014, SIAM Review 56, 385-458).

    Examples
    --------
    >>> round(expected_max_normal(10), 4), abs(round(expected_max_normal(1), 12))
    (1.5388, 0.0)
    """
    _checked_k(k)
    x = np.linspace(_LOWEST, _HIGHEST, _STEPS + 1)
    density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    weights = k * density * np.exp((k - 1) * special.log_ndtr(x))
    return float(np.sum(x * weights)) * (_HIGHEST - _LOWEST) / _STEPS


def expected_max_blom(k: float) -> float:
    """Return Blom's approximation of m(k): kept beside the exact value, because it is in many handbooks.

    It errs by +.025 at k = 2 and by -.014 at k = 1,000.

    Parameters
    ----------
    k
        As in `expected_max_normal`.

    References
    ----------
    Blom 1958, Statistical Estimates and Transformed Beta-Variables.

    Examples
    --------
    >>> round(expected_max_blom(10), 4)
    1.5466
    """
    _checked_k(k)
    return float(special.ndtri((k - 0.375) / (k + 0.25)))


def blom_looks(excess: float) -> float:
    """Return the k at which Blom's approximation equals an excess in standard errors: its closed-form inverse.

    Parameters
    ----------
    excess
        Tolerated optimism in standard errors, 0 or more.

    Returns
    -------
    float
        Looks, not rounded; infinite where the normal law cannot tell the excess from certainty.

    References
    ----------
    Blom 1958, solved for k.

    Examples
    --------
    >>> round(blom_looks(0.02 / 0.0126491106), 2)
    10.73
    """
    q = float(special.ndtr(excess))
    return (0.375 + 0.25 * q) / (1 - q) if q < 1 else math.inf


def equivalent_looks(excess: float) -> float:
    """Return m⁻¹: how many independent candidates of one quality would show this excess of the best.

    Parameters
    ----------
    excess
        Expected excess of the best over the common mean, in standard errors.

    Returns
    -------
    float
        From 1 (no excess) to 1,000,000 (where the search ends).

    Examples
    --------
    >>> round(equivalent_looks(expected_max_normal(10)), 6)
    10.0
    """
    low, high = 0.0, math.log(MOST_LOOKS)
    if excess <= 0:
        return 1.0
    if excess >= expected_max_normal(MOST_LOOKS):
        return float(MOST_LOOKS)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if expected_max_normal(math.exp(middle)) < excess else (low, middle)
    return math.exp((low + high) / 2)


def expected_max_binomial(n: int, rate: float, k: float) -> float:
    """Return the expected share of the best of k independent candidates that all pass each of n cases at ``rate``.

    Parameters
    ----------
    n
        Number of cases.
    rate
        Common true pass rate, a share.
    k
        Number of candidates, 1 to 1,000,000; not necessarily whole.

    Returns
    -------
    float
        A share of the n cases: never above 1.

    References
    ----------
    Expectation of a maximum as a sum of tails: E max = Σ_{x<n} (1 - F(x)^k).

    Examples
    --------
    >>> round(expected_max_binomial(300, 0.8, 10) - 0.8, 4)
    0.0349
    """
    _checked_k(k)
    if not 0 < rate < 1:
        return float(rate)
    # Outside this window every tail is 0 or 1 to the last digit (Bernstein's inequality, k to a million).
    reach = 12 * math.sqrt(n * rate * (1 - rate)) + 60
    first, last = max(0, math.floor(n * rate - reach)), min(n, math.ceil(n * rate + reach))
    # Large sets: the middle of a stride stands for its cases, which is exact to rounding where the law is that smooth.
    stride = max(1, (last - first) // _MOST_POINTS)
    x = np.arange(first + (stride - 1) / 2, last, stride)
    above = np.minimum(special.betainc(x + 1, np.maximum(n - x, 0.5), rate), 1 - 1e-16)
    tails = -np.expm1(k * np.log1p(-above))
    return min(1.0, (first + stride * float(tails.sum())) / n)


def equicorrelated_critical(k: int, correlation: float, tail: float) -> float:
    """Return the value that the best of k equally correlated standard normal scores exceeds with a chance ``tail``.

    Parameters
    ----------
    k
        Number of scores, 1 or more.
    correlation
        Of each pair, from 0 to below 1.
    tail
        Chance to exceed, a share between 0 and 1: 0.025 for the lower end of a two-sided 95 % interval.

    Raises
    ------
    ArgumentError
        If the correlation or the tail is out of range.

    References
    ----------
    Dunnett and Sobel 1955, Biometrika 42, 258-260: one shared factor, the rest independent.

    Examples
    --------
    >>> round(equicorrelated_critical(10, 0.5, 0.025), 5)
    2.71629
    """
    _checked_k(k)
    if not 0 <= correlation < 1:
        raise ArgumentError("correlation", correlation, "a share from 0 to below 1")
    if not 0 < tail < 1:
        raise ArgumentError("tail", tail, "a chance between 0 and 1")
    x = np.linspace(_LOWEST, _HIGHEST, _STEPS + 1)
    shared, own = math.sqrt(correlation), math.sqrt(1 - correlation)
    mass = np.exp(-x * x / 2)
    if correlation > 0.5:
        # Given the largest own part, the shared one decides: smooth where the own parts are small.
        mass *= np.exp((k - 1) * special.log_ndtr(x))
    mass /= mass.sum()

    def exceeds(c: float) -> float:
        if correlation > 0.5:
            return float(mass @ special.ndtr((own * x - c) / shared))
        return float(mass @ -np.expm1(k * special.log_ndtr((c - shared * x) / own)))

    low, high = _LOWEST, _HIGHEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(middle) > tail else (low, middle)
    return (low + high) / 2


def upper_tail(z: float) -> float:
    """Return the chance that a standard normal score exceeds z.

    Examples
    --------
    >>> round(upper_tail(1.959964), 6)
    0.025
    """
    return float(special.ndtr(-z))


def upper_quantile(tail: float) -> float:
    """Return the z that a standard normal score exceeds with a chance ``tail``; tails of 1e-300 keep their digits.

    Examples
    --------
    >>> round(upper_quantile(0.025), 6)
    1.959964
    """
    return -float(special.ndtri(tail))


def _checked_k(k: float) -> None:
    if not 1 <= k <= MOST_LOOKS:
        raise ArgumentError("k", k, f"a number from 1 to {MOST_LOOKS:,}")
