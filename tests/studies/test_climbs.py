"""Climbs, attacks and the experiment of 2015: short runs against what is known exactly, and alike for any worker."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evalgauge.errors import ArgumentError
from evalgauge.reusing.optimism import adaptive_figures, optimism
from evalgauge.studies.attack import random_bit_attack
from evalgauge.studies.climb import climb
from evalgauge.studies.displays import Display, Move
from evalgauge.studies.results import RULES
from evalgauge.studies.science_2015 import science_2015

if TYPE_CHECKING:
    from collections.abc import Callable


def test_redrawing_everything_is_the_best_of_k() -> None:
    found = climb(1000, 0.8, 10, edit=1.0, climbs=4_000)
    assert abs(found.bias - optimism(1000, 0.8, 10)) < 4 * found.mc_error


@pytest.mark.parametrize("rule", RULES)
def test_one_look_is_unbiased_and_workers_change_nothing(rule: str) -> None:
    single = climb(300, 0.7, 1, rule=rule, climbs=1_000)  # type: ignore[arg-type]
    assert abs(single.bias) < 4 * single.mc_error
    serial = climb(300, 0.7, 12, rule=rule, climbs=1_000, seed=5)  # type: ignore[arg-type]
    with ThreadPoolExecutor(3) as pool:
        assert climb(300, 0.7, 12, rule=rule, climbs=1_000, seed=5, mapper=pool.map) == serial  # type: ignore[arg-type]
    assert climb(300, 0.7, 12, rule=rule, climbs=1_000, seed=6) != serial  # type: ignore[arg-type]


def test_showing_less_protects() -> None:
    bias = {rule: climb(1000, 0.8, 100, rule=rule).bias for rule in RULES}
    assert bias["exact"] > bias["rounded"] > bias["ladder"] > bias["pass-fail"] > bias["thresholdout"]
    assert bias["exact"] > bias["free-ladder"] > bias["pass-fail"]


def move(before: int, wins: int, losses: int) -> Move:
    one, up, down = (np.array([value]) for value in (before, wins, losses))
    return Move(n=100, before=one, after=one + up - down, wins=up, losses=down)


@pytest.mark.parametrize(
    ("rule", "wins", "losses", "is_kept"),
    [
        ("exact", 1, 0, True),
        ("exact", 3, 3, False),
        ("rounded", 2, 0, False),
        ("rounded", 3, 0, True),
        ("ladder", 5, 0, False),
        ("ladder", 6, 0, True),
        ("free-ladder", 3, 2, False),
        ("free-ladder", 6, 2, True),
        ("pass-fail", 5, 0, False),
        ("pass-fail", 6, 0, True),
        ("pass-fail", 9, 2, False),
        ("pass-fail", 0, 0, False),
    ],
)
def test_when_a_tuner_keeps_an_edit(rule: str, wins: int, losses: int, is_kept: bool) -> None:  # noqa: FBT001 - a column
    display = Display(rule, n=100, step=0.05, stream=np.random.default_rng(1))  # type: ignore[arg-type]
    display.start(np.array([60]))
    assert display.keeps(move(60, wins, losses)).tolist() == [is_kept]


def test_a_ladder_remembers_what_it_showed() -> None:
    display = Display("ladder", n=100, step=0.05, stream=np.random.default_rng(1))
    display.start(np.array([60]))
    assert display.keeps(move(60, 9, 0)).all()
    # 69 was shown as 70: 74 is no gain of more than a step, 76 is.
    assert not display.keeps(move(69, 5, 0)).any()
    assert display.keeps(move(69, 7, 0)).all()


def test_exact_scores_fall_to_an_attack_as_predicted() -> None:
    found = random_bit_attack(500, 50, attacks=300)
    assert abs(found.bias - adaptive_figures(500, 0.5, 50).attack) < 4 * found.mc_error


def test_signs_alone_fall_as_predicted() -> None:
    found = random_bit_attack(1000, 100, rule="sign", attacks=300)
    # Only those above one half vote: half of the looks, each with a mean excess of √(2/(πn)).
    expected = 0.5 * math.erf(math.sqrt(2 / math.pi * 50 / 1000) / math.sqrt(2))
    assert abs(found.bias - expected) < 4 * found.mc_error + 0.002


def test_attack_workers_change_nothing() -> None:
    serial = random_bit_attack(200, 10, rule="ladder", attacks=45, seed=2)
    with ThreadPoolExecutor(3) as pool:
        assert random_bit_attack(200, 10, rule="ladder", attacks=45, seed=2, mapper=pool.map) == serial
        experiment = science_2015(300, 10, variables=500, experiments=12, mapper=pool.map)
    assert experiment == science_2015(300, 10, variables=500, experiments=12)


def test_thresholdout_protects_where_the_standard_holdout_does_not() -> None:
    standard, guarded = (
        science_2015(2_000, 60, variables=3_000, experiments=30, mechanism=one)  # type: ignore[arg-type]
        for one in ("standard", "thresholdout")
    )
    expected = 0.5 + 0.5 * math.erf(1.525135276 * math.sqrt(60 / 2_000) / math.sqrt(2))
    assert abs(standard.accuracy - expected) < 4 * standard.mc_error + 0.002
    assert abs(guarded.accuracy - 0.5) < 0.02


def test_no_variable_leaves_a_coin() -> None:
    found = science_2015(100, 1, variables=1, experiments=400)
    assert abs(found.accuracy - 0.5) < 0.03


REFUSALS: list[tuple[Callable[[], object], str]] = [
    (lambda: climb(1, 0.8, 3), "cases: got 1, allowed is a whole number of cases, 2 or more."),
    (lambda: climb(10, 1.0, 3), "rate: got 1.0, allowed is a share above 0 % and below 100 %."),
    (lambda: climb(10, 0.8, 0), "looks: got 0, allowed is a whole number of looks, 1 or more."),
    (lambda: climb(10, 0.8, 3, edit=0), "edit: got 0, allowed is a share of the cases above 0 %, at most 100 %."),
    (lambda: climb(10, 0.8, 3, rule="none"), "display rule: got 'none', allowed is exact, rounded, ladder"),  # type: ignore[arg-type]
    (lambda: climb(10, 0.8, 3, rule="ladder", step=0), "step: got 0, allowed is points above 0, such as 1pp (0.01)."),
    (lambda: climb(10, 0.8, 3, climbs=0), "total: got (0, 250), allowed is whole numbers of draws"),
    (lambda: random_bit_attack(1, 3), "cases: got 1, allowed is a whole number, 2 or more."),
    (lambda: random_bit_attack(10, 0), "looks: got 0, allowed is a whole number, 1 or more."),
    (lambda: random_bit_attack(10, 3, attacks=1), "attacks: got 1, allowed is a whole number, 2 or more."),
    (lambda: random_bit_attack(10, 3, rule="all"), "display rule: got 'all', allowed is exact, ladder, pass-fail"),  # type: ignore[arg-type]
    (lambda: random_bit_attack(10, 3, step=2), "step: got 2, allowed is points above 0"),
    (lambda: science_2015(1, 3), "cases: got 1, allowed is a whole number, 2 or more."),
    (lambda: science_2015(10, 30, variables=20), "variables: got 20, allowed is at least the 30 that are chosen."),
    (lambda: science_2015(10, 3, mechanism="none"), "mechanism: got 'none', allowed is standard or thresholdout."),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "text"), REFUSALS, ids=[text[:40] for _, text in REFUSALS])
def test_refusals(call: Callable[[], object], text: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        call()
    assert text in str(caught.value)
