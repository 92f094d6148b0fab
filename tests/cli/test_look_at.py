"""``look-at``: what it says of a log is what is in it."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import evalgauge as eg
from support.tables import written

if TYPE_CHECKING:
    from pathlib import Path

    from support.command import Command


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """Return a log of two arms and two metrics with missing runs, copies, and fields of every kind."""
    rows = [
        (f"q{case}", rep, arm, score(case, rep, arm), case % 4, "ab"[case % 2], f"d{case // 3}", "one", f"n-{case}")
        for arm in ("old", "new")
        for case in range(24)
        for rep in (1, 2)
    ]
    return written(tmp_path / "run.csv", ("case", "rep", "arm", "pass", "f1", "topic", "doc", "lang", "own"), rows)


def score(case: int, rep: int, arm: str) -> object:
    if arm == "old" and case == 5:
        return "timeout" if rep == 2 else "error"
    return int((case + (rep if arm == "old" else 0)) % 3 > 0)


def scores(answer: dict[str, Any], arm: str, metric: str) -> dict[str, Any]:
    found = next(one for one in answer["arms"] if one["arm"] == arm)
    return next(one for one in found["scores"] if one["metric"] == metric)


def test_runs_statuses_and_identical_reps(command: Command, run: Path) -> None:
    answer = command.json("look-at", run)
    assert (answer["rows"], answer["cases"]) == (192, 24)
    old, new = scores(answer, "old", "pass"), scores(answer, "new", "pass")
    assert (old["planned"], old["scored"]) == (48, 46)
    assert old["by_status"] == {"ok": 46, "error": 1, "limit": 1}
    assert not old["every_rep_identical"]
    assert new["every_rep_identical"]
    assert (old["repeated_cases"], new["repeated_cases"]) == (23, 24)
    assert (new["least_reps"], new["most_reps"]) == (2, 2)
    assert (scores(answer, "old", "f1")["low"], scores(answer, "old", "f1")["high"]) == (0.0, 3.0)
    text = command("look-at", run).out
    assert "pass: 24 cases × 2 reps = 48 runs, 46 scored (1 error, 1 limit)" in text
    assert text.count("every rep identical") == 3


def test_fields_by_what_they_can_serve_as(command: Command, run: Path) -> None:
    answer = command.json("look-at", run)
    assert {one["name"]: one["use"] for one in answer["fields"]} == {
        "topic": "slice",
        "doc": "cluster",
        "lang": "constant",
        "own": "own value each",
    }
    topic = answer["fields"][0]
    assert (topic["values"], topic["known"], topic["most"]) == (2, 24, {"a": 12, "b": 12})
    text = command("look-at", run).out
    assert "topic: 2 values (a 12, b 12): --by topic" in text
    assert "doc: 8 values over 24 cases: --cluster doc" in text
    assert "lang: always one" in text


def test_next_leads_to_the_groups_and_the_other_arm(command: Command, run: Path) -> None:
    lines = [line.strip() for line in command("look-at", run).out.splitlines() if "Next:" in line]
    assert lines == [
        f"Next: evalgauge measure {run} --arm old --metric pass --by topic --cluster doc",
        f"Next: evalgauge compare {run} --arms old,new --metric pass --margin 2pp",
        f"Next: evalgauge plan reps {run} --arm old --metric pass",
    ]


def test_copies_are_counted(command: Command, tmp_path: Path) -> None:
    rows = [("a", "What?", 1), ("b", "What?", 0), ("b", "Who?", 1), ("c", "", 1)]
    answer = command.json("look-at", written(tmp_path / "x.csv", ("id", "input", "score"), rows))
    (arm,) = answer["arms"]
    assert arm["cases"] == 4
    assert arm["content_copies"] == 1
    assert arm["id_copies"] == 1
    assert (arm["identity"], arm["known_contents"]) == ("content", 3)
    text = command("look-at", tmp_path / "x.csv").out
    assert "1 case has the content of an earlier case; all are kept" in text
    assert "known again by content where it is known (3 of them)" in text


@pytest.mark.parametrize(
    ("header", "rows", "identity"),
    [
        (("id", "score"), [("a", 1), ("b", 0)], "id"),
        (("score",), [(1,), (0,)], "row number"),
        (("id", "input", "score"), [("a", "What?", 1)], "content"),
    ],
)
def test_how_cases_are_known(
    command: Command, tmp_path: Path, header: tuple[str, ...], rows: list[tuple[object, ...]], identity: str
) -> None:
    (arm,) = command.json("look-at", written(tmp_path / "x.csv", header, rows))["arms"]
    assert arm["identity"] == identity


def test_words_without_a_number_are_shown_with_a_way_on(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{case}", rep, ["left", "right"][case % 2]) for case in range(6) for rep in (1, 2)]
    log = written(tmp_path / "x.csv", ("case", "rep", "score"), rows)
    answer = command.json("look-at", log)
    assert answer["metrics"][0]["kind"] == "categorical"
    assert answer["metrics"][0]["words"] == ["left", "right"]
    assert answer["arms"][0]["scores"][0]["every_rep_identical"]
    assert "--words left=1,right=0" in command("look-at", log).out
    mapped = command.json("look-at", log, "--words", "left=1,right=0")
    assert mapped["metrics"][0]["kind"] == "binary"


def test_a_score_without_limits_leads_to_what_needs_none(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{case}", rep, case * 90 + rep) for case in range(12) for rep in (1, 2)]
    log = written(tmp_path / "x.csv", ("case", "rep", "score"), rows)
    lines = [line.strip() for line in command("look-at", log).out.splitlines() if "Next:" in line]
    assert lines == [
        f"Next: evalgauge measure {log} --range none",
        f"Next: evalgauge compare {log} CANDIDATE --range none   (CANDIDATE: your other log)",
    ]
    assert command("measure", log, "--range", "none").code == 0


def test_a_log_without_a_score_says_so(command: Command, tmp_path: Path) -> None:
    log = written(tmp_path / "x.csv", ("case", "score"), [("a", "error"), ("b", "timeout")])
    seen = command("look-at", log)
    assert seen.code == 0
    assert "No run has a score" in seen.out
    assert "Next:" not in seen.out


def test_a_real_log_is_what_its_framework_wrote(command: Command, fixtures: Path) -> None:
    answer = command.json("look-at", fixtures / "inspect" / "errors.eval")
    expected = json.loads((fixtures / "expected" / "inspect.json").read_text(encoding="utf-8"))["errors.eval"]
    (arm,) = answer["arms"]
    assert (arm["framework"], arm["set_name"]) == ("inspect", expected["task"])
    assert arm["cases"] == len({row["id"] for row in expected["rows"]})
    depth = next(one for one in arm["scores"] if one["metric"] == "leaves/depth")
    rows = expected["rows"]
    assert depth["scored"] == sum(row["scorer"] == "leaves" for row in rows)
    assert depth["by_status"]["error"] == sum(row["error"] for row in rows)
    assert depth["planned"] == depth["scored"] + depth["by_status"]["error"]


def test_several_sets_have_their_own_fields(command: Command, fixtures: Path) -> None:
    answer = command.json("look-at", fixtures / "lm-eval" / "base")
    uses = Counter((one["set_name"], one["use"]) for one in answer["fields"])
    assert uses["sums", "slice"] == 1
    assert uses["sums_filters", "cluster"] == 1
    assert "Fields of the cases on sums_filters:" in command("look-at", fixtures / "lm-eval" / "base").out


def test_python_and_html(run: Path) -> None:
    answer = eg.look_at(run)
    assert str(answer) == "24 cases, arms: old, new; metrics: pass, f1"
    assert "identical" in answer._repr_html_()


def test_nothing_is_refused(command: Command) -> None:
    assert "one or more logs, tables or folders" in command.refusal("look-at")


def test_what_words_are_worth_in_a_next_line_is_said_to_be_a_guess(command: Command, tmp_path: Path) -> None:
    log = written(
        tmp_path / "x.csv", ("case", "score"), [(f"q{case}", ["left", "right"][case % 2]) for case in range(6)]
    )
    guess = "The numbers behind --words are guesses: say what each word is worth."
    assert guess in command("look-at", log).out
    assert guess not in command("look-at", log, "--words", "left=1,right=0").out


def test_words_that_no_option_can_hold_lead_to_a_table(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{case}", ["a, b", "a=b"][case % 2]) for case in range(6)]
    log = written(tmp_path / "x.csv", ("case", "score"), rows)
    seen = command("look-at", log).out
    assert [line for line in seen.splitlines() if "Next:" in line] == [f"  Next: evalgauge convert {log} -o scores.csv"]
    assert command("convert", log, "-o", tmp_path / "scores.csv").code == 0


@pytest.mark.parametrize(
    ("arms", "first"),
    [
        (("with_skill", "baseline"), "baseline,with_skill"),
        (("new", "old"), "old,new"),
        (("x/cand", "x/base"), "x/base,x/cand"),
        (("golden", "silver"), "golden,silver"),
    ],
)
def test_an_arm_that_is_called_the_baseline_comes_first(
    command: Command, tmp_path: Path, arms: tuple[str, str], first: str
) -> None:
    rows = [(f"q{case}", arm, case % 2) for case in range(6) for arm in arms]
    log = written(tmp_path / "x.csv", ("case", "arm", "score"), rows)
    assert f"--arms {first}" in command("look-at", log).out
    assert f"--arms {first}" in command("measure", log, "--arm", arms[0]).out


def test_cases_that_two_arms_share_count_once(command: Command, tmp_path: Path) -> None:
    header = ("case", "arm", "input", "score")
    rows = [(f"{arm}{case}", arm, f"what is asked of case {case}", 1) for case in range(6) for arm in "ab"]
    # A copy within an arm is a case of its own, and so is a case of one arm alone.
    rows += [("a9", "a", "what is asked of case 0", 0), ("b9", "b", "another", 0)]
    log = written(tmp_path / "x.csv", header, rows)
    answer = command.json("look-at", log)
    assert answer["cases"] == 8
    assert [arm["cases"] for arm in answer["arms"]] == [7, 7]
    assert command.json("convert", log, "-o", tmp_path / "y.csv")["cases"] == 8


def test_a_field_that_hardly_any_case_shares_is_no_cluster(command: Command, tmp_path: Path) -> None:
    rows = [(f"q{case}", max(case, 1), case // 2, 1) for case in range(12)]
    log = written(tmp_path / "x.csv", ("case", "trouble", "doc", "score"), rows)
    uses = {field["name"]: field["use"] for field in command.json("look-at", log)["fields"]}
    assert uses == {"trouble": "too few", "doc": "cluster"}


def test_a_reader_names_the_log_it_speaks_of_where_there_are_several(command: Command, tmp_path: Path) -> None:
    for name in ("one", "two"):
        written(tmp_path / f"{name}.csv", ("case", "quality_x"), [(f"q{case}", case % 2) for case in range(4)])
    seen = command("look-at", tmp_path / "one.csv", tmp_path / "two.csv").out
    assert "name the score: --map score=COLUMN. (2 logs: one.csv, two.csv)" in seen
    assert "(2 logs" not in command("look-at", tmp_path / "one.csv").out
