"""DeepEval test runs: against what its own result objects say, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats import Source, read
from evalgauge.formats.deepeval import READER
from support.read_tables import cells, texts, written

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FOLDER = FIXTURES / "deepeval"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected" / "deepeval.json").read_text(encoding="utf-8"))


def metric(name: str, score: float | None, *, success: bool | None = True, **more: Any) -> dict[str, Any]:
    return {"name": name, "score": score, "success": success, **more}


def case(name: str, asked: str, *metrics: dict[str, Any], success: bool | None = True, **more: Any) -> dict[str, Any]:
    return {"name": name, "input": asked, "metricsData": list(metrics), "success": success, **more}


def run(*cases: dict[str, Any], **more: Any) -> str:
    return json.dumps({"testCases": list(cases), "conversationalTestCases": [], **more})


@pytest.mark.parametrize("name", ["base", "cand", "errors", "talks"])
def test_scores_are_what_deepeval_said(name: str) -> None:
    table = read(FOLDER / f"{name}.json")
    rows = EXPECTED[name]["rows"]
    assert len(table.cases) == len(rows)
    passed = cells(table, "pass")
    for row in rows:
        key = (row["name"], 0, 1)
        for one, (score, success, error) in row["metrics"].items():
            found, verdict = cells(table, one)[key], cells(table, f"{one}/pass")[key]
            assert found == ((None, "error") if error else (score, "ok"))
            assert verdict == ((None, "error") if error else (float(success), "ok"))
        verdicts = [(success, error) for _, success, error in row["metrics"].values()]
        if any(error for _, error in verdicts) and all(success or error for success, error in verdicts):
            assert passed[key] == (None, "error")
        else:
            assert passed[key] == (float(row["success"]), "ok")


def test_errors_are_there_to_be_told_from_failures() -> None:
    statuses = [status for _, status in cells(read(FOLDER / "errors.json"), "Overlap").values()]
    assert statuses.count("error") == sum(
        row["metrics"]["Overlap"][2] is not None for row in EXPECTED["errors"]["rows"]
    )
    assert statuses.count("error") > 0


def test_cases_without_a_name_are_reps_by_content() -> None:
    table = read(FOLDER / "reps.json")
    rows = EXPECTED["reps"]["rows"]
    asked = list(dict.fromkeys(row["input"] for row in rows))
    assert len(table.cases) == len(asked) == 8
    by_place: dict[tuple[int, int], float] = {}
    for row in sorted(rows, key=lambda row: row["index"]):
        place = asked.index(row["input"])
        rep = sum(case == place for case, _ in by_place) + 1
        by_place[place, rep] = row["metrics"]["Routed"][0]
    found = {(int(name.removeprefix("test_case_")), rep): score for (name, _, rep), (score, _) in routed(table).items()}
    assert found == by_place
    assert table.runs[0].rep_source == "inferred"
    assert table.cases.id_is_row_number
    (text,) = texts(table)
    assert text.startswith("8 cases come up to 3 times with one name and content: read as reps.")


def routed(table: Any) -> dict[tuple[str, int, int], tuple[float | None, str]]:
    return cells(table, "Routed")


def test_the_real_run(real_logs: Path) -> None:
    table = read(real_logs / "deepeval" / "test_run_sample.json")
    key = ("sample_test_case", 0, 1)
    # Counted by hand: one case, two metrics of its own; those of the spans in its trace are not read.
    assert {one.name: cells(table, one.name)[key] for one in table.metrics} == {
        "pass": (0.0, "ok"),
        "Answer Relevancy": (0.92, "ok"),
        "Answer Relevancy/pass": (1.0, "ok"),
        "Faithfulness": (0.45, "ok"),
        "Faithfulness/pass": (0.0, "ok"),
    }


def test_what_a_run_says_of_itself(tmp_path: Path) -> None:
    table = read(FOLDER / "base.json")
    (one,) = table.runs
    assert (one.arm, one.arm_detail) == ("desk-base", {"model": "base", "prompt": "short"})
    assert table.cases.fields["topic"] == table.cases.fields["tags"]
    told = {"datasetAlias": "faq", "datasetVersion": "2", "hyperparameters": {"model": "m", "k": 3}}
    path = written(tmp_path, run(case("a", "x", metric("M", 1)), **told), "r.json")
    (one,) = read(path).runs
    assert (one.set_name, one.set_version, one.arm) == ("faq", "2", "model=m, k=3")
    path = written(tmp_path, run(case("a", "x", metric("M", 1)), testFile="test_x.py"), "file.json")
    assert (read(path).runs[0].set_name, read(path).runs[0].arm) == ("test_x.py", "file")


def test_contents(tmp_path: Path) -> None:
    plain = case("a", "ask", metric("M", 1), expectedOutput="answer")
    grounded = case("b", "ask", metric("M", 1), context=["page"])
    contents = read(written(tmp_path, run(plain, grounded), "r.json")).cases.contents
    assert contents is not None
    first, second = contents()
    assert first is not None
    assert (first.input, first.target) == ("ask", "answer")
    assert second is not None
    assert second.input == {"input": "ask", "context": ["page"]}
    talk = read(FOLDER / "talks.json").cases.contents
    assert talk is not None
    asked = [one.input for one in talk() if one is not None]
    assert asked[0] == {"scenario": "a customer asks, 0"}
    turns = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi"}]
    text = json.dumps({"testCases": [], "conversationalTestCases": [{"name": "t", "turns": turns, "metricsData": []}]})
    bare = read(written(tmp_path, text, "talk.json")).cases.contents
    assert bare is not None
    assert [one.input for one in bare() if one is not None] == [{"turns": ["hello"]}]


def test_names_tell_equal_contents_apart_and_number_reps(tmp_path: Path) -> None:
    named = read(written(tmp_path, run(case("a", "x", metric("M", 1)), case("b", "x", metric("M", 0))), "r.json"))
    assert named.cases.case_id == ("a", "b")
    names = ["test_q[one-1-2]", "test_q[one-2-2]"]
    repeated = read(written(tmp_path, run(*(case(name, "x", metric("M", 1)) for name in names)), "n.json"))
    assert list(cells(repeated, "M")) == [("test_q[one]", 0, 1), ("test_q[one]", 0, 2)]
    assert repeated.runs[0].rep_source == "explicit"
    same = read(
        written(tmp_path, run(case("test_q", "x", metric("M", 1)), case("test_q", "y", metric("M", 0))), "s.json")
    )
    assert list(cells(same, "M")) == [("test_q", 0, 1), ("test_q", 1, 1)]


def test_unequal_numbers_of_nameless_copies_are_cases(tmp_path: Path) -> None:
    cases = [case(f"test_case_{place}", asked, metric("M", place % 2)) for place, asked in enumerate("xxy")]
    table = read(written(tmp_path, run(*cases), "r.json"))
    assert len(table.cases) == 3
    assert "each is read as a case" in texts(table)[0]


def test_verdicts(tmp_path: Path) -> None:
    error = metric("E", None, success=False, error="no answer")
    shaky = metric("S", None, success=False, error="no answer", flaky=True)
    cases = [
        case("undecided", "1", metric("M", 1), error, success=False),
        case("failed anyway", "2", metric("M", 0, success=False), error, success=False),
        case("flaky", "3", metric("M", 1), shaky, success=True),
        case("nothing said", "4", metric("M", None, success=None), success=None),
        case("twice", "5", metric("M", 1), metric("M", 0, success=False), success=False),
    ]
    table = read(written(tmp_path, run(*cases), "r.json"))
    assert {key[0]: value for key, value in cells(table, "pass").items()} == {
        "undecided": (None, "error"),
        "failed anyway": (0.0, "ok"),
        "flaky": (1.0, "ok"),
        "nothing said": (None, "unscored"),
        "twice": (0.0, "ok"),
    }
    assert cells(table, "M")["nothing said", 0, 1] == (None, "unscored")
    assert cells(table, "M #2") == {("twice", 0, 1): (0.0, "ok")}


def test_a_run_that_ends_early_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = (FOLDER / "base.json").read_bytes()
    table = read(written(tmp_path, whole[: len(whole) // 2], "base.json"))
    full = cells(read(FOLDER / "base.json"), "Routed")
    assert 0 < len(routed(table)) < len(full)
    assert routed(table).items() <= full.items()
    assert table.runs[0].state == "partial"


REFUSED = {
    "empty": (run(), "holds no test case"),
    "cache": ('{"test_cases_lookup_map": {"x": {}}}', "is DeepEval's cache of answers, and no test run."),
    "shape": (
        run(case("a", "x"), hyperparameters=[1]),
        "field 'hyperparameters': expected `object | null`, got `array`",
    ),
    "cut": (run(case("a", "x"))[:45], "The file ends early"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    text, expected = REFUSED[name]
    path = written(tmp_path, text, f"{name}.json")
    assert READER.claims(Source(path=path, head=text.encode()[:8192], is_folder=False))
    with pytest.raises(LogError, match=f"{name}.json") as caught:
        read(path)
    assert expected in str(caught.value)


@pytest.mark.parametrize("head", ['{"testCases": [{"id": 1}]}', '{"tests": []}', "[]", '{"testCases": {}}'])
def test_other_files_are_not_claimed(head: str) -> None:
    assert not READER.claims(Source(path=Path("x.json"), head=head.encode(), is_folder=False))


def test_half_a_surrogate_pair_is_met_without_a_fault(tmp_path: Path) -> None:
    text = run(case("a\ud800", "x", metric("M", float("nan"))))
    assert "\\ud800" in text
    assert cells(read(written(tmp_path, text, "r.json")), "M") == {("a?", 0, 1): (None, "unscored")}
    # The library that checks shapes cannot take it in the place of a number or a truth value.
    odd = run(case("a", "x", metric("M", float("nan")), success="\ud800"))  # type: ignore[arg-type]
    with pytest.raises(LogError, match=r"expected `bool \| null`, got `str`"):
        read(written(tmp_path, odd, "odd.json"))
