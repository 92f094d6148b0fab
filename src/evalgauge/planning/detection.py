"""Cases that show a change, by design: a held reference, the same cases for both arms, different cases for each.

A handbook formula gives the first count; the exact power of the rule that will grade says what that count is worth, and
from which count on the power asked for is kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import LEAST_POINTS, checked_change, checked_power
from evalgauge.stats.power import paired_power, reference_power, two_arm_power
from evalgauge.stats.safe_size import safe_n, smallest_drop
from evalgauge.stats.sample_size import (
    correlation_range,
    discordance_of,
    held_reference_n,
    paired_n,
    quantile_power,
    two_arm_n,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.planning.results import Design, Direction, Strictness
    from evalgauge.stats.power import PairedRule, ReferenceRule, TwoArmRule

    Array: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

# Teeth of power reach over a few 1/change counts; see safe_n.
_TEETH, _FEW = 8, 32
# Beyond this count a tooth is lower than a twentieth of a percent: the formula is the answer.
MOST_EXACT = 1_000_000
# The window of counts around an exact answer reaches a little further.
MOST_WINDOW = 4 * MOST_EXACT
# With fewer changed (or unchanged) cases than this, power jumps from each count to the next.
_MIXED = 20
_RARE_WINDOW = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change that is to be shown, and how sure.

    Attributes
    ----------
    rate
        Rate before the change, a share.
    size
        Size of the change, a share above 0.
    direction
        ``"drop"`` or ``"rise"``.
    power
        Probability to show it.
    confidence
        Two-sided level of the grading interval, corrected for slices.
    rule
        ``"auto"``: the intervals of a measurement and a comparison. ``"exact"``: Clopper-Pearson, exact McNemar,
        Fisher.
    discordance
        Share of cases that exactly one arm passes; for the paired design.
    correlation
        Correlation of the arms over cases, where no discordance is given.
    """

    rate: float
    size: float
    direction: Direction = "drop"
    power: float = 0.8
    confidence: float = 0.95
    rule: Strictness = "auto"
    discordance: float | None = None
    correlation: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", checked_change(self.rate, self.size, self.direction))
        checked_power(self.power)

    @property
    def low_rates(self) -> tuple[float, float]:
        """Rates before and after, mirrored so that the change is a drop."""
        before = self.rate if self.direction == "drop" else 1 - self.rate
        return before, max(before - self.size, 0.0)

    @property
    def rate_after(self) -> float:
        """Rate after the change."""
        return min(max(self.rate - self.size if self.direction == "drop" else self.rate + self.size, 0.0), 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Detection:
    """Counts of one design.

    Attributes
    ----------
    n, raw
        Handbook count (per arm for independent arms), and the same before rounding up.
    power_at_n
        Exact power at ``n``.
    safe_n
        Smallest count from which on the exact power is never below the target.
    """

    n: int
    raw: float
    power_at_n: float
    safe_n: int


def reference_rule(change: Change) -> ReferenceRule:
    """Return the interval that grades a measurement."""
    return "wilson" if change.rule == "auto" else "clopper-pearson"


def two_arm_rule(change: Change) -> TwoArmRule:
    """Return the interval that grades a comparison of different cases."""
    return "miettinen-nurminen" if change.rule == "auto" else "fisher"


def paired_rule(change: Change) -> PairedRule:
    """Return the interval that grades a comparison of the same cases."""
    return "tango" if change.rule == "auto" else "exact"


def discordance(change: Change) -> float:
    """Return the share of cases that exactly one arm passes.

    Raises
    ------
    ArgumentError
        If two arms with these rates cannot differ on so few or so many cases, or cannot be so correlated.

    Examples
    --------
    >>> round(discordance(Change(rate=0.9, size=0.05)), 4)
    0.22
    """
    before, after = change.low_rates
    if change.discordance is None:
        return discordance_of(before, after, change.correlation)
    lowest, highest = change.size, min(2 * before - change.size, 2 * (1 - before) + change.size)
    if not lowest - 1e-9 <= change.discordance <= highest + 1e-9:
        allowed = (
            f"from {100 * lowest:.4g} % to {100 * highest:.4g} %, with rates of {100 * change.rate:.4g} % and "
            f"{100 * change.rate_after:.4g} %"
        )
        hint = "It is the share of cases that exactly one of the two systems passes."
        raise ArgumentError("discordance", change.discordance, allowed, hint)
    return min(max(change.discordance, lowest), 1.0)


def discordance_of_equals(change: Change) -> float:
    """Return the share of cases that exactly one of two equally good arms passes, as far as a question tells it.

    Examples
    --------
    >>> round(discordance_of_equals(Change(rate=0.9, size=0.05)), 4)
    0.18
    """
    if change.discordance is not None:
        return change.discordance
    lowest, highest = correlation_range(change.rate, change.rate)
    return discordance_of(change.rate, change.rate, min(max(change.correlation, lowest), highest))


def _changed(change: Change) -> float:
    """Return the discordance without a check, as near as rates can come to what was said: solvers try any size."""
    if change.discordance is not None:
        return max(change.discordance, change.size)
    before, after = change.low_rates
    lowest, highest = correlation_range(before, after)
    return discordance_of(before, after, min(max(change.correlation, lowest), highest))


def power_of(design: Design, change: Change, n: Counts | int) -> Array:
    """Return the exact power of a design at counts of cases (per arm for independent arms).

    Parameters
    ----------
    design
        The design.
    change
        What is to be shown.
    n
        Counts above 0.

    References
    ----------
    See `evalgauge.stats.power`.

    Examples
    --------
    >>> round(float(power_of("held-reference", Change(rate=0.9, size=0.1), 86)), 3)
    0.763
    """
    if int(np.max(n)) > MOST_WINDOW:
        return _handbook_power(design, change, np.asarray(n, dtype=np.float64))
    before, after = change.low_rates
    level = change.confidence
    if design == "held-reference":
        return reference_power(n, before, after, confidence=level, rule=reference_rule(change))
    if design == "independent-arms":
        return two_arm_power(n, n, before, after, confidence=level, rule=two_arm_rule(change))
    changed = _changed(change)
    return paired_power(n, changed, min(change.size, changed), confidence=level, rule=paired_rule(change))


def _handbook_power(design: Design, change: Change, n: Array) -> Array:
    """Return the power at which the normal formula of a design asks for so many cases."""
    # The formula is (z·a + z_power·b)²/size², and z_power is 0 at even odds and 1 at a power of .8413.
    even = math.sqrt(handbook_n(design, replace(change, power=0.5)))
    step = math.sqrt(handbook_n(design, replace(change, power=float(quantile_power(1.0))))) - even
    distance = np.sqrt(n) - even
    return quantile_power(distance / step) if step > 0 else np.asarray(distance >= 0, dtype=np.float64)


def handbook_n(design: Design, change: Change) -> float:
    """Return the count of the normal formula of a design, before rounding up.

    Parameters
    ----------
    design
        The design.
    change
        What is to be shown.

    References
    ----------
    See `evalgauge.stats.sample_size`.

    Examples
    --------
    >>> round(handbook_n("independent-arms", Change(rate=0.9, size=0.05)), 4)
    685.5969
    """
    before, after = change.low_rates
    if design == "held-reference":
        return held_reference_n(before, after, power=change.power, confidence=change.confidence)
    if design == "independent-arms":
        return two_arm_n(before, after, power=change.power, confidence=change.confidence)
    return paired_n(_changed(change), change.size, power=change.power, confidence=change.confidence)


def detection(design: Design, change: Change) -> Detection:
    """Answer "how many cases show this change, and what is the handbook's count really worth?".

    Parameters
    ----------
    design
        ``"held-reference"``, ``"paired"`` or ``"independent-arms"`` (counts per arm).
    change
        What is to be shown.

    Raises
    ------
    ArgumentError
        If the discordance does not fit the rates.

    References
    ----------
    Fleiss, Levin and Paik 2003, chapters 2 and 4; Connor 1987; exact power as in `evalgauge.stats.power`.

    Examples
    --------
    >>> found = detection("held-reference", Change(rate=0.9, size=0.1))
    >>> found.n, round(found.power_at_n, 3), found.safe_n
    (86, 0.763, 89)
    """
    if design == "paired":
        discordance(change)
    raw = handbook_n(design, change)
    n = max(1, math.ceil(round(raw, 9)))
    if n > MOST_EXACT:
        return Detection(n=n, raw=raw, power_at_n=change.power, safe_n=n)
    safe = safe_n(
        lambda counts: power_of(design, change, counts),
        change.power,
        start=n,
        window=_window_of(design, change, n),
        rise=_rise_of(design, change, n),
    )
    return Detection(n=n, raw=raw, power_at_n=float(power_of(design, change, n)), safe_n=safe)


def search_window(size: float) -> int:
    """Return how many counts to each side of a formula's hold every tooth of the power to show (or rule out) a change.

    Parameters
    ----------
    size
        Size of the change, a share above 0.

    Examples
    --------
    >>> search_window(0.02)
    432
    """
    return math.ceil(_TEETH / size) + _FEW


def largest_rise(size: float, variance: float, n: int, *, mixed: float) -> float | None:
    """Return a bound on what one more case adds to the power, where outcomes are mixed finely enough to have one.

    One more case moves the mean difference by its size in units of its spread; the normal density is below .4.

    Parameters
    ----------
    size
        The difference to be shown or ruled out, a share.
    variance
        Variance of one case's difference.
    n
        The count around which the bound is wanted.
    mixed
        Chance that one case is of the rarer outcome.

    Examples
    --------
    >>> largest_rise(0.05, 0.1, 12, mixed=0.1) is None, round(largest_rise(0.05, 0.1, 2000, mixed=0.1), 5)
    (True, 0.00186)
    """
    lowest = max(1, n - search_window(size))
    return size / (2 * math.sqrt(lowest * variance)) if lowest * mixed >= _MIXED else None


def _window_of(design: Design, change: Change, n: int) -> int:
    before, after = change.low_rates
    window = search_window(change.size)
    # Where nearly every case fails alike, the edge of two arms is a count of the rare outcome, the same at every n.
    is_rare = design == "independent-arms" and n * (before * (1 - before) + after * (1 - after)) < _MIXED
    return min(window, _RARE_WINDOW) if is_rare else window


def _rise_of(design: Design, change: Change, n: int) -> float | None:
    before, after = change.low_rates
    if design == "held-reference":
        return None
    if design == "paired":
        changed = _changed(change)
        rise = largest_rise(change.size, changed - change.size**2, n, mixed=min(changed, 1 - changed))
        # One more case matters only if it changes.
        return min(changed, rise or 1.0)
    variance = before * (1 - before) + after * (1 - after)
    return largest_rise(change.size, variance, n, mixed=variance)


def detectable_change(design: Design, change: Change, n: int, *, exact: bool = False) -> float | None:
    """Answer "what is the smallest change that n cases show?": the handbook formula, or exact power, solved for it.

    Parameters
    ----------
    design
        The design.
    change
        The question; its size is the unknown.
    n
        Cases (per arm for independent arms).
    exact
        Whether exact power decides, or the handbook formula.

    Returns
    -------
    float or None
        A share; ``None`` where not even the largest possible change is shown.

    Examples
    --------
    >>> round(detectable_change("independent-arms", Change(rate=0.8, size=0.1), 400), 3)
    0.085
    """
    before, _ = change.low_rates
    highest = before
    if design == "paired" and change.discordance is not None:
        # Rates that differ on this share of cases are at most so far apart.
        highest = min(before, change.discordance, 2 * before - change.discordance)
    if highest < LEAST_POINTS:
        return None

    def is_enough(size: float) -> bool:
        asked = replace(change, size=size)
        return float(power_of(design, asked, n)) >= change.power if exact else handbook_n(design, asked) <= n

    found = smallest_drop(is_enough, highest, lowest=LEAST_POINTS)
    if found is None or design != "paired" or change.discordance is None:
        return found
    # And at least so far.
    return max(found, change.discordance - 2 * (1 - before))
