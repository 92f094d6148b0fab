"""Cases for an interval of a given half-width, sized by the interval that will grade them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import checked_points, checked_rate, checked_share_between
from evalgauge.stats.binomial import outer_chance
from evalgauge.stats.means import pseudo_case_n
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_limits
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from evalgauge.stats.safe_size import safe_n
from evalgauge.stats.sample_size import power_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]

PrecisionRule: TypeAlias = Literal["wilson", "clopper-pearson", "effective-n wilson t"]
# 16 perfect scores are the fewest that place a rate inside a window of 20 points.
FLOOR = 16
# A half-width that equals the margin in decimals may miss it by an ulp in binary.
_ULPS = 1e-12
# Beyond this count one more case changes the width by less than anyone asks for: the normal formula is the answer.
_MOST_EXACT = 10_000_000


def expected_half_width(
    n: float, rate: float, *, confidence: float = 0.95, rule: PrecisionRule = "wilson", rho: float = 1.0
) -> float:
    """Answer "how wide will the interval be with n cases, if the score comes out as expected?".

    Parameters
    ----------
    n
        Number of cases (or of equal clusters), above 0; above 1 for the rule with a t quantile.
    rate
        Expected mean score, a share; it need not be a whole number of passes.
    confidence
        Two-sided level, a share.
    rule
        ``"wilson"`` for pass/fail, ``"clopper-pearson"`` where strict, ``"effective-n wilson t"`` for graded scores,
        averaged reps and clusters.
    rho
        For the last rule: variance of the case scores relative to pass/fail scores of the same mean.

    Returns
    -------
    float
        Half of the distance between the ends, a share.

    Raises
    ------
    ArgumentError
        If the rate is not a share or the rule is unknown.

    References
    ----------
    Wilson 1927, JASA 22, 209-212; the rules as they grade.

    Examples
    --------
    >>> round(expected_half_width(141, 0.9), 6), round(expected_half_width(140, 0.9), 6)
    (0.049995, 0.050176)
    """
    checked_rate(rate)
    if rule == "wilson":
        low, high = wilson_limits(rate, n, normal_quantile(confidence))
    elif rule == "clopper-pearson":
        low, high = clopper_pearson_limits(n * rate, n, confidence=confidence)
    elif rule == "effective-n wilson t":
        spread = np.asarray(n * rho * rate * (1 - rate))
        low, high = wilson_limits(rate, pseudo_case_n(spread, np.asarray(rate), n), t_quantile(confidence, n - 1))
    else:
        raise ArgumentError("rule", rule, "wilson, clopper-pearson or effective-n wilson t")
    return float(high - low) / 2


def count_like_these(
    rate: float, margin: float, *, cases: int, effective_cases: float, rule: PrecisionRule, confidence: float = 0.95
) -> int:
    """Answer "how many cases like those I have, run as often, until the interval is ± the margin?".

    Parameters
    ----------
    rate
        Mean score of the cases at hand, a share.
    margin
        Half-width asked for, a share above 0.
    cases, effective_cases
        How many they are, and how many pass/fail cases would be as informative (the rule's n_eff): together they say
        how the case means spread.
    rule
        The rule that graded them, and will grade the larger set.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If the rate is not a share, or the margin not above 0 and below 1.

    References
    ----------
    The effective number of cases n(n + 1)/(n·rho + 1) of ``evalgauge.stats.means``, solved for rho.

    Examples
    --------
    >>> count_like_these(0.9, 0.05, cases=50, effective_cases=50, rule="wilson")
    141
    """
    rho = ((cases + 1) / effective_cases) - 1 / cases
    return precision_count(rate, margin, confidence=confidence, rule=rule, rho=max(rho, 0.0))


def precision_count(
    rate: float,
    margin: float,
    *,
    confidence: float = 0.95,
    rule: PrecisionRule = "wilson",
    rho: float = 1.0,
    least: int = FLOOR,
) -> int:
    """Answer "how many cases until the interval is no wider than ± the margin?".

    Parameters
    ----------
    rate
        Expected mean score, a share.
    margin
        Half-width asked for, a share above 0.
    confidence, rule, rho
        As in `expected_half_width`.
    least
        The smallest count to return.

    Raises
    ------
    ArgumentError
        If the rate is not a share, or the margin not above 0 and below 1.

    References
    ----------
    Newcombe 1998, Statistics in Medicine 17, 857-872 (the interval that sizes and grades).

    Examples
    --------
    >>> precision_count(0.9, 0.05), precision_count(0.9, 0.05, confidence=0.99)
    (141, 244)
    """
    checked_points(margin, "margin")

    def is_enough(n: int) -> bool:
        width = expected_half_width(n, rate, confidence=confidence, rule=rule, rho=rho)
        return width <= margin * (1 + _ULPS)

    # The half-width falls with every case for all rules, so that doubling and halving find the first count.
    if is_enough(least):
        return least
    low, high = least, 2 * least
    while not is_enough(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def assurance_chance(
    n: ArrayLike, rate: float, margin: float, *, confidence: float = 0.95, rule: PrecisionRule = "wilson"
) -> Array:
    """Answer "in what share of all runs is the interval no wider than ± the margin?", exactly, for pass/fail scores.

    Parameters
    ----------
    n
        Numbers of cases, one dimension or one number.
    rate
        True rate, a share.
    margin
        Half-width asked for, a share above 0.
    confidence
        Two-sided level, a share.
    rule
        ``"wilson"`` or ``"clopper-pearson"``.

    References
    ----------
    Beal 1989, Biometrics 45, 969-977 (assurance beside expected width).

    Examples
    --------
    >>> round(float(assurance_chance(141, 0.9, 0.05)), 4)
    0.5594
    """
    checked_points(margin, "margin")
    cases = np.atleast_1d(np.asarray(n, dtype=np.int64)).astype(np.float64)
    z = normal_quantile(confidence)
    # The width grows from no pass to half: halve for the last count that is narrow enough, all set sizes at once.
    low, high = np.full_like(cases, -1.0), np.floor(cases / 2) + 1
    while bool((high - low > 1).any()):
        middle = np.floor((low + high) / 2)
        at = np.clip(middle, 0.0, cases)
        if rule == "wilson":
            ends = wilson_limits(at / cases, cases, z)
        else:
            ends = clopper_pearson_limits(at, cases, confidence=confidence)
        enough = (ends[1] - ends[0]) / 2 <= margin * (1 + _ULPS)
        low, high = np.where(enough, middle, low), np.where(enough, high, middle)
    return np.reshape(outer_chance(low, cases, rate), np.shape(n))


def assurance_count(
    rate: float, margin: float, assurance: float, *, confidence: float = 0.95, rule: PrecisionRule = "wilson"
) -> int:
    """Answer "how many cases until the margin is met in this share of all runs?", at this and every larger count.

    A count from `precision_count` meets its margin in about one run of two: the score decides the width.

    Parameters
    ----------
    rate, margin, confidence, rule
        As in `assurance_chance`.
    assurance
        Share of all runs, between 0 and 1.

    References
    ----------
    Beal 1989, Biometrics 45, 969-977.

    Examples
    --------
    >>> assurance_count(0.9, 0.05, 0.8), assurance_count(0.9, 0.05, 0.9)
    (165, 176)
    """
    checked_share_between(assurance, "assurance", "90% (0.9)")
    first = precision_count(rate, margin, confidence=confidence, rule=rule)
    spread = rate * (1 - rate)
    if spread == 0:
        return first
    # Where the score comes out nearer to one half than expected, the interval is wider by about so much.
    drift = abs(1 - 2 * rate) * max(power_quantile(assurance), 0.0) / math.sqrt(first * spread)
    # From the count for one half on, every score is narrow enough.
    start = min(math.ceil(first * (1 + drift)), precision_count(0.5, margin, confidence=confidence, rule=rule))
    if start > _MOST_EXACT:
        return start
    window = min(16 * math.ceil(1 + 1 / spread), 4000)
    return safe_n(
        lambda n: assurance_chance(n, rate, margin, confidence=confidence, rule=rule),
        assurance,
        start=start,
        window=window,
        least=FLOOR,
    )
