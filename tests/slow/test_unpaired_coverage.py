"""Coverage of the intervals for a difference of two arms on different cases: the spec, section 3."""
# ruff: noqa: T201  # each cell prints its figures

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from evalgauge.errors import ScoreError
from evalgauge.rules.unpaired import unpaired_intervals
from evalgauge.stats.means import effective_n_wilson_limits
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.quantiles import t_quantile
from evalgauge.stats.two_proportions import miettinen_nurminen_limits
from evalgauge.stats.unpaired_means import welch_t
from slow.test_coverage_single import RATES, Limits, covered, error, stream_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

pytestmark = pytest.mark.slow

EVALS = 4000
ROUNDING = 1e-12
CASES, REPS = (10, 25, 50, 100, 300), (2, 10)
# The spec does not name its five pairs. Of the shapes of section 8 these show its range for both rules.
PAIRS = (
    ("U(.05,.95)", "U(.05,.95)"),
    ("Beta(4,1)", "fixed .8"),
    ("U(.05,.95)", ".8 at 1, .1 at 0"),
    ("pass or fail .9", ".9 at 1, Beta(7,3)"),
    (".9 at 1, Beta(7,3)", ".9 at 1, Beta(7,3)"),
)


class Cell(NamedTuple):
    """Coverage and lower miss of the product's choice, of MOVER everywhere, and of Welch's t."""

    chosen: tuple[float, float]
    mover: tuple[float, float]
    welch: tuple[float, float]


def mover_limits(base: np.ndarray, cand: np.ndarray) -> Limits:
    arms = [(arm.mean(axis=-1), *effective_n_wilson_limits(arm)[:2]) for arm in (base, cand)]
    return mover_difference_limits(arms[0], arms[1])


def chosen_limits(base: np.ndarray, cand: np.ndarray) -> Limits:
    """Return what the rules choose: Miettinen and Nurminen where every case mean of both arms is 0 or 1."""
    is_pass_fail = np.all([((arm == 0) | (arm == 1)).all(axis=-1) for arm in (base, cand)], axis=0)
    counts = [(arm.sum(axis=-1), arm.shape[-1]) for arm in (base, cand)]
    score = miettinen_nurminen_limits(*counts[0], *counts[1]) if is_pass_fail.any() else (0.0, 0.0)
    low, high = mover_limits(base, cand)
    return np.where(is_pass_fail, score[0], low), np.where(is_pass_fail, score[1], high)


def welch_limits(base: np.ndarray, cand: np.ndarray) -> Limits:
    """Welch's interval along the last axis; without width where no arm varies."""
    part1, part2 = (np.asarray(arm.var(axis=-1, ddof=1)) / arm.shape[-1] for arm in (base, cand))
    variance = part1 + part2
    spread = part1**2 / (base.shape[-1] - 1) + part2**2 / (cand.shape[-1] - 1)
    df: NDArray[np.float64] = np.divide(variance**2, spread, out=np.ones_like(variance), where=spread > 0)
    reach = t_quantile(0.95, df) * np.sqrt(variance)
    difference = cand.mean(axis=-1) - base.mean(axis=-1)
    return difference - reach, difference + reach


def test_the_studies_rules_are_the_products_rules() -> None:
    stream = stream_of("unpaired twin")
    seen: set[str] = set()
    for first, second in PAIRS:
        for n, reps in ((3, 1), (12, 2)):
            base, cand = (stream.binomial(reps, RATES[name].draw(stream, (6, n))) / reps for name in (first, second))
            (low, high), (welch_low, welch_high) = chosen_limits(base, cand), welch_limits(base, cand)
            for row in range(6):
                interval = unpaired_intervals(base[row], cand[row]).interval
                seen.add(interval.method)
                assert (interval.low, interval.high) == pytest.approx((low[row], high[row]), abs=1e-12)
                try:
                    student = welch_t(base[row], cand[row]).interval
                except ScoreError:
                    assert welch_low[row] == welch_high[row]
                else:
                    assert (student.low, student.high) == pytest.approx((welch_low[row], welch_high[row]), abs=1e-12)
    assert seen == {"mover", "miettinen-nurminen"}


@functools.cache
def cell(first: str, second: str, n: int, reps: int) -> Cell:
    stream = stream_of("unpaired", first, second, n, reps)
    base, cand = (stream.binomial(reps, RATES[name].draw(stream, (EVALS, n))) / reps for name in (first, second))
    truth = RATES[second].mean - RATES[first].mean
    found = [
        (float(covered(ends, truth).mean()), float((ends[0] > truth + ROUNDING).mean()))
        for ends in (rule(base, cand) for rule in (chosen_limits, mover_limits, welch_limits))
    ]
    return Cell(*found)


@pytest.mark.parametrize("second", RATES)
@pytest.mark.parametrize("first", RATES)
def test_every_pair_of_shapes(first: str, second: str) -> None:
    for n in CASES:
        for reps in REPS:
            found = cell(first, second, n, reps)
            print(f"n={n} R={reps} {first} -> {second}: " + ", ".join(f"{c:.3f}/{m:.3f}" for c, m in found))
            for coverage, lower_miss in (found.chosen, found.mover):
                assert coverage >= 0.937 - 4 * error(0.937, EVALS)
                assert lower_miss <= 0.031 + 4 * error(0.031, EVALS)


def test_fifty_cells() -> None:
    cells = [cell(*pair, n, reps) for pair in PAIRS for n in CASES for reps in REPS]
    worst = {name: min(getattr(one, name)[0] for one in cells) for name in Cell._fields}
    best = {name: max(getattr(one, name)[0] for one in cells) for name in Cell._fields}
    lower = {name: max(getattr(one, name)[1] for one in cells) for name in Cell._fields}
    print(worst, best, lower)
    both = math.sqrt(2)
    for name in ("chosen", "mover"):
        assert worst[name] == pytest.approx(0.937, abs=4 * both * error(0.937, EVALS) + 5e-4)
        assert best[name] >= 0.995
        assert lower[name] == pytest.approx(0.031, abs=4 * both * error(0.031, EVALS) + 5e-4)
    assert worst["welch"] == pytest.approx(0.672, abs=4 * both * error(0.672, EVALS) + 5e-4)
    assert best["welch"] == pytest.approx(0.999, abs=4 * both * error(0.999, EVALS) + 5e-4)
    assert lower["welch"] == pytest.approx(0.055, abs=4 * both * error(0.055, EVALS) + 5e-4)
