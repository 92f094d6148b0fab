"""Before a run: whether each rule can pass and fail at all, what it can see, and the file of rules on the way."""

from __future__ import annotations

import json
import re
from contextlib import chdir
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import special

from evalgauge.planning.gate_sight import drop_sight, graded_drop_sight, rate_sight
from evalgauge.rules.gate_claims import Change, drop_claim
from evalgauge.rules.paired_missing import ArmRuns
from evalgauge.stats.no_worse_power import margin_chances
from evalgauge.stats.paired_proportions import tango_limits
from evalgauge.stats.power import paired_power
from support.tables import paired_tables, reps_table, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


def test_the_hard_floor_is_printed(command: Command) -> None:
    seen = command("gate", "--check", "--max-drop", "2pp")
    assert seen.code == 0
    assert "below 183 / 72 / 36 cases no rule can exclude a drop of 2 / 5 / 10 points" in seen.out
    assert "least n for a pass: 189 (hard floor 183)" in seen.out
    answer = command.json("gate", "--check", "--max-drop", "2pp")
    assert answer["hard_floors"] == {"0.02": 183, "0.05": 72, "0.1": 36}
    assert answer["can_decide"] is None


def test_the_least_count_for_a_floor_of_90_percent_is_35(command: Command) -> None:
    assert "least n for a pass: 35" in command("gate", "--check", "--min-rate", "90%").out
    assert command("gate", "--check", "--min-rate", "90%", "--cases", 34).code == 2
    assert command("gate", "--check", "--min-rate", "90%", "--cases", 35).code == 0


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--max-drop", "2pp", "--cases", "188"], "can never pass with 188 cases"),
        (["--min-rate", "5%", "--cases", "20"], "can never fail with 20 cases"),
        (["--case-rate", "80%", "--cases", "50", "--reps", "3"], "can never fail with 50 cases"),
        (["--better-than", "0pp", "--cases", "3"], "can never pass or fail with 3 cases"),
    ],
    ids=str,
)
def test_a_blind_rule_is_refused_before_the_run(command: Command, options: list[str], word: str) -> None:
    seen = command("gate", "--check", *options)
    assert seen.code == 2
    assert seen.out.startswith("THIS GATE IS BLIND")
    assert word in seen.out
    assert command("gate", "--check", *options, "--allow-blind").code == 0


def test_chances_of_a_drop_are_the_exact_ones(command: Command) -> None:
    options = ["--max-drop", "2pp", "--cases", "300", "--rate", "90%", "--discordance", "6%"]
    answer = command.json("gate", "--check", *options)
    (row,) = answer["rules"]
    assert row["pass_chance"] == margin_chances(300, 0.03, 0.03, difference=-0.02).above
    assert row["fail_chances"]["0.1"] == margin_chances(300, 0.03, 0.13, difference=-0.02).below
    text = command("gate", "--check", *options).out
    assert f"power to fail a drop: 5-point {100 * row['fail_chances']['0.05']:.1f} %" in text
    assert f"passes with a chance of {100 * row['pass_chance']:.1f} % if nothing changed" in text


@pytest.mark.parametrize(("n", "win", "loss"), [(20, 0.1, 0.3), (60, 0.05, 0.1), (7, 0.0, 0.4)])
@pytest.mark.parametrize("difference", [-0.1, 0.0])
def test_margin_chances_are_sums_over_every_table(n: int, win: float, loss: float, difference: float) -> None:
    rng = np.random.default_rng(1)
    draws = rng.multinomial(n, [win, loss, 1 - win - loss], size=40_000)
    low, high = tango_limits(draws[:, 0], draws[:, 1], n)
    found = margin_chances(n, win, loss, difference=difference)
    for exact, seen in ((found.below, high < difference), (found.above, low > difference)):
        assert seen.mean() == pytest.approx(exact, abs=4 * 0.5 / 200)
    if difference == 0 and win + loss < 1:
        assert found.below == pytest.approx(float(paired_power([n], win + loss, loss - win)[0]), abs=1e-9)


def test_sight_is_how_often_the_gate_itself_says_so() -> None:
    sight = drop_sight(240, 0.02, confidence=0.95, discordance=0.05)
    rng = np.random.default_rng(2)
    said = []
    for won, lost, _ in rng.multinomial(240, [0.025, 0.075, 0.9], size=3000).tolist():
        base, cand = np.ones(240), np.ones(240)
        base[:won], cand[won : won + lost] = 0, 0
        arms = [ArmRuns(sums=sums, scored=np.ones(240), planned=np.ones(240)) for sums in (base, cand)]
        said.append(drop_claim(Change(base=arms[0], cand=arms[1]), max_drop=0.02).fails(0.95))
    assert np.mean(said) == pytest.approx(sight.fail_chances[0.05], abs=4 * 0.5 / 3000**0.5)
    assert sight.seen_drop is not None
    assert 0.05 < sight.seen_drop < 0.1


def test_more_cases_see_more() -> None:
    powers = [drop_sight(n, 0.02, confidence=0.95, discordance=0.05).fail_chances[0.1] for n in (50, 100, 200, 400)]
    assert powers == sorted(powers)
    graded = [graded_drop_sight(np.full(n, 0.9), 4, 0.05, confidence=0.95).fail_chances[0.2] for n in (40, 160)]
    assert graded[0] < graded[1]
    assert rate_sight(50, 0.9, confidence=0.95, expected=None).pass_chance == 0


def test_a_baseline_alone_tells_cases_reps_and_rates(command: Command, tmp_path: Path) -> None:
    log = reps_table(tmp_path / "run.csv", {f"q{i}": "1110" if i % 5 else "0000" for i in range(60)})
    seen = command("gate", "--check", log, "--max-drop", "10pp", "--case-rate", "20%", "--json")
    assert seen.code == 2
    answer = json.loads(seen.out)
    assert (answer["n_cases"], answer["n_reps"]) == (60, 4)
    drop, cases = answer["rules"]
    assert drop["assumes"].startswith("cases with these rates, 4 reps")
    assert drop["can_pass"] is True
    assert cases["can_fail"] is False
    assert cases["least_reps"] > 4


def test_slices_are_checked_by_their_own_size(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{i}", 1, "big" if i < 300 else "small") for i in range(320)]
    log = written(tmp_path / "run.csv", ("case", "score", "topic"), rows)
    seen = command("gate", "--check", log, "--max-drop", "2pp", "--by", "topic", "--json")
    assert seen.code == 2
    by_part = {row["part"]: row for row in json.loads(seen.out)["rules"]}
    assert by_part["topic=big"]["can_pass"] is True
    assert by_part["topic=small"]["can_pass"] is False
    assert by_part["topic=small"]["n_cases"] == 20


def test_the_check_agrees_with_the_gate(command: Command, tmp_path: Path) -> None:
    base, cand = paired_tables(tmp_path, both=180, only_base=0, only_cand=0, neither=8)
    assert command("gate", "--check", base, cand, "--max-drop", "2pp").code == 2
    assert "at least 189" in command.refusal("gate", base, cand, "--max-drop", "2pp")
    assert command("gate", base, cand, "--max-drop", "2pp", "--allow-blind").code == 3


def test_rules_come_from_the_file_of_the_folder(command: Command, tmp_path: Path) -> None:
    base, cand = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    with chdir(tmp_path):
        seen = command("gate", "--init")
        assert seen.code == 0
        assert "Wrote evalgauge.toml" in seen.out
        before = (tmp_path / "evalgauge.toml").read_bytes()
        assert "never overwritten" in command.refusal("gate", "--init")
        assert (tmp_path / "evalgauge.toml").read_bytes() == before
        assert command("gate", base, cand).code == 0
        assert "Rules from evalgauge.toml" in command("gate", base, cand).out
        assert command("gate", "--check").code == 0
        # Options that are no rule still apply; a rule that is named makes the file unused.
        assert command.json("gate", base, cand, "--confidence", "90%")["confidence"] == 0.9
        named = command("gate", base, cand, "--better-than", "0pp").out
        assert "Rules from the command line" in named
        assert "evalgauge.toml of this folder was not used" in named
        (tmp_path / "evalgauge.toml").write_text('[[rule]]\nmax-drp = "2pp"\n', encoding="utf-8")
        assert "Did you mean 'max-drop'?" in command.refusal("gate", base, cand)


def test_several_scores_are_judged_as_one_family(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{i}", i % 10 != 0, i % 50 != 0) for i in range(400)]
    log = written(tmp_path / "run.csv", ("case", "accuracy", "safety"), [(c, int(a), int(b)) for c, a, b in rows])
    config = tmp_path / "rules.toml"
    everywhere = 'missing = "fail"\nmap = "score=accuracy|safety"\n'
    rules = '[[rule]]\nmetric = "accuracy"\nmax-drop = "2pp"\nmin-rate = "80%"\n'
    config.write_text(f'{everywhere}{rules}[[rule]]\nmetric = "safety"\nmin-rate = "90%"\n', encoding="utf-8")
    answer = command.json("gate", log, log, "--config", config)
    assert answer["verdict"] == "pass"
    assert answer["missing"] == "fail"
    assert {(row["rule"], row["metric"]) for row in answer["rules"]} >= {
        ("max-drop", "accuracy"),
        ("min-rate", "accuracy"),
        ("min-rate", "safety"),
    }
    assert [one["baseline"]["source"]["metric"] for one in answer["comparisons"]] == ["accuracy", "safety"]
    assert "(safety)" in command("gate", log, log, "--config", config).out


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--check", "--max-drop", "2pp", "--cases", "0"], "a whole number of at least 1"),
        (["--max-drop", "2pp", "--cases", "50"], "given with --check"),
        (["--check", "{log}", "--max-drop", "2pp", "--cases", "50"], "left out where a log tells"),
        (["--check", "--max-drop", "2pp", "--rate", "90"], "Did you mean 90% (0.9)?"),
        (["--check", "{log}", "--max-drop", "2pp", "--junit", "x.xml"], "which gives no verdict to write"),
        (["--init", "--check"], "--init: got '--check', allowed is alone, or with --config FILE"),
        (["--init", "--max-drop", "2pp"], "--init: got '--max-drop', allowed is alone"),
        (["--init", "{log}"], "allowed is alone"),
        (["--init", "--json"], "--init: got '--json', allowed is alone"),
    ],
    ids=str,
)
def test_refusals_of_a_check(command: Command, tmp_path: Path, words: list[str], text: str) -> None:
    log = written(tmp_path / "run.csv", ("case", "score"), [("q1", 1), ("q2", 0)])
    assert text in command.refusal("gate", *(word.format(log=log) for word in words))


@pytest.mark.parametrize("margin", ["2pp", "5pp"])
@pytest.mark.parametrize("discordance", ["10%", "18%"])
def test_what_is_planned_is_what_the_gate_sees(command: Command, margin: str, discordance: str) -> None:
    asked = ["--max-drop", margin, "--rate", "90%", "--discordance", discordance]
    plan = command.json("plan", *asked)["no_worse"]

    def sight(n: int) -> dict[str, float]:
        (row,) = command.json("gate", "--check", *asked, "--cases", str(n))["rules"]
        return row

    assert sight(plan["n"])["pass_chance"] == plan["power_at_n"]
    assert (sight(plan["safe_n"])["least_to_pass"], plan["hard_floor"]) == (
        plan["least"],
        sight(plan["n"])["hard_floor"],
    )
    assert sight(plan["safe_n"] - 1)["pass_chance"] < 0.8 <= sight(plan["safe_n"])["pass_chance"]


@pytest.mark.parametrize("cases", ["1000000000", "1000000000000"])
def test_more_cases_than_chances_are_worth_are_checked_without_them(cases: str, command: Command) -> None:
    seen = command.json("gate", "--check", "--cases", cases, "--max-drop", "2pp", "--rate", "90%")
    assert seen["can_decide"] is True
    assert seen["rules"][0]["seen_drop"] is None
    assert any("not computed for more than 10,000 cases" in note for note in seen["notes"])
    assert command.json("gate", "--check", "--cases", "3000", "--max-drop", "2pp", "--rate", "90%")["notes"] == []


def test_a_floor_says_the_score_that_fails(command: Command) -> None:
    seen = command("gate", "--check", "--cases", "240", "--min-rate", "50%", "--rate", "64%").out
    found = re.search(r"a true score of ([0-9.]+) % fails with a chance of 80 %", seen)
    assert found is not None
    true = float(found[1]) / 100
    most = max(lost for lost in range(241) if special.betaincinv(lost + 1, 240 - lost, 0.975) < 0.5)
    assert special.bdtr(most, 240, true - 0.001) > 0.8 > special.bdtr(most, 240, true + 0.001)
