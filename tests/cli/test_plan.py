"""``evalgauge plan``: every figure of the spec, refusals, and what is never loaded."""

from __future__ import annotations

import math
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import evalgauge as eg

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

FIVE = ("plan", "--rate", "90%", "--margin", "5pp", "--drop", "10pp", "--slices", 5)


def design(answer: dict[str, Any], name: str) -> dict[str, Any]:
    return next(row for row in answer["designs"] if row["design"] == name)


def test_precision_at_90_percent(command: Command) -> None:
    found = command.json("plan", "--rate", "90%", "--margin", "5pp")["precision"]
    assert (found["per_slice"], found["total"], found["shortcut"]) == (141, 141, 139)
    assert found["half_width"] == pytest.approx(0.049995, abs=5e-7)
    assert found["shortcut_half_width"] == pytest.approx(0.0504, abs=5e-5)
    assert found["assurance"] == {"0.8": 165, "0.9": 176}
    assert found["chance"] == pytest.approx(0.559, abs=5e-4)


def test_the_shortcut_at_80_percent(command: Command) -> None:
    assert command.json("plan", "--rate", "80%", "--margin", "5pp")["precision"]["shortcut"] == 246


def test_detection_against_a_held_reference(command: Command) -> None:
    found = command.json("plan", "--rate", "90%", "--drop", "10pp")["detection"]["held_reference"]
    assert found["raw"] == pytest.approx(85.4955, abs=5e-5)
    assert found["power_at_n"] == pytest.approx(0.763, abs=5e-4)
    assert (found["n"], found["safe_n"], found["rule"]) == (86, 89, "wilson")


def test_the_exact_test_needs_more(command: Command) -> None:
    answer = command.json("plan", "--rate", "90%", "--drop", "10pp", "--rule", "exact")
    assert answer["detection"]["held_reference"]["safe_n"] == 111
    assert answer["detection"]["independent_arms"]["safe_n"] == 214
    assert answer["precision"]["rule"] == "clopper-pearson"
    assert answer["precision"]["per_slice"] > 141


def test_two_designs_with_two_systems(command: Command) -> None:
    answer = command.json("plan", "--rate", "90%", "--drop", "5pp", "--discordance", "10%")
    arms, paired = answer["detection"]["independent_arms"], answer["detection"]["paired"]
    assert arms["raw"] == pytest.approx(685.5969, abs=5e-5)
    assert (arms["per_arm"], arms["total"]) == (686, 1372)
    assert (paired["n"], paired["total"], paired["discordance"]) == (312, 312, 0.1)


def test_five_slices(command: Command) -> None:
    answer = command.json(*FIVE)
    assert (answer["precision"]["per_slice"], answer["precision"]["total"]) == (244, 1220)
    assert answer["precision"]["half_width"] == pytest.approx(0.049946, abs=5e-7)
    assert answer["slices"]["z"] == pytest.approx(2.575829, abs=5e-7)
    assert (answer["slices"]["count"], answer["slices"]["allocation"]) == (5, "equal")
    assert answer["prescribed"] == {"per_slice": 244, "total": 1220, "because": "precision"}


def test_five_slices_by_traffic(command: Command) -> None:
    answer = command.json(*FIVE, "--smallest-share", "10%")
    assert (answer["precision"]["per_slice"], answer["precision"]["total"]) == (244, 2440)
    assert answer["slices"]["allocation"] == "traffic"


def test_shares_by_name_set_their_number_and_the_smallest(command: Command) -> None:
    answer = command.json("plan", "--slice-shares", "web=60%,phone=30%,api=10%")
    assert (answer["slices"]["count"], answer["slices"]["smallest_share"]) == (3, 0.1)
    per_slice = answer["precision"]["per_slice"]
    assert answer["precision"]["total"] == 10 * per_slice
    alone = command.json("plan", "--smallest-share", "10%")
    assert alone["slices"]["count"] == 10


def test_grading_an_owned_set(command: Command) -> None:
    own = command.json(*FIVE, "--own", 695)["own"]
    assert (own["total"], own["per_slice"], own["add"]) == (695, 139, 525)
    assert own["half_width"] == pytest.approx(0.0666, abs=5e-5)
    assert own["detectable_drop"] == pytest.approx(0.0938, abs=5e-5)
    assert own["power_at_drop"] == pytest.approx(0.818, abs=5e-4)
    assert (own["meets_margin"], own["meets_drop"]) == (False, True)
    assert command.json(*FIVE, "--own", 1220)["own"]["add"] == 0


def test_an_owned_set_that_clears_needs_nothing_although_it_is_no_safe_count(command: Command) -> None:
    # Power at 87 is .811 by luck of the teeth; 88 falls short, hence the safe count of 89.
    answer = command.json("plan", "--margin", "10pp", "--drop", "10pp", "--own", 87)
    assert answer["prescribed"]["total"] == 89
    assert answer["own"]["meets_drop"] is (answer["own"]["power_at_drop"] >= 0.8)
    assert answer["own"]["add"] == (0 if answer["own"]["meets_drop"] else 2)


def test_the_floor_of_16_says_what_it_means(command: Command) -> None:
    answer = command.json("plan", "--rate", "90%", "--margin", "20pp", "--drop", "40pp")
    assert answer["precision"]["per_slice"] == 16
    assert answer["prescribed"] == {"per_slice": 16, "total": 16, "because": "floor"}
    note = next(note for note in answer["notes"] if "floor" in note)
    assert all(figure in note for figure in ("19.4 points", "20.4", "30.6 points", "never a recommendation"))
    fewer = command.json("plan", "--rate", "90%", "--margin", "20pp", "--drop", "40pp", "--own", 15)["own"]
    assert (fewer["meets_margin"], fewer["add"]) == (False, 1)


def test_best_numbers_of_reps(command: Command) -> None:
    single = command.json("plan", "reps", "--case-sd", 0.4, "--run-sd", 0.3, "--cost-case", 1, "--cost-run", 0.05)
    assert single["best"]["exact"] == pytest.approx((0.09 / 0.16 * 20) ** 0.5)
    assert (single["best"]["reps"], single["best"]["low"], single["best"]["high"]) == (3, 2, 6)
    paired = command.json("plan", "reps", "--change-sd", 0.15, "--run-sd", 0.4, "--cost-case", 1, "--cost-run", 0.05)
    assert paired["best"]["exact"] == pytest.approx((0.32 / 0.0225 * 1 / 0.1) ** 0.5)


def test_cases_by_reps_for_a_change_of_the_25_case_scenario(command: Command) -> None:
    # The scenario's own moments: mean change 9.06 points, ω = .139, σ_A = .4272, σ_B = .404.
    answer = command.json(
        "plan", "reps", "--change-sd", 0.139, "--run-sd", 0.4272, "--run-sd-candidate", 0.404, "--drop", "9.06pp"
    )
    counts = {row["reps"]: row for row in answer["counts"]}
    assert [counts[reps]["n_classic"] for reps in (1, 2, 5, 10, 50)] == [350, 184, 85, 52, 26]
    # Student's quantiles want one or two cases more.
    assert all(0 < row["n"] - row["n_classic"] <= 2 for row in counts.values())


def test_a_sketch_before_any_run(command: Command) -> None:
    answer = command.json("plan", "reps", "--cases", 25, "--reps", 2)
    assert answer["kind"] == "sketch"
    assert (answer["sketch"]["low"], answer["sketch"]["high"]) == (pytest.approx(0.141, abs=5e-4), pytest.approx(0.2))
    assert "SKETCH: 25 cases × 2 reps give ±14 to ±20 points" in command("plan", "reps").out


def test_the_table_of_cases_by_reps(command: Command) -> None:
    grid = command.json("plan", "reps", "--case-sd", 0.4, "--run-sd", 0.3)["grid"]
    assert len(grid["half_widths"]) == len(grid["cases"])
    row = grid["half_widths"][grid["cases"].index(100)]
    assert row[grid["reps"].index(1)] == pytest.approx(0.098, abs=5e-5)


def test_planned_looks(command: Command) -> None:
    found = command.json("plan", "--looks", 5)["looks"]
    assert found["uncorrected_error"] == pytest.approx(0.142, abs=5e-4)
    strict, level = found["bounds"]
    assert strict["z"][-1] == pytest.approx(2.0401, abs=5e-5)
    assert level["z"] == pytest.approx([2.41318] * 5, abs=5e-6)
    assert strict["n"] < level["n"]


def test_clusters(command: Command) -> None:
    answer = command.json("plan", "--cluster-size", 10, "--icc", 0.2, "--own", 141)
    assert answer["clusters"]["design_effect"] == pytest.approx(2.8)
    assert answer["prescribed"] == {"per_slice": 450, "total": 450, "because": "clusters"}
    # 141 cases would do if they were unrelated.
    assert (answer["own"]["meets_margin"], answer["own"]["add"]) == (False, 309)
    assert command.json("plan", "--cluster-size", 10, "--icc", 0.2, "--own", 450)["own"]["add"] == 0


def test_beyond_a_million_cases_the_formula_stands_for_the_safe_count(command: Command) -> None:
    answer = command.json("plan", "--drop", "0.05pp")
    held = answer["detection"]["held_reference"]
    assert held["safe_n"] == held["n"] > 1_000_000
    assert any("Beyond 1,000,000 cases" in note for note in answer["notes"])


def test_assurance_prescribes_the_assured_count(command: Command) -> None:
    answer = command.json("plan", "--assurance", "90%", "--own", 170)
    assert answer["prescribed"] == {"per_slice": 176, "total": 176, "because": "assurance"}
    assert (answer["own"]["meets_margin"], answer["own"]["add"]) == (False, 6)
    assert "176 to keep it in 90 % of all runs" in command("plan", "--assurance", "90%").out


def test_designs_side_by_side(command: Command) -> None:
    words = ("--rate", "90%", "--drop", "5pp", "--discordance", "10%", "--cost-case", 1, "--cost-run", 0.05)
    answer = command.json("plan", "design", *words)
    assert answer["question"] == "plan_design"
    assert answer["recommended"] == "paired"
    paired, arms = design(answer, "paired"), design(answer, "independent-arms")
    assert (paired["cases"], paired["runs"]) == (291, 582)
    assert paired["cost"] == pytest.approx(291 + 0.05 * 582)
    assert (arms["cases"], arms["handbook_n"]) == (1364, 686)
    assert min(row["power"] for row in answer["designs"]) >= 0.8
    text = command("plan", "design", *words).out
    assert text.startswith("SAME CASES: Run both systems on the same 291 cases")


def test_the_verdict_comes_first(command: Command) -> None:
    lines = command(*FIVE, "--own", 695).out.splitlines()
    assert lines[0] == ("You need 1,220 cases (244 in each of 5 slices); the margin decides. You own 695: ADD 525.")
    assert "Your 139 a slice: ±6.66 points (asked ±5 points: no)" in lines[1]
    assert "sees a 9.38-point drop (asked 10 points: yes, power 82 %)" in lines[1]
    assert lines[-1].strip() == "Next: evalgauge plan design --rate 90% --drop 10pp --slices 5 --own 695"
    assert "ENOUGH: add 0" in command("plan", "--own", 200).out


def test_python_gives_the_same_answer_as_the_command_line(command: Command) -> None:
    answer = eg.plan(rate=0.9, margin=0.05, drop=0.10, slices=5, own=695)
    assert eg.to_json(answer) + "\n" == command(*FIVE, "--own", 695, "--json").out
    assert "1,220 cases" in str(answer)
    assert "ADD 525" in answer._repr_html_()


@pytest.mark.parametrize(
    "words",
    [
        (*FIVE, "--own", 695, "--assurance", "90%"),
        ("plan", "--slice-shares", "web=60%,api=40%", "--looks", 3),
        ("plan", "design", "--rise", "5pp", "--cost-run", 0.1),
        ("plan", "reps", "--case-sd", 0.4, "--run-sd", 0.3, "--budget", 400),
    ],
)
def test_shown_code_runs_and_says_the_same(command: Command, words: tuple[object, ...]) -> None:
    call = command(*words, "--show-code").out.splitlines()[-1].removeprefix("print(").removesuffix(")")
    answer = eval(call, {"eg": eg})  # noqa: S307 - the code that the tool itself printed
    assert eg.to_json(answer) + "\n" == command(*words, "--json").out


# The other options each change some answer.
@pytest.mark.parametrize(
    "option",
    [
        ("--margin", "4pp"),
        ("--drop", "8pp"),
        ("--rise", "5pp"),
        ("--slices", "3"),
        ("--smallest-share", "20%"),
        ("--power", "90%"),
        ("--confidence", "90%"),
        ("--assurance", "95%"),
        ("--design", "paired"),
        ("--discordance", "15%"),
        ("--correlation", "0.5"),
        ("--rule", "exact"),
        ("--min-rate", "80%"),
        ("--max-drop", "2pp"),
        ("--looks", "2"),
        ("--own", "100"),
        ("--rate", "85%"),
    ],
)
def test_no_option_is_dead(command: Command, option: tuple[str, str]) -> None:
    assert command("plan", *option).out != command("plan").out


def test_a_gate_on_a_drop_tells_from_when_it_can_pass(command: Command) -> None:
    answer = command.json("plan", "--max-drop", "2pp", "--own", 150)
    assert (answer["no_worse"]["least"], answer["no_worse"]["hard_floor"]) == (189, 183)
    assert answer["no_worse"]["own_passes_unchanged"] is False
    assert 0 < answer["no_worse"]["own_chance"] < 0.1
    # Two equally good systems at 90 % that fail on unrelated cases differ on 18 % of them.
    assert answer["no_worse"]["discordance"] == pytest.approx(0.18)
    assert answer["no_worse"]["assumed"] is True
    safe = answer["no_worse"]["safe_n"]
    assert answer["no_worse"]["power_at_n"] < 0.8
    assert (answer["prescribed"]["total"], answer["prescribed"]["because"]) == (safe, "max-drop")
    assert answer["own"]["add"] == safe - 150
    named = command.json("plan", "--max-drop", "2pp", "--discordance", "10%")
    assert (named["no_worse"]["discordance"], named["no_worse"]["assumed"]) == (0.1, False)
    assert named["prescribed"]["total"] < safe


def test_a_gate_on_a_drop_counts_clusters(command: Command) -> None:
    alone = command.json("plan", "--max-drop", "5pp")["prescribed"]["total"]
    shared = command.json("plan", "--max-drop", "5pp", "--cluster-size", 10, "--icc", 0.2)["prescribed"]["total"]
    assert shared == math.ceil(alone * 2.8)


@pytest.mark.parametrize(
    "words",
    [
        ("--slices", 5, "--own", 695, "--min-rate", "85%"),
        ("--slice-shares", "web=60%,api=40%", "--confidence", "90%", "--rise", "5pp", "--rule", "exact"),
        ("--design", "paired", "--max-drop", "2pp"),
        ("--discordance", "10%", "--drop", "5pp", "--power", "90%"),
    ],
)
def test_next_lines_keep_the_question_and_come_to_an_end(command: Command, words: tuple[object, ...]) -> None:
    seen: list[list[str]] = []
    step = ["plan", *(str(word) for word in words)]
    while step not in seen:
        seen.append(step)
        shown = command(*step)
        assert shown.code == 0, shown.err
        following = shown.out.splitlines()[-1].strip().removeprefix("Next: ")
        if following.startswith("run both systems on such cases, then evalgauge compare BASELINE CANDIDATE"):
            break
        step = shlex.split(following)[1:]
    else:
        pytest.fail(f"the next steps go round: {seen}")
    for asked in (
        "--slices",
        "--own",
        "--slice-shares",
        "--confidence",
        "--rise",
        "--rule",
        "--discordance",
        "--power",
    ):
        assert all((asked in step) == (asked in words) for step in seen), asked


def test_slices_are_planned_alike_by_plan_and_plan_design(command: Command) -> None:
    split = ("--slices", 5, "--drop", "10pp", "--own", 695)
    whole = command.json("plan", *split)["detection"]
    designs = {row["design"]: row for row in command.json("plan", "design", *split)["designs"]}
    assert designs["paired"]["cases"] == whole["paired"]["safe_total"]
    assert designs["held-reference"]["cases"] == whole["held_reference"]["safe_total"]
    assert designs["independent-arms"]["cases"] == whole["independent_arms"]["safe_total"]
    assert "own: got 4, allowed is at least one case for every slice (5)." in command.refusal(
        "plan", "design", "--slices", 5, "--own", 4
    )


def test_one_log_has_one_count_for_a_margin(command: Command, fixtures: Path) -> None:
    log = fixtures / "inspect" / "triage-base.eval"
    measured = command.json("measure", log)
    planned = command.json("plan", "--like", log)
    reps = command.json("plan", "reps", log, "--margin", "5pp")
    mine = next(row for row in reps["counts"] if row["reps"] == measured["n_reps"])
    assert measured["reach"]["cases"] == planned["precision"]["per_slice"] == mine["n"]
    row = next(row for row in reps["rows"] if row["reps"] == measured["n_reps"])
    assert row["floor_half_width"] == pytest.approx(measured["components"]["floor_half_width"])
    assert row["graded_half_width"] == pytest.approx((measured["high"] - measured["low"]) / 2, abs=1e-9)
    assert reps["removable"] == pytest.approx(measured["components"]["run_share"])
    assert f"You need {planned['precision']['per_slice']:,} cases × 3 reps" in command("plan", "--like", log).out


def test_a_pilot_without_changes_says_what_is_planned_for(command: Command, fixtures: Path) -> None:
    log = fixtures / "inspect" / "triage-base.eval"
    out = command("plan", "--like", log, "--like", log, "--drop", "20pp").out
    assert "of the shared cases; 20 % are planned for, because a change of 20 points needs at least so many." in out


@pytest.mark.parametrize(
    "words",
    [
        ("--own", 10**12),
        ("--margin", "0.0001pp"),
        ("--max-drop", "0.001pp"),
        ("--rate", "100%", "--own", 30),
        ("--rate", "0%", "--rise", "100pp", "--own", 30),
        ("--slice-shares", "web=100%"),
        ("design", "--own", 10**12),
        ("design", "--drop", "0.001pp"),
    ],
)
def test_extremes_are_answered_with_numbers(command: Command, words: tuple[object, ...]) -> None:
    def numbers(value: object) -> list[float]:
        if isinstance(value, dict):
            return [one for part in value.values() for one in numbers(part)]
        if isinstance(value, list):
            return [one for part in value for one in numbers(part)]
        return [value] if isinstance(value, float) else []

    answer = command.json("plan", *words)
    assert numbers(answer)
    # NaN and infinity are written as null: a power or a width is never one of them.
    for design in answer.get("designs", ()):
        assert 0 <= design["power"] <= 1
    own = answer.get("own")
    if isinstance(own, dict):
        assert 0 <= own["power_at_drop"] <= 1
        assert own["half_width"] > 0


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (("--rate", "90"), "--rate: got '90', allowed is a share from 0 % to 100 %. Did you mean 90% (0.9)?"),
        (
            ("--margin", "0"),
            "--margin: got '0pp', allowed is points from 0.0001 to below 100, such as 5pp (0.05). No set of",
        ),
        (
            ("--slice-shares", "web=60%,api=30%"),
            "--slice-shares: got 'web=60%,api=30%', allowed is shares that add up to",
        ),
        (("--rate", "5%"), "drop: got 0.1, allowed is at most 5 points, because the rate is 5 %. Name a smaller drop"),
        (("--rate", "5%", "--drop", "10pp"), "Name a smaller drop, such as --drop 1.2pp, or another --rate."),
        (("--slices", "0"), "slices: got 0, allowed is a whole number of slices, 1 or more."),
        (("--own", "-5"), "--own: got '-5', allowed is a whole number, 0 or more."),
        (
            ("--own", "3", "--slices", "5"),
            "own: got 3, allowed is a whole number of cases, at least one for every slice",
        ),
        (("--drop", "5pp", "--rise", "5pp"), "--rise: got '5pp', allowed is a drop or a rise, not both."),
        (("--discordance", "10%", "--correlation", "0.2"), "a discordance or a correlation, not both."),
        (("--discordance", "2%"), "--discordance: got '2%', allowed is from 10 % to 30 %"),
        (("--correlation", "0.99"), "correlation: got 0.99, allowed is a correlation from"),
        (
            ("--power", "30%"),
            "--power: got '30%', allowed is a share from 0.5 to below 1. Less than even odds is no plan.",
        ),
        (("--assurance", "100%"), "--assurance: got '100%', allowed is a share between 0 and 1"),
        (("--icc", "0.2"), "--cluster-size: got 'nothing', allowed is a value; --cluster-size and --icc go together"),
        (("--by", "topic"), "by: got 'topic', allowed is a field of a pilot log. Name the log with --like."),
        (("--looks", "40"), "looks: got 40, allowed is a whole number from 1 to 20."),
        (("--like", "nowhere.csv"), "nowhere.csv"),
        (("--design", "crossover"), "crossover"),
        (("design", "--cost-case", "-1"), "--cost-case: got -1.0, allowed is a price of 0 or more"),
        (("design", "--own", "0"), "own: got 0, allowed is a whole number of cases, 1 or more."),
        (
            ("reps", "--case-sd", "0.4"),
            "--run-sd: got 'nothing', allowed is the standard deviation of the runs of one case",
        ),
        (("reps", "--run-sd", "0.4"), "--case-sd: got 'nothing', allowed is the standard deviation between cases"),
        (
            ("reps", "--case-sd", "40", "--run-sd", "30"),
            "--case-sd: got 40.0, allowed is a standard deviation in shares, from",
        ),
        (("reps", "--case-sd", "0.9", "--run-sd", "0.1"), "case_sd, run_sd: got 'variances that add up to 0.82'"),
        (
            ("reps", "--budget", "400"),
            "--case-sd: got 'nothing', allowed is the spread between cases and between runs.",
        ),
        (("reps", "--case-sd", "0.4", "--run-sd", "0.3", "--drop", "5pp"), "For one score name --margin; for a change"),
        (
            ("reps", "--case-sd", "0.4", "--run-sd", "0.3", "--change-sd", "0.1"),
            "case_sd for one score, or change_sd for",
        ),
        (("reps", "--run-sd", "0.3", "--run-sd-candidate", "0.3"), "--change-sd: got 'nothing'"),
        (("reps", "--cases", "0"), "cases: got 0, allowed is a whole number of cases, 1 or more."),
        (("reps", "a.csv", "b.csv", "c.csv"), "logs: got '3 logs', allowed is one pilot log, or two of the same cases"),
    ],
)
def test_refusals(command: Command, words: tuple[str, ...], text: str) -> None:
    assert text in command.refusal("plan", *words)


def test_python_refuses_a_rate_of_90() -> None:
    with pytest.raises(
        ValueError, match=r"rate: got 90, allowed is a share from 0 % to 100 %\. Did you mean 90% \(0\.9\)\?"
    ):
        eg.plan(rate=90)


def test_a_plan_loads_no_reader_no_engine_and_no_scipy_stats() -> None:
    code = (
        "import sys; from evalgauge.cli import main; main(['plan', '--own', '100']); "
        "print([name for name in ('duckdb', 'msgspec', 'narwhals', 'pandas', 'scipy.stats', 'evalgauge.formats', "
        "'evalgauge.scores', 'evalgauge.engine') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
