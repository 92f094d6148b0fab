"""Phoenix's downloads of experiments: against what the client's own objects hold, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, Source, read
from evalgauge.formats.phoenix import READER
from support.read_tables import cells, texts, written

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
FOLDER = FIXTURES / "phoenix"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected" / "phoenix.json").read_text(encoding="utf-8"))
WORDS = {"short": 0.0, "long": 1.0}


def run(example: str, rep: int, *annotations: dict[str, Any], **more: Any) -> dict[str, Any]:
    row = {"example_id": example, "repetition_number": rep, "input": {"q": example}, "reference_output": {"a": 1}}
    return {**row, "output": "o", "error": None, "annotations": list(annotations), **more}


def said(name: str, score: float | None = None, label: str | None = None, error: str | None = None) -> dict[str, Any]:
    return {"name": name, "annotator_kind": "CODE", "score": score, "label": label, "error": error}


def expected(name: str, evaluator: str) -> dict[tuple[str, int, int], tuple[float | None, str]]:
    found: dict[tuple[str, int, int], tuple[float | None, str]] = {}
    for one in EXPECTED[name]["runs"]:
        given = one["annotations"][evaluator]
        value = None if given["result"] is None else given["result"]["score"]
        if value is None and given["result"] is not None:
            value = WORDS[given["result"]["label"]]
        is_error = bool(one["error"] or given["error"])
        found[one["example"], 0, one["rep"]] = (None, "error") if is_error else (value, "ok")
    return found


@pytest.mark.parametrize("name", ["base", "cand", "errors"])
@pytest.mark.parametrize("evaluator", ["right", "length", "tone"])
def test_scores_are_those_of_the_clients_objects(name: str, evaluator: str) -> None:
    table = read(FOLDER / f"{name}.json", ReadOptions(words=WORDS))
    assert cells(table, evaluator) == expected(name, evaluator)


@pytest.mark.parametrize("name", ["base", "cand", "errors"])
@pytest.mark.parametrize("evaluator", ["right", "length", "tone"])
def test_the_csv_holds_the_same_scores(name: str, evaluator: str) -> None:
    found = cells(read(FOLDER / f"{name}.csv", ReadOptions(words=WORDS)), f"annotation_{evaluator}_score")
    failed = {(one["example"], 0, one["rep"]) for one in EXPECTED[name]["runs"] if one["error"]}
    for key, (score, status) in expected(name, evaluator).items():
        # That an evaluator raised is in a column of its own, beside a score that is missing.
        want = status if status == "ok" or key in failed else "unscored"
        assert found[key] == (score, want)


def test_there_are_errors_of_both_kinds() -> None:
    runs = EXPECTED["errors"]["runs"]
    assert any(one["error"] and one["annotations"]["right"]["result"]["score"] == 0 for one in runs)
    assert any(not one["error"] and one["annotations"]["length"]["error"] for one in runs)


def test_json_and_csv_hold_the_same_cases() -> None:
    whole, table = read(FOLDER / "base.json"), read(FOLDER / "base.csv")
    assert whole.cases.case_id == table.cases.case_id
    for one in (whole, table):
        assert one.cases.contents is not None
    assert whole.cases.contents() == table.cases.contents()  # type: ignore[misc]
    assert table.cases.fields.keys() == {"topic"}
    (run,) = whole.runs
    assert (run.arm, run.framework, run.rep_source, run.planned_reps) == ("base", "phoenix", "explicit", 3)


def test_arms_pair_by_content(command: Any) -> None:
    answer = command.json("compare", FOLDER / "base.json", FOLDER / "cand.json", "--metric", "right")
    assert answer["pairing"]["by_counts"] == {"content": 6}


def test_missing_annotations_and_repetitions(tmp_path: Path) -> None:
    runs = [
        run("a", 1, said("right", 1), said("style", 0.5)),
        run("a", 2, said("right", 0, label="bad")),
        run("b", 1, said("right", None, label="odd"), error=""),
        run("c", 1, error="down"),
    ]
    table = read(written(tmp_path, json.dumps(runs), "x.json"))
    assert cells(table, "right") == {
        ("a", 0, 1): (1.0, "ok"),
        ("a", 0, 2): (0.0, "ok"),
        ("b", 0, 1): (None, "unscored"),
        ("b", 0, 2): (None, "not_run"),
        ("c", 0, 1): (None, "error"),
        ("c", 0, 2): (None, "not_run"),
    }
    assert cells(table, "style") == {("a", 0, 1): (0.5, "ok"), ("a", 0, 2): (None, "unscored")}


def test_metadata_are_fields(tmp_path: Path) -> None:
    runs = [run(name, 1, said("r", 1), metadata={"topic": "t"}) for name in "ab"]
    assert read(written(tmp_path, json.dumps(runs), "x.json")).cases.fields == {"topic": ("t", "t")}


def test_a_file_that_ends_early_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    whole = (FOLDER / "base.json").read_bytes()
    table = read(written(tmp_path, whole[: len(whole) // 2], "base.json"))
    found = {key: value for key, value in cells(table, "right").items() if value[1] == "ok"}
    assert 0 < len(found) < 18
    assert found.items() <= expected("base", "right").items()
    assert {value[1] for value in cells(table, "right").values()} <= {"ok", "unreadable"}
    assert table.runs[0].state == "partial"
    assert "could be read before that place" in texts(table)[0]


REFUSED = {
    "shape": (json.dumps([run("a", 1, annotations=3)]), "expected `array`, got `int`"),
    "cut": (json.dumps([run("a", 1)])[:60], "The file ends early"),
    "broken": (json.dumps([run("a", 1)])[:-1] + "}", "is no valid JSON"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(tmp_path: Path, name: str) -> None:
    text, problem = REFUSED[name]
    with pytest.raises(LogError, match=f"{name}.json") as caught:
        read(written(tmp_path, text, f"{name}.json"))
    assert problem in str(caught.value)


@pytest.mark.parametrize("head", ['[{"example_id": 1}]', '[{"id": "a", "score": 1}]', "{}", "[]"])
def test_other_lists_are_not_claimed(head: str) -> None:
    assert not READER.claims(Source(path=Path("x.json"), head=head.encode(), is_folder=False))


def test_a_rep_numbered_beyond_all_reason_is_refused(tmp_path: Path) -> None:
    log = tmp_path / "p.json"
    runs: list[dict[str, Any]] = [{"example_id": "a", "repetition_number": 10**9, "annotations": []}]
    log.write_text(json.dumps(runs), encoding="utf-8")
    with pytest.raises(LogError, match="plans 1,000,000,000 runs and holds 1: no eval"):
        read(log)
