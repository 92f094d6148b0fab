"""How the spread of scores splits into cases and runs.

One-way analysis of variance with the cases as groups. Input is what the engine delivers per case: number of runs, sum
and sum of squares of their scores.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_confidence, checked_scores, checked_whole
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class VarianceComponents:
    """The spread between cases and between the runs of a case.

    Attributes
    ----------
    n_cases, n_runs
        Cases, and runs over all cases.
    run_var
        s_run²: variance of one run around the true score of its case (mean square within cases).
    case_var
        s_case²: variance of the true case scores, cut at 0.
    case_var_untruncated
        The same before the cut; below 0 when runs alone explain more spread than was seen between cases.
    mean_square_between
        Mean square between cases.
    n0
        The number of reps that the moments of unequal reps act like; R where all cases have R reps.
    harmonic_reps
        Harmonic mean of the reps: the variance of a mean of case means is (s_case² + s_run²/harmonic_reps)/n.
    icc
        s_case²/(s_case² + s_run²); ``None`` where no score varies.
    removable_share
        Share of the variance of the mean that more reps could remove at most; ``None`` where no score varies.
    run_var_bounds, case_var_bounds, icc_bounds, removable_share_bounds
        Intervals; ``None`` where no run differs from its case mean, so that there is no noise to scale them with.
    """

    n_cases: int
    n_runs: int
    run_var: float
    case_var: float
    case_var_untruncated: float
    mean_square_between: float
    n0: float
    harmonic_reps: float
    icc: float | None
    removable_share: float | None
    run_var_bounds: Interval | None
    case_var_bounds: Interval | None
    icc_bounds: Interval | None
    removable_share_bounds: Interval | None

    @property
    def is_truncated(self) -> bool:
        """Whether s_case² was below 0 and is shown as 0."""
        return self.case_var_untruncated < 0


def within_sums_of_squares(reps: ArrayLike, sums: ArrayLike, sums_of_squares: ArrayLike) -> Array:
    """Return the squared deviations of the runs from their case mean, summed per case.

    Parameters
    ----------
    reps, sums, sums_of_squares
        Runs of each case, sum and sum of squares of their scores; one-dimensional, one entry per case.

    Returns
    -------
    ndarray
        One value per case, at least 0; exactly 0 where the reps agree up to rounding.

    Raises
    ------
    ArgumentError
        If a sum of squares is smaller than the sums allow.

    Examples
    --------
    >>> within_sums_of_squares([2, 3], [1.0, 0.3], [1.0, 3 * 0.1**2]).tolist()
    [0.5, 0.0]
    """
    runs, total, squares = (np.asarray(value, dtype=np.float64) for value in (reps, sums, sums_of_squares))
    within = squares - total * total / runs
    # The subtraction leaves rounding of the order of the squares; below that the reps agree.
    rounding = 16 * np.finfo(np.float64).eps * runs * squares
    if (within < -1e6 * rounding).any():
        raise ArgumentError(
            "sums_of_squares",
            "a value below sum²/reps",
            "the squared scores of each case's runs, summed",
            "Check that sums and sums_of_squares come from the same runs.",
        )
    return np.where(within > rounding, within, 0.0)


def variance_components(
    reps: ArrayLike, sums: ArrayLike, sums_of_squares: ArrayLike, *, confidence: float = 0.95
) -> VarianceComponents:
    """Return the variance between cases and between runs, and how much of it more reps could remove.

    Parameters
    ----------
    reps
        Runs of each case, whole numbers above 0; at least one case has two.
    sums, sums_of_squares
        Sum and sum of squares of the scores of each case's runs.
    confidence
        Two-sided level of the bounds, a share.

    Returns
    -------
    VarianceComponents
        Moment estimates. The bounds are exact for normal scores with equal reps, except those of ``case_var``, whose
        level is at least ``1 - 2(1 - confidence)``. With unequal reps the mean square between cases is replaced
        by the harmonic mean of the reps times the variance of the case means. For pass/fail scores all
        bounds are approximate.

    Raises
    ------
    ScoreError
        If there is one case, or no case has two runs.
    ArgumentError
        If the arrays do not fit together.

    References
    ----------
    Searle, Casella and McCulloch 1992, Variance Components, sections 3.5-3.6 (moments, exact bounds); Williams 1962,
    Biometrika 49, 278-281 (bounds of s_case²); Thomas and Hultquist 1978, Annals of Statistics 6, 582-587 (unequal
    reps).

    Examples
    --------
    >>> passes = [3, 2, 0, 2, 0, 3]
    >>> parts = variance_components([3] * 6, passes, passes)
    >>> round(parts.run_var, 4), round(parts.case_var, 4), round(parts.removable_share, 3)
    (0.1111, 0.1704, 0.179)
    """
    checked_confidence(confidence)
    total = checked_scores(sums, "sums")
    runs = checked_whole(reps, "reps", least=1, size=total.size)
    within = within_sums_of_squares(runs, total, checked_scores(sums_of_squares, "sums_of_squares"))
    k, n_runs = total.size, int(runs.sum())
    if k < 2:
        raise ScoreError("Variance components: one case shows no spread between cases. Score at least two cases.")
    if n_runs == k:
        raise ScoreError(
            "Variance components: every case has one rep, so runs and cases cannot be told apart. "
            "Run each case at least twice."
        )
    means, free = total / runs, n_runs - k
    # Deviations from the grand mean, not sums of squares minus their correction: no digits are lost.
    between = float((runs * np.square(means - total.sum() / n_runs)).sum() / (k - 1))
    run_var = float(within.sum() / free)
    n0 = float((n_runs - np.square(runs, dtype=np.float64).sum() / n_runs) / (k - 1))
    harmonic = k / float((1 / runs).sum())
    raw = (between - run_var) / n0
    case_var, case_means_var = max(raw, 0.0), float(means.var(ddof=1))
    bounds = _bounds(case_means_var, run_var, harmonic, k, free, confidence) if run_var > 0 else {}
    return VarianceComponents(
        n_cases=k,
        n_runs=n_runs,
        run_var=run_var,
        case_var=case_var,
        case_var_untruncated=raw,
        mean_square_between=between,
        n0=n0,
        harmonic_reps=harmonic,
        icc=case_var / (case_var + run_var) if case_var + run_var > 0 else None,
        removable_share=_removable_share(run_var / harmonic, case_means_var),
        run_var_bounds=bounds.get("run_var"),
        case_var_bounds=bounds.get("case_var"),
        icc_bounds=bounds.get("icc"),
        removable_share_bounds=bounds.get("removable_share"),
    )


def reps_floor(parts: VarianceComponents, *, confidence: float = 0.95) -> float:
    """Return the half-width that no number of reps can go below: z·s_case/√n, the planner's formula.

    Parameters
    ----------
    parts
        The spread between cases and runs.
    confidence
        Two-sided level, a share.

    Returns
    -------
    float
        Half-width, in the unit of the score.

    Raises
    ------
    ArgumentError
        If the level is not a share.

    References
    ----------
    Miller 2024, arXiv:2411.00640, section 3 (resampling reduces only the conditional variance).

    Examples
    --------
    >>> round(reps_floor(variance_components([2, 2, 2, 2], [2, 2, 0, 0], [2, 2, 0, 0])), 3)
    0.566
    """
    return normal_quantile(confidence) * math.sqrt(parts.case_var / parts.n_cases)


def _removable_share(run_part: float, case_means_var: float) -> float | None:
    if case_means_var == 0:
        return None if run_part == 0 else 1.0
    return min(run_part / case_means_var, 1.0)


def _bounds(
    case_means_var: float, run_var: float, reps: float, cases: int, free: int, confidence: float
) -> dict[str, Interval]:
    tail = (1 - confidence) / 2

    def interval(low: float, high: float, method: str) -> Interval:
        return Interval(low=low, high=high, confidence=confidence, method=method)

    ratio = case_means_var * reps / run_var
    f_low, f_high = (float(special.fdtri(cases - 1, free, share)) for share in (tail, 1 - tail))
    # ratio·(run noise share) follows F(n - 1, N - n), so bounds of that share carry over to every function of it.
    share_low = min(f_low / ratio, 1.0) if ratio > 0 else 1.0
    share_high = min(f_high / ratio, 1.0) if ratio > 0 else 1.0
    chi_low, chi_high = (float(special.chdtri(cases - 1, share)) for share in (1 - tail, tail))
    squares = (cases - 1) * case_means_var
    return {
        "run_var": interval(
            free * run_var / float(special.chdtri(free, tail)),
            free * run_var / float(special.chdtri(free, 1 - tail)),
            "chi-squared",
        ),
        "case_var": interval(
            squares * (1 - share_high) / chi_high,
            squares * (1 - share_low) / chi_low,
            "williams",
        ),
        "icc": interval(_icc(share_high, reps), _icc(share_low, reps), "f"),
        "removable_share": interval(share_low, share_high, "f"),
    }


def _icc(run_share: float, reps: float) -> float:
    """Turn the share of run noise in the variance of the mean into the share of cases in one run's variance."""
    return (1 - run_share) / (1 - run_share + run_share * reps)
