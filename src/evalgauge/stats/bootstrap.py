"""The bootstrap of a mean by its exact law: what endless resampling would give, without resampling.

Percentile and BCa intervals are what many tools print. They are here for comparison: no answer of this package rests on
them, because with few cases, or scores near an end, they cover too little.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence, checked_scores
from evalgauge.stats.lattice import fast_length, power
from evalgauge.stats.results import Interval
from evalgauge.stats.streams import blocks, in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike, NDArray

    from evalgauge.stats.streams import Block

    Array: TypeAlias = NDArray[np.float64]
    Whole: TypeAlias = NDArray[np.int64]
    Limits: TypeAlias = tuple[Array, Array]
    # The chance that the resampled mean is at most a number.
    _Law: TypeAlias = Callable[[float], float]

Kind: TypeAlias = Literal["percentile", "bca"]
# Of the sum, to each side of its mean: what lies beyond has some 1e-15 of the mass.
_REACH_SDS, _REACH_STEPS = 8.0, 30
# A lattice finer than this is no lattice: averages over reps lie on multiples of 1/R.
_MOST_STEPS = 4_000
_ROUNDING = 1e-9
# Cells of a batch of transforms, and resampled scores of a block.
_BATCH_CELLS = 2_000_000
_BLOCK_SCORES = 1_000_000
_DRAWS = 10_000
# Scores that fit into the cache together with what is made of them.
_CACHED = 32_768
_FEWEST_SMOOTH, _FREQUENCIES, _FADED = 50, 48, 1e-10
_HALVINGS = 50
# Shorter transforms are quicker than frequencies one by one.
_FEWEST_CELLS = 4_096


class _Moments(NamedTuple):
    """Mean, and mean second and third power of the distance from it, of n scores."""

    mean: float
    second: float
    third: float
    n: int

    @classmethod
    def of_counts(cls, counts: Whole) -> _Moments:
        n, steps = int(counts.sum()), np.arange(counts.size)
        mean = float(counts @ steps) / n
        second, third = (float(counts @ (steps - mean) ** order) / n for order in (2, 3))
        return cls(mean, second, third, n)


def bootstrap_mean_interval(
    scores: ArrayLike, *, confidence: float = 0.95, kind: Kind = "percentile", seed: int = 0
) -> Interval:
    """Return the bootstrap interval of a mean, for comparison: which means would resampling these cases give?

    Where scores are multiples of a common step (pass/fail, or averages over reps) the law of the resampled mean is
    exact, by one Fourier transform, and there is no seed and no number of resamples. Other scores, where there are
    enough to be smooth, by the frequencies that count, to 1e-6 of its width; the rest by 10,000 seeded resamples.

    Parameters
    ----------
    scores
        One score (or change) per case, in any unit; one dimension. Whole numbers are taken as they are.
    confidence
        Two-sided level, a share.
    kind
        ``"percentile"``, or ``"bca"`` (bias-corrected and accelerated).
    seed
        Seed of the resamples, where it takes them.

    Returns
    -------
    Interval
        Method ``"percentile bootstrap (exact)"``, ``"(Fourier)"`` or ``"(10,000 draws)"``; both ends at the mean where
        all scores are equal, one of the reasons why no answer rests on it.

    Raises
    ------
    ArgumentError
        If there is no score, one is NaN, or ``kind`` is unknown.

    References
    ----------
    Efron and Tibshirani 1993, An Introduction to the Bootstrap, sections 13.3 (percentile) and 14.3 (BCa).

    Examples
    --------
    >>> print(bootstrap_mean_interval([1] * 19 + [0]))
    0.85 to 1 (0.95 percentile bootstrap (exact))
    """
    checked_confidence(confidence)
    if kind not in ("percentile", "bca"):
        raise ArgumentError("kind", kind, "'percentile' or 'bca'")
    y = np.asarray(scores)
    if y.dtype.kind not in "iu" or y.ndim != 1 or y.size == 0:
        y = checked_scores(scores)
    found = _on_lattice(y)
    if found is None:
        smooth = _smooth_law(y.astype(np.float64))
        how = "Fourier" if smooth is not None else f"{_DRAWS:,} draws"
        centre = float(y.mean())
        away = y - centre
        moments = _Moments(centre, float(np.square(away).mean()), float((away**3).mean()), y.size)
        low, high = _ends(moments, smooth or _drawn_law(y.astype(np.float64), seed), confidence, kind)
    else:
        counts, start, step = found
        ends = _few_frequencies(counts, confidence, kind)
        if ends is None:
            ends = tuple(
                float(end[0]) for end in bootstrap_limits(counts[np.newaxis], confidence=confidence, kind=kind)
            )
        low, high = (start + step * end for end in ends)
        how = "exact"
    name = {"percentile": "percentile bootstrap", "bca": "BCa bootstrap"}[kind]
    return Interval(low=low, high=high, confidence=confidence, method=f"{name} ({how})")


def bootstrap_limits(counts: Whole, *, confidence: float = 0.95, kind: Kind = "percentile") -> Limits:
    """Return the exact bootstrap limits of the mean of many logs at once.

    Parameters
    ----------
    counts
        Shape (logs, m): how many cases of each log score 0, 1, …, m − 1 steps. Every log has the same number of cases.
    confidence
        Two-sided level, a share.
    kind
        ``"percentile"`` or ``"bca"``.

    Returns
    -------
    tuple of ndarray
        Low and high ends, in steps.

    References
    ----------
    As :func:`bootstrap_mean_interval`.

    Examples
    --------
    >>> low, high = bootstrap_limits(np.array([[1, 19], [0, 20]]))
    >>> low.tolist(), high.tolist()
    ([0.85, 1.0], [1.0, 1.0])
    """
    n = int(counts[0].sum())
    steps = np.arange(counts.shape[1], dtype=np.float64)
    mean = counts @ steps / n
    sd = np.sqrt(np.maximum(counts @ np.square(steps) / n - np.square(mean), 0.0))
    reach = int(_REACH_SDS * math.sqrt(n) * float(sd.max())) + _REACH_STEPS
    # Where the whole support is shorter than the window, nothing wraps around and no centre is needed.
    length = fast_length(min(2 * reach + 1, n * (counts.shape[1] - 1) + 1))
    rows = max(1, _BATCH_CELLS // length)
    parts = [
        _batch(counts[start : start + rows], mean[start : start + rows], n, length, confidence, kind)
        for start in range(0, len(counts), rows)
    ]
    return np.concatenate([low for low, _ in parts]), np.concatenate([high for _, high in parts])


def _batch(counts: Whole, mean: Array, n: int, length: int, confidence: float, kind: Kind) -> Limits:
    # Sums are known modulo the length of the transform; a window around the mean says which they are.
    width = counts.shape[1]
    folded = counts if width <= length else _folded(counts, length)
    law = np.fft.irfft(power(np.fft.rfft(folded / n, length), n), length)
    whole = n * (width - 1) + 1 <= length
    start = np.zeros(len(counts), dtype=np.int64) if whole else np.rint(n * mean).astype(np.int64) - length // 2
    if not whole:
        law = np.take_along_axis(law, (start[:, np.newaxis] + np.arange(length)) % length, axis=1)
    below = np.cumsum(np.maximum(law, 0.0), axis=1)
    below /= below[:, -1:]
    if kind == "percentile":
        tail = (1 - confidence) / 2
        levels = np.broadcast_to(np.array([tail, 1 - tail]), (len(counts), 2))
    else:
        levels = _bca_levels(counts, mean, below, np.rint(n * mean).astype(np.int64) - start, confidence)
    # The least sum whose chance of not being passed reaches the level; rounding must not move it by a step.
    low, high = ((start + np.sum(below < level[:, np.newaxis] - 1e-12, axis=1)) / n for level in levels.T)
    return low, high


def _folded(counts: Whole, length: int) -> Whole:
    padded = np.pad(counts, ((0, 0), (0, -counts.shape[1] % length)))
    return padded.reshape(len(counts), -1, length).sum(axis=1)


def _bca_levels(counts: Whole, mean: Array, below: Array, at: Whole, confidence: float) -> Array:
    """Return the two levels of each log: shifted by half of the median's bias, and by the skewness of the scores."""
    at_most = np.take_along_axis(below, at[:, np.newaxis], axis=1)[:, 0]
    under = np.where(at > 0, np.take_along_axis(below, np.maximum(at - 1, 0)[:, np.newaxis], axis=1)[:, 0], 0.0)
    bias = special.ndtri(np.clip((at_most + under) / 2, 1e-15, 1 - 1e-15))
    away: Array = np.arange(counts.shape[1], dtype=np.float64) - mean[:, np.newaxis]
    second: Array = (counts * np.square(away)).sum(axis=1)
    third: Array = (counts * np.power(away, 3)).sum(axis=1)
    skew = np.divide(third, 6 * second**1.5, out=np.zeros_like(third), where=second > 0)
    z = special.ndtri((1 - confidence) / 2)
    return np.stack([special.ndtr(bias + (bias + q) / (1 - skew * (bias + q))) for q in (z, -z)], axis=1)


def _on_lattice(scores: NDArray[np.generic]) -> tuple[Whole, float, float] | None:
    """Return counts, start and step, or None where no common step is coarse enough."""
    if scores.dtype.kind in "iu":
        first, last = int(scores.min()), int(scores.max())
        if last - first > _MOST_STEPS:
            return None
        counts = np.zeros(last - first + 1, dtype=np.int64)
        for part in _parts(scores):
            counts += np.bincount(part - first if first else part, minlength=counts.size)
        return counts, float(first), 1.0
    y = scores.astype(np.float64, copy=False)
    start, span = float(y.min()), float(np.ptp(y))
    if span == 0:
        return np.array([y.size]), start, 1.0
    # A few scores refute nearly every step, and only the one that is left is tried on all of them.
    few = (y[:: max(1, y.size // 64)] - start) / span
    for steps in range(1, _MOST_STEPS + 1):
        if np.all(np.abs(few * steps - np.rint(few * steps)) < _ROUNDING * steps):
            counts = _step_counts(y, start, steps / span, steps)
            if counts is not None:
                return counts, start, span / steps
    return None


def _step_counts(scores: Array, start: float, scale: float, steps: int) -> Whole | None:
    counts = np.zeros(steps + 1, dtype=np.int64)
    for part in _parts(scores):
        scaled = (part - start) * scale
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max() >= _ROUNDING * steps:
            return None
        counts += np.bincount(whole.astype(np.int64), minlength=steps + 1)
    return counts


def _parts(scores: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Cut an array into parts that stay in the cache while they are worked on."""
    return (scores[start : start + _CACHED] for start in range(0, scores.size, _CACHED))


def _smooth_law(scores: Array) -> _Law | None:
    """Return the law of the resampled mean from its frequencies, or None where they do not die out.

    The sum of n resampled scores has the n-th power of one score's characteristic function, which is next to nothing
    beyond some 25 multiples of the base frequency of a window of ±8 standard deviations.
    """
    n, centre, sd = scores.size, float(scores.mean()), float(scores.std())
    if n < _FEWEST_SMOOTH:
        return None
    period = 2 * _REACH_SDS * sd * math.sqrt(n)
    frequency = 2 * math.pi * np.arange(1, _FREQUENCIES + 1) / period
    # Multiples of one angle by repeated products: a sine and a cosine a score, whatever the number of frequencies.
    turn = np.exp(1j * frequency[0] * (scores - centre))
    now, transform = turn, np.empty(_FREQUENCIES, dtype=np.complex128)
    for place in range(_FREQUENCIES):
        transform[place] = now.mean()
        now = now * turn
    transform = power(transform, n)
    if np.abs(transform[-_FREQUENCIES // 4 :]).max() > _FADED:
        return None

    def at_most(mean: float) -> float:
        away = (mean - centre) * n
        # The integral of the series from the start of the window on.
        waves = (np.exp(-1j * frequency * away) - np.exp(1j * frequency * period / 2)) / (-1j * frequency)
        return (away + period / 2 + 2 * float((transform * waves).real.sum())) / period

    return at_most


def _few_frequencies(counts: Whole, confidence: float, kind: Kind) -> tuple[float, float] | None:
    """Return the ends, in steps, for so many cases that few frequencies of the law count; None where more do."""
    n, steps = int(counts.sum()), np.arange(counts.size)
    moments = _Moments.of_counts(counts)
    used = np.flatnonzero(counts)
    period = math.ceil(2 * _REACH_SDS * math.sqrt(n * moments.second)) + 2 * _REACH_STEPS
    # On a coarser lattice than single steps the same frequencies come back further on.
    if period < _FEWEST_CELLS or int(np.gcd.reduce(used - used[0])) > 1:
        return None
    frequency = 2 * math.pi * np.arange(1, _FREQUENCIES + 1) / period
    turns: NDArray[np.complex128] = np.exp(1j * np.outer(frequency, steps - moments.mean))
    transform = power(turns @ (counts / n).astype(np.complex128), n)
    if np.abs(transform[-_FREQUENCIES // 4 :]).max() > _FADED:
        return None
    first = math.floor(n * moments.mean) - period // 2
    start = np.exp(-1j * frequency * (first - n * moments.mean)) * transform / (1 - np.exp(-1j * frequency))

    def at_most(mean: float) -> float:
        # The sum of a geometric series over the lattice, from the start of the window on.
        cells = math.floor(n * mean + _ROUNDING) - first + 1
        return (cells + 2 * float((start * (1 - np.exp(-1j * frequency * cells))).real.sum())) / period

    low, high = _ends(moments, at_most, confidence, kind, tick=1 / n)
    return round(low * n) / n, round(high * n) / n


def _ends(moments: _Moments, law: _Law, confidence: float, kind: Kind, *, tick: float = 0.0) -> tuple[float, float]:
    """Return where the law reaches the two levels, by bisection; ``tick`` is the distance between possible means."""
    tail = (1 - confidence) / 2
    levels = (tail, 1 - tail)
    if kind == "bca":
        skew = moments.third / (6 * moments.second**1.5 * math.sqrt(moments.n))
        share = (law(moments.mean) + law(moments.mean - tick)) / 2
        bias = float(special.ndtri(min(max(share, 1e-15), 1 - 1e-15)))
        quantiles = (float(special.ndtri(level)) for level in levels)
        levels = tuple(float(special.ndtr(bias + (bias + q) / (1 - skew * (bias + q)))) for q in quantiles)
    reach = _REACH_SDS * math.sqrt(moments.second / moments.n)
    ends: list[float] = []
    for level in levels:
        low, high = moments.mean - reach, moments.mean + reach
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if law(middle) < level else (low, middle)
        ends.append(high)
    return ends[0], ends[1]


def _drawn_law(scores: Array, seed: int) -> _Law:
    def work(block: Block) -> Array:
        picks = block.stream().integers(0, scores.size, size=(block.size, scores.size))
        return scores[picks].mean(axis=1)

    size = max(1, _BLOCK_SCORES // scores.size)
    drawn = np.sort(np.concatenate(in_blocks(work, blocks(_DRAWS, seed=seed, size=size))))

    def at_most(mean: float) -> float:
        return float(np.searchsorted(drawn, mean, "left") + np.searchsorted(drawn, mean, "right")) / 2 / drawn.size

    return at_most
