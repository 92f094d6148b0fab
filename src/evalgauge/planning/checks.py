"""The one place where plans are checked; texts name the option as users write it."""

from __future__ import annotations

import math

from evalgauge.errors import ArgumentError

# A ten-thousandth of a point: below it counts pass a trillion cases, and floating point runs out of digits.
LEAST_POINTS = 1e-6
MOST_CASES = 1_000_000_000_000


def checked_rate(rate: float, argument: str = "rate") -> float:
    """Return an expected rate, a share; 90 is refused with the two ways to say it."""
    if not 0 <= rate <= 1:
        hint = f"Did you mean {rate:g} % ({rate / 100:g})?" if 1 < rate <= 100 else ""
        raise ArgumentError(argument, rate, "a share from 0 to 1 (0 % to 100 %)", hint)
    return float(rate)


def checked_points(points: float, argument: str) -> float:
    """Return a distance between shares, from a ten-thousandth of a point to below 1."""
    if not LEAST_POINTS <= points < 1:
        hint = f"Did you mean {points:g}pp ({points / 100:g})?" if 1 <= points < 100 else ""
        if 0 <= points < LEAST_POINTS:
            hint = "No set of cases comes so near; say how near is near enough, such as 5pp."
        raise ArgumentError(argument, points, "points from 0.0001 to below 100, such as 5pp (0.05)", hint)
    return float(points)


def checked_change(rate: float, change: float, direction: str) -> float:
    """Return the size of a change that leaves the rate between 0 and 1."""
    checked_rate(rate)
    if change == 0:
        hint = "No finite number of cases shows that nothing changed; for that say --max-drop."
        raise ArgumentError(direction, change, "points above 0, such as 5pp (0.05)", hint)
    room = rate if direction == "drop" else 1 - rate
    if not (change == room == 1):
        checked_points(change, direction)
    if change > room + 1e-12:
        bound = f"at most {100 * room:g} points, because the rate is {100 * rate:g} %"
        smaller = f"a smaller {direction}, such as --{direction} {100 * room / 4:.2g}pp, or " if room > 0 else ""
        hint = f"Name {smaller}another --rate."
        raise ArgumentError(direction, change, bound, hint)
    return min(float(change), room)


def checked_share_between(value: float, argument: str, example: str) -> float:
    """Return a share strictly between 0 and 1."""
    if not 0 < value < 1:
        hint = f"Did you mean {value:g} % ({value / 100:g})?" if 1 < value < 100 else ""
        raise ArgumentError(argument, value, f"a share between 0 and 1, such as {example}", hint)
    return float(value)


def checked_power(power: float) -> float:
    """Return a power of at least one half: below it a formula for the count has no meaning."""
    checked_share_between(power, "power", "80% (0.8)")
    if power < 0.5:
        raise ArgumentError("power", power, "a share from 0.5 to below 1", "Less than even odds is no plan.")
    return float(power)


def checked_count(value: int, argument: str, *, least: int = 1, what: str = "cases") -> int:
    """Return a whole number of at least ``least``."""
    if not math.isfinite(value) or value != int(value) or value < least:
        raise ArgumentError(argument, value, f"a whole number of {what}, {least:,} or more")
    if value > MOST_CASES:
        raise ArgumentError(argument, value, f"at most a trillion {what}")
    return int(value)
