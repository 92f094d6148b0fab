"""What the command line refuses, with which words: what came, what is allowed, what to do. Exit code 2."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, get_args

import pytest

from evalgauge.cli.units import option_name
from evalgauge.questions.counts import Count, Number
from evalgauge.questions.every import Request
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command

REFUSALS: list[tuple[list[str], str]] = [
    (["mesure", "x.csv"], "Did you mean measure?"),
    (["nothing-like-it.csv"], "a log that exists"),
    (["measure"], "a log, a table, a folder, or a count such as 47/50"),
    (["measure", "missing.csv"], "missing.csv"),
    (["measure", "{run}", "--confidence", "95"], "Did you mean 95% (0.95)?"),
    (["measure", "{run}", "--confidence", "0"], "--confidence: got '0%'"),
    (["measure", "{run}", "--confidense", "95%"], "Did you mean --confidence?"),
    (["measure", "{run}", "--metric", "scor"], "Did you mean 'score'?"),
    (["measure", "{run}", "--by", "topik"], "Did you mean topic?"),
    (["measure", "{run}", "--cluster", "nope"], "a field of the log: topic"),
    (["measure", "{run}", "--arm", "nope"], "--arm: got 'nope'"),
    (["measure", "{run}", "--task", "nope"], "--task: got 'nope'"),
    (["measure", "{run}", "--rule", "willson"], "Did you mean 'wilson'?"),
    (["measure", "{run}", "--target", "these"], "new-cases"),
    (["measure", "{run}", "--target", "these-cases"], "Run each case at least twice"),
    (["measure", "{run}", "--range", "5"], "low:high"),
    (["measure", "{run}", "--weights", "a=50%,b=50%"], "given with --by"),
    (["measure", "{run}", "--by", "topic", "--weights", "a=50%,c=50%"], "Without a weight: b; not in the log: c."),
    (["measure", "{run}", "--by", "topic", "--weights", "a=50%,b=30%"], "These add up to 80 %."),
    (["measure", "{run}", "--pass-k", "0"], "--pass-k: got 0"),
    (["measure", "{run}", "--map", "case"], "name=value pairs"),
    (["measure", "{run}", "--map", "case=nope"], "nope"),
    (["measure", "{run}", "--map", "base:case=id"], "in a comparison"),
    (["measure", "{words}"], "--words"),
    (["measure", "{hundred}"], "--range 0:100"),
    (["measure", "{empty}"], "empty"),
    (["measure", "--passed", "3"], "--passed and --of go together"),
    (["measure", "--passed", "7", "--of", "5"], "a count from 0 to the 5 cases"),
    (["measure", "--passed", "0", "--of", "0"], "a number of cases from 1"),
    (["measure", "5/5", "--by", "topic"], "a bare count has no cases"),
    (["measure", "{run}", "--passed", "3", "--of", "5"], "not both"),
    (["compare", "{run}"], "one log with one arm"),
    (["compare", "{run}", "{run}", "{run}"], "two logs, baseline first"),
    (["{run}", "{run}", "{run}"], "evalgauge measure LOG LOG LOG"),
    (["compare", "{run}", "{run}", "--margin", "2"], "Did you mean 2pp (0.02)?"),
    (["compare", "{run}", "{run}", "--margin", "0"], "A margin of 0 asks whether the candidate is better"),
    (["compare", "{run}", "{other}"], "--unpaired"),
    (["compare", "45/50", "30/80"], "two counts with --unpaired"),
    (["compare", "45/50", "90/80", "--unpaired"], "passed from 0 to cases"),
    (["compare", "--wins", "5", "--of", "9"], "--losses"),
    (["compare", "--wins", "5", "--losses", "5", "--of", "9"], "9"),
    (["compare", "{run}", "{run}", "--wins", "5", "--losses", "1", "--of", "9"], "not both"),
    (["compare", "{two}"], "two of new, old, baseline first"),
    (["compare", "{two}", "--arms", "old,newer"], "Did you mean new?"),
    (["convert", "{run}", "-o", "{folder}/x.xlsx"], ".parquet, .csv, .jsonl or .json"),
    (["convert", "{run}", "-o", "{run}"], "overwrite"),
    (["convert", "{run}"], "--output"),
    (
        ["convert", "{run}", "-o", "-"],
        "--output: got '-', allowed is a file that ends in .parquet, .csv, .jsonl or .json. A table",
    ),
    (["measure", "{run}", "--metric", "-"], "metric '-': no metric of that name"),
    (["measure", "{run}", "--by", "-"], "--by: got '-'"),
    (["measure", "{run}", "--target", "-"], 'Invalid value "-" for --target'),
    (["measure", "{run}", "--range", "-"], "--range: got '-'"),
    (["compare", "-", "-"], "allowed is standard input (-) once"),
    (["plan", "desing"], "plan: got 'desing', allowed is options, or one of design, reps. Did you mean design?"),
    (["plan", "Reps", "--cases", "25"], "Did you mean reps?"),
    (
        ["plan", "nothere"],
        "plan: got 'nothere', allowed is options, or one of design, reps. See evalgauge plan --help.",
    ),
    (["plan", "--like", "{run}", "{other}"], "Say the option for each value: --like {run} --like {other}."),
    (["plan", "{run}"], "A pilot log is named by an option: --like {run}."),
    (["plan", "design", "deep"], "plan design: got 'deep', allowed is options alone."),
    (["--json", "plan"], "Say: evalgauge plan --json"),
    (["measure", "{braces}"], "its records have no fields"),
    (["measure", ""], "For the logs in this folder write a dot."),
    (["compare", "47/50", "K/N", "--unpaired"], "logs: got 'K/N', allowed is counts alone"),
    (["compare", "{run}", "47/50"], "run.csv', allowed is counts alone"),
    (["measure", "47/50", "{run}"], "A log and a count cannot be put side by side."),
    (["measure", "47/0"], "counts: got '47/0', allowed is passed/cases"),
    (["measure", "50/47"], "counts: got '50/47', allowed is passed/cases"),
    (["measure", "{run}", "--range", "none", "--missing", "fail"], "--missing: got 'fail'"),
    (["compare", "--wins", "0", "--losses", "0", "--of", "0"], "--of: got 0, allowed is at least 1"),
]
# Every option that holds a number, by the words of its command.
NUMBERS = [
    pytest.param(request.verb.split("_"), f"--{option_name(field.name)}", kind, id=f"{request.verb} {field.name}")
    for request in get_args(Request)
    for field in fields(request)
    for kind in (Count, Number)
    if kind in (field.type, *get_args(field.type))
]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """Return small logs by name."""
    header = ("case", "score", "topic")
    rows = [(f"q{i}", i % 2, "ab"[i % 2]) for i in range(20)]
    empty = tmp_path / "empty.csv"
    empty.touch()
    braces = tmp_path / "braces.json"
    braces.write_text("{}", encoding="utf-8")
    two = [(f"q{i}", arm, i % 2) for i in range(10) for arm in ("new", "old")]
    return {
        "folder": str(tmp_path),
        "empty": str(empty),
        "run": str(written(tmp_path / "run.csv", header, rows)),
        "other": str(written(tmp_path / "other.csv", ("case", "score"), [(f"z{i}", 1) for i in range(5)])),
        "words": str(written(tmp_path / "words.csv", ("case", "score"), [("q1", "left"), ("q2", "both")])),
        "hundred": str(written(tmp_path / "hundred.csv", ("case", "score"), [("q1", 55), ("q2", 87.5)])),
        "braces": str(braces),
        "two": str(written(tmp_path / "two.csv", ("case", "arm", "score"), two)),
    }


@pytest.mark.parametrize(("words", "text"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_refusals_say_what_to_do(command: Command, files: dict[str, str], words: list[str], text: str) -> None:
    refusal = command.refusal(*(word.format(**files) for word in words))
    assert refusal.startswith("evalgauge: ")
    assert text.format(**files) in refusal
    assert len(refusal.strip().splitlines()) == 1


@pytest.mark.parametrize(("command_words", "option", "kind"), NUMBERS)
def test_no_number_is_rounded_or_made_up(
    command: Command, command_words: list[str], option: str, kind: type[Count | Number]
) -> None:
    fractions = ["2.5", "2.6", "1e-3", "1.000"] if kind is Count else ["0,4"]
    for text in (*fractions, "nan", "inf", "-inf", "1e400", "0x10", "ten", "1,00"):
        refusal = command.refusal(*command_words, option, text)
        assert refusal.startswith(f"evalgauge: {option}: got {text!r}, allowed is a "), refusal
