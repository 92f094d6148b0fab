"""What a design can never show, however good the data: said before a run, not after it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.planning.checks import LEAST_POINTS, checked_points, checked_rate, checked_share_between
from evalgauge.planning.detection import (
    MOST_EXACT,
    MOST_WINDOW,
    Change,
    detection,
    largest_rise,
    power_of,
    reference_rule,
    search_window,
    two_arm_rule,
)
from evalgauge.planning.results import FloorPlan, NeverPass, NoWorsePlan
from evalgauge.rules.gate_claims import EXACT_BELOW
from evalgauge.rules.verdict import least_flips_for_better, least_n_for_no_worse
from evalgauge.stats.no_worse_power import no_worse_n, no_worse_normal_power, no_worse_power
from evalgauge.stats.power import reference_edge, two_arm_edge
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.safe_size import safe_n

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from evalgauge.planning.results import Strictness

    Array: TypeAlias = NDArray[np.float64]


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
        ``"auto"`` for Wilson (floors below 80 %: Clopper-Pearson), ``"exact"`` for Clopper-Pearson.
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
    gap = checked_rate(rate) - floor
    if 0 < gap < LEAST_POINTS:
        allowed = f"a rate at least 0.0001 points below the expected {100 * rate:g} %, or above it"
        raise ArgumentError("min_rate", floor, allowed, "No set of cases tells rates apart that are so near.")
    is_above = gap > 0
    certified = Change(
        rate=floor,
        size=gap if is_above else 1 - floor,
        direction="rise",
        power=power,
        confidence=confidence,
        # The gate asks the exact interval too where the score interval certifies too easily.
        rule="exact" if floor < EXACT_BELOW else rule,
    )
    fails = 1 - floor

    def can_pass(n: int) -> bool:
        return int(reference_edge(n, fails, confidence=confidence, rule=reference_rule(certified))) >= 0

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


def no_worse_plan(
    max_drop: float,
    *,
    discordance: float,
    assumed: bool = False,
    power: float = 0.8,
    confidence: float = 0.95,
    own: int | None = None,
) -> NoWorsePlan:
    """Answer "how many shared cases does a gate on a drop need, if the candidate is just as good?".

    Parameters
    ----------
    max_drop
        The drop that must be ruled out, a share.
    discordance
        Share of cases that exactly one arm passes.
    assumed
        Whether nobody named that share.
    power
        Chance to pass that is asked for.
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
    See `evalgauge.stats.no_worse_power` and `evalgauge.rules.verdict.least_n_for_no_worse`.

    Examples
    --------
    >>> plan = no_worse_plan(0.02, discordance=0.1)
    >>> plan.hard_floor, plan.least, plan.n, plan.safe_n
    (183, 189, 1957, 1994)
    """
    checked_points(max_drop, "max_drop")
    least = least_n_for_no_worse(max_drop, confidence=confidence)
    graded = least_n_for_no_worse(max_drop, confidence=confidence, graded=True)
    n = max(1, math.ceil(round(no_worse_n(discordance, max_drop, power=power, confidence=confidence), 9)))

    def chance(counts: ArrayLike) -> Array:
        rule = no_worse_power if int(np.max(counts)) <= MOST_WINDOW else no_worse_normal_power
        return rule(counts, discordance, max_drop, confidence=confidence)

    safe = n
    if n <= MOST_EXACT:
        rise = largest_rise(max_drop, discordance, n, mixed=min(discordance, 1 - discordance))
        safe = safe_n(chance, power, start=n, window=search_window(max_drop), rise=rise)
    return NoWorsePlan(
        max_drop=max_drop,
        discordance=discordance,
        assumed=assumed,
        n=n,
        power_at_n=float(chance(n)),
        safe_n=safe,
        own_chance=None if own is None else float(chance(own)),
        least=least.unchanged,
        least_graded=graded.unchanged,
        hard_floor=least.hard_floor,
        own_passes_unchanged=None if own is None else own >= least.unchanged,
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
