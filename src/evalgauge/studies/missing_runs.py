"""Coverage when runs go missing by chance: each simulated log is graded by the very functions that grade a user's."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.missing import honest_interval
from evalgauge.rules.paired_missing import ArmRuns, paired_with_missing
from evalgauge.stats.streams import blocks, in_blocks
from evalgauge.studies.coverage import rule_coverage
from evalgauge.studies.grading import tally
from evalgauge.studies.logs import logs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evalgauge.stats.results import Interval
    from evalgauge.stats.streams import Block, Mapper
    from evalgauge.studies.cases import RatePoints
    from evalgauge.studies.coverage_results import RuleCoverage, StudyDesign
    from evalgauge.studies.grading import Tally

    Array: TypeAlias = NDArray[np.float64]
    Runs: TypeAlias = tuple[Array, NDArray[np.int64]]

Policy: TypeAlias = Literal["bounds", "drop", "fail"]
POLICIES: dict[Policy, tuple[str, str]] = {
    "bounds": ("evalgauge_default", "evalgauge default (bounds)"),
    "drop": ("missing_dropped", "missing dropped"),
    "fail": ("missing_failed", "missing as failed"),
}
# Logs are graded one by one here: a block is a second of work.
_BLOCK = 100
# Which part of a study this is, so that its streams are its own.
_PART = 2


def missing_study(
    points: RatePoints,
    design: StudyDesign,
    *,
    missing: float,
    confidence: float = 0.95,
    sims: int = 2_000,
    seed: int = 0,
    mapper: Mapper[list[Tally]] | None = None,
    on_block: Callable[[int], None] | None = None,
) -> tuple[RuleCoverage, ...]:
    """Answer "does the interval hold the truth when some runs get no score, for no reason of their own?".

    The truth is what all runs would have shown. Bounds cover it whatever the reason; the other two policies do so only
    for the reason that they assume.

    Parameters
    ----------
    points
        Pass/fail cases.
    design
        Cases, reps, one score or a change; the target is new cases.
    missing
        Chance of a run to get no score, a share below 1.
    confidence
        Two-sided level, a share.
    sims, seed
        Logs to draw, and the seed.
    mapper, on_block
        As in :func:`~evalgauge.studies.coverage.coverage_study`.

    Returns
    -------
    tuple of RuleCoverage
        One for each policy: bounds, missing runs dropped, missing runs counted as failed.

    Raises
    ------
    ArgumentError
        If ``missing`` is no share below 1.

    References
    ----------
    Horowitz and Manski 2000, JASA 95, 77-84 (bounds).

    Examples
    --------
    >>> from evalgauge.studies.coverage_results import StudyDesign
    >>> from evalgauge.studies.shapes import case_shape
    >>> design = StudyDesign(n_cases=30, reps=1, paired=False)
    >>> found = missing_study(case_shape("0.7").points(), design, missing=0.3, sims=200)
    >>> [one.rule for one in found], found[2].coverage < 0.5 < found[0].coverage
    (['evalgauge_default', 'missing_dropped', 'missing_failed'], True)
    """
    if not 0 <= missing < 1:
        raise ArgumentError("missing_share", missing, "a share from 0 % to below 100 %")
    work = partial(_graded, points=points, design=design, missing=missing, confidence=confidence)

    def told(block: Block) -> Block:
        if on_block is not None:
            on_block(block.size)
        return block

    study = (told(block) for block in blocks(sims, seed=seed, size=_BLOCK, part=(design.reps, _PART)))
    parts = in_blocks(work, study, mapper=mapper)
    return tuple(
        rule_coverage(
            rule,
            title,
            sum((part[place] for part in parts[1:]), parts[0][place]),
            "drawn",
            reps=design.reps,
            sims=sims,
        )
        for place, (rule, title) in enumerate(POLICIES.values())
    )


def _graded(block: Block, *, points: RatePoints, design: StudyDesign, missing: float, confidence: float) -> list[Tally]:
    stream, size = block.stream(), (block.size, design.n_cases)
    rates = points.draw(stream, size)
    arms = [_runs(stream, arm, design.reps, missing) for arm in (rates if design.paired else rates[:1])]
    truth = points.change if design.paired else points.rate
    known = logs_of(np.zeros(size), reps=design.reps, paired=design.paired, truth=truth)
    grade = _paired if design.paired else _single
    found: list[Tally] = []
    for policy in POLICIES:
        ends = np.full((block.size, 2), np.nan)
        for log in range(block.size):
            runs = [(sums[log], scored[log]) for sums, scored in arms]
            try:
                interval = grade(runs, design.reps, policy, confidence)
            except ScoreError:
                # Every run of the log is missing: there is no interval to grade.
                continue
            ends[log] = interval.low, interval.high
        found.append(tally((ends[:, 0], ends[:, 1]), known))
    return found


def _runs(stream: np.random.Generator, rates: Array, reps: int, missing: float) -> Runs:
    """Draw how many runs of each case are scored, and how many of them pass."""
    scored = stream.binomial(reps, 1 - missing, rates.shape)
    return stream.binomial(scored, rates).astype(np.float64), scored


def _single(arms: list[Runs], reps: int, policy: Policy, confidence: float) -> Interval:
    sums, scored = arms[0]
    planned = np.full(sums.size, reps)
    return honest_interval(sums, scored, planned, policy=policy, confidence=confidence, pass_fail=True).interval


def _paired(arms: list[Runs], reps: int, policy: Policy, confidence: float) -> Interval:
    base, cand = (ArmRuns(sums=sums, scored=scored, planned=np.full(sums.size, reps)) for sums, scored in arms)
    return paired_with_missing(base, cand, policy=policy, confidence=confidence).answer.interval
