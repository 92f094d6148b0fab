"""Points and weights that stand for a spread of rates: sums over them are integrals over the spread.

Chances of k of R passes are polynomials in the rate, which Gauss's points integrate without error up to twice as many
runs as there are points.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Nodes: TypeAlias = tuple[Array, Array]

_POINTS = 64
# Beyond so many standard deviations a normal law has less than 1e-18 of its mass.
_REACH_SDS = 9.0


def uniform_nodes(low: float, high: float, *, breaks: Sequence[float] = (), points: int = _POINTS) -> Nodes:
    """Return points and masses of the uniform law from ``low`` to ``high``.

    Parameters
    ----------
    low, high
        Ends of the law; equal ends give one point.
    breaks
        Where what is integrated has a kink: the points are laid between them.
    points
        Gauss-Legendre points of each piece.

    References
    ----------
    Golub and Welsch 1969, Mathematics of Computation 23, 221-230.

    Examples
    --------
    >>> rates, masses = uniform_nodes(0.05, 0.95)
    >>> round(float(masses @ rates**2), 6) == round(0.5**2 + 0.9**2 / 12, 6)
    True
    """
    if low == high:
        return np.array([low]), np.ones(1)
    edges = [low, *sorted({cut for cut in breaks if low < cut < high}), high]
    unit, weight = _legendre(points)
    pieces = [(start + (end - start) * (unit + 1) / 2, weight * (end - start) / 2) for start, end in pairwise(edges)]
    return np.concatenate([at for at, _ in pieces]), np.concatenate([mass for _, mass in pieces]) / (high - low)


@cache
def _legendre(points: int) -> Nodes:
    unit, weight = np.polynomial.legendre.leggauss(points)
    unit.flags.writeable = weight.flags.writeable = False
    return unit, weight


def beta_nodes(a: float, b: float, *, points: int = _POINTS) -> Nodes:
    """Return points and masses of the Beta law with parameters ``a`` and ``b``.

    Parameters
    ----------
    a, b
        Parameters, above 0; the mean is a/(a + b).
    points
        Gauss-Jacobi points.

    References
    ----------
    Golub and Welsch 1969, Mathematics of Computation 23, 221-230.

    Examples
    --------
    >>> rates, masses = beta_nodes(4, 1)
    >>> round(float(masses @ rates), 12)
    0.8
    """
    roots, weights = special.roots_jacobi(points, b - 1, a - 1)
    return (roots + 1) / 2, weights / weights.sum()


def clipped_normal_nodes(low: float, high: float, mean: float, sd: float, *, points: int = _POINTS) -> Nodes:
    """Return points and masses of a normal law whose tails are piled up at ``low`` and ``high``.

    Parameters
    ----------
    low, high
        Where the law is cut; what lies beyond counts as lying at the end.
    mean, sd
        Of the law before it is cut; ``sd`` 0 gives one point.
    points
        Gauss-Legendre points between the ends.

    Examples
    --------
    >>> values, masses = clipped_normal_nodes(0, 1, 0.7, 0.05)
    >>> round(float(masses.sum()), 12), round(float(masses @ values), 6)
    (1.0, 0.7)
    """
    if sd == 0:
        return np.array([min(max(mean, low), high)]), np.ones(1)
    first, last = max(low, mean - _REACH_SDS * sd), min(high, mean + _REACH_SDS * sd)
    below, above = float(special.ndtr((low - mean) / sd)), float(special.ndtr((mean - high) / sd))
    if first >= last:
        return np.array([low, high]), np.array([below, above]) / (below + above)
    at, width = uniform_nodes(first, last, points=points)
    density = np.exp(-0.5 * np.square((at - mean) / sd)) / (sd * math.sqrt(2 * math.pi))
    values, masses = np.append(at, [low, high]), np.append(width * (last - first) * density, [below, above])
    return values, masses / masses.sum()


def clip_breaks(mean: float, sd: float) -> tuple[float, ...]:
    """Return the rates at which adding a normal effect starts, or ends, to be cut at 0 or 1.

    Parameters
    ----------
    mean, sd
        Of the effect.

    Examples
    --------
    >>> clip_breaks(0.1, 0.0)
    (-0.1, 0.9)
    """
    reach = (0.0,) if sd == 0 else (-_REACH_SDS * sd, _REACH_SDS * sd)
    return tuple(end - mean + part for end in (0.0, 1.0) for part in reach)
