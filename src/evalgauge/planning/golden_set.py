"""The golden set: what to collect, and what a set that exists can show."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.planning.clusters import cluster_half_width
from evalgauge.planning.detection import (
    detectable_change,
    detection,
    discordance,
    paired_rule,
    power_of,
    reference_rule,
    two_arm_rule,
)
from evalgauge.planning.precision import (
    FLOOR,
    assurance_chance,
    assurance_count,
    expected_half_width,
    precision_count,
)
from evalgauge.planning.results import (
    DetectionPlan,
    HeldReferencePlan,
    IndependentArmsPlan,
    OwnSet,
    PairedPlan,
    PrecisionPlan,
    Prescription,
)
from evalgauge.planning.slices import per_slice_of, total_of
from evalgauge.stats.sample_size import shortcut_n

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalgauge.planning.detection import Change
    from evalgauge.planning.precision import PrecisionRule
    from evalgauge.planning.results import Because, ClusterPlan, Design, Direction, SlicePlan

USUAL_ASSURANCES = (0.8, 0.9)


def precision_plan(
    rate: float,
    margin: float,
    slices: SlicePlan,
    *,
    rule: PrecisionRule = "wilson",
    rho: float = 1.0,
    assurance: float | None = None,
) -> PrecisionPlan:
    """Answer "how many cases until every slice's interval is no wider than ± the margin?".

    Parameters
    ----------
    rate
        Expected mean score, a share.
    margin
        Half-width asked for, a share.
    slices
        How the set is split, and at which level a slice is judged.
    rule, rho
        The grading interval, as in `expected_half_width`.
    assurance
        A further share of all runs to state the count for.

    Raises
    ------
    ArgumentError
        If a share is out of range.

    Examples
    --------
    >>> from evalgauge.planning.slices import slice_plan
    >>> plan = precision_plan(0.9, 0.05, slice_plan())
    >>> plan.per_slice, plan.shortcut, round(plan.shortcut_half_width, 4), plan.assurance
    (141, 139, 0.0504, {'0.8': 165, '0.9': 176})
    """
    level = slices.confidence
    n = precision_count(rate, margin, confidence=level, rule=rule, rho=rho)
    shortcut = max(2, math.ceil(round(shortcut_n(rate, margin, confidence=level) * rho, 9)))
    shares = sorted({*USUAL_ASSURANCES, *(() if assurance is None else (assurance,))})
    exact: PrecisionRule | None = None if rule == "effective-n wilson t" else rule
    return PrecisionPlan(
        per_slice=n,
        total=total_of(n, slices),
        half_width=expected_half_width(n, rate, confidence=level, rule=rule, rho=rho),
        margin=margin,
        shortcut=shortcut,
        shortcut_half_width=expected_half_width(shortcut, rate, confidence=level, rule=rule, rho=rho),
        # Only pass/fail scores have a law that says how often a width is met; for others the counts are not stated.
        assurance={f"{one:g}": assurance_count(rate, margin, one, confidence=level, rule=exact) for one in shares}
        if exact
        else {},
        chance=float(assurance_chance(n, rate, margin, confidence=level, rule=exact)) if exact else None,
        rule=rule,
        rho=rho,
        is_floor=n == FLOOR and expected_half_width(FLOOR - 1, rate, confidence=level, rule=rule, rho=rho) <= margin,
    )


def detection_plan(change: Change, slices: SlicePlan) -> DetectionPlan:
    """Answer "how many cases until a change is shown in every slice?", by design.

    Parameters
    ----------
    change
        What is to be shown; its level is that of one slice.
    slices
        How the set is split.

    Raises
    ------
    ArgumentError
        If the discordance does not fit the rates.

    Examples
    --------
    >>> from evalgauge.planning.detection import Change
    >>> from evalgauge.planning.slices import slice_plan
    >>> plan = detection_plan(Change(rate=0.9, size=0.05, discordance=0.1), slice_plan())
    >>> plan.paired.n, plan.independent_arms.per_arm, plan.independent_arms.total
    (312, 686, 1372)
    """
    held = detection("held-reference", change)
    arms = detection("independent-arms", change)
    paired = detection("paired", change)
    return DetectionPlan(
        direction=change.direction,
        change=change.size,
        rate_from=change.rate,
        rate_to=change.rate_after,
        held_reference=HeldReferencePlan(
            n=held.n,
            raw=held.raw,
            power_at_n=held.power_at_n,
            safe_n=held.safe_n,
            total=total_of(held.n, slices),
            safe_total=total_of(held.safe_n, slices),
            rule=reference_rule(change),
        ),
        independent_arms=IndependentArmsPlan(
            per_arm=arms.n,
            raw=arms.raw,
            power_at_n=arms.power_at_n,
            safe_n=arms.safe_n,
            total=2 * total_of(arms.n, slices),
            safe_total=2 * total_of(arms.safe_n, slices),
            rule=two_arm_rule(change),
        ),
        paired=PairedPlan(
            n=paired.n,
            raw=paired.raw,
            discordance=discordance(change),
            assumed=change.discordance is None and change.correlation == 0,
            power_at_n=paired.power_at_n,
            safe_n=paired.safe_n,
            total=total_of(paired.n, slices),
            safe_total=total_of(paired.safe_n, slices),
            rule=paired_rule(change),
        ),
    )


def safe_count(plan: DetectionPlan, design: Design) -> int:
    """Return the safe count of a design in one slice (per arm for independent arms)."""
    if design == "held-reference":
        return plan.held_reference.safe_n
    return plan.paired.safe_n if design == "paired" else plan.independent_arms.safe_n


def prescription(
    precision: PrecisionPlan,
    found: DetectionPlan,
    slices: SlicePlan,
    *,
    design: Design = "held-reference",
    assurance: float | None = None,
    others: Mapping[Because, int] | None = None,
) -> Prescription:
    """Answer "how many cases, all in all?": the largest of what the margin, the change and other wishes ask for.

    Parameters
    ----------
    precision, found
        The two plans.
    slices
        How the set is split.
    design
        How the change will be looked for.
    assurance
        Share of all runs in which the margin must be met; ``None`` for the count of the expected rate.
    others
        Cases in one slice that further wishes ask for, by their name.

    Examples
    --------
    >>> from evalgauge.planning.detection import Change
    >>> from evalgauge.planning.slices import slice_plan
    >>> five = slice_plan(slices=5)
    >>> change = Change(rate=0.9, size=0.1, confidence=five.confidence)
    >>> prescription(precision_plan(0.9, 0.05, five), detection_plan(change, five), five)
    Prescription(per_slice=244, total=1220, because='precision')
    """
    asked: dict[Because, int] = {"floor" if precision.is_floor else "precision": precision.per_slice}
    if assurance is not None:
        asked["assurance"] = precision.assurance.get(f"{assurance:g}", 0)
    asked |= {"detection": safe_count(found, design), **(others or {})}
    # The first wish that asks for the most is named, so that equal counts are put down to precision.
    because = max(asked, key=lambda wish: asked[wish])
    n = asked[because]
    return Prescription(per_slice=n, total=total_of(n, slices), because=because)


def owned_set(  # noqa: PLR0913 - the pieces of one plan
    own: int,
    prescribed: Prescription,
    precision: PrecisionPlan,
    change: Change,
    slices: SlicePlan,
    *,
    rate: float,
    design: Design = "held-reference",
    assurance: float | None = None,
    clusters: ClusterPlan | None = None,
    others: Mapping[Because, int] | None = None,
) -> OwnSet:
    """Answer "what can the set I own show, and how many cases are missing?".

    Parameters
    ----------
    own
        Cases over all slices (per arm for independent arms). The smallest slice that they imply is graded.
    prescribed, precision
        What was asked for.
    change
        The change asked about, at the level of one slice.
    slices
        How the set is split.
    rate
        Expected mean score, a share.
    design
        How the change will be looked for.
    assurance
        Share of all runs in which the margin must be met.
    clusters
        The plan for cases that share a source; the set is then counted in clusters.
    others
        Cases in one slice that further wishes ask for.

    Raises
    ------
    ArgumentError
        If a slice gets no case.

    Examples
    --------
    >>> from evalgauge.planning.detection import Change
    >>> from evalgauge.planning.slices import slice_plan
    >>> five = slice_plan(slices=5)
    >>> change = Change(rate=0.9, size=0.1, confidence=five.confidence)
    >>> precision = precision_plan(0.9, 0.05, five)
    >>> total = prescription(precision, detection_plan(change, five), five)
    >>> mine = owned_set(695, total, precision, change, five, rate=0.9)
    >>> mine.per_slice, round(mine.half_width, 4), round(mine.detectable_drop, 4), mine.add
    (139, 0.0666, 0.0938, 525)
    """
    n = per_slice_of(own, slices)
    if n < 1:
        least = total_of(1, slices)
        raise ArgumentError("own", own, f"a whole number of cases, at least one for every slice ({least:,})")
    width = _half_width(n, rate, precision, slices, clusters)
    # Cases of a cluster repeat each other: power counts as many cases as would say the same if they were unrelated.
    counted = n if clusters is None else max(1, math.floor(n / clusters.design_effect))
    power = float(power_of(design, change, counted))
    meets_margin = n >= FLOOR and width <= precision.margin * (1 + 1e-12)
    meets_drop = power >= change.power
    if assurance is not None and precision.chance is not None:
        meets_margin = meets_margin and n >= precision.assurance[f"{assurance:g}"]
    if clusters is not None:
        meets_margin = meets_margin and n // clusters.size >= clusters.precision_clusters
        meets_drop = meets_drop and n // clusters.size >= clusters.detection_clusters
    is_enough = meets_margin and meets_drop and all(n >= count for count in (others or {}).values())
    return OwnSet(
        total=own,
        per_slice=n,
        half_width=width,
        detectable_drop=detectable_change(design, _turned(change, "drop"), counted) if change.rate > 0 else None,
        detectable_rise=detectable_change(design, _turned(change, "rise"), counted) if change.rate < 1 else None,
        exact_drop=detectable_change(design, change, counted, exact=True),
        power_at_drop=power,
        meets_margin=meets_margin,
        meets_drop=meets_drop,
        add=0 if is_enough else max(0, prescribed.total - own),
    )


def _half_width(
    n: int, rate: float, precision: PrecisionPlan, slices: SlicePlan, clusters: ClusterPlan | None
) -> float:
    if clusters is not None and n // clusters.size >= 2:
        return cluster_half_width(
            n // clusters.size, size=clusters.size, icc=clusters.icc, rate=rate, confidence=slices.confidence
        )
    rule: PrecisionRule = "wilson"
    if precision.rule == "clopper-pearson":
        rule = "clopper-pearson"
    elif precision.rule == "effective-n wilson t" and n > 1:
        rule = "effective-n wilson t"
    return expected_half_width(n, rate, confidence=slices.confidence, rule=rule, rho=precision.rho)


def _turned(change: Change, direction: Direction) -> Change:
    """Return the same question in a direction; its size is the unknown, so that any possible one will do."""
    room = change.rate if direction == "drop" else 1 - change.rate
    return replace(change, direction=direction, size=min(change.size, room))
