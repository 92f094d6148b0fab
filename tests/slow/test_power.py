"""Exact power against simulated evals that the real rules grade, and safe counts against every larger count."""

from __future__ import annotations

import math

import numpy as np
import pytest

from evalgauge.planning.detection import Change, detection, power_of
from evalgauge.planning.precision import assurance_chance, assurance_count
from evalgauge.stats.paired_proportions import tango_limits
from evalgauge.stats.power import reference_power
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_limits
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.two_proportions import miettinen_nurminen_limits

pytestmark = pytest.mark.slow

EVALS = 200_000
CHANGES = [(0.9, 0.1), (0.9, 0.05), (0.5, 0.15), (0.97, 0.03), (0.3, 0.1)]


def agrees(share: float, exact: float) -> bool:
    """Whether a simulated share lies within 4 Monte-Carlo errors of an exact chance."""
    return abs(share - exact) <= 4 * math.sqrt(max(exact * (1 - exact), 1e-9) / EVALS)


@pytest.mark.parametrize(("rate", "drop"), CHANGES)
@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_held_reference(rate: float, drop: float, confidence: float) -> None:
    change = Change(rate=rate, size=drop, confidence=confidence)
    n = detection("held-reference", change).safe_n
    passed = np.random.default_rng(1).binomial(n, rate - drop, EVALS)
    shown = wilson_limits(passed / n, n, normal_quantile(confidence))[1] < rate
    assert agrees(float(shown.mean()), float(power_of("held-reference", change, n)))
    counts = np.arange(n + 1)
    strict = clopper_pearson_limits(counts, n, confidence=confidence)[1] < rate
    exact = reference_power(n, rate, rate - drop, confidence=confidence, rule="clopper-pearson")
    assert agrees(float(strict[passed].mean()), float(exact))


@pytest.mark.parametrize(("rate", "drop"), CHANGES)
def test_two_arms(rate: float, drop: float) -> None:
    change = Change(rate=rate, size=drop)
    n = detection("independent-arms", change).safe_n
    stream = np.random.default_rng(2)
    pairs, times = np.unique(
        np.stack([stream.binomial(n, rate, EVALS), stream.binomial(n, rate - drop, EVALS)]), axis=1, return_counts=True
    )
    shown = miettinen_nurminen_limits(pairs[0], n, pairs[1], n)[1] < 0
    share = float(times[shown].sum()) / EVALS
    assert agrees(share, float(power_of("independent-arms", change, n)))


@pytest.mark.parametrize(("rate", "drop"), CHANGES)
@pytest.mark.parametrize("spare", [0.0, 0.1])
def test_pairs(rate: float, drop: float, spare: float) -> None:
    changed = min(drop + spare, 2 * rate - drop, 2 * (1 - rate) + drop)
    change = Change(rate=rate, size=drop, discordance=changed)
    n = detection("paired", change).safe_n
    cells = [(changed - drop) / 2, (changed + drop) / 2, 1 - changed]
    tables, times = np.unique(
        np.random.default_rng(3).multinomial(n, np.maximum(cells, 0.0), EVALS)[:, :2], axis=0, return_counts=True
    )
    shown = tango_limits(tables[:, 0], tables[:, 1], n)[1] < 0
    share = float(times[shown].sum()) / EVALS
    assert agrees(share, float(power_of("paired", change, n)))


@pytest.mark.parametrize("power", [0.7, 0.8, 0.9])
@pytest.mark.parametrize("confidence", [0.9, 0.95, 0.99])
@pytest.mark.parametrize("rule", ["auto", "exact"])
def test_no_count_within_a_fifth_above_a_safe_one_of_a_held_reference_falls_short(
    power: float, confidence: float, rule: str
) -> None:
    for rate in np.linspace(0.05, 0.98, 20).tolist():
        for part in (0.05, 0.1, 0.3, 0.8):
            drop = max(part * rate, 0.01)
            change = Change(rate=rate, size=drop, power=power, confidence=confidence, rule=rule)  # pyright: ignore[reportArgumentType]
            safe = detection("held-reference", change).safe_n
            later = power_of("held-reference", change, np.arange(safe, math.ceil(1.2 * safe) + 1))
            assert later.min() >= power, (rate, drop)
            assert safe == 1 or float(power_of("held-reference", change, safe - 1)) < power, (rate, drop)


@pytest.mark.parametrize("design", ["paired", "independent-arms"])
@pytest.mark.parametrize("power", [0.8, 0.9])
@pytest.mark.parametrize("rule", ["auto", "exact"])
def test_no_count_within_a_fifth_above_a_safe_one_of_two_arms_falls_short(design: str, power: float, rule: str) -> None:
    for rate in np.linspace(0.1, 0.97, 12).tolist():
        for part in (0.06, 0.15, 0.5) if rule == "auto" else (0.25, 0.6):
            change = Change(rate=rate, size=max(part * rate, 0.02), power=power, rule=rule)  # pyright: ignore[reportArgumentType]
            safe = detection(design, change).safe_n  # pyright: ignore[reportArgumentType]
            later = power_of(design, change, np.arange(safe, math.ceil(1.2 * safe) + 1))  # pyright: ignore[reportArgumentType]
            assert later.min() >= power, (rate, change.size)
            assert safe == 1 or float(power_of(design, change, safe - 1)) < power, (rate, change.size)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("assurance", [0.8, 0.9, 0.95])
def test_no_count_within_a_fifth_above_an_assured_one_misses_its_margin_more_often(assurance: float) -> None:
    for rate in (0.02, 0.1, 0.3, 0.5, 0.75, 0.9, 0.97, 0.995):
        for margin in (0.01, 0.03, 0.05, 0.1):
            n = assurance_count(rate, margin, assurance)
            later = assurance_chance(np.arange(n, math.ceil(1.2 * n) + 1), rate, margin)
            assert later.min() >= assurance, (rate, margin)
