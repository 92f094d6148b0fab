"""pydantic-evals reports: against what the framework's own objects hold, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, Source, read
from evalgauge.formats.pydantic_evals import READER
from support.read_tables import cells, texts, written

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FOLDER = FIXTURES / "pydantic-evals"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected" / "pydantic_evals.json").read_text(encoding="utf-8"))
METRICS = ("Routed", "overlap", "length", "tone")


def rep(name: str) -> int:
    return int(name.rpartition("[")[2].partition("/")[0]) if name.endswith("]") else 1


def run(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "inputs": f"ask {name}", "metadata": None, "expected_output": "x", "output": "y", **more}


def report(cases: list[dict[str, Any]], **more: Any) -> str:
    return json.dumps({"name": "answer", "cases": cases, "failures": [], **more})


def result(value: object) -> dict[str, object]:
    return {"name": "r", "value": value, "reason": None, "source": {"name": "E", "arguments": None}}


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_scores_are_those_of_the_frameworks_objects(name: str) -> None:
    table = read(FOLDER / f"{name}.json", ReadOptions(words={"short": 0, "long": 1}))
    expected = EXPECTED[name]
    found = {metric: cells(table, metric) for metric in (*METRICS, "Flaky")}
    for one in expected["runs"]:
        key = (one["case"], 0, rep(one["name"]))
        for metric, value in one["values"].items():
            number = {"short": 0.0, "long": 1.0}.get(value, value)
            assert found[metric].pop(key) == (float(number), "ok")
        for broken in one["broken"]:
            assert found[broken].pop(key) == (None, "error")
    for failed in expected["failed"]:
        for metric in METRICS:
            assert found[metric].pop((failed.partition(" ")[0], 0, rep(failed))) == (None, "error")
    # What is left belongs to failed runs of a case with an evaluator of its own.
    assert all(value == (None, "error") for metric in found.values() for value in metric.values())
    assert {metric for metric, left in found.items() if left} <= {"Flaky"}


def test_means_are_the_frameworks_averages() -> None:
    table = read(FOLDER / "base.json")
    averages = EXPECTED["base"]["averages"]
    for metric in ("overlap", "length"):
        scores = [score for score, _ in cells(table, metric).values() if score is not None]
        assert sum(scores) / len(scores) == pytest.approx(averages["scores"][metric])
    passed = [score for score, _ in cells(table, "Routed").values() if score is not None]
    assert sum(passed) / len(passed) == pytest.approx(averages["assertions"])


def test_what_a_report_says_of_itself() -> None:
    table = read(FOLDER / "base.json")
    (one,) = table.runs
    assert (one.arm, one.set_name, one.framework, one.state) == ("base", "desk", "pydantic-evals", "complete")
    assert (one.rep_source, one.planned_reps) == ("explicit", 3)
    assert [metric.kind for metric in table.metrics] == ["binary", "continuous", "continuous", "categorical"]
    assert read(FOLDER / "once.json").runs[0].rep_source == "none"
    assert set(table.cases.fields) == {"topic", "doc"}
    contents = table.cases.contents
    assert contents is not None
    asked = json.loads((FOLDER / "base.json").read_text(encoding="utf-8"))["cases"][0]
    assert contents()[0].input == asked["inputs"]  # type: ignore[union-attr]
    assert contents()[0].target == asked["expected_output"]  # type: ignore[union-attr]


def test_arms_pair_by_content(command: Any) -> None:
    answer = command.json("compare", FOLDER / "base.json", FOLDER / "cand.json", "--metric", "Routed")
    assert answer["pairing"]["by_counts"] == {"content": 6}


def test_an_evaluator_that_raises_owes_its_results(tmp_path: Path) -> None:
    whole = run("a", scores={"x": result(1), "y": result(0.5)}, assertions={"ok": result(value=True)})
    broken = run("b", assertions={"ok": result(value=False)}, evaluator_failures=[{"name": "Pair"}])
    alone = run("c", scores={"x": result(0), "y": result(0)}, evaluator_failures=[{"name": "Lone"}])
    table = read(written(tmp_path, report([whole, broken, alone]), "r.json"))
    assert cells(table, "x") == {("a", 0, 1): (1.0, "ok"), ("b", 0, 1): (None, "error"), ("c", 0, 1): (0.0, "ok")}
    assert cells(table, "ok")["c", 0, 1] == (None, "error")
    assert "Pair" not in {metric.name for metric in table.metrics}


def test_an_evaluator_that_always_raises_is_seen(tmp_path: Path) -> None:
    table = read(written(tmp_path, report([run("a", evaluator_failures=[{"name": "Judge"}])]), "r.json"))
    assert cells(table, "Judge") == {("a", 0, 1): (None, "error")}


def test_a_report_of_failures_alone_is_seen(tmp_path: Path) -> None:
    failed = {"name": "a", "inputs": 1, "metadata": None, "expected_output": None, "error_message": "x"}
    table = read(written(tmp_path, report([], failures=[failed]), "r.json"))
    assert cells(table, "score") == {("a", 0, 1): (None, "error")}


def test_a_rep_that_is_missing_was_not_run(tmp_path: Path) -> None:
    runs = [
        run(f"{case} [{number}/2]", source_case_name=case, assertions={"ok": result(value=True)})
        for case, number in (("a", 1), ("a", 2), ("b", 2), ("b", 2))
    ]
    table = read(written(tmp_path, report(runs), "r.json"))
    assert cells(table, "ok") == {
        ("a", 0, 1): (1.0, "ok"),
        ("a", 0, 2): (1.0, "ok"),
        ("b", 0, 1): (None, "not_run"),
        ("b", 0, 2): (1.0, "ok"),
        ("b", 1, 1): (None, "not_run"),
        ("b", 1, 2): (1.0, "ok"),
    }
    assert texts(table) == ["1 run has the case and the rep of an earlier one: read as a case of its own each."]


def test_a_case_with_an_evaluator_of_its_own_has_a_metric_of_its_own(tmp_path: Path) -> None:
    runs = [run("a", scores={"x": result(1)}), run("b", scores={"y": result(float("nan"))})]
    table = read(written(tmp_path, report(runs), "r.json"))
    assert cells(table, "x") == {("a", 0, 1): (1.0, "ok")}
    assert cells(table, "y") == {("b", 0, 1): (None, "unscored")}


def test_a_report_that_ends_early_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = (FOLDER / "base.json").read_bytes()
    # The third rep of the second case and what follows is lost.
    end = whole.index(b"[3/3]", whole.index(b"[3/3]") + 1)
    table = read(written(tmp_path, whole[:end], "base.json"))
    found = cells(table, "overlap")
    full = cells(read(FOLDER / "base.json"), "overlap")
    scored = {key: value for key, value in found.items() if value[1] == "ok"}
    assert 0 < len(scored) < len(full)
    assert scored.items() <= full.items()
    assert {value for value in found.values() if value[1] != "ok"} == {(None, "unreadable")}
    assert table.runs[0].state == "partial"
    assert "copy it again" not in texts(table)[0]
    assert "failed runs, which stand after the others, are lost" in texts(table)[0]


REFUSED = {
    "empty": (report([]), "holds no run"),
    "shape": (report([run("a", scores=[1])]), "expected `object`, got `array`"),
    "broken": (report([run("a")])[:-2] + "]]]", "is no valid JSON"),
    "cut": (report([run("a")])[:62], "The file ends early"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    text, expected = REFUSED[name]
    path = written(tmp_path, text, f"{name}.json")
    assert READER.claims(Source(path=path, head=text.encode()[:8192], is_folder=False))
    with pytest.raises(LogError, match=f"{name}.json") as caught:
        read(path)
    assert expected in str(caught.value)


def test_claims_by_keys_in_another_order() -> None:
    text = json.dumps(json.loads((FOLDER / "once.json").read_text(encoding="utf-8")), sort_keys=True)
    for head, is_ours in ((text, True), ('{"cases": [{"name": "a", "score": 1}]}', False), ('{"name": 1}', False)):
        assert READER.claims(Source(path=Path("x"), head=head.encode()[:8192], is_folder=False)) is is_ours
