"""Exact power: against enumeration and exact2x2, against the intervals themselves, by property, and its refusals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from evalgauge.errors import ArgumentError
from evalgauge.stats.binomial import outer_chance
from evalgauge.stats.mover import mover_difference_limits
from evalgauge.stats.paired_proportions import mcnemar_exact_p, tango_limits
from evalgauge.stats.power import (
    paired_power,
    reference_edge,
    reference_power,
    two_arm_edge,
    two_arm_power,
)
from evalgauge.stats.proportion import clopper_pearson_limits, mid_p_limits, wilson_limits
from evalgauge.stats.quantiles import normal_quantile
from evalgauge.stats.two_proportions import miettinen_nurminen_limits
from support.oracles import OracleRow, oracle_params, required

if TYPE_CHECKING:
    from collections.abc import Callable

Z = normal_quantile(0.95)
RULES = {
    "Wilson 95% upper < p0": "wilson",
    "exact binomial lower tail alpha/2": "clopper-pearson",
    "mid-p lower tail alpha/2": "mid-p",
    "mn one direction": "miettinen-nurminen",
    "newcombe one direction": "newcombe",
    "fisher one direction": "fisher",
    "exact favourable direction": "exact",
    "midp favourable direction": "mid-p",
    "chi2 favourable direction": "tango",
}
REFERENCE_RULES = ("wilson", "clopper-pearson", "mid-p")
shares = st.floats(0.02, 0.98)


def numbers(arguments: str | dict[str, float]) -> dict[str, float]:
    """Return the numbers of an oracle's arguments, whatever words stand beside them."""
    if isinstance(arguments, dict):
        return arguments
    return {name: float(value) for name, value in re.findall(r"([\w/]+)=([-+.\d]+)", arguments)}


def rule_of(arguments: str | dict[str, float]) -> Any:
    assert isinstance(arguments, str)
    return RULES[arguments.split("test=")[1]]


@pytest.mark.parametrize(("function", "row"), oracle_params("exact_power_one_sample", "exact_size_one_sample"))
def test_power_against_a_reference_is_the_enumerated_one(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    given_numbers = numbers(arguments)
    rate = given_numbers["p0"] if function == "exact_size_one_sample" else given_numbers["p1"]
    found = reference_power(given_numbers["n"], given_numbers["p0"], rate, rule=rule_of(arguments))
    assert float(found) == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("_function", "row"), oracle_params("exact_power_two_arms"))
def test_power_of_two_arms_is_the_enumerated_one(_function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    found = numbers(arguments)
    power = two_arm_power(found["n/arm"], found["n/arm"], found["p0"], found["p1"], rule=rule_of(arguments))
    assert float(power) == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("_function", "row"), oracle_params("exact_power_mcnemar"))
def test_power_of_pairs_is_the_enumerated_one(_function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    found = numbers(arguments)
    power = paired_power(found["n"], found["disc"], found["d"], rule=rule_of(arguments))
    assert float(power) == pytest.approx(expected, abs=tol)


@pytest.mark.parametrize(("_function", "row"), oracle_params("power_mcnemar_exact"))
def test_power_of_pairs_agrees_with_exact2x2(_function: str, row: OracleRow | None) -> None:
    arguments, expected, _tol = required(row)
    found = numbers(arguments)
    power = paired_power(found["n"], found["pb"] + found["pc"], found["pb"] - found["pc"], rule="exact")
    # exact2x2 leaves out unlikely numbers of changed cases: it differs from full enumeration (the rows of
    # exact_power_mcnemar) by 3e-7, and its own default for that is 1e-6.
    assert float(power) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("n", [1, 2, 7, 16, 40, 133])
@pytest.mark.parametrize("reference", [0.05, 0.5, 0.9, 0.97])
@pytest.mark.parametrize("rule", REFERENCE_RULES)
def test_the_edge_is_where_the_interval_leaves_the_reference(n: int, reference: float, rule: Any) -> None:
    limits: dict[str, Callable[[Any, Any], Any]] = {
        "wilson": lambda k, cases: wilson_limits(k / cases, cases, Z),
        "clopper-pearson": clopper_pearson_limits,
        "mid-p": mid_p_limits,
    }
    counts = np.arange(n + 1)
    below = counts[limits[rule](counts, n)[1] < reference]
    assert int(reference_edge(n, reference, rule=rule)) == (below[-1] if below.size else -1)


@pytest.mark.parametrize(("n1", "n2"), [(1, 1), (8, 8), (30, 11), (25, 90), (63, 64)])
def test_edges_of_two_arms_are_those_of_the_intervals(n1: int, n2: int) -> None:
    x1 = np.arange(n1 + 1, dtype=np.float64)
    x2 = np.arange(n2 + 1, dtype=np.float64)[:, None]
    high = {
        "miettinen-nurminen": miettinen_nurminen_limits(x1, n1, x2, n2)[1],
        "newcombe": mover_difference_limits(
            (x1 / n1, *wilson_limits(x1 / n1, n1, Z)), (x2 / n2, *wilson_limits(x2 / n2, n2, Z))
        )[1],
    }
    for rule, ends in high.items():
        assert two_arm_edge(x1, n1, n2, Z, rule).tolist() == ((ends < 0).sum(axis=0) - 1).tolist()  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("n1", "n2"), [(8, 8), (30, 11), (25, 40)])
def test_edges_of_fisher_are_those_of_the_hypergeometric_law(n1: int, n2: int) -> None:
    def tail(x1: int, x2: int) -> float:
        total = x1 + x2
        ways = [special.comb(n2, k, exact=True) * special.comb(n1, total - k, exact=True) for k in range(x2 + 1)]
        return sum(ways) / special.comb(n1 + n2, total, exact=True)

    expected = [max((x2 for x2 in range(n2 + 1) if tail(x1, x2) <= 0.025), default=-1) for x1 in range(n1 + 1)]
    assert two_arm_edge(np.arange(n1 + 1.0), n1, n2, Z, "fisher").tolist() == expected


@pytest.mark.parametrize("rule", ["tango", "exact"])
@pytest.mark.parametrize(("discordance", "drop"), [(0.3, 0.1), (1.0, 0.5), (0.4, 0.4)])
def test_power_of_pairs_is_the_sum_over_all_tables(rule: Any, discordance: float, drop: float) -> None:
    n = 23
    wins, losses = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    inside = wins + losses <= n
    wins, losses = wins[inside], losses[inside]
    up, down = (discordance - drop) / 2, (discordance + drop) / 2
    logs = special.gammaln(n + 1) - special.gammaln(wins + 1) - special.gammaln(losses + 1)
    logs = logs - special.gammaln(n - wins - losses + 1)
    chances = np.exp(
        logs
        + special.xlogy(wins, max(up, 0.0))
        + special.xlogy(losses, down)
        + special.xlogy(n - wins - losses, max(1 - discordance, 0.0))
    )
    shown = tango_limits(wins, losses, n)[1] < 0
    if rule == "exact":
        shown = (losses > wins) & (mcnemar_exact_p(wins, losses) < 0.05)
    assert float(paired_power(n, discordance, drop, rule=rule)) == pytest.approx(float(chances[shown].sum()), abs=1e-12)


@given(st.integers(1, 400), shares, shares)
def test_a_rise_is_the_drop_of_the_failures(n: int, reference: float, rate: float) -> None:
    rise = reference_power(n, reference, rate, direction="rise")
    assert float(rise) == pytest.approx(float(reference_power(n, 1 - reference, 1 - rate)), abs=1e-12)


@given(st.integers(1, 200), st.integers(1, 200), shares, shares)
def test_exchanging_the_arms_changes_no_power(n1: int, n2: int, rate1: float, rate2: float) -> None:
    assume(abs(rate1 - rate2) > 1e-6)
    there = float(two_arm_power(n1, n2, rate1, rate2))
    assert float(two_arm_power(n2, n1, rate2, rate1)) == pytest.approx(there, abs=1e-9)
    assert 0 <= there <= 1 + 1e-12


@given(st.integers(1, 300), shares, st.floats(0, 1))
def test_more_confidence_is_never_more_power(n: int, reference: float, part: float) -> None:
    rate = reference * part
    powers = [float(reference_power(n, reference, rate, confidence=level)) for level in (0.8, 0.95, 0.99)]
    assert powers == sorted(powers, reverse=True)


@given(st.integers(1, 300), shares)
def test_a_larger_drop_is_never_harder_to_see(n: int, reference: float) -> None:
    rates = np.linspace(reference, 0, 6)
    assert np.diff([float(reference_power(n, reference, rate)) for rate in rates]).min() >= -1e-12


@given(st.integers(1, 120), shares)
def test_clopper_pearson_never_errs_more_than_half_of_alpha(n: int, reference: float) -> None:
    assert float(reference_power(n, reference, reference, rule="clopper-pearson")) <= 0.025 + 1e-12


@pytest.mark.parametrize(("rates", "expected"), [((1.0, 0.0), 1.0), ((1.0, 1.0), 0.0), ((0.0, 0.0), 0.0)])
def test_certain_outcomes_have_certain_power(rates: tuple[float, float], expected: float) -> None:
    assert float(two_arm_power(20, 20, *rates)) == expected
    assert float(reference_power(20, *rates)) == expected


def test_the_shape_of_the_counts_is_kept() -> None:
    counts = np.array([[50, 60], [70, 80]])
    assert reference_power(counts, 0.9, 0.8).shape == (2, 2)
    assert paired_power(counts[0], 0.3, 0.1).shape == (2,)
    assert two_arm_power(50, 60, 0.9, 0.8).shape == ()


def test_one_hundred_thousand_cases_lose_no_digit() -> None:
    n, edge = 100_000, int(reference_edge(100_000, 0.9))
    assert float(reference_power(n, 0.9, 0.897)) == pytest.approx(special.betainc(n - edge, edge + 1, 0.103), rel=1e-9)
    # Both windows of the sum hold all but 1e-13 of the mass: certain detection is certain.
    assert float(two_arm_power(n, n, 0.9, 0.8)) == pytest.approx(1, abs=1e-12)
    assert float(paired_power(n, 0.5, 0.1)) == pytest.approx(1, abs=1e-12)


def test_the_outer_chance_is_a_sum_of_the_two_tails() -> None:
    found = outer_chance([0, 3, 10], 20, 0.3)
    chances = [special.comb(20, k) * 0.3**k * 0.7 ** (20 - k) for k in range(21)]
    assert found[0] == pytest.approx(chances[0] + chances[20])
    assert found[1] == pytest.approx(sum(chances[:4]) + sum(chances[17:]))
    assert found[2] == 1


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: reference_power(10, 90, 0.8), "reference: got 90, allowed is a share from 0 to 1. Did you mean 0.9?"),
        (lambda: reference_power(10, 0.9, -0.1), "rate: got -0.1, allowed is a share from 0 to 1."),
        (lambda: reference_power(10, 0.9, 0.8, rule="wald"), "rule: got 'wald', allowed is one of wilson"),  # pyright: ignore[reportArgumentType]
        (lambda: paired_power(10, 0.1, 0.2), "drop: got 0.2, allowed is a share above 0 and at most the discordance"),
        (lambda: paired_power(10, 0.1, 0.0), "drop: got 0.0, allowed is a share above 0"),
        (lambda: paired_power(10, 0.1, 0.05, rule="t"), "rule: got 't', allowed is one of tango, exact, mid-p"),  # pyright: ignore[reportArgumentType]
        (lambda: two_arm_power(10, 10, 1.5, 0.5), "rate1: got 1.5, allowed is a share from 0 to 1."),
        (lambda: two_arm_power(10, 10, 0.5, 0.4, rule="z"), "rule: got 'z', allowed is one of miettinen-nurminen"),  # pyright: ignore[reportArgumentType]
        (lambda: reference_power(10, 0.9, 0.8, confidence=95), "confidence: got 95"),
    ],
)
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(text)):
        call()
