"""The gate on the command line: exit codes, what never passes, what is refused, and which option changes what."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from support.tables import paired_tables, reps_table, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


def rows_of(answer: dict[str, Any]) -> dict[str, str]:
    return {f"{row['rule']} {row['part']}".strip(): row["verdict"] for row in answer["rules"]}


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two logs of 240 cases: the candidate gains 22 and loses 9."""
    return paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)


@pytest.mark.parametrize(
    ("order", "options", "code"),
    [
        ((0, 1), ["--max-drop", "2pp"], 0),
        ((1, 0), ["--max-drop", "2pp"], 3),
        ((1, 0), ["--max-drop", "0.5pp", "--allow-blind"], 1),
        ((1, 0), ["--better-than", "0pp"], 1),
        ((1, 0), ["--max-drop", "2pp", "--on-inconclusive", "pass"], 0),
        ((1, 0), ["--max-drop", "2pp", "--on-inconclusive", "fail"], 1),
        ((1, 0), ["--max-drop", "2pp", "--on-inconclusive", "inconclusive"], 3),
        ((0, 1), ["--max-drop", "2pp", "--min-rate", "80%"], 1),
        ((0, 1), ["--max-drop", "2pp", "--min-rate", "70%"], 3),
        ((0, 1), ["--max-drop", "2pp", "--unpaired"], 3),
        ((0, 1), ["--max-drop", "2pp", "--pairing", "content"], 3),
    ],
    ids=str,
)
def test_the_exit_code_says_the_verdict(
    command: Command, pair: tuple[Path, Path], order: tuple[int, int], options: list[str], code: int
) -> None:
    seen = command("gate", *(pair[place] for place in order), *options)
    assert seen.code == code, seen.out + seen.err
    word = {0: "PASS", 1: "FAIL", 3: "CANNOT DECIDE"}[code]
    if "--on-inconclusive" not in options:
        assert seen.out.startswith(word)


def test_on_inconclusive_does_not_hide_the_verdict(command: Command, pair: tuple[Path, Path]) -> None:
    seen = command("gate", *reversed(pair), "--max-drop", "2pp", "--on-inconclusive", "pass")
    assert seen.out.splitlines()[0].startswith("CANNOT DECIDE")
    assert "counts as pass" in seen.out.splitlines()[0]
    answer = json.loads(
        command("gate", *reversed(pair), "--max-drop", "2pp", "--on-inconclusive", "pass", "--json").out
    )
    assert (answer["verdict"], answer["outcome"]) == ("inconclusive", "pass")


def log_of(folder: Path, name: str, scores: list[object], header: tuple[str, str] = ("case", "score")) -> Path:
    return written(folder / name, header, [(f"q{i}", score) for i, score in enumerate(scores)])


def never_passing(folder: Path) -> dict[str, list[object]]:
    """Return the words after ``gate`` of questions that must never be answered by a pass."""
    good = log_of(folder, "good.csv", [1] * 300)
    other = written(folder / "other.csv", ("case", "score"), [(f"z{i}", 1) for i in range(300)])
    one = log_of(folder, "one.csv", [1])
    errors = log_of(folder, "errors.csv", [""] * 300)
    nan = log_of(folder, "nan.csv", ["nan"] * 300)
    half = log_of(folder, "half.csv", [1] * 150 + ["nan"] * 150)
    reps = reps_table(folder / "reps.csv", {"q0": "1" * 30})
    drop = ["--max-drop", "2pp"]
    blind = [*drop, "--allow-blind", "--min-overlap", "0%", "--min-scored", "0%"]
    return {
        "disjoint ids": [good, other, *drop],
        "disjoint ids, everything allowed": [good, other, *blind],
        "one pair": [good, one, *blind],
        "one case": [one, one, *blind],
        "one case, a floor": [one, "--min-rate", "10%", "--allow-blind"],
        "one case, its reps": [reps, "--case-rate", "80%", "--allow-blind"],
        "all errors in the candidate": [good, errors, *blind],
        "all errors in the baseline": [errors, good, *blind, "--missing", "fail"],
        "all errors, a floor": [errors, "--min-rate", "10%", "--missing", "drop", "--allow-blind"],
        "NaN in every case": [good, nan, *blind],
        "NaN in half of the cases": [good, half, *drop],
        "NaN in half of the cases, dropped": [good, half, *drop, "--missing", "drop"],
        "NaN in half of the baseline": [half, good, *drop, "--missing", "fail"],
        "a typo in the metric": [good, good, *drop, "--metric", "scor"],
        "a typo in the metric of one side": [good, good, *drop, "--candidate-metric", "scor"],
        "a typo in the slice field": [good, good, *drop, "--by", "topik"],
        "no rule": [good, good],
        "an empty log": [good, written(folder / "empty.csv", ("case", "score"), []), *drop],
        "no candidate": [good, *drop],
    }


def test_what_says_nothing_never_passes(command: Command, tmp_path: Path) -> None:
    for name, words in never_passing(tmp_path).items():
        with chdir(tmp_path):
            seen = command("gate", *words)
        assert seen.code in {1, 2, 3}, f"{name}: {seen.out}"
        assert not seen.out.startswith("PASS"), name


def test_the_same_questions_with_good_data_do_pass(command: Command, tmp_path: Path) -> None:
    good = log_of(tmp_path, "good.csv", [1] * 300)
    assert command("gate", good, good, "--max-drop", "2pp").code == 0
    assert command("gate", good, "--min-rate", "10%").code == 0


REFUSALS: list[tuple[list[str], str]] = [
    (["{base}", "{cand}"], "such as --max-drop 2pp or --min-rate 90%"),
    (["{base}", "{cand}", "--max-drop", "2"], "Did you mean 2pp (0.02)?"),
    (["{base}", "{cand}", "--max-drop", "0pp"], "say --better-than 0pp"),
    (["{base}", "--min-rate", "100%"], "No data can show a rate of 100 %"),
    (["{base}", "--min-rate", "0%"], "Every candidate passes more than 0 %"),
    (["{base}", "--min-rate", "90"], "Did you mean 90% (0.9)?"),
    (["{base}", "{cand}", "--better-than", "100pp"], "from 0pp to below 100pp"),
    (["{base}", "{cand}", "--max-drop", "1pp"], "it takes at least 381 cases"),
    (["{base}", "{cand}", "--max-drop", "1pp"], "--allow-blind"),
    (["{small}", "--min-rate", "90%"], "cannot pass with 20 cases, even if every case passed: it takes at least 35"),
    (["{low}", "--min-rate", "5%"], "cannot fail with 20 cases, even if every case were lost: it takes at least 73"),
    (["{small}", "--case-rate", "80%"], "it takes 4 reps of each"),
    (
        ["{small}", "{small}", "--better-than", "0pp", "--slice-drop", "2pp"],
        "got '2pp without a field', allowed is together with --by",
    ),
    (["{base}", "{cand}", "--better-than", "0pp", "--by", "topic"], "together with --max-drop"),
    (["{base}", "{cand}", "--max-drop", "2pp", "--by", "topic", "--unpaired"], "left out with --unpaired"),
    (["{base}", "--max-drop", "2pp"], "two logs, baseline first: a rule speaks of a change"),
    (["{base}", "{cand}", "{cand}", "--max-drop", "2pp"], "two logs, baseline first"),
    (["--max-drop", "2pp"], "two logs, baseline first"),
    (["{base}", "{cand}", "--max-drop", "2pp", "--range", "none"], "such as --range 0:100"),
    (["{graded}", "--case-rate", "80%"], "a score that is 0 or 1 in every run"),
    (["{base}", "{cand}", "--max-drp", "2pp"], "--max-drop"),
    (["{base}", "{cand}", "--max-drop", "2pp", "--on-inconclusive", "maybe"], "inconclusive"),
    (["{base}", "{cand}", "--max-drop", "2pp", "--config", "x.toml"], "not both"),
    (
        ["{base}", "{cand}", "--config", "x.toml"],
        "x.toml: is not there. Write one to start from: evalgauge gate --init",
    ),
]


@pytest.mark.parametrize(("words", "text"), REFUSALS, ids=str)
def test_refusals_say_what_to_do(command: Command, tmp_path: Path, words: list[str], text: str) -> None:
    base, cand = paired_tables(tmp_path, both=150, only_base=9, only_cand=9, neither=72)
    logs = {
        "base": base,
        "cand": cand,
        "small": log_of(tmp_path, "small.csv", [1, 1, 1, 0] * 5),
        "low": log_of(tmp_path, "low.csv", [1] + [0] * 19),
        "graded": log_of(tmp_path, "graded.csv", [0.25, 0.5] * 10),
    }
    with chdir(tmp_path):
        assert text in command.refusal("gate", *(word.format(**logs) for word in words))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a log of two arms, three reps, two metrics, slices, clusters, and some missing scores."""
    rows: list[tuple[object, ...]] = []
    for arm, shift in (("one", 0), ("two", 1)):
        for case in range(48):
            for rep in range(1, 4):
                score: object = int((case * 7 + rep * 5 + case * rep + shift * case) % 5 > 1)
                if case == 3 and rep == 2:
                    score = ""
                rows.append((f"q{case}", rep, arm, score, (case % 4) / 4, "xxxy"[case % 4], f"d{case // 3}"))
    return written(tmp_path / "run.csv", ("case", "rep", "arm", "a", "b", "topic", "doc"), rows)


OPTIONS: list[list[str]] = [
    ["--max-drop", "20pp"],
    ["--min-rate", "50%"],
    ["--better-than", "1pp"],
    ["--by", "topic"],
    ["--by", "topic", "--slice-drop", "40pp"],
    ["--by", "topic", "--slice-rate", "40%"],
    ["--case-rate", "90%"],
    ["--cluster", "doc"],
    ["--unpaired"],
    ["--pairing", "content"],
    ["--missing", "fail"],
    ["--missing", "drop"],
    ["--min-scored", "100%"],
    ["--min-overlap", "50%"],
    ["--on-inconclusive", "fail"],
    ["--range", "0:2"],
    ["--confidence", "80%"],
    ["--arms", "two,one"],
    ["--candidate-metric", "b"],
]


@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_no_option_of_the_gate_is_dead(command: Command, run: Path, options: list[str]) -> None:
    words = ["gate", run, "--metric", "a", "--allow-blind", "--json"]
    plain = ["--arms", "one,two", "--max-drop", "30pp"]
    given = [*plain]
    for place in range(0, len(options), 2):
        if options[place] in given:
            at = given.index(options[place])
            del given[at : at + 2]
    assert json.loads(command(*words, *given, *options).out) != json.loads(command(*words, *plain).out)


def test_the_slices_are_judged_together(command: Command, run: Path) -> None:
    words = ["gate", run, "--metric", "a", "--arms", "one,two", "--max-drop", "30pp", "--by", "topic", "--allow-blind"]
    answer = json.loads(command(*words, "--json").out)
    rows = [row for row in answer["rules"] if row["rule"] == "slice-drop"]
    assert [row["part"] for row in rows] == ["topic=x", "topic=y"]
    undecided = [row["confidence"] for row in rows if row["verdict"] == "inconclusive"]
    assert all(level >= 0.95 - 1e-12 for level in undecided)
    assert answer["rules"][0]["confidence"] == pytest.approx(0.95)


def test_shown_code_gives_the_same_answer(
    command: Command, pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["gate", *pair, "--max-drop", "2pp", "--min-rate", "65%", "--missing", "drop", "--flips"]
    code = command(*words, "--show-code").out
    exec(compile(code.replace("print(eg.", "print(eg.to_json(eg.").replace(")\n", "))\n"), "shown", "exec"), {})  # noqa: S102
    assert json.loads(capsys.readouterr().out) == command.json(*words)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--min-overlap", "90%", "--pairing", "content"], "Next: evalgauge look-at {base} {cand}"),
        (["--min-overlap", "99%"], "Next: evalgauge look-at {base} {cand}"),
    ],
    ids=str,
)
def test_what_blocks_a_pass_is_looked_at(command: Command, tmp_path: Path, options: list[str], text: str) -> None:
    base, cand = log_of(tmp_path, "base.csv", [1] * 100), log_of(tmp_path, "cand.csv", [1] * 95)
    seen = command("gate", base, cand, "--max-drop", "20pp", *options)
    assert seen.code == 3
    assert text.format(base=base, cand=cand) in seen.out


def test_a_blessed_baseline_is_not_moved_by_every_pass(command: Command, tmp_path: Path) -> None:
    log = log_of(tmp_path, "run.csv", [1] * 100)
    passed = command("gate", log, log, "--max-drop", "10pp")
    assert "Next: evalgauge bless" in passed.out
    blessed = str(tmp_path / "baseline.json")
    assert command("bless", log, "-o", blessed).code == 0
    assert command.json("gate", blessed, log, "--max-drop", "10pp")["is_blessed"] is True
    seen = command("gate", blessed, log, "--max-drop", "10pp").out
    assert f"Next: evalgauge compare {blessed} {log} --flips" in seen


@pytest.fixture
def shuffled(tmp_path: Path) -> tuple[str, str]:
    """Two logs of 400 cases in random order: 5 % lost, 11 % won."""
    stream = np.random.default_rng(2)
    kinds = stream.permutation(np.repeat(["lost", "won", "both", "neither"], [20, 44, 240, 96]))
    base = log_of(tmp_path, "a.csv", np.isin(kinds, ["lost", "both"]).astype(int).tolist())
    cand = log_of(tmp_path, "b.csv", np.isin(kinds, ["won", "both"]).astype(int).tolist())
    return base, cand


@pytest.mark.parametrize(
    ("options", "bounds", "price"),
    [
        (["--interim", "5/5"], "obrien-fleming", 1.028),
        (["--interim", "2/5", "--bounds", "pocock"], "pocock", 1.229),
        (["--anytime"], "anytime", None),
    ],
    ids=str,
)
def test_looks_are_read_more_strictly_and_say_their_price(
    command: Command, shuffled: tuple[str, str], options: list[str], bounds: str, price: float | None
) -> None:
    single = command.json("gate", *shuffled, "--max-drop", "2pp")["rules"][0]
    answer = command.json("gate", *shuffled, "--max-drop", "2pp", *options)
    rule = answer["rules"][0]
    assert rule["low"] < single["low"]
    assert rule["high"] > single["high"]
    assert answer["sequential"]["bounds"] == bounds
    if price is None:
        widths = (rule["high"] - rule["low"], single["high"] - single["low"])
        price = (widths[0] / widths[1]) ** 2
    # Jennison and Turnbull 2000, tables 2.2 and 2.4, for a power of 80 %.
    assert answer["sequential"]["price"] == pytest.approx(price, abs=1e-3)
    assert "Price: " in command("gate", *shuffled, "--max-drop", "2pp", *options).out


def test_an_early_look_says_when_the_next_is_due(command: Command, shuffled: tuple[str, str]) -> None:
    words = ["gate", *shuffled, "--max-drop", "1pp", "--interim", "1/4", "--on-inconclusive", "pass"]
    answer = command.json(*words)
    assert (answer["verdict"], answer["sequential"]["next_cases"]) == ("inconclusive", 800)
    seen = command(*words).out
    assert "Go on: look 2 is due at about 800 cases." in seen
    assert "(100 % interval)" not in seen


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (["--interim", "6/5"], "--interim: got '6/5', allowed is a look and how many are planned, such as 2/5"),
        (["--bounds", "pocock"], "given with --interim"),
        (["--interim", "1/2", "--anytime"], "one of them"),
        (["--interim", "1/2", "--case-rate", "80%"], "Judge the cases at the last look."),
        (["--anytime", "--unpaired"], "pairs of independent cases"),
        (["--anytime", "--holdout"], "The ledger prices the verdicts on a holdout"),
        (["--check", "--interim", "1/5"], "the last look, 5/5, with --check"),
        (["--check", "--anytime"], "planned looks are checked: --interim 1/5"),
    ],
    ids=str,
)
def test_looks_that_cannot_be_shared_are_refused(
    command: Command, shuffled: tuple[str, str], options: list[str], text: str
) -> None:
    assert text in command.refusal("gate", *shuffled, "--max-drop", "5pp", *options)


def test_a_sorted_log_is_not_judged_at_any_time(command: Command, pair: tuple[Path, Path]) -> None:
    assert "Run the cases in a random order" in command.refusal("gate", *pair, "--max-drop", "2pp", "--anytime")


def test_bounds_of_a_file_wait_for_looks_and_an_unused_baseline_is_said(
    command: Command, tmp_path: Path, shuffled: tuple[str, str]
) -> None:
    text = 'bounds = "pocock"\nbaseline = "old.json"\n[[rule]]\nmax-drop = "5pp"\n'
    (tmp_path / "rules.toml").write_text(text, encoding="utf-8")
    words = ("gate", *shuffled, "--config", tmp_path / "rules.toml")
    single = command.json(*words)
    assert single["sequential"] is None
    assert any("old.json, the baseline of" in note and "was not used" in note for note in single["notes"])
    assert command.json(*words, "--interim", "2/2")["sequential"]["bounds"] == "pocock"


def test_an_end_beside_the_line_shows_on_which_side_it_lies(command: Command, tmp_path: Path) -> None:
    base, cand = paired_tables(tmp_path, both=97, only_base=3, only_cand=3, neither=17)
    seen = command("gate", base, cand, "--max-drop", "5pp").out
    # Tango's limits of 3 and 3 of 120 by a root search of its score: 0.049649.
    assert "guarded -4.96 to +4.96 points" in seen
    assert "PASS" in seen
