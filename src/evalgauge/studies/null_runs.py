"""Two runs of one system: how far apart do they lie by chance?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.stats.lattice import sum_law
from evalgauge.studies.coverage_results import NullChange
from evalgauge.studies.exact_logs import outcome_law

if TYPE_CHECKING:
    from evalgauge.studies.cases import RatePoints

# Chances that add up to 1 - confidence must not miss it by rounding.
_ROUNDING = 1e-12


def null_change(points: RatePoints, n: int, reps: int, *, confidence: float = 0.95) -> NullChange:
    """Answer "how far apart do two runs of the same system lie?", exactly, for pass/fail cases like these.

    Parameters
    ----------
    points
        The population; the baseline's rates are used in both arms.
    n, reps
        Cases, and runs of each in each arm.
    confidence
        Share of the pairs of runs that lie within the floor.

    Examples
    --------
    >>> from evalgauge.studies.shapes import case_shape
    >>> found = null_change(case_shape("0.9@1,0.1@0.5").points(), 120, 1)
    >>> round(found.flips, 6), round(found.sd * 120, 1), round(found.floor * 120), round(found.gain_of_one, 2)
    (6.0, 2.4, 5, 0.42)
    """
    same = type(points)(base=points.base, cand=points.base, share=points.share)
    steps, masses = outcome_law(same, reps, paired=True).by_step()
    reach = int(np.abs(steps).max())
    table = np.zeros(2 * reach + 1)
    table[steps + reach] = masses
    chances = sum_law(table, n) if reach else np.ones(1)
    net = np.arange(chances.size) - n * reach
    outside = np.cumsum(np.bincount(np.abs(net), weights=chances)[::-1])[::-1]
    beyond = np.append(outside[1:], 0.0)
    return NullChange(
        reps=reps,
        flips=n * float(masses[steps != 0].sum()),
        sd=math.sqrt(n * float(masses @ np.square(steps))) / (n * reps),
        floor=int(np.argmax(beyond <= 1 - confidence + _ROUNDING)) / (n * reps),
        gain_of_one=float(chances[net >= 1].sum()),
        gain_of_two=float(chances[net >= 2].sum()),
    )
