"""Exact power at a margin: how often Tango's interval over n shared cases lies wholly above it, or wholly below."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.binomial import likely_counts
from evalgauge.stats.paired_proportions import tango_statistic
from evalgauge.stats.power import largest_count
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.sample_size import power_quantile, quantile_power

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array: TypeAlias = NDArray[np.float64]


def no_worse_power(
    n: ArrayLike, discordance: float, margin: float, *, difference: float = 0.0, confidence: float = 0.95
) -> Array:
    """Answer "how often will n shared cases show that the candidate is no worse than −margin?", exactly.

    Parameters
    ----------
    n
        Numbers of shared cases, whole and above 0; one number or one dimension.
    discordance
        Share of cases that exactly one arm passes.
    margin
        The drop to rule out, a share between 0 and 1.
    difference
        True change of the pass rate, a share of at most ``discordance`` in size; 0 for arms that are equally good.
    confidence
        Two-sided level of Tango's interval, whose lower end must lie above −margin.

    Returns
    -------
    ndarray
        Probabilities; the shape of ``n``.

    Raises
    ------
    ArgumentError
        If a share is out of range.

    References
    ----------
    Tango 1998, Statistics in Medicine 17, 891-908 (the rule); summed over the trinomial law of wins and losses.

    Examples
    --------
    >>> no_worse_power([189, 1000, 3600], 0.18, 0.02).round(3).tolist()
    [0.093, 0.316, 0.806]
    """
    if not 0 <= discordance <= 1:
        raise ArgumentError("discordance", discordance, "a share from 0 to 1")
    if not 0 < margin < 1:
        raise ArgumentError("margin", margin, "a share between 0 and 1, such as 0.02")
    if abs(difference) > discordance * (1 + 1e-12):
        raise ArgumentError("difference", difference, f"a share of at most the discordance, {discordance:g}, in size")
    return _power_above(n, discordance, -margin, difference=difference, confidence=confidence)


class MarginChances(NamedTuple):
    """Chances of an interval: that it lies wholly below a difference, and wholly above it."""

    below: float
    above: float


def margin_chances(n: int, win: float, loss: float, *, difference: float, confidence: float = 0.95) -> MarginChances:
    """Answer "how often will n shared cases show a change below, or above, this difference?", exactly.

    Parameters
    ----------
    n
        Shared cases, at least 1.
    win, loss
        Shares of cases that only the candidate, and only the baseline, passes.
    difference
        The margin: −0.02 for "no worse than two points".
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If the shares are negative or add up to more than 1, or the difference is not strictly between −1 and 1.

    References
    ----------
    As `no_worse_power`.

    Examples
    --------
    >>> found = margin_chances(312, 0.025, 0.075, difference=0.0)
    >>> round(found.below, 4)
    0.8262
    """
    if min(win, loss) < 0 or win + loss > 1 + 1e-12:
        raise ArgumentError("win, loss", (win, loss), "shares of cases that add up to at most 1")
    if not -1 < difference < 1:
        raise ArgumentError("difference", difference, "a share strictly between -1 and 1")
    changed, gain = min(win + loss, 1.0), win - loss
    # What lies below for one arm lies above for the other.
    below = _power_above(n, changed, -difference, difference=-gain, confidence=confidence)
    above = _power_above(n, changed, difference, difference=gain, confidence=confidence)
    return MarginChances(below=float(below), above=float(above))


def _power_above(n: ArrayLike, discordance: float, least: float, *, difference: float, confidence: float) -> Array:
    """Return how often the interval lies above ``least``: for a number of changed cases, up to so many losses."""
    z = normal_quantile(confidence)
    cases = np.asarray(n, dtype=np.int64)
    windows = [likely_counts(int(one), discordance) for one in cases.flat]
    changed = np.concatenate([start + np.arange(chances.size, dtype=np.float64) for start, chances in windows])
    total = np.repeat(cases.ravel(), [chances.size for _, chances in windows]).astype(np.float64)

    def rules_out(losses: Array, given: Array) -> NDArray[np.bool_]:
        return tango_statistic(given - losses, losses, total, difference=least) > z

    guess = np.floor((changed - total * least - z * np.sqrt(changed)) / 2)
    edge = largest_count(rules_out, guess, changed, changed)
    loss_share = min(max((discordance - difference) / (2 * discordance), 0.0), 1.0) if discordance else 0.5
    few = special.bdtr(np.maximum(edge, 0), changed.astype(np.int64), loss_share)
    weighted = np.where(edge < 0, 0.0, few) * np.concatenate([chances for _, chances in windows])
    starts = np.cumsum([0, *(chances.size for _, chances in windows)][:-1])
    return np.reshape(np.clip(np.add.reduceat(weighted, starts), 0.0, 1.0), cases.shape)


def no_worse_normal_power(n: ArrayLike, discordance: float, margin: float, *, confidence: float = 0.95) -> Array:
    """Return the power by the normal formula that `no_worse_n` solves, for counts beyond any exact sum.

    Parameters
    ----------
    n, discordance, margin, confidence
        As in `no_worse_power`; the arms are equally good.

    References
    ----------
    As `no_worse_n`.

    Examples
    --------
    >>> round(float(no_worse_normal_power(3527, 0.18, 0.02)), 2)
    0.8
    """
    at_margin = normal_quantile(confidence) * math.sqrt(max(discordance, margin) - margin * margin)
    distance = margin * np.sqrt(np.asarray(n, dtype=np.float64)) - at_margin
    if discordance == 0:
        return np.asarray(distance > 0, dtype=np.float64)
    return quantile_power(distance / math.sqrt(discordance))


def no_worse_n(discordance: float, margin: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the shared cases that rule out a drop when both arms are equally good, by the normal formula.

    Parameters
    ----------
    discordance
        Share of cases that exactly one arm passes.
    margin
        The drop to rule out, a share between 0 and 1.
    power
        Probability to rule it out.
    confidence
        Two-sided level, a share.

    References
    ----------
    Nam 1997, Biometrics 53, 1422-1430 (sizes for the equivalence of paired rates).

    Examples
    --------
    >>> round(no_worse_n(0.18, 0.02))
    3527
    """
    at_margin = max(discordance, margin) - margin * margin
    spread = normal_quantile(confidence) * math.sqrt(at_margin) + power_quantile(power) * math.sqrt(discordance)
    return (spread / margin) ** 2
