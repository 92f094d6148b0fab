"""The one place where arguments of this room are checked.

Every check returns the checked value, so that a function starts with its checks and then holds only the formula.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def checked_confidence(confidence: object) -> float:
    """Return the confidence level, a share strictly between 0 and 1."""
    if isinstance(confidence, (int, float)) and 0 < confidence < 1:
        return float(confidence)
    hint = ""
    if isinstance(confidence, (int, float)) and 1 < confidence < 100:
        hint = f"Did you mean {confidence / 100:g}?"
    raise ArgumentError("confidence", confidence, "a share between 0 and 1, such as 0.95", hint)


def is_number(value: object) -> bool:
    """Return whether a value is a finite number; a truth value is none.

    Examples
    --------
    >>> is_number(3), is_number(True), is_number("3"), is_number(math.nan)
    (True, False, False, False)
    """
    return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)


def is_whole(value: float, least: int) -> bool:
    """Return whether a value is a whole number of at least ``least``.

    Examples
    --------
    >>> is_whole(3.0, 1), is_whole(2.5, 1), is_whole(0, 1)
    (True, False, False)
    """
    return is_number(value) and value >= least and value == int(value)


def checked_counts(passed: float, n: float) -> tuple[float, float]:
    """Return a count of passes and the number of cases, 0 <= passed <= n and n > 0."""
    if not (math.isfinite(n) and n > 0):
        raise ArgumentError("n", n, "a number of cases above 0")
    if not 0 <= passed <= n:
        raise ArgumentError("passed", passed, f"a count from 0 to n = {n:g}")
    return float(passed), float(n)


def checked_scores(scores: ArrayLike, argument: str = "scores", *, least: int = 1) -> NDArray[np.float64]:
    """Return a one-dimensional array of finite floats with at least ``least`` entries."""
    array = np.asarray(scores, dtype=np.float64)
    if array.ndim != 1:
        raise ArgumentError(argument, f"an array of shape {array.shape}", "one number per case (one dimension)")
    if array.size < least:
        raise ArgumentError(argument, f"{array.size} values", f"at least {least}")
    if not np.isfinite(array).all():
        count = int((~np.isfinite(array)).sum())
        raise ArgumentError(
            argument,
            f"{count} values that are NaN or infinite",
            "finite numbers",
            "Missing scores are left out before this point, with their count kept.",
        )
    return array


def checked_flips(wins: float, losses: float, n: float) -> tuple[float, float, float]:
    """Return counts of cases that changed for the better, for the worse, and in all: wins + losses <= n, n > 0."""
    if not (math.isfinite(n) and n > 0):
        raise ArgumentError("n", n, "a number of cases above 0")
    for argument, count in (("wins", wins), ("losses", losses)):
        if not (math.isfinite(count) and count >= 0 and float(count).is_integer()):
            raise ArgumentError(argument, count, "a whole number of cases, 0 or more")
    if wins + losses > n:
        hint = "n counts all shared cases, the unchanged ones too."
        raise ArgumentError("n", n, f"at least wins + losses = {wins + losses:g}", hint)
    return float(wins), float(losses), float(n)


def checked_count_arrays(passed: ArrayLike, n: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return counts of passes and numbers of cases as arrays of one shape, 0 <= passed <= n and n > 0 everywhere."""
    counts, cases = np.broadcast_arrays(np.asarray(passed, dtype=np.float64), np.asarray(n, dtype=np.float64))
    if not (np.isfinite(cases) & (cases > 0)).all():
        raise ArgumentError("n", n, "numbers of cases above 0")
    if not ((counts >= 0) & (counts <= cases)).all():
        raise ArgumentError("passed", passed, "counts from 0 to n")
    return counts, cases


def checked_unit_scores(
    scores: ArrayLike, score_range: tuple[float, float], argument: str = "case_means"
) -> NDArray[np.float64]:
    """Return one score per case, rescaled so that the declared range becomes 0 to 1."""
    low, high = score_range
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ArgumentError("score_range", score_range, "two finite numbers, the low one first, such as (0, 1)")
    unit = (checked_scores(scores, argument) - low) / (high - low)
    # A mean of runs may pass an end by rounding; a score beyond that says that the range is wrong.
    if unit.min() < -1e-9 or unit.max() > 1 + 1e-9:
        raw = np.asarray(scores, dtype=np.float64)
        raise ArgumentError(
            argument,
            f"scores from {raw.min():g} to {raw.max():g}",
            f"scores from {low:g} to {high:g}, the declared range",
            "Declare the true range (--range), or give no range to get a t interval.",
        )
    return np.clip(unit, 0.0, 1.0)


def checked_whole(values: ArrayLike, argument: str, *, least: int, size: int) -> NDArray[np.int64]:
    """Return one whole number per case, each at least ``least``."""
    array = np.asarray(values, dtype=np.float64)
    if array.shape != (size,):
        raise ArgumentError(argument, f"an array of shape {array.shape}", f"one whole number per case ({size})")
    whole = np.rint(array)
    if not (np.isfinite(array).all() and (whole == array).all() and array.min(initial=least) >= least):
        raise ArgumentError(argument, values, f"whole numbers of at least {least}")
    return whole.astype(np.int64)
