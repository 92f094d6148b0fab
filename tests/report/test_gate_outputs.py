"""One verdict in every form: text, JSON, JUnit, Markdown, metrics; every number is the same in all of them."""

from __future__ import annotations

import json
import math
import re
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import junitparser
import polars as pl
import pytest

import evalgauge as eg
from evalgauge.report.junit import NUMBERS, junit_text
from evalgauge.report.markdown import MARKER, comment_text, summary_text
from support.tables import paired_tables, written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command, Seen

NUMBER = re.compile(r"-?\d[\d,]*\.\d+")
FILES = ("junit.xml", "summary.md", "comment.md", "metrics.json")


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a log of two arms, three reps, slices, clusters, and some missing scores."""
    rows: list[tuple[object, ...]] = []
    for arm, shift in (("one", 0), ("two", 1)):
        for case in range(60):
            for rep in range(1, 4):
                score: object = int((case * 7 + rep * 5 + case * rep + shift * case) % 5 > 1)
                if case == 3 and rep == 2:
                    score = ""
                rows.append((f"q{case}", rep, arm, score, "xxxy"[case % 4], f"d{case // 3}"))
    return written(tmp_path / "run.csv", ("case", "rep", "arm", "score", "topic", "doc"), rows)


QUESTIONS: list[list[str]] = [
    ["--max-drop", "20pp"],
    ["--max-drop", "20pp", "--min-rate", "50%", "--by", "topic", "--case-rate", "90%"],
    ["--max-drop", "30pp", "--cluster", "doc", "--missing", "drop", "--confidence", "90%"],
    ["--better-than", "1pp", "--unpaired"],
    ["--max-drop", "20pp", "--range", "0:2", "--on-inconclusive", "pass"],
    ["--max-drop", "20pp", "--on-inconclusive", "fail", "--min-scored", "100%"],
]


def asked(command: Command, folder: Path, *words: object) -> tuple[dict[str, Any], Seen, dict[str, str]]:
    """Return the JSON answer, the text, and the files of one gate."""
    with chdir(folder):
        options = [f"--{name.split('.')[0]}" for name in FILES]
        given = [word for pair in zip(options, FILES, strict=True) for word in pair]
        seen = command("gate", *words, *given)
        answer = json.loads(command("gate", *words, "--json").out)
        return answer, seen, {name: (folder / name).read_text(encoding="utf-8") for name in FILES}


def numbers_in(value: object) -> set[float]:
    if isinstance(value, dict):
        return {number for entry in value.values() for number in numbers_in(entry)}
    if isinstance(value, list):
        return {number for entry in value for number in numbers_in(entry)}
    return {float(value)} if isinstance(value, (int, float)) and not isinstance(value, bool) else set()


def properties_of(test: junitparser.TestCase) -> dict[str, str]:
    found = [junitparser.Property.fromelem(one) for one in test._elem.iter("property")]
    return {one.name.removeprefix("evalgauge."): one.value for one in found}


def plain(markdown: str) -> str:
    text = markdown.replace("&lt;", "<").replace("&amp;", "&").replace("\u200b", "").replace("**", "")
    return re.sub(r"\\([\\|`\[_*])", r"\1", text)


@pytest.mark.parametrize("options", QUESTIONS, ids=" ".join)
def test_every_number_is_the_same_in_every_form(
    command: Command, run: Path, tmp_path: Path, options: list[str]
) -> None:
    answer, seen, files = asked(command, tmp_path, run, "--arms", "one,two", "--allow-blind", *options)
    known = numbers_in(answer)
    # JUnit: every number of every rule, with all its digits.
    suite = next(iter(junitparser.JUnitXml.fromstring(files["junit.xml"].encode())))
    tests = list(suite)
    assert len(tests) == len(answer["rules"])
    for row, test in zip(answer["rules"], tests, strict=True):
        found = properties_of(test)
        assert found.pop("verdict") == row["verdict"]
        assert {name: float(value) for name, value in found.items()} == {
            name: float(row[name]) for name in NUMBERS if row[name] is not None
        }
    # Metrics: numbers of the answer, and the three words of a verdict as numbers.
    metrics = json.loads(files["metrics.json"])
    assert numbers_in(metrics) <= known | {0.0, 0.5, 1.0}
    assert len(metrics["opentelemetry"]) == len(answer["rules"])
    # Sentences stand word by word in every form, so that their rounded numbers are the same.
    summary = plain(files["summary.md"])
    for row, event in zip(answer["rules"], metrics["opentelemetry"], strict=True):
        for text in (seen.out, files["junit.xml"].replace("&lt;", "<").replace("&amp;", "&"), summary):
            assert row["reason"] in text
            assert row["needs"] in text
        assert event["gen_ai.evaluation.explanation"] == row["reason"]
        assert event["gen_ai.evaluation.score.label"] == row["verdict"]
    # What is rounded elsewhere in the text and the summary is a rounded number of the answer.
    scale = {1.0, 2.0, 100.0} if "--range" in options else {100.0}
    rounded = {
        f"{abs(value) * by:.{places}f}"
        for value in known
        if math.isfinite(value)
        for by in scale
        for places in (1, 2, 3, 4)
    }
    body = "\n".join(line for line in seen.out.splitlines() if not line.startswith("  Next:"))
    for text in (body, summary):
        for number in NUMBER.findall(text):
            assert number.lstrip("-").replace(",", "") in rounded, number
    assert files["comment.md"] == f"{MARKER}\n{files['summary.md']}"


@pytest.mark.parametrize(
    ("words", "code", "kinds"),
    [
        (["--max-drop", "2pp"], 0, set()),
        (["--max-drop", "2pp", "--min-rate", "70%"], 3, {"Error"}),
        (["--max-drop", "2pp", "--min-rate", "70%", "--on-inconclusive", "fail"], 1, {"Failure"}),
        (["--max-drop", "2pp", "--min-rate", "70%", "--on-inconclusive", "pass"], 0, {"Skipped"}),
        (["--max-drop", "2pp", "--min-rate", "85%"], 1, {"Failure"}),
    ],
    ids=str,
)
def test_a_junit_reader_sees_what_the_exit_code_says(
    command: Command, tmp_path: Path, words: list[str], code: int, kinds: set[str]
) -> None:
    logs = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    junit = tmp_path / "gate.xml"
    assert command("gate", *logs, *words, "--junit", junit).code == code
    document = junitparser.JUnitXml.fromfile(str(junit))
    seen = {type(one).__name__ for suite in document for test in suite for one in test.result}
    assert seen == kinds
    assert document.failures == ("Failure" in kinds)
    assert document.errors == ("Error" in kinds)
    assert document.skipped == ("Skipped" in kinds)
    (suite,) = list(document)
    assert suite.tests == len(list(suite))


def test_names_cannot_break_out_of_any_form() -> None:
    evil = '</testcase>&|@octocat `x` [a](b) <img src=x> \\ "_*\x01'
    cases = [f"{evil} {i}" if i < 3 else f"q{i}" for i in range(300)]
    base, cand = (
        pl.DataFrame({"case": cases, "score": [int(i >= lost) for i in range(300)], "topic": [evil] * 300})
        for lost in (0, 3)
    )
    answer = eg.gate(base, cand, max_drop=0.05, by="topic", flips=True)
    assert answer.comparisons[0].losses == 3
    suite = next(iter(junitparser.JUnitXml.fromstring(junit_text(answer).encode())))
    assert len(list(suite)) == len(answer.rules)
    text = summary_text(answer)
    assert "<img" not in re.sub(r"`[^`]*`", "", text)
    assert not re.search(r"@octocat(?!.*`)", text)
    for line in text.splitlines():
        if line.startswith("| "):
            assert len(re.findall(r"(?<!\\)\|", line)) == 4, line


def test_words_of_a_log_link_and_mention_nothing() -> None:
    evil = "#12 GH-7 https://x.example www.y.example ~~gone~~ $x$ \u202e\x1b[31m"
    frame = pl.DataFrame({"case": [f"q{i}" for i in range(300)], "score": [1] * 300, "topic": [evil] * 300})
    text = summary_text(eg.gate(frame, frame, max_drop=0.05, by="topic"))
    for sign in ("#12", "GH-7", "://", "www.y", "\u202e", "\x1b"):
        assert sign not in text, sign
    assert not re.search(r"(?<!\\)[~$]", text)


def test_the_summary_says_which_logs_were_judged(command: Command, tmp_path: Path) -> None:
    base, cand = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    assert command("gate", base, cand, "--max-drop", "2pp", "--summary", tmp_path / "s.md").code == 0
    text = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert f"- baseline: base (`{base}`)" in text
    assert f"- candidate: cand (`{cand}`)" in text
    assert command("gate", cand, "--min-rate", "50%", "--summary", tmp_path / "one.md").code == 0
    assert f"- candidate: cand (`{cand}`)" in (tmp_path / "one.md").read_text(encoding="utf-8")


def test_a_comment_fits_into_github(tmp_path: Path) -> None:
    n = 2000
    rows = [(f"a rather long name of a case that lost {i:06d}" * 3, 1) for i in range(n)]
    base = written(tmp_path / "base.csv", ("case", "score"), rows)
    cand = written(tmp_path / "cand.csv", ("case", "score"), [(case, 0) for case, _ in rows])
    text = comment_text(eg.gate(base, cand, max_drop=0.05, flips=True))
    assert len(text) < 65_000
    assert "1,950 more" in text
    assert text.count("<details>") == text.count("</details>")
    assert text.startswith(MARKER)


def test_a_summary_is_added_where_github_collects_them(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    logs = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    steps, own = tmp_path / "steps.md", tmp_path / "own.md"
    steps.write_text("earlier step\n", encoding="utf-8")
    own.write_text("old\n", encoding="utf-8")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(steps))
    for _ in range(2):
        assert command("gate", *logs, "--max-drop", "2pp", "--summary", steps).code == 0
        assert command("gate", *logs, "--max-drop", "2pp", "--summary", own).code == 0
    assert steps.read_text(encoding="utf-8").startswith("earlier step\n### evalgauge gate: PASS")
    assert steps.read_text(encoding="utf-8").count("### evalgauge gate") == 2
    assert own.read_text(encoding="utf-8").count("### evalgauge gate") == 1
    assert "a file that can be written (No such file" in command.refusal(
        "gate", *logs, "--max-drop", "2pp", "--summary", tmp_path / "no" / "s.md"
    )


def test_uncertainty_is_what_every_eval_ever_describes(command: Command, tmp_path: Path, real_logs: Path) -> None:
    schema = json.loads((real_logs / "every-eval-ever" / "eval.schema.json").read_text(encoding="utf-8"))
    details = schema["properties"]["evaluation_results"]["items"]["properties"]["score_details"]
    logs = paired_tables(tmp_path, both=150, only_base=9, only_cand=22, neither=59)
    answer, _, files = asked(command, tmp_path, *logs, "--max-drop", "2pp")
    (found,) = json.loads(files["metrics.json"])["every_eval_ever"]
    checked(found["score_details"], details)
    interval = found["score_details"]["uncertainty"]["confidence_interval"]
    (score,) = answer["scores"]
    assert (interval["lower"], interval["upper"]) == (score["low"], score["high"])


def checked(value: Any, schema: dict[str, Any]) -> None:
    """Check a value against the part of JSON Schema that the file uses."""
    kinds = {"object": dict, "number": (int, float), "string": str, "integer": int}
    assert isinstance(value, kinds[schema["type"]])
    if schema["type"] == "object":
        assert set(schema.get("required", ())) <= set(value)
        assert set(value) <= set(schema["properties"])
        for name, entry in value.items():
            checked(entry, schema["properties"][name])


def test_metric_names_are_those_that_mlflow_takes(command: Command, run: Path, tmp_path: Path) -> None:
    options = ["--max-drop", "20pp", "--by", "topic", "--allow-blind", "--arms", "one,two"]
    _, _, files = asked(command, tmp_path, run, *options)
    names = json.loads(files["metrics.json"])["mlflow"]
    assert all(re.fullmatch(r"[/\w.\- ]{1,250}", name) for name in names)
    assert "gate/score/slice-drop/topic_x/low" in names
    assert names["gate/verdict"] in {0.0, 0.5, 1.0}
