"""The power of a gate on a drop against enumeration of every table, and against its own formula."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError
from evalgauge.stats.hull import hull_limits, unchanged_hull_low
from evalgauge.stats.no_worse_power import no_worse_n, no_worse_normal_power, no_worse_power
from evalgauge.stats.paired_proportions import tango_interval


def enumerated(n: int, discordance: float, margin: float, difference: float, confidence: float) -> float:
    """Return the chance to pass, table by table, with the interval itself."""
    won, lost = (discordance + difference) / 2, (discordance - difference) / 2
    total = 0.0
    for wins in range(n + 1):
        for losses in range(n + 1 - wins):
            if tango_interval(wins, losses, n, confidence=confidence).low > -margin:
                ways = math.comb(n, wins) * math.comb(n - wins, losses)
                total += ways * won**wins * lost**losses * (1 - discordance) ** (n - wins - losses)
    return total


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 40),
    st.floats(0, 1),
    st.floats(0.05, 0.6),
    st.floats(-1, 1),
    st.sampled_from([0.8, 0.95, 0.99]),
)
def test_it_is_the_sum_over_all_tables(
    n: int, discordance: float, margin: float, part: float, confidence: float
) -> None:
    difference = part * discordance
    exact = enumerated(n, discordance, margin, difference, confidence)
    found = no_worse_power(n, discordance, margin, difference=difference, confidence=confidence)
    assert float(found) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("discordance", [0.18, 0.3, 0.5])
@pytest.mark.parametrize("margin", [0.01, 0.02, 0.05])
def test_large_sets_have_the_power_of_the_formula(discordance: float, margin: float) -> None:
    n = round(no_worse_n(discordance, margin, power=0.9))
    assert float(no_worse_normal_power(n, discordance, margin)) == pytest.approx(0.9, abs=0.002)
    assert float(no_worse_power(n, discordance, margin)) == pytest.approx(0.9, abs=0.02)


def test_arms_that_never_differ_pass_from_the_least_count_on() -> None:
    assert no_worse_power([188, 189, 500], 0, 0.02).tolist() == [0, 1, 1]
    assert no_worse_normal_power([100, 1000], 0, 0.02).tolist() == [0, 1]
    assert float(no_worse_normal_power(1000, 0, 0.02)) == 1


@pytest.mark.parametrize("n", [1, 2, 3, 10, 200])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_the_hull_of_unchanged_cases_is_the_hull(n: int, confidence: float) -> None:
    made = float(hull_limits([0.0] * n, confidence=confidence)[0])
    assert unchanged_hull_low(n, confidence=confidence) == pytest.approx(made, abs=1e-14)


@pytest.mark.parametrize(
    ("arguments", "options", "text"),
    [
        ((10, 1.2, 0.02), {}, "discordance: got 1.2, allowed is a share from 0 to 1."),
        ((10, 0.2, 0), {}, "margin: got 0, allowed is a share between 0 and 1, such as 0.02."),
        (
            (10, 0.2, 0.1),
            {"difference": 0.3},
            "difference: got 0.3, allowed is a share of at most the discordance, 0.2, in size.",
        ),
    ],
)
def test_refusals(arguments: tuple[int, float, float], options: dict[str, float], text: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(text)):
        no_worse_power(*arguments, **options)
