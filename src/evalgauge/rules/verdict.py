"""What may be claimed from a difference and its intervals, and the least data that could ever support a claim."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalgauge.errors import ArgumentError
from evalgauge.rules.answers import PairedAnswer
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.hull import unchanged_hull_low
from evalgauge.stats.paired_proportions import mcnemar_chi2_p, mcnemar_exact_p, tango_interval

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.rules.answers import Comparison

Verdict: TypeAlias = Literal["better", "worse", "equivalent", "no worse", "inconclusive"]
# Drops are named in half points, up to half of the range.
_DROP_STEP, _MOST_STEPS = 0.005, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What the intervals of a comparison allow to say.

    Attributes
    ----------
    better, worse
        Whether the interval lies above, or below, 0.
    equivalent
        Whether the guarded interval at 2·confidence − 1 lies within ±margin; ``None`` without a margin.
    no_worse
        Whether the guarded interval lies above −margin; ``None`` without a margin.
    verdict
        The first true claim of better, worse, equivalent, no worse; else inconclusive.
    within_margin
        Whether a change for the better or worse is shown and is equivalent at the margin as well: real, but small.
    """

    better: bool
    worse: bool
    equivalent: bool | None
    no_worse: bool | None
    verdict: Verdict
    within_margin: bool


def claims(answer: Comparison, *, margin: float | None = None) -> Claims:
    """Answer "is the candidate better, worse, equivalent or no worse?" from one comparison.

    Parameters
    ----------
    answer
        A paired or unpaired comparison.
    margin
        The largest difference that would not matter, in the unit of the score, above 0. Without it only better, worse
        and inconclusive can be said.

    Raises
    ------
    ArgumentError
        If ``margin`` is not a finite number above 0.

    References
    ----------
    Schuirmann 1987, Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680 (two one-sided tests).

    Examples
    --------
    >>> from evalgauge.rules.paired import paired_counts
    >>> claims(paired_counts(22, 9, 240), margin=0.02).verdict
    'better'
    >>> claims(paired_counts(0, 0, 240), margin=0.02).verdict
    'equivalent'
    """
    better, worse = answer.interval.low > 0, answer.interval.high < 0
    equivalent = no_worse = None
    if margin is not None:
        checked_margin(margin)
        inside = answer.guarded_equivalence
        may_claim = not _may_hide_breaks(answer, margin)
        equivalent = may_claim and inside.low > -margin and inside.high < margin
        no_worse = may_claim and answer.guarded.low > -margin
    return Claims(
        better=better,
        worse=worse,
        equivalent=equivalent,
        no_worse=no_worse,
        verdict=_first_true(better=better, worse=worse, equivalent=equivalent, no_worse=no_worse),
        within_margin=(better or worse) and equivalent is True,
    )


def _first_true(*, better: bool, worse: bool, equivalent: bool | None, no_worse: bool | None) -> Verdict:
    if better:
        return "better"
    if worse:
        return "worse"
    if equivalent:
        return "equivalent"
    return "no worse" if no_worse else "inconclusive"


def _may_hide_breaks(answer: Comparison, margin: float) -> bool:
    """Return whether a graded log is too small to hold one case of a break that the margin must exclude.

    Below the hard floor run noise lets the hull pass up to .10 of such candidates (.066 at the floor and above it).
    """
    # The floor and this margin are one equation solved two ways, whose last digits may differ.
    return isinstance(answer, PairedAnswer) and margin < answer.least_margin * (1 - 1e-9)


def hard_floor(margin: float, *, confidence: float = 0.95) -> int:
    """Return the fewest cases at which breaks of a share ``margin`` would show one with probability (1 + confidence)/2.

    Parameters
    ----------
    margin
        Share of cases that break completely, between 0 and 1.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If the level is not a share.

    References
    ----------
    Hanley and Lippman-Hand 1983, JAMA 249, 1743-1745 (the rule of three, of which this is the exact form).

    Examples
    --------
    >>> hard_floor(0.02), hard_floor(0.05), hard_floor(0.1)
    (183, 72, 36)
    """
    tail = (1 - checked_confidence(confidence)) / 2
    return math.ceil(round(math.log(tail) / math.log1p(-margin), 9))


def checked_margin(margin: float) -> float:
    """Return the margin, a finite number above 0.

    Parameters
    ----------
    margin
        The largest difference that would not matter.

    Raises
    ------
    ArgumentError
        If it is not a finite number above 0.

    Examples
    --------
    >>> checked_margin(0.02)
    0.02
    """
    if not (math.isfinite(margin) and margin > 0):
        hint = "A margin of 0 asks whether the candidate is better: leave the margin out." if margin == 0 else ""
        raise ArgumentError("margin", margin, "a difference above 0, such as 0.02 for 2 points", hint)
    return margin


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastCases:
    """The fewest cases with which "no worse than −margin" can be said.

    Attributes
    ----------
    unchanged
        Fewest cases at which a log passes in which no case changed: the best that two equally good arms can show. For
        graded scores no less than ``hard_floor``.
    hard_floor
        Fewest cases at which a share ``margin`` of cases that break completely would show at least one break with
        probability (1 + confidence)/2. Below it no rule whatever can tell such breaks from none.
    """

    unchanged: int
    hard_floor: int


def least_n_for_no_worse(margin: float, *, confidence: float = 0.95, graded: bool = False) -> LeastCases:
    """Answer "can a set of this size ever show that the candidate is no worse?".

    Parameters
    ----------
    margin
        The largest drop that would not matter, a share of the score's range between 0 and 1.
    confidence
        Two-sided level, a share; the gate reads the lower end.
    graded
        Whether scores are graded or averaged over reps, so that the hull decides, or pass/fail, so that Tango does.

    Raises
    ------
    ArgumentError
        If ``margin`` is not between 0 and 1, or the level is not in range.

    References
    ----------
    Hanley and Lippman-Hand 1983, JAMA 249, 1743-1745 (the rule of three, of which the floor is the exact form).

    Examples
    --------
    >>> least_n_for_no_worse(0.02)
    LeastCases(unchanged=189, hard_floor=183)
    """
    if not 0 < margin < 1:
        hint = f"Did you mean {margin / 100:g}?" if 1 < margin < 100 else ""
        raise ArgumentError("margin", margin, "a share of the score's range between 0 and 1, such as 0.02", hint)

    def passes(n: int) -> bool:
        if graded:
            return unchanged_hull_low(n, confidence=confidence) > -margin
        return tango_interval(0, 0, n, confidence=confidence).low > -margin

    floor = hard_floor(margin, confidence=confidence)
    return LeastCases(unchanged=max(_first(passes), floor) if graded else _first(passes), hard_floor=floor)


def least_drop(n_cases: int, *, confidence: float = 0.95) -> float | None:
    """Answer "which drop can so many cases rule out at best, where no case changed?".

    Parameters
    ----------
    n_cases
        Cases on which both systems pass or fail once.
    confidence
        Two-sided level, a share; the gate reads the lower end.

    Returns
    -------
    float or None
        The smallest such drop, a share in steps of half a point; ``None`` where it is more than half of the range.

    Raises
    ------
    ArgumentError
        If the level is not in range.

    References
    ----------
    Tango 1998, Statistics in Medicine 17, 891-908, at the table without changes; ``hard_floor``.

    Examples
    --------
    >>> least_drop(189), least_drop(188), least_drop(3)
    (0.02, 0.025, None)
    """
    low = tango_interval(0, 0, n_cases, confidence=confidence).low
    drops = (round(steps * _DROP_STEP, 3) for steps in range(math.floor(-low / _DROP_STEP) + 1, _MOST_STEPS + 1))
    return next((drop for drop in drops if hard_floor(drop, confidence=confidence) <= n_cases), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastFlips:
    """The fewest changed cases, all for the better, with which "better" can be said.

    Attributes
    ----------
    exact
        By the exact McNemar test.
    tango
        By Tango's interval, which decides here; McNemar's chi² test agrees with it.
    """

    exact: int
    tango: int


def least_flips_for_better(*, confidence: float = 0.95) -> LeastFlips:
    """Answer "how many cases must change for the better, and none for the worse, before that is evidence?".

    Parameters
    ----------
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If the level is not a share.

    References
    ----------
    McNemar 1947, Psychometrika 12, 153-157; Tango 1998, Statistics in Medicine 17, 891-908.

    Examples
    --------
    >>> least_flips_for_better()
    LeastFlips(exact=6, tango=4)
    """
    alpha = 1 - checked_confidence(confidence)
    return LeastFlips(
        exact=_first(lambda flips: float(mcnemar_exact_p(flips, 0)) < alpha),
        tango=_first(lambda flips: float(mcnemar_chi2_p(flips, 0)) < alpha),
    )


def _first(is_enough: Callable[[int], bool]) -> int:
    """Return the smallest count from which on a condition holds, for one that stays true once it is."""
    high = 1
    while not is_enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high
