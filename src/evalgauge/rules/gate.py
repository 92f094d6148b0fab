"""What a gate may say: families of rules, the error that each of them may spend, and the verdict.

A gate passes only where every rule passes, so each rule may read its claim at the full one-sided error and a wrong pass
of the gate stays as rare as that of one rule (an intersection-union test). It fails where any rule fails, so alarms add
up and the error is shared: between the groups of rules equally, within a group (the slices) by Holm.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from evalgauge.rules.looks import Look

GateVerdict: TypeAlias = Literal["pass", "fail", "inconclusive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Errors:
    """One-sided errors that a group of rules may spend.

    Attributes
    ----------
    passing
        Chance of a wrong pass of one group.
    alarm
        Chance of a false alarm of one group: of all of its rules together.
    look
        Which of several planned looks this is, all of which share the errors; ``None`` for a single one.
    """

    passing: float
    alarm: float
    look: Look | None = None

    def level(self, error: float) -> float:
        """Return the two-sided level at which a claim that may spend this one-sided error is read now."""
        level = 1 - 2 * error
        return level if self.look is None else self.look.level(level)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a rule reads at one level; higher is better.

    Attributes
    ----------
    low
        The end that a pass has to clear.
    high
        The end that shows a failure.
    method
        Rule of the interval.
    may_pass, may_fail
        Whether a pass, or a failure, may be read from this interval at all: from one case, from a log too small to hold
        one case of the breaks that a pass has to exclude, or against the exact interval nothing is.
    """

    low: float
    high: float
    method: str
    may_pass: bool = True
    may_fail: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim about one part of the data: that the truth lies above a threshold.

    Attributes
    ----------
    threshold
        Where the good side begins.
    at
        The reading at a two-sided level.
    """

    threshold: float
    at: Callable[[float], Reading]

    def passes(self, confidence: float) -> bool:
        """Return whether the claim is shown at a two-sided level."""
        reading = self.at(confidence)
        return reading.may_pass and reading.low > self.threshold

    def fails(self, confidence: float) -> bool:
        """Return whether the opposite is shown at a two-sided level."""
        reading = self.at(confidence)
        return reading.may_fail and reading.high < self.threshold


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The verdict on one claim.

    Attributes
    ----------
    verdict
        ``"pass"``, ``"fail"`` or ``"inconclusive"``.
    confidence
        Two-sided level at which it was reached, or last tried.
    reading
        What stood there.
    """

    verdict: GateVerdict
    confidence: float
    reading: Reading


def errors_of(confidence: float, groups: int, *, look: Look | None = None) -> Errors:
    """Return what each group of rules may spend, so that the whole gate keeps its promises.

    Parameters
    ----------
    confidence
        Two-sided level of the gate, a share.
    groups
        Groups of rules that can fail, at least 1.
    look
        Which of several planned looks this is; each group keeps its errors over all of them.

    Returns
    -------
    Errors
        A wrong pass of the gate has at most the chance (1 − confidence)/2, a false alarm at most 1 − confidence.

    Raises
    ------
    ArgumentError
        If the level is no share, or there is no group.

    References
    ----------
    Berger 1982, Technometrics 24, 295-300 (intersection-union tests); Dunn 1961, JASA 56, 52-64.

    Examples
    --------
    >>> errors_of(0.95, 1).alarm.__round__(4), errors_of(0.95, 4).alarm.__round__(4)
    (0.05, 0.0125)
    """
    if groups < 1:
        raise ArgumentError("groups", groups, "a whole number of at least 1")
    error = round(1 - checked_confidence(confidence), 12)
    return Errors(passing=error / 2, alarm=error / groups, look=look)


def judged(claims: Sequence[Claim], errors: Errors) -> tuple[Judged, ...]:
    """Answer "which of these parts pass, which fail, and which cannot be decided?", all claims true together.

    Holm's procedure both ways: as long as some claim holds at the error shared by those that are left, it is made, and
    the rest share the error. One claim alone is read at the full error.

    Parameters
    ----------
    claims
        The claims of one group: one for the set as a whole, or one for each slice.
    errors
        What the group may spend. An alarm never reads more than a pass does, so that one claim alone stays two-sided.

    Returns
    -------
    tuple of Judged
        In the order of the claims.

    References
    ----------
    Holm 1979, Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> def claim(low, high):
    ...     return Claim(threshold=-0.02, at=lambda level: Reading(low=low, high=high, method="tango"))
    >>> [one.verdict for one in judged([claim(-0.01, 0.1), claim(-0.1, -0.03), claim(-0.1, 0.1)], errors_of(0.95, 1))]
    ['pass', 'fail', 'inconclusive']
    """
    alarm = min(errors.alarm, errors.passing)
    passed, pass_levels = _holm([claim.passes for claim in claims], errors.passing, errors)
    failed, fail_levels = _holm([claim.fails for claim in claims], alarm, errors)
    found: list[Judged] = []
    for place, claim in enumerate(claims):
        verdict: GateVerdict = "pass" if passed[place] else "fail" if failed[place] else "inconclusive"
        level = fail_levels[place] if failed[place] else pass_levels[place]
        found.append(Judged(verdict=verdict, confidence=level, reading=claim.at(level)))
    return tuple(found)


def gate_verdict(verdicts: Sequence[GateVerdict]) -> GateVerdict:
    """Return the verdict of a gate: a rule that fails decides, then one that cannot be decided; else all passed.

    Parameters
    ----------
    verdicts
        Those of its rules; without any nothing was shown.

    Examples
    --------
    >>> gate_verdict(["pass", "inconclusive"]), gate_verdict(["pass", "inconclusive", "fail"]), gate_verdict([])
    ('inconclusive', 'fail', 'inconclusive')
    """
    if "fail" in verdicts:
        return "fail"
    return "inconclusive" if "inconclusive" in verdicts or not verdicts else "pass"


def _holm(shown: Sequence[Callable[[float], bool]], error: float, errors: Errors) -> tuple[list[bool], list[float]]:
    """Return which claims may be made together, and the two-sided level at which each was made or last tried.

    Claims that hold at the error shared by m of them hold at the larger shares that Holm gives to the next ones, so
    all of them are made at once.
    """
    left = list(range(len(shown)))
    made, levels = [False] * len(shown), [errors.level(error)] * len(shown)
    while left:
        level = errors.level(error / len(left))
        for place in left:
            levels[place] = level
        holding = [place for place in left if shown[place](level)]
        if not holding:
            break
        for place in holding:
            made[place] = True
        left = [place for place in left if not made[place]]
    return made, levels
