"""Which ranks of k arms the data allow: all pairs are tested together, and a rank counts the pairs that are shown.

An arm's rank is one more than the number of arms that are truly better. From tests of "the first is no better than the
second" for all ordered pairs, none of them wrong with the chance of the level, follow sets of ranks that hold for all
arms at once, whatever the true order, ties included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.maxima import upper_quantile
from evalgauge.stats.multiplier import correlation_factor, quantile_error
from evalgauge.stats.streams import Block, blocks, in_blocks

if TYPE_CHECKING:
    from evalgauge.stats.all_pairs import AllPairs

Array: TypeAlias = NDArray[np.float64]
Single: TypeAlias = NDArray[np.float32]
Flags: TypeAlias = NDArray[np.bool_]

# With more arms each draw is searched on its own, which is quicker where arms are many, and fewer draws are taken.
_MOST_TOGETHER = 200
_DRAWS, _DRAWS_OF_MANY = 10_000, 2_000
# With more arms the largest of all pairs is so near to Bonferroni's value that draws are not worth their time.
_MOST_DRAWN_ARMS = 1_000
# With more arms only the first critical value is drawn; later steps of the ladder take Bonferroni's.
_MOST_STEPPED_ARMS = 100
# Draws a block, part of the definition of the stream; and draws at a time, so that they stay in the cache.
_BLOCK, _AT_A_TIME = 1_000, 128
# Extreme arms of a draw among which a large difference is looked for first.
_EXTREMES = 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankSets:
    """Ranks that the data allow, for all arms at once.

    Attributes
    ----------
    shown
        Shape (k, k): whether the arm of the row is shown to be better than that of the column.
    best, worst
        Shape (k,): the first and the last rank that each arm may have; 1 is the best.
    adjusted
        Shape (k, k): Holm's p-value of "the row is no better than the column" over both directions of all pairs.
    critical
        Value that the largest of all statistics exceeds with the chance 1 - confidence if no two arms differ.
    mc_error
        Its Monte-Carlo error; 0 where it is not drawn.
    draws
        Number of draws behind it; 0 for Bonferroni's value.
    """

    shown: Flags
    best: NDArray[np.int64]
    worst: NDArray[np.int64]
    adjusted: Array
    critical: float
    mc_error: float
    draws: int


def rank_sets(pairs: AllPairs, *, confidence: float = 0.95, seed: int = 0) -> RankSets:
    """Answer "which ranks may each arm have?", with one chance of an error for all of them together.

    All ordered pairs are tested down a ladder: the critical value is that of the largest statistic among the pairs that
    are still open, from draws with the covariance of the scores, and never above Bonferroni's for as many pairs. So
    whatever Holm's method shows is shown.

    Parameters
    ----------
    pairs
        Statistics of all pairs, and the covariance of the mean scores.
    confidence
        Chance that all sets hold the true rank of their arm, a share.
    seed
        Seed of the draws.

    Raises
    ------
    ArgumentError
        If the level is not a share.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91, 476-518, section 3 (simultaneous sets of
    ranks from tests of pairwise differences); Romano and Wolf 2005, JASA 100, 94-108 (the ladder); Holm 1979,
    Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> from evalgauge.stats.all_pairs import all_pairs
    >>> case = np.arange(200)
    >>> found = rank_sets(all_pairs(np.column_stack([case % 10 > 0, case % 9 > 0, case % 2 > 0])))
    >>> found.best.tolist(), found.worst.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    alpha = 1 - checked_confidence(confidence)
    k = len(pairs.z)
    both_ways = ~np.eye(k, dtype=np.bool_)
    draw = _Largest(pairs, seed)
    first, mc_error = draw.critical(both_ways, alpha)
    is_open, critical = both_ways.copy(), first
    while True:
        new = is_open & (pairs.z > max(critical, 0.0))
        if not new.any():
            break
        is_open &= ~new
        critical = min(critical, upper_quantile(alpha / int(is_open.sum())))
        if draw.draws and k <= _MOST_STEPPED_ARMS:
            critical = min(critical, draw.critical(is_open, alpha)[0])
    shown = both_ways & ~is_open
    return RankSets(
        shown=shown,
        best=1 + shown.sum(axis=0),
        worst=k - shown.sum(axis=1),
        adjusted=_holm(pairs.z),
        critical=first,
        mc_error=mc_error,
        draws=draw.draws,
    )


def tied_groups(shown: Flags) -> tuple[tuple[int, int], ...]:
    """Return runs of arms, best first, outside which all is shown: arms that share no run are told apart.

    Parameters
    ----------
    shown
        Shape (k, k), arms in the order of their scores, best first: whether the row is shown better than the column.

    Returns
    -------
    tuple
        First and last place of each run, from 0; runs overlap where neighbours are tied but their ends are not. Within
        a run the order is not shown as a whole, although a pair in it may be.

    References
    ----------
    Piepho 2004, JCGS 13, 456-466 (letters that say which means differ), here for ordered arms.

    Examples
    --------
    >>> tied_groups(np.array([[False, False, True], [False, False, False], [False, False, False]]))
    ((0, 1), (1, 2))
    """
    # Two arms are apart only if everything at least as good as the one is shown better than all from the other down.
    apart = np.logical_and.accumulate(shown, axis=0)
    apart = np.logical_and.accumulate(apart[:, ::-1], axis=1)[:, ::-1]
    places = np.arange(len(shown))
    last = places + np.triu(~apart, 1).sum(axis=1)
    begins = last > np.concatenate([[-1], np.maximum.accumulate(last)[:-1]])
    return tuple((int(place), int(last[place])) for place in places[begins])


def _holm(z: Array) -> Array:
    """Return Holm's p-values of the ordered pairs; those with a statistic of 0 or less are 1."""
    k = len(z)
    adjusted = np.ones_like(z)
    rows, columns = np.nonzero(z > 0)
    order = np.argsort(-z[rows, columns], kind="stable")
    rows, columns = rows[order], columns[order]
    tails = special.ndtr(-z[rows, columns]) * (k * (k - 1) - np.arange(rows.size))
    adjusted[rows, columns] = np.minimum(np.maximum.accumulate(tails), 1.0)
    return adjusted


class _Largest:
    """Draws of the largest statistic among any of the pairs, made from the same normal scores at every step."""

    def __init__(self, pairs: AllPairs, seed: int) -> None:
        variance = pairs.pair_variance
        k = len(variance)
        # A pair that differs by a constant has no spread to draw from; with one pair there is nothing to draw.
        has_constant = bool(((variance == 0) & (pairs.z != 0)).any())
        self.draws = 0
        if k == 2 or k > _MOST_DRAWN_ARMS or has_constant:
            return
        self.draws = _DRAWS if k <= _MOST_TOGETHER else _DRAWS_OF_MANY
        root = np.sqrt(variance)
        self._weights = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0).astype(np.float32)
        sd = np.sqrt(np.diag(pairs.covariance))
        safe = np.where(sd > 0, sd, 1.0)
        correlation = pairs.covariance / np.outer(safe, safe)
        np.fill_diagonal(correlation, 1.0)
        factor = (correlation_factor(correlation) * sd[:, None]).astype(np.float32)

        def work(block: Block) -> Single:
            return factor @ block.stream().standard_normal((block.size, k), dtype=np.float32).T

        self._drawn = in_blocks(work, blocks(self.draws, seed=seed, size=_BLOCK))

    def critical(self, family: Flags, alpha: float) -> tuple[float, float]:
        """Return the value that the largest of a family of ordered pairs exceeds with a chance alpha, and its error."""
        bonferroni = upper_quantile(alpha / int(family.sum()))
        if not self.draws:
            return bonferroni, 0.0
        weights = np.where(family, self._weights, np.float32(0.0))
        search = _largest_of_few if len(weights) <= _MOST_TOGETHER else _largest_of_many
        largest = np.sort(np.concatenate([search(block, weights) for block in self._drawn]))
        drawn = float(largest[int(np.ceil(len(largest) * (1 - alpha))) - 1])
        # Copies of one arm never differ in a draw; no family needs less than a single pair does.
        found = max(drawn, upper_quantile(alpha / 2))
        return min(bonferroni, found), quantile_error(largest, found, alpha)


def _largest_of_few(drawn: Single, weights: Single) -> Single:
    """Return per draw (column) the largest weighted difference of two rows, row by row for some draws at a time."""
    both_ways = bool((weights == weights.T).all())
    highest = np.zeros(drawn.shape[1], dtype=np.float32)
    for start in range(0, drawn.shape[1], _AT_A_TIME):
        some = np.ascontiguousarray(drawn[:, start : start + _AT_A_TIME])
        top = highest[start : start + _AT_A_TIME]
        for row in range(len(some) - 1):
            apart = some[row] - some[row + 1 :]
            down = apart * weights[row, row + 1 :, None]
            up = down if both_ways else apart * weights[row + 1 :, row, None]
            np.maximum(top, down.max(axis=0), out=top)
            np.maximum(top, -up.min(axis=0), out=top)
    return highest


def _largest_of_many(drawn: Single, weights: Single) -> Single:
    """Return the same, draw by draw: only arms so far out that a pair with them can be the largest are put together."""
    heaviest = weights.max()
    highest = np.zeros(drawn.shape[1], dtype=np.float32)
    for place, scores in enumerate(np.ascontiguousarray(drawn.T)):
        order = np.argsort(scores)
        least = _largest_between(scores, weights, order[-_EXTREMES:], order[:_EXTREMES])
        # A pair that is nearer together than this stays below the largest, whatever its weight.
        gap = least / heaviest
        high = np.flatnonzero(scores - scores[order[0]] >= gap)
        low = np.flatnonzero(scores[order[-1]] - scores >= gap)
        highest[place] = max(least, _largest_between(scores, weights, high, low))
    return highest


def _largest_between(scores: Single, weights: Single, high: NDArray[np.intp], low: NDArray[np.intp]) -> float:
    return float(((scores[high, None] - scores[low]) * weights[np.ix_(high, low)]).max(initial=0.0))
