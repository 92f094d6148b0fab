"""Every pair of k arms on the same cases, by one product of the score matrix with itself.

The sums of a difference and of its square are entries of the Gram matrix, so that no pair is ever looked at case by
case: half a million pairs of a thousand arms cost one matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError, ScoreError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Array: TypeAlias = NDArray[np.float64]

# Single precision counts exactly below 2^24.
_MOST_EXACT = 1 << 24
# A sum of squares this small against its parts is what rounding leaves of two equal columns.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AllPairs:
    """The statistics of all pairs of arms.

    Attributes
    ----------
    means
        Shape (k,): mean score of each arm.
    z
        Shape (k, k): statistic of each pair, above 0 where the arm of the row scored more; 0 for equal columns.
    covariance
        Shape (k, k): covariance of the mean scores.
    n_cases, n_units
        Cases, and independent units behind the statistics: cases, or clusters of them.
    """

    means: Array
    z: Array
    covariance: Array
    n_cases: int
    n_units: int

    @property
    def pair_variance(self) -> Array:
        """Variance of the difference of each pair, exactly 0 where the two columns differ by a constant."""
        own = np.diag(self.covariance)
        both = own[:, None] + own
        variance = both - 2 * self.covariance
        return np.where(variance > _ROUNDING * both, variance, 0.0)


def all_pairs(scores: ArrayLike, *, clusters: ArrayLike | None = None) -> AllPairs:
    """Answer "by how many standard errors do any two of these arms differ on the same cases?".

    The statistic is the sum of the differences over the root of the sum of their squares, with the cases of one cluster
    added up first. For pass/fail scores it is McNemar's (b - c)/√(b + c), whose square has no continuity correction
    and which is dual to Tango's interval. It never exceeds the root of the number of cases that differ: a pair of
    arms that differ on three cases is never far apart.

    Parameters
    ----------
    scores
        Shape (n cases, k arms): one score per case and arm, no NaN.
    clusters
        One whole number per case; cases with the same number share a source. At least two clusters.

    Raises
    ------
    ArgumentError
        If the scores are no finite matrix of two cases and two arms or more.
    ScoreError
        If all cases belong to one cluster.

    References
    ----------
    McNemar 1947, Psychometrika 12, 153-157; Efron 1969, JASA 64, 1278-1302 (the self-normalised sum, and why it errs
    on the safe side where changes are symmetric); Liang and Zeger 1986 (sums per cluster).

    Examples
    --------
    >>> found = all_pairs([[1, 0], [1, 0], [1, 0], [0, 1], [1, 1]])
    >>> found.z.tolist(), found.means.tolist()
    ([[0.0, 1.0], [-1.0, 0.0]], [0.8, 0.4])
    """
    matrix = np.asarray(scores)
    if matrix.ndim != 2 or matrix.shape[0] < 2 or matrix.shape[1] < 2:
        raise ArgumentError("scores", f"an array of shape {matrix.shape}", "cases × arms, two of each or more")
    if matrix.dtype.kind == "f" and not np.isfinite(matrix).all():
        raise ArgumentError("scores", "values that are NaN or infinite", "finite numbers", "Leave missing cases out.")
    n = len(matrix)
    totals = matrix.sum(axis=0, dtype=np.float64)
    if clusters is None:
        sums, weighed, sizes_squared = matrix, totals, float(n)
    else:
        sums, sizes = _summed(matrix.astype(np.float64), np.asarray(clusters))
        weighed, sizes_squared = sizes @ sums, float(sizes @ sizes)
    gram = _gram(sums)
    own = np.diag(gram)
    squares = own[:, None] + own - 2 * gram
    floor = _ROUNDING * (own[:, None] + own)
    difference = totals[:, None] - totals
    z = np.divide(difference, np.sqrt(np.maximum(squares, 0.0)), out=np.zeros_like(gram), where=squares > floor)
    means = totals / n
    # Residuals of clusters of unequal sizes: the sum of a cluster less what its size alone leads to expect.
    crossed = weighed[:, None] * means
    residuals = gram - crossed - crossed.T + sizes_squared * (means[:, None] * means)
    return AllPairs(means=means, z=z, covariance=residuals / n**2, n_cases=n, n_units=len(sums))


def _gram(matrix: NDArray[np.generic]) -> Array:
    if len(matrix) < _MOST_EXACT and bool(((matrix == 0) | (matrix == 1)).all()):
        single = matrix.astype(np.float32)
        return (single.T @ single).astype(np.float64)
    double = matrix.astype(np.float64)
    return double.T @ double


def _summed(matrix: Array, clusters: NDArray[np.generic]) -> tuple[Array, Array]:
    if clusters.shape != (len(matrix),) or clusters.dtype.kind not in "iu":
        came = f"{clusters.dtype} of shape {clusters.shape}"
        raise ArgumentError("clusters", came, f"one whole number per case ({len(matrix)})")
    _, codes, sizes = np.unique(clusters, return_inverse=True, return_counts=True)
    if sizes.size < 2:
        raise ScoreError(
            "clusters: all cases belong to one cluster, so nothing shows how clusters differ. "
            "Use a finer cluster field, or leave clusters out if the cases are independent."
        )
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.add.reduceat(matrix[np.argsort(codes, kind="stable")], starts, axis=0), sizes.astype(np.float64)
