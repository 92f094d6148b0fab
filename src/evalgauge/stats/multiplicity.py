"""Several tests at once: adjusted p-values, and the level at which several intervals hold together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence, checked_scores

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


def bonferroni(p_values: ArrayLike) -> Array:
    """Return p-values adjusted by Bonferroni: each times the number of tests, at most 1.

    Parameters
    ----------
    p_values
        Shares, one per test.

    Raises
    ------
    ArgumentError
        If a value is outside 0 to 1.

    References
    ----------
    Dunn 1961, JASA 56, 52-64.

    Examples
    --------
    >>> bonferroni([0.01, 0.04, 0.6]).round(4).tolist()
    [0.03, 0.12, 1.0]
    """
    p = _checked(p_values)
    return np.minimum(p * p.size, 1.0)


def holm(p_values: ArrayLike) -> Array:
    """Return p-values adjusted by Holm: the same guarantee as Bonferroni for any dependence, and never larger.

    Parameters
    ----------
    p_values
        Shares, one per test, in any order.

    Returns
    -------
    ndarray
        In the order of the input.

    Raises
    ------
    ArgumentError
        If a value is outside 0 to 1.

    References
    ----------
    Holm 1979, Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> holm([0.04, 0.01, 0.6]).round(4).tolist()
    [0.08, 0.03, 0.6]
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def bonferroni_confidence(confidence: float, tests: int) -> float:
    """Return the level of each interval at which all of them hold together at ``confidence`` or more.

    Parameters
    ----------
    confidence
        Two-sided level for all intervals together, a share.
    tests
        Number of intervals.

    Raises
    ------
    ArgumentError
        If ``tests`` is below 1 or ``confidence`` is not a share between 0 and 1.

    References
    ----------
    Dunn 1961, JASA 56, 52-64.

    Examples
    --------
    >>> round(bonferroni_confidence(0.95, 5), 4)
    0.99
    """
    if tests < 1:
        raise ArgumentError("tests", tests, "a whole number of at least 1")
    return 1 - (1 - checked_confidence(confidence)) / tests


def _checked(p_values: ArrayLike) -> Array:
    p = checked_scores(p_values, "p_values")
    if p.min() < 0 or p.max() > 1:
        raise ArgumentError("p_values", f"values from {p.min():g} to {p.max():g}", "shares from 0 to 1")
    return p
