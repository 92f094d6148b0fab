"""Counts of cases from the formulas of the handbooks.

Each returns the count before it is rounded up, so that it can be checked against its paper. A formula is a starting
point: exact power saw-tooths from count to count, and the safe count is where it stays above the target.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.quantiles import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def power_quantile(power: float) -> float:
    """Return the normal quantile of a power.

    Parameters
    ----------
    power
        Probability to find what is there, a share between 0 and 1.

    Raises
    ------
    ArgumentError
        If ``power`` is not strictly between 0 and 1.

    Examples
    --------
    >>> round(power_quantile(0.8), 6)
    0.841621
    """
    if not 0 < power < 1:
        hint = f"Did you mean {power / 100:g}?" if 1 < power < 100 else ""
        raise ArgumentError("power", power, "a share between 0 and 1, such as 0.8", hint)
    return float(special.ndtri(power))


def quantile_power(z: float | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the power at a normal quantile: the inverse of `power_quantile`.

    Parameters
    ----------
    z
        Distance of the truth from the edge of what is shown, in standard errors.

    Examples
    --------
    >>> round(float(quantile_power(0.841621)), 6)
    0.8
    """
    return np.asarray(special.ndtr(z))


def shortcut_n(rate: float, margin: float, *, confidence: float = 0.95) -> float:
    """Return z²p(1 − p)/margin², the count of most calculators: for comparison, it falls short of the margin.

    Parameters
    ----------
    rate
        Expected pass rate, a share.
    margin
        Half-width asked for, a share above 0.
    confidence
        Two-sided level, a share.

    References
    ----------
    Cochran 1977, Sampling Techniques, section 4.4.

    Examples
    --------
    >>> round(shortcut_n(0.8, 0.05), 2)
    245.85
    """
    return (normal_quantile(confidence) / margin) ** 2 * rate * (1 - rate)


def held_reference_n(reference: float, rate: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the cases that show a rate to differ from a reference that is held fixed, by the normal formula.

    Parameters
    ----------
    reference, rate
        The rate to compare with and the true one, shares that differ.
    power
        Probability to show it, a share above one half.
    confidence
        Two-sided level, a share.

    References
    ----------
    Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, equation 2.15.

    Examples
    --------
    >>> round(held_reference_n(0.9, 0.8), 4)
    85.4955
    """
    spread = normal_quantile(confidence) * _sd(reference) + power_quantile(power) * _sd(rate)
    return (spread / (reference - rate)) ** 2


def two_arm_n(rate1: float, rate2: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the cases per arm that show two arms on different cases to differ; the null variance is pooled.

    Parameters
    ----------
    rate1, rate2
        True rates, shares that differ.
    power
        Probability to show it, a share above one half.
    confidence
        Two-sided level, a share.

    References
    ----------
    Fleiss, Levin and Paik 2003, Statistical Methods for Rates and Proportions, equation 4.14.

    Examples
    --------
    >>> round(two_arm_n(0.9, 0.85), 4)
    685.5969
    """
    pooled = math.sqrt(2.0) * _sd((rate1 + rate2) / 2)
    spread = normal_quantile(confidence) * pooled + power_quantile(power) * math.hypot(_sd(rate1), _sd(rate2))
    return (spread / (rate1 - rate2)) ** 2


def two_arm_arcsine_n(rate1: float, rate2: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the cases per arm by Cohen's arcsine effect size: for comparison.

    As in his tables, rejecting in the wrong direction counts as power too.

    Parameters
    ----------
    rate1, rate2
        True rates, shares that differ.
    power
        Probability to show it.
    confidence
        Two-sided level, a share.

    References
    ----------
    Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, section 6.2.

    Examples
    --------
    >>> round(two_arm_arcsine_n(0.9, 0.85), 4)
    680.3527
    """
    effect = 2 * (math.asin(math.sqrt(rate1)) - math.asin(math.sqrt(rate2)))
    z = normal_quantile(confidence)
    low, high = 0.0, z + power_quantile(power) + 1
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        is_short = float(special.ndtr(middle - z) + special.ndtr(-middle - z)) < power
        low, high = (middle, high) if is_short else (low, middle)
    return 2 * (high / effect) ** 2


def paired_n(discordance: float, drop: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the shared cases that show a drop between two arms, from the share of cases that change.

    Parameters
    ----------
    discordance
        Share of cases that exactly one arm passes, at least ``drop``.
    drop
        True difference of the pass rates, a share above 0.
    power
        Probability to show it.
    confidence
        Two-sided level, a share.

    References
    ----------
    Connor 1987, Biometrics 43, 207-211.

    Examples
    --------
    >>> round(paired_n(0.10, 0.05), 4)
    311.5869
    """
    null = normal_quantile(confidence) * math.sqrt(discordance)
    true = power_quantile(power) * math.sqrt(max(discordance - drop * drop, 0.0))
    return ((null + true) / drop) ** 2


def paired_miettinen_n(discordance: float, drop: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the shared cases by Miettinen's formula, which averages over the number of changed cases: for comparison.

    Parameters
    ----------
    discordance, drop, power, confidence
        As in `paired_n`.

    References
    ----------
    Miettinen 1968, Biometrics 24, 339-352.

    Examples
    --------
    >>> round(paired_miettinen_n(0.20, 0.10), 4)
    147.1784
    """
    spread = (discordance**2 - drop**2 * (3 + discordance) / 4) / discordance
    null = normal_quantile(confidence) * math.sqrt(discordance)
    return ((null + power_quantile(power) * math.sqrt(max(spread, 0.0))) / drop) ** 2


def paired_mean_n(change_var: float, drop: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the shared cases that show a mean change, from the variance of the per-case change.

    Parameters
    ----------
    change_var
        Variance of the per-case change as it is seen: ω² + (σ²_A + σ²_B)/R with R reps a case and arm.
    drop
        True mean change, above 0, in the unit of the score.
    power
        Probability to show it.
    confidence
        Two-sided level, a share.

    References
    ----------
    Miller 2024, arXiv:2411.00640, equation 9.

    Examples
    --------
    >>> round(paired_mean_n(1 / 9, 0.03), 4)
    968.9975
    """
    return (normal_quantile(confidence) + power_quantile(power)) ** 2 * change_var / drop**2


def paired_mean_drop(n: float, change_var: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the smallest mean change that n shared cases show: `paired_mean_n` solved for the drop.

    Parameters
    ----------
    n
        Shared cases.
    change_var, power, confidence
        As in `paired_mean_n`.

    References
    ----------
    Miller 2024, arXiv:2411.00640, equation 10.

    Examples
    --------
    >>> round(paired_mean_drop(198, 1 / 9 + 1 / 3), 4)
    0.1327
    """
    return (normal_quantile(confidence) + power_quantile(power)) * math.sqrt(change_var / n)


def paired_t_power(n: ArrayLike, effect: float, *, confidence: float = 0.95) -> NDArray[np.float64]:
    """Answer "how often will a t interval over n per-case changes exclude 0?", for normal changes.

    Parameters
    ----------
    n
        Numbers of cases, at least 2, not necessarily whole.
    effect
        True mean change in standard deviations of the per-case change.
    confidence
        Two-sided level, a share.

    Returns
    -------
    ndarray
        Probability that the interval excludes 0 on either side, as tables and other programs give it.

    References
    ----------
    Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, chapter 2 (non-central t).

    Examples
    --------
    >>> round(float(paired_t_power(25, 0.5)), 4)
    0.6697
    """
    cases = np.asarray(n, dtype=np.float64)
    critical = special.stdtrit(cases - 1, (1 + checked_confidence(confidence)) / 2)
    shift = abs(effect) * np.sqrt(cases)
    return 1 - special.nctdtr(cases - 1, shift, critical) + special.nctdtr(cases - 1, shift, -critical)


def paired_t_n(effect: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return the shared cases at which a t interval over per-case changes reaches a power, before rounding up.

    Parameters
    ----------
    effect
        True mean change in standard deviations of the per-case change, above 0.
    power
        Probability to show it.
    confidence
        Two-sided level, a share.

    References
    ----------
    Cohen 1988, Statistical Power Analysis for the Behavioral Sciences, chapter 2 (non-central t).

    Examples
    --------
    >>> round(paired_t_n(0.5, power=0.9), 3)
    43.995
    """
    low, high = 2.0, 4 + 2 * ((normal_quantile(confidence) + power_quantile(power)) / effect) ** 2
    if float(paired_t_power(low, effect, confidence=confidence)) >= power:
        return low
    # t wants a few cases more than the normal formula, which the upper end allows for many times over.
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        if float(paired_t_power(middle, effect, confidence=confidence)) < power:
            low = middle
        else:
            high = middle
    return high


def discordance_of(rate1: float, rate2: float, correlation: float) -> float:
    """Return the share of cases that exactly one arm passes, from the correlation of the two arms over cases.

    Parameters
    ----------
    rate1, rate2
        Pass rates, shares.
    correlation
        Correlation of the two pass/fail scores over cases, from −1 to 1; 0 as if the arms failed on unrelated cases.

    Raises
    ------
    ArgumentError
        If two arms with these rates cannot be correlated so much.

    References
    ----------
    Miller 2024, arXiv:2411.00640, section 4 (the covariance of two arms on the same cases).

    Examples
    --------
    >>> round(discordance_of(0.9, 0.8, 0.0), 4), round(discordance_of(0.9, 0.8, 0.5), 4)
    (0.26, 0.14)
    """
    lowest, highest = correlation_range(rate1, rate2)
    if not lowest - 1e-9 <= correlation <= highest + 1e-9:
        allowed = f"a correlation from {lowest:.3g} to {highest:.3g} for rates of {rate1:g} and {rate2:g}"
        raise ArgumentError("correlation", correlation, allowed)
    return rate1 + rate2 - 2 * rate1 * rate2 - 2 * correlation * _sd(rate1) * _sd(rate2)


def correlation_range(rate1: float, rate2: float) -> tuple[float, float]:
    """Return the lowest and highest correlation over cases of two pass/fail scores with these rates.

    Parameters
    ----------
    rate1, rate2
        Pass rates, shares. Where one of them is 0 or 1 the correlation has no meaning, and 0 is all there is.

    Examples
    --------
    >>> [round(end, 4) for end in correlation_range(0.9, 0.8)]
    [-0.1667, 0.6667]
    """
    spread, both = _sd(rate1) * _sd(rate2), rate1 * rate2
    if spread == 0:
        return 0.0, 0.0
    return (max(0.0, rate1 + rate2 - 1) - both) / spread, (min(rate1, rate2) - both) / spread


def design_effect(size: float, icc: float) -> float:
    """Return by how much cases that share a source inflate the variance: 1 + (m − 1)·ICC.

    Parameters
    ----------
    size
        Cases per cluster, 1 or more.
    icc
        Intraclass correlation: the share of the variance that lies between clusters.

    References
    ----------
    Kish 1965, Survey Sampling, section 5.4.

    Examples
    --------
    >>> round(design_effect(10, 0.2), 2)
    2.8
    """
    return 1 + (size - 1) * icc


def _sd(rate: float) -> float:
    return math.sqrt(rate * (1 - rate))
