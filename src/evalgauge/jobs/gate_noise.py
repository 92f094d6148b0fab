"""What a log shows of the noise between two runs of one system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.scores.pairing import paired_cases
from evalgauge.studies.empirical import LogSums, points_of_log

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm

    Array = NDArray[np.float64]

_HALVINGS = 60


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogNoise:
    """The true scores that runs are drawn from.

    Attributes
    ----------
    rates
        Of each planned case, shares; the mean for a case that has no score.
    noise
        As in `RatePoints`: ``None`` where each run passes or fails.
    discordance
        Share of the cases that turn out differently in two single runs; ``None`` for graded scores.
    notes
        What has to be said about them.
    """

    rates: Array
    noise: float | None
    discordance: float | None
    notes: tuple[str, ...] = ()


def pooled_sums(arm: Arm, others: Sequence[Arm]) -> LogSums:
    """Return the runs of an arm's planned cases, those of further logs of the same cases added."""
    total, squares = (part.copy() for part in arm.totals)
    reps = arm.sums.n_scored.copy()
    for other in others:
        pairing = paired_cases(arm.table.cases, other.table.cases)
        here = np.searchsorted(arm.sums.case, pairing.baseline)
        there = np.searchsorted(other.sums.case, pairing.candidate)
        more, more_squares = other.totals
        reps[here] += other.sums.n_scored[there]
        total[here] += more[there]
        squares[here] += more_squares[there]
    is_pass_fail = all(one.is_pass_fail for one in (arm, *others))
    return LogSums(reps=reps, sums=total, squares=squares, is_pass_fail=is_pass_fail)


def log_noise(arm: Arm, runs: LogSums, discordance: float | None) -> LogNoise:
    """Return the true scores that runs like those of a log are drawn from.

    Parameters
    ----------
    arm
        The arm whose cases are run again.
    runs
        All runs of its planned cases.
    discordance
        Share of cases that differ between two runs, where the log has one run a case and cannot show it.

    Raises
    ------
    ArgumentError
        If a discordance is needed and missing, needless, or more than the rate allows.
    ScoreError
        If fewer than two cases are scored, or every run scored alike.
    """
    seen = runs.reps > 0
    if seen.sum() < 2:
        raise ScoreError(f"The log has {int(seen.sum())} scored cases, and a study needs at least two.")
    scored = LogSums(
        reps=runs.reps[seen], sums=runs.sums[seen], squares=runs.squares[seen], is_pass_fail=runs.is_pass_fail
    )
    means = scored.means
    if means.min() == means.max() and means[0] in (0.0, 1.0):
        raise ScoreError(
            f"Every run of the log scored {100 * means[0]:g} %, so it shows no noise. What a rule can see is said by: "
            "evalgauge gate --check"
        )
    if scored.has_reps:
        if discordance is not None:
            raise ArgumentError("discordance", f"{100 * discordance:g}%", "left out: the logs show it by their reps")
        points = points_of_log(scored)
        rates, noise = points.base, points.noise
        notes: tuple[str, ...] = ()
    else:
        rates, noise = _flipping(scored, discordance), None
        notes = ("The log has one run a case; how often a case flips was said and not seen.",)
    everywhere = np.full(arm.sums.case.size, float(rates.mean()))
    everywhere[seen] = rates
    flips = float((2 * rates * (1 - rates)).mean()) if noise is None else None
    return LogNoise(rates=everywhere, noise=noise, discordance=flips, notes=notes)


def _flipping(scored: LogSums, discordance: float | None) -> Array:
    """Return rates of cases that were run once: those that passed fail now and then, the others pass as often."""
    means, rate = scored.means, float(scored.means.mean())
    if discordance is None or not scored.is_pass_fail:
        hint = "Give several runs of one system (--like A --like B), a log with reps"
        more = ", or the share of cases that flip: --discordance 10%." if scored.is_pass_fail else "."
        raise ArgumentError(
            "like", "a log of one run a case", "logs that show how runs of one case differ", hint + more
        )
    if discordance > 2 * rate * (1 - rate):
        most = f"{200 * rate * (1 - rate):.4g}%"
        raise ArgumentError("discordance", f"{100 * discordance:g}%", f"at most {most} at a rate of {100 * rate:.4g} %")
    low, high = 0.0, 1 - rate
    for _ in range(_HALVINGS):
        fails = (low + high) / 2
        passes = fails * rate / (1 - rate)
        share = 2 * (rate * fails * (1 - fails) + (1 - rate) * passes * (1 - passes))
        low, high = (low, fails) if share > discordance else (fails, high)
    return np.where(means == 1, 1 - high, high * rate / (1 - rate))
