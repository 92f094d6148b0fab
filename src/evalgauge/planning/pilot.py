"""What a log of a first run tells a plan: spreads, forecasts as bands, and whether it tells them at all."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.planning.reps import USUAL_REPS
from evalgauge.planning.reps_results import RepsBand
from evalgauge.stats.components import variance_components
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.reps_forecast import forecast_std_error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

# Where the interval of the removable share is wider than this, the log says next to nothing about reps.
_TOO_WIDE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotSpread:
    """The spread that a log shows.

    Attributes
    ----------
    n_cases, n_reps
        Cases, and the most runs of one.
    rate
        Mean score, a share.
    case_var, run_var
        Variances between cases and between runs; with one rep all variance stands under cases.
    bands
        Half-widths by reps, on these cases.
    removable
        Share of the variance that more reps could remove, as estimated; ``None`` with one rep.
    removable_low, removable_high
        Interval of the share of the variance that more reps could remove; 0 to 1 with one rep.
    is_too_few
        Whether the log has too few reps to tell cases from runs.
    """

    n_cases: int
    n_reps: int
    rate: float
    case_var: float
    run_var: float
    bands: tuple[RepsBand, ...]
    removable: float | None
    removable_low: float
    removable_high: float
    is_too_few: bool


def pilot_spread(
    reps: ArrayLike,
    sums: ArrayLike,
    sums_of_squares: ArrayLike,
    *,
    at_reps: Sequence[int] = USUAL_REPS,
    confidence: float = 0.95,
) -> PilotSpread:
    """Answer "what would other numbers of reps have given on these cases?", as bands.

    Parameters
    ----------
    reps, sums, sums_of_squares
        Runs of each case, and the sum and sum of squares of their scores, in shares of the range; one entry per case.
    at_reps
        Numbers of reps to forecast for.
    confidence
        Two-sided level of the half-widths, a share.

    Raises
    ------
    ScoreError
        If there is one case, or no score varies.

    References
    ----------
    See `evalgauge.stats.components`.

    Examples
    --------
    >>> found = pilot_spread([1] * 4, [1, 1, 0, 1], [1, 1, 0, 1], at_reps=(1, 4))
    >>> found.is_too_few, [(round(band.low, 2), round(band.high, 2)) for band in found.bands]
    (True, [(0.49, 0.49), (0.24, 0.49)])
    """
    runs = np.asarray(reps, dtype=np.int64)
    total = np.asarray(sums, dtype=np.float64)
    rate = float((total / runs).mean())
    if runs.size > 1 and runs.max() == 1:
        return _of_one_rep(total, rate, at_reps, confidence)
    parts = variance_components(runs, total, sums_of_squares, confidence=confidence)
    z = normal_quantile(confidence)
    found = [forecast_std_error(runs, total, sums_of_squares, at_reps=count) for count in at_reps]
    bounds = parts.removable_share_bounds
    low, high = (0.0, 1.0) if bounds is None else (bounds.low, bounds.high)
    return PilotSpread(
        n_cases=parts.n_cases,
        n_reps=int(runs.max()),
        rate=rate,
        case_var=parts.case_var,
        run_var=parts.run_var,
        bands=tuple(
            RepsBand(reps=one.reps, half_width=z * one.std_error, low=z * one.low, high=z * one.high) for one in found
        ),
        removable=parts.removable_share,
        removable_low=low,
        removable_high=high,
        is_too_few=high - low > _TOO_WIDE,
    )


def _of_one_rep(total: Array, rate: float, at_reps: Sequence[int], confidence: float) -> PilotSpread:
    """With one rep the variance may be all between cases or all between runs: both ends are shown."""
    variance = float(total.var(ddof=1))
    widest = normal_quantile(confidence) * math.sqrt(variance / total.size)
    return PilotSpread(
        n_cases=total.size,
        n_reps=1,
        rate=rate,
        case_var=variance,
        run_var=0.0,
        bands=tuple(
            RepsBand(reps=count, half_width=None, low=widest / math.sqrt(count), high=widest) for count in at_reps
        ),
        removable=None,
        removable_low=0.0,
        removable_high=1.0,
        is_too_few=True,
    )


def cluster_icc(clusters: ArrayLike, scores: ArrayLike) -> float | None:
    """Return the intraclass correlation of case scores within clusters; ``None`` where it cannot be seen.

    Parameters
    ----------
    clusters
        One whole number per case.
    scores
        One mean score per case, shares.

    References
    ----------
    Searle, Casella and McCulloch 1992, Variance Components, section 3.6.

    Examples
    --------
    >>> round(cluster_icc([0, 0, 1, 1, 2, 2], [1.0, 1.0, 0.0, 0.0, 1.0, 0.0]), 2)
    0.5
    """
    codes = np.unique(np.asarray(clusters), return_inverse=True)[1]
    values = np.asarray(scores, dtype=np.float64)
    sizes = np.bincount(codes)
    if sizes.size < 2 or sizes.max() < 2:
        return None
    sums = np.bincount(codes, weights=values)
    return variance_components(sizes, sums, np.bincount(codes, weights=values * values)).icc
