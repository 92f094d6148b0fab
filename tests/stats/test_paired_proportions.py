"""Pass/fail on the same cases: against R and exact enumeration, dual to McNemar, and honest at the edges."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from evalgauge.errors import ArgumentError
from evalgauge.stats import paired_proportions as rules
from evalgauge.stats.quantiles import normal_quantile
from support.oracles import OracleRow, oracle_params, oracle_rows, required

if TYPE_CHECKING:
    from collections.abc import Callable

LIMITS: dict[str, Callable[..., tuple[np.ndarray, np.ndarray]]] = {
    "tango": rules.tango_limits,
    "bonett_price": rules.bonett_price_limits,
    "agresti_min": rules.agresti_min_limits,
    "wald": rules.paired_wald_limits,
}
HONEST = ["tango", "bonett_price", "agresti_min"]
MCNEMAR = {"exact": rules.mcnemar_exact_p, "chi2": rules.mcnemar_chi2_p, "midp": rules.mcnemar_mid_p}
ENDS = ("lo", "hi")


@st.composite
def tables(draw: st.DrawFn, most: int = 300) -> tuple[int, int, int]:
    n = draw(st.integers(1, most))
    wins = draw(st.integers(0, n))
    return wins, draw(st.integers(0, n - wins)), n


def cells(row: OracleRow) -> tuple[int, int, int, int]:
    """Both passed, only candidate, only baseline, neither: the table's a, b, c, d with difference (b − c)/n."""
    found = dict(re.findall(r"\b([abcd])=(\d+)", str(row.arguments)))
    return int(found["a"]), int(found["b"]), int(found["c"]), int(found["d"])


@pytest.mark.parametrize(("function", "row"), oracle_params(*(f"{name}_{end}" for name in HONEST for end in ENDS)))
def test_agrees_with_r(function: str, row: OracleRow | None) -> None:
    row = required(row)
    both, wins, losses, neither = cells(row)
    name, end = function.rsplit("_", 1)
    ends = LIMITS[name](wins, losses, both + wins + losses + neither)
    assert float(ends[end == "hi"]) == pytest.approx(row.expected, abs=row.tol)


@pytest.mark.parametrize(
    ("function", "row"), oracle_params(*(f"{name}_{end}" for name in ("newcombe8", "newcombe10cc") for end in ENDS))
)
def test_newcombe_agrees_with_r(function: str, row: OracleRow | None) -> None:
    row = required(row)
    both, wins, losses, neither = cells(row)
    interval = rules.newcombe_paired_interval(
        wins, losses, both + wins + losses + neither, both_passed=both, corrected="cc" in function
    )
    assert (interval.high if function.endswith("hi") else interval.low) == pytest.approx(row.expected, abs=row.tol)


@pytest.mark.parametrize(("function", "row"), oracle_params(*(f"mcnemar_{name}_p" for name in MCNEMAR)))
def test_mcnemar_agrees_with_r(function: str, row: OracleRow | None) -> None:
    row = required(row)
    _, wins, losses, _ = cells(row)
    p_value = float(MCNEMAR[function.split("_")[1]](wins, losses))
    assert p_value == pytest.approx(row.expected, abs=row.tol)
    # The tables print ten digits; far tails must keep them too, which an absolute tolerance cannot see.
    assert p_value == pytest.approx(row.expected, rel=1e-8)


@pytest.mark.parametrize("name", ["tango", "bonett_price"])
def test_closed_form_without_a_changed_case(name: str) -> None:
    for row in oracle_rows(f"{name}_zero_discordance_half_width"):
        n = int(re.search(r"n=(\d+)", str(row.arguments))[1])  # type: ignore[index]
        low, high = LIMITS[name](0, 0, n)
        assert (float(-low), float(high)) == pytest.approx((row.expected, row.expected), abs=row.tol)


def enumerated(n: int, up: float, down: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All tables of n cases, and their probabilities."""
    wins, losses = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1.0), np.arange(n + 1.0)))
    wins, losses = wins[wins + losses <= n], losses[wins + losses <= n]
    ties = n - wins - losses
    ways = special.gammaln(n + 1) - sum(special.gammaln(part + 1) for part in (wins, losses, ties))
    chance = special.xlogy(wins, up) + special.xlogy(losses, down) + special.xlogy(ties, 1 - up - down)
    return wins, losses, np.exp(ways + chance)


@pytest.mark.parametrize("name", ["tango", "bonett_price", "wald"])
def test_exact_coverage(name: str) -> None:
    for row in oracle_rows(f"exact_coverage_paired_{name}"):
        assert isinstance(row.arguments, dict)
        n, up, down = int(row.arguments["n"]), row.arguments["pB_only"], row.arguments["pA_only"]
        wins, losses, chance = enumerated(n, up, down)
        low, high = LIMITS[name](wins, losses, n)
        covered = (low <= up - down) & (up - down <= high)
        assert float(chance[covered].sum()) == pytest.approx(row.expected, abs=row.tol)


@pytest.mark.parametrize("n", [10, 25, 50, 100])
def test_tango_keeps_the_printed_widths_without_a_changed_case(n: int) -> None:
    printed = {10: 0.278, 25: 0.133, 50: 0.071, 100: 0.037}
    assert rules.tango_interval(0, 0, n).half_width == pytest.approx(printed[n], abs=5e-4)


@pytest.mark.parametrize("n", [1, 3, 10, 1000, 10**6, 10**9])
def test_tango_has_closed_forms_when_every_case_changes_one_way(n: int) -> None:
    z2 = normal_quantile(0.95) ** 2
    interval = rules.tango_interval(n, 0, n)
    assert interval.high == 1
    assert interval.low == pytest.approx((n - z2) / (n + z2), abs=1e-12)


@given(tables(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_tango_ends_where_its_score_test_rejects(table: tuple[int, int, int], confidence: float) -> None:
    interval = rules.tango_interval(*table, confidence=confidence)
    crit = normal_quantile(confidence)
    for end, expected in ((interval.low, crit), (interval.high, -crit)):
        if abs(end) < 1:
            assert float(rules.tango_statistic(*table, difference=end)) == pytest.approx(expected, abs=1e-6)


@given(tables(), st.sampled_from([0.8, 0.95, 0.99]))
def test_tango_excludes_zero_exactly_when_mcnemar_rejects(table: tuple[int, int, int], confidence: float) -> None:
    interval = rules.tango_interval(*table, confidence=confidence)
    p_value = float(rules.mcnemar_chi2_p(table[0], table[1]))
    if abs(p_value - (1 - confidence)) > 1e-9:
        assert (interval.low > 0 or interval.high < 0) == (p_value < 1 - confidence)


def test_tango_solves_all_tables_of_a_set_at_once() -> None:
    for n in (7, 60):
        wins, losses, _ = enumerated(n, 0.1, 0.1)
        low, high = rules.tango_limits(wins, losses, n)
        single = [rules.tango_interval(up, down, n) for up, down in zip(wins, losses, strict=True)]
        np.testing.assert_allclose(low, [interval.low for interval in single], atol=1e-12)
        np.testing.assert_allclose(high, [interval.high for interval in single], atol=1e-12)


@pytest.mark.parametrize("n", [10**5, 10**9])
def test_tango_is_right_for_huge_sets(n: int) -> None:
    wins = np.concatenate((np.arange(50.0), np.geomspace(50, n, 400).round()))
    losses = np.minimum(n - wins, np.concatenate((np.arange(200.0), np.geomspace(1, n, 250).round())))
    low, _ = rules.tango_limits(wins, losses, n)
    inner = low > -1
    statistic = [
        float(rules.tango_statistic(up, down, n, difference=float(end)))
        for up, down, end in zip(wins[inner], losses[inner], low[inner], strict=True)
    ]
    np.testing.assert_allclose(statistic, normal_quantile(0.95), atol=1e-6)


@pytest.mark.parametrize("name", HONEST)
@given(table=tables())
def test_every_rule_has_width_and_stays_in_range_and_mirrors(name: str, table: tuple[int, int, int]) -> None:
    wins, losses, n = table
    low, high = (float(end) for end in LIMITS[name](wins, losses, n))
    mirrored = [float(end) for end in LIMITS[name](losses, wins, n)]
    assert -1 <= low < high <= 1
    assert mirrored == pytest.approx([-high, -low], abs=1e-12)


@pytest.mark.parametrize("name", HONEST)
@given(table=tables(), levels=st.tuples(st.floats(0.5, 0.999), st.floats(0.5, 0.999)))
def test_more_confidence_never_narrows(name: str, table: tuple[int, int, int], levels: tuple[float, float]) -> None:
    narrow, wide = (LIMITS[name](*table, confidence=level) for level in sorted(levels))
    assert wide[0] <= narrow[0] + 1e-12
    assert wide[1] >= narrow[1] - 1e-12


@given(table=tables(), share=st.floats(0, 1), corrected=st.booleans())
def test_newcombe_has_width_and_stays_in_range_and_mirrors(
    table: tuple[int, int, int], share: float, *, corrected: bool
) -> None:
    wins, losses, n = table
    # Without a changed case its correlation is 1 and its width can be 0: the rules do not offer it there.
    assume(wins + losses > 0)
    both = round(share * (n - wins - losses))
    interval = rules.newcombe_paired_interval(wins, losses, n, both_passed=both, corrected=corrected)
    mirrored = rules.newcombe_paired_interval(losses, wins, n, both_passed=both, corrected=corrected)
    assert -1 <= interval.low < interval.high <= 1
    assert (mirrored.low, mirrored.high) == pytest.approx((-interval.high, -interval.low), abs=1e-12)


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_mcnemar_p_values_are_shares_above_zero_and_mirror(wins: int, losses: int) -> None:
    for test in MCNEMAR.values():
        assert 0 < float(test(wins, losses)) <= 1
        assert float(test(wins, losses)) == float(test(losses, wins))
    assert float(rules.mcnemar_mid_p(wins, losses)) <= float(rules.mcnemar_exact_p(wins, losses)) + 1e-15


def test_no_changed_case_speaks_for_nothing() -> None:
    assert [float(test(0, 0)) for test in MCNEMAR.values()] == [1, 1, 1]


def test_demand_rows() -> None:
    """User question C01, C05, C22, C31, P06: the exact and the score answers."""
    exact = [
        ((22, 9), 0.029),
        ((27, 18), 0.233),
        ((7, 0), 0.016),
        ((20, 8), 0.036),
        ((13, 7), 0.26),
        ((1, 0), 1.0),
        ((4, 0), 0.125),
        ((6, 0), 0.03125),
    ]
    for (wins, losses), p_value in exact:
        assert float(rules.mcnemar_exact_p(wins, losses)) == pytest.approx(
            p_value, abs=5e-4 if p_value != 0.26 else 5e-3
        )
    assert float(rules.mcnemar_exact_p(270, 180)) == pytest.approx(2.6e-5, abs=5e-7)
    for counts, ends in (
        ((22, 9, 240), (0.009, 0.103)),
        ((20, 8, 50), (0.034, 0.425)),
        ((13, 7, 500), (-0.006, 0.032)),
    ):
        interval = rules.tango_interval(*counts)
        assert (interval.low, interval.high) == pytest.approx(ends, abs=5e-4)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: rules.tango_interval(-1, 0, 5), "wins: got -1, allowed is a whole number of cases, 0 or more"),
        (lambda: rules.tango_interval(1, 0.5, 5), "losses: got 0.5, allowed is a whole number of cases"),
        (
            lambda: rules.tango_interval(4, 3, 5),
            r"n: got 5, allowed is at least wins \+ losses = 7\. n counts all shared",
        ),
        (lambda: rules.tango_interval(0, 0, 0), "n: got 0, allowed is a number of cases above 0"),
        (lambda: rules.tango_interval(1, 0, 5, confidence=1.0), "confidence: got 1.0, allowed is a share"),
        (lambda: rules.tango_statistic(1, 0, 5, difference=-1), "difference: got -1, allowed is a change of the rate"),
        (
            lambda: rules.newcombe_paired_interval(1, 1, 5, both_passed=4),
            "both_passed: got 4, allowed is a count from 0 to n - wins - losses = 3",
        ),
    ],
)
def test_refusals(call: object, text: str) -> None:
    assert callable(call)
    with pytest.raises(ArgumentError, match=text):
        call()
