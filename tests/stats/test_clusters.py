"""Means of clustered cases: against clubSandwich, by property, and their refusals."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.stats import clusters
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.quantiles import t_quantile
from support.oracles import OracleRow, oracle_params, required


def scores_and_clusters(arguments: str) -> tuple[np.ndarray, np.ndarray]:
    groups = re.sub(r"\(.*", "", arguments).split("=")[1].strip().split("|")
    parsed = [[float(x) for x in (group.split() if "." in group else group)] for group in groups]
    return np.concatenate(parsed), np.repeat(np.arange(len(parsed)), [len(group) for group in parsed])


@pytest.mark.parametrize(
    ("function", "row"),
    oracle_params("cluster_se_CR0", "cluster_se_CR1", "cluster_se_CR2", "cluster_se_CR3", "cluster_CR2_df"),
)
def test_standard_errors_agree_with_clubsandwich(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    errors = clusters.cluster_std_errors(*scores_and_clusters(str(arguments)))
    name = {"cluster_CR2_df": "cr2_df"}.get(function, function[-3:].lower())
    assert getattr(errors, name) == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(
    ("function", "row"),
    oracle_params("cluster_CR2_lo", "cluster_CR2_hi", "cluster_CR1_tG-1_lo", "cluster_CR1_tG-1_hi"),
)
def test_intervals_agree_with_clubsandwich(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    y, codes = scores_and_clusters(str(arguments))
    if function.startswith("cluster_CR2"):
        interval = clusters.cluster_mean_interval(y, codes).interval
        low, high = interval.low, interval.high
    else:
        errors = clusters.cluster_std_errors(y, codes)
        half = t_quantile(0.95, float(errors.n_clusters - 1)) * errors.cr1
        low, high = y.mean() - half, y.mean() + half
    assert (low if function.endswith("lo") else high) == pytest.approx(expected, abs=tol)


def by_matrices(y: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """CR2 variance and degrees of freedom by the definition, with matrices over cases."""
    n = y.size
    hat = np.full((n, n), 1 / n)
    rest = np.eye(n) - hat
    columns = []
    for code in np.unique(codes):
        inside = codes == code
        values, vectors = np.linalg.eigh(np.eye(inside.sum()) - hat[np.ix_(inside, inside)])
        adjust = vectors @ np.diag(values**-0.5) @ vectors.T
        columns.append(rest[inside].T @ adjust @ np.full(inside.sum(), 1 / n))
    columns = np.array(columns).T
    gram = columns.T @ columns
    return float(np.square(columns.T @ y).sum()), float(np.trace(gram) ** 2 / np.square(gram).sum())


@st.composite
def clustered(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    codes = draw(st.lists(st.integers(0, 6), min_size=3, max_size=30))
    assume(len(set(codes)) > 1)
    scores = draw(st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=len(codes), max_size=len(codes)))
    return np.array(scores), np.array(codes)


@given(clustered())
def test_sums_per_cluster_give_what_matrices_give(data: tuple[np.ndarray, np.ndarray]) -> None:
    variance, df = by_matrices(*data)
    errors = clusters.cluster_std_errors(*data)
    assert errors.cr2**2 == pytest.approx(variance, abs=1e-12)
    assert errors.cr2_df == pytest.approx(df, rel=1e-9)
    assert errors.cr0 <= errors.cr2 + 1e-12
    assert errors.cr2 <= errors.cr3 + 1e-12


@given(clustered(), st.permutations(range(7)), st.randoms(use_true_random=False))
def test_relabelling_and_order_change_nothing(
    data: tuple[np.ndarray, np.ndarray], labels: list[int], random: object
) -> None:
    y, codes = data
    order = list(range(y.size))
    random.shuffle(order)  # type: ignore[attr-defined]
    once = clusters.effective_n_wilson_clustered(y, codes)
    again = clusters.effective_n_wilson_clustered(y[order], 10 * np.array(labels)[codes][order] - 3)
    np.testing.assert_allclose(
        [once.interval.low, once.interval.high, once.df],
        [again.interval.low, again.interval.high, again.df],
        rtol=1e-7,
        atol=1e-9,
    )


@given(clustered(), st.floats(0.5, 0.998))
def test_has_width_stays_in_range_and_widens(data: tuple[np.ndarray, np.ndarray], confidence: float) -> None:
    some = clusters.effective_n_wilson_clustered(*data, confidence=confidence).interval
    more = clusters.effective_n_wilson_clustered(*data, confidence=confidence + 0.001).interval
    assert 0 <= more.low <= some.low < some.high <= more.high <= 1


@given(st.lists(st.sampled_from([0.0, 0.3, 0.5, 1.0]), min_size=2, max_size=40))
def test_clusters_of_one_differ_by_the_documented_factor(scores: list[float]) -> None:
    y, n = np.array(scores), len(scores)
    alone = clusters.effective_n_wilson_clustered(y, np.arange(n))
    plain = effective_n_wilson(y)
    assert alone.df == pytest.approx(n - 1)
    assert alone.std_error == pytest.approx(plain.std_error, abs=1e-12)
    if 0 < y.mean() < 1:
        # (n + 1)·n/n_eff - 1 is n·rho, and rho is n/(n - 1) times as large.
        rho = [n * (n + 1) / n_eff - 1 for n_eff in (alone.n_eff, plain.n_eff)]
        assert rho[0] == pytest.approx(rho[1] * n / (n - 1), abs=1e-9)
        assert alone.interval.low <= plain.interval.low + 1e-12
    else:
        assert alone.n_eff == pytest.approx(n)


def test_many_logs_at_once_agree_with_one_by_one() -> None:
    sizes, codes = np.array([1.0, 3.0, 4.0]), np.repeat([0, 1, 2], [1, 3, 4])
    logs = np.random.default_rng(2).binomial(1, 0.6, (40, 8)).astype(float)
    sums = np.stack([logs[:, codes == code].sum(axis=1) for code in range(3)], axis=1)
    low, high, n_eff = clusters.effective_n_wilson_clustered_limits(sums, sizes, confidence=0.9)
    for index, log in enumerate(logs):
        one = clusters.effective_n_wilson_clustered(log, codes, confidence=0.9)
        assert (one.interval.low, one.interval.high, one.n_eff) == (low[index], high[index], n_eff[index])


def test_equal_clusters_that_all_pass_are_worth_one_each() -> None:
    assert clusters.effective_n_wilson_clustered([1.0] * 12, np.repeat(np.arange(4), 3)).n_eff == pytest.approx(4)


def test_one_large_cluster_counts_for_much() -> None:
    # 50 + 19 × 5 = 145 cases: 145²/(50² + 19·5²).
    assert clusters.effective_clusters([50] + [5] * 19) == pytest.approx(145**2 / 2975)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (
            lambda: clusters.cluster_std_errors([1.0, 0.0], [4, 4]),
            ScoreError,
            (
                "clusters: all cases belong to one cluster, so nothing shows how clusters differ. "
                "Use a finer cluster field, or leave clusters out if the cases are independent."
            ),
        ),
        (
            lambda: clusters.cluster_mean_interval([0.5, 0.7, 0.7, 0.5, 0.6], [0, 0, 1, 1, 2]),
            ScoreError,
            (
                "cr2 t: all 3 clusters have the mean 0.6, so the interval would have no width. "
                "Declare the range of the score (--range), or add clusters."
            ),
        ),
        (
            lambda: clusters.cluster_sums([1.0, 0.0], [0.5, 1.5]),
            ArgumentError,
            "clusters: got 'float64 of shape (2,)', allowed is one whole number per case (2).",
        ),
        (
            lambda: clusters.cluster_sums([1.0, 0.0], [1]),
            ArgumentError,
            "clusters: got 'int64 of shape (1,)', allowed is one whole number per case (2).",
        ),
        (
            lambda: clusters.effective_clusters([3, 0]),
            ArgumentError,
            "sizes: got 'a cluster of 0 cases', allowed is cluster sizes above 0.",
        ),
    ],
)
def test_refusals(call: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error) as caught:
        call()  # type: ignore[operator]
    assert str(caught.value) == text
