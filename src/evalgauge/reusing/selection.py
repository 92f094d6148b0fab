"""The best of k candidates on the same cases: its interval, its expected score, and how many looks k were worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError
from evalgauge.reusing.interval import is_wilson_unsafe
from evalgauge.reusing.optimism import optimism
from evalgauge.reusing.results import SelectionCost
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.maxima import equivalent_looks, upper_tail
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.multiplicity import bonferroni_confidence
from evalgauge.stats.multiplier import max_t
from evalgauge.stats.out_of_bag import out_of_bag
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_limits
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Matrix: TypeAlias = NDArray[np.float64]
# Means that differ by less than this are a tie that rounding broke.
_TIE = 1e-9
# With fewer passes or failures the normal law of the largest error cannot be trusted either.
_LEAST_COUNT = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What may be said about the best of several candidates.

    Attributes
    ----------
    best
        Column of the best candidate; of several that tie, the first.
    tied
        Columns that share the best score, the best one too.
    observed
        Its score, a share.
    interval
        Corrected for the choice.
    symmetric_high
        The upper end when both ends are corrected.
    critical, mc_error
        Critical value of the lower end in standard errors, and its Monte-Carlo error.
    expected, expected_error
        What the winner of such a choice scores on cases that did not choose it, and the Monte-Carlo error.
    chosen
        Share of the resamples that chose each candidate.
    looks, effective_looks
        Candidates, and how many independent ones they were worth.
    naive, bonferroni
        The intervals without any correction, and with one that knows nothing of the correlation.
    if_equal
        The observed score less the optimism of k equal and independent candidates; too low as a rule.
    route
        How the critical value was drawn.
    """

    best: int
    tied: tuple[int, ...]
    observed: float
    interval: Interval
    symmetric_high: float
    critical: float
    mc_error: float
    expected: float
    expected_error: float
    chosen: tuple[float, ...]
    looks: int
    effective_looks: float
    naive: Interval
    bonferroni: Interval
    if_equal: float
    route: str


def selection_cost(
    rate: float, n: float, looks: int, *, expected_max: float, std_error: float, is_pass_fail: bool
) -> SelectionCost:
    """Answer "by how much does the top of a leaderboard flatter, if nobody on it is better than the others?".

    Parameters
    ----------
    rate
        Mean score of all arms, a share.
    n
        Cases; effective cases where scores are not pass/fail.
    looks
        Number of arms.
    expected_max
        Expected largest error in standard errors, of arms as correlated as these.
    std_error
        Standard error of the score of a usual arm, a share.
    is_pass_fail
        Whether every score is 0 or 1: then the independent figure is exact.

    References
    ----------
    Order statistics; see :func:`~evalgauge.reusing.optimism.optimism`.

    Examples
    --------
    >>> cost = selection_cost(0.75, 500, 134, expected_max=2.6, std_error=0.01936, is_pass_fail=True)
    >>> round(cost.if_independent, 3), round(cost.optimism, 3)
    (0.049, 0.05)
    """
    independent = 0.0
    if 0 < rate < 1:
        independent = optimism(n, rate, looks, maximum="binomial" if is_pass_fail else "normal")
    return SelectionCost(
        looks=looks,
        effective_looks=min(float(looks), equivalent_looks(expected_max)),
        optimism=min(expected_max * std_error, 1 - rate),
        if_independent=independent,
    )


def best_of_k(
    scores: ArrayLike,
    *,
    confidence: float = 0.95,
    reps: ArrayLike | None = None,
    draws: int = 10_000,
    resamples: int = 1_000,
    seed: int = 0,
) -> Selection:
    """Answer "how good is the best of these candidates really?", from their scores on the same cases.

    Candidates that score alike on the same cases cost less than independent ones. The lower end takes the critical
    value of the largest of the correlated errors; the upper end is the plain one where all scores are 0 or 1.

    Parameters
    ----------
    scores
        Shape (n cases, k candidates): mean score of each candidate on each case, shares, no NaN.
    confidence
        Two-sided level, a share.
    reps
        Shape (n, k): runs behind each mean, for pass/fail scores only; 1 each where left out.
    draws, resamples
        Draws for the critical value, and resamples for the expected score.
    seed
        Seed of both.

    Returns
    -------
    Selection
        In shares.

    Raises
    ------
    ArgumentError
        If the scores are no matrix of shares with two cases and two candidates or more.

    References
    ----------
    Romano and Wolf 2005 (max-t); Wilson 1927; Clopper and Pearson 1934 at alpha/k where Wilson is no bound;
    Tsamardinos et al. 2018 (expected score).

    Examples
    --------
    >>> import numpy as np
    >>> coins = np.random.default_rng(3).integers(0, 2, (400, 10))
    >>> found = best_of_k(coins)
    >>> bool(found.interval.low < 0.5 < found.observed), round(found.expected, 1)
    (True, 0.5)
    """
    matrix = _checked_shares(scores)
    checked_confidence(confidence)
    n, k = matrix.shape
    means = matrix.mean(axis=0)
    tied = np.flatnonzero(means >= means.max() - _TIE)
    best = int(tied[0])
    own = matrix[:, best]
    is_pass_fail = bool(((matrix == 0) | (matrix == 1)).all())
    own_reps = None if reps is None or is_pass_fail else np.asarray(reps)[:, best]
    found = max_t(matrix, tail=(1 - confidence) / 2, draws=draws, seed=seed)
    level = 1 - 2 * upper_tail(found.critical)
    strict = bonferroni_confidence(confidence, k)
    naive, corrected, bonferroni = (
        _interval(own, one, is_pass_fail=is_pass_fail, reps=own_reps) for one in (confidence, level, strict)
    )
    n_eff = float(n) if is_pass_fail else effective_n_wilson(own, reps=own_reps).n_eff
    low, method = _guarded(corrected, float(means[best]), n_eff, strict)
    bag = out_of_bag(matrix, draws=resamples, seed=seed)
    return Selection(
        best=best,
        tied=tuple(tied.tolist()),
        observed=float(means[best]),
        interval=Interval(
            low=low, high=naive.high if is_pass_fail else corrected.high, confidence=confidence, method=method
        ),
        symmetric_high=corrected.high,
        critical=found.critical,
        mc_error=found.mc_error,
        expected=bag.estimate,
        expected_error=bag.mc_error,
        chosen=tuple(bag.chosen.tolist()),
        looks=k,
        effective_looks=min(float(k), equivalent_looks(found.expected_max)),
        naive=naive,
        bonferroni=bonferroni,
        if_equal=max(0.0, float(means[best]) - _equal_optimism(float(means[best]), n_eff, k)),
        route=found.route,
    )


def _checked_shares(scores: ArrayLike) -> Matrix:
    matrix = np.asarray(scores, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] < 2 or matrix.shape[1] < 2:
        allowed = "cases × candidates, two of each or more"
        raise ArgumentError("scores", f"an array of shape {matrix.shape}", allowed)
    if not (matrix.min() >= -_TIE and matrix.max() <= 1 + _TIE):
        raise ArgumentError("scores", f"scores from {matrix.min():g} to {matrix.max():g}", "shares from 0 to 1")
    return np.clip(matrix, 0.0, 1.0)


def _interval(scores: Matrix, level: float, *, is_pass_fail: bool, reps: NDArray[np.generic] | None) -> Interval:
    if not is_pass_fail:
        return effective_n_wilson(scores, confidence=level, reps=reps).interval
    low, high = wilson_limits(scores.mean(), scores.size, normal_quantile(level))
    return Interval(low=float(low), high=float(high), confidence=level, method="wilson")


def _guarded(corrected: Interval, rate: float, n_eff: float, strict: float) -> tuple[float, str]:
    """Return the lower end and its rule: Clopper-Pearson where Wilson is no bound, at alpha/k where errors are skew."""
    if rate < 0.5 or n_eff * min(rate, 1 - rate) < _LEAST_COUNT:
        level, method = strict, "clopper-pearson at alpha/k"
    elif is_wilson_unsafe(rate, n_eff, corrected.low):
        level, method = corrected.confidence, "max-t clopper-pearson"
    else:
        return corrected.low, "max-t wilson"
    return float(clopper_pearson_limits(rate * n_eff, n_eff, confidence=level)[0]), method


def _equal_optimism(rate: float, n_eff: float, k: int) -> float:
    if not 0 < rate < 1:
        return 0.0
    return optimism(n_eff, rate, k, maximum="normal")
