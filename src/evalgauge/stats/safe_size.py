"""The safe count: from which on exact power, which saw-tooths from count to count, stays above its target."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Powers: TypeAlias = Callable[[NDArray[np.int64]], NDArray[np.float64]]


def safe_n(powers: Powers, target: float, *, start: int, window: int, rise: float | None = None, least: int = 1) -> int:
    """Return the smallest count from which on the power never falls below the target again.

    Power rises with the count on the whole and saw-tooths on the way. The teeth are as high as the chance of one
    outcome, about 1/√n, and the power gains as much over a few 1/drop counts. So a window of that width around the
    normal formula holds the last dip; it is moved on while dips are found near its upper end.

    Parameters
    ----------
    powers
        Power of an array of counts.
    target
        Power asked for, a share.
    start
        Count by a formula, near the answer.
    window
        Counts to each side of ``start`` to look at, and to find free of dips above the answer.
    rise
        The most that the power can rise from one count to the next, where that is small; most counts are then skipped,
        since every dip is followed by low powers until the next one looked at. ``None`` to look at all.
    least
        The smallest count to return.

    Examples
    --------
    >>> from evalgauge.stats.power import reference_power
    >>> safe_n(lambda n: reference_power(n, 0.9, 0.8), 0.8, start=86, window=100)
    89
    """
    bottom, top = max(least, start - window), max(start, least) + window
    last = _last_short(powers, target, bottom, top, rise)
    while last is not None and last > top - window:
        further = _last_short(powers, target, top + 1, last + window, rise) if last + window > top else None
        top = last + window
        if further is None:
            break
        last = further
    while last is None and bottom > least:
        bottom, top = max(least, bottom - window), bottom - 1
        last = _last_short(powers, target, bottom, top, rise)
    return least if last is None else last + 1


def _last_short(powers: Powers, target: float, bottom: int, top: int, rise: float | None) -> int | None:
    """Return the largest count from ``bottom`` to ``top`` whose power is below the target, if there is one."""
    stride = 1 if rise is None else max(1, math.isqrt(top - bottom + 1))
    grid = np.arange(top, bottom - 1, -stride)
    found = powers(grid)
    for end in grid[found < target + (rise or 0.0) * stride]:
        block = np.arange(max(bottom, int(end) - stride + 1), int(end) + 1)
        short = np.flatnonzero(powers(block) < target)
        if short.size:
            return int(block[short[-1]])
    return None


def smallest_drop(is_enough: Callable[[float], bool], highest: float, *, lowest: float = 0.0) -> float | None:
    """Return the smallest drop that is enough, by halving; ``None`` where even the highest is not.

    Parameters
    ----------
    is_enough
        Whether a drop of this size is found; once true it stays true for larger ones.
    highest
        The largest possible drop.
    lowest
        A drop below which none is looked for.

    Examples
    --------
    >>> from evalgauge.stats.sample_size import held_reference_n
    >>> round(smallest_drop(lambda drop: held_reference_n(0.9, 0.9 - drop) <= 100, 0.9), 4)
    0.0919
    """
    if not is_enough(highest):
        return None
    low, high = lowest, highest
    while high - low > 1e-10:
        middle = (low + high) / 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
