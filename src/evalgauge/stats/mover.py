"""MOVER: an interval for a difference, recovered from the separate intervals of its two parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Limits: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
    Part: TypeAlias = tuple[ArrayLike, ArrayLike, ArrayLike]


def mover_difference_limits(first: Part, second: Part, *, correlation: ArrayLike = 0.0) -> Limits:
    """Return the ends of an interval for ``second − first``.

    Each part keeps the asymmetry of its own interval, which the square root of two variances would lose.

    Parameters
    ----------
    first, second
        Estimate, low and high end of each part; numbers or arrays that broadcast.
    correlation
        Correlation of the two estimates; 0 for different cases.

    References
    ----------
    Zou and Donner 2008, Statistics in Medicine 27, 1693-1702, equation 6; Newcombe 1998, Statistics in Medicine 17,
    873-890 and 2635-2650, where the parts are Wilson intervals.

    Examples
    --------
    >>> low, high = mover_difference_limits((0.70, 0.64, 0.75), (0.79, 0.73, 0.83))
    >>> round(float(low), 4), round(float(high), 4)
    (0.0119, 0.1621)
    """
    estimate1, low1, high1 = (np.asarray(value, dtype=np.float64) for value in first)
    estimate2, low2, high2 = (np.asarray(value, dtype=np.float64) for value in second)
    r = np.asarray(correlation, dtype=np.float64)
    difference = estimate2 - estimate1
    return (
        difference - _length(estimate2 - low2, high1 - estimate1, r),
        difference + _length(high2 - estimate2, estimate1 - low1, r),
    )


def _length(a: NDArray[np.float64], b: NDArray[np.float64], r: NDArray[np.float64]) -> NDArray[np.float64]:
    """Third side of the triangle with sides ``a`` and ``b`` and ``r`` the cosine of the angle between them."""
    return np.sqrt(np.maximum(a * a + b * b - 2 * r * a * b, 0.0))
