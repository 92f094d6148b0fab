"""Which of k arms on the same cases is better than which, and what ranks that leaves.

==========================  ==========================================  =========================
data                        a pair is judged by                         an arm's own interval
==========================  ==========================================  =========================
every mean 0 or 1           McNemar, as two arms are compared           Wilson
graded, reps or clusters,   the rule by which two arms are compared     effective-n Wilson with t
up to 20 arms
the same, more arms         the self-normalised sum (see ``all_pairs``) effective-n Wilson with t
==========================  ==========================================  =========================

Together with the others, an arm with fewer than 10 passes or failures has Clopper and Pearson's interval: that far out
Wilson's cannot be relied on. Two arms get the verdict that a comparison of the two gives, and the more arms there are,
the more a difference has to show.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError
from evalgauge.rules.grouping import shared_clusters
from evalgauge.rules.paired import paired_limits, paired_p_value
from evalgauge.stats.all_pairs import AllPairs, all_pairs
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.clusters import cluster_sums, effective_n_wilson_clustered_limits
from evalgauge.stats.maxima import upper_quantile, upper_tail
from evalgauge.stats.means import effective_n_wilson_limits
from evalgauge.stats.multiplier import MaxT, max_t_of
from evalgauge.stats.paired_proportions import tango_limits
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_limits
from evalgauge.stats.quantiles import normal_p_value, normal_quantile
from evalgauge.stats.rank_sets import RankSets, rank_sets, tied_groups
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

Array: TypeAlias = NDArray[np.float64]

# With more arms pairs of graded scores are judged by their sums: the exact rule would be asked for each pair.
MOST_COMPARED = 20
_TIE = 1e-9
# With fewer passes or failures Wilson's interval misses too often at the level that all arms together need.
_LEAST_COUNT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPair:
    """Two arms of a leaderboard.

    Attributes
    ----------
    first, second
        Columns of the two, the better scorer first.
    difference
        Mean score of the first less that of the second, a share.
    interval
        Interval of the difference that holds for all pairs of the leaderboard together.
    p_value
        Two-sided p-value of the pair alone.
    adjusted
        Holm's p-value over both directions of all pairs.
    is_shown
        Whether the first is shown to be better.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    p_value: float
    adjusted: float
    is_shown: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ranking:
    """A leaderboard as far as the data show one.

    Attributes
    ----------
    scores, clusters
        What it rests on: cases × arms, and the cluster of each case.
    means
        Mean score of each arm, a share.
    order
        Columns, best first; equal means in the order of the columns.
    sets
        Ranks that the data allow, for all arms together.
    pairs
        Statistics of all pairs.
    groups
        Runs of places in ``order``: arms that share no run are told apart.
    own, together
        Shape (2, k): ends of each arm's interval on its own, and of those that hold for all arms together.
    largest
        Critical value of the intervals that hold together, and the expected largest error of equal arms.
    method
        Rule of the arms' intervals.
    is_pass_fail
        Whether every score is 0 or 1 and no cases share a source.
    """

    scores: Array
    clusters: NDArray[np.int64] | None
    means: Array
    order: tuple[int, ...]
    sets: RankSets
    pairs: AllPairs
    groups: tuple[tuple[int, int], ...]
    own: Array
    together: Array
    largest: MaxT
    method: str
    is_pass_fail: bool

    @property
    def n_shown(self) -> int:
        """Number of pairs that are told apart."""
        return int(self.sets.shown.sum())

    @property
    def n_pairs(self) -> int:
        """Number of pairs."""
        k = len(self.means)
        return k * (k - 1) // 2


def ranking(
    scores: ArrayLike,
    *,
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
    reps: ArrayLike | None = None,
    seed: int = 0,
) -> Ranking:
    """Answer "which of these arms are better than which, and who shares a rank?".

    Parameters
    ----------
    scores
        Shape (n cases, k arms): mean score of each arm on each case, shares, no NaN; higher is better.
    confidence
        Chance that all ranks hold together, and two-sided level of every interval, a share.
    clusters
        One label per case; cases with the same label share a source.
    reps
        Shape (n, k): runs behind each mean, for pass/fail scores only; they cap an arm's own interval where they
        differ.
    seed
        Seed of the draws.

    Raises
    ------
    ArgumentError
        If the scores are no matrix of shares with two cases and two arms or more, or the level is not a share.
    ScoreError
        If all cases belong to one cluster.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91, 476-518; the table at the head of this
    module.

    Examples
    --------
    >>> case = np.arange(200)
    >>> found = ranking(np.column_stack([case % 9 > 0, case % 10 > 0, case % 2 > 0]))
    >>> found.order, found.sets.best.tolist(), found.sets.worst.tolist(), found.groups
    ((1, 0, 2), [1, 1, 3], [2, 2, 3], ((0, 1), (2, 2)))
    """
    checked_confidence(confidence)
    matrix = np.asarray(scores, dtype=np.float64)
    codes = shared_clusters(clusters, len(matrix)) if matrix.ndim == 2 and len(matrix) > 1 else None
    pairs = all_pairs(matrix, clusters=codes)
    if matrix.min() < -_TIE or matrix.max() > 1 + _TIE:
        raise ArgumentError("scores", f"scores from {matrix.min():g} to {matrix.max():g}", "shares from 0 to 1")
    is_pass_fail = codes is None and bool(((matrix == 0) | (matrix == 1)).all())
    if not is_pass_fail and matrix.shape[1] <= MOST_COMPARED:
        pairs = _compared(matrix, codes, pairs)
    sets = rank_sets(pairs, confidence=confidence, seed=seed)
    order = np.argsort(-pairs.means, kind="stable")
    largest = _largest_of_arms(pairs, confidence, seed)
    runs = None if reps is None else np.asarray(reps)
    level = 1 - 2 * upper_tail(largest.critical)
    own, together = _limits(matrix, codes, confidence, runs), _limits(matrix, codes, level, runs)
    if is_pass_fail:
        together = _guarded(matrix, together, level)
    methods = ("wilson" if is_pass_fail else "effective-n wilson t", "clustered effective-n wilson t")
    return Ranking(
        scores=matrix,
        clusters=codes,
        means=pairs.means,
        order=tuple(order.tolist()),
        sets=sets,
        pairs=pairs,
        groups=tied_groups(sets.shown[np.ix_(order, order)]),
        own=own,
        together=together,
        largest=largest,
        method=methods[codes is not None],
        is_pass_fail=is_pass_fail,
    )


def ranked_pairs(found: Ranking, arms: Sequence[int]) -> tuple[RankedPair, ...]:
    """Return every pair among some arms of a leaderboard, with an interval that holds for all pairs together.

    Parameters
    ----------
    found
        The leaderboard.
    arms
        Columns, best first.

    Returns
    -------
    tuple of RankedPair
        The pairs of the first arm first.

    Examples
    --------
    >>> case = np.arange(200)
    >>> found = ranking(np.column_stack([case % 9 > 0, case % 2 > 0]))
    >>> [(pair.first, pair.second, pair.is_shown, pair.interval.method) for pair in ranked_pairs(found, found.order)]
    [(0, 1, True, 'tango')]
    """
    level = 1 - 2 * upper_tail(found.sets.critical)
    return tuple(
        RankedPair(
            first=first,
            second=second,
            difference=float(found.means[first] - found.means[second]),
            interval=_pair_interval(found, first, second, level),
            p_value=float(normal_p_value(float(found.pairs.z[first, second]))),
            adjusted=float(min(found.sets.adjusted[first, second], found.sets.adjusted[second, first])),
            is_shown=bool(found.sets.shown[first, second]),
        )
        for place, first in enumerate(arms)
        for second in arms[place + 1 :]
    )


def _compared(matrix: Array, codes: NDArray[np.int64] | None, pairs: AllPairs) -> AllPairs:
    """Return the pairs with the statistic that has the p-value by which two arms alone are compared."""
    z = np.zeros_like(pairs.z)
    for first, second in combinations(range(len(z)), 2):
        p_value = paired_p_value(matrix[:, first] - matrix[:, second], clusters=codes)
        size = upper_quantile(p_value / 2) if p_value < 1 else 0.0
        z[first, second] = np.copysign(size, pairs.means[first] - pairs.means[second])
        z[second, first] = -z[first, second]
    return replace(pairs, z=z)


def _pair_interval(found: Ranking, first: int, second: int, level: float) -> Interval:
    deltas = found.scores[:, first] - found.scores[:, second]
    if not found.is_pass_fail:
        return paired_limits(deltas, confidence=level, clusters=found.clusters).interval
    wins, losses = (int(np.count_nonzero(sign)) for sign in (deltas > 0, deltas < 0))
    low, high = tango_limits(wins, losses, deltas.size, confidence=level)
    return Interval(low=float(low), high=float(high), confidence=level, method="tango")


def _largest_of_arms(pairs: AllPairs, confidence: float, seed: int) -> MaxT:
    """Return the critical value for all arms together; an arm without any spread is counted by Bonferroni."""
    variance = np.diag(pairs.covariance)
    varying = variance > _TIE / pairs.n_cases**2
    sd = np.sqrt(variance[varying])
    tail, n_constant = (1 - confidence) / 2, int((~varying).sum())
    if not sd.size:
        critical = upper_quantile(tail / n_constant)
        return MaxT(
            critical=critical,
            mc_error=0.0,
            expected_max=0.0,
            tail=tail,
            n_constant=n_constant,
            draws=0,
            route="bonferroni",
        )
    correlation = pairs.covariance[np.ix_(varying, varying)] / np.outer(sd, sd)
    return max_t_of(correlation, tail=tail, n_constant=n_constant, seed=seed)


def _guarded(matrix: Array, wilson: Array, level: float) -> Array:
    n = float(len(matrix))
    passed = matrix.sum(axis=0)
    is_rare = np.minimum(passed, n - passed) < _LEAST_COUNT
    return np.where(is_rare, np.stack(clopper_pearson_limits(passed, n, confidence=level)), wilson)


def _limits(matrix: Array, codes: NDArray[np.int64] | None, level: float, reps: NDArray[np.int64] | None) -> Array:
    if codes is None and bool(((matrix == 0) | (matrix == 1)).all()):
        return np.stack(wilson_limits(matrix.mean(axis=0), float(len(matrix)), normal_quantile(level)))
    arms = np.clip(matrix.T, 0.0, 1.0)
    if codes is not None:
        by_arm, sizes = zip(*(cluster_sums(arm, codes) for arm in arms), strict=True)
        return np.stack(effective_n_wilson_clustered_limits(np.stack(by_arm), sizes[0], confidence=level)[:2])
    if reps is None or bool((reps == reps[0]).all()):
        return np.stack(effective_n_wilson_limits(arms, confidence=level)[:2])
    ends = [
        effective_n_wilson_limits(arm, confidence=level, reps=own)[:2] for arm, own in zip(arms, reps.T, strict=True)
    ]
    return np.array(ends).T
