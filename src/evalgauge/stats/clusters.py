"""Means of cases that come in clusters (cases that share a source, such as one document).

Every estimator here is the sandwich of an intercept-only regression, whose hat matrix is constant inside a cluster, so
that sums per cluster are all it takes: no matrix over cases is ever built.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_confidence, checked_scores, checked_unit_scores
from evalgauge.stats.means import pseudo_case_n
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import t_quantile
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterStdErrors:
    """Standard errors of a mean of clustered cases, from the least to the most cautious.

    Attributes
    ----------
    cr0, cr1, cr2, cr3
        Cluster-robust standard errors: uncorrected, times sqrt(G/(G - 1)), bias-reduced, and leave-one-cluster-out.
    cr2_df
        Satterthwaite degrees of freedom of ``cr2``.
    n_clusters
        Clusters G.
    effective_clusters
        Clusters of equal size that would weigh like these: (sum of sizes)²/(sum of squared sizes).
    """

    cr0: float
    cr1: float
    cr2: float
    cr3: float
    cr2_df: float
    n_clusters: int
    effective_clusters: float


def cluster_sums(scores: ArrayLike, clusters: ArrayLike) -> tuple[Array, Array]:
    """Return the sum of the scores and the number of cases of each cluster.

    Parameters
    ----------
    scores
        One score per case.
    clusters
        One whole number per case; cases with the same number belong together.

    Raises
    ------
    ArgumentError
        If there is not one whole number per case.

    Examples
    --------
    >>> sums, sizes = cluster_sums([1.0, 0.0, 1.0], [7, 7, 9])
    >>> sums.tolist(), sizes.tolist()
    ([1.0, 1.0], [2.0, 1.0])
    """
    y = checked_scores(scores)
    codes = np.asarray(clusters)
    if codes.shape != y.shape or codes.dtype.kind not in "iu":
        raise ArgumentError(
            "clusters", f"{codes.dtype} of shape {codes.shape}", f"one whole number per case ({y.size})"
        )
    _, index = np.unique(codes, return_inverse=True)
    # NumPy's stubs type weighted counts as whole numbers.
    return np.bincount(index, weights=y).astype(np.float64), np.bincount(index).astype(np.float64)


def effective_clusters(sizes: ArrayLike) -> float:
    """Return how many clusters of equal size would weigh like these.

    Parameters
    ----------
    sizes
        Cases of each cluster, above 0.

    References
    ----------
    Kish 1965, Survey Sampling, section 11.7 (effective number under unequal weights).

    Examples
    --------
    >>> round(effective_clusters([50] + [5] * 19), 2)
    7.07
    """
    n = checked_scores(sizes, "sizes")
    if n.min() <= 0:
        raise ArgumentError("sizes", f"a cluster of {n.min():g} cases", "cluster sizes above 0")
    return float(n.sum() ** 2 / np.square(n).sum())


def cluster_variance(sums: Array, sizes: Array) -> Array:
    """Return the uncorrected cluster-robust (CR0) variance of the mean for many logs with the same clusters.

    For comparison: with few clusters it is too small.

    Parameters
    ----------
    sums
        Sum of the scores of each cluster; the last axis holds the clusters.
    sizes
        Cases of each cluster, at least two clusters.

    References
    ----------
    Liang and Zeger 1986, Biometrika 73, 13-22.

    Examples
    --------
    >>> round(float(cluster_variance(np.array([2.0, 0.0]), np.array([2.0, 2.0]))), 6)
    0.125
    """
    return _scaled_variance(sums, sizes, 0.0)


def cr2_variance(sums: Array, sizes: Array) -> Array:
    """Return the bias-reduced (CR2) variance of the mean for many logs with the same clusters.

    Parameters
    ----------
    sums
        Sum of the scores of each cluster; the last axis holds the clusters.
    sizes
        Cases of each cluster, at least two clusters.

    References
    ----------
    Bell and McCaffrey 2002, Survey Methodology 28, 169-181, section 3: residuals scaled by (I - H)^(-1/2).

    Examples
    --------
    >>> round(float(cr2_variance(np.array([2.0, 0.0]), np.array([2.0, 2.0]))), 6)
    0.25
    """
    return _scaled_variance(sums, sizes, 1.0)


def cr2_df(sizes: Array) -> float:
    """Return the Satterthwaite degrees of freedom of the CR2 variance of a mean.

    Parameters
    ----------
    sizes
        Cases of each cluster, at least two clusters.

    References
    ----------
    Bell and McCaffrey 2002, section 5; Pustejovsky and Tipton 2018, JBES 36, 672-683, equation 11, for independent
    errors of equal variance.

    Examples
    --------
    >>> round(cr2_df(np.array([3.0, 3.0, 3.0, 3.0])), 6)
    3.0
    """
    share = sizes / sizes.sum()
    leverage = np.square(share) / (1 - share)
    cross = leverage.sum() ** 2 - np.square(leverage).sum()
    return float(1 / (np.square(share).sum() + cross))


def cluster_std_errors(scores: ArrayLike, clusters: ArrayLike) -> ClusterStdErrors:
    """Return the cluster-robust standard errors of a mean.

    Parameters
    ----------
    scores
        One score per case.
    clusters
        One whole number per case; at least two clusters.

    Raises
    ------
    ScoreError
        If all cases belong to one cluster.

    References
    ----------
    Liang and Zeger 1986 (CR0); Bell and McCaffrey 2002 (CR2, CR3); Pustejovsky and Tipton 2018 (degrees of freedom).

    Examples
    --------
    >>> errors = cluster_std_errors([1, 1, 0, 1, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 2, 2, 3, 3])
    >>> round(errors.cr0, 4), round(errors.cr2, 4), round(errors.cr2_df, 2)
    (0.1814, 0.2057, 2.88)
    """
    sums, sizes = _checked_clusters(cluster_sums(scores, clusters))
    n_clusters = sizes.size
    cr0 = math.sqrt(_scaled_variance(sums, sizes, 0.0))
    return ClusterStdErrors(
        cr0=cr0,
        cr1=cr0 * math.sqrt(n_clusters / (n_clusters - 1)),
        cr2=math.sqrt(_scaled_variance(sums, sizes, 1.0)),
        cr3=math.sqrt(_scaled_variance(sums, sizes, 2.0)),
        cr2_df=cr2_df(sizes),
        n_clusters=n_clusters,
        effective_clusters=effective_clusters(sizes),
    )


def cluster_mean_interval(scores: ArrayLike, clusters: ArrayLike, *, confidence: float = 0.95) -> Estimate:
    """Return the mean score over new clusters like these, by the CR2 standard error and a Student quantile.

    For scores without a range; where a range is known, :func:`effective_n_wilson_clustered` covers better near its
    ends.

    Parameters
    ----------
    scores
        One score per case, in any unit.
    clusters
        One whole number per case; at least two clusters.
    confidence
        Two-sided level, a share.

    Returns
    -------
    Estimate
        In the unit of the scores; method ``"cr2 t"``.

    Raises
    ------
    ScoreError
        If there is one cluster, or all cluster totals are as expected, so that the interval would have no width.

    References
    ----------
    Bell and McCaffrey 2002; Pustejovsky and Tipton 2018.

    Examples
    --------
    >>> print(cluster_mean_interval([0.9, 0.8, 0.4, 0.5, 0.7], [0, 0, 1, 1, 2]).interval)
    -0.04252 to 1.363 (0.95 cr2 t)
    """
    checked_confidence(confidence)
    sums, sizes = _checked_clusters(cluster_sums(scores, clusters))
    std_error = math.sqrt(cr2_variance(sums, sizes))
    mean, df = float(sums.sum() / sizes.sum()), cr2_df(sizes)
    # A rounding-sized error is no spread; the interval would claim certainty.
    if std_error <= 1e-12 * float(np.abs(sums / sizes).max()):
        raise ScoreError(
            f"cr2 t: all {sizes.size} clusters have the mean {mean:g}, so the interval would have no width. "
            "Declare the range of the score (--range), or add clusters."
        )
    half = t_quantile(confidence, df) * std_error
    return Estimate(
        estimate=mean,
        interval=Interval(low=mean - half, high=mean + half, confidence=confidence, method="cr2 t"),
        std_error=std_error,
        df=df,
        n_eff=math.nan,
    )


def effective_n_wilson_clustered_limits(
    sums: Array, sizes: Array, *, confidence: float = 0.95
) -> tuple[Array, Array, Array]:
    """Return the ends of the clustered effective-n Wilson interval, and the effective n, for many logs at once.

    Parameters
    ----------
    sums
        Sum of the scores (shares) of each cluster; the last axis holds the clusters.
    sizes
        Cases of each cluster, at least two clusters.
    confidence
        Two-sided level, a share.

    Examples
    --------
    >>> low, high, n_eff = effective_n_wilson_clustered_limits(np.array([3.0, 3.0, 3.0]), np.array([3.0, 3.0, 3.0]))
    >>> round(float(low), 3), float(high), float(n_eff)
    (0.139, 1.0, 3.0)
    """
    groups = effective_clusters(sizes)
    p = np.clip(np.asarray(sums.sum(axis=-1) / sizes.sum()), 0.0, 1.0)
    n_eff = pseudo_case_n(groups * groups * cr2_variance(sums, sizes), p, groups)
    return *wilson_limits(p, n_eff, t_quantile(confidence, cr2_df(sizes))), n_eff


def effective_n_wilson_clustered(
    case_means: ArrayLike,
    clusters: ArrayLike,
    *,
    confidence: float = 0.95,
    score_range: tuple[float, float] = (0.0, 1.0),
) -> Estimate:
    """Return the mean score over new clusters like these, with the effective-n Wilson interval.

    Parameters
    ----------
    case_means
        One mean per case, in the unit of the score.
    clusters
        One whole number per case; at least two clusters.
    confidence
        Two-sided level, a share.
    score_range
        Lowest and highest possible score.

    Returns
    -------
    Estimate
        In the unit of the score; method ``"effective-n wilson t"``, standard error CR2, Satterthwaite degrees of
        freedom. With clusters of one case each the variance is n/(n - 1) times that of
        :func:`~evalgauge.stats.means.effective_n_wilson`, so the interval is a little wider.

    Raises
    ------
    ScoreError
        If all cases belong to one cluster.
    ArgumentError
        If a score is outside ``score_range``.

    References
    ----------
    Wilson 1927; Bell and McCaffrey 2002 (CR2); Korn and Graubard 1998, Survey Methodology 24, 193-201, for an
    effective number of cases with a Student quantile under clustering.

    Examples
    --------
    >>> cases, documents = [1, 1, 0, 1, 1, 1, 1, 0, 0], [0, 0, 0, 1, 1, 2, 2, 3, 3]
    >>> print(effective_n_wilson_clustered(cases, documents).interval)
    0.1462 to 0.959 (0.95 effective-n wilson t)
    """
    y = checked_unit_scores(case_means, score_range)
    sums, sizes = _checked_clusters(cluster_sums(y, clusters))
    low, high, n_eff = effective_n_wilson_clustered_limits(sums, sizes, confidence=confidence)
    start, span = score_range[0], score_range[1] - score_range[0]
    return Estimate(
        estimate=float(y.mean()) * span + start,
        interval=Interval(
            low=float(low) * span + start,
            high=float(high) * span + start,
            confidence=confidence,
            method="effective-n wilson t",
        ),
        std_error=math.sqrt(cr2_variance(sums, sizes)) * span,
        df=cr2_df(sizes),
        n_eff=float(n_eff),
    )


def _checked_clusters(clusters: tuple[Array, Array]) -> tuple[Array, Array]:
    if clusters[1].size < 2:
        raise ScoreError(
            "clusters: all cases belong to one cluster, so nothing shows how clusters differ. "
            "Use a finer cluster field, or leave clusters out if the cases are independent."
        )
    return clusters


def _scaled_variance(sums: Array, sizes: Array, power: float) -> Array:
    """Sum of squared cluster residuals over (1 - share)^power: 0, 1, 2 give CR0, CR2 and CR3."""
    total = sizes.sum()
    residuals = sums - sizes * (sums.sum(axis=-1, keepdims=True) / total)
    return np.asarray((np.square(residuals) / (1 - sizes / total) ** power).sum(axis=-1) / total**2)
