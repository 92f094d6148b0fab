"""The one place where arguments of this room are checked.

Every check returns the checked value, so that a function starts with its checks and then holds only the formula.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def checked_confidence(confidence: float) -> float:
    """Return the confidence level, a share strictly between 0 and 1."""
    if not (isinstance(confidence, (int, float)) and 0 < confidence < 1):
        hint = (
            f"Did you mean {confidence / 100:g}?"
            if isinstance(confidence, (int, float)) and 1 < confidence < 100
            else ""
        )
        raise ArgumentError("confidence", confidence, "a share between 0 and 1, such as 0.95", hint)
    return float(confidence)


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
