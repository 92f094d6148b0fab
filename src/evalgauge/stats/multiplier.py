"""The critical value that the best of k correlated scores needs, by Gaussian multipliers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError
from evalgauge.stats.maxima import upper_quantile, upper_tail
from evalgauge.stats.streams import Block, blocks, in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

Array: TypeAlias = NDArray[np.float64]
Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]

# Draws a block: with one block the whole product would need B × k numbers at once.
_BLOCK = 1_000
# Single precision counts exactly below 2^24.
_MOST_EXACT = 1 << 24
# Added to the correlation of each score with itself when the factor needs it; far below Monte-Carlo error.
_RIDGES = (0.0, 1e-12, 1e-10, 1e-8)
_HALVINGS = 60
# Strips that a triangular product is cut into: 4 save 3/8 of the work.
_STRIPS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class MaxT:
    """What the best of several scores on the same cases needs.

    Attributes
    ----------
    critical
        Value that the largest studentised error exceeds with chance ``tail``, never below the plain quantile.
    mc_error
        Standard error of ``critical`` from the number of draws.
    expected_max
        Expected largest score error in standard errors, if all candidates were equal.
    tail
        Chance to exceed, one-sided.
    n_constant
        Columns without any spread; they are counted by Bonferroni.
    draws
        Number of draws.
    route
        ``"covariance"`` or ``"direct"``: both give draws of the same law.
    """

    critical: float
    mc_error: float
    expected_max: float
    tail: float
    n_constant: int
    draws: int
    route: str


def max_t(scores: ArrayLike, *, tail: float = 0.025, draws: int = 10_000, seed: int = 0, route: str = "auto") -> MaxT:
    """Return the critical value that holds for whichever of k candidates comes out best on the same cases.

    Given the scores, the multiplier draws are exactly normal with the correlation of the columns. So they are drawn
    from the k × k correlation where that is less work than the B × n product of multipliers and scores.

    Parameters
    ----------
    scores
        Shape (n cases, k candidates): one score per case and candidate, no NaN.
    tail
        One-sided chance to exceed, between 0 and 1: 0.025 for the lower end of a two-sided 95 % interval.
    draws
        Number of draws B.
    seed
        Seed of the draws.
    route
        ``"auto"``, or one of the two by name.

    Raises
    ------
    ArgumentError
        If the scores are no finite matrix with at least two cases, the tail is no chance, or the route is unknown.

    References
    ----------
    Chernozhukov, Chetverikov and Kato 2013, Annals of Statistics 41, 2786-2819 (Gaussian multipliers); Romano and
    Wolf 2005, JASA 100, 94-108 (max-t).

    Examples
    --------
    >>> import numpy as np
    >>> copies = np.repeat(np.arange(40)[:, None] % 2, 5, axis=1)
    >>> round(max_t(copies).critical, 1), round(max_t(copies).expected_max, 3)
    (2.0, 0.0)
    """
    if not 0 < tail < 1:
        raise ArgumentError("tail", tail, "a chance between 0 and 1")
    matrix = _checked_matrix(scores)
    n, k = matrix.shape
    varying = matrix.max(axis=0) > matrix.min(axis=0)
    n_varying = int(varying.sum())
    if n_varying == 0:
        critical = upper_quantile(tail / k)
        return MaxT(
            critical=critical, mc_error=0.0, expected_max=0.0, tail=tail, n_constant=k, draws=0, route="bonferroni"
        )
    used = matrix if n_varying == k else matrix[:, varying]
    route = _chosen_route(route, n=n, k=n_varying, draws=draws)
    work = _covariance_work(correlations(used)) if route == "covariance" else _direct_work(used)
    return _drawn(work, tail=tail, n_constant=k - n_varying, draws=draws, seed=seed, route=route)


def max_t_of(
    correlation: Array, *, tail: float = 0.025, n_constant: int = 0, draws: int = 10_000, seed: int = 0
) -> MaxT:
    """Return what :func:`max_t` returns, from correlations that are known already.

    Parameters
    ----------
    correlation
        Shape (k, k), of the columns that are not constant; at least one.
    tail, draws, seed
        As in :func:`max_t`.
    n_constant
        Columns without any spread, counted by Bonferroni.

    References
    ----------
    As :func:`max_t`.

    Examples
    --------
    >>> scores = np.random.default_rng(1).integers(0, 2, (300, 4))
    >>> max_t_of(correlations(scores)) == max_t(scores, route="covariance")
    True
    """
    work = _covariance_work(correlation)
    return _drawn(work, tail=tail, n_constant=n_constant, draws=draws, seed=seed, route="covariance")


def _drawn(work: Callable[[Block], Floats], *, tail: float, n_constant: int, draws: int, seed: int, route: str) -> MaxT:
    extremes = np.concatenate(in_blocks(work, blocks(draws, seed=seed, size=_BLOCK)), axis=1)
    highest = np.sort(extremes[0])
    critical = max(upper_quantile(tail), _joint_critical(highest, tail, n_constant))
    return MaxT(
        critical=critical,
        mc_error=quantile_error(highest, critical, tail),
        # By symmetry the lowest draw tells as much as the highest; their mean is exactly 0 for copies of one column.
        expected_max=float((extremes[0] - extremes[1]).mean()) / 2,
        tail=tail,
        n_constant=n_constant,
        draws=draws,
        route=route,
    )


def _checked_matrix(scores: ArrayLike) -> NDArray[np.generic]:
    matrix = np.asarray(scores)
    if matrix.ndim != 2 or matrix.shape[0] < 2 or matrix.shape[1] < 1:
        raise ArgumentError("scores", f"an array of shape {matrix.shape}", "cases × candidates, two cases or more")
    if matrix.dtype.kind == "f" and not np.isfinite(matrix).all():
        raise ArgumentError("scores", "values that are NaN or infinite", "finite numbers", "Leave missing cases out.")
    return matrix


def _chosen_route(route: str, *, n: int, k: int, draws: int) -> str:
    if route == "auto":
        return "covariance" if k < n * draws / (n + draws) else "direct"
    if route not in {"covariance", "direct"}:
        raise ArgumentError("route", route, "auto, covariance or direct")
    return route


def correlations(matrix: NDArray[np.generic]) -> Array:
    """Return the correlation of every pair of columns, none of which is constant.

    Parameters
    ----------
    matrix
        Shape (n cases, k columns). Columns of 0 and 1 take one exact product in single precision.

    Examples
    --------
    >>> import numpy as np
    >>> correlations(np.array([[0, 1], [1, 0], [1, 0]])).round(6).tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    n = matrix.shape[0]
    if n < _MOST_EXACT and _is_binary(matrix):
        whole = matrix.astype(np.float32)
        gram = (whole.T @ whole).astype(np.float64)
        # Same as the mean over cases, but exact.
        sums = np.diag(gram)
        covariance = gram / n - np.outer(sums / n, sums / n)
    else:
        centred = matrix.astype(np.float64)
        centred -= centred.mean(axis=0)
        covariance = centred.T @ centred / n
    sd = np.sqrt(np.diag(covariance))
    return covariance / np.outer(sd, sd)


def _is_binary(matrix: NDArray[np.generic]) -> bool:
    return bool(((matrix == 0) | (matrix == 1)).all())


def _covariance_work(correlation: Array) -> Callable[[Block], Floats]:
    factor = correlation_factor(correlation).astype(np.float32).T
    k = len(factor)
    # Below its diagonal a Cholesky factor holds nothing, and a strip of columns needs no more rows than its end.
    edges = [round(k * part / _STRIPS) for part in range(_STRIPS + 1)] if _is_triangular(factor) else [0, k]
    strips = [(slice(start, end), slice(0, end if len(edges) > 2 else k)) for start, end in pairwise(edges)]

    def work(block: Block) -> Floats:
        drawn = block.stream().standard_normal((block.size, k), dtype=np.float32)
        highest = np.full((2, block.size), -np.inf, dtype=np.float32)
        for columns, rows in strips:
            if columns.start < columns.stop:
                part = drawn[:, rows] @ factor[rows, columns]
                np.maximum(highest, [part.max(axis=1), -part.min(axis=1)], out=highest)
        return np.stack([highest[0], -highest[1]])

    return work


def _is_triangular(factor: NDArray[np.float32]) -> bool:
    return not np.tril(factor, -1).any()


def correlation_factor(correlation: Array) -> Array:
    """Return a matrix L with L·Lᵀ = the correlation, which is singular where columns are copies of others.

    Parameters
    ----------
    correlation
        Shape (k, k).

    Examples
    --------
    >>> factor = correlation_factor(np.array([[1.0, 0.6], [0.6, 1.0]]))
    >>> factor.round(6).tolist()
    [[1.0, 0.0], [0.6, 0.8]]
    """
    for ridge in _RIDGES:
        try:
            return np.linalg.cholesky(correlation + ridge * np.eye(len(correlation))).astype(np.float64)
        except np.linalg.LinAlgError:
            continue
    values, vectors = np.linalg.eigh(correlation)
    return vectors * np.sqrt(np.maximum(values, 0.0))


def _direct_work(matrix: NDArray[np.generic]) -> Callable[[Block], Floats]:
    centred = matrix.astype(np.float64)
    centred -= centred.mean(axis=0)
    scaled = (centred / (centred.std(axis=0) * math.sqrt(len(centred)))).astype(np.float32)

    def work(block: Block) -> Floats:
        drawn = block.stream().standard_normal((block.size, scaled.shape[0]), dtype=np.float32) @ scaled
        return np.stack([drawn.max(axis=1), drawn.min(axis=1)])

    return work


def _joint_critical(highest: Floats, tail: float, n_constant: int) -> float:
    """Return the least c with P(highest > c) + n_constant·P(Z > c) ≤ tail."""
    # The order statistic that is exceeded by at most the share ``tail`` of the draws.
    start = float(highest[min(len(highest) - 1, math.ceil(len(highest) * (1 - tail)) - 1)])
    if n_constant == 0:
        return start
    low, high = start, max(float(highest[-1]), upper_quantile(tail / n_constant)) + 2.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        above = 1 - float(np.searchsorted(highest, middle, side="right")) / len(highest)
        low, high = (middle, high) if above + n_constant * upper_tail(middle) > tail else (low, middle)
    return high


def quantile_error(highest: Floats, critical: float, tail: float) -> float:
    """Return the standard error of a quantile: half the spread between the quantiles one binomial error away.

    Parameters
    ----------
    highest
        Draws, in any order.
    critical
        The quantile itself; beyond the draws its error is not known (``nan``).
    tail
        Chance to exceed it, a share.

    Examples
    --------
    >>> round(quantile_error(np.linspace(-1, 1, 10_001), 0.9, 0.05), 4)
    0.0044
    """
    spread = math.sqrt(tail * (1 - tail) / len(highest))
    ends = np.quantile(highest, [max(0.0, 1 - tail - spread), min(1.0, 1 - tail + spread)])
    return float(ends[1] - ends[0]) / 2 if critical <= highest[-1] else math.nan
