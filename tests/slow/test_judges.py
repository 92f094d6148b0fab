"""Corrections of a judge: the table of what each rule covers, and the guarded rule where labels are few."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from evalgauge.errors import EvalgaugeError
from evalgauge.stats.judged import Verdicts, guarded_ppi, lang_reiczigel, prediction_powered, rogan_gladen_interval
from evalgauge.stats.proportion import wilson_interval

pytestmark = pytest.mark.slow

EVALS = 4_000
# Coverage and mean width: rate .8, sensitivity .95, specificity .9, 1,000 judged cases and 100 labels.
TABLE = {
    "uncorrected": (0.64, None),
    "labelled only": (0.938, None),
    "rogan-gladen": (0.964, 0.128),
    "ppi": (0.945, 0.107),
}


class Judge(NamedTuple):
    """A true rate, a judge, and how much was judged and labelled."""

    rate: float
    sensitivity: float
    specificity: float
    judged: int
    labels: int


def drawn(judge: Judge, stream: np.random.Generator) -> tuple[int, Verdicts]:
    """Return passed cases without a label, and how the judge did on the others."""
    passes = int(stream.binomial(judge.labels, judge.rate))
    fails = judge.labels - passes
    share = judge.rate * judge.sensitivity + (1 - judge.rate) * (1 - judge.specificity)
    return int(stream.binomial(judge.judged, share)), Verdicts(
        caught=int(stream.binomial(passes, judge.sensitivity)),
        passes=passes,
        cleared=int(stream.binomial(fails, judge.specificity)),
        fails=fails,
    )


def test_the_table_of_judges() -> None:
    judge = Judge(0.8, 0.95, 0.9, 1_000, 100)
    stream = np.random.default_rng(6)
    held: dict[str, list[bool]] = {}
    width: dict[str, list[float]] = {}
    for _ in range(EVALS):
        passed, verdicts = drawn(judge, stream)
        intervals = {
            "uncorrected": wilson_interval(passed, judge.judged),
            "labelled only": wilson_interval(verdicts.passes, judge.labels),
            "rogan-gladen": rogan_gladen_interval(passed, judge.judged, verdicts).interval,
            "ppi": prediction_powered(passed, judge.judged, verdicts).interval,
        }
        for name, interval in intervals.items():
            held.setdefault(name, []).append(interval.low <= judge.rate <= interval.high)
            width.setdefault(name, []).append(interval.width)
    for name, (coverage, mean_width) in TABLE.items():
        # The table comes from 2,500 to 4,000 evals itself, so that both err; its last digit is rounded.
        error = math.sqrt(coverage * (1 - coverage) * 2 / EVALS)
        digits = 0.005 if coverage == 0.64 else 0.0005
        assert abs(np.mean(held[name]) - coverage) < 4 * error + digits, name
        if mean_width is not None:
            spread = float(np.std(width[name])) * math.sqrt(2 / EVALS)
            assert abs(np.mean(width[name]) - mean_width) < 4 * spread + 0.0005, name
    # Wilson on the labels alone can be counted out.
    counts = np.arange(101)
    law = stats.binom.pmf(counts, 100, 0.8)
    ends = [wilson_interval(int(count), 100) for count in counts]
    inside = np.array([one.low <= 0.8 <= one.high for one in ends])
    assert abs(np.mean(held["labelled only"]) - law[inside].sum()) < 4 * math.sqrt(0.24 * 0.25 / EVALS)
    exact_width = float(law @ np.array([one.width for one in ends]))
    assert np.mean(width["labelled only"]) == pytest.approx(exact_width, abs=4 * np.std(width["labelled only"]) / 63)


FEW = [
    Judge(0.8, 0.95, 0.9, 1_000, 20),
    Judge(0.8, 0.95, 0.9, 1_000, 50),
    Judge(0.8, 0.95, 0.9, 1_000, 100),
    Judge(0.95, 0.97, 0.8, 500, 30),
    Judge(0.97, 0.995, 0.9, 500, 50),
    Judge(0.5, 0.8, 0.8, 300, 30),
    Judge(0.9, 0.9, 0.6, 2_000, 200),
    Judge(0.9, 1.0, 0.5, 200, 100),
]


@pytest.mark.parametrize("judge", FEW, ids=str)
def test_the_guarded_rule_and_that_of_lang_and_reiczigel_hold_with_few_labels(judge: Judge) -> None:
    stream = np.random.default_rng([judge.labels, judge.judged, int(100 * judge.rate)])
    guarded = answered = held = 0
    for _ in range(EVALS):
        passed, verdicts = drawn(judge, stream)
        interval = guarded_ppi(passed, judge.judged, verdicts).interval
        guarded += interval.low <= judge.rate <= interval.high
        try:
            interval = lang_reiczigel(passed, judge.judged, verdicts).interval
        except EvalgaugeError:
            continue
        answered += 1
        held += interval.low <= judge.rate <= interval.high
    error = math.sqrt(0.95 * 0.05 / EVALS)
    assert guarded / EVALS > 0.95 - 4 * error
    assert held / answered > 0.95 - 4 * error
