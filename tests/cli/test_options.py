"""Every option changes some answer, and every answer is the same in each of its forms."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

MEASURE_OPTIONS: list[list[str]] = [
    ["--metric", "b"],
    ["--metric", "a", "--by", "topic"],
    ["--metric", "a", "--by", "topic", "--weights", "x=90%,y=10%"],
    ["--metric", "a", "--by", "topic", "--weights", "equal"],
    ["--metric", "a", "--cluster", "doc"],
    ["--metric", "a", "--range", "0:2"],
    ["--metric", "a", "--range", "none"],
    ["--metric", "a", "--rule", "t"],
    ["--metric", "a", "--target", "these-cases"],
    ["--metric", "a", "--missing", "fail"],
    ["--metric", "a", "--missing", "drop"],
    ["--metric", "a", "--pass-k", "2"],
    ["--metric", "a", "--confidence", "90%"],
    ["--metric", "a", "--map", "rep=topic"],
    ["--metric", "a", "--arm", "one"],
]
COMPARE_OPTIONS: list[list[str]] = [
    ["--margin", "30pp"],
    ["--by", "topic"],
    ["--cluster", "doc"],
    ["--unpaired"],
    ["--range", "0:2"],
    ["--missing", "drop"],
    ["--missing", "fail"],
    ["--confidence", "80%"],
    ["--explain-pairing"],
]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a log of two arms, three reps, two metrics, slices, clusters, and some missing scores."""
    rows: list[tuple[object, ...]] = []
    for arm, shift in (("one", 0), ("two", 1)):
        for case in range(24):
            for rep in range(1, 4):
                score: object = int((case * 7 + rep * 5 + case * rep + shift * case) % 5 > 1)
                if case == 3 and rep == 2:
                    score = ""
                rows.append((f"q{case}", rep, arm, score, (case % 4) / 4, "xxxy"[case % 4], f"d{case // 3}"))
    return written(tmp_path / "run.csv", ("case", "rep", "arm", "a", "b", "topic", "doc"), rows)


def answers(command: Command, run: Path, options: list[str]) -> Any:
    return command.json("measure", run, *options)


@pytest.mark.parametrize("options", MEASURE_OPTIONS, ids=" ".join)
def test_no_option_of_measure_is_dead(command: Command, run: Path, options: list[str]) -> None:
    plain = ["--metric", "a"] if "--arm" in options else ["--metric", "a", "--arm", "two"]
    given = options if "--arm" in options else [*options, "--arm", "two"]
    assert answers(command, run, given) != answers(command, run, plain)


@pytest.mark.parametrize("options", COMPARE_OPTIONS, ids=" ".join)
def test_no_option_of_compare_is_dead(command: Command, run: Path, options: list[str]) -> None:
    words = ["compare", run, "--arms", "one,two", "--metric", "a"]
    assert command.json(*words, *options) != command.json(*words)


def test_flips_lists_every_changed_case(command: Command, run: Path) -> None:
    words = ["compare", run, "--arms", "one,two", "--metric", "a"]
    answer = command.json(*words)
    listed = command(*words, "--flips").out
    for flip in answer["flips"]:
        assert re.search(rf"^    {flip['case']}  ", listed, flags=re.MULTILINE)
    assert answer["wins"] + answer["losses"] == len(answer["flips"])


def test_tolerant_reads_what_a_strict_reader_refuses(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "run.csv"
    log.write_text("case,score\nq1,1\nq2\nq3,0\n", encoding="utf-8")
    assert "line 3" in command.refusal("measure", log)
    answer = command.json("measure", log, "--tolerant")
    assert answer["n_cases"] == 2
    assert answer["problems"]


def test_words_give_labels_a_number(command: Command, tmp_path: Path) -> None:
    log = written(tmp_path / "run.csv", ("case", "score"), [("q1", "left"), ("q2", "both"), ("q3", "right")])
    answer = command.json("measure", log, "--words", "left=1,both=0.5,right=0")
    assert answer["estimate"] == 0.5


def test_wide_tables_are_read_by_arm_and_by_rep(command: Command, tmp_path: Path) -> None:
    log = written(tmp_path / "wide.csv", ("case", "old", "new"), [(f"q{i}", i % 2, 1) for i in range(10)])
    by_arm = command.json("compare", log, "--wide-arms", "old,new", "--arms", "old,new")
    assert by_arm["wins"] == 5
    by_rep = command.json("measure", log, "--wide-reps", "old,new")
    assert (by_rep["n_cases"], by_rep["n_reps"]) == (10, 2)


def test_two_score_columns_can_be_named_as_arms(command: Command, tmp_path: Path) -> None:
    log = written(tmp_path / "wide.csv", ("case", "old", "new"), [(f"q{i}", i % 2, 1) for i in range(10)])
    assert command.json("compare", log, "--arms", "old,new")["wins"] == 5
    assert "--arms with two of its score columns: new, old" in command.refusal("compare", log)
    assert command.json("measure", log, "--metric", "old")["estimate"] == 0.5


def test_each_side_can_have_columns_of_its_own(command: Command, tmp_path: Path) -> None:
    base = written(tmp_path / "base.csv", ("qid", "ok"), [(f"q{i}", i % 2) for i in range(10)])
    cand = written(tmp_path / "cand.csv", ("number", "good"), [(f"q{i}", 1) for i in range(10)])
    mapping = "base:case=qid,base:score=ok,cand:case=number,cand:score=good"
    assert command.json("compare", base, cand, "--map", mapping)["wins"] == 5


def test_stdin_is_read(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin(io.TextIOWrapper):
        pass

    monkeypatch.setattr("sys.stdin", Stdin(io.BytesIO(b"case,score\nq1,1\nq2,0\n")))
    assert command.json("measure", "-")["n_cases"] == 2


@pytest.mark.parametrize(
    "words",
    [
        ["measure", "{run}", "--metric", "a", "--arm", "two", "--by", "topic", "--weights", "x=90%,y=10%"],
        ["measure", "{run}", "--metric", "b", "--arm", "one", "--confidence", "90%", "--cluster", "doc"],
        ["measure", "--passed", "47", "--of", "50"],
        ["measure", "47/50"],
        ["compare", "{run}", "--arms", "one,two", "--metric", "a", "--margin", "2pp", "--flips"],
        ["compare", "{run}", "--arms", "one,two", "--metric", "a", "--explain-pairing"],
        ["compare", "--wins", "22", "--losses", "9", "--of", "240"],
        ["compare", "45/50", "30/80", "--unpaired"],
    ],
    ids=" ".join,
)
def test_shown_code_gives_the_same_answer(
    command: Command, run: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    import evalgauge  # noqa: PLC0415 - the code under test imports it

    given = [word.format(run=run) for word in words]
    code = command(*given, "--show-code").out
    exec(compile(code.replace("print(eg.", "print(eg.to_json(eg.").replace(")\n", "))\n"), "shown", "exec"), {})  # noqa: S102
    shown = json.loads(capsys.readouterr().out)
    assert shown == command.json(*given)
    assert "eg" in code
    assert evalgauge.__version__


NUMBER = re.compile(r"\d+\.\d+")


@pytest.mark.parametrize(
    "words",
    [
        ["measure", "{run}", "--metric", "a", "--arm", "two", "--by", "topic"],
        ["measure", "{run}", "--metric", "a", "--arm", "two", "--pass-k", "2"],
        ["compare", "{run}", "--arms", "one,two", "--metric", "a", "--margin", "2pp", "--by", "topic", "--flips"],
        ["compare", "--wins", "22", "--losses", "9", "--of", "240", "--margin", "3pp"],
    ],
    ids=" ".join,
)
def test_every_percent_in_the_text_is_in_the_json(command: Command, run: Path, words: list[str]) -> None:
    given = [word.format(run=run) for word in words]
    known: set[str] = set()

    def collect(value: object) -> None:
        if isinstance(value, dict):
            for entry in value.values():
                collect(entry)
        elif isinstance(value, list):
            for entry in value:
                collect(entry)
        elif isinstance(value, float):
            known.update(f"{abs(number):.1f}" for number in (100 * value, 100 * (1 - value)))
            known.update((f"{value:.2f}", f"{value:.3f}", f"{value:.4g}"))

    answer = command.json(*given)
    collect(answer)
    known.add(f"{100 * (1 - answer['confidence']) / 2:.1f}")
    if answer.get("naive"):
        only, naive = answer["scored_only"], answer["naive"]
        short = ((only["high"] - only["low"]) - (naive["high"] - naive["low"])) / 2
        known.add(f"{100 * short:.1f}")
    text = "\n".join(line for line in command(*given).out.splitlines() if not line.startswith(("  Next:", "  Method:")))
    unknown = [number for number in NUMBER.findall(text) if number not in known]
    assert unknown == []
