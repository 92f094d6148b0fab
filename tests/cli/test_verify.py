"""``evalgauge verify``: what it says, with which options, and what it refuses."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from rich.console import Console

import evalgauge as eg
from evalgauge.report.terminal import print_lines
from evalgauge.report.text import answer_lines
from support.tables import reps_table, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

QUICK = ("--sims", "400")


def rule(answer: dict[str, Any], name: str, reps: int | None = None) -> dict[str, Any]:
    return next(one for one in answer["rules"] if one["rule"] == name and reps in (None, one["reps"]))


def test_the_25_case_scenario(command: Command) -> None:
    answer = command.json("verify", "--cases", 25, "--reps", "2,10,50", "--sims", "4000")
    for reps, rough, wald in ((2, 0.8905, 0.939), (10, 0.832, 0.938), (50, 0.617, 0.938)):
        one = rule(answer, "one_over_sqrt_nR", reps)
        # The claimed figures come from 20,000 simulated evals.
        assert one["coverage"] == pytest.approx(rough, abs=4 * (rough * (1 - rough) / 20_000) ** 0.5 + 5e-4)
        other = rule(answer, "per_case_wald", reps)
        assert other["coverage"] == pytest.approx(wald, abs=4 * (other["error"] + 0.0017) + 5e-4)
    assert rule(answer, "one_over_sqrt_nR", 50)["mean_half_width"] == pytest.approx(0.0283, abs=1e-4)
    assert rule(answer, "per_case_wald", 10)["mean_half_width"] == pytest.approx(0.0900, abs=1e-4)
    keys = {"rule", "reps", "coverage", "error", "lower_miss", "mean_half_width", "zero_width", "exact"}
    assert keys <= set(answer["rules"][0])
    assert answer["truth"] == pytest.approx(0.0906, abs=1e-4)


def test_the_verdict_comes_first_and_names_the_rule_to_use(command: Command) -> None:
    seen = command("verify", "--reps", "50", "--rule", "1/√(nR)", *QUICK)
    first, second = seen.out.splitlines()[:2]
    assert first == "DOES NOT HOLD: 1/√(nR) covers 62.0 %, not 95 %, at 50 reps"
    assert re.fullmatch(r"  Use the evalgauge default: 9\d\.\d % on the same evals", second)
    fine = command("verify", "--rates", "80%", "--design", "single", "--reps", "1", "--rule", "clopper-pearson", *QUICK)
    assert fine.out.startswith("HOLDS: Clopper-Pearson covers 97.9 % at 1 rep, asked 95 %")
    assert "Every figure is exact" in fine.out


@pytest.mark.parametrize(
    "words", [(), ("--design", "single"), ("--like", "{log}"), ("--like", "{log}", "--like", "{two}")]
)
def test_lines_fit_a_page(command: Command, tmp_path: Path, words: tuple[str, ...]) -> None:
    names = logs(tmp_path)
    seen = command("verify", *(word.format(**names) for word in words), "--reps", "2", *QUICK)
    table = [
        line for line in seen.out.splitlines() if "±" in line and "covers" not in line and "noise" not in line.lower()
    ]
    assert table
    assert max(len(line) for line in table) <= 90


def logs(folder: Path) -> dict[str, str]:
    passes = {
        f"q{case}": "".join(str(int((case * 7 + rep * 3) % 5 > case % 4)) for rep in range(4)) for case in range(30)
    }
    other = {case: text[::-1] for case, text in passes.items()}
    flipped = dict(passes, q3="1111", q4="0000")
    rows = [(f"q{case}", (case % 7) / 6, f"d{case // 5}") for case in range(30)]
    plain = [(f"q{case}", int(case % 3 > 0), f"d{case // 5}") for case in range(30)]
    return {
        "log": str(reps_table(folder / "log.csv", passes)),
        "two": str(reps_table(folder / "two.csv", flipped)),
        "twin": str(reps_table(folder / "twin.csv", other)),
        "graded": str(written(folder / "graded.csv", ("case", "score", "doc"), rows)),
        "plain": str(written(folder / "plain.csv", ("case", "score", "doc"), plain)),
    }


OPTIONS: list[tuple[list[str], list[str]]] = [
    ([], ["--cases", "40"]),
    ([], ["--reps", "3"]),
    ([], ["--rates", "beta:4:1"]),
    ([], ["--effect", "2pp"]),
    ([], ["--effect-sd", "5pp"]),
    ([], ["--design", "single"]),
    ([], ["--target", "these-cases"]),
    (["--rates", "beta:8:2", "--design", "single", "--reps", "1"], ["--graded"]),
    (["--rates", "80%", "--design", "single"], ["--cluster-size", "5", "--cases", "50"]),
    (["--rates", "80%", "--cluster-size", "5", "--cases", "50"], ["--icc", "0.4"]),
    (["--rates", "80%", "--design", "single", "--cases", "20"], ["--missing-share", "10%"]),
    ([], ["--rule", "bca_bootstrap"]),
    ([], ["--like", "{log}"]),
    (["--like", "{log}"], ["--like", "{twin}"]),
    (["--like", "{log}", "--like", "{twin}"], ["--same-system"]),
    (["--like", "{plain}"], ["--cluster", "doc"]),
    (["--like", "{graded}"], ["--range", "0:2"]),
    (["--like", "{plain}"], ["--map", "case=doc,rep=case"]),
    (["--reps", "10", "--rule", "evalgauge_default"], ["--sims", "800"]),
    (["--reps", "10", "--rule", "evalgauge_default"], ["--seed", "7"]),
    ([], ["--confidence", "80%"]),
]


@pytest.mark.parametrize(("before", "option"), OPTIONS, ids=[" ".join(option) for _, option in OPTIONS])
def test_every_option_changes_the_answer(
    command: Command, tmp_path: Path, before: list[str], option: list[str]
) -> None:
    names = logs(tmp_path)
    usual = [word.format(**names) for word in before]
    quick = () if "--sims" in option else QUICK
    reps = () if any(word in {"--reps", "--like", "--cluster-size"} for word in [*before, *option]) else ("--reps", "2")
    plain = command.json("verify", *usual, *reps, *QUICK)
    changed = command.json("verify", *usual, *(word.format(**names) for word in option), *reps, *quick)
    assert plain["rules"] != changed["rules"] or plain.get("missing_rules") != changed.get("missing_rules")


def test_workers_and_their_number_change_nothing(command: Command) -> None:
    words = ("verify", "--reps", "10", "--rule", "evalgauge_default", "--sims", "5000", "--json")
    alone = command(*words)
    assert command(*words, "--jobs", 2).out == alone.out


def test_python_asks_the_same(command: Command) -> None:
    words = ["verify", "--cases", "20", "--reps", "2,3", "--rule", "per_case_wald", "--effect", "5pp", *QUICK]
    code = command(*words, "--show-code").out
    assert "eg.verify(n_cases=20, reps=(2, 3), effect=0.05, rule=('per_case_wald',), sims=400)" in code
    asked = eg.verify(n_cases=20, reps=(2, 3), effect=0.05, rule=("per_case_wald",), sims=400)
    assert json.loads(eg.to_json(asked)) == command.json(*words)
    assert str(asked).startswith("Wald over cases covers ")
    assert "<div" in asked._repr_html_()


def test_a_log_is_studied_with_its_own_spread(command: Command, tmp_path: Path) -> None:
    names = logs(tmp_path)
    answer = command.json("verify", "--like", names["log"], *QUICK)
    measured = command.json("measure", names["log"])
    assert (answer["n_cases"], answer["reps"]) == (30, [4])
    assert answer["design"] == "single"
    assert answer["truth"] == pytest.approx(measured["estimate"], abs=1e-9)
    log = answer["log"]
    # The population has the case variance that the log shows, over its own n.
    expected = measured["components"]["case_var"] * 29 / 30
    assert log["case_sd"] ** 2 == pytest.approx(expected, abs=1e-9)
    assert log["run_sd"] ** 2 == pytest.approx(measured["components"]["run_var"], abs=1e-9)


def test_two_runs_of_one_system_show_the_noise_floor(command: Command, tmp_path: Path) -> None:
    """V12 from two logs: 120 cases of which 6 flip between identical runs."""
    first = [(f"q{case}", int(case < 90)) for case in range(120)]
    second = [(f"q{case}", int(case < 90) ^ int(case in {0, 1, 2, 90, 91, 92})) for case in range(120)]
    one = written(tmp_path / "one.csv", ("case", "score"), first)
    two = written(tmp_path / "two.csv", ("case", "score"), second)
    answer = command.json("verify", "--like", one, "--like", two, "--same-system", *QUICK)
    null = answer["null_changes"][0]
    assert null["flips"] == pytest.approx(6, abs=0.1)
    assert null["sd"] * 120 == pytest.approx(2.4, abs=0.05)
    assert null["floor"] * 120 == pytest.approx(5)
    assert null["gain_of_one"] == pytest.approx(0.42, abs=0.01)
    assert answer["same_system"] == {"change": 0.0, "changed": 6, "p_value": 1.0}
    text = command("verify", "--like", one, "--like", two, "--same-system", *QUICK).out
    assert "two runs of one system differ by up to ±4.2 points in 95 % of pairs" in text


def test_missing_runs_of_a_log_are_simulated(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{case}", "" if case % 10 == 0 else case % 3 // 2) for case in range(60)]
    log = written(tmp_path / "gaps.csv", ("case", "score"), rows)
    answer = command.json("verify", "--like", log, *QUICK)
    assert answer["missing_share"] == pytest.approx(0.1)
    found = {one["rule"]: one for one in answer["missing_rules"]}
    assert found["evalgauge_default"]["coverage"] > found["missing_dropped"]["coverage"] - 0.05
    assert found["missing_failed"]["upper_miss"] > found["missing_dropped"]["upper_miss"]


REFUSALS: list[tuple[list[str], str]] = [
    (["--cases", "0"], "--cases: got 0, allowed is a whole number from 2"),
    (["--sims", "0"], "sims: got 0, allowed is a whole number from 100"),
    (["--seed", "-1"], "--seed: got '-1'"),
    (["--jobs", "0"], "jobs: got 0, allowed is a whole number of workers from 1"),
    (["--reps", "0"], "whole numbers above 0, separated by commas, such as 2,10,50"),
    (["--reps", "2,2"], "each number once"),
    (["--reps", "5000"], "reps: got 5000, allowed is a whole number from 1 to 1,000."),
    (["--cases", "1000000", "--sims", "100000000"], "evals of that size. Ask for fewer."),
    (["--rates", "fixed:2"], "Did you mean 2% (0.02)?"),
    (["--rates", "unifrom:0:1"], "uniform:0.05:0.95"),
    (["--rule", "one_over_sqrt"], "Did you mean 'one_over_sqrt_nR'?"),
    (["--rule", "wilson"], "rule: got 'wilson', allowed is evalgauge_default, evalgauge_guarded"),
    (["--rule", "tango", "--reps", "2"], "It is for one run a case."),
    (["--rule", "cr0", "--design", "single"], "It needs --cluster-size."),
    (["--icc", "0.2"], "only with --cluster-size"),
    (["--design", "single", "--effect", "5pp"], "only with --design paired"),
    (["--graded", "--design", "paired"], "only with --design single"),
    (["--graded", "--missing-share", "5%"], "only for pass/fail cases"),
    (["--missing-share", "100%", "--design", "single"], "a share from 0 % to below 100 %"),
    (["--cluster", "doc"], "only with a log, named with --like"),
    (["--same-system"], "only with two logs, named with --like"),
    (["--cluster-size", "x", "--rates", "80%"], "a number of cases such as 10, or low:high such as 3:27"),
    (["--cluster-size", "10", "--cases", "10", "--rates", "80%"], "--cases 10 makes 1 of them."),
    (["--cluster-size", "10"], "one mean rate with --cluster-size, such as --rates 80%"),
    (["--like", "{log}", "--rates", "80%"], "nothing beside --like"),
    (["--like", "{log}", "--same-system"], "Name both with --like."),
    (["--like", "{log}", "--like", "{two}", "--like", "{twin}"], "one log, or two of the same cases"),
    (["--like", "{log}", "--like", "{two}", "--effect", "5pp"], "two logs, which show the change"),
    (["--like", "{log}", "--like", "{two}", "--design", "single"], "Two logs are two arms on the same cases."),
    (["--like", "missing.csv"], "missing.csv"),
    (["--like", "{perfect}"], "Every run of the log scored 100 %, so nothing shows what other cases do."),
    (["--like", "{graded}", "--cluster", "doc"], "a study of clusters needs pass/fail scores"),
    (["--confidence", "95"], "Did you mean 95% (0.95)?"),
]


@pytest.mark.parametrize(("words", "text"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_refusals(command: Command, tmp_path: Path, words: list[str], text: str) -> None:
    names = logs(tmp_path)
    names["perfect"] = str(written(tmp_path / "perfect.csv", ("case", "score"), [("a", 1), ("b", 1)]))
    assert text in command.refusal("verify", *(word.format(**names) for word in words))


def test_a_narrow_terminal_gets_rows_in_words() -> None:
    shown = io.StringIO()
    answer = eg.verify(n_cases=25, reps=10, rule="one_over_sqrt_nR", sims=200)
    print_lines(answer_lines(answer), Console(file=shown, width=40, force_terminal=True, color_system=None))
    lines = [line.rstrip() for line in shown.getvalue().splitlines()]
    at = lines.index("  10 reps:")
    assert lines[at + 1 : at + 3] == ["    1/√(nR) covers 83.2 % (exact),", "    ±6.3 points"]


def test_a_bar_is_shown_on_a_terminal_alone(command: Command) -> None:
    assert command("verify", "--reps", "2", *QUICK).err == ""


def test_progress_reaches_its_end() -> None:
    told: list[tuple[int, int]] = []
    eg.verify(n_cases=25, reps=10, rule="evalgauge_default", sims=5_000, on_progress=lambda *now: told.append(now))
    assert told[-1] == (5_000, 5_000)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
