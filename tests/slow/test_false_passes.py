"""How often a gate passes a candidate that is exactly as much worse as the margin allows: the spec, section 2.

One run a case is enumerated exactly. Otherwise cases break completely, reps hide it, and logs are drawn.
"""
# ruff: noqa: T201  # each cell prints its figures

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

from evalgauge.stats.clusters import cr2_df, cr2_variance
from evalgauge.stats.hull import hull
from evalgauge.stats.paired_means import paired_t_limits
from evalgauge.stats.paired_proportions import paired_wald_limits, tango_limits
from evalgauge.stats.quantiles import normal_quantile, t_quantile
from slow.arms import breaks, chance, ordinary_limits, tables
from slow.test_coverage_single import error, stream_of

pytestmark = pytest.mark.slow

ROUNDING = 1e-12
EVALS = 10_000
# Logs of one array: more would not fit a small machine.
MOST_DELTAS = 2_000_000


def worst_false_pass(low: np.ndarray, n: int, margin: float, *, most_changed: float = 1.0) -> float:
    """Return the largest chance of a pass where losses outweigh wins by exactly ``margin``."""
    wins, losses = (count[low > -margin] for count in tables(n))
    # Near 0 wins the chance bends most.
    points = (most_changed - margin) / 2 * np.linspace(0, 1, 200 if n <= 100 else 60) ** 2
    return max(float(chance(wins, losses, n, win, win + margin).sum()) for win in points)


def t_low(n: int) -> np.ndarray:
    """Return the low end of Student's interval for every pass/fail log of ``n`` cases."""
    wins, losses = (count[:, None] for count in tables(n))
    case, ends = np.arange(n), list[np.ndarray]()
    for part in np.array_split(np.arange(wins.size), 1 + wins.size * n // MOST_DELTAS):
        lost = (case >= wins[part]) & (case < wins[part] + losses[part])
        ends.append(paired_t_limits((case < wins[part]).astype(float) - lost)[0])
    return np.concatenate(ends)


@pytest.mark.parametrize(("n", "claimed"), [(10, 0.82), (30, 0.55), (100, 0.13), (300, 0.07)])
def test_wald_and_t_let_breaks_pass(n: int, claimed: float) -> None:
    wald = worst_false_pass(paired_wald_limits(*tables(n), n)[0], n, 0.02)
    student = worst_false_pass(t_low(n), n, 0.02)
    print(f"n={n}: wald {wald:.4f}, t {student:.4f}")
    assert wald == pytest.approx(claimed, abs=5e-3)
    assert student == pytest.approx(claimed, abs=5e-3)


TANGO_MARGINS = (0.01, 0.02, 0.03, 0.05, 0.1)


@pytest.mark.parametrize("n", [10, 15, 20, 25, 30, 40, 50, 72, 100, 183, 200, 300])
def test_tango_holds_the_margin(n: int) -> None:
    low = tango_limits(*tables(n), n)[0]
    usual = {margin: worst_false_pass(low, n, margin, most_changed=0.8) for margin in TANGO_MARGINS}
    every = {margin: worst_false_pass(low, n, margin) for margin in TANGO_MARGINS}
    print(f"n={n}: {', '.join(f'{m} {usual[m]:.4f} / {every[m]:.4f}' for m in TANGO_MARGINS)}")
    # The spec says ".031 at every n and margin tried"; that holds while at most 80 % of the cases change.
    assert max(usual.values()) <= 0.0315
    # Where nearly every case changes, the score of a few cases is too discrete.
    assert max(every.values()) <= (0.0485 if n < 50 else 0.0320)
    if n == 10:
        assert every[0.02] == pytest.approx(0.048, abs=5e-4)


@pytest.mark.parametrize(("n", "claimed"), [(10, 0.278), (25, 0.133), (50, 0.071), (100, 0.037)])
def test_no_changed_case_is_not_certainty(n: int, claimed: float) -> None:
    z = normal_quantile(0.95)
    low, high = tango_limits(0, 0, n)
    assert float(high) == pytest.approx(z * z / (n + z * z), abs=1e-12)
    assert float(low) == pytest.approx(-float(high), abs=1e-12)
    assert float(high) == pytest.approx(claimed, abs=5e-4)


@functools.cache
def guarded_false_pass(n: int, margin: float, rate: float, reps: int) -> float:
    """Both arms pass a run with ``rate``, but for cases that break: so many that the change is exactly the margin."""
    deltas = breaks(margin / rate, rate).deltas(stream_of("breaks", n, margin, rate, reps), reps, (EVALS, n))
    return float((ordinary_limits(deltas)[1][0] > -margin + ROUNDING).mean())


@pytest.mark.parametrize(("n", "margin", "claimed"), [(50, 0.05, 0.053), (200, 0.02, 0.044)])
def test_hull_false_passes_as_claimed(n: int, margin: float, claimed: float) -> None:
    # The spec does not state the set; both arms .98 and 10 reps, as in its table of coverage, gives its figures.
    found = guarded_false_pass(n, margin, 0.98, 10)
    print(f"n={n} margin={margin}: {found:.4f}")
    assert found == pytest.approx(claimed, abs=4 * math.hypot(error(claimed, EVALS), error(claimed, 4000)) + 5e-4)


RATES = (0.95, 0.98, 0.99, 0.995)
# The worst of four rates by margin and n, for 2, 10 and 50 reps, from 30,000 to 40,000 logs. the spec says .053 and
# "about 5 %", which is right for 10 reps of arms at .98. With many reps of cases that nearly always pass, every loss
# that shows is small, and the hull trusts the spread of those as a Student interval does: .065 at or above the hard
# floor of the spec (368, 183, 122, 72, 36 cases for 1, 2, 3, 5, 10 points), .098 below it.
WORST = {
    (0.01, 400): (0.0253, 0.0472, 0.0648),
    (0.02, 100): (0.0231, 0.0550, 0.0695),
    (0.02, 120): (0.0229, 0.0703, 0.0870),
    (0.02, 183): (0.0253, 0.0431, 0.0498),
    (0.02, 200): (0.0236, 0.0445, 0.0586),
    (0.02, 300): (0.0247, 0.0395, 0.0452),
    (0.03, 140): (0.0254, 0.0429, 0.0634),
    (0.05, 45): (0.0226, 0.0744, 0.0984),
    (0.05, 50): (0.0295, 0.0664, 0.0795),
    (0.05, 72): (0.0238, 0.0408, 0.0314),
    (0.05, 90): (0.0244, 0.0427, 0.0514),
    (0.05, 200): (0.0250, 0.0307, 0.0289),
    (0.10, 22): (0.0230, 0.0590, 0.0960),
    (0.10, 25): (0.0236, 0.0605, 0.0707),
    (0.10, 36): (0.0232, 0.0297, 0.0234),
    (0.10, 100): (0.0244, 0.0266, 0.0222),
}


@pytest.mark.parametrize(("margin", "n"), WORST)
def test_hull_false_passes_at_worst(margin: float, n: int) -> None:
    for reps, expected in zip((2, 10, 50), WORST[margin, n], strict=True):
        worst = max(guarded_false_pass(n, margin, rate, reps) for rate in RATES)
        print(f"margin={margin} n={n} R={reps}: {worst:.4f}")
        assert worst == pytest.approx(expected, abs=4 * math.hypot(error(expected, EVALS), error(expected, 3 * EVALS)))


@pytest.mark.parametrize("reps", [1, 10])
@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
@pytest.mark.parametrize("rate", [1.0, 0.98, 0.8])
def test_whole_clusters_that_break(rate: float, margin: float, reps: int) -> None:
    evals, codes, sizes = 2000, np.repeat(np.arange(10), 10), np.full(10, 10.0)
    stream = stream_of("clusters", rate, margin, reps)
    is_broken = np.repeat(stream.random((evals, 10)) < margin / rate, 10, axis=1)
    base = stream.binomial(reps, rate, (evals, 100))
    deltas = (stream.binomial(reps, np.where(is_broken, 0, rate)) - base) / reps
    sums = deltas.reshape(evals, 10, 10).sum(axis=-1)
    reach = t_quantile(0.95, cr2_df(sizes)) * np.sqrt(cr2_variance(sums, sizes))
    student = float((sums.sum(axis=-1) / 100 - reach > -margin).mean())
    guarded = float(np.mean([hull(log, clusters=codes).interval.low > -margin for log in deltas]))
    print(f"rate={rate} margin={margin} R={reps}: cr2 t {student:.3f}, hull {guarded:.4f}")
    assert guarded <= 0.007
    if (rate, margin) == (1.0, 0.02):
        assert student == pytest.approx(0.98**10, abs=4 * error(0.817, evals))
        assert student == pytest.approx(0.81, abs=4 * math.hypot(error(0.81, evals), error(0.81, 2500)) + 5e-3)
