"""What users of evals asked about planning, by the row of the list of demands; all through the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from support.command import Command

# Answers are given to a tenth of a point.
TENTH = 0.0006


def design(answer: dict[str, Any], name: str) -> dict[str, Any]:
    """Return one of the designs that were put side by side."""
    return next(row for row in answer["designs"] if row["design"] == name)


def test_p01_the_effect_is_divided_by_the_standard_deviation(command: Command) -> None:
    found = command.json("plan", "--rate", "30%", "--rise", "6pp")["detection"]["independent_arms"]
    assert found["per_arm"] == 963
    assert found["raw"] == pytest.approx(962.9, abs=0.05)


def test_p04_the_rate_that_an_owned_set_can_tell(command: Command) -> None:
    words = ("plan", "--rate", "80%", "--own", 400, "--design", "independent-arms")
    own = command.json(*words)["own"]
    assert 0.8 - own["detectable_drop"] == pytest.approx(0.715, abs=TENTH)
    assert 0.8 + own["detectable_rise"] == pytest.approx(0.873, abs=TENTH)
    there = command.json(*words, "--drop", own["detectable_drop"])["own"]
    assert there["power_at_drop"] == pytest.approx(0.801, abs=TENTH)


def test_p06_four_scenarios_can_never_be_evidence(command: Command) -> None:
    seen = command.json("compare", "--wins", 1, "--losses", 0, "--of", 4)
    assert seen["difference"]["p_values"]["exact"] == 1
    best = command.json("compare", "--wins", 4, "--losses", 0, "--of", 4)
    assert best["difference"]["p_values"]["exact"] == pytest.approx(0.125)
    said = "Only 4 cases changed; the exact test gives p = 0.125"
    assert any(said in note and "with fewer than 6 changed cases it never can" in note for note in best["notes"])
    assert said in command("compare", "--wins", 4, "--losses", 0, "--of", 4).out
    answer = command.json("plan", "--rise", "5pp", "--own", 4, "--design", "paired", "--rule", "exact")
    assert answer["never"]["flips"] == 6
    assert "4 cases can never show a change, whatever the data: at least 6 changed cases" in " ".join(answer["notes"])
    enough = command.json("compare", "--wins", 6, "--losses", 0, "--of", 6)
    assert enough["difference"]["p_values"]["exact"] == pytest.approx(0.03125)


@pytest.mark.parametrize(("own", "power"), [(200, 0.796), (239, 0.907)])
def test_p09_what_certifies_ninety_percent(command: Command, own: int, power: float) -> None:
    # A one-sided bound at 95 % is the lower end of a two-sided interval at 90 %.
    one_sided = ("--min-rate", "90%", "--confidence", "90%", "--rule", "exact")
    answer = command.json("plan", "--rate", "95%", *one_sided, "--own", own)
    assert answer["floor"]["own_chance"] == pytest.approx(power, abs=5e-4)
    assert answer["floor"]["least"] == 29
    measured = command.json("measure", "19/20")
    assert (measured["low"], measured["high"]) == (pytest.approx(0.764, abs=TENTH), pytest.approx(0.991, abs=TENTH))


@pytest.mark.parametrize(("confidence", "least"), [("95%", 35), ("90%", 25)])
def test_p10_defaults_that_can_never_pass_are_told_before_the_run(
    command: Command, confidence: str, least: int
) -> None:
    answer = command.json("plan", "--rate", "99%", "--drop", "5pp", "--min-rate", "90%", "--confidence", confidence)
    assert answer["floor"]["least"] == least
    assert f"Fewer than {least} cases can never certify a rate above 90 %, even if all pass." in answer["notes"]
    assert command.json("measure", "3/3")["low"] == pytest.approx(0.439, abs=TENTH)


def test_p15_distinct_cases_first(command: Command) -> None:
    answer = command.json("plan", "reps", "--case-sd", 0.4, "--run-sd", 0.3, "--budget", 400)
    rows = {row["reps"]: row for row in answer["rows"]}
    expected = {1: (400, 0.049), 2: (200, 0.063), 4: (100, 0.084), 8: (50, 0.115), 16: (25, 0.160)}
    for reps, (cases, width) in expected.items():
        assert rows[reps]["cases"] == cases
        assert rows[reps]["half_width"] == pytest.approx(width, abs=TENTH)
    assert answer["best"]["reps"] == 1
    assert any("Reps help only while run noise" in note for note in answer["notes"])


@pytest.mark.parametrize(("own", "power"), [(5, 0.086), (15, 0.813)])
def test_p19_trials_at_the_eligibility_floor(command: Command, own: int, power: float) -> None:
    # Ties 32 %, nine of ten of the rest won: 68 % discordant, 54.4 points better; one-sided 5 % is two-sided 90 %.
    exact = ("--discordance", "68%", "--confidence", "90%", "--rule", "exact")
    answer = command.json("plan", "design", "--rate", "10%", "--rise", "54.4pp", *exact, "--own", own)
    assert design(answer, "paired")["own_power"] == pytest.approx(power, abs=5e-4)


def test_p19_votes_for_a_win_rate_of_seventy_percent(command: Command) -> None:
    words = ("plan", "design", "--rate", "30%", "--rise", "40pp", "--discordance", "100%")
    exact = ("--confidence", "90%", "--rule", "exact")
    assert design(command.json(*words, *exact, "--own", 37), "paired")["own_power"] >= 0.8
    assert design(command.json(*words, *exact, "--own", 36), "paired")["own_power"] < 0.8
