"""The one place where questions about reuse are checked; texts name the option as users write it."""

from __future__ import annotations

import math

from evalgauge.errors import ArgumentError
from evalgauge.stats.maxima import MOST_LOOKS

_LEAST_CASES = 2


def checked_cases(n: float) -> int:
    """Return the number of cases, 2 or more: one case has no spread to be lucky with."""
    if not math.isfinite(n) or n != int(n) or n < _LEAST_CASES:
        hint = "One case says nothing about a choice among candidates." if n == 1 else ""
        raise ArgumentError("cases", n, f"a whole number of cases, {_LEAST_CASES} or more", hint)
    return int(n)


def checked_between(rate: float) -> float:
    """Return a rate strictly between 0 and 1."""
    if 0 < rate < 1:
        return float(rate)
    hint = ""
    if rate in {0, 1}:
        hint = "A true rate of 0 or 100 % leaves no room for luck; for an observed best score give passed/cases."
    elif 1 < rate < 100:
        hint = f"Did you mean {rate:g} % ({rate / 100:g})?"
    raise ArgumentError("rate", rate, "a share above 0 % and below 100 %", hint)


def checked_looks(looks: float) -> float:
    """Return a number of looks, 1 or more."""
    if not 1 <= looks <= MOST_LOOKS:
        hint = "The first look at a set is a look: say 1." if looks == 0 else ""
        raise ArgumentError("looks", looks, f"a number of looks from 1 to {MOST_LOOKS:,}", hint)
    return float(looks)


def checked_whole_looks(looks: float) -> int:
    """Return a whole number of looks, 1 or more."""
    if checked_looks(looks) != int(looks):
        raise ArgumentError("looks", looks, "a whole number of looks")
    return int(looks)


def checked_tolerance(tolerance: float) -> float:
    """Return a tolerated optimism, above 0 and below 1."""
    if not 0 < tolerance < 1:
        hint = f"Did you mean {tolerance:g}pp ({tolerance / 100:g})?" if 1 <= tolerance < 100 else ""
        if tolerance == 0:
            hint = "Only a single look costs nothing; say how much is near enough, such as 2pp."
        raise ArgumentError("tolerance", tolerance, "points above 0 and below 100, such as 2pp (0.02)", hint)
    return float(tolerance)


def checked_share(share: float, argument: str) -> float:
    """Return a share from 0 to 1."""
    if not 0 <= share <= 1:
        hint = f"Did you mean {share:g} % ({share / 100:g})?" if 1 < share <= 100 else ""
        raise ArgumentError(argument, share, "a share from 0 to 1 (0 % to 100 %)", hint)
    return float(share)
