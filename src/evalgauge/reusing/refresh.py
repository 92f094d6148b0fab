"""Replacing a share of the cases: what it buys back, and how large a check of old against fresh cases must be."""

from __future__ import annotations

import math

from evalgauge.errors import ArgumentError
from evalgauge.reusing.checks import (
    MOST_CASES,
    checked_between,
    checked_looks,
    checked_share,
    checked_tolerance,
    checked_whole,
)
from evalgauge.reusing.results import Refresh
from evalgauge.stats.checks import is_number
from evalgauge.stats.maxima import MOST_LOOKS, equivalent_looks, expected_max_normal
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.sample_size import power_quantile


def spent_after_refresh(looks: float, share: float) -> float:
    """Answer "how many looks are still spent after a random share of the cases is replaced?".

    Parameters
    ----------
    looks
        Looks before, 1 or more.
    share
        Share of the cases that is replaced, drawn at random; from 0 to 1.

    Returns
    -------
    float
        m⁻¹((1 - share)·m(looks)): 1 when everything is replaced.

    Examples
    --------
    >>> [round(spent_after_refresh(30, share), 2) for share in (0.25, 0.5, 0.75)]
    [9.87, 3.95, 1.86]
    """
    left = 1 - checked_share(share, "refresh")
    return equivalent_looks(left * expected_max_normal(checked_looks(looks)))


def refresh(sigma: float, looks: float, share: float, *, more_looks: int = 0, cost: float | None = None) -> Refresh:
    """Answer "what does replacing this share buy?".

    Parameters
    ----------
    sigma
        Standard error of one score, a share.
    looks, share
        As in `spent_after_refresh`.
    more_looks
        Looks that are to follow.
    cost
        Optimism before the refresh, a share; sigma·m(looks) when left out.

    Examples
    --------
    >>> round(refresh(0.0126, 30, 0.5).bought_back, 2)
    26.05
    """
    spent = spent_after_refresh(looks, share)
    more = checked_whole(more_looks, "more-looks", least=0, most=MOST_LOOKS - math.ceil(spent), what="looks")
    before = sigma * expected_max_normal(looks) if cost is None else cost
    return Refresh(
        share=share,
        spent=spent,
        bought_back=looks - spent,
        optimism_before=before,
        optimism_after=(1 - share) * before,
        more_looks=more,
        optimism_with_more=sigma * expected_max_normal(spent + more),
    )


def share_to_replace(cost: float, tolerance: float) -> float:
    """Answer "which share of the cases must be replaced, so that the optimism is within the tolerance again?".

    Parameters
    ----------
    cost
        Optimism now, a share, 0 or more.
    tolerance
        Optimism that is still fine, a share above 0.

    Examples
    --------
    >>> round(share_to_replace(0.0258, 0.02), 3)
    0.225
    """
    return max(0.0, 1 - checked_tolerance(tolerance) / cost) if cost > 0 else 0.0


def audit_size(rate: float, difference: float, *, power: float = 0.8, confidence: float = 0.95) -> int | None:
    """Answer "how many old and as many fresh cases show that the old ones flatter by so much?".

    Parameters
    ----------
    rate
        True rate, a share strictly between 0 and 1.
    difference
        Optimism to detect, a share above 0.
    power, confidence
        Chance to see it, and two-sided level.

    Returns
    -------
    int or None
        Cases of each kind; ``None`` beyond a trillion.

    Raises
    ------
    ArgumentError
        If the difference is not above 0, or an option is out of range.

    References
    ----------
    Two independent proportions with one variance: 2p(1 - p)(z₁ + z₂)²/d².

    Examples
    --------
    >>> round(audit_reach(0.8, 500), 3), audit_size(0.8, 0.0709)
    (0.071, 500)
    """
    quantiles = normal_quantile(confidence) + power_quantile(power)
    if not (is_number(difference) and 0 < difference < 1):
        raise ArgumentError("difference", difference, "points above 0 and below 100, such as 2pp (0.02)")
    # In the order that can neither overflow nor lose a small rate.
    needed = math.sqrt(2 * checked_between(rate) * (1 - rate)) * quantiles
    return math.ceil((needed / difference) ** 2) if needed <= difference * math.sqrt(MOST_CASES) else None


def audit_reach(rate: float, n: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Answer "which optimism do n old and n fresh cases show?": `audit_size` solved for the difference.

    Examples
    --------
    >>> round(audit_reach(0.8, 2000), 4)
    0.0354
    """
    quantiles = normal_quantile(confidence) + power_quantile(power)
    return quantiles * math.sqrt(2 * checked_between(rate) * (1 - rate) / n)
