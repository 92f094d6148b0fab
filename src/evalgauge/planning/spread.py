"""The spread of scores, between cases and between runs, and the half-widths that follow from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import checked_rate
from evalgauge.planning.precision import expected_half_width
from evalgauge.stats.quantiles import normal_quantile, t_quantile


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Where the variance of a mean over cases comes from.

    Attributes
    ----------
    case_var
        Variance between cases: of the true case rates, or of the true change per case (ω²) where arms are paired.
    run_var
        Variance between the runs of one case; where arms are paired the sum of both arms, σ²_A + σ²_B.
    rate
        Expected mean score, a share; only read for one arm.
    arms
        1 for one score, 2 for the change between two arms on the same cases.
    graded_share
        Factor on the variance where an interval for one score grades it: (n − 1)/n for moments of n cases, because the
        variance of pass/fail scores, to which the rule compares, is rate·(1 − rate) with the rate of the same n cases.
    """

    case_var: float
    run_var: float
    rate: float = 0.5
    arms: int = 1
    graded_share: float = 1.0

    def __post_init__(self) -> None:
        for argument, value in (("case_var", self.case_var), ("run_var", self.run_var)):
            if not 0 <= value < math.inf:
                raise ArgumentError(argument, value, "a variance of 0 or more")
        if self.case_var + self.run_var == 0:
            raise ArgumentError(
                "case_var",
                0,
                "some spread between cases or between runs",
                "Scores that never vary need no plan; perhaps the spread is not known: leave it out for a sketch.",
            )
        if self.arms == 1:
            _checked_fit(self)

    def variance(self, reps: float) -> float:
        """Return the variance of one case's mean (or mean change) around the mean of all."""
        return self.case_var + self.run_var / reps


def _checked_fit(spread: Spread) -> None:
    most = checked_rate(spread.rate) * (1 - spread.rate)
    if spread.graded_share * (spread.case_var + spread.run_var) > most + 1e-9:
        came = f"variances that add up to {spread.case_var + spread.run_var:.4g}"
        allowed = f"at most rate·(1 − rate) = {most:.4g} for scores between 0 and 1"
        hint = "Give standard deviations, not variances, in shares of the score's range; or another --rate."
        raise ArgumentError("case_sd, run_sd", came, allowed, hint)


def pass_fail_rate(case_var: float, run_var: float) -> float | None:
    """Return the rate (at least one half) of pass/fail scores with these variances; ``None`` where there is none.

    Parameters
    ----------
    case_var, run_var
        Variances between cases and between runs; for pass/fail scores they add up to rate·(1 − rate).

    Examples
    --------
    >>> pass_fail_rate(0.16, 0.09), pass_fail_rate(0.2, 0.2)
    (0.5, None)
    """
    rest = 1 - 4 * (case_var + run_var)
    return None if rest < -1e-9 else (1 + math.sqrt(max(rest, 0.0))) / 2


def classic_half_width(cases: float, reps: float, spread: Spread, *, confidence: float = 0.95) -> float:
    """Return z·sqrt((s_case² + s_run²/R)/n): a planner's rule, too narrow as an interval near 0 and 1.

    Parameters
    ----------
    cases, reps
        Cases, and runs of each (and arm).
    spread
        The variances.
    confidence
        Two-sided level, a share.

    References
    ----------
    Miller 2024, arXiv:2411.00640, section 3.

    Examples
    --------
    >>> round(classic_half_width(400, 1, Spread(case_var=0.16, run_var=0.09)), 3)
    0.049
    """
    return normal_quantile(confidence) * math.sqrt(spread.variance(reps) / cases)


def graded_half_width(cases: int, reps: int, spread: Spread, *, confidence: float = 0.95) -> float | None:
    """Return the half-width of the interval that grades: effective-n Wilson for a score, t for a change.

    Parameters
    ----------
    cases, reps, spread, confidence
        As in `classic_half_width`.

    Examples
    --------
    >>> round(graded_half_width(400, 1, Spread(case_var=0.16, run_var=0.09)), 3)
    0.049
    """
    if cases < 2:
        return None
    if spread.arms == 2:
        return t_quantile(confidence, float(cases - 1)) * math.sqrt(spread.variance(reps) / cases)
    rho = relative_variance(spread, reps)
    return expected_half_width(cases, spread.rate, confidence=confidence, rule="effective-n wilson t", rho=rho)


def relative_variance(spread: Spread, reps: int) -> float:
    """Return the variance of case means relative to that of pass/fail scores of the same mean, at most 1.

    Parameters
    ----------
    spread
        The variances of one score.
    reps
        Runs of each case.

    Examples
    --------
    >>> relative_variance(Spread(case_var=0.16, run_var=0.09), 1)
    1.0
    """
    pass_fail = spread.rate * (1 - spread.rate)
    return min(spread.graded_share * spread.variance(reps) / pass_fail, 1.0) if pass_fail > 0 else 1.0
