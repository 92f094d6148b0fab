"""The exact law of the bootstrapped mean against full enumeration and SciPy's resampling."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from evalgauge.errors import ArgumentError
from evalgauge.stats.bootstrap import bootstrap_limits, bootstrap_mean_interval
from evalgauge.stats.lattice import (
    fast_length,
    multinomial_chances,
    multisets,
    n_multisets,
    pair_sum_law,
    power,
    sum_law,
)

SMALL = ([0, 1, 1, 2], [1, 1, 1, 0, 1], [-2, 0, 0, 3, 1], [0.25, 0.5, 0.5, 1.0, 0.0])


@pytest.mark.parametrize("confidence", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("scores", SMALL, ids=str)
def test_percentile_ends_are_those_of_all_resamples(scores: list[float], confidence: float) -> None:
    means = np.sort([math.fsum(pick) / len(scores) for pick in itertools.product(scores, repeat=len(scores))])
    tail = (1 - confidence) / 2
    # The least mean that at least this share of all resamples does not pass.
    expected = [means[math.ceil(level * means.size - 1e-9) - 1] for level in (tail, 1 - tail)]
    found = bootstrap_mean_interval(scores, confidence=confidence)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)
    assert found.method == "percentile bootstrap (exact)"


# BCa of a few atoms far from the rest goes by tails that 20,000 draws hardly reach, in SciPy too.
SCIPY = [(case, kind) for case in ("lattice", "smooth", "few") for kind in ("percentile", "BCa")]


@pytest.mark.parametrize(("case", "scipys"), [*SCIPY, ("atoms", "percentile")])
def test_scipy_resamples_agree(case: str, scipys: str) -> None:
    rng = np.random.default_rng([7, *case.encode()])
    scores = {
        "lattice": rng.binomial(4, 0.8, 60) / 4,
        "smooth": rng.beta(8, 2, 300),
        "few": rng.beta(2, 2, 12),
        "atoms": np.where(rng.random(100) < 0.97, 1.0, rng.random(100)),
    }[case]
    draws = 20_000
    peer = stats.bootstrap((scores,), np.mean, n_resamples=draws, method=scipys, rng=1, batch=2_000).confidence_interval
    found = bootstrap_mean_interval(scores, kind=scipys.lower())  # type: ignore[arg-type]
    # The error of a resampled 2.5 % quantile, in standard errors of the mean; the lattice adds a step.
    error = math.sqrt(0.025 * 0.975 / draws) / stats.norm.pdf(1.96) * scores.std() / math.sqrt(scores.size)
    ours = error * math.sqrt(2) if "draws" in found.method else 0.0
    step = 1 / 240 if case == "lattice" else 0.0
    assert (found.low, found.high) == pytest.approx((peer.low, peer.high), abs=5 * math.hypot(error, ours) + step)
    assert ("exact" in found.method, "Fourier" in found.method) == (case == "lattice", case == "smooth")


def test_frequencies_find_the_quantiles_of_the_exact_law() -> None:
    """A lattice too fine to be seen as one goes by its frequencies; it must agree with the law of the coarse one."""
    rng = np.random.default_rng(4)
    coarse = rng.integers(0, 1_001, 500) / 1_000
    exact = bootstrap_mean_interval(coarse)
    fine = bootstrap_mean_interval(coarse + rng.uniform(-1e-7, 1e-7, coarse.size))
    assert (exact.method, fine.method) == ("percentile bootstrap (exact)", "percentile bootstrap (Fourier)")
    assert (fine.low, fine.high) == pytest.approx((exact.low, exact.high), abs=1e-3 / coarse.size + 1e-6)


@pytest.mark.parametrize("kind", ["percentile", "bca"])
def test_many_cases_take_a_short_cut_to_the_same_ends(kind: str) -> None:
    steps = np.random.default_rng(2).integers(-10, 11, 60_000)
    found = bootstrap_mean_interval(steps, kind=kind)  # type: ignore[arg-type]
    counts = np.bincount(steps + 10)[np.newaxis]
    low, high = bootstrap_limits(counts, kind=kind)  # type: ignore[arg-type]
    assert (found.low, found.high) == pytest.approx((low[0] - 10, high[0] - 10), abs=1e-9)


def test_a_million_cases_agree_with_the_normal_law() -> None:
    steps = np.random.default_rng(3).integers(-10, 11, 1_000_000)
    found = bootstrap_mean_interval(steps)
    half = 1.959964 * steps.std() / 1_000
    assert (found.low, found.high) == pytest.approx((steps.mean() - half, steps.mean() + half), abs=2e-5)


def test_equal_scores_have_no_width() -> None:
    found = bootstrap_mean_interval([0.7, 0.7, 0.7])
    assert found.low == found.high == pytest.approx(0.7)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=25), st.integers(-3, 3), st.sampled_from([0.5, 0.9, 0.99]))
def test_shifting_and_scaling_move_the_ends_along(scores: list[int], shift: int, confidence: float) -> None:
    plain = bootstrap_mean_interval(scores, confidence=confidence)
    moved = bootstrap_mean_interval([0.25 * score + shift for score in scores], confidence=confidence)
    assert (moved.low, moved.high) == pytest.approx((0.25 * plain.low + shift, 0.25 * plain.high + shift), abs=1e-9)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=20), st.integers(0, 2**32))
def test_the_order_of_the_cases_does_not_matter(scores: list[int], seed: int) -> None:
    mixed = np.random.default_rng(seed).permutation(scores)
    for kind in ("percentile", "bca"):
        assert bootstrap_mean_interval(mixed, kind=kind) == bootstrap_mean_interval(scores, kind=kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("scores", "more", "text"),
    [
        ([], {}, "scores: got '0 values', allowed is at least 1."),
        ([math.nan, 1.0], {}, "1 values that are NaN or infinite"),
        ([1, 0], {"kind": "basic"}, "kind: got 'basic', allowed is 'percentile' or 'bca'."),
        ([1, 0], {"confidence": 95}, "Did you mean 0.95?"),
    ],
)
def test_refusals(scores: list[float], more: dict[str, object], text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        bootstrap_mean_interval(scores, **more)  # type: ignore[arg-type]
    assert text in str(caught.value)


@pytest.mark.parametrize("n", [1, 2, 7, 40])
def test_the_law_of_a_sum_is_the_repeated_convolution(n: int) -> None:
    masses = np.array([0.2, 0.0, 0.5, 0.3])
    expected = np.ones(1)
    for _ in range(n):
        expected = np.convolve(expected, masses)
    assert sum_law(masses, n) == pytest.approx(expected, abs=1e-14)


def test_the_joint_law_of_two_sums_is_that_of_all_logs() -> None:
    first, second, masses = np.array([0, 1, 2]), np.array([0, 0, 1]), np.array([0.5, 0.3, 0.2])
    logs = multisets(9, 3)
    chances = multinomial_chances(logs, masses)
    assert len(logs) == n_multisets(9, 3) == 55
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    expected: dict[tuple[int, int], float] = {}
    for log, chance in zip(logs, chances, strict=True):
        sums = int(log @ first), int(log @ second)
        expected[sums] = expected.get(sums, 0.0) + chance
    one, two, found = pair_sum_law(first, second, masses, 9)
    assert dict(zip(zip(one.tolist(), two.tolist(), strict=True), found, strict=True)) == pytest.approx(
        {sums: chance for sums, chance in expected.items() if chance > 1e-15}, abs=1e-14
    )


@given(st.integers(1, 60), st.floats(0.001, 1), st.floats(-3, 3))
def test_powers(exponent: int, size: float, angle: float) -> None:
    value = np.array([size * np.exp(1j * angle)])
    assert power(value, exponent)[0] == pytest.approx((value**exponent)[0], abs=1e-12)


@given(st.integers(1, 100_000))
def test_lengths_transform_quickly(size: int) -> None:
    length = fast_length(size)
    assert size <= length < 2 * size + 1
    for prime in (2, 3, 5):
        while length % prime == 0:
            length //= prime
    assert length == 1
