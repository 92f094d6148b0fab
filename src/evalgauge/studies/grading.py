"""Counting what intervals hold: sums that add up over blocks of logs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from evalgauge.studies.logs import Limits, Logs

# Scores on a lattice can hit the truth exactly, and rounding must not decide whether an end holds it.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """Counts of logs (or sums of their chances); they add up.

    Attributes
    ----------
    total, answered
        Logs, and those that got an interval.
    covered, above, below
        Of these: the interval holds the truth, lies above it, lies below it.
    flat
        Intervals without width.
    width, width_squares
        Widths, and their squares, summed.
    """

    total: float
    answered: float
    covered: float
    above: float
    below: float
    flat: float
    width: float
    width_squares: float

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            total=self.total + other.total,
            answered=self.answered + other.answered,
            covered=self.covered + other.covered,
            above=self.above + other.above,
            below=self.below + other.below,
            flat=self.flat + other.flat,
            width=self.width + other.width,
            width_squares=self.width_squares + other.width_squares,
        )


def tally(limits: Limits, logs: Logs) -> Tally:
    """Return what the intervals of many logs hold.

    Parameters
    ----------
    limits
        Low and high ends, one of each per log; NaN where there is no interval.
    logs
        With the truth, and the chance of each log where the logs were not drawn.

    Examples
    --------
    >>> from evalgauge.studies.logs import logs_of
    >>> logs = logs_of(np.array([[1.0, 0.0], [1.0, 1.0]]), reps=1, paired=False, truth=0.5)
    >>> found = tally((np.array([0.1, 0.6]), np.array([0.9, 1.0])), logs)
    >>> found.covered, found.above, round(found.width, 6)
    (1.0, 1.0, 1.2)
    """
    low, high = limits
    above, below = low > logs.truth + _ROUNDING, high < logs.truth - _ROUNDING
    width = high - low
    if logs.weights is None and not np.isnan(width).any():
        counts = (int(part.sum()) for part in (above, below, width <= _ROUNDING))
        over, under, flat = counts
        total = float(width.size)
        return Tally(
            total=total,
            answered=total,
            covered=total - over - under,
            above=float(over),
            below=float(under),
            flat=float(flat),
            width=float(width.sum()),
            width_squares=float(np.square(width).sum()),
        )
    weights = np.ones(width.size) if logs.weights is None else logs.weights
    known = ~np.isnan(width)
    # Sums, not products of matrices: those are shared out among threads, and their last digit with them.
    total, over, under, flat, answered = (
        float(weights[part].sum()) for part in (slice(None), above, below, width <= _ROUNDING, known)
    )
    parts = weights[known] * width[known]
    return Tally(
        total=total,
        answered=answered,
        covered=answered - over - under,
        above=over,
        below=under,
        flat=flat,
        width=float(parts.sum()),
        width_squares=float((parts * width[known]).sum()),
    )
