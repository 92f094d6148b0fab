"""The table of rules for one score: which apply to which data, the default first."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_confidence, checked_scores, checked_unit_scores, checked_whole
from evalgauge.stats.clusters import cluster_mean_interval, effective_n_wilson_clustered
from evalgauge.stats.components import within_sums_of_squares
from evalgauge.stats.means import effective_n_wilson, fixed_cases_interval, t_interval
from evalgauge.stats.proportion import (
    clopper_pearson_interval,
    jeffreys_interval,
    mid_p_interval,
    wald_interval,
    wilson_cc_interval,
    wilson_interval,
)
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]
    Rule: TypeAlias = Callable[["ScoreData"], Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreData:
    """The checked data of one score.

    Attributes
    ----------
    means
        Case means in the unit of the score.
    low, span
        Start and width of the declared range; 0 and 1 where there is none.
    unit
        Case means as shares of the declared range; ``None`` where there is none.
    clusters
        Cluster of each case, or ``None``.
    reps
        Runs of each case.
    sums_of_squares
        Squared scores of the runs, summed per case; ``None`` where they are not known.
    is_pass_fail
        Whether every run passes or fails.
    confidence
        Two-sided level, a share.
    """

    means: Array
    low: float
    span: float
    unit: Array | None
    clusters: NDArray[np.int64] | None
    reps: NDArray[np.int64]
    sums_of_squares: Array | None
    is_pass_fail: bool
    confidence: float

    @property
    def is_binary(self) -> bool:
        """Whether every case passes or fails as a whole, so that the data are k of n."""
        return self.unit is not None and bool(((self.unit == 0) | (self.unit == 1)).all())

    @property
    def squares(self) -> Array | None:
        """Squared deviations of the runs from their case mean, summed per case; ``None`` where they are not known."""
        if self.sums_of_squares is None:
            return None
        return within_sums_of_squares(self.reps, self.means * self.reps, self.sums_of_squares)

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The declared range, or ``None``."""
        return None if self.unit is None else (self.low, self.low + self.span)


def score_data(
    case_means: ArrayLike,
    *,
    confidence: float,
    score_range: tuple[float, float] | None,
    clusters: NDArray[np.int64] | None,
    reps: ArrayLike | None,
    sums_of_squares: ArrayLike | None,
    pass_fail: bool,
) -> ScoreData:
    """Return the data of one score after their checks; arguments as in :func:`~evalgauge.rules.single.score_interval`.

    Raises
    ------
    ArgumentError
        If an argument is impossible.

    Examples
    --------
    >>> plain = dict(clusters=None, reps=None, sums_of_squares=None, pass_fail=True)
    >>> score_data([1.0, 0.0], confidence=0.95, score_range=(0.0, 1.0), **plain).is_binary
    True
    """
    means = checked_scores(case_means, "case_means")
    unit = None if score_range is None else checked_unit_scores(means, score_range)
    low, span = (0.0, 1.0) if score_range is None else (score_range[0], score_range[1] - score_range[0])
    one_each = np.ones(means.size, dtype=np.int64)
    runs = one_each if reps is None else checked_whole(reps, "reps", least=1, size=means.size)
    if pass_fail and unit is not None and np.abs(unit * runs - np.rint(unit * runs)).max() > 1e-6:
        raise ArgumentError(
            "pass_fail",
            True,  # noqa: FBT003  # the value that came
            "False for case means that are no whole number of passes out of their reps",
        )
    squares: Array | None = None
    if sums_of_squares is not None:
        squares = checked_scores(sums_of_squares, "sums_of_squares")
        within_sums_of_squares(runs, means * runs, squares)
    elif pass_fail and unit is not None:
        # k of R runs are at the high end of the range and the rest at the low end.
        squares = runs * (unit * (low + span) ** 2 + (1 - unit) * low**2)
    elif (runs == 1).all():
        squares = np.square(means)
    return ScoreData(
        means=means,
        low=low,
        span=span,
        unit=unit,
        clusters=clusters,
        reps=runs,
        sums_of_squares=squares,
        is_pass_fail=pass_fail and unit is not None,
        confidence=checked_confidence(confidence),
    )


def new_case_rules(data: ScoreData) -> dict[str, Rule]:
    """Return the rules for new cases that apply to these data, by name, the default first.

    Examples
    --------
    >>> plain = dict(clusters=None, reps=None, sums_of_squares=None, pass_fail=False)
    >>> list(new_case_rules(score_data([3.0, 5.5], confidence=0.95, score_range=None, **plain)))
    ['t', 'wald']
    """
    if data.clusters is not None:
        cr2: dict[str, Rule] = {"cr2 t": partial(_cr2_t, clusters=data.clusters)}
        effective: dict[str, Rule] = {"effective-n wilson t": partial(_effective_n_clustered, clusters=data.clusters)}
        return cr2 if data.unit is None else effective | cr2
    if data.unit is None:
        return {"t": _t, "wald": _wald}
    if not data.is_binary:
        return {"effective-n wilson t": _effective_n, "t": _t, "wald": _wald}
    return {
        "wilson": _counted(wilson_interval),
        "clopper-pearson": _counted(clopper_pearson_interval),
        "jeffreys": _counted(jeffreys_interval),
        "mid-p": _counted(mid_p_interval),
        "wilson-cc": _counted(wilson_cc_interval),
        "effective-n wilson t": _effective_n,
        "t": _t,
        "wald": _counted(wald_interval),
    }


def these_cases_rules(data: ScoreData) -> dict[str, Rule]:
    """Return the rules for exactly these cases, by name, the default first.

    Raises
    ------
    ScoreError
        If how the runs of a case differ is not known.

    Examples
    --------
    >>> plain = dict(clusters=None, reps=[2, 2], sums_of_squares=None, pass_fail=True)
    >>> list(these_cases_rules(score_data([0.5, 1.0], confidence=0.95, score_range=(0.0, 1.0), **plain)))
    ['within-case t']
    """
    if data.sums_of_squares is None:
        raise ScoreError(
            "target 'these-cases': how the runs of a case differ is not known from case means. Give sums_of_squares, "
            "or pass_fail=True for pass/fail scores."
        )
    return {"within-case t": partial(_within_case_t, sums_of_squares=data.sums_of_squares)}


def runs_as_cases(data: ScoreData) -> Interval | None:
    """Return what counting every run as a case would say, as a warning beside the honest interval.

    ``None`` where there is one run a case and no cluster, or where nothing is known of the runs or varies between them.

    Examples
    --------
    >>> plain = dict(clusters=None, reps=[10, 10], sums_of_squares=None, pass_fail=True)
    >>> print(runs_as_cases(score_data([0.5, 1.0], confidence=0.95, score_range=(0.0, 1.0), **plain)))
    0.5313 to 0.8881 (0.95 wilson)
    """
    runs = int(data.reps.sum())
    if runs == data.means.size and data.clusters is None:
        return None
    total = float((data.means * data.reps).sum())
    if data.is_pass_fail:
        passes = (total - data.low * runs) / data.span
        return _rescaled(wilson_interval(min(max(passes, 0.0), runs), runs, confidence=data.confidence), data)
    if data.squares is None:
        return None
    # Scores of single runs are not kept; Student's interval needs only their mean and their sum of squares.
    mean = total / runs
    variance = float((data.squares + data.reps * np.square(data.means - mean)).sum()) / max(runs - 1, 1)
    if variance == 0:
        return None
    half = t_quantile(data.confidence, float(runs - 1)) * math.sqrt(variance / runs)
    return _clipped(Interval(low=mean - half, high=mean + half, confidence=data.confidence, method="t"), data)


def _counted(make: Callable[..., Interval]) -> Rule:
    def estimate(data: ScoreData) -> Estimate:
        n, span = data.means.size, data.span
        passed = float(np.rint((data.means - data.low) / span).sum())
        return Estimate(
            estimate=float(data.means.mean()),
            interval=_rescaled(make(passed, n, confidence=data.confidence), data),
            std_error=_std_error(data.means),
            df=math.inf,
            n_eff=float(n),
        )

    return estimate


def _effective_n(data: ScoreData) -> Estimate:
    return effective_n_wilson(
        data.means,
        confidence=data.confidence,
        score_range=(data.low, data.low + data.span),
        reps=data.reps if data.is_pass_fail else None,
    )


def _effective_n_clustered(data: ScoreData, *, clusters: NDArray[np.int64]) -> Estimate:
    return effective_n_wilson_clustered(
        data.means, clusters, confidence=data.confidence, score_range=(data.low, data.low + data.span)
    )


def _cr2_t(data: ScoreData, *, clusters: NDArray[np.int64]) -> Estimate:
    result = cluster_mean_interval(data.means, clusters, confidence=data.confidence)
    return replace(result, interval=_clipped(result.interval, data))


def _t(data: ScoreData) -> Estimate:
    if data.means.size == 1:
        raise ScoreError(
            "t: one case shows nothing of how cases differ. Declare the range of the score (--range), or add cases."
        )
    result = t_interval(data.means, confidence=data.confidence)
    return replace(result, interval=_clipped(result.interval, data))


def _wald(data: ScoreData) -> Estimate:
    result = _t(data)
    half = normal_quantile(data.confidence) * result.std_error
    interval = Interval(
        low=result.estimate - half, high=result.estimate + half, confidence=data.confidence, method="wald"
    )
    return replace(result, interval=_clipped(interval, data), df=math.inf)


def _within_case_t(data: ScoreData, *, sums_of_squares: Array) -> Estimate:
    shared = _shared_factor(data)
    return fixed_cases_interval(
        data.means,
        data.reps // shared,
        sums_of_squares / shared,
        confidence=data.confidence,
        score_range=data.score_range,
    )


def _shared_factor(data: ScoreData) -> int:
    """Return how often every run of a pass/fail log may have been copied: copies are no evidence about run noise."""
    if not data.is_pass_fail or data.unit is None or data.is_binary:
        return 1
    passes = np.rint(data.unit * data.reps).astype(np.int64)
    return int(np.gcd.reduce(np.concatenate([passes, data.reps])))


def _std_error(means: Array) -> float:
    return float(means.std(ddof=1)) / math.sqrt(means.size) if means.size > 1 else math.nan


def _rescaled(interval: Interval, data: ScoreData) -> Interval:
    return replace(interval, low=interval.low * data.span + data.low, high=interval.high * data.span + data.low)


def _clipped(interval: Interval, data: ScoreData) -> Interval:
    if data.unit is None:
        return interval
    return replace(interval, low=max(interval.low, data.low), high=min(interval.high, data.low + data.span))
