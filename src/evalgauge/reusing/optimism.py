"""How much the best of k looks flatters, how many looks a tolerance allows, and how many fresh cases undo it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalgauge.errors import ArgumentError
from evalgauge.reusing.checks import (
    MOST_CASES,
    checked_between,
    checked_cases,
    checked_looks,
    checked_share,
    checked_tolerance,
)
from evalgauge.reusing.results import AdaptiveFigures
from evalgauge.stats.maxima import (
    MOST_LOOKS,
    blom_looks,
    equivalent_looks,
    expected_max_binomial,
    expected_max_blom,
    expected_max_normal,
    upper_tail,
)

if TYPE_CHECKING:
    from collections.abc import Callable

Maximum: TypeAlias = Literal["binomial", "normal", "blom"]
# More looks than this are not told apart: the law of the maximum is no longer what limits them.
MOST_SHOWN = 1_000
_HALVINGS = 60
# A figure that equals the tolerance in decimals may miss it by an ulp in binary.
_ULPS = 1e-12


def sampling_sd(n: float, rate: float) -> float:
    """Return sigma: the standard error of a pass rate, from the number of (effective) cases.

    Parameters
    ----------
    n
        Cases, or effective cases of graded or repeated scores; above 0.
    rate
        True rate, a share.

    Examples
    --------
    >>> round(sampling_sd(300, 0.8), 4)
    0.0231
    """
    return math.sqrt(rate * (1 - rate) / n)


def optimism(n: float, rate: float, looks: float, *, maximum: Maximum = "binomial", correlation: float = 0.0) -> float:
    """Answer "by how much does the best of k candidates flatter, if all are equally good and independent?".

    Parameters
    ----------
    n
        Cases; a whole number for the binomial maximum, effective cases are fine for the others.
    rate
        Common true rate, a share strictly between 0 and 1.
    looks
        Candidates k, 1 or more; not necessarily whole.
    maximum
        ``"binomial"`` (exact for pass/fail), ``"normal"`` (exact expected maximum of k normals times sigma), or
        ``"blom"`` (Blom's approximation of it).
    correlation
        Of the scores of two candidates over cases, from 0 to below 1: what they share moves all alike and drops out.

    Returns
    -------
    float
        Expected excess of the best score over the common rate, a share; 0 at one look, never above 1 - rate.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    Order statistics; Blom 1958.

    Examples
    --------
    >>> [round(optimism(300, 0.8, 10, maximum=one), 4) for one in ("binomial", "normal", "blom")]
    [0.0349, 0.0355, 0.0357]
    """
    checked_between(rate)
    if checked_looks(looks) == 1:
        return 0.0
    own = _own_part(correlation)
    if maximum == "binomial":
        return own * max(0.0, expected_max_binomial(checked_cases(n), rate, looks) - rate)
    m = _normal_maximum(maximum)(looks)
    return min(own * sampling_sd(n, rate) * m, 1 - rate)


def look_budget(
    n: float, rate: float, tolerance: float, *, maximum: Maximum = "binomial", correlation: float = 0.0
) -> int | None:
    """Answer "how many looks until the best one flatters by more than the tolerance?".

    Parameters
    ----------
    n, rate, maximum, correlation
        As in `optimism`.
    tolerance
        Optimism that is still fine, a share above 0.

    Returns
    -------
    int or None
        The largest k within the tolerance, 1 or more; ``None`` where it is beyond 1,000,000.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    As in `optimism`; Blom's form has a closed inverse.

    Examples
    --------
    >>> look_budget(1000, 0.8, 0.02), look_budget(1000, 0.8, 0.02, maximum="normal")
    (11, 10)
    """
    checked_between(rate)
    limit = checked_tolerance(tolerance) / _own_part(correlation) * (1 + _ULPS)
    # One candidate can at best pass everything.
    if limit >= 1 - rate:
        return None
    if maximum == "blom":
        looks = blom_looks(limit / sampling_sd(n, rate))
        return max(1, math.floor(looks)) if looks <= MOST_LOOKS else None
    if optimism(n, rate, MOST_LOOKS, maximum=maximum) <= limit:
        return None
    low, high = 1, MOST_LOOKS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if optimism(n, rate, middle, maximum=maximum) <= limit else (low, middle)
    return low


def budget_words(budget: int | None) -> str:
    """Return a look budget as it is shown: beyond 1,000 the raw inverse says more than the method knows.

    Examples
    --------
    >>> budget_words(11), budget_words(26612)
    ('11', 'more than 1,000')
    """
    return f"{budget:,}" if budget is not None and budget <= MOST_SHOWN else f"more than {MOST_SHOWN:,}"


def fresh_set_size(
    rate: float, looks: float, tolerance: float, *, maximum: Maximum = "binomial", correlation: float = 0.0
) -> int | None:
    """Answer "how many cases must a set have, so that k looks flatter by no more than the tolerance?".

    Parameters
    ----------
    rate, looks, maximum, correlation
        As in `optimism`.
    tolerance
        Optimism that is still fine, a share above 0.

    Returns
    -------
    int or None
        Cases, 2 or more; ``None`` beyond a trillion.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> [fresh_set_size(0.8, 10, 0.02, maximum=one) for one in ("blom", "normal", "binomial")]
    [957, 948, 930]
    """
    checked_between(rate)
    limit = checked_tolerance(tolerance) / _own_part(correlation) * (1 + _ULPS)
    least = 2
    if checked_looks(looks) == 1:
        return least
    if maximum != "binomial":
        m = _normal_maximum(maximum)(looks)
        size = rate * (1 - rate) * (m / limit) ** 2
        return max(least, math.ceil(size)) if size <= MOST_CASES else None
    if optimism(MOST_CASES, rate, looks) > limit:
        return None
    low, high = 1, least
    while optimism(high, rate, looks) > limit:
        low, high = high, min(2 * high, MOST_CASES)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if optimism(middle, rate, looks) <= limit else (middle, high)
    return high


def adaptive_figures(n: float, rate: float, looks: float) -> AdaptiveFigures:
    """Answer "what if the candidates were not fixed in advance?", by named figures without a winner among them.

    Parameters
    ----------
    n, rate, looks
        As in `optimism`.

    References
    ----------
    Dwork, Feldman, Hardt, Pitassi, Reingold and Roth 2015, Science 349, 636-638 (order √(k/n)); Blum and Hardt 2015
    (the attack); Hoeffding's inequality over all transcripts of exact scores (the provable figure).

    Examples
    --------
    >>> round(adaptive_figures(1000, 0.8, 10).attack, 4)
    0.0398
    """
    spread = math.sqrt(checked_looks(looks) / n)
    return AdaptiveFigures(
        fixed_in_advance=optimism(n, rate, looks, maximum="normal"),
        attack=0.5 - upper_tail(spread),
        provable=math.sqrt(looks * math.log(n + 1) / (2 * n)),
        order_of_magnitude=spread,
    )


def common_rate(
    observed: float, n: float, looks: float, *, maximum: Maximum = "binomial", correlation: float = 0.0
) -> float:
    """Answer "what rate would k equal candidates have, if their best is expected to score what was observed?".

    Plugging the observed best into the optimism understates it, most of all near a perfect score, where it would be
    nothing at all.

    Parameters
    ----------
    observed
        Score of the best, a share; a perfect score counts as half a failure.
    n, looks, maximum, correlation
        As in `optimism`.

    Returns
    -------
    float
        p* with p* + optimism(p*) = observed, a share strictly between 0 and 1; 0 < p* <= observed.

    Examples
    --------
    >>> round(common_rate(0.9882, 100, 30), 3), round(optimism(100, 0.9882, 30), 3)
    (0.95, 0.012)
    """
    edge = 1 / (2 * n)
    target = min(max(checked_share(observed, "rate"), edge), 1 - edge)
    if checked_looks(looks) == 1:
        return target
    low, high = 0.0, target
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        best = middle + optimism(n, middle, looks, maximum=maximum, correlation=correlation)
        low, high = (middle, high) if best < target else (low, middle)
    return (low + high) / 2


def effective_looks(looks: float, correlation: float) -> float:
    """Answer "how many independent candidates are k correlated ones worth?": m⁻¹(√(1 - rho)·m(k)).

    Parameters
    ----------
    looks
        Candidates k, 1 or more.
    correlation
        Of the scores of two candidates over cases, from 0 to 1.

    References
    ----------
    Order statistics of equally correlated normals: the shared part moves all alike and drops out.

    Examples
    --------
    >>> round(effective_looks(10, 0.5), 3), round(effective_looks(50, 0.9), 3)
    (4.406, 2.457)
    """
    rest = 1 - checked_share(correlation, "correlation")
    return equivalent_looks(math.sqrt(rest) * expected_max_normal(checked_looks(looks)))


def _own_part(correlation: float) -> float:
    """Return √(1 - rho), the part of each score's error that the others do not share."""
    if not 0 <= correlation < 1:
        raise ArgumentError("correlation", correlation, "a share from 0 to below 1; 0.5 is half")
    return math.sqrt(1 - correlation)


def _normal_maximum(maximum: Maximum) -> Callable[[float], float]:
    if maximum == "normal":
        return expected_max_normal
    if maximum == "blom":
        return expected_max_blom
    raise ArgumentError("maximum", maximum, "binomial, normal or blom")
