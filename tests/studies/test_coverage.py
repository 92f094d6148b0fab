"""Coverage studies against what is known: closed forms, exact enumeration, and each route against the others."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import integrate, stats

from evalgauge.errors import ArgumentError
from evalgauge.studies.cases import ClusteredCases, GradedShape, RatePoints
from evalgauge.studies.coverage import coverage_study, share_error
from evalgauge.studies.coverage_results import RuleCoverage, StudyDesign
from evalgauge.studies.exact_logs import outcome_law
from evalgauge.studies.null_runs import null_change
from evalgauge.studies.shapes import case_shape
from support.oracles import oracle_params, required

if TYPE_CHECKING:
    from support.oracles import OracleRow

SCENARIO = case_shape("uniform:0.05:0.95").points(effect=0.10, effect_sd=0.15)
SPREAD = case_shape("uniform:0.05:0.95").points()


def one(
    cases: RatePoints, rule: str, *, n: int = 25, reps: int = 10, paired: bool = True, **more: object
) -> RuleCoverage:
    design = StudyDesign(n_cases=n, reps=reps, paired=paired, target=more.pop("target", "new-cases"))  # type: ignore[arg-type]
    return coverage_study(cases, design, rules=[rule], **more)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("function", "row"),
    oracle_params("exact_coverage_wilson", "exact_coverage_clopper_pearson", "exact_coverage_wald"),
)
def test_one_run_a_case_is_enumerated_exactly(function: str, row: OracleRow | None) -> None:
    expected = required(row)
    rule = {
        "exact_coverage_wilson": "evalgauge_default",
        "exact_coverage_clopper_pearson": "clopper_pearson",
        "exact_coverage_wald": "wald_on_runs",
    }[function]
    n, p = int(expected.arguments["n"]), float(expected.arguments["p"])  # type: ignore[index]
    found = one(case_shape(str(p)).points(), rule, n=n, reps=1, paired=False)
    assert found.exact
    assert found.error == 0
    assert found.coverage == pytest.approx(expected.expected, abs=expected.tol)


@pytest.mark.parametrize(("function", "row"), oracle_params("exact_coverage_paired_tango"))
def test_two_arms_of_one_run_are_enumerated_exactly(function: str, row: OracleRow | None) -> None:
    del function
    expected = required(row)
    win, loss = (float(expected.arguments[name]) for name in ("pB_only", "pA_only"))  # type: ignore[index]
    cases = case_shape(f"{win}@0/1,{loss}@1/0,{1 - win - loss}@1").points()
    found = one(cases, "tango", n=int(expected.arguments["n"]), reps=1)  # type: ignore[index]
    assert found.coverage == pytest.approx(expected.expected, abs=expected.tol)
    assert one(cases, "evalgauge_default", n=20, reps=1).coverage == one(cases, "tango", n=20, reps=1).coverage


# The 25-case scenario: the claims of the rule 1/√(nR), and of the Wald interval over per-case changes. The exact values
# are converged integrals (the next test); a grid of 400 effects gives .89048 and .83233 for the first rule.
EXACT = {2: (0.89046, 0.93944), 10: (0.83220, 0.93822)}


@pytest.mark.parametrize("reps", EXACT)
def test_the_scenario_exactly(reps: int) -> None:
    rough, wald = (one(SCENARIO, rule, reps=reps) for rule in ("one_over_sqrt_nR", "per_case_wald"))
    assert rough.exact
    assert wald.exact
    assert rough.coverage == pytest.approx(EXACT[reps][0], abs=5e-6)
    assert wald.coverage == pytest.approx(EXACT[reps][1], abs=5e-6)
    assert rough.mean_half_width == pytest.approx(1 / math.sqrt(25 * reps))


@pytest.mark.parametrize(("reps", "rough", "wald"), [(2, 0.8905, 0.939), (10, 0.832, 0.938), (50, 0.617, 0.938)])
def test_the_scenario_as_it_was_simulated_elsewhere(reps: int, rough: float, wald: float) -> None:
    for rule, claimed in (("one_over_sqrt_nR", rough), ("per_case_wald", wald)):
        found = one(SCENARIO, rule, reps=reps, exact=False)
        assert not found.exact
        # Both figures are simulated: the other study's 20,000 evals carry the same error.
        assert found.coverage == pytest.approx(claimed, abs=4 * math.sqrt(2) * found.error + 5e-4)


def test_the_law_of_a_change_is_its_double_integral() -> None:
    """Rates and effects by SciPy's adaptive quadrature, which shares nothing with Gauss's points."""
    steps, masses = outcome_law(SCENARIO, 2, paired=True).by_step()

    def chance(passes: tuple[int, int], rate: float) -> float:
        def given(effect: float) -> float:
            cand = min(max(rate + effect, 0.0), 1.0)
            both = stats.binom.pmf(passes[0], 2, rate) * stats.binom.pmf(passes[1], 2, cand)
            return float(both * stats.norm.pdf(effect, 0.10, 0.15))

        points = [-rate, 1 - rate]
        return integrate.quad(given, -1.2, 1.4, points=points, limit=200, epsabs=1e-11)[0]

    for step in (-2, 1):
        pairs = [(a, a + step) for a in range(3) if 0 <= a + step <= 2]
        total = sum(
            integrate.quad(lambda rate, pair=pair: chance(pair, rate), 0.05, 0.95, points=[0.9], epsabs=1e-10)[0]
            for pair in pairs
        )
        assert masses[steps == step][0] == pytest.approx(total / 0.9, abs=1e-8)


@pytest.mark.parametrize(("reps", "claimed"), [(10, 0.71), (50, 0.40)])
def test_one_split_score(reps: int, claimed: float) -> None:
    assert one(SPREAD, "one_over_sqrt_nR", reps=reps, paired=False).coverage == pytest.approx(claimed, abs=5e-3)


def test_exactly_these_cases() -> None:
    found = one(SCENARIO, "one_over_sqrt_nR", target="these-cases")
    assert found.coverage == pytest.approx(0.91, abs=4 * found.error + 5e-3)
    # One score varies less than a change, and the rule is wide for it.
    assert one(SPREAD, "one_over_sqrt_nR", target="these-cases", paired=False).coverage > 0.97


@pytest.mark.parametrize("reps", [2, 10, 50])
def test_cases_all_alike(reps: int) -> None:
    alike = case_shape("fixed:0.5").points()
    assert 0.83 <= one(alike, "one_over_sqrt_nR", reps=reps).coverage <= 0.87
    assert one(alike, "one_over_sqrt_nR", reps=reps, paired=False).coverage == pytest.approx(0.955, abs=0.015)
    # One rate for all: these cases and new cases are one target, known exactly.
    assert one(alike, "one_over_sqrt_nR", reps=reps, target="these-cases").exact


RULES = {
    True: ("evalgauge_default", "per_case_wald", "runs_as_cases", "percentile_bootstrap"),
    False: ("evalgauge_default", "per_case_t"),
}


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("shape", ["uniform:0.05:0.95/+0.1", "0.8@1,0.1@0,0.1@uniform:0:1", "0.9@1,0.1@beta:7:3"])
def test_counted_and_drawn_coverage_agree(shape: str, paired: bool) -> None:  # noqa: FBT001 - a column
    cases, design = case_shape(shape).points(), StudyDesign(n_cases=12, reps=2, paired=paired)
    counted = coverage_study(cases, design, rules=RULES[paired])
    drawn = coverage_study(cases, design, rules=RULES[paired], exact=False, sims=40_000, seed=3)
    for exact, simulated in zip(counted, drawn, strict=True):
        assert exact.exact
        assert not simulated.exact
        assert simulated.coverage == pytest.approx(exact.coverage, abs=4 * simulated.error)
        assert simulated.lower_miss == pytest.approx(exact.lower_miss, abs=4 * simulated.miss_error)
        assert simulated.upper_miss == pytest.approx(exact.upper_miss, abs=4 * simulated.miss_error)
        assert simulated.zero_width == pytest.approx(exact.zero_width, abs=4 * share_error(exact.zero_width, 40_000))
        width = 4 * simulated.half_width_error + 1e-12
        assert simulated.mean_half_width == pytest.approx(exact.mean_half_width, abs=width)


def test_misses_and_coverage_make_a_whole() -> None:
    for rule in ("evalgauge_default", "one_over_sqrt_nR", "percentile_bootstrap"):
        found = one(SCENARIO, rule, reps=2)
        assert found.coverage + found.lower_miss + found.upper_miss == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("reps", [2, 10])
def test_workers_change_nothing(reps: int) -> None:
    design, rules = StudyDesign(n_cases=25, reps=reps), ("evalgauge_default", "runs_as_cases", "percentile_bootstrap")
    serial = coverage_study(SCENARIO, design, rules=rules, exact=False, sims=9_000, seed=4)
    with ThreadPoolExecutor(3) as pool:
        shared = coverage_study(SCENARIO, design, rules=rules, exact=False, sims=9_000, seed=4, mapper=pool.map)
    assert shared == serial
    assert coverage_study(SCENARIO, design, rules=rules, exact=False, sims=9_000, seed=5) != serial


def test_a_rule_is_drawn_alike_whatever_is_asked_beside_it() -> None:
    design = StudyDesign(n_cases=25, reps=10)
    alone = coverage_study(SCENARIO, design, rules=["evalgauge_default"], sims=2_000)
    both = coverage_study(SCENARIO, design, rules=["percentile_bootstrap", "evalgauge_default"], sims=2_000)
    assert both[1] == alone[0]


def test_clusters_are_drawn_with_their_correlation() -> None:
    cases = ClusteredCases(mean=0.7, icc=0.3, sizes=(4,) * 50, within=0.25)
    rates, _ = cases.draw(np.random.default_rng(1), (4_000, 200))
    between = rates.reshape(4_000, 50, 4).mean(axis=2).var()
    # Four cases a cluster: the cluster's own variance, and a quarter of that within it.
    expected = 0.21 * 0.3 + 0.21 * 0.7 * 0.25 / 4
    assert rates.mean() == pytest.approx(0.7, abs=4 * math.sqrt(expected / 200_000))
    assert between == pytest.approx(expected, rel=0.02)
    plain = ClusteredCases(mean=0.7, icc=0.2, sizes=(10,) * 20)
    design = StudyDesign(n_cases=200, reps=1, paired=False)
    found = coverage_study(plain, design, rules=["evalgauge_default", "ignoring_clusters"], sims=4_000)
    # The figures of docs/coverage.md, from draws of another program.
    assert found[0].coverage == pytest.approx(0.963, abs=4 * math.sqrt(2) * found[0].error)
    assert found[1].coverage == pytest.approx(0.752, abs=4 * math.sqrt(2) * found[1].error)


def test_graded_scores() -> None:
    design = StudyDesign(n_cases=25, reps=1, paired=False)
    found = coverage_study(
        GradedShape(shape=case_shape("0.95@1,0.05@uniform:0:0.6")),
        design,
        rules=["evalgauge_default", "per_case_t"],
        sims=4_000,
    )
    assert found[0].coverage == pytest.approx(0.968, abs=4 * math.sqrt(2) * found[0].error)
    assert found[1].coverage == pytest.approx(0.719, abs=4 * math.sqrt(2) * found[1].error)
    # .95^25 of the logs hold nothing but 1.
    assert found[1].zero_width == pytest.approx(0.95**25, abs=4 * share_error(0.95**25, 4_000))


def test_noisy_graded_runs_keep_mean_and_variance() -> None:
    cases = RatePoints(base=np.array([0.2, 1.0]), cand=np.array([0.2, 1.0]), share=np.array([0.5, 0.5]), noise=0.4)
    scores = cases.run(np.random.default_rng(2), np.array([[0.2, 1.0]] * 50_000), 5)
    assert (scores[:, 1] == 1).all()
    variance = 0.4 * 0.2 * 0.8 / 5
    assert scores[:, 0].mean() == pytest.approx(0.2, abs=4 * math.sqrt(variance / 50_000))
    assert scores[:, 0].var() == pytest.approx(variance, rel=0.05)


def test_a_rule_that_refuses_says_how_often() -> None:
    found = one(case_shape("0.98").points(), "within_case_t", n=10, reps=2, paired=False, target="these-cases")
    # A case of two runs shows no noise with chance .98² + .02².
    assert found.refused == pytest.approx((0.98**2 + 0.02**2) ** 10, abs=1e-9)


def test_two_runs_of_one_system() -> None:
    """V12: 120 cases of which 5 % flip between identical runs; the chances by direct enumeration of flips."""
    found = null_change(case_shape("0.9@1,0.1@0.5").points(), 120, 1)
    flips = stats.binom.pmf(np.arange(121), 120, 0.05)
    at_least = [sum(flips[k] * stats.binom.sf((k + net - 1) // 2, k, 0.5) for k in range(121)) for net in (1, 2)]
    assert found.flips == pytest.approx(6)
    assert found.sd * 120 == pytest.approx(math.sqrt(6))
    assert (found.gain_of_one, found.gain_of_two) == pytest.approx(at_least, abs=1e-9)
    # The thread's own figures, from 200,000 draws and two digits.
    for share, claimed in ((found.gain_of_one, 0.42), (found.gain_of_two, 0.26)):
        assert share == pytest.approx(claimed, abs=0.005 + 4 * share_error(claimed, 200_000))
    assert found.floor * 120 == pytest.approx(5)


REFUSALS = [
    ({"n": 1}, "n_cases: got 1, allowed is a whole number from 2 to 1,000,000."),
    ({"reps": 0}, "reps: got 0, allowed is a whole number from 1 to 1,000."),
    ({"sims": 0}, "sims: got 0, allowed is a whole number from 100 to 100,000,000."),
    ({"seed": -1}, "seed: got -1, allowed is a whole number from 0"),
    ({"n": 1_000_000, "sims": 1_000_000}, "allowed is at most 20,000 evals of that size. Ask for fewer."),
    ({"target": "all"}, "target: got 'all', allowed is new-cases or these-cases."),
    ({"confidence": 95}, "confidence: got 95, allowed is a share between 0 and 1, such as 0.95. Did you mean 0.95?"),
]


@pytest.mark.parametrize(("change", "text"), REFUSALS, ids=[text[:30] for _, text in REFUSALS])
def test_refusals(change: dict[str, object], text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        one(SCENARIO, "per_case_wald", **change)  # type: ignore[arg-type]
    assert text in str(caught.value)


WRONG_RULES = [
    ("tango", StudyDesign(n_cases=9, reps=2), SCENARIO, "a rule for 2 reps. It is for one run a case."),
    ("evalgauge_guarded", StudyDesign(n_cases=9, reps=2, paired=False), SCENARIO, "a rule for --design single."),
    (
        "per_case_t",
        StudyDesign(n_cases=9, reps=2, target="these-cases"),
        SCENARIO,
        "a rule whose interval is about these-cases.",
    ),
    ("cr0", StudyDesign(n_cases=9, reps=2, paired=False), SCENARIO, "without clusters. It needs --cluster-size."),
    (
        "percentile_bootstrap",
        StudyDesign(n_cases=9, reps=1, paired=False),
        GradedShape(shape=case_shape("beta:8:2")),
        "a rule for graded scores. It is for pass/fail runs.",
    ),
    (
        "cr0",
        StudyDesign(n_cases=9, reps=1, paired=False),
        ClusteredCases(mean=0.5, icc=0.2, sizes=(4, 4, 4)),
        "cluster_size: got '12 cases in clusters', allowed is one score",
    ),
]


@pytest.mark.parametrize(
    ("rule", "design", "cases", "text"), WRONG_RULES, ids=[rule[0] + rule[3][:12] for rule in WRONG_RULES]
)
def test_rules_that_are_not_defined(rule: str, design: StudyDesign, cases: RatePoints, text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        coverage_study(cases, design, rules=[rule])
    assert text in str(caught.value)
