"""A set in slices: the level that each is judged at, and the cases of all from the cases of one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import checked_count, checked_share_between
from evalgauge.planning.results import SlicePlan
from evalgauge.stats.multiplicity import bonferroni_confidence
from evalgauge.stats.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping

# Shares such as .1 are no binary numbers; a count this near a whole one is the whole one.
_ROUNDING = 1e-9
_MOST_SLICES = 10_000


def slice_plan(
    *,
    slices: int | None = None,
    shares: Mapping[str, float] | None = None,
    smallest_share: float | None = None,
    confidence: float = 0.95,
) -> SlicePlan:
    """Answer "how strict must each slice be, and how small is the smallest?".

    Parameters
    ----------
    slices
        Number of slices; 1 when nothing is said.
    shares
        Share of each slice in the traffic, adding up to 1; sets ``slices`` and ``smallest_share``.
    smallest_share
        Share of the smallest slice. Without ``slices`` there are as many as there can be: 10 at a share of 10 %.
    confidence
        Two-sided level for all slices together, a share.

    Raises
    ------
    ArgumentError
        If a count is below 1, shares do not add up to 1, a share is too large for the number of slices, or shares are
        given twice.

    References
    ----------
    Dunn 1961, JASA 56, 52-64 (Bonferroni).

    Examples
    --------
    >>> plan = slice_plan(slices=5)
    >>> round(plan.z, 6), plan.allocation
    (2.575829, 'equal')
    """
    if slices is not None:
        checked_count(slices, "slices", what="slices")
        if slices > _MOST_SLICES:
            raise ArgumentError("slices", slices, f"at most {_MOST_SLICES:,} slices, each judged by itself")
    if shares:
        if slices not in (None, len(shares)) or smallest_share is not None:
            came = f"{len(shares)} shares beside --slices or --smallest-share"
            raise ArgumentError("slice_shares", came, "one way to say how the set is split", "Leave the others out.")
        slices, smallest_share = len(shares), _smallest(shares)
    if smallest_share == 1:
        # One slice with all of the traffic is the whole set.
        slices, smallest_share = _all_in_one(slices), None
    allocation = "equal" if smallest_share is None else "traffic"
    if smallest_share is not None:
        checked_share_between(smallest_share, "smallest_share", "10% (0.1)")
        most = math.floor(1 / smallest_share + _ROUNDING)
        slices = most if slices is None else slices
        if slices > most:
            bound = f"at most {100 / slices:.3g} % with {slices} slices"
            raise ArgumentError("smallest_share", smallest_share, bound, "The smallest of k shares is 1/k at most.")
    count = slices or 1
    level = bonferroni_confidence(confidence, count)
    return SlicePlan(
        count=count,
        z=normal_quantile(level),
        allocation=allocation,
        smallest_share=1 / count if smallest_share is None else smallest_share,
        confidence=level,
    )


def _all_in_one(slices: int | None) -> int:
    if slices not in (None, 1):
        raise ArgumentError("smallest_share", 1.0, f"at most {100 / slices:.3g} % with {slices} slices")
    return 1


def _smallest(shares: Mapping[str, float]) -> float:
    total = sum(shares.values())
    if abs(total - 1) > 1e-6:
        hint = f"These add up to {100 * total:g} %."
        raise ArgumentError("slice_shares", dict(shares), "shares that add up to 100 %", hint)
    if min(shares.values()) <= 0:
        raise ArgumentError("slice_shares", dict(shares), "shares above 0", "Leave out slices without traffic.")
    return min(shares.values())


def total_of(per_slice: int, plan: SlicePlan) -> int:
    """Return the cases of all slices from those that the smallest slice needs.

    Parameters
    ----------
    per_slice
        Cases that every slice needs.
    plan
        How the set is split.

    Examples
    --------
    >>> total_of(244, slice_plan(slices=5)), total_of(244, slice_plan(slices=5, smallest_share=0.1))
    (1220, 2440)
    """
    if plan.allocation == "equal":
        return per_slice * plan.count
    return math.ceil(per_slice / plan.smallest_share - _ROUNDING * per_slice)


def per_slice_of(total: int, plan: SlicePlan) -> int:
    """Return the cases of the smallest slice of a set.

    Parameters
    ----------
    total
        Cases of all slices.
    plan
        How the set is split.

    Examples
    --------
    >>> per_slice_of(695, slice_plan(slices=5))
    139
    """
    if plan.allocation == "equal":
        return total // plan.count
    return math.floor(total * plan.smallest_share * (1 + _ROUNDING))
