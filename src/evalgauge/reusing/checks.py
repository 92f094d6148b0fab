"""The one place where questions about reuse are checked; texts name the option as users write it."""

from __future__ import annotations

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import is_number
from evalgauge.stats.maxima import MOST_LOOKS

_LEAST_CASES = 2
# A trillion: beyond it the whole passes of a score are no longer exact in double precision.
MOST_CASES = 1_000_000_000_000
# A ten-thousandth of a point: no set that anybody can score tells less.
_LEAST_TOLERANCE = 1e-6


def checked_whole(value: float, argument: str, *, least: int, most: int, what: str) -> int:
    """Return a whole number within limits; text, truth values and fractions are refused."""
    if not (is_number(value) and least <= value <= most and value == int(value)):
        raise ArgumentError(argument, value, f"a whole number of {what} from {least:,} to {most:,}")
    return int(value)


def checked_cases(n: float, argument: str = "cases") -> int:
    """Return the number of cases, 2 or more: one case has no spread to be lucky with."""
    if is_number(n) and n == 1:
        hint = "One case says nothing about a choice among candidates."
        raise ArgumentError(argument, n, f"a whole number of cases from {_LEAST_CASES} to {MOST_CASES:,}", hint)
    return checked_whole(n, argument, least=_LEAST_CASES, most=MOST_CASES, what="cases")


def checked_between(rate: float) -> float:
    """Return a rate strictly between 0 and 1."""
    if is_number(rate) and 0 < rate < 1:
        return float(rate)
    hint = ""
    if is_number(rate) and rate in {0, 1}:
        hint = "A true rate of 0 or 100 % leaves no room for luck; for an observed best score give passed/cases."
    elif is_number(rate) and 1 < rate < 100:
        hint = f"Did you mean {rate:g} % ({rate / 100:g})?"
    raise ArgumentError("rate", rate, "a share above 0 % and below 100 %", hint)


def checked_looks(looks: float) -> float:
    """Return a number of looks, 1 or more."""
    if not (is_number(looks) and 1 <= looks <= MOST_LOOKS):
        hint = "The first look at a set is a look: say 1." if is_number(looks) and looks == 0 else ""
        raise ArgumentError("looks", looks, f"a number of looks from 1 to {MOST_LOOKS:,}", hint)
    return float(looks)


def checked_whole_looks(looks: float) -> int:
    """Return a whole number of looks, 1 or more."""
    if checked_looks(looks) != int(looks):
        raise ArgumentError("looks", looks, "a whole number of looks")
    return int(looks)


def checked_tolerance(tolerance: float) -> float:
    """Return a tolerated optimism, from a ten-thousandth of a point to below 100 points."""
    if is_number(tolerance) and _LEAST_TOLERANCE <= tolerance < 1:
        return float(tolerance)
    hint = ""
    if is_number(tolerance) and 1 < tolerance < 100:
        hint = f"Did you mean {tolerance:g}pp ({tolerance / 100:g})?"
    elif tolerance == 0:
        hint = "Only a single look costs nothing; say how much is near enough, such as 2pp."
    allowed = "points from 0.0001pp to below 100pp, such as 2pp (0.02)"
    raise ArgumentError("tolerance", tolerance, allowed, hint)


def checked_share(share: float, argument: str) -> float:
    """Return a share from 0 to 1."""
    if not (is_number(share) and 0 <= share <= 1):
        hint = f"Did you mean {share:g} % ({share / 100:g})?" if is_number(share) and 1 < share <= 100 else ""
        raise ArgumentError(argument, share, "a share from 0 to 1 (0 % to 100 %)", hint)
    return float(share)
