"""Two arms on the same cases when runs are missing: errored, unscored, never run.

One policy holds for both arms. ``bounds`` asks what the missing runs could have been: at worst the candidate failed all
of its missing runs and the baseline passed all of its own, at best the other way round; the interval spans both.
``fail`` counts a missing run as failed, ``drop`` leaves it out. What was scored is always reported beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, PairingError
from evalgauge.rules.answers import Limits, PValues
from evalgauge.rules.paired import paired_intervals, paired_limits
from evalgauge.stats.checks import checked_scores, checked_whole
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from evalgauge.rules.answers import PairedAnswer

    Array: TypeAlias = NDArray[np.float64]

MissingPolicy: TypeAlias = Literal["bounds", "fail", "drop"]
_POLICIES = ("bounds", "fail", "drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmRuns:
    """Runs of one arm, summed per case; the cases stand in the same order in both arms.

    Attributes
    ----------
    sums
        Sum of the scores of the scored runs of each case.
    scored
        Scored runs of each case; 0 where the case is wholly missing.
    planned
        Runs that were to be scored, at least one a case.
    """

    sums: ArrayLike
    scored: ArrayLike
    planned: ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingAnswer:
    """A paired comparison with missing runs.

    Attributes
    ----------
    answer
        The comparison under the policy. Under ``bounds`` its intervals span the scored, the worst and the best reading,
        its estimate and counts are those of the scored cases, and its p-values agree with the spanned intervals.
    scored_only
        The comparison on the cases that both arms scored, by their scored runs.
    low, high
        Estimates of the worst and of the best reading.
    policy
        ``"bounds"``, ``"fail"`` or ``"drop"``.
    planned_cases
        Cases that were to be scored.
    complete_cases
        Cases of which every run was scored in both arms.
    scored_cases
        Cases with at least one scored run in both arms.
    """

    answer: PairedAnswer
    scored_only: PairedAnswer
    low: float
    high: float
    policy: MissingPolicy
    planned_cases: int
    complete_cases: int
    scored_cases: int


def paired_with_missing(
    base: ArmRuns,
    cand: ArmRuns,
    *,
    policy: MissingPolicy = "bounds",
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
    score_range: tuple[float, float] = (0.0, 1.0),
) -> MissingAnswer:
    """Answer "did the mean score change?" when not every planned run was scored.

    Parameters
    ----------
    base, cand
        Runs of the baseline and of the candidate on the same cases.
    policy
        What a missing run counts as, in both arms alike.
    confidence
        Two-sided level, a share above 0.5.
    clusters
        One label per case; cases with the same label share a source.
    score_range
        Lowest and highest possible score.

    Raises
    ------
    ArgumentError
        If the arms differ in length, a count is impossible, a mean is outside the range, or the policy is unknown.
    PairingError
        If no case was scored in both arms.

    References
    ----------
    Horowitz and Manski 2000, Journal of the American Statistical Association 95, 77-84 (worst-case bounds).

    Examples
    --------
    >>> base = ArmRuns(sums=[1] * 30 + [0] * 10, scored=[1] * 40, planned=[1] * 40)
    >>> cand = ArmRuns(sums=[1] * 32 + [0] * 8, scored=[1] * 38 + [0] * 2, planned=[1] * 40)
    >>> result = paired_with_missing(base, cand)
    >>> round(result.low, 3), round(result.high, 3)
    (0.05, 0.1)
    """
    low, high = score_range
    one, two, both = _checked_arms(base, cand, policy, score_range)
    labels = None if clusters is None else np.asarray(clusters)

    def compared(deltas: Array, kept: NDArray[np.bool_]) -> PairedAnswer:
        some = None if labels is None else labels[kept]
        return paired_intervals(deltas[kept], confidence=confidence, clusters=some, span=high - low)

    everything = np.ones_like(both)
    complete = int(np.sum((one.scored == one.planned) & (two.scored == two.planned)))
    scored_only = compared(two.mean() - one.mean(), both)
    if complete == both.size:
        # Nothing is missing: every reading is this one, and computing it three times is most of the work.
        worst = best = scored_only
    else:
        worst = compared(two.filled(low) - one.filled(high), everything)
        best = compared(two.filled(high) - one.filled(low), everything)
    answers = {
        "drop": lambda: scored_only,
        "fail": lambda: compared(two.filled(low) - one.filled(low), everything),
        "bounds": lambda: _spanned(scored_only, worst, best),
    }
    return MissingAnswer(
        answer=answers[policy](),
        scored_only=scored_only,
        low=worst.estimate,
        high=best.estimate,
        policy=policy,
        planned_cases=both.size,
        complete_cases=complete,
        scored_cases=int(both.sum()),
    )


def limits_with_missing(
    base: ArmRuns,
    cand: ArmRuns,
    *,
    policy: MissingPolicy = "bounds",
    confidence: float = 0.95,
    clusters: ArrayLike | None = None,
) -> Limits:
    """Return the two intervals of `paired_with_missing` and its least margin alone, for scores from 0 to 1.

    Parameters
    ----------
    base, cand, policy, confidence, clusters
        As in `paired_with_missing`.

    Raises
    ------
    ArgumentError, PairingError
        As `paired_with_missing`.

    Examples
    --------
    >>> base = ArmRuns(sums=[1] * 30 + [0] * 10, scored=[1] * 40, planned=[1] * 40)
    >>> cand = ArmRuns(sums=[1] * 32 + [0] * 8, scored=[1] * 38 + [0] * 2, planned=[1] * 40)
    >>> print(limits_with_missing(base, cand).guarded)
    -0.04401 to 0.2305 (0.95 tango)
    """
    one, two, both = _checked_arms(base, cand, policy, (0.0, 1.0))
    labels = None if clusters is None else np.asarray(clusters)

    def limits(deltas: Array, kept: NDArray[np.bool_] | slice = slice(None)) -> Limits:
        some = None if labels is None else labels[kept]
        return paired_limits(deltas[kept], confidence=confidence, clusters=some)

    if policy == "fail":
        return limits(two.filled(0.0) - one.filled(0.0))
    scored_only = limits(two.mean() - one.mean(), both)
    if policy == "drop" or (np.array_equal(one.scored, one.planned) and np.array_equal(two.scored, two.planned)):
        return scored_only
    fills = ((0.0, 1.0), (1.0, 0.0))
    readings = (scored_only, *(limits(two.filled(cand_as) - one.filled(base_as)) for cand_as, base_as in fills))
    return Limits(
        interval=_span([reading.interval for reading in readings]),
        guarded=_span([reading.guarded for reading in readings]),
        least_margin=max(reading.least_margin for reading in readings),
    )


@dataclass(frozen=True, slots=True)
class _Runs:
    sums: Array
    scored: NDArray[np.int64]
    planned: NDArray[np.int64]

    def mean(self) -> Array:
        """Mean of the scored runs; 0 where there are none, for cases that the caller leaves out."""
        return self.sums / np.maximum(self.scored, 1)

    def filled(self, score: float) -> Array:
        """Mean over the planned runs with the missing ones at ``score``."""
        return (self.sums + (self.planned - self.scored) * score) / self.planned


def _checked_arms(
    base: ArmRuns, cand: ArmRuns, policy: str, score_range: tuple[float, float]
) -> tuple[_Runs, _Runs, NDArray[np.bool_]]:
    """Return both arms and which cases both have scored."""
    if policy not in _POLICIES:
        raise ArgumentError("policy", policy, "bounds, fail or drop")
    one, two = _checked(base, "base", score_range), _checked(cand, "cand", score_range)
    if one.scored.size != two.scored.size:
        hint = "Put the same cases in the same order in both arms."
        raise ArgumentError(
            "cand", f"{two.scored.size} cases", f"as many as the baseline has ({one.scored.size})", hint
        )
    both = (one.scored > 0) & (two.scored > 0)
    if not both.any():
        raise PairingError(
            f"No case was scored in both arms: {int((one.scored > 0).sum())} of {both.size} in the baseline, "
            f"{int((two.scored > 0).sum())} in the candidate. Run the missing cases, or compare the arms unpaired."
        )
    return one, two, both


def _checked(runs: ArmRuns, name: str, score_range: tuple[float, float]) -> _Runs:
    low, high = score_range
    sums = checked_scores(runs.sums, f"{name}.sums")
    scored = checked_whole(runs.scored, f"{name}.scored", least=0, size=sums.size)
    planned = checked_whole(runs.planned, f"{name}.planned", least=1, size=sums.size)
    if np.any(scored > planned):
        at = int(np.argmax(scored > planned))
        raise ArgumentError(f"{name}.scored", f"{scored[at]} runs of case {at}", f"at most its planned {planned[at]}")
    slack = 1e-9 * (high - low) * np.maximum(scored, 1)
    outside = (sums < low * scored - slack) | (sums > high * scored + slack)
    if np.any(outside):
        at = int(np.argmax(outside))
        raise ArgumentError(
            f"{name}.sums",
            f"a sum of {sums[at]:g} over {scored[at]} scored runs of case {at}",
            f"scores from {low:g} to {high:g}",
            "Declare the true range with --range.",
        )
    return _Runs(sums, scored, planned)


def _spanned(scored_only: PairedAnswer, worst: PairedAnswer, best: PairedAnswer) -> PairedAnswer:
    """Return the scored answer with every interval stretched over the scored, the worst and the best reading.

    The scored one belongs to them: filling adds cases, which may narrow a tight interval more than it moves it.
    """
    readings = (scored_only, worst, best)
    shared = [
        other.method
        for other in scored_only.alternatives
        if all(other.method in {known.method for known in reading.alternatives} for reading in readings)
    ]
    # The spanned interval excludes 0 where all three do on the same side, so the largest p-value agrees with it.
    is_one_sided = len({(reading.estimate > 0) - (reading.estimate < 0) for reading in readings}) == 1
    p_values = {
        name: max(reading.p_values[name] for reading in readings) if is_one_sided else 1.0
        for name in scored_only.p_values
        if all(name in reading.p_values for reading in readings)
    }
    return replace(
        scored_only,
        interval=_span([reading.interval for reading in readings]),
        guarded=_span([reading.guarded for reading in readings]),
        guarded_equivalence=_span([reading.guarded_equivalence for reading in readings]),
        least_margin=max(reading.least_margin for reading in readings),
        alternatives=tuple(_span([reading.named(method) for reading in readings]) for method in shared),
        p_value=p_values["dual"],
        p_values=PValues(p_values),
    )


def _span(intervals: Sequence[Interval]) -> Interval:
    return Interval(
        low=min(interval.low for interval in intervals),
        high=max(interval.high for interval in intervals),
        confidence=intervals[0].confidence,
        method=" and ".join(dict.fromkeys(interval.method for interval in intervals)),
    )
