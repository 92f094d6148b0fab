"""The rules that studies grade are the rules that users get: log by log against the product's own answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import evalgauge as eg
from evalgauge.errors import ScoreError
from evalgauge.rules.paired import paired_intervals
from evalgauge.rules.single import score_interval
from evalgauge.stats.bootstrap import bootstrap_mean_interval
from evalgauge.stats.clusters import cluster_std_errors
from evalgauge.stats.proportion import clopper_pearson_interval, wilson_interval
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.studies.coverage_results import StudyDesign
from evalgauge.studies.drawn_logs import draw_cases, draw_lattice
from evalgauge.studies.exact_logs import exact_logs, outcome_law
from evalgauge.studies.interval_rules import STUDY_RULES
from evalgauge.studies.logs import Logs, logs_of
from evalgauge.studies.shapes import case_shape

if TYPE_CHECKING:
    from pathlib import Path

# From rates spread out to rates at the ends, where the choice of rule changes from log to log.
SHAPES = ("uniform:0.05:0.95", "0.9@1,0.1@beta:7:3", "0.98", "0.5@1,0.5@0")
CHANGES = ("uniform:0.05:0.95/+0.1", "0.98@0.98,0.02@0.98/0", "0.85@1,0.05@1/0,0.1@0/1", "0.9@1,0.1@uniform:0:1")
LEVELS = (0.95, 0.8)


def drawn(shape: str, *, n: int, reps: int, paired: bool, logs: int = 12) -> Logs:
    cases = case_shape(shape).points()
    return draw_cases(
        np.random.default_rng([n, reps, *shape.encode()]),
        logs,
        cases=cases,
        n=n,
        reps=reps,
        paired=paired,
        these_cases=False,
    )


def ends(rule: str, logs: Logs, confidence: float) -> np.ndarray:
    return np.stack(STUDY_RULES[rule].limits(logs, confidence), axis=-1)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("n", "reps"), [(2, 1), (7, 1), (7, 4), (30, 3)])
def test_one_score(shape: str, n: int, reps: int, confidence: float) -> None:
    logs = drawn(shape, n=n, reps=reps, paired=False)
    found = {rule: ends(rule, logs, confidence) for rule in ("evalgauge_default", "per_case_t", "runs_as_cases")}
    found["wilson"] = ends("runs_as_cases", logs, confidence)
    for row, log in enumerate(logs.case_values):
        answer = score_interval(log, reps=np.full(n, reps), pass_fail=True, confidence=confidence)
        assert found["evalgauge_default"][row] == pytest.approx((answer.interval.low, answer.interval.high), abs=1e-12)
        naive = answer.naive or wilson_interval(round(log.sum() * reps), n * reps, confidence=confidence)
        assert found["runs_as_cases"][row] == pytest.approx((naive.low, naive.high), abs=1e-12)
        if np.ptp(log):
            student = answer.named("t")
            assert found["per_case_t"][row] == pytest.approx((student.low, student.high), abs=1e-12)
        else:
            assert found["per_case_t"][row][0] == found["per_case_t"][row][1]


@pytest.mark.parametrize("shape", SHAPES[:2])
@pytest.mark.parametrize("reps", [2, 4, 6])
def test_exactly_these_cases(shape: str, reps: int) -> None:
    logs = drawn(shape, n=9, reps=reps, paired=False, logs=40)
    found = ends("within_case_t", logs, 0.95)
    for row, log in enumerate(logs.case_values):
        try:
            interval = score_interval(
                log, reps=np.full(9, reps), pass_fail=True, target="these-cases", confidence=0.95
            ).interval
        except ScoreError:
            assert np.isnan(found[row]).all()
        else:
            assert found[row] == pytest.approx((interval.low, interval.high), abs=1e-12)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize("shape", CHANGES)
@pytest.mark.parametrize(("n", "reps"), [(2, 1), (12, 1), (12, 3), (40, 5), (40, 20)])
def test_two_arms(shape: str, n: int, reps: int, confidence: float) -> None:
    logs = drawn(shape, n=n, reps=reps, paired=True)
    # A log in which nothing changed, and one in which everything changed alike.
    edges = logs_of(np.array([[0.0] * n, [1 / reps] * n]), reps=reps, paired=True, truth=0.0)
    for some in (logs, edges):
        chosen, guarded = (ends(rule, some, confidence) for rule in ("evalgauge_default", "evalgauge_guarded"))
        for row, log in enumerate(some.case_values):
            answer = paired_intervals(log, confidence=confidence)
            assert chosen[row] == pytest.approx((answer.interval.low, answer.interval.high), abs=1e-12)
            assert guarded[row] == pytest.approx((answer.guarded.low, answer.guarded.high), abs=1e-12)
            for rule, method in (("per_case_wald", "paired-delta wald"), ("per_case_t", "paired t")):
                if np.ptp(log) > 1e-9:
                    named = answer.named(method)
                    assert ends(rule, some, confidence)[row] == pytest.approx((named.low, named.high), abs=1e-12)


def test_a_log_on_disk_gets_the_interval_that_was_studied(tmp_path: Path) -> None:
    """The whole way, from files through measure and compare, for one drawn eval."""
    rng, points = np.random.default_rng(5), case_shape("uniform:0.05:0.95/+0.1").points()
    base_rate, cand_rate = points.draw(rng, (1, 30))
    runs = {arm: rng.binomial(1, rate[0], (4, 30)) for arm, rate in (("base", base_rate), ("cand", cand_rate))}
    for arm, scores in runs.items():
        lines = [f"q{case},{rep},{scores[rep, case]}" for case in range(30) for rep in range(4)]
        (tmp_path / f"{arm}.csv").write_text("\n".join(["case,rep,score", *lines]))
    means = {arm: scores.mean(axis=0, keepdims=True) for arm, scores in runs.items()}
    single = logs_of(means["base"], reps=4, paired=False, truth=0.5)
    measured = eg.measure(tmp_path / "base.csv")
    assert (measured.low, measured.high) == pytest.approx(ends("evalgauge_default", single, 0.95)[0], abs=1e-12)
    compared = eg.compare(tmp_path / "base.csv", tmp_path / "cand.csv")
    paired = logs_of(means["cand"] - means["base"], reps=4, paired=True, truth=0.1)
    found = compared.difference.low, compared.difference.high
    assert found == pytest.approx(ends("evalgauge_default", paired, 0.95)[0], abs=1e-12)
    assert (compared.guarded.low, compared.guarded.high) == pytest.approx(
        ends("evalgauge_guarded", paired, 0.95)[0], abs=1e-12
    )


@pytest.mark.parametrize(("kind", "rule"), [("percentile", "percentile_bootstrap"), ("bca", "bca_bootstrap")])
@pytest.mark.parametrize("paired", [False, True])
def test_bootstraps(kind: str, rule: str, paired: bool) -> None:  # noqa: FBT001 - a column
    logs = drawn("uniform:0.05:0.95/+0.1", n=15, reps=4, paired=paired)
    for log, found in zip(logs.case_values, ends(rule, logs, 0.9), strict=True):
        one = bootstrap_mean_interval(log, confidence=0.9, kind=kind)  # type: ignore[arg-type]
        assert found == pytest.approx((one.low, one.high), abs=1e-9)


def test_clusters() -> None:
    sizes = np.array([3.0, 5.0, 4.0, 2.0, 6.0])
    codes = np.repeat(np.arange(5), sizes.astype(int))
    values = np.random.default_rng(3).binomial(1, 0.7, (8, 20)).astype(float)
    logs = logs_of(values, reps=1, paired=False, truth=0.7, sizes=sizes)
    z = normal_quantile(0.95)
    for row, log in enumerate(values):
        answer = score_interval(log, clusters=codes, pass_fail=True)
        assert ends("evalgauge_default", logs, 0.95)[row] == pytest.approx((answer.interval.low, answer.interval.high))
        cr2 = answer.named("cr2 t")
        assert ends("cr2_t", logs, 0.95)[row] == pytest.approx((cr2.low, cr2.high))
        errors = cluster_std_errors(log, codes)
        for rule, error in (("cr0", errors.cr0), ("cr1", errors.cr1)):
            low, high = ends(rule, logs, 0.95)[row]
            assert (low, high) == pytest.approx((max(log.mean() - z * error, 0), min(log.mean() + z * error, 1)))
        plain = score_interval(log, pass_fail=True).interval
        assert ends("ignoring_clusters", logs, 0.95)[row] == pytest.approx((plain.low, plain.high))


def test_clopper_pearson_and_wald_on_runs() -> None:
    logs = drawn("0.8", n=12, reps=1, paired=False)
    for row, log in enumerate(logs.case_values):
        exact = clopper_pearson_interval(log.sum(), 12)
        assert ends("clopper_pearson", logs, 0.95)[row] == pytest.approx((exact.low, exact.high))
        half = 1.959963984540054 * (log.mean() * (1 - log.mean()) / 12) ** 0.5
        found = ends("wald_on_runs", logs, 0.95)[row]
        assert found == pytest.approx((max(log.mean() - half, 0), min(log.mean() + half, 1)))


def test_a_change_that_counts_runs_as_cases() -> None:
    logs = drawn("uniform:0.05:0.95/+0.1", n=10, reps=4, paired=True)
    base, cand = logs.arms  # type: ignore[misc]
    half = 1.959963984540054 * np.sqrt((base * (1 - base) + cand * (1 - cand)) / 40)
    assert ends("runs_as_cases", logs, 0.95)[:, 0] == pytest.approx(np.maximum(cand - base - half, -1))


@pytest.mark.parametrize("paired", [False, True])
def test_sums_alone_give_the_same_intervals_as_the_cases(paired: bool) -> None:  # noqa: FBT001 - a column
    """The law of the sums and the list of all logs are two ways to one set of intervals."""
    law = outcome_law(case_shape("uniform:0.05:0.95/+0.1").points(), 2, paired=paired)
    listed, _ = exact_logs(law, 6, "values")
    sums, _ = exact_logs(law, 6, "squares")
    assert listed is not None
    assert sums is not None
    rules = ("per_case_wald", "per_case_t", "one_over_sqrt_nR") if paired else ("per_case_wald", "evalgauge_default")
    for rule in rules:
        by_list, by_sums = ends(rule, listed, 0.95), ends(rule, sums, 0.95)
        for power in (1, 2):
            expected = listed.weights @ by_list**power
            assert sums.weights @ by_sums**power == pytest.approx(expected, abs=1e-9)  # type: ignore[operator]


def test_both_draws_follow_the_same_law() -> None:
    points = case_shape("0.7@uniform:0:1/+0.2,0.3@1/0.5").points()
    design = StudyDesign(n_cases=5, reps=3)
    law = outcome_law(points, design.reps, paired=True)
    stream = np.random.default_rng(1)
    ways = [
        draw_lattice(stream, 40_000, law=law, n=5, with_arms=False),
        draw_lattice(stream, 40_000, law=law, n=5, with_arms=True),
        draw_cases(stream, 40_000, cases=points, n=5, reps=3, paired=True, these_cases=False),
    ]
    steps, masses = law.by_step()
    for logs in ways:
        for step, mass in zip(steps, masses, strict=True):
            share = np.mean(np.abs(logs.case_values * 3 - step) < 1e-9)
            assert share == pytest.approx(mass, abs=4 * (mass * (1 - mass) / 200_000) ** 0.5)
