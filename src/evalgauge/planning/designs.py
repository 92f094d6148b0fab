"""Three designs for one question, priced side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.planning.design_results import DesignRow
from evalgauge.planning.detection import detection, discordance, paired_rule, power_of, reference_rule, two_arm_rule
from evalgauge.planning.slices import per_slice_of, slice_plan, total_of

if TYPE_CHECKING:
    from evalgauge.planning.detection import Change
    from evalgauge.planning.results import Design, SlicePlan

DESIGNS: tuple[Design, ...] = ("held-reference", "paired", "independent-arms")
# Distinct cases and runs of a design, per case of its count.
_CASES = {"held-reference": 1, "paired": 1, "independent-arms": 2}
_RUNS = {"held-reference": 1, "paired": 2, "independent-arms": 2}


def design_rows(
    change: Change,
    slices: SlicePlan | None = None,
    *,
    cost_case: float = 1.0,
    cost_run: float = 0.0,
    own: int | None = None,
) -> tuple[DesignRow, ...]:
    """Answer "which design shows this change with the least effort?": the three of them, priced.

    Parameters
    ----------
    change
        What is to be shown, at the level of one slice.
    slices
        How the set is split; one slice by default.
    cost_case, cost_run
        Price of making one case, and of running one case once; 0 or more, in any currency.
    own
        Cases that are owned over all slices (per arm for independent arms); the exact power in the smallest slice is
        added.

    Returns
    -------
    tuple of DesignRow
        Held reference, paired, independent arms, each at its safe count.

    Raises
    ------
    ArgumentError
        If a price is negative, both are 0, or the discordance does not fit the rates.

    References
    ----------
    See `evalgauge.planning.detection`.

    Examples
    --------
    >>> from evalgauge.planning.detection import Change
    >>> rows = design_rows(Change(rate=0.9, size=0.05, discordance=0.1), cost_run=0.05)
    >>> [(row.design, row.cases, row.handbook_n) for row in rows]
    [('held-reference', 334, 316), ('paired', 291, 312), ('independent-arms', 1364, 686)]
    """
    for argument, cost in (("cost_case", cost_case), ("cost_run", cost_run)):
        if not 0 <= cost < float("inf"):
            raise ArgumentError(argument, cost, "a price of 0 or more, in any currency")
    if cost_case + cost_run == 0:
        raise ArgumentError("cost_case", cost_case, "a price above 0 for cases, for runs, or for both")
    split = slice_plan() if slices is None else slices
    mine = None if own is None else per_slice_of(own, split)
    if mine is not None and mine < 1:
        raise ArgumentError("own", own, f"at least one case for every slice ({total_of(1, split):,})")
    return tuple(_row(design, change, split, (cost_case, cost_run), mine) for design in DESIGNS)


def _row(design: Design, change: Change, slices: SlicePlan, prices: tuple[float, float], own: int | None) -> DesignRow:
    found = detection(design, change)
    rule_of = {"held-reference": reference_rule, "paired": paired_rule, "independent-arms": two_arm_rule}[design]
    total = total_of(found.safe_n, slices)
    cases, runs = _CASES[design] * total, _RUNS[design] * total
    return DesignRow(
        design=design,
        cases=cases,
        runs=runs,
        cost=cases * prices[0] + runs * prices[1],
        n=found.safe_n,
        handbook_n=found.n,
        power=float(power_of(design, change, found.safe_n)),
        own_power=None if own is None else float(power_of(design, change, own)),
        assumes=_assumes(design, change),
        rule=rule_of(change),
    )


def _assumes(design: Design, change: Change) -> str:
    if design == "held-reference":
        return f"the reference of {100 * change.rate:.4g} % is a fixed promise, not itself measured on a sample"
    if design == "independent-arms":
        return "each arm runs on cases of its own, drawn from the same source"
    changed = f"exactly one arm passes on {100 * discordance(change):.4g} % of the cases"
    if change.discordance is None and change.correlation == 0:
        return f"both arms run on the same cases; {changed}, as if they failed on unrelated cases (cautious)"
    return f"both arms run on the same cases; {changed}"


def recommended(rows: tuple[DesignRow, ...]) -> Design:
    """Return the cheaper of the designs that measure both arms; a held reference answers another question.

    Parameters
    ----------
    rows
        What `design_rows` returned.

    Examples
    --------
    >>> from evalgauge.planning.detection import Change
    >>> recommended(design_rows(Change(rate=0.9, size=0.05, discordance=0.1)))
    'paired'
    """
    both = [row for row in rows if row.design != "held-reference"]
    return min(both, key=lambda row: row.cost).design
