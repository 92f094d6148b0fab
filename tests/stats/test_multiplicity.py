"""Adjusted p-values: against R, by property, and their refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.stats.multiplicity import bonferroni, bonferroni_confidence, holm
from evalgauge.stats.quantiles import normal_quantile
from support.oracles import OracleRow, oracle_params, required

RANKS = (1, 2, 3, 5, 10)
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=20)


@pytest.mark.parametrize(
    ("function", "row"), oracle_params(*(f"padj_{name}[{rank}]" for name in ("bonferroni", "holm") for rank in RANKS))
)
def test_agrees_with_r(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    p = [float(part) for part in str(arguments).removeprefix("p=").split()]
    match = re.fullmatch(r"padj_(\w+)\[(\d+)\]", function)
    assert match
    adjust = {"bonferroni": bonferroni, "holm": holm}[match[1]]
    assert adjust(p)[int(match[2]) - 1] == pytest.approx(expected, abs=tol)


@given(P_VALUES, st.randoms(use_true_random=False))
def test_order_does_not_matter(p: list[float], random: object) -> None:
    order = list(range(len(p)))
    random.shuffle(order)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(holm(p)[order], holm(np.array(p)[order]))


@given(P_VALUES)
def test_holm_is_between_the_raw_and_bonferroni(p: list[float]) -> None:
    assert (holm(p) >= p).all()
    assert (holm(p) <= bonferroni(p)).all()
    assert bonferroni(p).max() <= 1


def test_five_slices_take_the_quantile_of_the_planner() -> None:
    assert normal_quantile(bonferroni_confidence(0.95, 5)) == pytest.approx(2.575829, abs=1e-6)
    assert bonferroni_confidence(0.95, 1) == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: holm([0.5, 1.2]), "p_values: got 'values from 0.5 to 1.2', allowed is shares from 0 to 1."),
        (lambda: bonferroni([]), "p_values: got '0 values', allowed is at least 1."),
        (lambda: bonferroni_confidence(0.95, 0), "tests: got 0, allowed is a whole number of at least 1."),
    ],
)
def test_refusals(call: object, text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text
