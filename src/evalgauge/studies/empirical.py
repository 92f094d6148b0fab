"""Populations taken from a log: cases like these, with the spread between cases and between runs that it shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ScoreError
from evalgauge.stats.components import variance_components, within_sums_of_squares
from evalgauge.studies.cases import ClusteredCases, RatePoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

# A run cannot vary more than a pass or fail of the same rate; at the bound itself a Beta law has no density.
_MOST_NOISE = 0.999


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogSums:
    """The scored runs of a log's cases, in shares of the range.

    Attributes
    ----------
    reps
        Scored runs of each case, 1 or more.
    sums, squares
        Sums, and sums of squares, of their scores.
    is_pass_fail
        Whether every run passes or fails.
    """

    reps: NDArray[np.int64]
    sums: Array
    squares: Array
    is_pass_fail: bool

    @property
    def means(self) -> Array:
        """Mean score of each case."""
        return self.sums / self.reps

    @property
    def has_reps(self) -> bool:
        """Whether run noise can be seen: a case has two runs."""
        return bool(self.reps.max() > 1)

    def __add__(self, other: LogSums) -> LogSums:
        return LogSums(
            reps=self.reps + other.reps,
            sums=self.sums + other.sums,
            squares=self.squares + other.squares,
            is_pass_fail=self.is_pass_fail and other.is_pass_fail,
        )


def points_of_log(log: LogSums) -> RatePoints:
    """Return a population of cases like those of a log: each case a kind, its rate drawn towards the mean.

    Case means spread more than true rates do, because run noise is added. They are shrunk until their variance is the
    one that the log shows between cases. With one run a case the two cannot be told apart, and every case is taken to
    score alike in every run.

    Parameters
    ----------
    log
        Sums per case.

    Raises
    ------
    ScoreError
        If every run scored 0, or every run scored 1: nothing shows what other cases do.

    References
    ----------
    Louis 1984, JASA 79, 393-398 (estimates with the right spread).

    Examples
    --------
    >>> passes = np.array([3.0, 2, 0, 2, 0, 3])
    >>> log = LogSums(reps=np.full(6, 3), sums=passes, squares=passes, is_pass_fail=True)
    >>> points_of_log(log).base.round(3).tolist()
    [0.958, 0.656, 0.052, 0.656, 0.052, 0.958]
    """
    _check_spread(log.means)
    rates = _shrunk(log)
    return RatePoints(base=rates, cand=rates, share=_equal(rates.size), noise=_noise(log, rates))


def points_of_two_logs(base: LogSums, cand: LogSums) -> RatePoints:
    """Return a population of cases like those that two logs share, with the changes between them.

    Parameters
    ----------
    base, cand
        Sums per shared case, in the same order.

    Raises
    ------
    ScoreError
        If every run of both logs scored alike.

    Examples
    --------
    >>> one = LogSums(reps=np.ones(4, dtype=int), sums=np.array([1.0, 0, 1, 0]), squares=np.ones(4), is_pass_fail=True)
    >>> two = LogSums(reps=np.ones(4, dtype=int), sums=np.array([1.0, 1, 1, 0]), squares=np.ones(4), is_pass_fail=True)
    >>> points_of_two_logs(one, two).change
    0.25
    """
    _check_spread(np.concatenate([base.means, cand.means]))
    rates, deltas = _shrunk(base), cand.means - base.means
    seen = float(deltas.var(ddof=1))
    part = sum(_run_var(log) * float((1 / log.reps).mean()) for log in (base, cand))
    kept = math.sqrt(max(seen - part, 0.0) / seen) if seen > 0 else 0.0
    centre = float(deltas.mean())
    moved = np.clip(rates + centre + kept * (deltas - centre), 0.0, 1.0)
    noise = _noise(base, rates)
    return RatePoints(base=rates, cand=moved, share=_equal(rates.size), noise=noise)


def clusters_of_log(log: LogSums, clusters: NDArray[np.intp]) -> ClusteredCases:
    """Return a population of clusters like those of a pass/fail log: its sizes, and two layers of Beta laws.

    Parameters
    ----------
    log
        Sums per case.
    clusters
        Cluster of each case.

    Raises
    ------
    ScoreError
        If the scores are graded, or every run scored alike.

    References
    ----------
    Searle, Casella and McCulloch 1992, Variance Components, section 3.6 (moments of unequal groups).

    Examples
    --------
    >>> passes = np.array([1.0, 1, 1, 0, 0, 1])
    >>> log = LogSums(reps=np.ones(6, dtype=int), sums=passes, squares=passes, is_pass_fail=True)
    >>> clusters_of_log(log, np.array([0, 0, 1, 1, 2, 2])).sizes
    (2, 2, 2)
    """
    if not log.is_pass_fail:
        raise ScoreError("clusters: a study of clusters needs pass/fail scores. Leave --cluster out for graded ones.")
    _check_spread(log.means)
    _, codes = np.unique(clusters, return_inverse=True)
    sizes = np.bincount(codes)
    if sizes.size < 3:
        raise ScoreError(
            f"clusters: {sizes.size} of them show too little of how clusters differ; at least 3 are needed."
        )
    means, rate = log.means, float(log.means.mean())
    between = 0.0
    if sizes.max() > 1:
        sums, squares = (np.bincount(codes, weights=part) for part in (means, np.square(means)))
        between = variance_components(sizes, sums, squares).case_var
    possible = rate * (1 - rate)
    icc = min(between / possible, _MOST_NOISE)
    cases = variance_components(log.reps, log.sums, log.squares).case_var if log.has_reps else between
    left = possible * (1 - icc)
    return ClusteredCases(
        mean=rate,
        icc=icc,
        sizes=tuple(sizes.tolist()),
        within=min(max(cases - between, 0.0) / left, _MOST_NOISE),
    )


def _check_spread(means: Array) -> None:
    if means.size < 2:
        raise ScoreError("One case shows nothing of how cases differ; a study needs a log of two or more.")
    if means.min() == means.max() and means[0] in (0.0, 1.0):
        raise ScoreError(
            f"Every run of the log scored {100 * means[0]:g} %, so nothing shows what other cases do. Name the rates "
            "to study instead, such as --rates 0.95@1,0.05@beta:7:3."
        )


def _shrunk(log: LogSums) -> Array:
    means = log.means
    seen = float(means.var(ddof=1))
    if not log.has_reps or seen == 0:
        return means
    kept = min(variance_components(log.reps, log.sums, log.squares).case_var / seen, 1.0)
    centre = float(means.mean())
    return np.clip(centre + math.sqrt(kept) * (means - centre), 0.0, 1.0)


def _run_var(log: LogSums) -> float:
    """Return the variance between runs; 0 where one run a case cannot show it."""
    free = int(log.reps.sum()) - log.reps.size
    return float(within_sums_of_squares(log.reps, log.sums, log.squares).sum()) / free if free else 0.0


def _noise(log: LogSums, rates: Array) -> float | None:
    """Return the variance of graded runs as a share of the largest there could be; ``None`` for passes and fails."""
    if log.is_pass_fail:
        return None
    possible = float((rates * (1 - rates)).mean())
    return min(_run_var(log) / possible, _MOST_NOISE) if possible > 0 else 0.0


def _equal(n: int) -> Array:
    return np.full(n, 1 / n)
