"""A pass rate that a judge gave, corrected by labels on some of its cases.

A judge that errs moves the rate that it reports, and no number of judged cases shows it. Labels show it: either through
the mean of label less verdict (prediction-powered inference), or through the judge's error rates among cases that truly
pass and among those that truly fail (Rogan and Gladen).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.checks import checked_confidence, checked_counts, checked_flips
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.paired_proportions import tango_limits
from evalgauge.stats.proportion import wilson_limits
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.results import Estimate, Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """How a judge did on the labelled cases.

    Attributes
    ----------
    caught, passes
        Cases that it passed among those that truly pass, and how many truly pass.
    cleared, fails
        Cases that it failed among those that truly fail, and how many truly fail.
    """

    caught: float
    passes: float
    cleared: float
    fails: float

    @property
    def n(self) -> float:
        """Labelled cases."""
        return self.passes + self.fails

    @property
    def sensitivity(self) -> float:
        """Share of true passes that the judge passes; ``nan`` without any."""
        return self.caught / self.passes if self.passes else math.nan

    @property
    def specificity(self) -> float:
        """Share of true failures that the judge fails; ``nan`` without any."""
        return self.cleared / self.fails if self.fails else math.nan


def rogan_gladen(judged: float, sensitivity: float, specificity: float) -> float:
    """Return the true rate behind a judged rate, for a judge with these error rates.

    Parameters
    ----------
    judged
        Share of cases that the judge passes.
    sensitivity, specificity
        Shares of true passes that it passes, and of true failures that it fails.

    Raises
    ------
    ScoreError
        If the judge is no better than chance, so that its verdicts say nothing.

    References
    ----------
    Rogan and Gladen 1978, American Journal of Epidemiology 107, 71-76, equation 3.

    Examples
    --------
    >>> round(rogan_gladen(0.75, 0.9, 0.8), 4)
    0.7857
    """
    youden = sensitivity + specificity - 1
    if not youden > 0:
        raise ScoreError(
            f"The judge passes {100 * sensitivity:.1f} % of what truly passes and {100 * (1 - specificity):.1f} % of "
            "what truly fails: its verdicts say nothing. Use the labels alone."
        )
    return (judged + specificity - 1) / youden


def rogan_gladen_known(
    passed: float, n: float, *, sensitivity: float, specificity: float, confidence: float = 0.95
) -> Estimate:
    """Return the true rate where the judge's error rates are taken as known: too sure where labels estimated them.

    Parameters
    ----------
    passed, n
        Cases that the judge passes, of how many.
    sensitivity, specificity
        The judge's rates, shares.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError, ScoreError
        If the counts are none, or the judge is no better than chance.

    References
    ----------
    Rogan and Gladen 1978, applied to the ends of Wilson's interval (Reiczigel, Földi and Ózsvári 2010).

    Examples
    --------
    >>> print(rogan_gladen_known(300, 400, sensitivity=0.9, specificity=0.8).interval)
    0.7219 to 0.8427 (0.95 rogan-gladen known)
    """
    passed, n = checked_counts(passed, n)
    low, high = (
        rogan_gladen(float(end), sensitivity, specificity)
        for end in wilson_limits(passed / n, n, normal_quantile(confidence))
    )
    estimate = rogan_gladen(passed / n, sensitivity, specificity)
    return _estimate(estimate, low, high, confidence, "rogan-gladen known", math.nan)


def rogan_gladen_interval(passed: float, n: float, verdicts: Verdicts, *, confidence: float = 0.95) -> Estimate:
    """Return Rogan and Gladen's rate with the error of the labels in it, by the delta method.

    For comparison: where a rate is 0 or 1 among the labels its own error counts as none.

    Parameters
    ----------
    passed, n
        Cases that the judge passes, of how many without a label.
    verdicts
        How it did on the labelled cases; both kinds are needed.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError, ScoreError
        If the counts are none, all labels are of one kind, or the judge is no better than chance.

    References
    ----------
    Rogan and Gladen 1978, equation 5.

    Examples
    --------
    >>> found = rogan_gladen_interval(300, 400, Verdicts(caught=45, passes=50, cleared=40, fails=50))
    >>> round(found.estimate, 4), round(found.std_error, 5)
    (0.7857, 0.05937)
    """
    passed, n = checked_counts(passed, n)
    _checked_kinds(verdicts)
    q, se, sp = passed / n, verdicts.sensitivity, verdicts.specificity
    rate = rogan_gladen(q, se, sp)
    variance = (
        q * (1 - q) / n + rate**2 * se * (1 - se) / verdicts.passes + (1 - rate) ** 2 * sp * (1 - sp) / verdicts.fails
    )
    error = math.sqrt(variance) / (se + sp - 1)
    half = normal_quantile(confidence) * error
    return _estimate(rate, rate - half, rate + half, confidence, "rogan-gladen", error)


def lang_reiczigel(passed: float, n: float, verdicts: Verdicts, *, confidence: float = 0.95) -> Estimate:
    """Return Rogan and Gladen's rate with an interval that stays true with few labels.

    Parameters
    ----------
    passed, n
        Cases that the judge passes, of how many without a label.
    verdicts
        How it did on the labelled cases; both kinds are needed.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError, ScoreError
        If the counts are none, all labels are of one kind, or the judge is no better than chance.

    References
    ----------
    Lang and Reiczigel 2014, Preventive Veterinary Medicine 113, 13-22: z² pseudo-cases for the rate, two for each of
    the judge's rates, and a shift of the centre.

    Examples
    --------
    >>> print(lang_reiczigel(300, 400, Verdicts(caught=45, passes=50, cleared=40, fails=50)).interval)
    0.6784 to 0.9286 (0.95 lang-reiczigel)
    """
    passed, n = checked_counts(passed, n)
    _checked_kinds(verdicts)
    estimate = rogan_gladen(passed / n, verdicts.sensitivity, verdicts.specificity)
    z = normal_quantile(confidence)
    n1, q = n + z * z, (passed + z * z / 2) / (n + z * z)
    n2, se = verdicts.passes + 2, (verdicts.caught + 1) / (verdicts.passes + 2)
    n3, sp = verdicts.fails + 2, (verdicts.cleared + 1) / (verdicts.fails + 2)
    rate = rogan_gladen(q, se, sp)
    of_passes, of_fails = se * (1 - se) / n2, sp * (1 - sp) / n3
    error = math.sqrt(q * (1 - q) / n1 + rate**2 * of_passes + (1 - rate) ** 2 * of_fails) / (se + sp - 1)
    centre = rate + 2 * z * z * (rate * of_passes - (1 - rate) * of_fails)
    return _estimate(estimate, centre - z * error, centre + z * error, confidence, "lang-reiczigel", error)


def prediction_powered(passed: float, n: float, verdicts: Verdicts, *, confidence: float = 0.95) -> Estimate:
    """Return the judged rate plus the mean of label less verdict, with the plain normal interval.

    For comparison: with labels that never differ from the judge it takes the judge as perfect.

    Parameters
    ----------
    passed, n
        Cases that the judge passes, of how many without a label.
    verdicts
        How it did on the labelled cases.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If the counts are none.

    References
    ----------
    Angelopoulos, Bates, Fannjiang, Jordan and Zrnic 2023, Science 382, 669-674 (prediction-powered mean, λ = 1).

    Examples
    --------
    >>> print(prediction_powered(780, 1000, Verdicts(caught=76, passes=80, cleared=18, fails=20)).interval)
    0.7457 to 0.8543 (0.95 ppi)
    """
    passed, n = checked_counts(passed, n)
    missed, waved = _disagreements(verdicts)
    q, shift = passed / n, (missed - waved) / verdicts.n
    error = math.sqrt(q * (1 - q) / n + ((missed + waved) / verdicts.n - shift**2) / verdicts.n)
    half = normal_quantile(confidence) * error
    return _estimate(q + shift, q + shift - half, q + shift + half, confidence, "ppi", error)


def guarded_ppi(passed: float, n: float, verdicts: Verdicts, *, confidence: float = 0.95) -> Estimate:
    """Return the judged rate plus the mean of label less verdict, with an interval that few labels cannot fool.

    The rate keeps Wilson's ends and the mean of label less verdict Tango's; both are put together by MOVER. Labels that
    never differ from the judge leave room for errors that they did not meet.

    Parameters
    ----------
    passed, n
        Cases that the judge passes, of how many without a label.
    verdicts
        How it did on the labelled cases.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If the counts are none.

    References
    ----------
    Angelopoulos et al. 2023 (the estimate); Zou and Donner 2008 (MOVER); Wilson 1927; Tango 1998.

    Examples
    --------
    >>> print(guarded_ppi(780, 1000, Verdicts(caught=76, passes=80, cleared=18, fails=20)).interval)
    0.738 to 0.8663 (0.95 guarded ppi)
    >>> perfect = Verdicts(caught=100, passes=100, cleared=0, fails=0)
    >>> round(guarded_ppi(1000, 1000, perfect).interval.width, 3)
    0.037
    """
    passed, n = checked_counts(passed, n)
    missed, waved, labels = checked_flips(*_disagreements(verdicts), verdicts.n)
    low, high = wilson_limits(passed / n, n, normal_quantile(confidence))
    least, most = tango_limits(missed, waved, labels, confidence=confidence)
    judged = (passed / n, float(low), float(high))
    return combined_ppi(judged, ((missed - waved) / labels, float(least), float(most)), confidence=confidence)


def combined_ppi(
    judged: tuple[float, float, float], shift: tuple[float, float, float], *, confidence: float
) -> Estimate:
    """Return judged mean plus mean of label less verdict, from each with its own interval and from different cases.

    Parameters
    ----------
    judged, shift
        Estimate, low and high end, in shares.
    confidence
        Two-sided level of both, a share.

    References
    ----------
    As `guarded_ppi`.

    Examples
    --------
    >>> print(combined_ppi((0.8, 0.78, 0.82), (0.02, -0.02, 0.06), confidence=0.95).interval)
    0.7753 to 0.8647 (0.95 guarded ppi)
    """
    checked_confidence(confidence)
    estimate, low, high = judged
    # A sum is the difference from the mirrored part.
    ends = mover_difference_limits((-estimate, -high, -low), shift)
    return _estimate(estimate + shift[0], float(ends[0]), float(ends[1]), confidence, "guarded ppi", math.nan)


def _disagreements(verdicts: Verdicts) -> tuple[float, float]:
    """Return true passes that the judge failed, and true failures that it passed."""
    checked_counts(verdicts.caught + verdicts.cleared, verdicts.n)
    return verdicts.passes - verdicts.caught, verdicts.fails - verdicts.cleared


def _checked_kinds(verdicts: Verdicts) -> None:
    if not (verdicts.passes > 0 and verdicts.fails > 0):
        came = f"{verdicts.passes:g} labels that pass and {verdicts.fails:g} that fail"
        raise ArgumentError(
            "verdicts", came, "labels of both kinds", "Without one kind nothing shows how the judge errs on it."
        )


def _estimate(estimate: float, low: float, high: float, confidence: float, method: str, error: float) -> Estimate:
    low, high = (min(max(end, 0.0), 1.0) for end in (low, high))
    return Estimate(
        estimate=min(max(estimate, 0.0), 1.0),
        interval=Interval(low=low, high=high, confidence=confidence, method=method),
        std_error=error,
        df=math.inf,
        n_eff=math.nan,
    )
