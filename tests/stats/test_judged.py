"""Rates that a judge gave: R's values, limits that must be met, and no certainty from labels that all agree."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import assume, given, reject
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats.judged import (
    Verdicts,
    combined_ppi,
    guarded_ppi,
    lang_reiczigel,
    prediction_powered,
    rogan_gladen,
    rogan_gladen_interval,
    rogan_gladen_known,
)
from evalgauge.stats.paired_proportions import tango_interval
from evalgauge.stats.proportion import wilson_interval
from support.oracles import OracleRow, oracle_params, required

RULES = [guarded_ppi, prediction_powered, rogan_gladen_interval, lang_reiczigel]
LABELS = Verdicts(caught=45, passes=50, cleared=40, fails=50)


@st.composite
def judged(draw: st.DrawFn) -> tuple[int, int, Verdicts]:
    n = draw(st.integers(1, 500))
    passes, fails = draw(st.integers(1, 60)), draw(st.integers(1, 60))
    labels = Verdicts(
        caught=draw(st.integers(0, passes)), passes=passes, cleared=draw(st.integers(0, fails)), fails=fails
    )
    return draw(st.integers(0, n)), n, labels


@pytest.mark.parametrize(("function", "row"), oracle_params("rogan_gladen", "rogan_gladen_se_delta"))
def test_rogan_gladen_is_that_of_r(function: str, row: OracleRow | None) -> None:
    row = required(row)
    numbers = [float(found) for found in re.findall(r"[\d.]+", str(row.arguments))]
    judged_rate, n, _, caught, passes, _, cleared, fails = numbers
    labels = Verdicts(caught=caught, passes=passes, cleared=cleared, fails=fails)
    found = rogan_gladen_interval(judged_rate * n, n, labels)
    value = found.estimate if function == "rogan_gladen" else found.std_error
    assert value == pytest.approx(row.expected, abs=row.tol)


@pytest.mark.parametrize(
    ("function", "row"), oracle_params("rogan_gladen_known_est", "rogan_gladen_known_lo", "rogan_gladen_known_hi")
)
def test_rates_taken_as_known_are_those_of_r(function: str, row: OracleRow | None) -> None:
    row = required(row)
    passed, n, sensitivity, specificity = (float(found) for found in re.findall(r"[\d.]+", str(row.arguments)))
    found = rogan_gladen_known(passed, n, sensitivity=sensitivity, specificity=specificity)
    values = {"est": found.estimate, "lo": found.interval.low, "hi": found.interval.high}
    assert values[function.rpartition("_")[2]] == pytest.approx(row.expected, abs=row.tol)


@given(judged(), st.sampled_from(RULES))
def test_ends_are_shares_around_the_estimate_and_more_confidence_is_wider(given_: tuple, rule: object) -> None:
    passed, n, labels = given_
    assume(labels.sensitivity + labels.specificity > 1.05)
    try:
        found = rule(passed, n, labels)  # type: ignore[operator]
        wider = rule(passed, n, labels, confidence=0.99)  # type: ignore[operator]
    except ScoreError:
        # With pseudo-cases in it a judge that is hardly better than chance may be none.
        reject()
    assert 0 <= found.interval.low <= found.interval.high <= 1
    # The pseudo-cases of Lang and Reiczigel grow with the level: with a handful of verdicts more of it may narrow.
    if rule is not lang_reiczigel:
        assert wider.interval.low <= found.interval.low + 1e-9
        assert wider.interval.high >= found.interval.high - 1e-9
    if rule is guarded_ppi:
        assert found.interval.low <= found.estimate <= found.interval.high


@given(judged())
def test_a_judge_of_the_opposite_mirrors_everything(given_: tuple) -> None:
    passed, n, labels = given_
    mirrored = Verdicts(caught=labels.cleared, passes=labels.fails, cleared=labels.caught, fails=labels.passes)
    one, two = guarded_ppi(passed, n, labels), guarded_ppi(n - passed, n, mirrored)
    assert one.estimate == pytest.approx(1 - two.estimate, abs=1e-9)
    assert one.interval.low == pytest.approx(1 - two.interval.high, abs=1e-9)


@given(st.integers(1, 300), st.integers(1, 300))
def test_labels_that_all_agree_give_no_zero_width(n: int, labels: int) -> None:
    perfect = Verdicts(caught=labels, passes=labels, cleared=0, fails=0)
    found = guarded_ppi(n, n, perfect)
    assert found.estimate == 1
    assert found.interval.width > 0
    # What the plain interval says of the same labels.
    assert prediction_powered(n, n, perfect).interval.width == 0
    z2 = 1.959963985**2
    expected = max(0.0, 1 - math.hypot(z2 / (n + z2), z2 / (labels + z2)))
    assert found.interval.low == pytest.approx(expected, abs=1e-6)


def test_many_labels_or_many_verdicts_leave_one_part() -> None:
    many = guarded_ppi(780, 1_000, Verdicts(caught=76e7, passes=80e7, cleared=18e7, fails=20e7)).interval
    wilson = wilson_interval(780, 1_000)
    assert many.low == pytest.approx(wilson.low + 0.02, abs=1e-4)
    assert many.high == pytest.approx(wilson.high + 0.02, abs=1e-4)
    certain = guarded_ppi(78e7, 1e9, Verdicts(caught=76, passes=80, cleared=18, fails=20)).interval
    tango = tango_interval(4, 2, 100)
    assert certain.low == pytest.approx(0.78 + tango.low, abs=1e-4)
    assert certain.high == pytest.approx(0.78 + tango.high, abs=1e-4)
    # With error rates known for sure, Lang and Reiczigel's ends are Agresti and Coull's, carried over.
    known = lang_reiczigel(300, 400, Verdicts(caught=9e9, passes=1e10, cleared=8e9, fails=1e10)).interval
    z = 1.959963985
    centre = (300 + z * z / 2) / (400 + z * z)
    half = z * math.sqrt(centre * (1 - centre) / (400 + z * z))
    assert known.low == pytest.approx((centre - half - 0.2) / 0.7, abs=1e-6)
    assert known.high == pytest.approx((centre + half - 0.2) / 0.7, abs=1e-6)


def test_the_prediction_powered_mean_is_that_of_the_cases() -> None:
    stream = np.random.default_rng(4)
    label = stream.random(200) < 0.7
    verdict = np.where(stream.random(200) < 0.9, label, ~label)
    rest = stream.random(800) < 0.66
    labels = Verdicts(
        caught=(label & verdict).sum(), passes=label.sum(), cleared=(~label & ~verdict).sum(), fails=(~label).sum()
    )
    found = prediction_powered(rest.sum(), 800, labels)
    shift = label.astype(float) - verdict
    assert found.estimate == pytest.approx(rest.mean() + shift.mean())
    assert found.std_error == pytest.approx(math.sqrt(rest.var() / 800 + shift.var() / 200))
    assert guarded_ppi(rest.sum(), 800, labels).estimate == found.estimate


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda: rogan_gladen(0.5, 0.4, 0.5), "The judge passes 40.0 % of what truly passes and 50.0 % of what"),
        (lambda: guarded_ppi(5, 4, LABELS), "passed: got 5"),
        (lambda: guarded_ppi(5, 0, LABELS), "n: got 0"),
        (lambda: guarded_ppi(3, 4, Verdicts(caught=0, passes=0, cleared=0, fails=0)), "n: got 0"),
        (lambda: lang_reiczigel(3, 4, Verdicts(caught=9, passes=9, cleared=0, fails=0)), "labels of both kinds"),
        (lambda: rogan_gladen_interval(3, 4, Verdicts(caught=0, passes=0, cleared=3, fails=9)), "labels of both kinds"),
        (lambda: combined_ppi((0.5, 0.4, 0.6), (0.0, -0.1, 0.1), confidence=95), "Did you mean 0.95?"),
    ],
)
def test_refusals(ask: object, text: str) -> None:
    with pytest.raises((ArgumentError, ScoreError)) as refusal:
        ask()  # type: ignore[operator]
    assert text in str(refusal.value)
