"""Quantiles and tails: against SciPy's laws, and where floating point is hardest."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalgauge.errors import ArgumentError
from evalgauge.stats.quantiles import normal_p_value, normal_quantile, t_p_value, t_quantile

levels = st.floats(1e-6, 1 - 1e-9)


@given(levels)
def test_normal_quantile_and_p_value_are_inverse(confidence: float) -> None:
    z = normal_quantile(confidence)
    assert z == pytest.approx(stats.norm.isf((1 - confidence) / 2), rel=1e-9, abs=1e-12)
    assert normal_p_value(z) == pytest.approx(1 - confidence, rel=1e-9)
    assert normal_p_value(-z) == normal_p_value(z)


@given(levels, st.floats(0.5, 1e6))
def test_t_quantile_and_p_value_are_inverse(confidence: float, df: float) -> None:
    t = t_quantile(confidence, df)
    assert t_p_value(t, df) == pytest.approx(1 - confidence, rel=1e-8)
    assert t >= normal_quantile(confidence) * (1 - 1e-9)


def test_infinite_degrees_of_freedom_are_normal() -> None:
    assert t_quantile(0.95, math.inf) == normal_quantile(0.95)
    mixed = t_quantile(0.95, np.array([3.0, math.inf]))
    assert mixed.tolist() == [t_quantile(0.95, 3.0), normal_quantile(0.95)]
    assert t_p_value(2.0, math.inf) == pytest.approx(normal_p_value(2.0), rel=1e-14)


def test_far_tails_keep_their_digits_and_never_reach_zero() -> None:
    assert normal_p_value(20.0) == pytest.approx(5.507248237212e-89, rel=1e-10)
    assert normal_p_value(np.array([0.0, 50.0])).tolist() == [1.0, np.finfo(float).tiny]
    assert t_p_value(1e4, 5.0) == pytest.approx(2 * stats.t.sf(1e4, 5), rel=1e-10)
    assert t_p_value(80.0, 1e5) == np.finfo(float).tiny


@pytest.mark.parametrize("confidence", [0, 1, 1.5, -0.1, 95, math.nan])
def test_refusals(confidence: float) -> None:
    for call in (normal_quantile, lambda level: t_quantile(level, 5.0)):
        with pytest.raises(ArgumentError, match=r"confidence: got .*, allowed is a share between 0 and 1"):
            call(confidence)
