"""The curves behind charts of plans and of reuse: what answers say at one point, along all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.planning.detection import Change, power_of
from evalgauge.planning.precision import expected_half_width
from evalgauge.questions.curves import OptimismCurve, PowerCurve, PowerLine, PrecisionCurve
from evalgauge.questions.plan import PlanAnswer
from evalgauge.questions.reuse import ReuseAnswer
from evalgauge.reusing.optimism import optimism

if TYPE_CHECKING:
    from typing import Literal

    from evalgauge.planning.results import Design, DetectionPlan

_POINTS = 80
_PLAN, _REUSE = "the answer to eg.plan(…)", "the answer to eg.reuse(…)"
_FEWEST, _MOST_LOOKS = 4, 100_000


def precision_curve(answer: PlanAnswer) -> PrecisionCurve:
    """Answer "how wide is the interval with fewer cases, or with more?" around a plan.

    Parameters
    ----------
    answer
        The plan.

    Returns
    -------
    PrecisionCurve
        Half-widths by number of cases.

    Raises
    ------
    ArgumentError
        If it is no such answer.

    References
    ----------
    See ``evalgauge.planning.precision``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> curve = precision_curve(eg.plan(rate=0.9, margin=0.05))
    >>> at = curve.n_cases.index(curve.needed)
    >>> round(curve.half_widths[at], 4) <= curve.margin
    True
    """
    _check(answer, PlanAnswer, _PLAN)
    found, own = answer.precision, answer.own
    level = answer.slices.confidence
    marked = [found.per_slice, *([] if own is None else [own.per_slice])]
    counts = _spaced(max(_FEWEST, min(marked) // 8), 3 * max(marked), marked)
    rule: Literal["wilson", "clopper-pearson", "effective-n wilson t"] = found.rule  # type: ignore[assignment]
    widths = [expected_half_width(n, answer.rate, confidence=level, rule=rule, rho=found.rho) for n in counts]
    return PrecisionCurve(
        rate=answer.rate,
        confidence=level,
        rule=found.rule,
        margin=found.margin,
        needed=found.per_slice,
        own=None if own is None else own.per_slice,
        own_half_width=None if own is None else own.half_width,
        n_cases=tuple(counts),
        half_widths=tuple(widths),
    )


def power_curve(answer: PlanAnswer) -> PowerCurve:
    """Answer "with which chance do fewer cases, or more, show the change?" around a plan, for each design.

    Parameters
    ----------
    answer
        The plan.

    Returns
    -------
    PowerCurve
        Exact power by design and number of cases.

    Raises
    ------
    ArgumentError
        If it is no such answer.

    References
    ----------
    See ``evalgauge.planning.detection``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> curve = power_curve(eg.plan(rate=0.9, drop=0.1))
    >>> [(line.design, round(line.power[line.n_cases.index(line.safe_n)], 3)) for line in curve.lines][0]
    ('held-reference', 0.807)
    """
    _check(answer, PlanAnswer, _PLAN)
    found = answer.detection
    change = Change(
        rate=found.rate_from,
        size=found.change,
        direction=found.direction,
        power=answer.power,
        confidence=answer.slices.confidence,
        rule="exact" if found.paired.rule == "exact" else "auto",
        discordance=found.paired.discordance,
    )
    safe = _safe_counts(found)
    lines = [
        _power_line(design, change, n, most=2 * max(safe.values()), least=max(_FEWEST, min(safe.values()) // 8))
        for design, n in safe.items()
    ]
    return PowerCurve(
        direction=found.direction,
        rate_from=found.rate_from,
        rate_to=found.rate_to,
        power=answer.power,
        confidence=answer.slices.confidence,
        design=answer.design,
        lines=tuple(lines),
    )


def optimism_curve(answer: ReuseAnswer) -> OptimismCurve:
    """Answer "how does the optimism grow with the looks?" around an answer about reuse.

    Parameters
    ----------
    answer
        What the looks at a set cost.

    Returns
    -------
    OptimismCurve
        Optimism by number of looks.

    Raises
    ------
    ArgumentError
        If it is no such answer.

    References
    ----------
    See ``evalgauge.reusing.optimism``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> curve = optimism_curve(eg.reuse(n_cases=1000, rate=0.8, looks=10))
    >>> curve.budget, curve.optimism[curve.looks.index(11)] <= curve.tolerance < curve.optimism[curve.looks.index(12)]
    (11, True)
    """
    _check(answer, ReuseAnswer, _REUSE)
    law: Literal["binomial", "normal"] = "normal" if answer.optimism.binomial is None else "binomial"
    budget = answer.look_budget.normal if law == "normal" else answer.look_budget.binomial
    correlation = answer.request.correlation or 0.0
    beside = [] if budget is None or budget >= _MOST_LOOKS else [budget, budget + 1]
    most = min(_MOST_LOOKS, 3 * max(10, answer.looks, *beside))
    looks = _spaced(1, most, [answer.looks, *beside])
    costs = [
        optimism(answer.n_eff, answer.rate, one, maximum=law, correlation=correlation) if one > 1 else 0.0
        for one in looks
    ]
    return OptimismCurve(
        n_cases=answer.n_cases,
        rate=answer.rate,
        tolerance=answer.tolerance,
        budget=budget,
        now=(answer.looks, answer.cost),
        looks=tuple(looks),
        optimism=tuple(costs),
    )


def _check(answer: object, kind: type, allowed: str) -> None:
    if not isinstance(answer, kind):
        raise ArgumentError("answer", type(answer).__name__, allowed)


def _spaced(low: int, high: int, marked: list[int]) -> list[int]:
    """Return whole numbers in even steps of a logarithm, and the marked ones among them."""
    steps = np.geomspace(low, max(high, low + 1), _POINTS).round().astype(np.int64)
    return sorted({*steps.tolist(), *marked})


def _safe_counts(found: DetectionPlan) -> dict[Design, int]:
    return {
        "held-reference": found.held_reference.safe_n,
        "paired": found.paired.safe_n,
        "independent-arms": found.independent_arms.safe_n,
    }


def _power_line(design: Design, change: Change, safe_n: int, *, most: int, least: int) -> PowerLine:
    counts = _spaced(least, most, [safe_n])
    power = power_of(design, change, np.asarray(counts))
    return PowerLine(design=design, safe_n=safe_n, n_cases=tuple(counts), power=tuple(power.tolist()))
