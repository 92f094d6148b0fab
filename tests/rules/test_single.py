"""One score: the table that chooses the rule, the demanded cases, properties and refusals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.rules.naming import SCORE_RULES
from evalgauge.rules.single import ScoreInterval, score_interval
from evalgauge.stats.means import t_interval

if TYPE_CHECKING:
    from evalgauge.stats.results import Interval


def points(interval: Interval | None) -> tuple[float, float]:
    assert interval
    return round(100 * interval.low, 1), round(100 * interval.high, 1)


def of_counts(passed: int, n: int, **options: object) -> ScoreInterval:
    return score_interval([1.0] * passed + [0.0] * (n - passed), pass_fail=True, **options)  # type: ignore[arg-type]


# -- the questions of users


def test_demand_m01_greedy_decoding_still_has_an_error() -> None:
    answer = of_counts(232, 800)
    assert answer.estimate == pytest.approx(0.29)
    assert round(100 * answer.std_error, 2) == 1.61
    assert points(answer.interval) == (26.0, 32.2)
    assert (answer.method, answer.target) == ("wilson", "new-cases")


def test_demand_m03_epochs_are_no_items() -> None:
    passes = np.array([3, 2, 0, 2, 0, 3])
    answer = score_interval(passes / 3, reps=[3] * 6, pass_fail=True)
    assert round(answer.estimate, 3) == 0.556
    assert round(answer.std_error, 4) == 0.1859
    assert round(t_interval(passes / 3).interval.half_width, 3) == 0.478
    # Beside the default stands t over item means, cut at the possible range.
    assert answer.named("t").low == pytest.approx(answer.estimate - 0.478, abs=5e-4)
    assert answer.named("t").high == 1.0
    assert answer.naive
    assert answer.naive.width < answer.interval.width


def test_demand_m07_an_error_of_zero_is_never_said() -> None:
    answer = of_counts(3, 150)
    assert round(100 * answer.std_error, 2) == 1.15
    assert points(answer.interval) == (0.7, 5.7)
    assert math.isnan(of_counts(150, 150).std_error)


def test_demand_m18_all_fail_and_all_pass() -> None:
    none, every = of_counts(0, 30), of_counts(30, 30)
    assert (points(none.interval), points(none.named("clopper-pearson"))) == ((0.0, 11.4), (0.0, 11.6))
    assert (points(every.interval), points(every.named("clopper-pearson"))) == ((88.6, 100.0), (88.4, 100.0))
    # Rules without width here are not shown at all.
    assert {interval.method for interval in every.alternatives}.isdisjoint({"wald", "t"})


@pytest.mark.parametrize(
    ("passed", "n", "expected"),
    [(1, 1, (20.7, 100.0)), (12, 12, (75.8, 100.0)), (48, 50, (86.5, 98.9)), (460, 500, (89.3, 94.1))],
)
def test_demand_m22_an_interval_beside_the_pass_rate(passed: int, n: int, expected: tuple[float, float]) -> None:
    assert points(of_counts(passed, n).interval) == expected


M27 = np.array([1.0] * 2 + [0.7] * 2 + [0.4] * 2 + [0.1] * 4 + [0.0] * 20)


def test_demand_m27_repeats_are_not_independent_items() -> None:
    answer = score_interval(M27, reps=[10] * 30, pass_fail=True)
    assert round(100 * answer.estimate, 1) == 15.3
    assert round(100 * answer.std_error, 1) == 5.5
    assert answer.df == 29
    assert round(100 * t_interval(M27).interval.half_width, 1) == 11.3
    assert points(answer.naive) == (11.7, 19.8)
    assert answer.interval.low < 0.117
    assert answer.interval.high > 0.198


def test_demand_m34_repeats_from_a_cache() -> None:
    answer = of_counts(13, 20, reps=[5] * 20)
    assert points(answer.interval) == (43.3, 81.9)
    assert points(answer.naive) == (55.3, 73.6)
    assert answer.n_cases == 20
    assert "The reps of every case are identical: were they served from a cache?" in answer.notes


# -- the table of rules

GRADED = [0.2, 0.9, 0.75, 0.4, 1.0, 0.66, 0.8, 0.31, 0.95, 0.5]
PAIRS = np.repeat(np.arange(5), 2)
COUNT_RULES = ["clopper-pearson", "jeffreys", "mid-p", "wilson-cc", "effective-n wilson t", "t", "wald"]


@pytest.mark.parametrize(
    ("scores", "options", "default", "others"),
    [
        ([1.0, 0.0, 1.0], {}, "wilson", COUNT_RULES),
        ([10.0, 0.0, 10.0], {"score_range": (0.0, 10.0)}, "wilson", COUNT_RULES),
        (GRADED, {}, "effective-n wilson t", ["t", "wald"]),
        (GRADED, {"score_range": None}, "t", ["wald"]),
        ([1.0, 0.0, 1.0], {"score_range": None}, "t", ["wald"]),
        (GRADED, {"clusters": PAIRS}, "effective-n wilson t", ["cr2 t"]),
        ([1.0, 1.0, 1.0, 0.0, 0.0, 1.0], {"clusters": PAIRS[:6]}, "effective-n wilson t", ["cr2 t"]),
        (GRADED, {"clusters": PAIRS, "score_range": None}, "cr2 t", []),
    ],
)
def test_the_data_choose_the_rule(
    scores: list[float], options: dict[str, object], default: str, others: list[str]
) -> None:
    answer = score_interval(scores, **options)  # type: ignore[arg-type]
    assert answer.method == default
    assert [interval.method for interval in answer.alternatives] == others
    for name in others:
        chosen = score_interval(scores, rule=name, **options)  # type: ignore[arg-type]
        assert chosen.interval == answer.named(name)
        assert chosen.named(default) == answer.interval


def test_every_named_rule_can_be_had() -> None:
    found = {"within-case t"}
    for options in ({}, {"clusters": [0, 0, 1, 1, 2, 3]}):
        answer = score_interval([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], **options)  # type: ignore[arg-type]
        found |= {interval.method for interval in (answer.interval, *answer.alternatives)}
    assert found == set(SCORE_RULES)


def test_these_cases_reads_run_noise_alone() -> None:
    passes, reps = np.array([3, 2, 0, 2, 0, 3]), [3] * 6
    these = score_interval(passes / 3, target="these-cases", reps=reps, pass_fail=True)
    new = score_interval(passes / 3, reps=reps, pass_fail=True)
    # Two cases with sample variance 1/3: 2·(1/3)/3 over 6².
    assert these.std_error == pytest.approx(math.sqrt(2 / 9 / 36))
    assert these.df == pytest.approx(4)
    assert (these.method, these.target) == ("within-case t", "these-cases")
    assert these.interval.width < new.interval.width
    graded = score_interval(
        passes / 3, target="these-cases", reps=reps, sums_of_squares=passes.astype(float), score_range=None
    )
    assert graded.std_error == pytest.approx(these.std_error)


def test_these_cases_ignores_clusters() -> None:
    options = {"target": "these-cases", "reps": [2, 2], "pass_fail": True}
    alone = score_interval([0.5, 1.0], **options)  # type: ignore[arg-type]
    assert score_interval([0.5, 1.0], clusters=[0, 0], **options).interval == alone.interval  # type: ignore[arg-type]


def test_naive_of_graded_runs_is_t_over_runs() -> None:
    stream = np.random.default_rng(4)
    runs = np.clip(stream.normal(0.6, 0.2, (8, 3)), 0, 1)
    answer = score_interval(runs.mean(axis=1), reps=[3] * 8, sums_of_squares=np.square(runs).sum(axis=1))
    pooled = t_interval(runs.ravel()).interval
    assert answer.naive
    assert (answer.naive.low, answer.naive.high) == pytest.approx((pooled.low, pooled.high))
    assert score_interval(runs.mean(axis=1), reps=[3] * 8).naive is None


def test_naive_of_clusters_takes_cases_as_independent() -> None:
    scores = np.repeat([1.0, 0.0, 1.0, 1.0, 0.0, 1.0], 4)
    answer = score_interval(scores, clusters=np.repeat(np.arange(6), 4), pass_fail=True)
    assert answer.naive == of_counts(16, 24).interval
    assert answer.interval.width > 1.5 * answer.naive.width


# -- properties


@st.composite
def logs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    reps = np.array(draw(st.lists(st.integers(1, 6), min_size=1, max_size=20)))
    return np.array([draw(st.integers(0, int(r))) for r in reps]), reps


@given(logs(), st.integers(2, 9))
def test_copying_every_rep_changes_no_interval(log: tuple[np.ndarray, np.ndarray], copies: int) -> None:
    passes, reps = log
    once = score_interval(passes / reps, reps=reps, pass_fail=True)
    many = score_interval((copies * passes) / (copies * reps), reps=copies * reps, pass_fail=True)
    assert once.interval == many.interval
    assert once.alternatives == many.alternatives


@given(logs(), st.integers(2, 9))
def test_copying_pass_fail_reps_is_no_evidence_on_run_noise(log: tuple[np.ndarray, np.ndarray], copies: int) -> None:
    passes, reps = log
    if ((passes == 0) | (passes == reps)).all():
        return
    once, many = (
        score_interval(passes / reps, target="these-cases", reps=reps * times, pass_fail=True) for times in (1, copies)
    )
    np.testing.assert_allclose(
        [once.interval.low, once.interval.high], [many.interval.low, many.interval.high], rtol=1e-9
    )


@given(logs(), st.floats(0.5, 0.998), st.booleans())
def test_width_range_and_confidence(
    log: tuple[np.ndarray, np.ndarray],
    confidence: float,
    clustered: bool,  # noqa: FBT001  # drawn by Hypothesis
) -> None:
    passes, reps = log
    clusters = np.arange(passes.size) // 2 if clustered and passes.size >= 6 else None
    some, more = (
        score_interval(passes / reps, reps=reps, pass_fail=True, clusters=clusters, confidence=level)
        for level in (confidence, confidence + 0.001)
    )
    for interval in (some.interval, *some.alternatives):
        assert 0 <= interval.low < interval.high <= 1
        assert more.named(interval.method).low <= interval.low
        assert more.named(interval.method).high >= interval.high


@given(logs(), st.randoms(use_true_random=False))
def test_order_of_cases_does_not_matter(log: tuple[np.ndarray, np.ndarray], random: object) -> None:
    passes, reps = log
    order = list(range(passes.size))
    random.shuffle(order)  # type: ignore[attr-defined]
    once = score_interval(passes / reps, reps=reps, pass_fail=True)
    again = score_interval((passes / reps)[order], reps=reps[order], pass_fail=True)
    assert once.method == again.method
    for interval in (once.interval, *once.alternatives):
        other = again.named(interval.method)
        assert (interval.low, interval.high) == pytest.approx((other.low, other.high), abs=1e-9)


@given(logs())
def test_the_range_only_rescales(log: tuple[np.ndarray, np.ndarray]) -> None:
    passes, reps = log
    unit = score_interval(passes / reps, reps=reps, pass_fail=True)
    wide = score_interval(8 * passes / reps - 2, reps=reps, pass_fail=True, score_range=(-2.0, 6.0))
    assert wide.method == unit.method
    assert (wide.interval.low, wide.interval.high) == pytest.approx(
        (8 * unit.interval.low - 2, 8 * unit.interval.high - 2), abs=1e-9
    )
    assert any("declared range -2 to 6" in note for note in wide.notes)


# -- what must be said


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (of_counts(5, 8), "Few cases: a kind of case that makes up to 37 % of traffic may be absent."),
        (of_counts(5, 8), "Fewer than 10 cases: intervals are not promised to cover at the stated level."),
        (score_interval([0.6]), "One case is read as one pass or fail, however often it was run."),
        (
            score_interval([0.5, 1.0], target="these-cases", reps=[2, 2], pass_fail=True),
            "Exactly these cases, run again: only the noise between runs counts, not which cases were drawn.",
        ),
        (
            score_interval(GRADED, clusters=PAIRS),
            (
                "Few clusters: they weigh like 5.0 of equal size (4.0 degrees of freedom); "
                "below 10 the interval rests on thin evidence of how clusters differ."
            ),
        ),
    ],
)
def test_notes(answer: ScoreInterval, expected: str) -> None:
    assert expected in answer.notes


def test_large_sets_need_no_notes() -> None:
    assert of_counts(80, 100).notes == ()


def test_one_line() -> None:
    assert str(of_counts(47, 50)) == "0.94, 0.8378 to 0.9794 (0.95 wilson), 50 cases, new-cases"


def test_scores_that_lie_close_together_are_warned_of() -> None:
    close = "The scores lie close together: the interval assumes no rare kind of case that scores far from them."
    assert close in score_interval([0.999] * 20).notes
    assert close not in score_interval(np.linspace(0.2, 0.9, 60)).notes
    assert close not in score_interval([1.0] * 20, pass_fail=True).notes
