"""Missing, errored and unscored runs: neither failures nor absent, so the answer spans what they could have been."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.single import ScoreInterval, Target, score_interval
from evalgauge.stats.checks import checked_scores, checked_whole
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

MissingPolicy: TypeAlias = Literal["bounds", "fail", "drop"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Point estimates with every missing run at the low and at the high end of the range."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HonestScore:
    """A score under a policy for missing runs.

    Attributes
    ----------
    policy
        What was done: ``"bounds"``, ``"fail"`` or ``"drop"``.
    estimate
        Point estimate: on scored runs, and under ``"fail"`` with missing runs counted as failed.
    interval
        The honest interval under the policy.
    bounds
        Point estimates with missing runs failed and passed; ``None`` where the score has no range.
    scored
        The answer on scored runs alone.
    n_scored, n_planned
        Runs scored and planned.
    n_cases_missing
        Planned cases without any scored run.
    notes
        What a reader must know, as sentences; those of ``scored`` are not repeated.
    """

    policy: MissingPolicy
    estimate: float
    interval: Interval
    bounds: Bounds | None
    scored: ScoreInterval
    n_scored: int
    n_planned: int
    n_cases_missing: int
    notes: tuple[str, ...]

    @property
    def scored_share(self) -> float:
        """Share of the planned runs that was scored: what a gate's least coverage reads."""
        return self.n_scored / self.n_planned

    def __str__(self) -> str:
        return f"{self.estimate:.4g}, {self.interval}, {self.n_scored} of {self.n_planned} runs scored, {self.policy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runs:
    """Per case: scored runs, their sum and sum of squares, and the runs planned."""

    sums: Array
    counts: NDArray[np.int64]
    planned: NDArray[np.int64]
    squares: Array | None
    clusters: NDArray[np.int64] | None

    def filled(self, value: float) -> _Runs:
        """Return the runs with every missing one scored ``value``."""
        absent = self.planned - self.counts
        squares = None if self.squares is None else self.squares + absent * value**2
        return _Runs(
            sums=self.sums + absent * value,
            counts=self.planned,
            planned=self.planned,
            squares=squares,
            clusters=self.clusters,
        )

    def scored(self) -> _Runs:
        """Return the cases with a scored run."""
        kept = self.counts > 0
        return _Runs(
            sums=self.sums[kept],
            counts=self.counts[kept],
            planned=self.counts[kept],
            squares=None if self.squares is None else self.squares[kept],
            clusters=None if self.clusters is None else self.clusters[kept],
        )


def honest_interval(  # noqa: PLR0913  # one keyword for each choice that changes the answer
    sums: ArrayLike,
    counts: ArrayLike,
    planned: ArrayLike,
    *,
    policy: MissingPolicy = "bounds",
    confidence: float = 0.95,
    target: Target = "new-cases",
    rule: str = "auto",
    score_range: tuple[float, float] | None = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    sums_of_squares: ArrayLike | None = None,
    pass_fail: bool = False,
) -> HonestScore:
    """Return the score when some runs have no score: what could it have been, had they all been scored?

    A missing run counts inside its case; a case with no scored run is wholly missing.

    Parameters
    ----------
    sums
        Sum of the scored runs of each planned case, in the unit of the score; 0 for a case without any.
    counts
        Scored runs of each planned case, 0 or more.
    planned
        Planned runs of each case, at least 1.
    policy
        ``"bounds"``: the interval spans those with every missing run failed and with every missing run passed.
        ``"fail"``: missing runs count as failed. ``"drop"``: scored runs alone.
    confidence, target, rule, score_range, clusters, sums_of_squares, pass_fail
        As in :func:`~evalgauge.rules.single.score_interval`; one entry per planned case.

    Raises
    ------
    ArgumentError
        If counts are impossible, or ``policy="fail"`` is asked of a score without a range.
    ScoreError
        If no run was scored; and as :func:`~evalgauge.rules.single.score_interval`.

    References
    ----------
    Horowitz and Manski 2000, JASA 95, 77-84 (bounds under missing outcomes, and intervals around them).

    Examples
    --------
    >>> passed, scored = [1] * 45 + [0] * 9 + [0] * 6, [1] * 54 + [0] * 6
    >>> answer = honest_interval(passed, scored, [1] * 60, pass_fail=True)
    >>> print(answer)
    0.8333, 0.6277 to 0.919 (0.95 wilson), 54 of 60 runs scored, bounds
    >>> answer.bounds
    Bounds(low=0.75, high=0.85)
    """
    if policy not in ("bounds", "fail", "drop"):
        raise ArgumentError("policy", policy, "'bounds', 'fail' or 'drop'")
    runs = _checked_runs(sums, counts, planned, sums_of_squares, clusters)
    if policy == "fail" and score_range is None:
        raise ArgumentError("policy", "fail", "'drop' for a score without a range", "Declare the range (--range).")

    def answer(part: _Runs) -> ScoreInterval:
        return score_interval(
            part.sums / part.counts,
            confidence=confidence,
            target=target,
            rule=rule,
            score_range=score_range,
            clusters=part.clusters,
            reps=part.counts,
            sums_of_squares=part.squares,
            pass_fail=pass_fail,
        )

    scored = answer(runs.scored())
    is_complete = runs.counts.sum() == runs.planned.sum()
    ends: list[_Runs] = [] if score_range is None else [runs.filled(end) for end in score_range]
    estimates = [float((end.sums / end.planned).mean()) for end in ends]
    interval = scored.interval
    if policy == "fail":
        interval = answer(ends[0]).interval
    elif policy == "bounds" and not is_complete:
        interval = _hull([scored.interval, *(answer(end).interval for end in ends)])
    return HonestScore(
        policy=policy,
        estimate=estimates[0] if policy == "fail" else scored.estimate,
        interval=interval,
        bounds=Bounds(low=estimates[0], high=estimates[1]) if estimates else None,
        scored=scored,
        n_scored=int(runs.counts.sum()),
        n_planned=int(runs.planned.sum()),
        n_cases_missing=int((runs.counts == 0).sum()),
        notes=() if is_complete else (_note(runs, policy, has_range=score_range is not None),),
    )


def _checked_runs(
    sums: ArrayLike,
    counts: ArrayLike,
    planned: ArrayLike,
    sums_of_squares: ArrayLike | None,
    clusters: ArrayLike | None,
) -> _Runs:
    total = checked_scores(sums, "sums")
    scored = checked_whole(counts, "counts", least=0, size=total.size)
    wanted = checked_whole(planned, "planned", least=1, size=total.size)
    if (scored > wanted).any():
        more = int((scored > wanted).sum())
        raise ArgumentError("counts", f"{more} cases with more scored runs than planned", "at most the planned runs")
    if (total[scored == 0] != 0).any():
        raise ArgumentError("sums", "a sum without scored runs", "0 for a case without scored runs")
    if scored.sum() == 0:
        raise ScoreError(
            f"No run was scored: 0 of {wanted.sum()} planned. Look at the errors in the log; a score needs "
            "at least one scored run."
        )
    return _Runs(
        sums=total,
        counts=scored,
        planned=wanted,
        squares=None if sums_of_squares is None else checked_scores(sums_of_squares, "sums_of_squares"),
        clusters=None if clusters is None else np.asarray(clusters),
    )


def _hull(intervals: list[Interval]) -> Interval:
    # The scored interval is spanned too: filling adds cases, which can narrow an interval more than it moves it.
    return Interval(
        low=min(interval.low for interval in intervals),
        high=max(interval.high for interval in intervals),
        confidence=intervals[0].confidence,
        # Runs missing inside a case can turn cases that pass or fail as a whole into graded ones.
        method=" and ".join(dict.fromkeys(interval.method for interval in intervals)),
    )


def _note(runs: _Runs, policy: MissingPolicy, *, has_range: bool) -> str:
    counted = f"{(runs.planned - runs.counts).sum()} of {runs.planned.sum()} planned runs have no score"
    if policy == "fail":
        return f"{counted}; they count as failed."
    if policy == "drop":
        return f"{counted}; they are left out, as if they would score like the others."
    if not has_range:
        return f"{counted}; without a range nothing bounds what they could be, so they are left out."
    return f"{counted}; the interval spans all of them failed to all of them passed."
