"""Every expected value of ``reuse.csv``."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import integrate, optimize, special

from evalgauge.reusing.interval import corrected_interval
from evalgauge.reusing.optimism import adaptive_figures, effective_looks, fresh_set_size, look_budget, optimism
from evalgauge.reusing.refresh import spent_after_refresh
from evalgauge.rules.spending import log_transcripts
from evalgauge.stats.maxima import equicorrelated_critical, expected_max_blom, expected_max_normal, upper_tail
from support.oracles import OracleRow, oracle_params, required

if TYPE_CHECKING:
    from collections.abc import Callable

Arguments = dict[str, float]
FIGURES: dict[str, Callable[[Arguments], float | None]] = {
    "expected_max_normal": lambda a: expected_max_normal(a["k"]),
    "expected_max_blom": lambda a: expected_max_blom(a["k"]),
    "optimism_normal": lambda a: optimism(a["n"], a["p"], a["k"], maximum="normal"),
    "optimism_binomial": lambda a: optimism(a["n"], a["p"], a["k"]),
    "look_budget_blom": lambda a: look_budget(a["n"], a["p"], a["tol"], maximum="blom"),
    "look_budget_exact": lambda a: look_budget(a["n"], a["p"], a["tol"], maximum="normal"),
    "look_budget_binomial": lambda a: look_budget(a["n"], a["p"], a["tol"]),
    "fresh_size_blom": lambda a: fresh_set_size(a["p"], a["k"], a["tol"], maximum="blom"),
    "fresh_size_exact": lambda a: fresh_set_size(a["p"], a["k"], a["tol"], maximum="normal"),
    "effective_looks": lambda a: effective_looks(a["k"], a["rho"]),
    "looks_left_spent_after_refresh": lambda a: spent_after_refresh(a["k"], a["share"]),
    "log_transcripts_pass_fail": lambda a: log_transcripts(int(a["k"]), "pass-fail", passes=int(a["passes"])),
    "wilson_bonferroni_lo": lambda a: corrected_interval(a["x"], a["n"], int(a["k"])).low,
    "wilson_bonferroni_hi": lambda a: corrected_interval(a["x"], a["n"], int(a["k"])).symmetric_high,
    "attack_bias": lambda a: adaptive_figures(a["n"], 0.5, a["k"]).attack,
    "science2015_standard_holdout_accuracy": lambda a: 1 - upper_tail(mean_above_one() * math.sqrt(a["k"] / a["n"])),
}
CRITICAL = "max_t_critical_equicorrelated_one_sided_975"


def mean_above_one() -> float:
    """Return E[Z | Z > 1]: what the holdout's correlation is worth that was chosen because it exceeds 1/√n."""
    return math.exp(-0.5) / math.sqrt(2 * math.pi) / upper_tail(1.0)


@pytest.mark.parametrize(("function", "row"), oracle_params(*FIGURES, file="reuse.csv"))
def test_figures(function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    assert isinstance(arguments, dict)
    assert FIGURES[function](arguments) == pytest.approx(expected, abs=tol)


def by_hermite(k: float, correlation: float, nodes: int) -> float:
    """Return the critical value by Gauss-Hermite quadrature, which is how the rows were made."""
    x, weights = special.roots_hermitenorm(nodes)
    weights = weights / weights.sum()

    def tail(c: float) -> float:
        own = (c - math.sqrt(correlation) * x) / math.sqrt(1 - correlation)
        return float(weights @ -np.expm1(k * special.log_ndtr(own))) - 0.025

    return float(optimize.brentq(tail, 1.0, 6.0, xtol=1e-13))


def by_quadrature(k: float, correlation: float) -> float:
    """Return the critical value by adaptive quadrature."""

    def tail(c: float) -> float:
        def part(z: float) -> float:
            own = (c - math.sqrt(correlation) * z) / math.sqrt(1 - correlation)
            return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * -math.expm1(k * float(special.log_ndtr(own)))

        return integrate.quad(part, -12, 12, points=[0, 1, 2, 3, 4], limit=500, epsabs=1e-13)[0] - 0.025

    return float(optimize.brentq(tail, 1.0, 6.0, xtol=1e-12))


@pytest.mark.parametrize(("_function", "row"), oracle_params(CRITICAL, file="reuse.csv"))
def test_critical_values(_function: str, row: OracleRow | None) -> None:
    arguments, expected, tol = required(row)
    assert isinstance(arguments, dict)
    k, correlation = arguments["k"], arguments["rho"]
    found = equicorrelated_critical(int(k), correlation, 0.025)
    # 200 Hermite nodes are too few for k = 50 at a correlation of .9: the row is off by 1e-4, and 400 nodes move
    # towards what adaptive quadrature says. Where they do suffice, the row must be met.
    if abs(by_hermite(k, correlation, 200) - by_quadrature(k, correlation)) > tol:
        assert (k, correlation) == (50, 0.9)
        assert by_hermite(k, correlation, 200) == pytest.approx(expected, abs=tol)
        assert found == pytest.approx(by_quadrature(k, correlation), abs=1e-9)
    else:
        assert found == pytest.approx(expected, abs=tol)
