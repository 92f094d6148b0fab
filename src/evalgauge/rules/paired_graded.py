"""Two arms on the same cases when changes are graded, averaged over reps, or clustered.

The table is at the head of `evalgauge.rules.paired`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ScoreError
from evalgauge.rules.answers import PairedAnswer, PValues, equivalence_level, moved_scale
from evalgauge.stats.clusters import cluster_mean_interval, cluster_sums, effective_clusters
from evalgauge.stats.hull import dual_p_value, hull
from evalgauge.stats.paired_means import paired_delta_wald, paired_t, paired_t_p, tie_aware_t, tie_aware_t_p
from evalgauge.stats.paired_proportions import tango_interval
from evalgauge.stats.quantiles import t_p_value
from evalgauge.stats.sign_flip import sign_flip_test

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evalgauge.stats.results import Estimate, Interval

    Array: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64] | None

FEWEST_MOVED = 10
"""With fewer cases that moved, a Student interval has seen too little of how cases move."""

# A spread that small, of the range, is the rounding of equal numbers.
_ROUNDING = 1e-12
# With more changed cases the sign-flip test agrees with the t test and is not worth its time.
_MOST_SIGN_FLIPS = 10_000
_HIDDEN_BREAKS = (
    "Claims of no worse and equivalent rest on the guarded interval; up to about 7 % of them are wrong when rare "
    "breaks hide in run noise."
)
_NO_RANGE = (
    "The score has no range, so no guarded interval can be built: claims of no worse and equivalent hold only if no "
    "case breaks in a way that this log does not show."
)
# Below these a clustered interval is shown with a warning, and with a stronger one.
_FEW_CLUSTERS, _FEW_DF, _TOO_FEW_CLUSTERS = 10, 4, 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Reading:
    """A rule as a function of the level, and the p-value that agrees with it."""

    at: Callable[[float], Estimate]
    p_value: Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Readings:
    """The rules that these changes can be read by: the Student one where they have spread, the chosen, the guard."""

    student: _Reading | None
    chosen: _Reading
    guard: _Reading
    is_blind: bool


def graded_answer(shares: Array, codes: Codes, *, confidence: float, span: float, has_range: bool) -> PairedAnswer:
    """Return the answer for changes that are not all pass/fail, or that come in clusters.

    Parameters
    ----------
    shares
        Change per case as a share of ``span``.
    codes
        Cluster number per case, at least two clusters; ``None`` where the cases are independent.
    confidence
        Two-sided level, a share above 0.5.
    span
        Width of the score's range, or any unit where it has none.
    has_range
        Whether ``span`` bounds the score. Without a bound no guarded interval can be built.

    Raises
    ------
    ScoreError
        If there is no range and all cases (or clusters) changed by the same amount.

    References
    ----------
    The table at the head of `evalgauge.rules.paired`.

    Examples
    --------
    >>> changes = np.array([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3])
    >>> print(graded_answer(changes, None, confidence=0.95, span=1.0, has_range=True).interval)
    -0.1996 to 0.6013 (0.95 hull)
    """
    cut = 1.0 if has_range else math.inf
    found = _readings(shares, codes, span=span, has_range=has_range)
    student, chosen, guard = found.student, found.chosen, found.guard
    main, safe = chosen.at(confidence), _stretched(guard, chosen, confidence)
    others = [] if student is None else [student.at(confidence).interval]
    others += [safe.interval, *_comparisons(shares, codes, confidence, cut)]
    p_values, flip_notes = _p_values(shares, codes, chosen.p_value(), student)
    return PairedAnswer(
        estimate=float(shares.mean()) * span,
        interval=moved_scale(main.interval, span),
        guarded=moved_scale(safe.interval, span),
        guarded_equivalence=moved_scale(_stretched(guard, chosen, equivalence_level(confidence)).interval, span),
        alternatives=tuple(moved_scale(other, span) for other in others if other.method != main.interval.method),
        p_value=p_values["dual"],
        p_values=p_values,
        n_eff=safe.n_eff,
        df=main.df,
        notes=(
            *_notes(shares, is_flat=student is None, is_blind=found.is_blind, has_range=has_range),
            *_cluster_notes(codes, main.df),
            *flip_notes,
        ),
        wins=int(np.count_nonzero(shares > 0)),
        losses=int(np.count_nonzero(shares < 0)),
        ties=int(np.count_nonzero(shares == 0)),
        n_cases=shares.size,
        least_margin=_absent_share(shares, codes, confidence) * span if has_range else 0.0,
    )


def graded_limits(shares: Array, codes: Codes, *, confidence: float) -> tuple[Interval, Interval, float]:
    """Return the two intervals and the least margin of `graded_answer`, and nothing else: for many levels or logs.

    Parameters
    ----------
    shares
        Change per case as a share of the score's range.
    codes
        Cluster number per case, at least two clusters; ``None`` where the cases are independent.
    confidence
        Two-sided level, a share.

    Examples
    --------
    >>> changes = np.array([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3])
    >>> interval, guarded, least_margin = graded_limits(changes, None, confidence=0.95)
    >>> print(interval, round(least_margin, 3))
    -0.1996 to 0.6013 (0.95 hull) 0.369
    """
    found = _readings(shares, codes, span=1.0, has_range=True)
    inner = found.chosen.at(confidence).interval
    return inner, _stretched(found.guard, found.chosen, confidence).interval, _absent_share(shares, codes, confidence)


def graded_p_value(shares: Array, codes: Codes) -> float:
    """Return the p-value of `graded_answer` alone, for scores with a range: where many pairs of arms are judged.

    Parameters
    ----------
    shares
        Change per case as a share of the score's range.
    codes
        Cluster number per case, at least two clusters; ``None`` where the cases are independent.

    Examples
    --------
    >>> round(graded_p_value(np.array([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]), None), 2)
    0.19
    """
    return _readings(shares, codes, span=1.0, has_range=True).chosen.p_value()


def _readings(shares: Array, codes: Codes, *, span: float, has_range: bool) -> _Readings:
    student = _student(shares, codes, 1.0 if has_range else math.inf)
    guard = _guard(shares, codes) if has_range else student
    if guard is None:
        raise ScoreError(
            f"deltas: all {shares.size} cases (or clusters) changed by the same {shares.mean() * span:g}, and the "
            "score has no range, so nothing bounds what other cases do. Declare the range (--range)."
        )
    is_blind = has_range and int(np.count_nonzero(shares)) < FEWEST_MOVED
    chosen = guard if student is None or is_blind else student
    return _Readings(student=student, chosen=chosen, guard=guard, is_blind=is_blind)


def _absent_share(shares: Array, codes: Codes, confidence: float) -> float:
    """Return the largest share of a kind of case, or of cluster, that a log of this size may hold none of.

    The hull alone learns from run noise that changes are small, and then trusts fewer cases than it takes to see one
    break: with 45 of them, or 45 clusters of 5, a drop of 5 points by total breaks passed it in up to 11 % of logs.
    """
    units = shares.size if codes is None else effective_clusters(np.bincount(codes))
    return -math.expm1(math.log((1 - confidence) / 2) / units)


def _stretched(guard: _Reading, chosen: _Reading, level: float) -> Estimate:
    """Return the guarded estimate, no end of it inside the chosen interval.

    With a dozen cases a Student quantile can reach past the hull by some points; without this, "no worse" could be
    claimed from the guarded interval and contradicted by the other.
    """
    safe, inner = guard.at(level), chosen.at(level).interval
    ends = replace(safe.interval, low=min(safe.interval.low, inner.low), high=max(safe.interval.high, inner.high))
    return replace(safe, interval=ends)


def _guard(shares: Array, codes: Codes) -> _Reading:
    def at(level: float) -> Estimate:
        return hull(shares, confidence=level, clusters=codes)

    return _Reading(at=at, p_value=lambda: dual_p_value(lambda level: at(level).interval))


def _student(shares: Array, codes: Codes, cut: float) -> _Reading | None:
    """Return the rule that goes by the spread of the changes alone, or None where they have none."""
    if codes is None:
        if np.ptp(shares) <= _ROUNDING:
            return None
        return _Reading(
            at=lambda level: tie_aware_t(shares, confidence=level, span=cut), p_value=lambda: tie_aware_t_p(shares)
        )
    sums, sizes = cluster_sums(shares, codes)
    if np.ptp(sums / sizes) <= _ROUNDING:
        return None

    def at(level: float) -> Estimate:
        plain = cluster_mean_interval(shares, codes, confidence=level)
        ends = replace(plain.interval, low=max(plain.interval.low, -cut), high=min(plain.interval.high, cut))
        return replace(plain, interval=ends)

    def p_value() -> float:
        plain = at(0.5)
        return t_p_value(plain.estimate / plain.std_error, plain.df)

    return _Reading(at=at, p_value=p_value)


def _comparisons(shares: Array, codes: Codes, confidence: float, cut: float) -> list[Interval]:
    """Return what other rules say that a reader may have met; those that need spread only where there is some."""
    others: list[Interval] = []
    if codes is not None and cut == 1 and np.isin(shares, (-1.0, 0.0, 1.0)).all():
        wins, losses = int(np.count_nonzero(shares > 0)), int(np.count_nonzero(shares < 0))
        others.append(tango_interval(wins, losses, shares.size, confidence=confidence))
    if np.ptp(shares) > _ROUNDING:
        rules = (paired_t, paired_delta_wald) if codes is None else (tie_aware_t, paired_delta_wald)
        others += [rule(shares, confidence=confidence, span=cut).interval for rule in rules]
    return others


def _p_values(shares: Array, codes: Codes, dual: float, student: _Reading | None) -> tuple[PValues, list[str]]:
    p_values, notes = {"dual": dual}, list[str]()
    if student is not None:
        p_values["t"] = paired_t_p(shares) if codes is None else student.p_value()
    changes = shares if codes is None else cluster_sums(shares, codes)[0]
    if 0 < np.count_nonzero(changes) <= _MOST_SIGN_FLIPS:
        flips = sign_flip_test(changes)
        p_values["sign_flip"] = flips.p_value
        if not flips.is_exact:
            notes.append(f"The sign-flip p-value is from {flips.draws:,} seeded draws, ±{flips.mc_error:.2g}.")
    return PValues(p_values), notes


def _notes(shares: Array, *, is_flat: bool, is_blind: bool, has_range: bool) -> list[str]:
    if not has_range:
        return [_NO_RANGE]
    notes = [_HIDDEN_BREAKS]
    n, moved = shares.size, np.count_nonzero(shares)
    if n == 1:
        notes.append("One case says next to nothing about others like it.")
    elif is_flat:
        notes.append(f"All {n} cases (or clusters) changed alike, which shows no spread: the guarded interval is used.")
    elif is_blind:
        notes.append(f"{moved} of {n} cases moved, fewer than {FEWEST_MOVED}: the guarded interval is used throughout.")
    return notes


def _cluster_notes(codes: Codes, df: float) -> list[str]:
    if codes is None:
        return []
    weight = effective_clusters(np.bincount(codes))
    notes = ["tango, tie-aware t and paired-delta wald, where listed, take the cases as independent of their clusters."]
    if weight < _TOO_FEW_CLUSTERS:
        notes.append(f"The clusters weigh like {weight:.1f}: too few to rest a decision on.")
    elif weight < _FEW_CLUSTERS or df < _FEW_DF:
        notes.append(f"The clusters weigh like {weight:.1f} (df {df:.1f}): few, so the interval is rough.")
    return notes
