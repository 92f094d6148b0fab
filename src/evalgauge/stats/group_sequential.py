"""Interim looks at one planned comparison: bounds that keep the error, and what looking without them costs.

The statistic at look k of K equally spaced looks is seen as a Brownian motion at time k/K; the chance to stay inside
all bounds is carried from look to look by numerical integration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.sample_size import power_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]

BoundsKind: TypeAlias = Literal["obrien-fleming", "pocock", "obrien-fleming spending", "pocock spending"]
MOST_LOOKS = 20
# Beyond 8.5 standard deviations lies less than 1e-16.
_REACH = 8.5
# False position is there within 15 steps; errors of a chance below 1e-12 are rounding.
_MOST_STEPS, _CLOSE = 100, 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBounds:
    """Critical values for planned looks at one comparison.

    Attributes
    ----------
    kind
        The family of bounds.
    z
        Critical value of the statistic at each look; the comparison is decided when it lies outside.
    confidences
        The same as two-sided levels of the interval to read at each look, shares.
    confidence
        Two-sided level of the whole procedure, a share.
    inflation
        By how much the last look needs more cases than a single look, for the same power.
    """

    kind: BoundsKind
    z: tuple[float, ...]
    confidences: tuple[float, ...]
    confidence: float
    inflation: float

    def __str__(self) -> str:
        return f"{self.kind}: {', '.join(f'{one:.4g}' for one in self.z)} ({self.confidence:.4g})"


def look_bounds(looks: int, kind: BoundsKind, *, confidence: float = 0.95, power: float = 0.8) -> LookBounds:
    """Answer "how strict must each of several planned looks be, so that all together err no more than one?".

    Parameters
    ----------
    looks
        Number of equally spaced looks, from 1 to 20.
    kind
        ``"obrien-fleming"`` (strict early, nearly free at the end), ``"pocock"`` (the same at every look), or one of
        their spending versions of Lan and DeMets, which stay valid when looks move.
    confidence
        Two-sided level of the whole procedure, a share. Each side is held at half of 1 − confidence.
    power
        Power at which the inflation of the count is stated.

    Raises
    ------
    ArgumentError
        If ``looks`` is not from 1 to 20 or the kind is unknown.

    References
    ----------
    O'Brien and Fleming 1979, Biometrics 35, 549-556; Pocock 1977, Biometrika 64, 191-199; Lan and DeMets 1983,
    Biometrika 70, 659-663; Jennison and Turnbull 2000, Group Sequential Methods, chapter 19 (integration).

    Examples
    --------
    >>> print(look_bounds(3, "obrien-fleming"))
    obrien-fleming: 3.471, 2.454, 2.004 (0.95)
    """
    tail = (1 - checked_confidence(confidence)) / 2
    times = _times(looks)
    if kind in {"obrien-fleming", "pocock"}:
        shape = 1 / np.sqrt(times) if kind == "obrien-fleming" else np.ones(looks)
        scale = _root(lambda c: float(crossing_probabilities(c * shape).sum()) - tail, 0.5, 6.0)
        z = scale * shape
    elif kind in {"obrien-fleming spending", "pocock spending"}:
        z = _spending_bounds(times, np.diff(_spent(kind, times, tail), prepend=0.0))
    else:
        allowed = "obrien-fleming, pocock, obrien-fleming spending or pocock spending"
        raise ArgumentError("kind", kind, allowed)
    fixed = normal_quantile(confidence) + power_quantile(power)
    drift = _root(lambda d: power - float(crossing_probabilities(z, drift=d).sum()), 0.5 * fixed, 2.5 * fixed)
    return LookBounds(
        kind=kind,
        z=tuple(z.tolist()),
        confidences=tuple((1 - 2 * special.ndtr(-z)).tolist()),
        confidence=confidence,
        inflation=(drift / fixed) ** 2,
    )


def peeking_error(looks: int, *, confidence: float = 0.95) -> float:
    """Answer "how often does a comparison of equal arms look decided at one of several uncorrected looks?".

    Parameters
    ----------
    looks
        Number of equally spaced looks, from 1 to 20.
    confidence
        Two-sided level that is read at every look, a share.

    References
    ----------
    Armitage, McPherson and Rowe 1969, Journal of the Royal Statistical Society A 132, 235-244, table 2.

    Examples
    --------
    >>> [round(peeking_error(looks), 3) for looks in (1, 2, 5, 10, 20)]
    [0.05, 0.083, 0.142, 0.193, 0.248]
    """
    z = np.full(_times(looks).size, normal_quantile(confidence))
    return float(crossing_probabilities(z, two_sided=True).sum())


def crossing_probabilities(z: Sequence[float] | Array, *, drift: float = 0.0, two_sided: bool = False) -> Array:
    """Return the chance that the statistic first leaves the bounds at each of equally spaced looks.

    Parameters
    ----------
    z
        Upper bound at each look, in standard errors.
    drift
        Expected statistic at the last look; 0 where the arms are equal.
    two_sided
        Whether ``-z`` are bounds as well.

    Examples
    --------
    >>> crossing_probabilities([1.959964]).round(3).tolist()
    [0.025]
    """
    bounds = np.asarray(z, dtype=np.float64)
    times = _times(bounds.size)
    walk = _Walk(drift=drift, two_sided=two_sided, step=float(times[0]))
    return np.array([walk.step_to(float(time), float(bound)) for time, bound in zip(times, bounds, strict=True)])


class _Walk:
    """Density of a Brownian motion with drift that has not left its bounds so far, on a Gauss-Legendre grid."""

    def __init__(self, *, drift: float, two_sided: bool, step: float) -> None:
        self._drift, self._two_sided, self._step = drift, two_sided, step
        # The kernel from look to look narrows as looks multiply; the grid keeps several nodes within its width.
        self._nodes, self._weights = _gauss_legendre(48 + 8 * round(1 / step))
        self._at, self._mass = np.zeros(1), np.ones(1)

    def exit_probability(self, time: float, bound: float) -> float:
        """Return the chance to be outside at this time, having been inside at all looks before."""
        edge, centre = bound * math.sqrt(time), self._at + self._drift * self._step
        spread = math.sqrt(self._step)
        outside = special.ndtr((centre - edge) / spread)
        if self._two_sided:
            outside = outside + special.ndtr((-edge - centre) / spread)
        return float(self._mass @ outside)

    def step_to(self, time: float, bound: float) -> float:
        """Move on to this time, keep what stays inside, and return the chance to have left."""
        left = self.exit_probability(time, bound)
        edge = bound * math.sqrt(time)
        lowest = -edge if self._two_sided else min(self._drift * time, edge) - _REACH * math.sqrt(time)
        middle, half = (edge + lowest) / 2, (edge - lowest) / 2
        at = middle + half * self._nodes
        distance = (at[:, None] - self._at - self._drift * self._step) / math.sqrt(self._step)
        kernel = np.exp(-distance * distance / 2) / math.sqrt(2 * math.pi * self._step)
        self._mass = half * self._weights * (kernel @ self._mass)
        self._at = at
        return left


@cache
def _gauss_legendre(nodes: int) -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(nodes)


def _spending_bounds(times: Array, spend: Array) -> Array:
    walk = _Walk(drift=0.0, two_sided=False, step=float(times[0]))
    bounds: list[float] = []
    for time, share in zip(times.tolist(), spend.tolist(), strict=True):

        def too_much(bound: float, time: float = time, share: float = share) -> float:
            return walk.exit_probability(time, bound) - share

        bounds.append(_root(too_much, 0.0, _REACH))
        walk.step_to(time, bounds[-1])
    return np.array(bounds)


def _spent(kind: str, times: Array, tail: float) -> Array:
    """Return the error that may be spent up to each time, of Lan and DeMets' two spending functions."""
    if kind == "pocock spending":
        return tail * np.log1p((math.e - 1) * times)
    return 2 * special.ndtr(special.ndtri(tail / 2) / np.sqrt(times))


def _times(looks: int) -> Array:
    if not 1 <= looks <= MOST_LOOKS:
        hint = "For looks without a plan use a ledger of looks (evalgauge ledger)."
        raise ArgumentError("looks", looks, f"a whole number from 1 to {MOST_LOOKS}", hint)
    return np.arange(1, looks + 1) / looks


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function passes 0, by false position with the Illinois rule."""
    at_low, at_high = falling(low), falling(high)
    middle, kept = low, 0
    for _ in range(_MOST_STEPS):
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        value = falling(middle)
        if abs(value) < _CLOSE:
            break
        # An end that stays twice would stay for ever; halving its value pulls the next guess over to its side.
        if value > 0:
            low, at_low, at_high = middle, value, at_high / (2 if kept > 0 else 1)
        else:
            high, at_high, at_low = middle, value, at_low / (2 if kept < 0 else 1)
        kept = 1 if value > 0 else -1
    return middle
