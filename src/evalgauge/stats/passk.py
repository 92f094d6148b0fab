"""pass@k and pass^k: the chance that at least one of k tries passes, and that all k pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_confidence, checked_whole
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.proportion import wilson_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evalgauge.stats.results import Interval

    Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class PassK:
    """pass@k and pass^k averaged over cases, with intervals over new cases like these.

    Attributes
    ----------
    k
        Tries.
    pass_at_k, pass_hat_k
        Means over cases of the chance that at least one of k tries passes, and that all do.
    pass_at_k_interval, pass_hat_k_interval
        Intervals over cases: Wilson at the number of cases, and for one try that of the mean score.
    n_cases
        Cases in the means.
    n_left_out
        Cases with fewer than k reps, which are not in the means.
    """

    k: int
    pass_at_k: float
    pass_at_k_interval: Interval
    pass_hat_k: float
    pass_hat_k_interval: Interval
    n_cases: int
    n_left_out: int


def pass_at_k(passes: ArrayLike, reps: ArrayLike, *, k: int) -> Array:
    """Return, for each case, the chance that at least one of k tries passes, without bias.

    The plug-in ``1 - (1 - passes/reps)^k`` is too low.

    Parameters
    ----------
    passes
        Passed runs of each case.
    reps
        Runs of each case, at least ``k``.
    k
        Tries.

    Returns
    -------
    ndarray
        ``1 - C(n - c, k)/C(n, k)`` per case, a share.

    Raises
    ------
    ArgumentError
        If a case has fewer than ``k`` reps, or counts are not whole or impossible.

    References
    ----------
    Chen et al. 2021, Evaluating Large Language Models Trained on Code, arXiv:2107.03374, equation 1.

    Examples
    --------
    >>> pass_at_k([2], [10], k=5).round(4).tolist()
    [0.7778]
    """
    c, n = _checked_counts(passes, reps, k)
    return 1 - _chance_that_all(n - c, n, k)


def pass_hat_k(passes: ArrayLike, reps: ArrayLike, *, k: int) -> Array:
    """Return, for each case, the chance that all of k tries pass (pass^k), without bias.

    Parameters
    ----------
    passes
        Passed runs of each case.
    reps
        Runs of each case, at least ``k``.
    k
        Tries.

    Returns
    -------
    ndarray
        ``C(c, k)/C(n, k)`` per case, a share.

    Raises
    ------
    ArgumentError
        If a case has fewer than ``k`` reps, or counts are not whole or impossible.

    References
    ----------
    Yao et al. 2024, tau-bench, arXiv:2406.12045, section 3.

    Examples
    --------
    >>> pass_hat_k([8], [10], k=2).round(4).tolist()
    [0.6222]
    """
    c, n = _checked_counts(passes, reps, k)
    return _chance_that_all(c, n, k)


def mean_pass_k(
    passes: ArrayLike,
    reps: ArrayLike,
    *,
    k: int,
    confidence: float = 0.95,
    short: Literal["refuse", "leave out"] = "refuse",
) -> PassK:
    """Return pass@k and pass^k averaged over cases, with intervals over new cases like these.

    Parameters
    ----------
    passes
        Passed runs of each case.
    reps
        Runs of each case.
    k
        Tries.
    confidence
        Two-sided level, a share.
    short
        What to do with cases that have fewer than ``k`` reps: refuse, or leave them out and count them.

    Returns
    -------
    PassK
        From two tries on, no case counts for more than one pass or fail, whatever its value. Values of many tries crowd
        at 1 (or 0) while a few cases far from it carry the mean; an effective number of cases from their spread would
        cover as little as 70 %.

    Raises
    ------
    ArgumentError
        If ``short`` is ``"refuse"`` and a case has fewer than ``k`` reps, or counts are not whole or impossible.
    ScoreError
        If no case has ``k`` reps.

    References
    ----------
    As :func:`pass_at_k` and :func:`pass_hat_k`; Wilson 1927 for the intervals.

    Examples
    --------
    >>> result = mean_pass_k([2, 10, 0, 7], [10, 10, 10, 10], k=5)
    >>> round(result.pass_at_k, 4), round(result.pass_hat_k, 4)
    (0.6944, 0.2708)
    """
    checked_confidence(confidence)
    c, n = _checked_counts(passes, reps, 1)
    if short not in ("refuse", "leave out"):
        raise ArgumentError("short", short, "'refuse' or 'leave out'")
    is_kept = n >= k if short == "leave out" else np.ones_like(n, dtype=np.bool_)
    if not is_kept.any():
        raise ScoreError(
            f"pass@{k}: no case has {k} reps (the most is {n.max()}). Ask for a smaller k or run more reps."
        )
    at, hat = pass_at_k(c[is_kept], n[is_kept], k=k), pass_hat_k(c[is_kept], n[is_kept], k=k)
    return PassK(
        k=k,
        pass_at_k=float(at.mean()),
        pass_at_k_interval=_interval(at, k, confidence),
        pass_hat_k=float(hat.mean()),
        pass_hat_k_interval=_interval(hat, k, confidence),
        n_cases=int(is_kept.sum()),
        n_left_out=int((~is_kept).sum()),
    )


def _interval(values: Array, k: int, confidence: float) -> Interval:
    if k == 1 and ((values > 0) & (values < 1)).any():
        return effective_n_wilson(values, confidence=confidence).interval
    return wilson_interval(min(float(values.sum()), values.size), values.size, confidence=confidence)


def _checked_counts(passes: ArrayLike, reps: ArrayLike, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if k < 1:
        raise ArgumentError("k", k, "a whole number of tries, at least 1")
    size = np.asarray(reps).size
    n = checked_whole(reps, "reps", least=1, size=size)
    c = checked_whole(passes, "passes", least=0, size=size)
    if (c > n).any():
        raise ArgumentError("passes", f"{c[c > n][0]} passes of {n[c > n][0]} reps", "at most one pass a rep")
    if n.min(initial=k) < k:
        raise ArgumentError(
            "k",
            k,
            f"at most the reps of every case (the least is {n.min()}; {(n < k).sum()} cases have fewer than {k})",
            "Ask for a smaller k, run more reps, or leave those cases out (short='leave out').",
        )
    return c, n


def _chance_that_all(good: NDArray[np.int64], n: NDArray[np.int64], k: int) -> Array:
    """Chance that k runs drawn without replacement are all good: a product that cannot overflow as C(n, k) does."""
    chance = np.ones(n.shape)
    for drawn in range(k):
        chance *= np.maximum(good - drawn, 0) / (n - drawn)
    return chance
