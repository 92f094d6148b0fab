"""Chances of binomial counts, as far as they matter."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

# 8.6 standard deviations and 25 counts to each side of the mean leave out less than 1e-15 (Bernstein's inequality).
_REACH_SDS, _REACH_COUNTS = 8.6, 25.0
# Relative to the most likely count; what is left out adds up to less than 1e-13.
_NEGLIGIBLE = 1e-16


def likely_counts(n: int, rate: float) -> tuple[int, Array]:
    """Return the first of the counts of Binomial(n, rate) that are at all likely, and the chances of them all.

    Ratios of neighbours are multiplied up and scaled to 1: no large factorials, hence no lost digits at n = 1e5.

    Parameters
    ----------
    n
        Number of cases.
    rate
        Pass rate, a share.

    Examples
    --------
    >>> first, chances = likely_counts(2, 0.5)
    >>> first, chances.round(4).tolist()
    (0, [0.25, 0.5, 0.25])
    """
    if rate in {0.0, 1.0}:
        return int(n * rate), np.ones(1)
    reach = _REACH_SDS * math.sqrt(n * rate * (1 - rate)) + _REACH_COUNTS
    first, last = max(0, math.floor(n * rate - reach)), min(n, math.ceil(n * rate + reach))
    counts = np.arange(first, last, dtype=np.float64)
    steps = np.log((n - counts) / (counts + 1)) + math.log(rate / (1 - rate))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    chances = np.exp(logs - logs.max())
    counting = np.flatnonzero(chances > _NEGLIGIBLE)
    chances = chances[counting[0] : counting[-1] + 1]
    return first + int(counting[0]), chances / chances.sum()


def outer_chance(edge: ArrayLike, n: ArrayLike, rate: float) -> Array:
    """Return the chance that at most ``edge`` of n cases pass, or at most ``edge`` fail.

    Parameters
    ----------
    edge
        Counts from −1 (none) to n/2; any shape.
    n
        Numbers of cases.
    rate
        True pass rate, a share.

    Examples
    --------
    >>> outer_chance([-1, 0, 1], 2, 0.5).tolist()
    [0.0, 0.5, 1.0]
    """
    count, cases = (np.asarray(value, dtype=np.int64) for value in (edge, n))
    few, whole = np.maximum(count, 0), 2 * count + 1 >= cases
    tails = special.bdtr(few, cases, rate) + special.bdtr(few, cases, 1 - rate)
    return np.where(count < 0, 0.0, np.where(whole, 1.0, tails))


def pass_chances(reps: int, rates: ArrayLike) -> Array:
    """Return the chances of 0, 1, …, R passes in R runs, for each rate.

    Parameters
    ----------
    reps
        Runs R, 0 or more.
    rates
        True pass rates, shares; one dimension.

    Returns
    -------
    ndarray
        Shape (rates, R + 1).

    Examples
    --------
    >>> pass_chances(2, [0.5, 1.0]).round(4).tolist()
    [[0.25, 0.5, 0.25], [0.0, 0.0, 1.0]]
    """
    rate, k = np.asarray(rates, dtype=np.float64), np.arange(reps + 1)
    orders = special.gammaln(reps + 1) - special.gammaln(k + 1) - special.gammaln(reps - k + 1)
    # One logarithm a rate; at 0 and 1, where there is none, the chances are certain.
    inside = np.where((rate > 0) & (rate < 1), rate, 0.5)
    chances = np.exp(orders + np.outer(np.log(inside), k) + np.outer(np.log1p(-inside), reps - k))
    chances[rate <= 0], chances[rate >= 1] = k == 0, k == reps
    return chances
