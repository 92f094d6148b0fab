"""What may still be claimed for the best of k: its interval, corrected for the choice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.reusing.checks import checked_whole_looks
from evalgauge.reusing.results import CorrectedInterval
from evalgauge.stats.checks import checked_confidence, checked_counts
from evalgauge.stats.maxima import equicorrelated_critical, upper_tail
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.multiplicity import bonferroni_confidence
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

# Where the lower end is below this rate, or there are fewer passes or failures than this, Wilson at an extreme level is
# no bound. With both limits the exact chance to miss stays below 3.1 % (nominal 2.5) for 2 to 1,000 looks at 5 to 1,000
# cases and any rate: 3.09 % at worst (62 cases, 2 looks). Limits of one half on the observed rate and of 10 on the
# count let it reach 36 % (22 cases, 1,000 looks, rate .173), and 5.5 % with 2 looks.
_LEAST_LOW, _LEAST_COUNT = 0.6, 16.0


def is_wilson_unsafe(rate: float, n: float, low: float) -> bool:
    """Return whether Wilson's lower end at an extreme level is no bound for this score.

    Best of 50 at p ≤ .03 is missed from above in .2 to .7 of all runs. What counts is not the observed rate but the
    rates that the lower end cuts off, since those are where the best of many can come from.

    Parameters
    ----------
    rate
        Observed rate, a share.
    n
        (Effective) cases.
    low
        Wilson's lower end at the level in question, a share.

    Examples
    --------
    >>> is_wilson_unsafe(0.8, 1000, 0.76), is_wilson_unsafe(0.6, 30, 0.35), is_wilson_unsafe(0.8, 16, 0.56)
    (False, True, True)
    """
    return low < _LEAST_LOW or n * min(rate, 1 - rate) < _LEAST_COUNT


def selection_level(
    confidence: float, looks: int, *, correlation: float | None = None, cap: float | None = None
) -> tuple[float, bool]:
    """Return the level of each interval at which the one of the best holds, and whether the cap was binding.

    Parameters
    ----------
    confidence
        Two-sided level that the selected interval shall have, a share.
    looks
        Candidates k.
    correlation
        Of the scores of two candidates, where it is known: the level then follows the largest of k equally correlated
        errors. Without it Bonferroni, which holds under any dependence.
    cap
        Highest level to use; from there on the bound no longer holds over all k.

    Examples
    --------
    >>> level, capped = selection_level(0.95, 10)
    >>> round(level, 6), capped
    (0.995, False)
    """
    checked_confidence(confidence)
    k = checked_whole_looks(looks)
    if cap is not None and not confidence <= cap < 1:
        allowed = f"a share from the confidence of {100 * confidence:g} % to below 100 %, such as 99.99%"
        raise ArgumentError("cap", cap, allowed)
    level = bonferroni_confidence(confidence, k)
    if correlation is not None and k > 1:
        critical = equicorrelated_critical(k, correlation, (1 - confidence) / 2)
        level = min(level, max(confidence, 1 - 2 * upper_tail(critical)))
    return (cap, True) if cap is not None and level > cap else (level, False)


def corrected_interval(
    passed: float,
    n: float,
    looks: int,
    *,
    confidence: float = 0.95,
    correlation: float | None = None,
    cap: float | None = None,
) -> CorrectedInterval:
    """Answer "between which rates does the best of k lie?", for a pass count.

    Only the lower end needs the correction: if the truly best candidate lay above the common upper limit of the one
    that was chosen, it would lie above its own. That holds when the top scorer was chosen, all candidates had the same
    cases, and they were fixed in advance; else take ``symmetric_high``.

    Parameters
    ----------
    passed, n
        Passes of the chosen candidate, and cases.
    looks, confidence, correlation, cap
        As in `selection_level`.

    Returns
    -------
    CorrectedInterval
        One look gives the plain Wilson interval. Where that is no bound (a lower end below 60 %, or fewer than 16
        passes or failures), the lower end is Clopper-Pearson's.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    Dunn 1961 (Bonferroni); Wilson 1927; Clopper and Pearson 1934.

    Examples
    --------
    >>> found = corrected_interval(800, 1000, 10)
    >>> round(found.low, 6), round(found.high, 6), round(found.symmetric_high, 6)
    (0.76221, 0.823623, 0.8331)
    """
    checked_counts(passed, n)
    level, capped = selection_level(confidence, looks, correlation=correlation, cap=cap)
    plain = wilson_interval(passed, n, confidence=confidence)
    wide = wilson_interval(passed, n, confidence=level)
    low, method = wide.low, wide.method
    if looks > 1 and is_wilson_unsafe(passed / n, n, low):
        low, method = float(clopper_pearson_limits(passed, n, confidence=level)[0]), "clopper-pearson"
    return CorrectedInterval(
        low=low,
        high=plain.high,
        symmetric_high=wide.high,
        plain_low=plain.low,
        plain_high=plain.high,
        confidence=level,
        capped=capped,
        method=method,
        upper="plain",
    )


def corrected_mean_interval(
    case_means: ArrayLike,
    looks: int,
    *,
    confidence: float = 0.95,
    reps: ArrayLike | None = None,
    correlation: float | None = None,
    cap: float | None = None,
) -> CorrectedInterval:
    """Answer "between which means does the best of k lie?", for graded scores and repeated runs.

    The upper limit depends on the spread too, not on the mean alone: so both ends are corrected.

    Parameters
    ----------
    case_means
        One mean score per case of the chosen candidate, shares.
    looks, confidence, correlation, cap
        As in `selection_level`.
    reps
        Runs of each case, for pass/fail scores only.

    References
    ----------
    As `corrected_interval`; the effective-n Wilson interval of ``evalgauge.stats.means``.

    Examples
    --------
    >>> import numpy as np
    >>> found = corrected_mean_interval(np.arange(40) % 5 / 4, 10)
    >>> round(found.low, 3), round(found.high, 3), found.upper
    (0.34, 0.66, 'symmetric')
    """
    level, capped = selection_level(confidence, looks, correlation=correlation, cap=cap)
    plain = effective_n_wilson(case_means, confidence=confidence, reps=reps)
    wide = effective_n_wilson(case_means, confidence=level, reps=reps)
    low, method = wide.interval.low, wide.interval.method
    if looks > 1 and is_wilson_unsafe(wide.estimate, wide.n_eff, low):
        passes = wide.estimate * wide.n_eff
        exact = float(clopper_pearson_limits(passes, wide.n_eff, confidence=level)[0])
        low, method = min(low, exact), "clopper-pearson at the effective n"
    return CorrectedInterval(
        low=low,
        high=wide.interval.high,
        symmetric_high=wide.interval.high,
        plain_low=plain.interval.low,
        plain_high=plain.interval.high,
        confidence=level,
        capped=capped,
        method=method,
        upper="symmetric",
    )
