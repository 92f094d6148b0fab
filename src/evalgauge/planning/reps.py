"""Cases or reps: what runs buy, what no number of reps can remove, and where more of them stop to pay."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import checked_change, checked_count, checked_points, checked_power
from evalgauge.planning.precision import precision_count
from evalgauge.planning.reps_results import BestReps, RepsCount, RepsGrid, RepsRow, RepsSketch
from evalgauge.planning.spread import Spread, classic_half_width, graded_half_width, relative_variance
from evalgauge.stats.quantiles import normal_p_value, normal_quantile, t_quantile
from evalgauge.stats.sample_size import paired_mean_n, paired_t_n

if TYPE_CHECKING:
    from collections.abc import Sequence

# A design that costs this much more than the best one is as good as the best.
NEAR_OPTIMAL = 0.05
# Beyond a billion cases the sums of whole numbers are no longer exact.
_MOST_CASES = 10**9
USUAL_REPS = (1, 2, 3, 4, 5, 8, 10, 16, 20, 50)
GRID_CASES = (25, 50, 100, 200, 400, 800)
GRID_REPS = (1, 2, 3, 5, 10, 20, 50)


def reps_row(
    cases: int,
    reps: int,
    spread: Spread,
    *,
    confidence: float = 0.95,
    cost_case: float = 0.0,
    cost_run: float = 1.0,
) -> RepsRow:
    """Answer "how precise are n cases with R reps each, and what would the old rule claim?".

    Parameters
    ----------
    cases, reps, spread, confidence
        As in `classic_half_width`.
    cost_case, cost_run
        Price of a case and of a run.

    References
    ----------
    The old rule 1/√(nR) treats runs as cases at a rate of one half. The share of true intervals inside it is
    2Φ(claimed/true standard error) − 1.

    Examples
    --------
    >>> row = reps_row(25, 10, Spread(case_var=0.0193, run_var=0.3457, arms=2))
    >>> round(row.half_width, 3), round(row.claimed, 3), round(row.claim_holds, 2)
    (0.091, 0.063, 0.83)
    """
    checked_count(cases, "cases")
    checked_count(reps, "reps", what="reps")
    runs = cases * reps * spread.arms
    claimed = 1 / math.sqrt(cases * reps)
    return RepsRow(
        reps=reps,
        cases=cases,
        runs=runs,
        cost=cases * cost_case + runs * cost_run,
        half_width=classic_half_width(cases, reps, spread, confidence=confidence),
        graded_half_width=graded_half_width(cases, reps, spread, confidence=confidence),
        floor_half_width=normal_quantile(confidence) * math.sqrt(spread.case_var / cases),
        claimed=claimed,
        claim_holds=1 - normal_p_value(claimed / math.sqrt(spread.variance(reps) / cases)),
    )


def budget_rows(
    budget: float,
    spread: Spread,
    *,
    reps: Sequence[int] = USUAL_REPS,
    confidence: float = 0.95,
    cost_case: float = 0.0,
    cost_run: float = 1.0,
) -> tuple[RepsRow, ...]:
    """Answer "how do I best split a budget between cases and reps?": one row per number of reps.

    Parameters
    ----------
    budget
        What may be spent, in the unit of the prices: runs, where a run costs 1 and a case nothing.
    spread, confidence, cost_case, cost_run
        As in `reps_row`.
    reps
        Numbers of reps to look at; those that leave fewer than two cases are left out.

    Raises
    ------
    ArgumentError
        If the budget does not pay for two cases with one rep, or pays for more than any eval has.

    Examples
    --------
    >>> rows = budget_rows(400, Spread(case_var=0.16, run_var=0.09), reps=(1, 2, 4, 8, 16))
    >>> [(row.cases, round(row.half_width, 3)) for row in rows]
    [(400, 0.049), (200, 0.063), (100, 0.084), (50, 0.115), (25, 0.16)]
    """
    rows: list[RepsRow] = []
    for count in sorted(set(reps)):
        price = cost_case + spread.arms * count * cost_run
        if price > 0 and budget / price > _MOST_CASES:
            raise ArgumentError("budget", budget, f"at most {_MOST_CASES * price:g}, the price of a billion cases")
        cases = math.floor(budget / price + 1e-9) if price > 0 else 0
        if cases >= 2:
            rows.append(reps_row(cases, count, spread, confidence=confidence, cost_case=cost_case, cost_run=cost_run))
    if not rows:
        least = 2 * (cost_case + spread.arms * cost_run)
        raise ArgumentError("budget", budget, f"at least {least:g}, the price of two cases with one rep")
    return tuple(rows)


def reps_counts(
    spread: Spread,
    *,
    margin: float | None = None,
    change: float | None = None,
    power: float = 0.8,
    reps: Sequence[int] = USUAL_REPS,
    confidence: float = 0.95,
    cost_case: float = 0.0,
    cost_run: float = 1.0,
) -> tuple[RepsCount, ...]:
    """Answer "how many cases, with one rep, two reps, ten reps?": for a margin, or for a change between two arms.

    Parameters
    ----------
    spread
        The variances; of one score for a margin, of a change (two arms) for a change.
    margin
        Half-width asked for, a share.
    change
        Mean change to show at ``power``, a share; it goes before ``margin``.
    power
        Probability to show it.
    reps, confidence, cost_case, cost_run
        As in `budget_rows`.

    References
    ----------
    Miller 2024, arXiv:2411.00640, equation 9, for the classic counts; the grading rules with their t quantiles for n.

    Examples
    --------
    >>> paired = Spread(case_var=0.139**2, run_var=0.3457, arms=2)
    >>> [count.n_classic for count in reps_counts(paired, change=0.0906, reps=(1, 2, 5, 10, 50))]
    [350, 184, 85, 52, 26]
    """
    counts: list[RepsCount] = []
    for runs in sorted(set(reps)):
        variance = spread.variance(runs)
        if change is not None and spread.arms == 2:
            checked_change(1.0, change, "drop")
            classic = paired_mean_n(variance, change, power=checked_power(power), confidence=confidence)
            n = paired_t_n(change / math.sqrt(variance), power=power, confidence=confidence)
        elif margin is not None:
            checked_points(margin, "margin")
            classic = (normal_quantile(confidence) / margin) ** 2 * variance
            n = _margin_count(spread, runs, margin, confidence)
        else:
            raise ArgumentError("margin", "nothing", "a margin, or a change between two arms on the same cases")
        whole = math.ceil(round(n, 6))
        all_runs = whole * runs * spread.arms
        counts.append(
            RepsCount(
                reps=runs,
                n=whole,
                n_classic=math.ceil(round(classic, 9)),
                runs=all_runs,
                cost=whole * cost_case + all_runs * cost_run,
            )
        )
    return tuple(counts)


def _margin_count(spread: Spread, reps: int, margin: float, confidence: float) -> int:
    if spread.arms == 1:
        rho = relative_variance(spread, reps)
        return precision_count(spread.rate, margin, confidence=confidence, rule="effective-n wilson t", rho=rho)
    n = max(2, math.ceil((normal_quantile(confidence) / margin) ** 2 * spread.variance(reps)))
    while t_quantile(confidence, float(n - 1)) * math.sqrt(spread.variance(reps) / n) > margin:
        n += 1
    return n


def best_reps(spread: Spread, *, cost_case: float = 0.0, cost_run: float = 1.0) -> BestReps:
    """Answer "how many reps buy most precision for the price?", with the band that is nearly as good.

    Parameters
    ----------
    spread
        The variances.
    cost_case, cost_run
        Price of a case, and of one run of it (in one arm); 0 or more.

    Raises
    ------
    ArgumentError
        If a price is negative or both are 0.

    References
    ----------
    Cochran 1977, Sampling Techniques, section 10.6 (subsampling at least cost).

    Examples
    --------
    >>> best = best_reps(Spread(case_var=0.16, run_var=0.09), cost_case=1.0, cost_run=0.05)
    >>> round(best.exact, 3), best.reps, best.low, best.high
    (3.354, 3, 2, 6)
    """
    for argument, cost in (("cost_case", cost_case), ("cost_run", cost_run)):
        if not 0 <= cost < math.inf:
            raise ArgumentError(argument, cost, "a price of 0 or more, in any currency")
    per_rep = spread.arms * cost_run
    if cost_case + per_rep == 0:
        raise ArgumentError("cost_run", cost_run, "a price above 0 for cases, for runs, or for both")
    if cost_case * spread.run_var > 0 == per_rep * spread.case_var:
        return BestReps(exact=None, reps=None, low=1, high=None)

    def price(reps: float) -> float:
        return (cost_case + per_rep * reps) * spread.variance(reps)

    exact = math.sqrt(cost_case * spread.run_var / (per_rep * spread.case_var)) if cost_case * spread.run_var else 0.0
    reps = min((max(1, math.floor(exact)), max(1, math.ceil(exact))), key=price)
    # price(R) is a line plus a hyperbola: the band lies between the roots of a quadratic.
    allowed = (1 + NEAR_OPTIMAL) * price(reps) - cost_case * spread.case_var - per_rep * spread.run_var
    slope, bend = per_rep * spread.case_var, cost_case * spread.run_var
    if slope == 0:
        return BestReps(exact=exact, reps=reps, low=1, high=None)
    root = math.sqrt(max(allowed * allowed - 4 * slope * bend, 0.0))
    low, high = (allowed - root) / (2 * slope), (allowed + root) / (2 * slope)
    return BestReps(exact=exact, reps=reps, low=max(1, math.ceil(low - 1e-9)), high=max(reps, math.floor(high + 1e-9)))


def reps_grid(
    spread: Spread,
    *,
    cases: Sequence[int] = GRID_CASES,
    reps: Sequence[int] = GRID_REPS,
    confidence: float = 0.95,
) -> RepsGrid:
    """Return the classic half-widths for a table of cases by reps.

    Parameters
    ----------
    spread
        The variances.
    cases, reps
        Rows and columns.
    confidence
        Two-sided level, a share.

    Examples
    --------
    >>> grid = reps_grid(Spread(case_var=0.16, run_var=0.09), cases=(100,), reps=(1, 4))
    >>> [round(width, 3) for width in grid.half_widths[0]]
    [0.098, 0.084]
    """
    return RepsGrid(
        cases=tuple(cases),
        reps=tuple(reps),
        half_widths=tuple(
            tuple(classic_half_width(n, runs, spread, confidence=confidence) for runs in reps) for n in cases
        ),
    )


def reps_sketch(cases: int, reps: int) -> RepsSketch:
    """Answer "how wide will it be, roughly, before any run?": near a rate of 50 %, a sketch and no plan.

    Parameters
    ----------
    cases, reps
        The design.

    Examples
    --------
    >>> sketch = reps_sketch(25, 2)
    >>> round(sketch.low, 3), round(sketch.high, 3)
    (0.141, 0.2)
    """
    checked_count(cases, "cases")
    checked_count(reps, "reps", what="reps")
    return RepsSketch(cases=cases, reps=reps, low=1 / math.sqrt(cases * reps), high=1 / math.sqrt(cases))
