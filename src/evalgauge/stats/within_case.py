"""Exactly these cases, for many pass/fail logs at once: intervals from the noise between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.stats.quantiles import t_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


def within_case_limits(case_means: ArrayLike, reps: int, *, confidence: float = 0.95) -> tuple[Array, Array]:
    """Return the ends of the within-case interval along the last axis, for pass/fail scores with equal reps.

    The form of :func:`~evalgauge.stats.means.fixed_cases_interval` for coverage studies; where that refuses, because no
    run differs from its case's others, both ends are NaN.

    Parameters
    ----------
    case_means
        Shares of passed runs; the last axis holds the cases.
    reps
        Runs of each case.
    confidence
        Two-sided level, a share.

    References
    ----------
    Satterthwaite 1946, Biometrics Bulletin 2, 110-114, equation 17.

    Examples
    --------
    >>> low, high = within_case_limits([[2 / 3, 1.0, 1 / 3], [1.0, 1.0, 0.0]], 3)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([0.2304, nan], [1.0, nan])
    """
    y = np.asarray(case_means, dtype=np.float64)
    passes = np.rint(y * reps).astype(np.int64)
    # Runs that may all be copies of others are no evidence of run noise; the product takes the same factor out.
    shared = np.gcd(np.gcd.reduce(passes, axis=-1), reps)
    seen = ((passes > 0) & (passes < reps)).any(axis=-1)
    runs = np.where(seen, reps // shared, 2)[..., np.newaxis].astype(np.float64)
    parts = y * (1 - y) / (runs - 1) / y.shape[-1] ** 2
    total = np.where(seen, parts.sum(axis=-1), np.nan)
    # Where nothing was seen to vary the ratio of two zeros is not asked for.
    squares = np.where(seen, (np.square(parts) / (runs - 1)).sum(axis=-1), 1.0)
    df = np.square(total) / squares
    half = t_quantile(confidence, df) * np.sqrt(total)
    mean = y.mean(axis=-1)
    return np.maximum(mean - half, 0.0), np.minimum(mean + half, 1.0)
