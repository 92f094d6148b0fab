"""Exact laws against resampling, and the coverage study of 25 cases against a plain script, as rows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from bench_clock import here, interleaved
from bench_rows import Bound, Row
from evalgauge.stats.bootstrap import bootstrap_mean_interval
from evalgauge.stats.sign_flip import sign_flip_test
from evalgauge.studies.coverage import coverage_study
from evalgauge.studies.coverage_results import StudyDesign
from evalgauge.studies.shapes import case_shape

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bench_clock import Settings

SEED, DRAWS = 11, 10_000
LATTICE_N, CONTINUOUS_N = 1_000_000, 10_000
# SciPy needs minutes for 10,000 resamples of a million cases; its time is proportional to their number.
SCIPY_DRAWS = 50
SIMS, CASES, REPS = 20_000, 25, (2, 10, 50)


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    rng = np.random.default_rng(SEED)
    return [
        _lattice(rng.integers(-10, 11, LATTICE_N), settings.repeats),
        _continuous(rng.normal(size=CONTINUOUS_N), settings.repeats),
        _sign_flip(rng.integers(-5, 6, CONTINUOUS_N) / 5, settings.repeats),
        _study(settings.repeats),
    ]


def _lattice(changes: NDArray[np.int64], repeats: int) -> Row:
    shifted = changes - changes.min()
    used = interleaved(
        {"project": here(lambda: bootstrap_mean_interval(changes)), "limit": here(lambda: np.bincount(shifted))},
        repeats,
    )
    # Seconds of work each time: once after the round that warms up.
    scipy = interleaved({"peer": here(lambda: _scipy_bootstrap(changes, SCIPY_DRAWS))}, 1)["peer"] * DRAWS / SCIPY_DRAWS
    return Row(
        job=f"bootstrap interval of a paired mean, {LATTICE_N:,} cases, k of 10",
        project=used["project"],
        peer_name=f"scipy.stats.bootstrap, {DRAWS:,} resamples, from the time of {SCIPY_DRAWS}",
        peer=scipy,
        goal=_at_least("≥ 1,000 × less than SciPy", scipy / used["project"], 1_000),
        limit=_at_most("≤ 5 × np.bincount over the data", used["project"] / used["limit"], 5),
    )


def _continuous(scores: NDArray[np.float64], repeats: int) -> Row:
    def gathered() -> None:
        stream = np.random.default_rng(SEED)
        for _ in range(DRAWS // 100):
            scores[stream.integers(0, scores.size, (100, scores.size))].mean(axis=1)

    used = interleaved(
        {"project": here(lambda: bootstrap_mean_interval(scores)), "limit": here(gathered)}, max(1, repeats // 2)
    )
    scipy = interleaved({"peer": here(lambda: _scipy_bootstrap(scores, DRAWS))}, max(1, repeats // 2))["peer"]
    return Row(
        job=f"bootstrap interval of a mean, {CONTINUOUS_N:,} cases, continuous scores",
        project=used["project"],
        peer_name=f"scipy.stats.bootstrap, {DRAWS:,} resamples",
        peer=scipy,
        goal=_at_least("≥ 5 × less than SciPy", scipy / used["project"], 5),
        limit=_at_most("≤ 2.5 × random numbers and gather", used["project"] / used["limit"], 2.5),
    )


def _sign_flip(changes: NDArray[np.float64], repeats: int) -> Row:
    def permuted() -> None:
        stats.permutation_test(
            (changes,), np.mean, permutation_type="samples", n_resamples=DRAWS - 1, batch=100, rng=SEED, vectorized=True
        )

    project = interleaved({"project": here(lambda: sign_flip_test(changes))}, repeats)["project"]
    scipy = interleaved({"peer": here(permuted)}, 1)["peer"]
    return Row(
        job=f"sign-flip test, {CONTINUOUS_N:,} cases",
        project=project,
        peer_name=f"scipy.stats.permutation_test, {DRAWS - 1:,} resamples",
        peer=scipy,
        goal=_at_least("≥ 500 × less than SciPy", scipy / project, 500),
    )


def _study(repeats: int) -> Row:
    def project() -> None:
        cases = case_shape("uniform:0.05:0.95").points(effect=0.10, effect_sd=0.15)
        for reps in REPS:
            design = StudyDesign(n_cases=CASES, reps=reps)
            coverage_study(cases, design, rules=["one_over_sqrt_nR", "per_case_wald"], sims=SIMS)

    used = interleaved({"project": here(project), "peer": here(_plain_study)}, repeats)
    times = used["project"] / used["peer"]
    return Row(
        job=f"coverage of two rules, {CASES} cases, R = {', '.join(map(str, REPS))}, {SIMS:,} evals where not exact",
        project=used["project"],
        peer_name="a plain NumPy script of the same",
        peer=used["peer"],
        goal=_at_most("≤ 1/3 of the script", times, 1 / 3),
    )


def _plain_study() -> list[tuple[float, float]]:
    """Simulate what an analyst would write: rates, effects, runs, and how often two intervals hold the truth."""
    found: list[tuple[float, float]] = []
    for reps in REPS:
        stream, size = np.random.default_rng(SEED), (SIMS, CASES)
        base = stream.uniform(0.05, 0.95, size)
        cand = np.clip(base + stream.normal(0.10, 0.15, size), 0, 1)
        changes = (stream.binomial(reps, cand) - stream.binomial(reps, base)) / reps
        away = np.abs(changes.mean(axis=1) - (cand - base).mean())
        half = 1.96 * changes.std(axis=1, ddof=1) / math.sqrt(CASES)
        found.append((float((away <= half).mean()), float((away <= 1 / math.sqrt(CASES * reps)).mean())))
    return found


def _scipy_bootstrap(scores: NDArray[np.generic], draws: int) -> object:
    batch = max(1, 1_000_000 // scores.size)
    return stats.bootstrap((scores,), np.mean, n_resamples=draws, method="percentile", batch=batch, rng=SEED)


def _at_least(text: str, measured: float, bound: float) -> Bound:
    return Bound(text=text, measured=measured, bound=bound, side="at least")


def _at_most(text: str, measured: float, bound: float) -> Bound:
    return Bound(text=text, measured=measured, bound=bound, side="at most")
