"""Graded scores or averaged reps on the same cases, two arms: intervals for the mean change.

A delta is one case's change, candidate − baseline, after the reps of each arm were averaged. Functions named
``*_limits`` work along the last axis, so that a coverage study evaluates thousands of evals with the code that grades.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_scores, checked_whole
from evalgauge.stats.quantiles import t_p_value, t_quantile
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]
    Limits: TypeAlias = tuple[Array, Array]
    # Centre, standard error and degrees of freedom.
    Pivot: TypeAlias = tuple[Array, Array, Array]
    Rule: TypeAlias = Callable[[Array, Array | None], Pivot]


def paired_t(
    deltas: ArrayLike, *, confidence: float = 0.95, span: float = math.inf, counts: ArrayLike | None = None
) -> Estimate:
    """Answer "how much did the mean score change?" with Student's interval over the per-case deltas.

    Right where changes are spread over many cases; blind to a few cases that break completely.

    Parameters
    ----------
    deltas
        Change per case, one dimension, at least 2 cases, in the unit of the score.
    confidence
        Two-sided level, a share.
    span
        Width of the score's range: no mean change is outside ±``span``, and the ends are cut there.
    counts
        How many cases each delta stands for, whole numbers; one each where it is left out.

    Raises
    ------
    ArgumentError
        If there are fewer than 2 cases or NaN among them, or the level is not a share.
    ScoreError
        If all deltas are equal, where the rule has no width.

    References
    ----------
    Student 1908, Biometrika 6, 1-25.

    Examples
    --------
    >>> print(paired_t([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]).interval)
    -0.07464 to 0.5746 (0.95 paired t)
    """
    return _estimate(_plain_pivot, deltas, counts, confidence, span, "paired t")


def tie_aware_t(
    deltas: ArrayLike, *, confidence: float = 0.95, span: float = math.inf, counts: ArrayLike | None = None
) -> Estimate:
    """Answer "how much did the mean score change?" for deltas of which many are exactly 0.

    Cases without any change are believed only in part: up to two pseudo-cases at plus and minus the typical size of a
    change are added, as many as there are unchanged cases in proportion. With no ties it is `paired_t`; with pass/fail
    changes it is Bonett and Price's interval with a Student quantile.

    Parameters
    ----------
    deltas
        Change per case, one dimension, at least 2 cases, in the unit of the score.
    confidence
        Two-sided level, a share.
    span
        Width of the score's range: the ends are cut at ±``span``.
    counts
        How many cases each delta stands for, whole numbers; one each where it is left out.

    Raises
    ------
    ArgumentError
        If there are fewer than 2 cases or NaN among them, or the level is not a share.
    ScoreError
        If all deltas are equal, where the rule has no width.

    References
    ----------
    A generalisation of Bonett and Price 2012, Journal of Educational and Behavioral Statistics 37, 479-488.

    Examples
    --------
    >>> print(tie_aware_t([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]).interval)
    -0.1333 to 0.5657 (0.95 tie-aware t)
    """
    return _estimate(_tie_aware_pivot, deltas, counts, confidence, span, "tie-aware t")


def paired_delta_wald(
    deltas: ArrayLike, *, confidence: float = 0.95, span: float = math.inf, counts: ArrayLike | None = None
) -> Estimate:
    """Return the plain Wald interval over per-case deltas, z·sd/√n: for comparison only.

    Parameters
    ----------
    deltas
        Change per case, one dimension, at least 2 cases, in the unit of the score.
    confidence
        Two-sided level, a share.
    span
        Width of the score's range: the ends are cut at ±``span``.
    counts
        How many cases each delta stands for, whole numbers; one each where it is left out.

    Raises
    ------
    ArgumentError
        If there are fewer than 2 cases or NaN among them, or the level is not a share.
    ScoreError
        If all deltas are equal, where the rule has no width.

    References
    ----------
    Miller 2024, Adding Error Bars to Evals, section 4.2.

    Examples
    --------
    >>> print(paired_delta_wald([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]).interval)
    -0.01909 to 0.5191 (0.95 paired-delta wald)
    """
    return _estimate(_wald_pivot, deltas, counts, confidence, span, "paired-delta wald")


def paired_t_p(deltas: ArrayLike, *, counts: ArrayLike | None = None) -> float:
    """Return the p-value of Student's paired test, the one that agrees with `paired_t`.

    Parameters
    ----------
    deltas
        Change per case, one dimension, at least 2 cases.
    counts
        How many cases each delta stands for, whole numbers; one each where it is left out.

    Raises
    ------
    ArgumentError
        If there are fewer than 2 cases or NaN among them.
    ScoreError
        If all deltas are equal: there is no spread to measure the mean by.

    References
    ----------
    Student 1908, Biometrika 6, 1-25.

    Examples
    --------
    >>> round(paired_t_p([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]), 2)
    0.11
    """
    return _p_value(_plain_pivot, deltas, counts, "paired t")


def tie_aware_t_p(deltas: ArrayLike, *, counts: ArrayLike | None = None) -> float:
    """Return the p-value that agrees with `tie_aware_t`: at most 1 − c exactly when the interval at c excludes 0.

    Parameters
    ----------
    deltas
        Change per case, one dimension, at least 2 cases.
    counts
        How many cases each delta stands for, whole numbers; one each where it is left out.

    Raises
    ------
    ArgumentError
        If there are fewer than 2 cases or NaN among them.
    ScoreError
        If all deltas are equal: there is no spread to measure the mean by.

    References
    ----------
    As `tie_aware_t`.

    Examples
    --------
    >>> round(tie_aware_t_p([0, 0, 1, 0, 0, 2 / 3, 0, 1 / 3]), 2)
    0.19
    """
    return _p_value(_tie_aware_pivot, deltas, counts, "tie-aware t")


def paired_t_limits(deltas: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of `paired_t` along the last axis; they coincide where all deltas are equal, and are not cut.

    Parameters
    ----------
    deltas
        Changes, cases along the last axis (at least 2). They are not checked.
    confidence
        Two-sided level, a share.

    References
    ----------
    Student 1908, Biometrika 6, 1-25.

    Examples
    --------
    >>> low, high = paired_t_limits([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0484, 0.0], [0.4484, 0.0])
    """
    return _limits(_plain_pivot(np.asarray(deltas, dtype=np.float64), None), confidence)


def tie_aware_t_limits(deltas: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of `tie_aware_t` along the last axis; they coincide where all deltas are equal, and are not cut.

    Parameters
    ----------
    deltas
        Changes, cases along the last axis (at least 2). They are not checked.
    confidence
        Two-sided level, a share.

    References
    ----------
    As `tie_aware_t`.

    Examples
    --------
    >>> low, high = tie_aware_t_limits([[0.1, 0.2, 0.3], [0.0, 0.0, 0.6]])
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0484, -0.5505], [0.4484, 0.8274])
    """
    return _limits(_tie_aware_pivot(np.asarray(deltas, dtype=np.float64), None), confidence)


def _total(values: Array, counts: Array | None) -> Array:
    return np.asarray(values.sum(axis=-1) if counts is None else values @ counts)


def _plain_pivot(deltas: Array, counts: Array | None) -> Pivot:
    n = deltas.shape[-1] if counts is None else float(counts.sum())
    centre = _total(deltas, counts) / n
    around = _total((deltas - centre[..., np.newaxis]) ** 2, counts)
    return centre, np.sqrt(around / (n - 1) / n), np.full_like(centre, n - 1.0)


def _wald_pivot(deltas: Array, counts: Array | None) -> Pivot:
    centre, error, df = _plain_pivot(deltas, counts)
    return centre, error, np.full_like(df, math.inf)


def _tie_aware_pivot(deltas: Array, counts: Array | None) -> Pivot:
    n = deltas.shape[-1] if counts is None else float(counts.sum())
    moved = _total((deltas != 0).astype(np.float64), counts)
    pseudo = 1 - moved / n
    typical = _total(deltas * deltas, counts) / np.maximum(moved, 1)
    total = n + 2 * pseudo
    centre = _total(deltas, counts) / total
    # Written as deviations, because Σd² − N'm'² would cancel where every case changed by nearly the same amount.
    around = _total((deltas - centre[..., np.newaxis]) ** 2, counts) + 2 * pseudo * (typical + centre * centre)
    return centre, np.sqrt(around / (total - 1) / total), total - 1


def _limits(pivot: Pivot, confidence: float) -> Limits:
    centre, error, df = pivot
    reach = t_quantile(confidence, df) * error
    return centre - reach, centre + reach


def _checked(deltas: ArrayLike, counts: ArrayLike | None, method: str) -> tuple[Array, Array | None]:
    """Return the deltas and how many cases each stands for, or refuse where there is no spread."""
    changes = checked_scores(deltas, "deltas", least=2)
    weights = None if counts is None else checked_whole(counts, "counts", least=0, size=changes.size).astype(np.float64)
    held = changes if weights is None else changes[weights > 0]
    n = changes.size if weights is None else weights.sum()
    if n < 2:
        raise ArgumentError("counts", f"{n:g} cases in all", "at least 2")
    # A spread of rounding size is none: the same change written as 0.9 - 0.6 and 0.4 - 0.1 differs in the last digit.
    if np.ptp(held) <= 1e-12 * np.abs(held).max():
        raise ScoreError(
            f"{method}: all {n:g} deltas are {held[0]:g}, and this interval has no width there, which would claim "
            "certainty. Use the hull."
        )
    return changes, weights


def _estimate(
    rule: Rule, deltas: ArrayLike, counts: ArrayLike | None, confidence: float, span: float, method: str
) -> Estimate:
    changes, weights = _checked(deltas, counts, method)
    centre, error, df = (float(part) for part in rule(changes, weights))
    reach = t_quantile(confidence, df) * error
    return Estimate(
        estimate=float(_plain_pivot(changes, weights)[0]),
        interval=Interval(
            low=max(-span, centre - reach), high=min(span, centre + reach), confidence=confidence, method=method
        ),
        std_error=error,
        df=df,
        n_eff=math.nan,
    )


def _p_value(rule: Rule, deltas: ArrayLike, counts: ArrayLike | None, method: str) -> float:
    centre, error, df = (float(part) for part in rule(*_checked(deltas, counts, method)))
    return t_p_value(centre / error, df)
