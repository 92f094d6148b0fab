"""Coverage when runs go missing by chance, by what a missing run counts as."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.rules.missing import honest_interval
from evalgauge.rules.paired import paired_intervals
from evalgauge.stats.streams import blocks, in_blocks
from evalgauge.studies.coverage import rule_coverage
from evalgauge.studies.grading import tally
from evalgauge.studies.interval_rules import STUDY_RULES
from evalgauge.studies.logs import logs_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evalgauge.stats.streams import Block, Mapper
    from evalgauge.studies.cases import RatePoints
    from evalgauge.studies.coverage_results import RuleCoverage, StudyDesign
    from evalgauge.studies.grading import Tally
    from evalgauge.studies.logs import Limits

    Array: TypeAlias = NDArray[np.float64]
    Runs: TypeAlias = tuple[Array, NDArray[np.int64]]

Policy: TypeAlias = Literal["bounds", "drop", "fail"]
POLICIES: dict[Policy, tuple[str, str]] = {
    "bounds": ("evalgauge_default", "evalgauge default (bounds)"),
    "drop": ("missing_dropped", "missing dropped"),
    "fail": ("missing_failed", "missing as failed"),
}
# Logs of one score are graded one by one here: a block is a part of a second.
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
    grade = _paired_ends if design.paired else _single_ends
    return [tally(grade(arms, design.reps, policy, confidence), known) for policy in POLICIES]


def _runs(stream: np.random.Generator, rates: Array, reps: int, missing: float) -> Runs:
    """Draw how many runs of each case are scored, and how many of them pass."""
    scored = stream.binomial(reps, 1 - missing, rates.shape)
    return stream.binomial(scored, rates).astype(np.float64), scored


def _single_ends(arms: list[Runs], reps: int, policy: Policy, confidence: float) -> Limits:
    sums, scored = arms[0]
    planned = np.full(sums.shape[1], reps)
    ends = np.full((2, len(sums)), np.nan)
    # The cap on what unequal reps can be worth is a log's own, so that logs are graded one by one.
    for log in range(len(sums)):
        if scored[log].any():
            interval = honest_interval(
                sums[log], scored[log], planned, policy=policy, confidence=confidence, pass_fail=True
            ).interval
            ends[:, log] = interval.low, interval.high
    return ends[0], ends[1]


def _paired_ends(arms: list[Runs], reps: int, policy: Policy, confidence: float) -> Limits:
    """Return the ends of the interval of `paired_with_missing`: a span over readings, each of many logs at once."""
    (base, base_runs), (cand, cand_runs) = arms

    def read(base_missing: float, cand_missing: float) -> Limits:
        one, two = base + (reps - base_runs) * base_missing, cand + (reps - cand_runs) * cand_missing
        return _interval(two / reps - one / reps, reps, confidence)

    ends = read(0.0, 0.0) if policy == "fail" else _scored_ends(arms, reps, confidence)
    if policy == "bounds":
        readings = (ends, read(1.0, 0.0), read(0.0, 1.0))
        ends = np.min([low for low, _ in readings], axis=0), np.max([high for _, high in readings], axis=0)
    return ends


def _scored_ends(arms: list[Runs], reps: int, confidence: float) -> Limits:
    """Return the ends over the cases that both arms scored, for all logs with as many of them at once."""
    (base, base_runs), (cand, cand_runs) = arms
    both = (base_runs > 0) & (cand_runs > 0)
    deltas = cand / np.maximum(cand_runs, 1) - base / np.maximum(base_runs, 1)
    ends = np.full((2, len(base)), np.nan)
    counts = both.sum(axis=1)
    for count in np.unique(counts[counts > 0]).tolist():
        rows = np.flatnonzero(counts == count)
        some = deltas[rows][both[rows]].reshape(rows.size, count)
        if count > 1:
            ends[:, rows] = _interval(some, reps, confidence)
        else:
            found = [paired_intervals(log, confidence=confidence).interval for log in some]
            ends[:, rows] = [one.low for one in found], [one.high for one in found]
    return ends[0], ends[1]


def _interval(deltas: Array, reps: int, confidence: float) -> Limits:
    logs = logs_of(deltas, reps=reps, paired=True, truth=0.0)
    return STUDY_RULES["evalgauge_default"].limits(logs, confidence)
