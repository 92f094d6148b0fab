"""Pass/fail on the same cases, two arms: intervals for the change of the pass rate, and McNemar's tests.

Everywhere ``wins`` counts the cases that only the candidate passes, ``losses`` those that only the baseline passes, and
the difference is candidate − baseline = (wins − losses) / n. Functions named ``*_limits`` take arrays, so that planning
and coverage studies enumerate every table with the code that grades.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_flips
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import normal_p_value, normal_quantile
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Limits: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]

# Newton doubles its digits a step, and the bracket halves where Newton strays: 100 steps are never used up.
_MOST_STEPS = 100
_CLOSE = 8 * np.finfo(np.float64).eps
_LEAST_P = float(np.finfo(np.float64).tiny)


def tango_interval(wins: float, losses: float, n: float, *, confidence: float = 0.95) -> Interval:
    """Answer "by how much did the pass rate change on these shared cases?" with Tango's score interval.

    The values of the change that a score test at 1 − confidence does not reject. It has width when no case changed
    (±z²/(n + z²)), stays inside [−1, 1], and excludes 0 exactly when McNemar's chi² test without continuity correction
    rejects.

    Parameters
    ----------
    wins, losses
        Cases that only the candidate, and only the baseline, passes.
    n
        All shared cases.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If a count is negative or not whole, ``wins + losses`` exceeds ``n``, or the level is not a share.

    References
    ----------
    Tango 1998, Statistics in Medicine 17, 891-908, equations 4 to 7.

    Examples
    --------
    >>> print(tango_interval(22, 9, 240))
    0.00922 to 0.1027 (0.95 tango)
    """
    low, high = tango_limits(*checked_flips(wins, losses, n), confidence=confidence)
    return Interval(low=float(low), high=float(high), confidence=confidence, method="tango")


def tango_limits(wins: ArrayLike, losses: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of Tango's interval for arrays of counts that broadcast; counts are not checked.

    Parameters
    ----------
    wins, losses, n
        Counts of cases, as in `tango_interval`; numbers or arrays.
    confidence
        Two-sided level, a share.

    References
    ----------
    Tango 1998, Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> low, high = tango_limits([0, 1, 2], [0, 0, 0], 50)
    >>> low.round(4).tolist(), high.round(4).tolist()
    ([-0.0713, -0.0528, -0.0342], [0.0713, 0.105, 0.1346])
    """
    gained, lost, cases = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(wins, losses, n))
    z = normal_quantile(confidence)
    low = _tango_low(gained, lost, cases, z)
    # Exchanging the arms mirrors the interval; -0.0 is folded into 0.0.
    return low, 0.0 - _tango_low(lost, gained, cases, z)


def _tango_low(
    wins: NDArray[np.float64], losses: NDArray[np.float64], n: NDArray[np.float64], z: float
) -> NDArray[np.float64]:
    """Solve score(δ) = z for δ <= (wins − losses)/n.

    With s the share of changed cases, (d − δ)² n = z² (s − δ²) is a quadratic in δ for fixed s, and s is Tango's
    constrained estimate for fixed δ. Newton on the composition avoids the root at δ = d that the plain score equation
    has when all changes go one way or none is there.
    """
    d = (wins - losses) / n
    bottom, top = np.full_like(d, -1.0), d.copy()
    # For no change at all this start is the answer, and the only other root, 0, is never approached.
    delta = _quadratic_root(d, np.minimum(1.0, (wins + losses) / n + z * z / (n + z * z)), n, z)[0]
    for _ in range(_MOST_STEPS):
        share, share_slope = _changed_share(wins, losses, n, delta)
        root, root_slope = _quadratic_root(d, share, n, z)
        gap = delta - root
        bottom = np.where(gap < 0, delta, bottom)
        top = np.where(gap < 0, top, delta)
        proposal = delta - gap / (1.0 - root_slope * share_slope)
        inside = (proposal >= bottom) & (proposal <= top)
        step = np.where(inside, proposal, (bottom + top) / 2) - delta
        delta = delta + step
        if np.all(np.abs(step) <= _CLOSE):
            break
    return delta


def _quadratic_root(
    d: NDArray[np.float64], share: NDArray[np.float64], n: NDArray[np.float64], z: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower root δ of n(d − δ)² = z²(share − δ²), and its slope in ``share``."""
    radicand = np.sqrt(np.maximum((n + z * z) * share - n * d * d, np.finfo(np.float64).tiny))
    return (n * d - z * radicand) / (n + z * z), -z / (2 * radicand)


def _changed_share(
    wins: NDArray[np.float64], losses: NDArray[np.float64], n: NDArray[np.float64], delta: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the most likely share s of changed cases when the difference is ``delta``, and its slope in ``delta``.

    Tango's quadratic written for s, with m unchanged cases: n s² − (k + eδ)s + eδ − mδ² = 0, k = wins + losses,
    e = wins − losses. Near s = 1 the same root is taken from the quadratic in 1 − s, which keeps the digits there.
    """
    unchanged, net = n - wins - losses, wins - losses
    half = wins + losses + net * delta
    rest = 2 * n - half
    discriminant = np.where(
        half <= n,
        half * half - 4 * n * delta * (net - unchanged * delta),
        rest * rest - 4 * n * unchanged * (1 - delta * delta),
    )
    root = np.sqrt(np.maximum(discriminant, np.finfo(np.float64).tiny))
    share = np.where(half <= n, (half + root) / (2 * n), 1 - 2 * unchanged * (1 - delta * delta) / (rest + root))
    share = np.clip(share, np.abs(delta), 1.0)
    return share, (2 * unchanged * delta - net * (1 - share)) / root


def tango_statistic(wins: ArrayLike, losses: ArrayLike, n: ArrayLike, *, difference: float) -> NDArray[np.float64]:
    """Return Tango's score statistic for "the true change is ``difference``", without solving for an interval.

    The interval at level c holds ``difference`` exactly when the statistic is within ±`normal_quantile` (c); power and
    false-pass rates of a gate at a margin are sums over this.

    Parameters
    ----------
    wins, losses, n
        Counts of cases, as in `tango_interval`; numbers or arrays. They are not checked.
    difference
        Hypothetical change, a share strictly between −1 and 1.

    Raises
    ------
    ArgumentError
        If ``difference`` is not strictly between −1 and 1.

    References
    ----------
    Tango 1998, Statistics in Medicine 17, 891-908, equation 4.

    Examples
    --------
    >>> round(float(tango_statistic(22, 9, 240, difference=0.0)) ** 2, 6) == round((22 - 9) ** 2 / 31, 6)
    True
    """
    if not -1 < difference < 1:
        raise ArgumentError("difference", difference, "a change of the rate strictly between -1 and 1")
    gained, lost, cases = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(wins, losses, n))
    share, _ = _changed_share(gained, lost, cases, np.full_like(cases, difference))
    variance = share - difference * difference
    distance = (gained - lost) / cases - difference
    # No changed case and difference 0: the data sit exactly on the hypothesis, with no spread to measure by.
    return np.divide(
        distance * np.sqrt(cases), np.sqrt(np.maximum(variance, 0)), out=np.zeros_like(distance), where=variance > 0
    )


def bonett_price_limits(wins: ArrayLike, losses: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of Bonett and Price's adjusted Wald interval for arrays of counts; counts are not checked.

    One case is added to the wins and one to the losses.

    Parameters
    ----------
    wins, losses, n
        Counts of cases, as in `tango_interval`; numbers or arrays.
    confidence
        Two-sided level, a share.

    References
    ----------
    Bonett and Price 2012, Journal of Educational and Behavioral Statistics 37, 479-488.

    Examples
    --------
    >>> low, high = bonett_price_limits(0, 0, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.0533, 0.0533)
    """
    return _adjusted_wald_limits(wins, losses, n, confidence=confidence, added=1.0, total=2.0)


def agresti_min_limits(wins: ArrayLike, losses: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of Agresti and Min's adjusted Wald interval for arrays of counts; counts are not checked.

    Half a case is added to each of the four cells of the table.

    Parameters
    ----------
    wins, losses, n
        Counts of cases, as in `tango_interval`; numbers or arrays.
    confidence
        Two-sided level, a share.

    References
    ----------
    Agresti and Min 2005, Statistics in Medicine 24, 729-740.

    Examples
    --------
    >>> low, high = agresti_min_limits(0, 0, 50)
    >>> round(float(low), 4), round(float(high), 4)
    (-0.0377, 0.0377)
    """
    return _adjusted_wald_limits(wins, losses, n, confidence=confidence, added=0.5, total=2.0)


def paired_wald_limits(wins: ArrayLike, losses: ArrayLike, n: ArrayLike, *, confidence: float = 0.95) -> Limits:
    """Return the ends of the plain Wald interval for arrays of counts: a comparison, never a default.

    It has no width when no case changed or all changed one way, and is then cut at nothing but [−1, 1].

    Parameters
    ----------
    wins, losses, n
        Counts of cases, as in `tango_interval`; numbers or arrays. They are not checked.
    confidence
        Two-sided level, a share.

    References
    ----------
    Newcombe 1998, Statistics in Medicine 17, 2635-2650, method 1.

    Examples
    --------
    >>> low, high = paired_wald_limits(22, 9, 240)
    >>> round(float(low), 4), round(float(high), 4)
    (0.0092, 0.0991)
    """
    return _adjusted_wald_limits(wins, losses, n, confidence=confidence, added=0.0, total=0.0)


def _adjusted_wald_limits(
    wins: ArrayLike, losses: ArrayLike, n: ArrayLike, *, confidence: float, added: float, total: float
) -> Limits:
    """Wald limits after ``added`` cases on the wins and on the losses and ``total`` on n."""
    gained, lost, cases = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(wins, losses, n))
    cases = cases + total
    up, down = (gained + added) / cases, (lost + added) / cases
    d = up - down
    reach = normal_quantile(confidence) * np.sqrt(np.maximum(up + down - d * d, 0) / cases)
    return np.clip(d - reach, -1, 1), np.clip(d + reach, -1, 1)


def newcombe_paired_interval(
    wins: float, losses: float, n: float, *, both_passed: float, confidence: float = 0.95, corrected: bool = True
) -> Interval:
    """Combine the Wilson limits of the two arms into an interval for the change, allowing for their correlation.

    Parameters
    ----------
    wins, losses, n
        Counts of cases, as in `tango_interval`.
    both_passed
        Cases that both arms pass.
    confidence
        Two-sided level, a share.
    corrected
        Whether a positive correlation is shrunk by Newcombe's continuity correction (his method 10) or not (method 8).

    Raises
    ------
    ArgumentError
        If the counts do not fit into ``n`` or the level is not a share.

    References
    ----------
    Newcombe 1998, Statistics in Medicine 17, 2635-2650, methods 8 and 10.

    Examples
    --------
    >>> print(newcombe_paired_interval(22, 9, 240, both_passed=150))
    0.008424 to 0.09986 (0.95 newcombe paired)
    """
    gained, lost, cases = checked_flips(wins, losses, n)
    both_failed = cases - gained - lost - both_passed
    if not (both_passed >= 0 and both_failed >= 0):
        raise ArgumentError("both_passed", both_passed, f"a count from 0 to n - wins - losses = {n - wins - losses:g}")
    base, candidate = both_passed + lost, both_passed + gained
    crit = normal_quantile(confidence)
    covariance = both_passed * both_failed - gained * lost
    if corrected and covariance > 0:
        covariance = max(covariance - cases / 2, 0.0)
    spread = math.sqrt(base * (cases - base)) * math.sqrt(candidate * (cases - candidate))
    low, high = mover_difference_limits(
        (base / cases, *wilson_limits(base / cases, cases, crit)),
        (candidate / cases, *wilson_limits(candidate / cases, cases, crit)),
        correlation=covariance / spread if spread > 0 else 0.0,
    )
    return Interval(low=float(low), high=float(high), confidence=confidence, method="newcombe paired")


def mcnemar_chi2_p(wins: ArrayLike, losses: ArrayLike) -> NDArray[np.float64]:
    """Return McNemar's p-value from chi² without continuity correction: the one that agrees with Tango's interval.

    Parameters
    ----------
    wins, losses
        Counts of changed cases, numbers or arrays. No changed case gives 1: nothing speaks against "no change".

    References
    ----------
    McNemar 1947, Psychometrika 12, 153-157.

    Examples
    --------
    >>> round(float(mcnemar_chi2_p(22, 9)), 4)
    0.0196
    """
    gained, lost = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(wins, losses))
    return np.asarray(normal_p_value((gained - lost) / np.sqrt(np.maximum(gained + lost, 1.0))))


def mcnemar_exact_p(wins: ArrayLike, losses: ArrayLike) -> NDArray[np.float64]:
    """Return McNemar's exact p-value: twice the smaller binomial tail over the changed cases, at most 1.

    Parameters
    ----------
    wins, losses
        Counts of changed cases, numbers or arrays. No changed case gives 1: nothing speaks against "no change".

    References
    ----------
    Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> round(float(mcnemar_exact_p(22, 9)), 4)
    0.0294
    """
    return np.clip(2 * _tail(wins, losses)[0], _LEAST_P, 1.0)


def mcnemar_mid_p(wins: ArrayLike, losses: ArrayLike) -> NDArray[np.float64]:
    """Return McNemar's mid-p: the exact p-value with half the weight on the observed table on each side.

    Parameters
    ----------
    wins, losses
        Counts of changed cases, numbers or arrays. No changed case gives 1: nothing speaks against "no change".

    References
    ----------
    Fagerland, Lydersen and Laake 2013, BMC Medical Research Methodology 13:91.

    Examples
    --------
    >>> round(float(mcnemar_mid_p(22, 9)), 4)
    0.0201
    """
    tail, point = _tail(wins, losses)
    return np.clip(2 * tail - point, _LEAST_P, 1.0)


def _tail(wins: ArrayLike, losses: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return P(X <= k) and P(X = k) for X ~ Binomial(wins + losses, 1/2), k the smaller of the two."""
    gained, lost = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(wins, losses))
    fewer, more = np.minimum(gained, lost), np.maximum(gained, lost)
    log_point = special.gammaln(fewer + more + 1) - special.gammaln(fewer + 1) - special.gammaln(more + 1)
    point = np.exp(log_point - (fewer + more) * math.log(2))
    # The incomplete beta function wants a positive first argument; with no changed case the tail is all there is.
    tail = np.where(more > 0, special.betainc(np.maximum(more, 1.0), fewer + 1, 0.5), 1.0)
    return tail, point
