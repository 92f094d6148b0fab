"""Shapes of rates as they are written, and the points that stand for them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from evalgauge.errors import ArgumentError
from evalgauge.stats.quadrature import beta_nodes, clipped_normal_nodes, uniform_nodes
from evalgauge.studies.shapes import case_shape

MEANS = [
    ("80%", 0.8),
    ("fixed:0.8", 0.8),
    ("0.25", 0.25),
    ("uniform:5%:95%", 0.5),
    ("beta:4:1", 0.8),
    ("normal:0.5:0.1", 0.5),
    ("0.9@1,0.1@0", 0.9),
    ("0.8@1, 0.1@0, 0.1@uniform:0:1", 0.85),
    ("90%@1,10%@beta:7:3", 0.97),
    ("0.02@0,0.05@0.25,0.13@0.5,0.3@0.75,0.5@1", 0.8025),
]


@pytest.mark.parametrize(("text", "mean"), MEANS)
def test_means(text: str, mean: float) -> None:
    shape = case_shape(text)
    assert shape.mean == pytest.approx(mean, abs=1e-9)
    drawn = shape.draws(np.random.default_rng(1), (200_000,))
    assert drawn.mean() == pytest.approx(mean, abs=4 * max(drawn.std(), 1e-9) / math.sqrt(200_000))
    assert shape.points().change == 0
    assert not shape.has_change


CHANGES = [
    ("0.833@1,0.017@1/0,0.06@0/1,0.09@0", 0.06 - 0.017),
    ("uniform:0:0.5/+0.3", 0.3),
    ("uniform:0.4:0.6/-10%", -0.1),
    # ∫ min(r + .3, 1) - r over 0 to 1: .3 up to .7, and a triangle above.
    ("uniform:0:1/+0.3", 0.3 * 0.7 + 0.3**2 / 2),
    ("beta:2:2/0.75", 0.25),
]


@pytest.mark.parametrize(("text", "change"), CHANGES)
def test_changes(text: str, change: float) -> None:
    shape = case_shape(text)
    assert shape.has_change
    assert shape.points().change == pytest.approx(change, abs=1e-9)


@pytest.mark.parametrize(("mean", "sd"), [(0.1, 0.15), (0.0, 0.02), (-0.3, 0.5), (0.1, 0.0), (0.95, 0.001)])
def test_effects_are_cut_as_a_clipped_normal(mean: float, sd: float) -> None:
    points = case_shape("uniform:0.05:0.95").points(effect=mean, effect_sd=sd)
    rng = np.random.default_rng(3)
    base = rng.uniform(0.05, 0.95, 2_000_000)
    cand = np.clip(base + rng.normal(mean, sd, base.size), 0, 1)
    for order in (1, 2):
        error = np.std(cand**order) / math.sqrt(base.size)
        assert points.share @ points.cand**order == pytest.approx(np.mean(cand**order), abs=4 * error)
    assert points.share @ (points.base * points.cand) == pytest.approx(np.mean(base * cand), abs=1e-3)


def test_nodes_are_exact_for_the_moments_that_runs_need() -> None:
    rates, masses = uniform_nodes(0.05, 0.95)
    for order in (1, 50, 100):
        exact = (0.95 ** (order + 1) - 0.05 ** (order + 1)) / ((order + 1) * 0.9)
        assert masses @ rates**order == pytest.approx(exact, rel=1e-12)
    rates, masses = beta_nodes(4, 0.08)
    for order in (1, 40):
        assert masses @ rates**order == pytest.approx(stats.beta(4, 0.08).moment(order), rel=1e-9)
    values, masses = clipped_normal_nodes(0, 1, 0.9, 0.2)
    expected = stats.norm(0.9, 0.2).expect(lambda x: np.clip(x, 0, 1) ** 3, lb=-1, ub=3, points=(0, 1))
    assert masses @ values**3 == pytest.approx(expected, abs=1e-7)


REFUSALS = [
    ("fixed:2", "rates: got 'fixed:2', allowed is rates from 0 to 1. Did you mean 2% (0.02)?"),
    ("", "rates: got '', allowed is a rate (80%, fixed:0.8), uniform:0.05:0.95"),
    ("gamma:1:2", "allowed is a rate (80%, fixed:0.8), uniform:0.05:0.95"),
    ("uniform:0.9", "allowed is a rate"),
    ("uniform:0.9:0.1", "uniform:low:high with the low rate first"),
    ("uniform:0:1.5", "rates from 0 to 1. Did you mean 1.5% (0.015)?"),
    ("beta:0:1", "beta:a:b with both numbers above 0"),
    ("normal:0.5:-1", "normal:mean:sd with a standard deviation of 0 or more"),
    ("0.5@1,0.4@0", "shares that add up to 1. These add up to 0.9."),
    ("0.5@1,0", "share@part in a mixture, such as 0.9@1,0.1@beta:7:3"),
    ("0.5/2", "a candidate's rate from 0 to 1, or a shift such as /+0.3"),
    ("nan", "allowed is a rate"),
    ("inf@1", "allowed is a rate"),
]


@pytest.mark.parametrize(("text", "refusal"), REFUSALS, ids=[text or "empty" for text, _ in REFUSALS])
def test_refusals(text: str, refusal: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        case_shape(text)
    assert refusal in str(caught.value)
