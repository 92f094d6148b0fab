"""Two arms on different cases: which interval answers which data.

Every case mean 0 or 1 and no clusters: Miettinen-Nurminen. Otherwise (reps, graded scores, clusters): MOVER on the
effective-n Wilson interval of each arm. No range of the score: Welch. Arm 1 is the baseline, arm 2 the candidate.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.rules.answers import PValues, UnpairedAnswer, equivalence_level, moved_scale
from evalgauge.rules.grouping import shared_clusters
from evalgauge.stats.checks import checked_counts, checked_scores, checked_unit_scores
from evalgauge.stats.clusters import cluster_mean_interval, effective_n_wilson_clustered
from evalgauge.stats.hull import dual_p_value
from evalgauge.stats.means import effective_n_wilson, t_interval
from evalgauge.stats.quantiles import normal_p_value
from evalgauge.stats.two_proportions import (
    agresti_caffo_interval,
    miettinen_nurminen_interval,
    miettinen_nurminen_statistic,
    newcombe_interval,
    pooled_z_p,
    wald_difference_interval,
)
from evalgauge.stats.unpaired_means import mover_difference, welch_p, welch_t

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from evalgauge.stats.results import Estimate, Interval

    Array: TypeAlias = NDArray[np.float64]
    Codes: TypeAlias = NDArray[np.int64] | None
    # One arm's estimate as a function of the level.
    Arm: TypeAlias = Callable[[float], Estimate]

_NAMES = ("base_means", "cand_means")
_ROUNDING = 1e-12
_NO_SPREAD = "Each arm passes all or fails all of its cases: the interval rests on their numbers alone."
_NO_RANGE = "The score has no range: the interval holds only if no case breaks in a way that these logs do not show."


def unpaired_counts(x1: float, n1: float, x2: float, n2: float, *, confidence: float = 0.95) -> UnpairedAnswer:
    """Answer "do the pass rates of two arms on different cases differ?" from counts.

    Parameters
    ----------
    x1, n1
        Passes and cases of the baseline.
    x2, n2
        Passes and cases of the candidate.
    confidence
        Two-sided level, a share above 0.5.

    Raises
    ------
    ArgumentError
        If a count is outside 0 to n or not whole, n is not above 0, or the level is not in range.

    References
    ----------
    Miettinen and Nurminen 1985, Statistics in Medicine 4, 213-226.

    Examples
    --------
    >>> answer = unpaired_counts(175, 250, 197, 250)
    >>> print(answer)
    +0.088 (0.01148 to 0.164 (0.95 miettinen-nurminen)), 0.7 of 250 cases to 0.788 of 250, p = 0.0243
    >>> round(answer.p_values["z"], 3)
    0.024
    """
    checked_counts(x1, n1)
    checked_counts(x2, n2)
    for argument, count in (("x1", x1), ("n1", n1), ("x2", x2), ("n2", n2)):
        if not float(count).is_integer():
            raise ArgumentError(argument, count, "a whole number of cases")
    main = miettinen_nurminen_interval(x1, n1, x2, n2, confidence=confidence)
    statistic = float(miettinen_nurminen_statistic(x1, n1, x2, n2, difference=0.0))
    others = [rule(x1, n1, x2, n2, confidence=confidence) for rule in (newcombe_interval, agresti_caffo_interval)]
    p_values = {"dual": normal_p_value(statistic), "z": pooled_z_p(x1, n1, x2, n2)}
    has_spread = not (x1 in {0, n1} and x2 in {0, n2})
    if has_spread:
        others.append(wald_difference_interval(x1, n1, x2, n2, confidence=confidence))
    if has_spread and min(n1, n2) > 1:
        counts = ((x1, n1 - x1), (x2, n2 - x2))
        welch = welch_t((1, 0), (1, 0), confidence=confidence, span=1.0, base_counts=counts[0], cand_counts=counts[1])
        others.append(welch.interval)
        p_values["welch"] = welch_p((1, 0), (1, 0), base_counts=counts[0], cand_counts=counts[1])
    return UnpairedAnswer(
        estimate=x2 / n2 - x1 / n1,
        interval=main,
        guarded=main,
        guarded_equivalence=miettinen_nurminen_interval(x1, n1, x2, n2, confidence=equivalence_level(confidence)),
        alternatives=tuple(others),
        p_value=p_values["dual"],
        p_values=PValues(p_values),
        n_eff=math.nan,
        df=math.inf,
        notes=() if has_spread else (_NO_SPREAD,),
        base_estimate=x1 / n1,
        cand_estimate=x2 / n2,
        n_base=int(n1),
        n_cand=int(n2),
    )


def unpaired_intervals(
    base_means: ArrayLike,
    cand_means: ArrayLike,
    *,
    confidence: float = 0.95,
    score_range: tuple[float, float] | None = (0.0, 1.0),
    reps: tuple[ArrayLike, ArrayLike] | None = None,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
) -> UnpairedAnswer:
    """Answer "do the mean scores of two arms on different cases differ?".

    Parameters
    ----------
    base_means, cand_means
        One mean per case, in the unit of the score.
    confidence
        Two-sided level, a share above 0.5.
    score_range
        Lowest and highest possible score; ``None`` where the score has no range.
    reps
        Runs of each case of the baseline and of the candidate, for pass/fail scores only. They matter only where they
        differ within an arm.
    clusters
        One label per case of the baseline and of the candidate; cases with the same label share a source.

    Raises
    ------
    ArgumentError
        If a score is outside the range or NaN, an arm is empty, or the level is not in range.
    ScoreError
        If all cases of an arm belong to one cluster, or neither arm varies and the score has no range.

    References
    ----------
    Miettinen and Nurminen 1985; Newcombe 1998; Zou and Donner 2008; Welch 1947: each is with its formula.

    Examples
    --------
    >>> print(unpaired_intervals([0.5, 0.65, 0.7, 0.4], [0.9, 0.8, 0.7, 1, 0.6]).interval)
    -0.1926 to 0.6005 (0.95 mover)
    """
    equivalence_level(confidence)
    arms = [checked_scores(base_means, "base_means"), checked_scores(cand_means, "cand_means")]
    groups = [shared_clusters(labels, arm.size) for labels, arm in zip(clusters or (None, None), arms, strict=True)]
    if score_range is None:
        return _without_range(arms, groups, confidence)
    low, high = score_range
    is_clustered = any(codes is not None for codes in groups)
    units = [checked_unit_scores(arm, score_range, name) for arm, name in zip(arms, _NAMES, strict=True)]
    if not is_clustered and all(np.isin(unit, (0.0, 1.0)).all() for unit in units):
        (x1, n1), (x2, n2) = ((float(unit.sum()), unit.size) for unit in units)
        return _scaled(unpaired_counts(x1, n1, x2, n2, confidence=confidence), low, high - low)
    base, cand = (
        _in_range(unit, runs, codes) for unit, runs, codes in zip(units, reps or (None, None), groups, strict=True)
    )
    welch = None if is_clustered else _welch(units[0], units[1], confidence, 1.0)
    return _scaled(_mover_answer(base, cand, units, confidence, cut=1.0, welch=welch), low, high - low)


def _in_range(unit: Array, reps: ArrayLike | None, codes: Codes) -> Arm:
    if codes is not None:
        return lambda level: effective_n_wilson_clustered(unit, codes, confidence=level)
    return lambda level: effective_n_wilson(unit, confidence=level, reps=reps)


def _without_range(arms: Sequence[Array], groups: Sequence[Codes], confidence: float) -> UnpairedAnswer:
    def arm(scores: Array, codes: Codes) -> Arm:
        if codes is not None:
            return lambda level: cluster_mean_interval(scores, codes, confidence=level)
        return lambda level: t_interval(scores, confidence=level)

    if groups[0] is None and groups[1] is None:
        main = welch_t(arms[0], arms[1], confidence=confidence)
        return _answer(
            main.interval,
            welch_t(arms[0], arms[1], confidence=equivalence_level(confidence)).interval,
            arms,
            {"dual": welch_p(arms[0], arms[1])},
            df=main.df,
            notes=(_NO_RANGE,),
        )
    base, cand = (arm(scores, codes) for scores, codes in zip(arms, groups, strict=True))
    return _mover_answer(base, cand, arms, confidence, cut=math.inf, welch=None)


def _welch(base: Array, cand: Array, confidence: float, cut: float) -> tuple[Interval, float] | None:
    """Return Welch's interval and p-value, or None where they are not defined."""
    if min(base.size, cand.size) < 2 or max(np.ptp(base), np.ptp(cand)) <= _ROUNDING:
        return None
    return welch_t(base, cand, confidence=confidence, span=cut).interval, welch_p(base, cand)


def _mover_answer(
    base: Arm, cand: Arm, arms: Sequence[Array], confidence: float, *, cut: float, welch: tuple[Interval, float] | None
) -> UnpairedAnswer:
    def at(level: float) -> Interval:
        return mover_difference(base(level), cand(level), span=cut)

    p_values = {"dual": dual_p_value(at)}
    if welch is not None:
        p_values["welch"] = welch[1]
    answer = _answer(
        at(confidence),
        at(equivalence_level(confidence)),
        arms,
        p_values,
        df=min(base(confidence).df, cand(confidence).df),
        notes=(_NO_RANGE,) if math.isinf(cut) else (),
    )
    return answer if welch is None else replace(answer, alternatives=(welch[0],))


def _answer(
    main: Interval,
    equivalence: Interval,
    arms: Sequence[Array],
    p_values: Mapping[str, float],
    *,
    df: float,
    notes: tuple[str, ...],
) -> UnpairedAnswer:
    base, cand = (float(arm.mean()) for arm in arms)
    return UnpairedAnswer(
        estimate=cand - base,
        interval=main,
        guarded=main,
        guarded_equivalence=equivalence,
        alternatives=(),
        p_value=p_values["dual"],
        p_values=PValues(p_values),
        n_eff=math.nan,
        df=df,
        notes=notes,
        base_estimate=base,
        cand_estimate=cand,
        n_base=arms[0].size,
        n_cand=arms[1].size,
    )


def _scaled(answer: UnpairedAnswer, start: float, span: float) -> UnpairedAnswer:
    return replace(
        answer,
        estimate=answer.estimate * span,
        interval=moved_scale(answer.interval, span),
        guarded=moved_scale(answer.guarded, span),
        guarded_equivalence=moved_scale(answer.guarded_equivalence, span),
        alternatives=tuple(moved_scale(other, span) for other in answer.alternatives),
        base_estimate=answer.base_estimate * span + start,
        cand_estimate=answer.cand_estimate * span + start,
    )


def unpaired_view_of_paired(base_means: ArrayLike, cand_means: ArrayLike) -> float:
    """Return the p-value of a test that takes two arms on the same cases as unrelated: shown to be seen through.

    The pairing is evidence: cases that both arms pass or both fail say that the arms agree. A test that throws it away
    misses real changes.

    Parameters
    ----------
    base_means, cand_means
        One mean per case, in the unit of the score. The z test where all are 0 or 1, Welch's test otherwise.

    Raises
    ------
    ArgumentError
        If an arm is empty or holds NaN, or graded scores have fewer than 2 cases.
    ScoreError
        If graded scores do not vary in either arm.

    References
    ----------
    Miller 2024, Adding Error Bars to Evals, section 4 (paired against unpaired).

    Examples
    --------
    >>> base, cand = [1] * 159 + [0] * 81, [1] * 172 + [0] * 68
    >>> round(unpaired_view_of_paired(base, cand), 3)
    0.2
    """
    base, cand = checked_scores(base_means, "base_means"), checked_scores(cand_means, "cand_means")
    if np.isin(base, (0.0, 1.0)).all() and np.isin(cand, (0.0, 1.0)).all():
        return pooled_z_p(float(base.sum()), base.size, float(cand.sum()), cand.size)
    return welch_p(base, cand)
