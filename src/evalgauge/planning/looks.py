"""Planned interim looks at one comparison: bounds, and the cases that they cost."""

from __future__ import annotations

import math

from evalgauge.planning.checks import checked_count
from evalgauge.planning.results import LookPlan, LooksPlan
from evalgauge.stats.group_sequential import look_bounds, peeking_error


def looks_plan(looks: int, *, cases: int, confidence: float = 0.95, power: float = 0.8) -> LooksPlan:
    """Answer "may I look before the end?": the error of doing so without a plan, and bounds that keep it.

    Parameters
    ----------
    looks
        Number of equally spaced looks, from 2 to 20, the last one included.
    cases
        Cases of the design with a single look.
    confidence
        Two-sided level of the comparison, a share.
    power
        Power asked for.

    Raises
    ------
    ArgumentError
        If there are fewer than 2 looks or more than 20.

    References
    ----------
    O'Brien and Fleming 1979; Pocock 1977; see `evalgauge.stats.group_sequential`.

    Examples
    --------
    >>> plan = looks_plan(2, cases=312)
    >>> round(plan.uncorrected_error, 3), [one.n for one in plan.bounds]
    (0.083, [315, 347])
    """
    checked_count(looks, "looks", least=2, what="looks")
    found = [look_bounds(looks, kind, confidence=confidence, power=power) for kind in ("obrien-fleming", "pocock")]
    return LooksPlan(
        looks=looks,
        uncorrected_error=peeking_error(looks, confidence=confidence),
        bounds=tuple(
            LookPlan(
                kind=one.kind,
                z=one.z,
                confidences=one.confidences,
                inflation=one.inflation,
                n=math.ceil(cases * one.inflation),
            )
            for one in found
        ),
    )
