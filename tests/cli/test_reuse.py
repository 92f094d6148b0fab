"""``evalgauge reuse`` and ``best-of``: every figure of the specification, every option, refusals, next steps."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import evalgauge as eg
from evalgauge.errors import ArgumentError, PairingError
from support.tables import reps_table, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

TEN = ("reuse", "--cases", 1000, "--rate", "80%", "--looks", 10)
THIRTY = ("reuse", "--cases", 1000, "--rate", "80%", "--looks", 30)


def test_the_best_of_ten(command: Command) -> None:
    answer = command.json(*TEN, "--tolerance", "2pp")
    assert answer["expected_max"] == {
        "normal": pytest.approx(1.5388, abs=5e-5),
        "blom": pytest.approx(1.5466, abs=5e-5),
    }
    assert command.json("reuse", "--cases", 300, "--rate", "80%")["sigma"] == pytest.approx(0.0231, abs=5e-5)
    budget = answer["look_budget"]
    assert (budget["blom"], budget["normal"], budget["binomial"]) == (10, 10, 11)
    assert (budget["shown"], budget["left"]) == ("11", 1)
    assert answer["fresh_set"] == {"blom": 957, "normal": 948, "binomial": 930}
    interval = answer["interval"]
    assert interval["low"] == pytest.approx(0.762210, abs=5e-7)
    assert interval["symmetric_high"] == pytest.approx(0.833100, abs=5e-7)
    assert interval["high"] == pytest.approx(0.823623, abs=5e-7)
    assert (interval["confidence"], interval["capped"], interval["upper"]) == (0.995, False, "plain")
    assert answer["adaptive"]["attack"] == pytest.approx(0.0398278, abs=5e-7)
    assert answer["adaptive"]["keep_if_higher"] is None
    assert answer["point_if_equal"] == pytest.approx(0.8 - answer["optimism"]["binomial"], abs=1e-12)


def test_the_words_come_first(command: Command) -> None:
    lines = command(*TEN).out.splitlines()
    assert lines[0] == (
        "10 looks at 1,000 cases flatter the best by 1.9 points: within the 2 points tolerated, which allow 11 looks."
    )
    assert lines[1] == "  Still to be claimed after 10 looks: 76.2 to 82.4 % for an observed 80 % (95 % interval)"
    assert lines[2] == "    One look would have said 77.4 to 82.4 %."
    assert lines[3].startswith("  Go on: 1 more within the tolerance.")
    assert "order of magnitude" not in lines[0]
    assert command("reuse", "--cases", 1000, "--rate", "80%").out.startswith("One look at 1,000 cases costs nothing")


def test_a_large_budget_is_no_number(command: Command) -> None:
    answer = command.json(*TEN, "--tolerance", "5pp")
    assert (answer["look_budget"]["shown"], answer["look_budget"]["left"]) == ("more than 1,000", None)
    out = command(*TEN, "--tolerance", "5pp").out
    assert "allow more than 1,000 looks" in out
    assert "15,166" not in out
    assert "26,612" not in out


def test_fresh_sets_for_thirty_looks(command: Command) -> None:
    assert command.json(*THIRTY)["fresh_set"] == {"blom": 1666, "normal": 1670, "binomial": 1634}


@pytest.mark.parametrize(("passes", "count"), [(1, 6.142), (3, 10.371), (5, 13.552)])
def test_transcripts(command: Command, passes: int, count: float) -> None:
    found = command.json(*THIRTY, "--display", "pass-fail", "--passes", passes)["certified"]
    assert found["log_transcripts"] == pytest.approx(count, abs=5e-4)
    if passes == 3:
        assert found["z"] == pytest.approx(4.8026, abs=5e-5)
        assert 0.8 - found["low"] == pytest.approx(0.0657, abs=5e-5)


@pytest.mark.parametrize(
    ("options", "margin"),
    [
        (("--display", "nothing"), 4.23),
        (("--display", "pass-fail", "--passes", 3, "--retired"), 5.99),
        (("--display", "score-on-pass", "--passes", 3), 11.25),
        (("--display", "exact"), 30.67),
    ],
    ids=lambda one: " ".join(map(str, one)) if isinstance(one, tuple) else str(one),
)
def test_certified_margins(command: Command, options: tuple[object, ...], margin: float) -> None:
    found = command.json(*THIRTY, *options)["certified"]
    assert round(100 * (0.8 - found["low"]), 2) == margin
    assert round(100 * (0.8 - found["naive_low"]), 2) == 2.62


def test_rounded_scores_cost_less_than_exact_ones(command: Command) -> None:
    rounded, finer, exact = (
        command.json(*THIRTY, "--display", *one)["certified"]["log_transcripts"]
        for one in (("rounded", "--step", "5pp"), ("rounded", "--step", "1pp"), ("exact",))
    )
    assert rounded < finer < exact


def test_cases_that_were_shown_are_no_holdout(command: Command) -> None:
    seen = command(*THIRTY, "--display", "per-case").out
    assert "the tuner has seen the cases" in seen
    assert "Certified" not in seen
    assert command.json(*THIRTY, "--display", "per-case")["certified"] is None


@pytest.mark.parametrize(("share", "spent"), [("25%", 9.87), ("50%", 3.95), ("75%", 1.86)])
def test_refresh(command: Command, share: str, spent: float) -> None:
    answer = command.json(*THIRTY, "--refresh", share, "--more-looks", 5)
    assert answer["refresh"]["spent"] == pytest.approx(spent, abs=0.005)
    assert answer["refresh"]["more_looks"] == 5
    assert "buys back" in command(*THIRTY, "--refresh", share).out


def test_the_audit_of_old_against_fresh(command: Command) -> None:
    answer = command.json("reuse", "--cases", 500, "--rate", "80%", "--looks", 10)
    assert answer["audit"]["reach"] == pytest.approx(0.071, abs=5e-4)
    assert answer["audit"]["cases"] > 500
    assert command.json("reuse", "--cases", 500, "--rate", "80%")["audit"]["cases"] is None


@pytest.mark.parametrize("tolerance", ["0.1pp", "1pp"])
def test_less_than_one_look_is_never_a_budget(command: Command, tolerance: str) -> None:
    words = ("reuse", "--cases", 100, "--rate", "50%", "--looks", 3, "--tolerance", tolerance)
    assert command.json(*words)["look_budget"]["shown"] == "1"
    assert "allow 1 look." in command(*words).out


OPTIONS: list[list[str]] = [
    ["--tolerance", "5pp"],
    ["--looks", "11"],
    ["--rate", "70%"],
    ["--cases", "900"],
    ["--correlation", "0.5"],
    ["--looks", "1000", "--cap", "99.99%"],
    ["--display", "pass-fail"],
    ["--display", "pass-fail", "--passes", "2"],
    ["--display", "pass-fail", "--passes", "2", "--retired"],
    ["--display", "rounded", "--step", "1pp"],
    ["--refresh", "50%"],
    ["--refresh", "50%", "--more-looks", "3"],
    ["--confidence", "90%"],
    ["--climb"],
    ["--climb", "--edit", "50%"],
]


def test_no_option_is_dead(command: Command) -> None:
    found = {json.dumps(command.json(*TEN)): "none"}
    for options in OPTIONS:
        words = dict(zip(TEN[1::2], TEN[2::2], strict=True))
        for name, value in zip(options[::2], options[1::2], strict=False):
            words.pop(name, value)
        kept = [str(word) for pair in words.items() for word in pair]
        answer = json.dumps(command.json("reuse", *kept, *options))
        assert answer not in found, (options, found[answer])
        found[answer] = " ".join(options)


def test_a_cap_binds_with_its_note(command: Command) -> None:
    answer = command.json("reuse", "--cases", 1000, "--rate", "80%", "--looks", 1000, "--cap", "99.99%")
    assert answer["interval"]["capped"] is True
    assert "no longer holds over all 1,000 looks" in " ".join(answer["notes"])
    assert command.json(*TEN, "--cap", "99.99%")["interval"]["capped"] is False


def test_the_climb_shows_no_bar_where_nobody_looks(command: Command) -> None:
    seen = command(*TEN, "--climb")
    assert seen.err == ""
    assert "if you keep whatever scores higher" in seen.out
    assert "pass or fail only (z ≥ 2.33)" in seen.out
    assert "12.6 points" in seen.out
    answer = command.json(*TEN, "--climb")
    rules = [one["rule"] for one in answer["climb"]]
    assert rules == ["exact", "rounded", "ladder", "free-ladder", "thresholdout", "pass-fail"]
    assert answer["adaptive"]["keep_if_higher"] == answer["climb"][0]["bias"]
    assert answer == command.json(*TEN, "--climb")


def test_the_climb_shows_a_bar_on_a_terminal(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("TERM", "xterm")
    seen = command(*TEN, "--climb", "--json")
    assert "climbing" in seen.err
    assert json.loads(seen.out)["climb"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    stream = np.random.default_rng(11)
    for name in ("a", "b", "c"):
        scores = (stream.random(150) < 0.75).astype(int).tolist()
        written(tmp_path / f"{name}.csv", ("case", "score"), [(f"q{i}", score) for i, score in enumerate(scores)])
    graded = stream.integers(0, 5, (150, 3)).tolist()
    written(tmp_path / "wide.csv", ("case", "x", "y", "z"), [(f"q{i}", *row) for i, row in enumerate(graded)])
    reps_table(tmp_path / "reps.csv", {f"q{i}": "110"[i % 3 :] + "1" * (i % 3) for i in range(60)})
    written(tmp_path / "far.csv", ("case", "score"), [(f"z{i}", i % 2) for i in range(20)])
    written(tmp_path / "part.csv", ("case", "score"), [(f"q{i}", i % 2 if i % 10 else "") for i in range(100)])
    return tmp_path


def test_a_log_answers_as_its_count(command: Command, folder: Path) -> None:
    log = command.json("reuse", folder / "a.csv", "--looks", 12)
    passed = round(log["observed"] * 150)
    count = command.json("reuse", f"{passed}/150", "--looks", 12)
    for answer in (log, count):
        for key in ("source", "notes"):
            answer.pop(key)
    assert log == count


def test_a_perfect_score_is_not_taken_for_certainty(command: Command) -> None:
    answer = command.json("reuse", "100/100", "--looks", 30)
    assert answer["optimism"]["binomial"] > 0.03
    assert "A perfect score counts as half a failure" in " ".join(answer["notes"])


def test_graded_scores_take_sigma_from_the_case_means(command: Command, folder: Path) -> None:
    words = ("reuse", folder / "wide.csv", "--wide-arms", "x,y,z", "--arm", "x", "--range", "0:4", "--looks", 12)
    answer = command.json(*words)
    column = [float(line.split(",")[1]) / 4 for line in (folder / "wide.csv").read_text().splitlines()[1:]]
    rate, mean = answer["rate"], float(np.mean(column))
    assert answer["observed"] == pytest.approx(mean, abs=1e-12)
    # Relative to pass or fail at the same mean, graded scores vary less.
    plug_in = float(np.std(column) / np.sqrt(150) * np.sqrt(rate * (1 - rate) / (mean * (1 - mean))))
    assert answer["sigma"] == pytest.approx(plug_in, rel=0.01)
    assert answer["sigma"] < 0.8 * np.sqrt(rate * (1 - rate) / 150)
    assert answer["optimism"]["binomial"] is None
    assert answer["interval"]["upper"] == "symmetric"
    assert answer["interval"]["high"] == answer["interval"]["symmetric_high"]
    assert "sigma comes from the case means" in " ".join(answer["notes"])


def test_repeated_runs_are_not_more_cases(command: Command, folder: Path) -> None:
    answer = command.json("reuse", folder / "reps.csv", "--looks", 5)
    assert answer["n_cases"] == 60
    assert answer["interval"]["method"].startswith(("effective-n", "clopper"))


def test_python_asks_the_same(command: Command, folder: Path) -> None:
    answer = eg.reuse(n_cases=1000, rate=0.8, looks=10, tolerance=0.02)
    assert json.loads(eg.to_json(answer)) == command.json(*TEN)
    assert command(*TEN, "--show-code").out.splitlines()[-1] == "print(eg.reuse(n_cases=1000, rate=0.8, looks=10))"
    logs = [str(folder / name) for name in ("a.csv", "b.csv", "c.csv")]
    found = eg.best_of(logs)
    assert json.loads(eg.to_json(found)) == command.json("best-of", *logs)
    assert found == eg.best_of(*logs)
    for one in (answer, found):
        assert "\n" not in str(one)
        assert "<div" in one._repr_html_()


def test_the_most_failures_are_not_the_best(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{case}", arm, int(case % step == 0)) for case in range(60) for arm, step in (("a", 3), ("b", 4))]
    log = written(tmp_path / "log.csv", ("case", "arm", "failed"), rows)
    refused = command("best-of", str(log))
    assert refused.code == 2
    assert "For failed lower is better" in refused.err
    assert "evalgauge rank" in refused.err
    ranked = command("rank", str(log))
    assert ranked.code == 0
    assert ranked.out.index("  b ") < ranked.out.index("  a ")


def test_the_best_of_three(command: Command, folder: Path) -> None:
    logs = [folder / name for name in ("a.csv", "b.csv", "c.csv")]
    answer = command.json("best-of", *logs)
    assert answer["looks"] == 3
    assert answer["n_cases"] == 150
    assert answer["candidates"][0]["name"] == answer["best"]
    estimates = [one["estimate"] for one in answer["candidates"]]
    assert estimates == sorted(estimates, reverse=True)
    assert answer["low"] < answer["expected"] < answer["high"]
    assert answer["low"] < answer["naive"][0]["low"]
    assert answer["expected"] < answer["observed"]
    out = command("best-of", *logs).out
    assert out.startswith(f"Best of 3: {answer['best']} with ")
    assert "independent looks" in out


def test_copies_tie_and_count_once(command: Command, folder: Path) -> None:
    copy = folder / "copy.csv"
    copy.write_bytes((folder / "a.csv").read_bytes())
    answer = command.json("best-of", folder / "a.csv", copy)
    assert answer["effective_looks"] == pytest.approx(1.0, abs=0.01)
    assert len(answer["tied"]) == 2
    assert "TIE at the top" in command("best-of", folder / "a.csv", copy).out
    assert "The same score on every case" in " ".join(answer["notes"])


def test_missing_scores_fail_or_are_left_out(command: Command, folder: Path) -> None:
    logs = (folder / "a.csv", folder / "part.csv")
    fail, drop = (command.json("best-of", *logs, "--missing", one) for one in ("fail", "drop"))
    assert (fail["n_cases"], drop["n_cases"]) == (100, 90)
    assert "count as failed" in " ".join(fail["notes"])
    assert "are left out" in " ".join(drop["notes"])
    assert "100 of up to 150 cases are shared by all 2 candidates" in " ".join(fail["notes"])


BEST_OPTIONS: list[list[str]] = [
    ["--range", "0:8"],
    ["--confidence", "90%"],
    ["--map", "case=case,score=x"],
]


@pytest.mark.parametrize("options", BEST_OPTIONS, ids=" ".join)
def test_no_option_of_best_of_is_dead(command: Command, folder: Path, options: list[str]) -> None:
    plain = ["best-of", folder / "wide.csv", "--wide-arms", "x,y,z", "--range", "0:4"]
    if options[0] == "--map":
        two = [folder / "wide.csv", folder / "again.csv"]
        two[1].write_text((folder / "wide.csv").read_text().replace(",1,", ",2,"))
        answer = command.json("best-of", *two, "--range", "0:4", *options)
        assert {one["source"]["metric"] for one in answer["candidates"]} == {"x"}
        return
    changed = plain[:-2] if options[0] == "--range" else plain
    assert command.json(*changed, *options) != command.json(*plain)


REFUSALS: list[tuple[tuple[str, ...], str]] = [
    (("reuse",), "--cases: got 'nothing', allowed is --cases with --rate, a count such as 258/300, or the log"),
    (("reuse", "--cases", "100"), "--rate: got 'nothing', allowed is --cases with --rate"),
    (
        ("reuse", "--cases", "1", "--rate", "80%"),
        "--cases: got 1, allowed is a whole number of cases from 2 to 1,000,000,000,000.",
    ),
    (("reuse", "1/1"), "cases: got 1, allowed is"),
    (("reuse", "7/5"), "count: got '7/5', allowed is no more passes than cases."),
    (("reuse", "--cases", "100", "--rate", "0%"), "--rate: got '0%', allowed is a share above 0 % and below 100 %."),
    (("reuse", "--cases", "100", "--rate", "100%"), "for an observed best score give passed/cases"),
    (("reuse", "--cases", "100", "--rate", "80"), "Did you mean 80% (0.8)?"),
    (("reuse", "80/100", "--looks", "0"), "looks: got 0, allowed is a number of looks from 1 to 1,000,000."),
    (
        ("reuse", "80/100", "--tolerance", "0pp"),
        "--tolerance: got '0pp', allowed is points from 0.0001pp to below 100pp",
    ),
    (("reuse", "80/100", "--cases", "100"), "--cases: got 100, allowed is given without a log or count"),
    (("reuse", "80/100", "70/100"), "evalgauge best-of LOG LOG LOG"),
    (("reuse", "80/100", "--passes", "2"), "--passes: got 2, allowed is given with --display pass-fail or score-on"),
    (("reuse", "80/100", "--retired"), "--retired: got True, allowed is given with --display pass-fail"),
    (("reuse", "80/100", "--step", "1pp"), "--step: got 0.01, allowed is given with --display rounded."),
    (("reuse", "80/100", "--display", "rounded"), "--step: got 'nothing', allowed is the step of the rounded scores"),
    (("reuse", "80/100", "--more-looks", "2"), "--more-looks: got 2, allowed is given with --refresh"),
    (
        ("reuse", "80/100", "--refresh", "10%", "--more-looks", "-1"),
        "--more-looks: got '-1', allowed is a whole number, 0 or more.",
    ),
    (("reuse", "80/100", "--tolerance", "1e-9"), "--tolerance: got '1e-07pp', allowed is points from 0.0001pp"),
    (("reuse", "80/100", "--looks", "1000000000000"), "looks: got 1000000000000, allowed is a number of looks from 1"),
    (("reuse", "--cases", "9" * 24, "--rate", "80%"), "allowed is a whole number up to 1,000,000,000,000"),
    (("reuse", "80/100", "--correlation", "1"), "--correlation: got '100%', allowed is a share from 0 to below 1"),
    (("reuse", "80/100", "--cap", "90%"), "--cap: got '90%', allowed is a share from the confidence of 95 %"),
    (("reuse", "80/100", "--looks", "20000", "--climb"), "--climb: got '20,000 looks', allowed is at most 10,000"),
    (("reuse", "reps.csv", "--climb"), "--climb: got 'graded or repeated scores', allowed is one pass or fail a case"),
    (("reuse", "reps.csv", "--display", "exact"), "--display: got 'exact', allowed is given for one pass or fail"),
    (
        ("reuse", "wide.csv", "--wide-arms", "x,y,z", "--range", "0:4"),
        "one is asked for. Name one of: --arm x; --arm y; --arm z.",
    ),
    (("reuse", "wide.csv", "--metric", "x", "--range", "none"), "Say it with --range, such as --range 0:100."),
    (("best-of",), "logs: got 'no log', allowed is two candidates or more."),
    (("best-of", "a.csv"), "logs: got 'one candidate (a)', allowed is two candidates or more. For one candidate"),
    (("best-of", "a.csv", "b.csv", "a.csv"), "logs: got 'a.csv 2 times', allowed is each log once: a copy is no"),
    (("best-of", "a.csv", "./a.csv"), "logs: got 'a.csv 2 times', allowed is each log once"),
    (("best-of", "a.csv", "far.csv"), "a and far have no case in common: q0, q1, q2 …; z0, z1, z2 …."),
    (("best-of", "wide.csv", "--wide-arms", "x,y,z", "--range", "none"), "such as --range 0:100."),
    (("best-of", "a.csv", "absent.csv"), "absent.csv"),
]


@pytest.mark.parametrize(("words", "text"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_refusals(command: Command, folder: Path, words: tuple[str, ...], text: str) -> None:
    with chdir(folder):
        assert text in command.refusal(*words)


def test_python_refuses_alike(folder: Path) -> None:
    with pytest.raises(ArgumentError, match="two candidates or more"):
        eg.best_of([folder / "a.csv"])
    with pytest.raises(PairingError, match="no case in common"):
        eg.best_of(folder / "a.csv", folder / "far.csv")
    with pytest.raises(ArgumentError, match="a share from 0 % to 100 %"):
        eg.reuse(n_cases=100, rate=80)


NEXT: list[list[str]] = [
    ["reuse", "--cases", "1000", "--rate", "80%", "--looks", "10"],
    ["reuse", "a.csv", "--looks", "30", "--tolerance", "1pp"],
    ["reuse", "a.csv", "--looks", "2", "--tolerance", "5pp"],
    ["best-of", "a.csv", "b.csv", "c.csv"],
    ["best-of", "wide.csv", "--wide-arms", "x,y,z", "--range", "0:4"],
]


@pytest.mark.parametrize("words", NEXT, ids=" ".join)
def test_the_next_step_runs(command: Command, folder: Path, words: list[str]) -> None:
    with chdir(folder):
        line = command(*words).out.splitlines()[-1]
        assert line.startswith("  Next: evalgauge ")
        program, *following = shlex.split(line.removeprefix("  Next: "))
        assert program == "evalgauge"
        assert command(*following).code == 0


def test_help_describes_every_option(command: Command) -> None:
    for verb in ("reuse", "best-of"):
        out: Any = command(verb, "--help").out
        assert "Example" in command("--help").out or verb in out
        assert "--confidence" in out
    assert "--cases" in command("reuse", "--help").out
