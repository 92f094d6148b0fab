"""Runs of one system put before a gate: the cases of a log run again, by the noise that it shows.

The set stays as it is, as in a pipeline: the same cases, slices, clusters and missing runs. Each draw runs the baseline
and the candidate anew, and the functions that judge real runs judge them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.jobs.gate_rules import bare_verdicts
from evalgauge.rules.gate import gate_verdict
from evalgauge.studies.cases import RatePoints

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.gate_parts import Subject
    from evalgauge.questions.gate import RuleKind
    from evalgauge.rules.gate import Errors
    from evalgauge.stats.streams import Block

    Array = NDArray[np.float64]

VERDICTS = ("pass", "fail", "inconclusive")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """What is put before a gate.

    Attributes
    ----------
    subjects
        One for each set of rules; baseline and candidate are the arm of the log.
    rates
        True score of each planned case of each subject, shares.
    noise
        As in `RatePoints`, by subject.
    errors
        What each group of rules may spend.
    drop
        Share of the score that the candidate loses: cases break completely until it is lost.
    """

    subjects: tuple[Subject, ...]
    rates: tuple[Array, ...]
    noise: tuple[float | None, ...]
    errors: Errors
    drop: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """Verdicts, counted.

    Attributes
    ----------
    gate
        Draws by verdict, in the order of ``VERDICTS``.
    rules
        The same by rule, slice and metric.
    """

    gate: NDArray[np.int64]
    rules: dict[tuple[RuleKind, str, str], NDArray[np.int64]]

    def __add__(self, other: Tally) -> Tally:
        rules = {key: self.rules[key] + other.rules[key] for key in self.rules}
        return Tally(gate=self.gate + other.gate, rules=rules)


def tally(trial: Trial, block: Block) -> Tally:
    """Return what the gate says of a block of draws."""
    stream = block.stream()
    gate = np.zeros(len(VERDICTS), dtype=np.int64)
    rules: dict[tuple[RuleKind, str, str], NDArray[np.int64]] = {}
    for _ in range(block.size):
        rows = [row for subject in drawn_subjects(trial, stream) for row in bare_verdicts(subject, trial.errors)]
        # Two rules over one score say the same about its runs.
        for row in dict.fromkeys(rows):
            counts = rules.setdefault((row.rule, row.part, row.metric), np.zeros(len(VERDICTS), dtype=np.int64))
            counts[VERDICTS.index(row.verdict)] += 1
        gate[VERDICTS.index(gate_verdict([row.verdict for row in rows]))] += 1
    return Tally(gate=gate, rules=rules)


def drawn_subjects(trial: Trial, stream: np.random.Generator) -> list[Subject]:
    """Return the subjects with both arms run again; the arms of one metric are drawn once."""
    luck: Array = stream.random(max(int(one.candidate.sums.case.max()) for one in trial.subjects) + 1)
    drawn: dict[str, tuple[Arm, Arm]] = {}
    found: list[Subject] = []
    for subject, rates, noise in zip(trial.subjects, trial.rates, trial.noise, strict=True):
        arm = subject.candidate
        if arm.metric.name not in drawn:
            base = run_again(arm, rates, noise, stream)
            after = broken(rates, luck[arm.sums.case], trial.drop, lower_is_better=subject.lower_is_better)
            drawn[arm.metric.name] = base, run_again(arm, after, noise, stream)
        baseline, candidate = drawn[arm.metric.name]
        found.append(replace(subject, candidate=candidate, baseline=baseline if subject.baseline else None))
    return found


def broken(rates: Array, luck: Array, drop: float, *, lower_is_better: bool) -> Array:
    """Return rates that are worse by a drop on average: each case breaks completely with the same chance.

    Examples
    --------
    >>> broken(np.array([0.8, 0.8, 0.8, 0.8]), np.array([0.1, 0.3, 0.5, 0.9]), 0.2, lower_is_better=False).tolist()
    [0.0, 0.8, 0.8, 0.8]
    """
    mean = float(rates.mean())
    worst = 1.0 if lower_is_better else 0.0
    room = abs(mean - worst)
    return np.where(luck < (drop / room if room else 0.0), worst, rates)


def run_again(arm: Arm, rates: Array, noise: float | None, stream: np.random.Generator) -> Arm:
    """Return the arm with new scores for the runs that it has, drawn from the true scores of its cases."""
    scored = arm.sums.n_scored
    if noise is None:
        total = stream.binomial(scored, rates).astype(np.float64)
        squares = total
    else:
        most = int(scored.max(initial=1))
        law = RatePoints(base=rates, cand=rates, share=np.full(rates.size, 1 / rates.size), noise=noise)
        runs = law.run(stream, np.broadcast_to(rates[:, None], (rates.size, most)), 1)
        runs = np.where(np.arange(most) < scored[:, None], runs, 0.0)
        total, squares = runs.sum(axis=1), np.square(runs).sum(axis=1)
    low, high = arm.score_range or (0.0, 1.0)
    width = high - low
    sums = replace(
        arm.sums,
        total=scored * low + width * total,
        total_sq=scored * low * low + 2 * low * width * total + width * width * squares,
        parts=arm.sums.parts if noise is None else 0,
    )
    return replace(arm, sums=sums)
