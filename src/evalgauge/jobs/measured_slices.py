"""Scores by slice, and the total when slices have weights of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.questions.measure import SliceScore
from evalgauge.questions.parts import Ends
from evalgauge.rules.missing import honest_interval
from evalgauge.rules.slices import slice_scores
from evalgauge.stats.multiplicity import bonferroni_confidence
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.measure import MeasureRequest
    from evalgauge.rules.missing import HonestScore


def slice_answers(request: MeasureRequest, arm: Arm, clusters: NDArray[np.intp] | None) -> tuple[SliceScore, ...]:
    """Return the score of every slice under the missing policy, in the order of their names."""
    fields = arm.field(str(request.by), "by")
    names = sorted(set(fields.tolist()))
    weights = _weights(request, names) if request.weights is not None else None
    together = bonferroni_confidence(request.confidence, len(names))
    found: list[SliceScore] = []
    for name in names:
        rows = fields == name
        weight = None if weights is None else weights[name]
        try:
            own = _honest(request, arm, clusters, rows, request.confidence)
            all_hold = _honest(request, arm, clusters, rows, together)
        except (ArgumentError, ScoreError) as error:
            found.append(_without_interval(arm, name, rows, weight, str(error)))
            continue
        found.append(
            SliceScore(
                name=name,
                estimate=own.estimate,
                low=own.interval.low,
                high=own.interval.high,
                simultaneous=Ends(low=all_hold.interval.low, high=all_hold.interval.high),
                n_cases=own.scored.n_cases,
                n_runs=own.n_scored,
                weight=weight,
                method=own.interval.method,
            )
        )
    return tuple(found)


def _without_interval(arm: Arm, name: str, rows: NDArray[np.bool_], weight: float | None, problem: str) -> SliceScore:
    """Return a slice that cannot give an interval, with the reason; the other slices still can."""
    means = arm.means[rows & arm.scored]
    return SliceScore(
        name=name,
        estimate=float(means.mean()) if means.size else math.nan,
        low=math.nan,
        high=math.nan,
        simultaneous=Ends(low=math.nan, high=math.nan),
        n_cases=means.size,
        n_runs=int(arm.sums.n_scored[rows].sum()),
        weight=weight,
        method="none",
        problem=problem,
    )


def weighted_total(
    request: MeasureRequest, arm: Arm, clusters: NDArray[np.intp] | None
) -> tuple[float, Interval, tuple[str, ...]]:
    """Return the total over slices by their weights, its interval under the missing policy, and what must be said."""
    if request.by is None:
        came = ", ".join(request.weights or ()) or "equal"
        raise ArgumentError("weights", came, "given with --by, the field of the slices")
    if request.rule != "auto":
        raise ArgumentError("rule", request.rule, "auto with --weights: the weighted total has a rule of its own")
    fields = arm.field(request.by, "by")
    names = sorted(set(fields.tolist()))
    weights = _weights(request, names)
    codes = np.searchsorted(np.array(names, dtype=object), fields)
    total, squares = arm.totals
    counts, planned = arm.sums.n_scored, arm.sums.n_planned

    def read(missing_as: float | None) -> tuple[float, Interval, tuple[str, ...]]:
        if missing_as is None:
            kept, sums, runs, seconds = counts > 0, total, counts, squares
        else:
            absent = planned - counts
            kept, sums, runs = np.ones(counts.size, dtype=bool), total + absent * missing_as, planned
            seconds = squares + absent * missing_as**2
        found = slice_scores(
            sums[kept] / runs[kept],
            codes[kept],
            weights=[weights[name] for name in names],
            confidence=request.confidence,
            target=request.target,
            score_range=None if arm.score_range is None else (0.0, 1.0),
            clusters=None if clusters is None else clusters[kept],
            reps=runs[kept],
            sums_of_squares=seconds[kept],
            pass_fail=arm.is_pass_fail,
        )
        return found.estimate, found.interval, found.notes

    if request.missing == "fail":
        return read(0.0)
    estimate, interval, notes = read(None)
    if request.missing == "bounds" and arm.score_range is not None and (counts < planned).any():
        ends = (interval, read(0.0)[1], read(1.0)[1])
        interval = Interval(
            low=min(one.low for one in ends),
            high=max(one.high for one in ends),
            confidence=interval.confidence,
            method=interval.method,
        )
    return estimate, interval, notes


def _honest(
    request: MeasureRequest,
    arm: Arm,
    clusters: NDArray[np.intp] | None,
    rows: NDArray[np.bool_],
    confidence: float,
) -> HonestScore:
    total, squares = arm.totals
    policy: Literal["bounds", "fail", "drop"] = request.missing if arm.score_range is not None else "drop"
    return honest_interval(
        total[rows],
        arm.sums.n_scored[rows],
        arm.sums.n_planned[rows],
        policy=policy,
        confidence=confidence,
        target=request.target,
        rule=request.rule,
        score_range=None if arm.score_range is None else (0.0, 1.0),
        clusters=None if clusters is None else clusters[rows],
        sums_of_squares=squares[rows],
        pass_fail=arm.is_pass_fail,
    )


def _weights(request: MeasureRequest, names: list[str]) -> dict[str, float]:
    asked = dict(request.weights or {})
    if not asked:
        return {name: 1 / len(names) for name in names}
    if set(asked) != set(names):
        absent, extra = sorted(set(names) - set(asked)), sorted(set(asked) - set(names))
        parts = [f"without a weight: {', '.join(absent)}"] if absent else []
        parts += [f"not in the log: {', '.join(extra)}"] if extra else []
        hint = f"{'; '.join(parts).capitalize()}."
        raise ArgumentError("weights", ", ".join(asked), f"one weight for each slice: {', '.join(names)}", hint)
    total = sum(asked.values())
    if abs(total - 1) > 1e-6 or min(asked.values()) < 0:
        raise ArgumentError("weights", asked, "shares of at least 0 that add up to 1", f"These add up to {total:g}.")
    return asked
