"""The interval rules that coverage studies grade: the product's own, and those that others use, by name.

Each takes many logs at once and calls the formulas that grade real logs; a test holds each against the product's answer
log by log.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.rules.paired_graded import FEWEST_MOVED
from evalgauge.stats.bootstrap import bootstrap_limits
from evalgauge.stats.clusters import cluster_variance, cr2_df, cr2_variance, effective_n_wilson_clustered_limits
from evalgauge.stats.hull import hull_limits
from evalgauge.stats.means import pseudo_case_n
from evalgauge.stats.paired_means import tie_aware_t_limits
from evalgauge.stats.paired_proportions import tango_limits
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_limits
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.within_case import within_case_limits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from evalgauge.studies.logs import Limits, Logs

    Array: TypeAlias = NDArray[np.float64]

Reads: TypeAlias = Literal["mean", "squares", "values", "arms", "clusters"]
"""What a rule needs to know of a log: its mean; also the sum of squares; every case; the mean of each arm; clusters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalRule:
    """An interval rule for many logs at once.

    Attributes
    ----------
    title
        What people call it.
    meaning
        What it does, in a few words.
    limits
        Logs and level in, low and high ends out; NaN where the rule refuses.
    reads
        What it needs to know of a log of changes.
    single_reads
        What it needs to know of one score, where that is less.
    designs
        For one score, a change on the same cases, or both.
    targets
        What its interval can be about.
    lattice
        Whether it is for pass/fail runs alone.
    most_reps
        The most runs a case for which it is defined.
    """

    title: str
    meaning: str
    limits: Callable[[Logs, float], Limits]
    reads: Reads
    single_reads: Reads | None = None
    designs: tuple[str, ...] = ("single", "paired")
    targets: tuple[str, ...] = ("new-cases",)
    lattice: bool = False
    most_reps: float = math.inf


def _default(logs: Logs, confidence: float) -> Limits:
    if logs.sizes is not None:
        return effective_n_wilson_clustered_limits(*_cluster_sums(logs), confidence=confidence)[:2]
    return _paired_default(logs, confidence) if logs.paired else _single_default(logs, confidence)


def _single_default(logs: Logs, confidence: float) -> Limits:
    p = np.clip(logs.mean, 0.0, 1.0)
    low, high = wilson_limits(p, pseudo_case_n(logs.squares, p, logs.n), t_quantile(confidence, logs.n - 1.0))
    low_z, high_z = wilson_limits(p, logs.n, normal_quantile(confidence))
    return np.where(logs.whole, low_z, low), np.where(logs.whole, high_z, high)


def _paired_default(logs: Logs, confidence: float) -> Limits:
    return _paired_intervals(logs, confidence)[0]


def _guarded(logs: Logs, confidence: float) -> Limits:
    return _paired_intervals(logs, confidence)[1]


def _paired_intervals(logs: Logs, confidence: float) -> tuple[Limits, Limits]:
    """Return the interval and the guarded interval of the table in `evalgauge.rules.paired`."""
    deltas = logs.case_values
    wins, losses = (deltas == 1).sum(axis=-1), (deltas == -1).sum(axis=-1)
    tango = tango_limits(wins, losses, logs.n, confidence=confidence)
    if logs.whole.all():
        return tango, tango
    moved = np.count_nonzero(deltas, axis=-1)
    is_blind = (moved < FEWEST_MOVED) | (np.ptp(deltas, axis=-1) <= 1e-12)
    t_low, t_high = (np.clip(end, -1, 1) for end in tie_aware_t_limits(deltas, confidence=confidence))
    hull_low, hull_high, _ = hull_limits(deltas, confidence=confidence)
    low, high = np.where(is_blind, hull_low, t_low), np.where(is_blind, hull_high, t_high)
    safe_low, safe_high = np.minimum(low, hull_low), np.maximum(high, hull_high)
    chosen = np.where(logs.whole, tango[0], low), np.where(logs.whole, tango[1], high)
    guarded = np.where(logs.whole, tango[0], safe_low), np.where(logs.whole, tango[1], safe_high)
    return chosen, guarded


def _tie_aware(logs: Logs, confidence: float) -> Limits:
    low, high = tie_aware_t_limits(logs.case_values, confidence=confidence)
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


def _tango(logs: Logs, confidence: float) -> Limits:
    deltas = logs.case_values
    return tango_limits((deltas == 1).sum(axis=-1), (deltas == -1).sum(axis=-1), logs.n, confidence=confidence)


def _around(logs: Logs, half: Array | float) -> Limits:
    """Return mean ± half, cut to what is possible, as the product cuts it."""
    return np.maximum(logs.mean - half, logs.lowest), np.minimum(logs.mean + half, 1.0)


def _std_error(logs: Logs) -> Array:
    return np.sqrt(logs.squares / (logs.n - 1) / logs.n)


def _case_wald(logs: Logs, confidence: float) -> Limits:
    return _around(logs, normal_quantile(confidence) * _std_error(logs))


def _case_t(logs: Logs, confidence: float) -> Limits:
    return _around(logs, t_quantile(confidence, logs.n - 1.0) * _std_error(logs))


def _one_over_root(logs: Logs, confidence: float) -> Limits:
    # At 95 %: z·sqrt(1/4)/√(nR), rounded up to 1/√(nR) by those who use it.
    factor = 1.0 if confidence == 0.95 else normal_quantile(confidence) / 2
    half = factor / math.sqrt(logs.n * logs.reps)
    return logs.mean - half, logs.mean + half


def _runs_as_cases(logs: Logs, confidence: float) -> Limits:
    runs = logs.n * logs.reps
    if not logs.paired:
        return wilson_limits(np.clip(logs.mean, 0, 1), runs, normal_quantile(confidence))
    return _around(logs, normal_quantile(confidence) * np.sqrt(sum(p * (1 - p) for p in _arm_rates(logs)) / runs))


def _wald_on_runs(logs: Logs, confidence: float) -> Limits:
    p = np.clip(logs.mean, 0, 1)
    return _around(logs, normal_quantile(confidence) * np.sqrt(p * (1 - p) / (logs.n * logs.reps)))


def _arm_rates(logs: Logs) -> tuple[Array, Array]:
    if logs.arms is None:
        raise LookupError("the mean of each arm is not known of these logs")
    base, cand = (np.clip(arm, 0, 1) for arm in logs.arms)
    return base, cand


def _clopper_pearson(logs: Logs, confidence: float) -> Limits:
    return clopper_pearson_limits(np.rint(logs.mean * logs.n), logs.n, confidence=confidence)


def _percentile(logs: Logs, confidence: float) -> Limits:
    low, high = bootstrap_limits(_step_counts(logs), confidence=confidence)
    return low / logs.reps + logs.lowest, high / logs.reps + logs.lowest


def _bca(logs: Logs, confidence: float) -> Limits:
    low, high = bootstrap_limits(_step_counts(logs), confidence=confidence, kind="bca")
    return low / logs.reps + logs.lowest, high / logs.reps + logs.lowest


def _step_counts(logs: Logs) -> NDArray[np.int64]:
    """Return how many cases of each log have each possible number of passes (or change of it)."""
    values = logs.case_values
    steps = np.rint((values - logs.lowest) * logs.reps).astype(np.int64)
    kinds = (2 if logs.paired else 1) * logs.reps + 1
    steps += np.arange(len(values))[:, np.newaxis] * kinds
    return np.bincount(steps.ravel(), minlength=len(values) * kinds).reshape(len(values), kinds)


def _within_case(logs: Logs, confidence: float) -> Limits:
    return within_case_limits(logs.case_values, logs.reps, confidence=confidence)


def _cluster_sums(logs: Logs) -> tuple[Array, Array]:
    if logs.sizes is None:
        raise LookupError("these logs have no clusters")
    starts = np.concatenate([[0], np.cumsum(logs.sizes)[:-1]]).astype(np.intp)
    return np.add.reduceat(logs.case_values, starts, axis=1), logs.sizes


def _cluster_wald(logs: Logs, confidence: float, *, is_cr1: bool) -> Limits:
    sums, sizes = _cluster_sums(logs)
    groups = sizes.size
    variance = cluster_variance(sums, sizes) * (groups / (groups - 1) if is_cr1 else 1.0)
    return _around(logs, normal_quantile(confidence) * np.sqrt(variance))


def _cr0(logs: Logs, confidence: float) -> Limits:
    return _cluster_wald(logs, confidence, is_cr1=False)


def _cr1(logs: Logs, confidence: float) -> Limits:
    return _cluster_wald(logs, confidence, is_cr1=True)


def _cr2(logs: Logs, confidence: float) -> Limits:
    sums, sizes = _cluster_sums(logs)
    return _around(logs, t_quantile(confidence, cr2_df(sizes)) * np.sqrt(cr2_variance(sums, sizes)))


_BOTH = ("new-cases", "these-cases")

STUDY_RULES: Mapping[str, IntervalRule] = MappingProxyType(
    {
        "evalgauge_default": IntervalRule(
            title="evalgauge default",
            meaning="what measure or compare answers",
            limits=_default,
            reads="values",
            single_reads="squares",
        ),
        "evalgauge_guarded": IntervalRule(
            title="evalgauge guarded",
            meaning="the interval that claims of no worse rest on",
            limits=_guarded,
            reads="values",
            designs=("paired",),
        ),
        "within_case_t": IntervalRule(
            title="within-case t (evalgauge)",
            meaning="what measure answers for exactly these cases",
            limits=_within_case,
            reads="values",
            designs=("single",),
            targets=("these-cases",),
            lattice=True,
        ),
        "per_case_wald": IntervalRule(
            title="Wald over cases", meaning="1.96·sd/√n over case means or changes", limits=_case_wald, reads="squares"
        ),
        "per_case_t": IntervalRule(
            title="t over cases", meaning="Student's t over case means or changes", limits=_case_t, reads="squares"
        ),
        "tie_aware_t": IntervalRule(
            title="tie-aware t",
            meaning="t over changes, ties believed in part",
            limits=_tie_aware,
            reads="values",
            designs=("paired",),
        ),
        "tango": IntervalRule(
            title="Tango",
            meaning="score interval over flips",
            limits=_tango,
            reads="values",
            designs=("paired",),
            lattice=True,
            most_reps=1,
        ),
        "clopper_pearson": IntervalRule(
            title="Clopper-Pearson",
            meaning="exact, for one run a case",
            limits=_clopper_pearson,
            reads="mean",
            designs=("single",),
            lattice=True,
            most_reps=1,
        ),
        "one_over_sqrt_nR": IntervalRule(
            title="1/√(nR)", meaning="±1/√(cases × reps)", limits=_one_over_root, reads="mean", targets=_BOTH
        ),
        "runs_as_cases": IntervalRule(
            title="runs as cases",
            meaning="every run counted as a case: Wilson, or z for two arms",
            limits=_runs_as_cases,
            reads="arms",
            single_reads="mean",
            targets=_BOTH,
            lattice=True,
        ),
        "wald_on_runs": IntervalRule(
            title="Wald on runs",
            meaning="1.96·sqrt(p(1-p)/(nR))",
            limits=_wald_on_runs,
            reads="mean",
            designs=("single",),
            targets=_BOTH,
            lattice=True,
        ),
        "percentile_bootstrap": IntervalRule(
            title="percentile bootstrap",
            meaning="resampled case means, by their exact law",
            limits=_percentile,
            reads="values",
            lattice=True,
        ),
        "bca_bootstrap": IntervalRule(
            title="BCa bootstrap",
            meaning="the same, corrected for bias and skewness",
            limits=_bca,
            reads="values",
            lattice=True,
        ),
        "ignoring_clusters": IntervalRule(
            title="ignoring clusters",
            meaning="the rule for independent cases",
            limits=_single_default,
            reads="clusters",
            designs=("single",),
        ),
        "cr0": IntervalRule(
            title="CR0", meaning="clustered standard error, 1.96", limits=_cr0, reads="clusters", designs=("single",)
        ),
        "cr1": IntervalRule(
            title="CR1", meaning="the same times √(G/(G-1))", limits=_cr1, reads="clusters", designs=("single",)
        ),
        "cr2_t": IntervalRule(
            title="CR2 with t",
            meaning="bias-reduced, Satterthwaite t",
            limits=_cr2,
            reads="clusters",
            designs=("single",),
        ),
    }
)
