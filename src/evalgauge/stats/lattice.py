"""Exact laws of sums of whole numbers: Fourier transforms and lists in place of Monte Carlo.

Pass/fail scores averaged over R reps are whole numbers k of R. The sum over n independent cases has the n-th power of
one case's transform, so its law costs one transform there and one back, however many logs there could be.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Whole: TypeAlias = NDArray[np.int64]

# Transforms leave rounding of some 1e-17 a cell; chances below this are no information.
_NEGLIGIBLE = 1e-16
_LEAST_LOG = math.log(1e-18)


def power(values: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    """Return a transform to a whole power by squaring, several times as fast as the general power.

    Where the power is below 1e-18 in size it is set to 0: a sum of many draws has few frequencies that count.

    Parameters
    ----------
    values
        Any shape.
    exponent
        Whole number, 1 or more.

    Examples
    --------
    >>> power(np.array([0.5 + 0j, 2.0 + 0j]), 4).real.tolist()
    [0.0625, 16.0]
    """
    size = values.real * values.real + values.imag * values.imag
    counting = size > math.exp(2 * _LEAST_LOG / exponent)
    if counting.all():
        return _squared(values, exponent)
    result = np.zeros_like(values)
    result[counting] = _squared(values[counting], exponent)
    return result


def _squared(values: NDArray[np.complex128], exponent: int) -> NDArray[np.complex128]:
    square, result = values, None
    while exponent:
        if exponent & 1:
            result = square if result is None else result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return values if result is None else result


def sum_law(masses: Array, n: int) -> Array:
    """Return the chances of the sum of n independent draws from 0, 1, 2, …

    Parameters
    ----------
    masses
        Chances of 0, 1, 2, … for one draw.
    n
        Draws, 1 or more.

    Returns
    -------
    ndarray
        Chances of 0 … n·(len(masses) − 1).

    Examples
    --------
    >>> sum_law(np.array([0.5, 0.5]), 2).round(6).tolist()
    [0.25, 0.5, 0.25]
    """
    size = n * (masses.size - 1) + 1
    length = fast_length(size)
    law = np.fft.irfft(power(np.fft.rfft(masses, length), n), length)[:size]
    return np.maximum(law, 0.0)


def pair_sum_law(first: Whole, second: Whole, masses: Array, n: int) -> tuple[Whole, Whole, Array]:
    """Return the law of two sums at once, over n independent draws of a pair of whole numbers.

    Parameters
    ----------
    first, second
        The pairs that one draw can give, whole numbers from 0 on.
    masses
        Chance of each pair.
    n
        Draws, 1 or more.

    Returns
    -------
    tuple of ndarray
        Sums of ``first``, sums of ``second``, chances; one entry per pair of sums that is at all likely.

    Examples
    --------
    >>> one, two, chances = pair_sum_law(np.array([0, 1]), np.array([0, 2]), np.array([0.5, 0.5]), 2)
    >>> one.tolist(), two.tolist(), chances.round(6).tolist()
    ([0, 1, 2], [0, 2, 4], [0.25, 0.5, 0.25])
    """
    shape = pair_shape(first, second, n)
    padded = (fast_length(shape[0]), fast_length(shape[1]))
    table = np.zeros((int(first.max()) + 1, int(second.max()) + 1))
    np.add.at(table, (first, second), masses)
    law = np.fft.irfft2(power(np.fft.rfft2(table, padded), n), padded)[: shape[0], : shape[1]]
    one, two = np.nonzero(law > _NEGLIGIBLE)
    return one, two, law[one, two]


def pair_shape(first: Whole, second: Whole, n: int) -> tuple[int, int]:
    """Return how many values the two sums of :func:`pair_sum_law` can have: the price of their joint law.

    Parameters
    ----------
    first, second, n
        As there.

    Examples
    --------
    >>> pair_shape(np.array([0, 1]), np.array([0, 2]), 2)
    (3, 5)
    """
    return n * int(first.max()) + 1, n * int(second.max()) + 1


def n_multisets(n: int, kinds: int) -> int:
    """Return how many different logs there are of n cases of so many kinds, when their order does not matter.

    Parameters
    ----------
    n, kinds
        Cases, and kinds of outcome.

    Examples
    --------
    >>> n_multisets(25, 3)
    351
    """
    return math.comb(n + kinds - 1, kinds - 1)


def multisets(n: int, kinds: int) -> Whole:
    """Return every way to share n cases among kinds of outcome, one row each.

    Parameters
    ----------
    n, kinds
        Cases, and kinds of outcome, 1 or more.

    Examples
    --------
    >>> multisets(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    if kinds == 1:
        return np.array([[n]])
    # Stars and bars: the gaps between bars are the counts.
    bars = np.array(list(combinations(range(n + kinds - 1), kinds - 1)), dtype=np.int64)
    ends = np.full((len(bars), 1), n + kinds - 1)
    return np.diff(np.hstack([np.full((len(bars), 1), -1), bars, ends]), axis=1) - 1


def multinomial_chances(counts: Whole, masses: Array) -> Array:
    """Return the chance of each row of counts.

    Parameters
    ----------
    counts
        Shape (logs, kinds); rows add up to the same number of cases.
    masses
        Chance of each kind, above 0.

    Examples
    --------
    >>> multinomial_chances(np.array([[0, 2], [1, 1], [2, 0]]), np.array([0.5, 0.5])).round(6).tolist()
    [0.25, 0.5, 0.25]
    """
    orders = special.gammaln(counts.sum(axis=-1) + 1) - special.gammaln(counts + 1).sum(axis=-1)
    return np.exp(orders + counts @ np.log(masses))


def fast_length(size: int) -> int:
    """Return a length of at least ``size`` that transforms quickly: no prime factor above 5.

    Parameters
    ----------
    size
        Least length, 1 or more.

    Examples
    --------
    >>> fast_length(2501), fast_length(7)
    (2560, 8)
    """
    best = 1 << (size - 1).bit_length()
    five = 1
    while five < best:
        three = five
        while three < best:
            length = three << max(0, -(-size // three) - 1).bit_length()
            best = min(best, length) if length >= size else best
            three *= 3
        five *= 5
    return best
