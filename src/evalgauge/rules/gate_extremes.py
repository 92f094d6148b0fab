"""The best and the worst that a claim could read from a log of this size: a rule that passes on neither is blind."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.rules.gate import Claim, Reading
from evalgauge.rules.gate_claims import Change, Score, drop_claim, gain_claim, rate_claim
from evalgauge.rules.grouping import shared_clusters
from evalgauge.rules.paired_graded import graded_limits
from evalgauge.rules.paired_missing import ArmRuns

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Extremes:
    """A claim over the same cases with the best and with the worst data that two arms could give.

    Attributes
    ----------
    best
        For "no worse": no case changed, the best that two equally good arms can show; over graded changes, only the
        hard floor is in the way. For "better" and for a floor: every case passes.
    worst
        Every case fails that could.
    """

    best: Claim
    worst: Claim


def drop_extremes(change: Change, *, max_drop: float, is_graded: bool) -> Extremes:
    """Return the extremes of "no worse by more than this".

    Parameters
    ----------
    change
        The two arms: their size and clusters count, their scores do not.
    max_drop
        As in `drop_claim`.
    is_graded
        Whether changes are graded or averaged over reps, so that the hull decides.

    Examples
    --------
    >>> arm = ArmRuns(sums=np.ones(100), scored=np.ones(100), planned=np.ones(100))
    >>> drop_extremes(Change(base=arm, cand=arm), max_drop=0.02, is_graded=False).best.passes(0.95)
    False
    """
    best = drop_claim(_with(change, base=1.0, cand=1.0), max_drop=max_drop)
    if is_graded and change.is_paired:
        best = _graded_best(change, max_drop)
    return Extremes(best=best, worst=drop_claim(_with(change, base=1.0, cand=0.0), max_drop=max_drop))


def gain_extremes(change: Change, *, gain: float) -> Extremes:
    """Return the extremes of "better by more than this".

    Parameters
    ----------
    change, gain
        As in `gain_claim`.

    Examples
    --------
    >>> arm = ArmRuns(sums=np.ones(3), scored=np.ones(3), planned=np.ones(3))
    >>> gain_extremes(Change(base=arm, cand=arm), gain=0.0).best.passes(0.95)
    False
    """
    return Extremes(
        best=gain_claim(_with(change, base=0.0, cand=1.0), gain=gain),
        worst=gain_claim(_with(change, base=1.0, cand=0.0), gain=gain),
    )


def rate_extremes(score: Score, *, min_rate: float) -> Extremes:
    """Return the extremes of "the true rate is above this floor".

    Parameters
    ----------
    score, min_rate
        As in `rate_claim`.

    Examples
    --------
    >>> arm = ArmRuns(sums=np.ones(34), scored=np.ones(34), planned=np.ones(34))
    >>> rate_extremes(Score(runs=arm, squares=np.ones(34)), min_rate=0.9).best.passes(0.95)
    False
    """
    best, worst = (_filled(score.runs, value) for value in (1.0, 0.0))
    return Extremes(
        best=rate_claim(replace(score, runs=best, squares=np.asarray(best.sums)), min_rate=min_rate),
        worst=rate_claim(replace(score, runs=worst, squares=np.asarray(worst.sums)), min_rate=min_rate),
    )


def _with(change: Change, *, base: float, cand: float) -> Change:
    return replace(
        change, base=_filled(change.base, base), cand=_filled(change.cand, cand), direction="higher is better"
    )


def _filled(arm: ArmRuns, score: float) -> ArmRuns:
    """Return the runs of an arm with every planned one scored alike: nothing is missing in the best of cases."""
    planned = np.asarray(arm.planned, dtype=np.int64)
    return ArmRuns(sums=score * planned, scored=planned, planned=planned)


def _graded_best(change: Change, max_drop: float) -> Claim:
    """Return the best of a graded log: changes too small to count, which leave the hard floor alone to be cleared."""
    n = np.asarray(change.base.planned).size
    codes: NDArray[np.int64] | None = shared_clusters(change.clusters[0], n)

    def at(confidence: float) -> Reading:
        _, guarded, least_margin = graded_limits(np.zeros(n), codes, confidence=confidence)
        may_pass = n > 1 and max_drop >= least_margin * (1 - 1e-9)
        return Reading(low=0.0, high=guarded.high, method=guarded.method, may_pass=may_pass)

    return Claim(threshold=-max_drop, at=cache(at))
