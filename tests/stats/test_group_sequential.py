"""Bounds for planned looks: against rpact, by property, and their refusals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from scipy import special

from evalgauge.errors import ArgumentError
from evalgauge.stats.group_sequential import crossing_probabilities, look_bounds, peeking_error
from support.oracles import OracleRow, oracle_params, required

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS: dict[str, Any] = {
    "OF": "obrien-fleming",
    "P": "pocock",
    "asOF": "obrien-fleming spending",
    "asP": "pocock spending",
}
BOUNDS = [f"gs_bound_{kind}[{look}]" for kind in KINDS for look in range(1, 6)]
INFLATIONS = [f"gs_inflation_{kind}" for kind in KINDS]


def looks_of(arguments: str | dict[str, float]) -> int:
    assert isinstance(arguments, str)
    found = re.search(r"K=(\d+) one-sided alpha=\.025", arguments)
    assert found
    return int(found[1])


@pytest.mark.parametrize(("function", "row"), oracle_params(*BOUNDS))
def test_bounds_agree_with_rpact(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    found = re.fullmatch(r"gs_bound_(\w+)\[(\d)\]", function)
    assert found
    bounds = look_bounds(looks_of(arguments), KINDS[found[1]])
    assert bounds.z[int(found[2]) - 1] == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("function", "row"), oracle_params(*INFLATIONS))
def test_inflation_agrees_with_rpact(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    kind = KINDS[function.removeprefix("gs_inflation_")]
    assert look_bounds(looks_of(arguments), kind).inflation == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize("kind", KINDS.values())
@pytest.mark.parametrize("looks", [1, 2, 7, 20])
def test_the_error_of_all_looks_is_the_one_asked_for(kind: Any, looks: int) -> None:
    bounds = look_bounds(looks, kind, confidence=0.9)
    assert crossing_probabilities(bounds.z).sum() == pytest.approx(0.05, abs=1e-10)
    assert bounds.confidences == pytest.approx(1 - 2 * special.ndtr(-np.array(bounds.z)))
    assert bounds.inflation >= 1 - 1e-9


def test_one_look_is_the_usual_test() -> None:
    bounds = look_bounds(1, "obrien-fleming")
    assert bounds.z == pytest.approx((special.ndtri(0.975),))
    assert bounds.inflation == pytest.approx(1)


def test_obrien_and_fleming_are_strict_early_and_pocock_is_level() -> None:
    strict, level = look_bounds(5, "obrien-fleming"), look_bounds(5, "pocock")
    assert list(strict.z) == sorted(strict.z, reverse=True)
    assert len(set(np.round(level.z, 12))) == 1
    assert strict.z[0] > level.z[0]
    assert strict.z[-1] < level.z[-1]
    assert strict.inflation < level.inflation


# Armitage, McPherson and Rowe 1969, table 2.
@pytest.mark.parametrize(("looks", "error"), [(1, 0.05), (2, 0.083), (5, 0.142), (10, 0.193), (20, 0.248)])
def test_looking_without_a_plan_errs_more_with_every_look(looks: int, error: float) -> None:
    assert peeking_error(looks) == pytest.approx(error, abs=5e-4)


def test_crossing_agrees_with_simulated_walks() -> None:
    bounds, drift = look_bounds(4, "pocock"), 2.5
    walks = 200_000
    steps = np.random.default_rng(7).standard_normal((walks, 4)) / 2 + drift / 4
    statistic = np.cumsum(steps, axis=1) / np.sqrt(np.arange(1, 5) / 4)
    first = np.argmax(statistic > bounds.z, axis=1)
    crossed = (statistic > bounds.z).any(axis=1)
    exact = crossing_probabilities(bounds.z, drift=drift)
    for look in range(4):
        share = float(((first == look) & crossed).mean())
        assert share == pytest.approx(exact[look], abs=4 * (exact[look] * (1 - exact[look]) / walks) ** 0.5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: look_bounds(0, "pocock"), "looks: got 0, allowed is a whole number from 1 to 20."),
        (lambda: look_bounds(21, "pocock"), "For looks without a plan use a ledger of looks"),
        (lambda: look_bounds(2, "haybittle"), "kind: got 'haybittle', allowed is obrien-fleming, pocock"),  # pyright: ignore[reportArgumentType]
        (lambda: look_bounds(2, "pocock", confidence=1.2), "confidence: got 1.2"),
        (lambda: look_bounds(2, "pocock", power=0), "power: got 0"),
    ],
)
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(text)):
        call()
