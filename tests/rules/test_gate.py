"""What a gate may say: the verdict of a family of claims, and each claim against the rules that it reads."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests

from evalgauge.errors import ArgumentError
from evalgauge.planning.gate_counts import count_that_decides, evenly_spaced, least_for_rule
from evalgauge.rules.gate import Claim, Errors, Reading, errors_of, gate_verdict, judged
from evalgauge.rules.gate_cases import case_alarms, edges, least_reps, visible_rate
from evalgauge.rules.gate_claims import Change, Score, drop_claim, gain_claim, rate_claim
from evalgauge.rules.gate_extremes import drop_extremes, gain_extremes, rate_extremes
from evalgauge.rules.missing import honest_interval
from evalgauge.rules.paired import paired_intervals, paired_limits
from evalgauge.rules.paired_missing import ArmRuns, limits_with_missing, paired_with_missing
from evalgauge.rules.verdict import claims, hard_floor, least_n_for_no_worse
from rules.test_paired_missing import runs_of

NORMAL = scipy_stats.norm


def normal_claim(z: float) -> Claim:
    """A claim about a mean that lies z standard errors above its threshold."""

    def at(confidence: float) -> Reading:
        reach = NORMAL.ppf((1 + confidence) / 2)
        return Reading(low=z - reach, high=z + reach, method="z")

    return Claim(threshold=0.0, at=at)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=8))
def test_verdicts_are_those_of_holm(values: list[float]) -> None:
    found = judged([normal_claim(z) for z in values], errors_of(0.95, 1))
    for sign, word in ((1, "pass"), (-1, "fail")):
        p_values = NORMAL.sf(sign * np.array(values))
        expected = multipletests(p_values, alpha=0.025, method="holm")[0]
        margin = np.abs(multipletests(p_values, method="holm")[1] - 0.025)
        for one, is_rejected, far in zip(found, expected, margin, strict=True):
            if far > 1e-9:
                assert (one.verdict == word) == is_rejected


def test_one_claim_alone_is_read_at_the_level_of_the_gate() -> None:
    (found,) = judged([normal_claim(1.0)], errors_of(0.95, 1))
    assert found.verdict == "inconclusive"
    assert found.confidence == pytest.approx(0.95)


@pytest.mark.parametrize("groups", range(1, 9))
def test_alarms_of_all_groups_stay_within_the_error(groups: int) -> None:
    errors = errors_of(0.95, groups)
    assert groups * errors.alarm <= 0.05 + 1e-12
    assert errors.passing == pytest.approx(0.025)
    (found,) = judged([normal_claim(-8.0)], errors)
    assert found.verdict == "fail"
    assert groups * (1 - found.confidence) / 2 <= 0.05 + 1e-12


def test_a_gate_needs_a_rule() -> None:
    with pytest.raises(ArgumentError, match="groups: got 0"):
        errors_of(0.95, 0)
    assert gate_verdict([]) == "inconclusive"


@given(st.lists(st.sampled_from(["pass", "fail", "inconclusive"]), min_size=1))
def test_a_gate_passes_only_where_all_rules_do(verdicts: list[str]) -> None:
    verdict = gate_verdict(verdicts)  # type: ignore[arg-type]
    assert (verdict == "pass") == (set(verdicts) == {"pass"})
    assert (verdict == "fail") == ("fail" in verdicts)


CASE = st.tuples(
    st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=3),
    st.lists(st.sampled_from([0.0, 1.0, None]), min_size=1, max_size=3),
)


@settings(max_examples=30)
@given(st.lists(CASE, min_size=2, max_size=30), st.sampled_from(["bounds", "fail", "drop"]), st.floats(0.6, 0.999))
def test_the_gate_reads_what_a_comparison_shows(pairs: list, policy: str, confidence: float) -> None:
    base, cand = runs_of([one for one, _ in pairs]), runs_of([two for _, two in pairs])
    if not ((np.array(base.scored) > 0) & (np.array(cand.scored) > 0)).any():
        return
    limits = limits_with_missing(base, cand, policy=policy, confidence=confidence)  # type: ignore[arg-type]
    answer = paired_with_missing(base, cand, policy=policy, confidence=confidence).answer  # type: ignore[arg-type]
    assert (limits.interval.low, limits.interval.high) == (answer.interval.low, answer.interval.high)
    assert (limits.guarded.low, limits.guarded.high) == (answer.guarded.low, answer.guarded.high)
    assert limits.least_margin == answer.least_margin
    change = Change(base=base, cand=cand, policy=policy)  # type: ignore[arg-type]
    said = claims(answer, margin=0.1)
    assert drop_claim(change, max_drop=0.1).passes(confidence) == said.no_worse
    assert gain_claim(change, gain=0.0).passes(confidence) == said.better
    assert gain_claim(change, gain=0.0).fails(confidence) == said.worse


@settings(max_examples=30)
@given(st.lists(st.integers(-4, 4), min_size=4, max_size=24), st.booleans())
def test_clustered_limits_are_those_of_the_answer(quarters: list[int], is_clustered: bool) -> None:  # noqa: FBT001
    deltas = np.array(quarters) / 4
    clusters = np.arange(deltas.size) // 2 if is_clustered else None
    answer = paired_intervals(deltas, clusters=clusters)
    limits = paired_limits(deltas, clusters=clusters)
    assert (limits.interval, limits.guarded) == (answer.interval, answer.guarded)
    assert limits.least_margin == answer.least_margin


@settings(max_examples=30)
@given(st.lists(CASE, min_size=2, max_size=30), st.sampled_from(["bounds", "fail", "drop"]))
def test_lower_is_better_mirrors_every_claim(pairs: list, policy: str) -> None:
    base, cand = runs_of([one for one, _ in pairs]), runs_of([two for _, two in pairs])
    if not ((np.array(base.scored) > 0) & (np.array(cand.scored) > 0)).any() or policy == "fail":
        return
    mirrored = [
        ArmRuns(sums=np.array(arm.scored) - np.array(arm.sums), scored=arm.scored, planned=arm.planned)
        for arm in (base, cand)
    ]
    one = drop_claim(Change(base=base, cand=cand, policy=policy), max_drop=0.1).at(0.95)  # type: ignore[arg-type]
    change = Change(base=mirrored[0], cand=mirrored[1], policy=policy, direction="lower is better")  # type: ignore[arg-type]
    other = drop_claim(change, max_drop=0.1).at(0.95)
    assert (other.low, other.high) == pytest.approx((one.low, one.high), abs=1e-9)


def score_of(means: list[float], reps: int = 1) -> Score:
    """An arm with these case means, each over so many reps."""
    passed = np.rint(np.array(means) * reps)
    runs = ArmRuns(sums=passed, scored=np.full(passed.size, reps), planned=np.full(passed.size, reps))
    return Score(runs=runs, squares=passed, is_pass_fail=True)


@pytest.mark.parametrize(("passed", "n"), [(19, 20), (34, 34), (35, 35), (29, 29), (0, 20), (47, 50)])
def test_a_floor_reads_the_interval_of_a_measurement(passed: int, n: int) -> None:
    means = [1.0] * passed + [0.0] * (n - passed)
    shown = honest_interval(means, [1] * n, [1] * n, pass_fail=True).interval
    exact = scipy_stats.binomtest(passed, n).proportion_ci(0.95, method="exact")
    for floor in (0.05, 0.3, 0.5, 0.79, 0.8, 0.9, 0.99):
        claim = rate_claim(score_of(means), min_rate=floor)
        assert (claim.at(0.95).low, claim.at(0.95).high) == (shown.low, shown.high)
        assert claim.passes(0.95) == (shown.low > floor and (floor >= 0.8 or exact.low > floor))
        assert claim.fails(0.95) == (shown.high < floor and exact.high < floor)


@pytest.mark.parametrize("floor", [0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95])
@pytest.mark.parametrize("n", [1, 2, 5, 10, 30])
def test_a_floor_is_passed_and_failed_wrongly_as_rarely_as_said(floor: float, n: int) -> None:
    wrong = {"pass": 0.0, "fail": 0.0}
    for passed, likely in enumerate(scipy_stats.binom.pmf(np.arange(n + 1), n, floor)):
        claim = rate_claim(score_of([1.0] * passed + [0.0] * (n - passed)), min_rate=floor)
        wrong["pass"] += likely * claim.passes(0.95)
        wrong["fail"] += likely * claim.fails(0.95)
    assert wrong["pass"] <= 0.029
    assert wrong["fail"] <= 0.025 + 1e-12
    if n == 1:
        assert wrong["pass"] == 0


def test_a_floor_over_reps_waits_for_the_hard_floor() -> None:
    # A kind of case that makes up 10 % and always fails is absent from 35 cases with a chance of 2.5 %.
    assert hard_floor(0.1) == 36
    few, enough = (score_of([1.0] * (n - 1) + [0.9], reps=10) for n in (35, 36))
    assert rate_claim(few, min_rate=0.9).at(0.95).low > 0.9
    assert not rate_claim(few, min_rate=0.9).passes(0.95)
    assert rate_claim(enough, min_rate=0.9).passes(0.95)


def test_missing_runs_of_unpaired_arms_count_both_ways() -> None:
    full = ArmRuns(sums=np.ones(60), scored=np.ones(60), planned=np.ones(60))
    seen = np.repeat([1, 0], [50, 10])
    gone = ArmRuns(sums=seen.astype(float), scored=seen, planned=np.ones(60))

    def low(base: ArmRuns, cand: ArmRuns, policy: str) -> float:
        return drop_claim(Change(base=base, cand=cand, is_paired=False, policy=policy), max_drop=0.1).at(0.95).low  # type: ignore[arg-type]

    assert low(full, gone, "bounds") < -10 / 60
    assert low(full, gone, "drop") > -0.1
    assert low(gone, full, "bounds") < low(full, full, "bounds")


def test_extremes_say_what_can_be_said_at_all() -> None:
    for n, margin in ((188, 0.02), (189, 0.02), (72, 0.05), (10, 0.02)):
        arm = ArmRuns(sums=np.zeros(n), scored=np.ones(n), planned=np.ones(n))
        found = drop_extremes(Change(base=arm, cand=arm), max_drop=margin, is_graded=False)
        assert found.best.passes(0.95) == (n >= least_n_for_no_worse(margin).unchanged)
        graded = drop_extremes(Change(base=arm, cand=arm), max_drop=margin, is_graded=True)
        assert graded.best.passes(0.95) == (n >= hard_floor(margin))
    arm = ArmRuns(sums=np.zeros(4), scored=np.ones(4), planned=np.ones(4))
    assert gain_extremes(Change(base=arm, cand=arm), gain=0.0).best.passes(0.95)
    assert gain_extremes(Change(base=arm, cand=arm), gain=0.0).worst.fails(0.95)
    assert not rate_extremes(score_of([0.0] * 34), min_rate=0.9).best.passes(0.95)
    assert rate_extremes(score_of([0.0] * 35), min_rate=0.9).best.passes(0.95)
    assert not rate_extremes(score_of([1.0] * 20), min_rate=0.05).worst.fails(0.95)


@pytest.mark.parametrize(
    ("kind", "threshold", "to_pass", "to_fail"),
    [("rate", 0.9, 35, 2), ("drop", 0.02, 189, None), ("drop", 0.05, 73, None), ("gain", 0.0, 4, None)],
)
def test_least_counts_are_the_first_that_pass(kind: str, threshold: float, to_pass: int, to_fail: int | None) -> None:
    least = least_for_rule(kind, threshold)  # type: ignore[arg-type]
    assert least.to_pass == to_pass
    for n, is_enough in ((to_pass - 1, False), (to_pass, True)):
        ones = np.ones(n)
        arm = ArmRuns(sums=ones, scored=ones, planned=ones)
        nothing = ArmRuns(sums=0 * ones, scored=ones, planned=ones)
        claim = {
            "rate": rate_claim(Score(runs=arm, squares=ones), min_rate=threshold or 0.5),
            "drop": drop_claim(Change(base=arm, cand=arm), max_drop=threshold or 0.5),
            "gain": gain_claim(Change(base=nothing, cand=arm), gain=threshold),
        }[kind]
        assert claim.passes(0.95) == is_enough
    if to_fail is not None:
        assert least.to_fail == to_fail


def test_the_count_that_decides_is_the_first_one() -> None:
    changes = np.repeat([1.0, 0.0, -1.0], [3, 94, 3])

    def is_shown(deltas: np.ndarray, _: np.ndarray) -> bool:
        return paired_limits(deltas).guarded.low > -0.02

    n = count_that_decides(changes, is_shown)
    assert n is not None
    assert is_shown(evenly_spaced(np.sort(changes), n), np.arange(n))
    assert not is_shown(evenly_spaced(np.sort(changes), round(0.97 * n)), np.arange(n))
    assert count_that_decides(changes, lambda *_: False) is None
    # Cases of one source come and go together.
    clusters = np.repeat(np.arange(20), 5)
    many = count_that_decides(
        np.repeat([1.0, 0.0, -1.0], [10, 80, 10]),
        lambda deltas, codes: paired_limits(deltas, clusters=codes).guarded.low > -0.1,
        clusters=clusters,
    )
    assert many is not None
    assert many > 100


def binomial_tail(passed: int, reps: int, rate: float) -> float:
    return float(scipy_stats.binom.cdf(passed, reps, rate))


@pytest.mark.parametrize(("reps", "rate", "cases"), [(10, 0.8, 50), (20, 0.9, 5), (5, 0.5, 100), (3, 0.8, 50)])
def test_a_case_fires_where_its_exact_bound_lies_below_the_rate(reps: int, rate: float, cases: int) -> None:
    error = 0.05 / cases
    edge = int(edges([reps], rate, error)[0])
    assert edge == max((x for x in range(reps + 1) if binomial_tail(x, reps, rate) < error), default=-1)
    assert (edge >= 0) == (reps >= least_reps(rate, error))
    seen = visible_rate(reps, rate, error)
    if edge >= 0:
        assert seen is not None
        assert binomial_tail(edge, reps, seen) == pytest.approx(0.8, abs=1e-6)
    else:
        assert seen is None


@given(st.lists(st.integers(0, 10), min_size=2, max_size=40))
def test_case_alarms_are_those_of_holm(passed: list[int]) -> None:
    n = len(passed)
    runs = ArmRuns(sums=passed, scored=[10] * n, planned=[10] * n)
    found = case_alarms(runs, rate=0.8, error=0.05)
    p_values = [binomial_tail(x, 10, 0.8) for x in passed]
    assert found.is_broken.tolist() == multipletests(p_values, alpha=0.05, method="holm")[0].tolist()


def test_missing_reps_of_a_case_count_both_ways() -> None:
    runs = ArmRuns(sums=[0, 3, 10], scored=[10, 6, 10], planned=[10, 10, 10])
    found = {policy: case_alarms(runs, rate=0.8, error=0.05, policy=policy) for policy in ("bounds", "fail", "drop")}  # type: ignore[arg-type]
    assert found["bounds"].is_broken.tolist() == [True, False, False]
    assert found["bounds"].is_open.tolist() == [False, True, False]
    assert found["fail"].is_broken.tolist() == [True, True, False]
    assert found["drop"].is_broken.tolist() == [True, False, False]


def test_rates_outside_the_open_interval_are_refused() -> None:
    runs = ArmRuns(sums=[1], scored=[1], planned=[1])
    for rate in (0.0, 1.0, 80.0):
        with pytest.raises(ArgumentError, match="strictly between 0 and 1"):
            case_alarms(runs, rate=rate, error=0.05)


def test_levels_grow_stricter_with_the_size_of_the_family() -> None:
    levels = [judged([normal_claim(0.0)] * k, Errors(passing=0.025, alarm=0.05))[0].confidence for k in (1, 2, 5, 20)]
    assert all(one < two for one, two in pairwise(levels))
    assert math.isclose(levels[-1], 1 - 0.05 / 20)
