"""Coverage of the intervals for a change on the same cases: the spec, sections 2 and 8.

Every study calls the package's own formulas, which take many logs at once; one run a case is enumerated exactly.
Bands are four Monte-Carlo errors; a figure that another study measured carries that study's error too, and half of its
last digit. Run with ``-s`` to see each cell's figures.
"""
# ruff: noqa: T201  # each cell prints its figures

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pytest

from evalgauge.rules.paired import paired_intervals
from evalgauge.stats.hull import hull_limits
from evalgauge.stats.paired_means import paired_t_limits, tie_aware_t_limits
from evalgauge.stats.paired_proportions import tango_limits
from slow.arms import CEILING, POPULATIONS, Limits, breaks, chance, ordinary_limits, tables
from slow.test_coverage_single import covered, error, stream_of

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.slow

EVALS = 20_000
CLAIMED_EVALS = 4000
ROUNDING = 1e-12


class Figures(NamedTuple):
    """What a study finds of one rule: shares of logs, mean width, and the spread of the widths of drawn logs."""

    coverage: float
    lower_miss: float
    width: float
    width_sd: float = 0.0

    def __str__(self) -> str:
        return f"{self.coverage:.3f}/{self.lower_miss:.3f}/{self.width:.3f}"


def figures(limits: Limits, truth: float, weights: np.ndarray | None = None) -> Figures:
    low, high = (np.clip(end, -1, 1) for end in limits)
    mean = functools.partial(np.average, weights=weights)
    width = high - low
    return Figures(
        float(mean(covered((low, high), truth))),
        float(mean(low > truth + ROUNDING)),
        float(mean(width)),
        float(width.std()),
    )


def test_the_studies_rule_is_the_products_rule() -> None:
    stream = stream_of("paired twin")
    seen: set[str] = set()
    for n in (2, 12, 40):
        for reps in (1, 2, 5):
            for cases in (*POPULATIONS.values(), *CEILING.values()):
                logs = np.vstack([cases.deltas(stream, reps, (4, n)), np.full((1, n), stream.integers(-1, 2) / reps)])
                (low, high), (safe_low, safe_high) = ordinary_limits(logs)
                for row, log in enumerate(logs):
                    answer = paired_intervals(log)
                    seen.add(answer.interval.method)
                    expected = (answer.interval.low, answer.interval.high, answer.guarded.low, answer.guarded.high)
                    found = (low[row], high[row], safe_low[row], safe_high[row])
                    assert found == pytest.approx(expected, abs=1e-12)
    assert seen == {"tango", "hull", "tie-aware t"}


STUDENT_AND_HULL: dict[str, Callable[[np.ndarray], Limits]] = {
    "plain t": paired_t_limits,
    "tie-aware t": tie_aware_t_limits,
    "hull": lambda deltas: hull_limits(deltas)[:2],
}
SPREAD_OUT, SATURATED = POPULATIONS["U(.05,.95), +.10 sd .15"], POPULATIONS[".75 at 1, 12 % move +.3"]
# The spec 2, coverage / lower miss / width by rule: cases, n, R, then plain t, tie-aware t and hull.
CLAIMED = {
    ("25-case scenario", 25, 2): ((0.950, 0.027, 0.358), (0.957, 0.021, 0.359), (0.968, 0.017, 0.377)),
    ("25-case scenario", 25, 10): ((0.948, 0.028, 0.189), (0.950, 0.026, 0.189), (0.990, 0.004, 0.242)),
    ("25-case scenario", 100, 10): ((0.943, 0.023, 0.092), (0.945, 0.021, 0.092), (0.963, 0.015, 0.099)),
    ("saturated", 10, 2): ((0.623, 0.000, 0.206), (1.000, 0.000, 0.469), (1.000, 0.000, 0.635)),
    ("saturated", 50, 10): ((0.910, 0.007, 0.069), (0.934, 0.003, 0.075), (0.998, 0.000, 0.123)),
    ("5 % break", 25, 10): ((0.720, 0.279, 0.161), (0.719, 0.281, 0.166), (1.000, 0.000, 0.253)),
    ("5 % break", 100, 10): ((0.910, 0.084, 0.086), (0.912, 0.084, 0.087), (0.959, 0.038, 0.103)),
    ("2 % break", 50, 10): ((0.775, 0.224, 0.078), (0.777, 0.222, 0.079), (0.998, 0.002, 0.121)),
    ("2 % break", 300, 10): ((0.921, 0.068, 0.034), (0.923, 0.068, 0.034), (0.949, 0.043, 0.038)),
}
SCENARIOS = {
    "25-case scenario": SPREAD_OUT,
    "saturated": SATURATED,
    "5 % break": breaks(0.05),
    "2 % break": breaks(0.02),
}


@functools.cache
def claimed_cell(scenario: str, n: int, reps: int) -> dict[str, Figures]:
    cases = SCENARIOS[scenario]
    deltas = cases.deltas(stream_of("claimed", scenario, n, reps), reps, (EVALS, n))
    return {name: figures(rule(deltas), cases.change) for name, rule in STUDENT_AND_HULL.items()}


def two_studies(share: float) -> float:
    """Return the band around another study's share: 4 errors of both studies, and half of the last digit."""
    # A full share is written with two digits.
    return 4 * math.hypot(error(share, EVALS), error(share, CLAIMED_EVALS)) + (5e-3 if share == 1 else 5e-4)


@pytest.mark.parametrize(("scenario", "n", "reps"), CLAIMED)
def test_claimed_figures(scenario: str, n: int, reps: int) -> None:
    cell = claimed_cell(scenario, n, reps)
    for (name, found), claimed in zip(cell.items(), CLAIMED[scenario, n, reps], strict=True):
        print(f"{scenario} n={n} R={reps} {name}: {found}")
        if (scenario, n, name) == ("saturated", 10, "tie-aware t"):
            # The spec says 1.00/.000/.469, which fits a study that gave logs without any change the width of h = 1. The
            # formula as it is written has no width there; the product gives the guarded interval instead.
            assert found.coverage == pytest.approx(0.618, abs=4 * error(0.618, EVALS))
            assert found.width == pytest.approx(0.255, abs=4 * found.width_sd / math.sqrt(EVALS) + 5e-4)
            continue
        assert found.coverage == pytest.approx(claimed[0], abs=two_studies(claimed[0]))
        assert found.lower_miss == pytest.approx(claimed[1], abs=two_studies(claimed[1]))
        width, studies = claimed[2], (EVALS, CLAIMED_EVALS)
        if (scenario, n) == ("saturated", 50):
            # The spec does not say what the other 6 % of cases are: with U(0,1) every coverage agrees with its figures,
            # and every width is .006 (Student) or .013 (hull) less.
            width, studies = {"plain t": 0.063, "tie-aware t": 0.069, "hull": 0.110}[name], (EVALS, EVALS)
        error_of_mean = found.width_sd * math.hypot(*(evals**-0.5 for evals in studies))
        assert found.width == pytest.approx(width, abs=4 * error_of_mean + 5e-4)


@functools.cache
def grid_cell(name: str, n: int, reps: int) -> tuple[Figures, Figures]:
    """Figures of the interval and of the guarded interval that the product chooses."""
    cases = {**POPULATIONS, **CEILING}[name]
    if reps == 1 or name == "flips":
        # One run a case, or reps that always agree: Tango's interval, and every log can be counted.
        wins, losses = tables(n)
        exact = figures(tango_limits(wins, losses, n), cases.change, chance(wins, losses, n, *cases.flips()))
        return exact, exact
    chosen, guarded = ordinary_limits(cases.deltas(stream_of("grid", n, reps, name), reps, (EVALS, n)))
    return figures(chosen, cases.change), figures(guarded, cases.change)


# From 40,000 logs a cell: the least coverage and the most lower misses at each n; the spec gives none for this grid.
# All that is below .95 or above .025 by more than Monte-Carlo error is Tango's interval on one run a case or flips.
LEAST_COVERAGE = {10: 0.955, 25: 0.951, 50: 0.948, 100: 0.949}
MOST_LOWER_MISSES = {10: 0.023, 25: 0.024, 50: 0.026, 100: 0.034}


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("reps", [1, 2, 5, 20])
@pytest.mark.parametrize("n", [10, 25, 50, 100])
def test_the_choice_of_rule_over_the_grid(n: int, reps: int, name: str) -> None:
    chosen, guarded = grid_cell(name, n, reps)
    print(f"n={n} R={reps} {name}: {chosen}, guarded {guarded}")
    is_exact = reps == 1 or name == "flips"
    floor, ceiling = LEAST_COVERAGE[n], MOST_LOWER_MISSES[n]
    assert chosen.coverage >= floor - (5e-4 if is_exact else 4 * error(floor, EVALS))
    assert chosen.lower_miss <= ceiling + (5e-4 if is_exact else 4 * error(ceiling, EVALS))
    assert guarded.coverage >= chosen.coverage
    assert guarded.width >= chosen.width > 0


# Coverage of the interval and of the guarded one, the least over R = 1, 2, 5, 20, from 40,000 logs. Outside the promise
# of the interval: it is blind to rare breaks and mends once ten cases moved by run noise. The guarded one is not.
NEAR_CEILING: dict[str, dict[int, tuple[float, float]]] = {
    "both .98": {10: (1.0, 1.0), 25: (0.967, 0.998), 50: (0.957, 0.987), 100: (0.953, 0.959)},
    ".95 to .98": {10: (0.998, 1.0), 25: (0.953, 0.992), 50: (0.951, 0.978), 100: (0.936, 0.936)},
    ".9 at 1, Beta(7,3), identical": {10: (1.0, 1.0), 25: (0.998, 0.998), 50: (0.988, 0.988), 100: (0.960, 0.960)},
    ".98, 2 % mend": {10: (1.0, 1.0), 25: (0.723, 0.998), 50: (0.681, 0.971), 100: (0.864, 0.941)},
    ".98, 2 % break": {10: (1.0, 1.0), 25: (0.721, 0.998), 50: (0.683, 0.971), 100: (0.866, 0.941)},
    ".98, 5 % break": {10: (1.0, 1.0), 25: (0.766, 0.994), 50: (0.915, 0.931), 100: (0.910, 0.953)},
}


@pytest.mark.parametrize("name", CEILING)
@pytest.mark.parametrize("n", [10, 25, 50, 100])
def test_the_choice_of_rule_near_the_ceiling(n: int, name: str) -> None:
    cells = {reps: grid_cell(name, n, reps) for reps in (1, 2, 5, 20)}
    for reps, (chosen, guarded) in cells.items():
        print(f"n={n} R={reps} {name}: {chosen}, guarded {guarded}")
    for which, expected in enumerate(NEAR_CEILING[name][n]):
        least = min(pair[which].coverage for pair in cells.values())
        assert least == pytest.approx(expected, abs=4 * error(expected, EVALS) + 5e-4)


@pytest.mark.parametrize("name", [".98, 2 % break", ".98, 5 % break"])
@pytest.mark.parametrize("reps", [1, 2, 5, 20])
@pytest.mark.parametrize("n", [10, 25, 50, 100])
def test_unseen_breaks_are_not_called_better(n: int, reps: int, name: str) -> None:
    (low, _), _ = ordinary_limits(CEILING[name].deltas(stream_of("better", n, reps, name), reps, (EVALS, n)))
    share = float((low > 0).mean())
    print(f"n={n} R={reps} {name}: called better {share:.4f}")
    assert share <= 0.025 + 4 * error(0.025, EVALS)
