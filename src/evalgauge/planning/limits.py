"""What a design can never show, however good the data: said before a run, not after it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.planning.checks import checked_points, checked_rate, checked_share_between
from evalgauge.planning.detection import Change, detection, power_of, reference_rule, two_arm_rule
from evalgauge.planning.results import FloorPlan, NeverPass, NoWorsePlan
from evalgauge.rules.verdict import least_flips_for_better, least_n_for_no_worse
from evalgauge.stats.power import reference_edge, two_arm_edge
from evalgauge.stats.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.planning.results import Strictness


def floor_plan(
    rate: float,
    floor: float,
    *,
    power: float = 0.8,
    confidence: float = 0.95,
    rule: Strictness = "auto",
    own: int | None = None,
) -> FloorPlan:
    """Answer "how many cases certify that the true rate is above a floor, and from which count is that possible?".

    Parameters
    ----------
    rate
        Expected rate, a share.
    floor
        The rate to be certified: the interval's lower end must lie above it. A share below 1.
    power
        Chance to be certified that is asked for.
    confidence
        Two-sided level, a share; a certificate reads the lower end.
    rule
        ``"auto"`` for Wilson, ``"exact"`` for Clopper-Pearson.
    own
        Cases (of the smallest slice) that are owned.

    Raises
    ------
    ArgumentError
        If a rate is no share.

    References
    ----------
    Wilson 1927: n/(n + z²) is the lower end of n passes of n. Clopper and Pearson 1934 for the strict form.

    Examples
    --------
    >>> plan = floor_plan(0.95, 0.9)
    >>> plan.least, plan.safe_n
    (35, 254)
    """
    checked_share_between(floor, "min_rate", "85% (0.85)")
    certified = Change(
        rate=floor,
        size=min(1 - floor, max(rate - floor, 1e-3)),
        direction="rise",
        power=power,
        confidence=confidence,
        rule=rule,
    )
    fails = 1 - floor

    def can_pass(n: int) -> bool:
        return int(reference_edge(n, fails, confidence=confidence, rule=reference_rule(certified))) >= 0

    is_above = checked_rate(rate) > floor
    found = detection("held-reference", certified) if is_above else None
    own_chance = float(power_of("held-reference", certified, own)) if own is not None and is_above else None
    return FloorPlan(
        floor=floor,
        least=_first(can_pass),
        n=None if found is None else found.n,
        power_at_n=None if found is None else found.power_at_n,
        safe_n=None if found is None else found.safe_n,
        own_chance=own_chance,
        own_can_pass=None if own is None else can_pass(own),
    )


def no_worse_plan(max_drop: float, *, confidence: float = 0.95, own: int | None = None) -> NoWorsePlan:
    """Answer "from how many shared cases on can a gate on a drop pass at all?".

    Parameters
    ----------
    max_drop
        The drop that must be ruled out, a share.
    confidence
        Two-sided level; the gate reads the lower end.
    own
        Cases that are owned.

    Raises
    ------
    ArgumentError
        If the drop is not above 0 and below 1.

    References
    ----------
    See `evalgauge.rules.verdict.least_n_for_no_worse`.

    Examples
    --------
    >>> plan = no_worse_plan(0.02)
    >>> plan.hard_floor, plan.least
    (183, 189)
    """
    checked_points(max_drop, "max_drop")
    least = least_n_for_no_worse(max_drop, confidence=confidence)
    graded = least_n_for_no_worse(max_drop, confidence=confidence, graded=True)
    return NoWorsePlan(
        max_drop=max_drop,
        least=least.unchanged,
        least_graded=graded.unchanged,
        hard_floor=least.hard_floor,
        own_can_pass=None if own is None else own >= least.unchanged,
    )


def never_pass(change: Change) -> NeverPass:
    """Answer "below which count can no data show a change of any size?", by design.

    Parameters
    ----------
    change
        The question; only its rate, direction, level and rule matter.

    References
    ----------
    McNemar 1947 and Tango 1998 for flips; the grading intervals at their extreme tables for the others.

    Examples
    --------
    >>> least = never_pass(Change(rate=0.9, size=0.1))
    >>> least.held_reference, least.independent_arms, least.flips_exact
    (1, 3, 6)
    """
    before, _ = change.low_rates
    z = normal_quantile(change.confidence)
    level = change.confidence

    def one_set(n: int) -> bool:
        return int(reference_edge(n, before, confidence=level, rule=reference_rule(change))) >= 0

    def two_sets(n: int) -> bool:
        return float(two_arm_edge(np.array([float(n)]), n, n, z, two_arm_rule(change))[0]) >= 0

    flips = least_flips_for_better(confidence=level)
    return NeverPass(
        held_reference=_first(one_set),
        independent_arms=_first(two_sets),
        flips=flips.exact if change.rule == "exact" else flips.tango,
        flips_exact=flips.exact,
    )


def _first(is_possible: Callable[[int], bool]) -> int:
    """Return the first count at which something is possible, for what stays possible from there on."""
    high = 1
    while not is_possible(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = math.ceil((low + high) / 2)
        low, high = (low, middle) if is_possible(middle) else (middle, high)
    return high
