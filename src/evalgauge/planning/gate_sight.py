"""What a rule of a gate can see with so many cases: its chance to pass when nothing changed, and to fail at a drop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.rules.gate_claims import EXACT_BELOW, Change, drop_claim
from evalgauge.rules.paired_missing import ArmRuns
from evalgauge.stats.no_worse_power import margin_chances
from evalgauge.stats.power import reference_power

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

USUAL_DROPS = (0.02, 0.05, 0.1, 0.2, 0.5)
"""Drops whose chance to be seen is stated."""
_USUAL_POWER = 0.8
# Simulated evals a chance: its Monte-Carlo error is at most 2.9 points.
_EVALS = 300
_SEED = 20250707
_HALVINGS, _FEW_HALVINGS = 12, 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a rule sees.

    Attributes
    ----------
    pass_chance
        Chance to pass a candidate that is exactly as good as the baseline (or as the rate that was expected).
    fail_chances
        Chance to fail, by the true drop beyond which nothing else changed.
    seen_drop
        Smallest drop that fails with a chance of 80 %; ``None`` where none does.
    is_simulated
        Whether the chances are from 300 simulated evals, or exact.
    """

    pass_chance: float
    fail_chances: dict[float, float]
    seen_drop: float | None
    is_simulated: bool


def drop_sight(n: int, max_drop: float, *, confidence: float, discordance: float) -> Sight:
    """Answer "what does "no worse by more than this" see with n pass/fail cases?", exactly.

    Parameters
    ----------
    n
        Shared cases, one run each.
    max_drop
        The rule's threshold, a share.
    confidence
        Two-sided level of the rule.
    discordance
        Share of cases that turn out differently in two runs of one system; a drop comes on top of it.

    Examples
    --------
    >>> sight = drop_sight(240, 0.02, confidence=0.95, discordance=0.05)
    >>> round(sight.pass_chance, 2), round(sight.fail_chances[0.1], 2)
    (0.24, 0.93)
    """
    half = discordance / 2

    def chances(drop: float) -> tuple[float, float]:
        loss = min(half + drop, 1.0)
        found = margin_chances(n, min(half, 1.0 - loss), loss, difference=-max_drop, confidence=confidence)
        return found.above, found.below

    return _sight(chances, max_drop, is_simulated=False)


def graded_drop_sight(rates: NDArray[np.float64], reps: int, max_drop: float, *, confidence: float) -> Sight:
    """Answer the same for cases that are run several times: a drop is made of cases that break completely.

    Parameters
    ----------
    rates
        Pass rate of each case, as a log shows it.
    reps
        Runs of each case in each arm.
    max_drop, confidence
        As in `drop_sight`.

    Examples
    --------
    >>> sight = graded_drop_sight(np.full(200, 0.9), 5, 0.05, confidence=0.95)
    >>> sight.is_simulated, sight.pass_chance > 0.9, sight.fail_chances[0.2] > 0.9
    (True, True, True)
    """
    mean = float(rates.mean())

    def chances(drop: float) -> tuple[float, float]:
        stream = np.random.default_rng(_SEED)
        passed = failed = 0
        for _ in range(_EVALS):
            true = rates[stream.integers(0, rates.size, rates.size)]
            is_broken = stream.random(rates.size) < min(drop / mean, 1.0) if mean > 0 else False
            base, cand = (stream.binomial(reps, rate) for rate in (true, np.where(is_broken, 0.0, true)))
            runs = [
                ArmRuns(sums=sums, scored=np.full(sums.size, reps), planned=np.full(sums.size, reps))
                for sums in (base, cand)
            ]
            claim = drop_claim(Change(base=runs[0], cand=runs[1]), max_drop=max_drop)
            passed += claim.passes(confidence)
            failed += claim.fails(confidence)
        return passed / _EVALS, failed / _EVALS

    return _sight(chances, max_drop, is_simulated=True)


def rate_sight(n: int, min_rate: float, *, confidence: float, expected: float | None) -> Sight:
    """Answer "what does a floor see with n pass/fail cases?", exactly; drops are those below the floor.

    Parameters
    ----------
    n
        Cases.
    min_rate
        The floor, a share.
    confidence
        Two-sided level of the rule.
    expected
        True rate of a good candidate; the chance to pass is 0 where none is known.

    Examples
    --------
    >>> sight = rate_sight(1000, 0.9, confidence=0.9, expected=0.93)
    >>> round(sight.pass_chance, 2), round(sight.fail_chances[0.05], 3)
    (0.96, 0.999)
    """
    up = "clopper-pearson" if min_rate < EXACT_BELOW else "wilson"

    def chances(drop: float) -> tuple[float, float]:
        failing = reference_power(n, min_rate, max(min_rate - drop, 0.0), confidence=confidence, rule="clopper-pearson")
        passing = 0.0
        if expected is not None:
            passing = float(reference_power(n, min_rate, expected, confidence=confidence, rule=up, direction="rise"))
        return passing, float(failing)

    return _sight(chances, 0.0, is_simulated=False)


def _sight(chances: Callable[[float], tuple[float, float]], least: float, *, is_simulated: bool) -> Sight:
    return Sight(
        pass_chance=chances(0.0)[0],
        fail_chances={drop: chances(drop)[1] for drop in USUAL_DROPS if drop > least},
        seen_drop=_seen_drop(lambda drop: chances(drop)[1], least, _FEW_HALVINGS if is_simulated else _HALVINGS),
        is_simulated=is_simulated,
    )


def _seen_drop(power: Callable[[float], float], least: float, halvings: int) -> float | None:
    low, high = least, 1.0
    if power(high) < _USUAL_POWER:
        return None
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (low, middle) if power(middle) >= _USUAL_POWER else (middle, high)
    return high
