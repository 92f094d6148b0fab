"""The guarded interval for a mean change: one that stays true when a few cases break or mend completely.

A Student interval over deltas measures the spread that it saw. A log of 50 cases often holds none of the 2 % that break
altogether, and the interval is then narrow around the wrong place. The hull knows from the range of the score how much
an unseen case could have moved.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence, checked_scores
from evalgauge.stats.clusters import cluster_sums, cr2_df, effective_n_wilson_clustered
from evalgauge.stats.means import effective_n_wilson_limits
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

# Halvings of log p; p-values below the smallest are reported as it.
_HALVINGS = 40
_LEAST_P = 1e-14
# Nearer to 1 Student quantiles have lost their digits: that of 4 degrees of freedom is 0 at a level of 1e-9.
_MOST_P = 1 - 1e-5


def hull_limits(deltas: ArrayLike, *, confidence: float = 0.95) -> tuple[Array, Array, Array]:
    """Return the ends of the hull along the last axis, and its effective number of cases.

    Parameters
    ----------
    deltas
        Changes as shares of the score's range, −1 to 1; cases along the last axis.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If a delta is outside −1 to 1 or the level is not a share.

    References
    ----------
    As `hull`.

    Examples
    --------
    >>> low, high, _ = hull_limits([[0.1, 0.2, 0.3, 0.0], [0.0, 0.0, 0.0, 0.0]])
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([-0.578, -0.717], [0.683, 0.717])
    """
    d = np.asarray(deltas, dtype=np.float64)
    if not np.all(np.abs(d) <= 1):
        raise ArgumentError(
            "deltas", f"values from {d.min():g} to {d.max():g}", "changes from -1 to 1", "Divide by the score's range."
        )
    low, high, n_eff = effective_n_wilson_limits((d + 1) / 2, confidence=confidence)
    lost, gained = np.maximum(-d, 0.0), np.maximum(d, 0.0)
    spreads = lost.std(axis=-1) * gained.std(axis=-1)
    product = -lost.mean(axis=-1) * gained.mean(axis=-1)
    # A case cannot lose and gain at once, so the two means pull against each other.
    correlation = np.divide(product, spreads, out=np.zeros_like(product), where=spreads > 0)
    mover_low, mover_high = mover_difference_limits(
        (lost.mean(axis=-1), *effective_n_wilson_limits(lost, confidence=confidence)[:2]),
        (gained.mean(axis=-1), *effective_n_wilson_limits(gained, confidence=confidence)[:2]),
        correlation=np.maximum(correlation, -1.0),
    )
    return (
        np.maximum(np.minimum(2 * low - 1, mover_low), -1.0),
        np.minimum(np.maximum(2 * high - 1, mover_high), 1.0),
        n_eff,
    )


def unchanged_hull_low(n: int, *, confidence: float = 0.95) -> float:
    """Return the lower end of the hull of n cases of which none changed, without making them.

    Parameters
    ----------
    n
        Number of cases, 1 or more.
    confidence
        Two-sided level, a share.

    References
    ----------
    As `hull`.

    Examples
    --------
    >>> round(unchanged_hull_low(4), 3)
    -0.717
    """
    critical = t_quantile(confidence, float(n - 1)) if n > 1 else normal_quantile(confidence)
    # Equal deltas read as scores of one half have no spread: the pseudo-case alone is in their variance.
    middle = float(wilson_limits(0.5, float(n) * (n + 1) if n > 1 else 1.0, critical)[0])
    lost = float(wilson_limits(0.0, float(n), critical)[1])
    return min(2 * middle - 1, -lost)


def hull(deltas: ArrayLike, *, confidence: float = 0.95, clusters: ArrayLike | None = None) -> Estimate:
    """Answer "how much may the mean score have changed, if a few cases moved completely and the log missed them?".

    The outer ends of two intervals: the effective-n Wilson interval of the deltas read as scores, and MOVER on the mean
    loss and the mean gain. Claims that something did not happen rest on it.

    Parameters
    ----------
    deltas
        Change per case as a share of the score's range, −1 to 1; one dimension.
    confidence
        Two-sided level, a share.
    clusters
        One whole number per case; cases with the same number share a source. At least two clusters.

    Returns
    -------
    Estimate
        In shares of the score's range. ``n_eff`` is the effective number of pass/fail cases or clusters behind the
        first of the two intervals, ``df`` its degrees of freedom: infinite for one case, which is read as one pass/fail
        case.

    Raises
    ------
    ArgumentError
        If a delta is outside −1 to 1, there is none, or the level is not a share.
    ScoreError
        If all cases belong to one cluster.

    References
    ----------
    Wilson 1927, JASA 22, 209-212; Zou and Donner 2008, Statistics in Medicine 27, 1693-1702 (MOVER).

    Examples
    --------
    >>> print(hull([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]).interval)
    -0.1996 to 0.6013 (0.95 hull)
    """
    d = checked_scores(deltas, "deltas")
    checked_confidence(confidence)
    if clusters is not None:
        return _clustered_hull(d, clusters, confidence)
    low, high, n_eff = hull_limits(d, confidence=confidence)
    return Estimate(
        estimate=float(d.mean()),
        interval=Interval(low=float(low), high=float(high), confidence=confidence, method="hull"),
        std_error=float(d.std(ddof=1)) / math.sqrt(d.size) if d.size > 1 else math.nan,
        df=d.size - 1 if d.size > 1 else math.inf,
        n_eff=float(n_eff),
    )


def _clustered_hull(d: Array, clusters: ArrayLike, confidence: float) -> Estimate:
    change = effective_n_wilson_clustered(d, clusters, confidence=confidence, score_range=(-1.0, 1.0))
    lost = effective_n_wilson_clustered(np.maximum(-d, 0.0), clusters, confidence=confidence)
    gained = effective_n_wilson_clustered(np.maximum(d, 0.0), clusters, confidence=confidence)
    low, high = mover_difference_limits(
        (lost.estimate, lost.interval.low, lost.interval.high),
        (gained.estimate, gained.interval.low, gained.interval.high),
    )
    return Estimate(
        estimate=change.estimate,
        interval=Interval(
            low=max(min(change.interval.low, float(low)), -1.0),
            high=min(max(change.interval.high, float(high)), 1.0),
            confidence=confidence,
            method="hull",
        ),
        std_error=change.std_error,
        df=cr2_df(cluster_sums(d, clusters)[1]),
        n_eff=change.n_eff,
    )


def dual_p_value(interval_at: Callable[[float], Interval]) -> float:
    """Return the p-value that agrees with an interval rule: 1 − c at the level c where the interval first touches 0.

    Parameters
    ----------
    interval_at
        The rule: a level in, an interval out that never narrows as the level grows.

    Returns
    -------
    float
        A share; 1 where no level above 0.00001 excludes 0, and 1e-14 where all levels do that can be told from 1.

    Examples
    --------
    >>> from evalgauge.stats.two_proportions import newcombe_interval
    >>> round(dual_p_value(lambda level: newcombe_interval(175, 250, 197, 250, confidence=level)), 3)
    0.024
    """

    def is_excluded(p_value: float) -> bool:
        interval = interval_at(1 - p_value)
        return interval.low > 0 or interval.high < 0

    if is_excluded(_LEAST_P):
        return _LEAST_P
    if not is_excluded(_MOST_P):
        return 1.0
    low, high = math.log(_LEAST_P), math.log(_MOST_P)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if is_excluded(math.exp(middle)):
            high = middle
        else:
            low = middle
    return math.exp(high)
