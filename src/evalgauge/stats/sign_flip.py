"""The sign-flip permutation test: is the mean change 0, if each case might as well have changed the other way?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.stats.checks import checked_scores
from evalgauge.stats.lattice import fast_length, power

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

# Up to here all 2^n sign patterns are listed (8 MB of sums).
_MOST_LISTED = 20
# Changes that are averages over reps lie on multiples of 1/R; products of two rep counts stay below this.
_FINEST_UNIT = 400
# The exact law on a lattice holds one complex number per reachable sum.
_MOST_SUMS = 1 << 20
# Random signs drawn in all by the Monte Carlo fallback, and in one block.
_SIGN_BUDGET = 100_000_000
_BLOCK = 4_000_000
_MOST_DRAWS = 20_000
_TIE = 1e-9
# Beyond so many standard deviations of the tilted law nothing is left; where a step is tilted so far it is certain.
_REACH_SDS, _MOST_TILT = 10.0, 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SignFlip:
    """Result of a sign-flip permutation test.

    Attributes
    ----------
    p_value
        Two-sided p-value of the mean change, a share.
    mc_error
        Standard error of ``p_value`` from the draws; 0 where the law is exact.
    draws
        Random sign patterns drawn; 0 where the law is exact.
    """

    p_value: float
    mc_error: float
    draws: int

    @property
    def is_exact(self) -> bool:
        """Whether every sign pattern was counted."""
        return self.draws == 0


def sign_flip_test(deltas: ArrayLike, *, seed: int = 0) -> SignFlip:
    """Answer "could the signs of these per-case changes be chance?" without any assumption on their shape.

    The exact law where it can be had: by listing for up to 20 changed cases, by one Fourier transform where the changes
    are multiples of a common unit (pass/fail scores averaged over reps are). Otherwise 1,000s of seeded random sign
    patterns, with the error that this leaves.

    Parameters
    ----------
    deltas
        Change per case, candidate − baseline, in any unit; one dimension. Unchanged cases carry no sign and drop out.
    seed
        Seed of the Monte Carlo fallback.

    Raises
    ------
    ArgumentError
        If ``deltas`` is empty, has more than one dimension or holds NaN.

    References
    ----------
    Fisher 1935, The Design of Experiments, section 21; Pagano and Tritchler 1983, Journal of the American Statistical
    Association 78, 435-440, for the exact law by Fourier transform.

    Examples
    --------
    >>> sign_flip_test([0.1, -0.2, 0.3, 0, 0.05, 0.4, 0.15, -0.1, 0.2, 0.25]).p_value
    0.09765625
    """
    changes = checked_scores(deltas, "deltas")
    sizes = np.abs(changes[changes != 0])
    observed = abs(math.fsum(changes))
    if sizes.size <= _MOST_LISTED:
        return SignFlip(p_value=_listed_p(sizes, observed), mc_error=0.0, draws=0)
    steps = _lattice_steps(sizes)
    if steps is not None:
        total = round(observed / (sizes[0] / steps[0]))
        return SignFlip(p_value=_lattice_p(steps, total), mc_error=0.0, draws=0)
    return _drawn(sizes, observed, np.random.default_rng(seed))


def _listed_p(sizes: NDArray[np.float64], observed: float) -> float:
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate((sums - size, sums + size))
    # Sums that are equal on paper differ in their last digits; a tie counts as "at least as far".
    return float(np.mean(np.abs(sums) >= observed - _TIE * max(observed, float(sizes.sum()))))


def _lattice_steps(sizes: NDArray[np.float64]) -> NDArray[np.int64] | None:
    """Return the sizes as whole multiples of a common unit, or None where no unit is coarse enough."""
    largest = float(sizes.max())
    for parts in range(1, _FINEST_UNIT + 1):
        scaled = sizes * (parts / largest)
        steps = np.rint(scaled)
        if np.all(np.abs(scaled - steps) < _TIE * parts) and steps.min() >= 1:
            whole = steps.astype(np.int64)
            return whole if int(whole.sum()) <= _MOST_SUMS else None
    return None


def _lattice_p(steps: NDArray[np.int64], total: int) -> float:
    """Return P(|S| >= total) for S = Σ ±steps, all signs equally likely.

    The transform is taken of the law tilted towards ``total``, so that far tails keep their digits: the untilted one
    has an absolute error near 1e-16, larger than a small p-value.
    """
    if total == 0:
        return 1.0
    by_step = np.bincount(steps)
    units = np.flatnonzero(by_step)
    counts, reach = by_step[units], int(steps.sum())
    tilt = _tilt(units, counts, min(total, 0.98 * reach))
    # The tilted law lies around the total; a window that holds all of it is enough, however far the sums could reach.
    spread = math.sqrt(float(np.sum(counts * np.square(units / np.cosh(np.minimum(tilt * units, _MOST_TILT))))))
    span = min(math.ceil(_REACH_SDS * spread) + 2 * int(units.max()), 2 * reach)
    length = fast_length(2 * span + 1)
    frequency = 2 * np.pi * np.arange(length // 2 + 1) / length
    transform = np.ones(frequency.size, dtype=np.complex128)
    for unit, count in zip(units.tolist(), counts.tolist(), strict=True):
        turned = np.cos(unit * frequency) - 1j * math.tanh(tilt * unit) * np.sin(unit * frequency)
        transform *= power(turned, count)
    sums = np.arange(total, min(reach, total + span) + 1)
    tilted = np.fft.irfft(transform, n=length)[sums % length]
    log_mass = float(np.sum(counts * (np.logaddexp(tilt * units, -tilt * units) - math.log(2))))
    return min(1.0, 2 * float(np.sum(np.maximum(tilted, 0) * np.exp(log_mass - tilt * sums))))


def _tilt(units: NDArray[np.int64], counts: NDArray[np.int64], target: float) -> float:
    """Return the tilt under which the mean of the sum is ``target``, by bisection of a rising function."""
    low, high = 0.0, 1.0
    while float(np.sum(counts * units * np.tanh(high * units))) < target:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        if float(np.sum(counts * units * np.tanh(middle * units))) < target:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _drawn(sizes: NDArray[np.float64], observed: float, rng: np.random.Generator) -> SignFlip:
    draws = max(200, min(_MOST_DRAWS, _SIGN_BUDGET // sizes.size))
    block = max(1, _BLOCK // sizes.size)
    least = observed - _TIE * max(observed, float(sizes.sum()))
    hits, left = 0, draws
    while left > 0:
        rows = min(block, left)
        signs = rng.integers(0, 2, size=(rows, sizes.size), dtype=np.int8)
        hits += int(np.count_nonzero(np.abs(2 * (signs @ sizes) - sizes.sum()) >= least))
        left -= rows
    # Counting the observed pattern itself keeps the test valid at any number of draws.
    p_value = (hits + 1) / (draws + 1)
    return SignFlip(p_value=p_value, mc_error=math.sqrt(p_value * (1 - p_value) / draws), draws=draws)
