"""The claims that a gate is made of, each reading the interval that a comparison or a measurement shows.

======================  ==============================================================================
claim                   reads
======================  ==============================================================================
no worse by a margin    the guarded interval of the change; graded logs not below the hard floor
better by a gain        the interval of the change
rate above a floor      the interval of the score; an alarm, and a pass at a floor below 80 %, have to be shown by the
                        exact interval too
======================  ==============================================================================
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from evalgauge.errors import ScoreError
from evalgauge.rules.answers import Limits
from evalgauge.rules.gate import Claim, Reading
from evalgauge.rules.missing import honest_interval
from evalgauge.rules.paired_missing import ArmRuns, limits_with_missing
from evalgauge.rules.unpaired import unpaired_intervals
from evalgauge.stats.betting import betting_interval, order_p_value
from evalgauge.stats.clusters import effective_clusters
from evalgauge.stats.means import effective_n
from evalgauge.stats.proportion import clopper_pearson_limits
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.rules.missing import MissingPolicy

    Array: TypeAlias = NDArray[np.float64]

Direction: TypeAlias = Literal["higher is better", "lower is better"]

EXACT_BELOW = 0.8
"""Floors below this are passed by the exact interval too."""

# What a missing run counts as at the low and at the high end.
_FILLS: dict[str, tuple[float | None, float | None]] = {"bounds": (0.0, 1.0), "fail": (0.0, 0.0), "drop": (None, None)}
# Cases in random order are refused once in a thousand logs.
_ORDERED = 0.001
# The floor and a margin are one equation solved two ways, whose last digits may differ.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Change:
    """Two arms whose change is judged; scores are shares of their range.

    Attributes
    ----------
    base, cand
        Runs of the baseline and of the candidate; the same cases in the same order where they are paired.
    is_paired
        Whether they are.
    policy
        What a missing run counts as, in both arms alike.
    direction
        Whether a higher or a lower score is better.
    clusters
        One label per case of the pair, or of each arm where they are unpaired; ``None`` where cases are independent.
    is_pass_fail
        Whether every score is 0 or 1.
    is_anytime
        Whether the cases are bet on in their order, so that the interval holds after any number of them; pairs only.
    """

    base: ArmRuns
    cand: ArmRuns
    is_paired: bool = True
    policy: MissingPolicy = "bounds"
    direction: Direction = "higher is better"
    clusters: tuple[NDArray[np.intp] | None, NDArray[np.intp] | None] = (None, None)
    is_pass_fail: bool = True
    is_anytime: bool = False

    def limits(self, confidence: float) -> Limits:
        """Return the ends of the change at a level, turned so that higher is better."""
        if self.is_anytime:
            found = _anytime_limits(self, confidence)
        elif self.is_paired:
            found = limits_with_missing(
                self.base, self.cand, policy=self.policy, confidence=confidence, clusters=self.clusters[0]
            )
        else:
            found = _unpaired_limits(self, confidence)
        return found if self.direction == "higher is better" else _turned(found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Score:
    """One arm whose score is judged; scores are shares of their range and higher is better.

    Attributes
    ----------
    runs
        Its runs by case.
    squares
        Sum of the squared scores of each case.
    policy
        What a missing run counts as.
    clusters
        One label per case; ``None`` where cases are independent.
    is_pass_fail
        Whether every score is 0 or 1.
    is_anytime
        Whether the cases are bet on in their order, so that the interval holds after any number of them.
    """

    runs: ArmRuns
    squares: Array
    policy: MissingPolicy = "bounds"
    clusters: NDArray[np.intp] | None = None
    is_pass_fail: bool = True
    is_anytime: bool = False


def drop_claim(change: Change, *, max_drop: float) -> Claim:
    """Return the claim of "no worse by more than this".

    Parameters
    ----------
    change
        The two arms.
    max_drop
        The largest drop that would not matter, a share above 0.

    References
    ----------
    As `evalgauge.rules.verdict.claims`: its claim "no worse" is this one.

    Examples
    --------
    >>> ones = [1.0] * 200
    >>> arms = ArmRuns(sums=ones, scored=[1] * 200, planned=[1] * 200)
    >>> drop_claim(Change(base=arms, cand=arms), max_drop=0.02).passes(0.95)
    True
    """

    def at(confidence: float) -> Reading:
        limits = change.limits(confidence)
        may_pass = _has_several(change) and max_drop >= limits.least_margin * (1 - _ROUNDING)
        return Reading(
            low=limits.guarded.low, high=limits.guarded.high, method=limits.guarded.method, may_pass=may_pass
        )

    return Claim(threshold=-max_drop, at=cache(at))


def gain_claim(change: Change, *, gain: float) -> Claim:
    """Return the claim of "better by more than this".

    Parameters
    ----------
    change
        The two arms.
    gain
        The gain that has to be shown, a share of at least 0.

    Examples
    --------
    >>> base = ArmRuns(sums=[0.0] * 20, scored=[1] * 20, planned=[1] * 20)
    >>> cand = ArmRuns(sums=[1.0] * 20, scored=[1] * 20, planned=[1] * 20)
    >>> gain_claim(Change(base=base, cand=cand), gain=0.0).passes(0.95)
    True
    """

    def at(confidence: float) -> Reading:
        limits = change.limits(confidence)
        return Reading(
            low=limits.interval.low,
            high=limits.interval.high,
            method=limits.interval.method,
            may_pass=_has_several(change),
        )

    return Claim(threshold=gain, at=cache(at))


def rate_claim(score: Score, *, min_rate: float) -> Claim:
    """Return the claim of "the true rate (or mean score) is above this floor".

    Both ends are those of the interval that a measurement shows. Over reps or graded scores a pass also asks for a log
    large enough to hold one case of a kind that fails altogether and makes up 1 − ``min_rate``. The exact interval, at
    the effective number of cases, has to agree where the score interval errs too often: with an alarm (a false one in
    up to 9 % of small sets), and with a pass at a floor below 80 % (a wrong one in up to 20 %, above it at most 2.9 %).

    Parameters
    ----------
    score
        The arm.
    min_rate
        The floor, a share strictly between 0 and 1.

    References
    ----------
    Wilson 1927; Clopper and Pearson 1934, Biometrika 26, 404-413.

    Examples
    --------
    >>> def arm(n):
    ...     return Score(runs=ArmRuns(sums=[1.0] * n, scored=[1] * n, planned=[1] * n), squares=np.ones(n))
    >>> rate_claim(arm(34), min_rate=0.9).passes(0.95), rate_claim(arm(35), min_rate=0.9).passes(0.95)
    (False, True)
    """

    def anytime(confidence: float) -> Reading:
        _refuse_order(_filled(score.runs, None))
        fills = (0.0,) if score.policy == "fail" else dict.fromkeys((None, *_FILLS[score.policy]))
        found = _spanned([betting_interval(_filled(score.runs, fill), confidence=confidence) for fill in fills])
        may_pass = _cases(score.runs) > 1
        return Reading(low=found.low, high=found.high, method=found.method, may_pass=may_pass)

    def at(confidence: float) -> Reading:
        runs = score.runs
        found = honest_interval(
            runs.sums,
            runs.scored,
            runs.planned,
            policy=score.policy,
            confidence=confidence,
            clusters=score.clusters,
            sums_of_squares=score.squares,
            pass_fail=score.is_pass_fail,
        )
        exact_low, exact_high = _exact_ends(score, found.scored.n_eff, confidence)
        return Reading(
            low=found.interval.low,
            high=found.interval.high,
            method=found.interval.method,
            may_pass=_cases(runs) > 1
            and (min_rate >= EXACT_BELOW or exact_low > min_rate)
            and (_is_whole(score) or 1 - min_rate >= _absent_share(score, confidence) * (1 - _ROUNDING)),
            may_fail=exact_high < min_rate,
        )

    return Claim(threshold=min_rate, at=cache(anytime if score.is_anytime else at))


def _filled(runs: ArmRuns, missing_as: float | None) -> Array:
    return _means(runs, missing_as, None).means


def _anytime_limits(change: Change, confidence: float) -> Limits:
    """Return the ends of the change by bets on the cases in their order; no kind of change is beyond them."""
    arms = (change.base, change.cand)
    both = np.all([np.asarray(arm.scored) > 0 for arm in arms], axis=0)
    fills: tuple[tuple[float | None, float | None], ...] = ((None, None),)
    if change.policy == "fail":
        fills = ((0.0, 0.0),)
    elif change.policy == "bounds" and not all(np.array_equal(arm.scored, arm.planned) for arm in arms):
        fills = ((None, None), (1.0, 0.0), (0.0, 1.0))
    _refuse_order(_case_means(change.cand, None, both) - _case_means(change.base, None, both))
    ends: list[Interval] = []
    for base_as, cand_as in fills:
        base, cand = (_case_means(arm, fill, both) for arm, fill in zip(arms, (base_as, cand_as), strict=True))
        ends.append(betting_interval((cand - base + 1) / 2, confidence=confidence))
    found = _spanned(ends)
    found = replace(found, low=2 * found.low - 1, high=2 * found.high - 1)
    return Limits(interval=found, guarded=found)


def _spanned(intervals: list[Interval]) -> Interval:
    """Return the interval from the lowest to the highest end."""
    return replace(intervals[0], low=min(one.low for one in intervals), high=max(one.high for one in intervals))


def _refuse_order(values: Array) -> None:
    """Refuse cases whose order goes with their scores: bets on such an order are no fair game."""
    if order_p_value(values) < _ORDERED:
        raise ScoreError(
            "The cases stand in an order that goes with their scores (sorted by topic, difficulty or outcome?), so "
            "bets on them in turn prove nothing. Run the cases in a random order, or plan the looks: --interim 1/5."
        )


def _case_means(arm: ArmRuns, missing_as: float | None, kept: NDArray[np.bool_]) -> Array:
    """Return the means of the cases that are kept; of all cases where missing runs have a score."""
    sums, scored, planned = np.asarray(arm.sums, dtype=float), np.asarray(arm.scored), np.asarray(arm.planned)
    if missing_as is None:
        return sums[kept] / scored[kept]
    return (sums + (planned - scored) * missing_as) / planned


def _turned(limits: Limits) -> Limits:
    interval, guarded = (replace(one, low=-one.high, high=-one.low) for one in (limits.interval, limits.guarded))
    return Limits(interval=interval, guarded=guarded, least_margin=limits.least_margin)


def _unpaired_limits(change: Change, confidence: float) -> Limits:
    """Return the ends of the difference of two arms on different cases, spanned over what missing runs could be."""
    fills: tuple[tuple[float | None, float | None], ...] = ((0.0, 0.0),)
    if change.policy != "fail":
        is_complete = all(np.array_equal(arm.scored, arm.planned) for arm in (change.base, change.cand))
        spans = ((1.0, 0.0), (0.0, 1.0)) if change.policy == "bounds" and not is_complete else ()
        fills = ((None, None), *spans)
    readings = [_unpaired_reading(change, confidence, base_as, cand_as) for base_as, cand_as in fills]
    interval = Interval(
        low=min(one.low for one in readings),
        high=max(one.high for one in readings),
        confidence=confidence,
        method=readings[0].method,
    )
    return Limits(interval=interval, guarded=interval)


def _unpaired_reading(change: Change, confidence: float, base_as: float | None, cand_as: float | None) -> Interval:
    parts = [
        _means(arm, missing_as, labels)
        for arm, missing_as, labels in zip((change.base, change.cand), (base_as, cand_as), change.clusters, strict=True)
    ]
    labels = None
    if parts[0].clusters is not None and parts[1].clusters is not None:
        labels = (parts[0].clusters, parts[1].clusters)
    return unpaired_intervals(
        parts[0].means,
        parts[1].means,
        confidence=confidence,
        reps=(parts[0].runs, parts[1].runs) if change.is_pass_fail else None,
        clusters=labels,
    ).interval


class _Means(NamedTuple):
    means: Array
    runs: NDArray[np.int64]
    clusters: NDArray[np.intp] | None


def _means(arm: ArmRuns, missing_as: float | None, clusters: NDArray[np.intp] | None) -> _Means:
    """Return the case means, the cases without a scored run left out where missing runs are."""
    sums, scored, planned = np.asarray(arm.sums, dtype=float), np.asarray(arm.scored), np.asarray(arm.planned)
    if missing_as is not None:
        return _Means((sums + (planned - scored) * missing_as) / planned, planned, clusters)
    kept = scored > 0
    return _Means(sums[kept] / scored[kept], scored[kept], None if clusters is None else clusters[kept])


def _exact_ends(score: Score, n_eff: float, confidence: float) -> tuple[float, float]:
    """Return the exact interval at the effective number of cases: their number, where all pass or fail as a whole."""
    ends: list[float] = []
    for missing_as, end in zip(_FILLS[score.policy], (0, 1), strict=True):
        means = _means(score.runs, missing_as, None).means
        cases = n_eff if score.clusters is not None else float(effective_n(means))
        ends.append(float(clopper_pearson_limits(means.mean() * cases, cases, confidence=confidence)[end]))
    return ends[0], ends[1]


def _is_whole(score: Score) -> bool:
    """Return whether every case passes or fails as a whole, whatever its missing runs were, and none share a source."""
    means = [_means(score.runs, missing_as, None).means for missing_as in _FILLS[score.policy]]
    return score.clusters is None and all(np.isin(one, (0.0, 1.0)).all() for one in means)


def _cases(arm: ArmRuns) -> int:
    return int(np.count_nonzero(np.asarray(arm.scored)))


def _has_several(change: Change) -> bool:
    return min(_cases(change.base), _cases(change.cand)) > 1


def _absent_share(score: Score, confidence: float) -> float:
    """Return the largest share of a kind of case (or cluster) that a log of this size may hold none of."""
    kept = np.asarray(score.runs.scored) > 0
    units = float(kept.sum())
    if score.clusters is not None:
        units = effective_clusters(np.unique(score.clusters[kept], return_counts=True)[1])
    return -math.expm1(math.log((1 - confidence) / 2) / units)
