"""What another number of reps would buy: a band for the standard error, not a point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.components import VarianceComponents, variance_components

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepsForecast:
    """What another number of reps would buy: the standard error of the mean, as a band.

    Attributes
    ----------
    reps
        Reps a case that the forecast is for.
    std_error
        Point forecast sqrt((s_case² + s_run²/reps)/n).
    low, high
        Ends of the band.
    confidence
        Level of the band, a share: 0.8.
    draws, seed
        Size and seed of the parametric bootstrap.
    """

    reps: int
    std_error: float
    low: float
    high: float
    confidence: float
    draws: int
    seed: int


def forecast_std_error(
    reps: ArrayLike,
    sums: ArrayLike,
    sums_of_squares: ArrayLike,
    *,
    at_reps: int,
    confidence: float = 0.8,
    draws: int = 4000,
    seed: int = 0,
) -> RepsForecast:
    """Return what ``at_reps`` reps a case would buy on these cases: the standard error of the mean, as a band.

    A parametric bootstrap draws logs like this one, estimates the components of each and makes the same forecast. From
    few cases or reps the band spans a factor of two and more; the point alone would promise too much.

    Parameters
    ----------
    reps, sums, sums_of_squares
        As in :func:`variance_components`.
    at_reps
        Reps a case to forecast for, at least 1.
    confidence
        Level of the band, a share.
    draws, seed
        Number of bootstrap logs, and the seed that makes them repeatable.

    Returns
    -------
    RepsForecast
        Pass/fail scores are drawn from a beta-binomial law, all others from normal laws.

    Raises
    ------
    ArgumentError
        If ``at_reps`` or ``draws`` is too small.
    ScoreError
        As :func:`variance_components`; also if no score varies, when there is nothing to forecast from.

    References
    ----------
    Efron and Tibshirani 1993, An Introduction to the Bootstrap, sections 6.5 and 13.3.

    Examples
    --------
    >>> passes = [3, 2, 0, 2, 0, 3, 3, 1]
    >>> band = forecast_std_error([3] * 8, passes, passes, at_reps=10)
    >>> round(band.std_error, 3), 0 < band.low < band.std_error < band.high
    (0.138, True)
    """
    if at_reps < 1:
        raise ArgumentError("at_reps", at_reps, "a whole number of at least 1")
    if draws < 100:
        raise ArgumentError("draws", draws, "at least 100 bootstrap logs")
    parts = variance_components(reps, sums, sums_of_squares, confidence=confidence)
    if parts.icc is None:
        raise ScoreError(
            "Forecast of reps: all scores are equal, so there is no spread to forecast from. Add cases or harder ones."
        )
    runs, total = np.asarray(reps, dtype=np.int64), np.asarray(sums, dtype=np.float64)
    is_pass_fail = bool((np.asarray(sums_of_squares) == total).all() and (total == np.rint(total)).all())
    stream = np.random.default_rng(seed)
    law = _pass_fail_draws if is_pass_fail and (total <= runs).all() else _normal_draws
    means_var, run_var = law(parts, runs, float((total / runs).mean()), draws, stream)
    run_part = run_var / at_reps
    # The cut of s_case² at 0 would pile the draws up at the point forecast; it is applied to the band's end instead.
    variances = means_var - run_var / parts.harmonic_reps + run_part
    tails = [(1 - confidence) / 2, (1 + confidence) / 2]
    low, high = np.quantile(variances, tails)
    low = max(float(low), float(np.quantile(run_part, tails[0])))
    return RepsForecast(
        reps=at_reps,
        std_error=math.sqrt((parts.case_var + parts.run_var / at_reps) / parts.n_cases),
        low=math.sqrt(low / parts.n_cases),
        high=math.sqrt(max(float(high), low) / parts.n_cases),
        confidence=confidence,
        draws=draws,
        seed=seed,
    )


def _normal_draws(
    parts: VarianceComponents, runs: NDArray[np.int64], _mean: float, draws: int, stream: np.random.Generator
) -> tuple[Array, Array]:
    free_cases, free_runs = runs.size - 1, parts.n_runs - runs.size
    means_var = parts.case_var + parts.run_var / parts.harmonic_reps
    return (
        means_var * stream.chisquare(free_cases, draws) / free_cases,
        parts.run_var * stream.chisquare(free_runs, draws) / free_runs,
    )


def _pass_fail_draws(
    parts: VarianceComponents, runs: NDArray[np.int64], mean: float, draws: int, stream: np.random.Generator
) -> tuple[Array, Array]:
    """Draw logs as counts of cases with 0, 1, … R passes: the cost does not grow with the number of cases."""
    sum1, sum2, within = np.zeros(draws), np.zeros(draws), np.zeros(draws)
    for reps in np.unique(runs).tolist():
        share = np.linspace(0.0, 1.0, reps + 1)
        counts = stream.multinomial(int((runs == reps).sum()), _beta_binomial(reps, mean, parts), draws)
        sum1 += counts @ share
        sum2 += counts @ np.square(share)
        within += counts @ (reps * share * (1 - share))
    n = runs.size
    return (sum2 - np.square(sum1) / n) / (n - 1), within / (parts.n_runs - n)


def _beta_binomial(reps: int, mean: float, parts: VarianceComponents) -> Array:
    """Chances of 0 … R passes when case rates follow a beta law with this mean and the estimated ICC."""
    if parts.icc is None or parts.icc >= 1:
        chances = np.zeros(reps + 1)
        chances[0], chances[-1] = 1 - mean, mean
        return chances
    passes = np.arange(reps + 1)
    # An ICC of 0 is the binomial law; the beta functions reach it in the limit.
    weight = (1 - max(parts.icc, 1e-9)) / max(parts.icc, 1e-9)
    a, b = mean * weight, (1 - mean) * weight
    log_chances = special.betaln(passes + a, reps - passes + b) - special.betaln(a, b)
    chances = np.exp(log_chances - special.betaln(passes + 1, reps - passes + 1) - math.log(reps + 1))
    return chances / chances.sum()
