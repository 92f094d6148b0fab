"""Which fields of a case are slices, and that no field gives away what a case asks or expects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.formats import ReadOptions, read, write_table
from evalgauge.formats.case_fields import FieldCollector, grouping_fields

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.scores.table import ScoreTable

TICKETS = [f"The lamp number {number} is broken, who pays?" for number in range(12)]


def test_names_of_content_are_no_slices() -> None:
    named = (
        "question",
        "Answer",
        "gold",
        "inputs.q",
        "reference.a",
        "doc.sentence",
        "targetOutput",
        "choices",
        "output",
    )
    same = ("x", "x", "y", "y")
    assert grouping_fields(dict.fromkeys((*named, "topic", "metadata.level"), same)) == {
        "topic": same,
        "metadata.level": same,
    }


@pytest.mark.parametrize(
    ("values", "is_kept"),
    [
        (("web shop", "web shop", "phone", "phone"), True),
        (("web shop", "by phone", "by mail", "by mail"), False),
        (("web", "phone", "mail", "fax"), True),
        (("0.25", "0.5", "1.25", "3.75"), True),
        (("300", "310", "320", "330"), True),
        (("x" * 41, "y" * 41, "z" * 41, "z" * 41), False),
        (("x" * 121,) * 4, False),
        (("x" * 120,) * 4, True),
        (("この質問は何ですか", "あの質問は何ですか", "だれですか", "なぜですか"), False),
        (("請求", "請求", "配送", "返品"), True),
        (("web shop", None, None, None), True),
        (("web shop", "by phone", None, None), False),
    ],
)
def test_texts_that_hardly_repeat_are_content(values: tuple[str | None, ...], is_kept: bool) -> None:  # noqa: FBT001 (data)
    assert list(grouping_fields({"field": values})) == ["field"] * is_kept
    assert grouping_fields({"field": values}, asked=["field"]) == {"field": values}


def test_a_field_that_holds_the_target_is_none() -> None:
    fields = {"queue": ("cash", "it", None), "topic": ("cash", "it", "app"), "one": ("it", "it", "it")}
    assert list(grouping_fields(fields, targets=["cash", ["it", "bugs"], "app"])) == ["one"]
    assert list(grouping_fields(fields, targets=["cash", "bugs", "app"])) == ["queue", "topic", "one"]
    # Where all cases share one value, it being the target too tells nothing.
    assert list(grouping_fields(fields, targets=["it", "it", "it"])) == ["queue", "topic", "one"]


@given(
    st.lists(
        st.text(st.characters(categories=["L", "N"]), min_size=1).map(lambda word: f"what is {word}"),
        min_size=2,
        unique=True,
    )
)
def test_sentences_of_their_own_are_never_fields(values: list[str]) -> None:
    collector = FieldCollector()
    for case, value in enumerate(values):
        collector.add(case, {"anything": value, "nested": {"thing": value}, "topic": case % 2 == 0})
    assert list(collector.columns(len(values))) == ["topic"]


def lm_eval(folder: Path) -> Path:
    rows = [
        {
            "doc_id": number,
            "doc": {
                "ticket": ticket,
                "sentence": ticket,
                "gold": number % 3,
                "kind": "ab"[number % 2],
                "hit": number % 3,
            },
            "target": str(number % 3),
            "arguments": [],
            "resps": [],
            "filtered_resps": [],
            "acc": 1.0,
        }
        for number, ticket in enumerate(TICKETS)
    ]
    path = folder / "samples_desk_2026-01-01T00-00-00.0.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def promptfoo(folder: Path) -> Path:
    rows: list[dict[str, Any]] = [
        {
            "promptIdx": 0,
            "testIdx": number,
            "success": True,
            "score": 1,
            "namedScores": {},
            "gradingResult": {"componentResults": []},
            "testCase": {
                "vars": {
                    "mail": ticket,
                    "queue": "abc"[number % 3],
                    "team": "abc"[number % 3],
                    "kind": "xy"[number % 2],
                },
                "assert": [{"type": "equals", "value": "{{ queue }}"}],
            },
        }
        for number, ticket in enumerate(TICKETS)
    ]
    path = folder / "results.json"
    path.write_text(json.dumps({"evalId": "e", "results": {"version": 3, "results": rows}}), encoding="utf-8")
    return path


def langsmith(folder: Path) -> Path:
    lines = [f'"{ticket}",said,"{ticket}","{ticket}",{"xy"[number % 2]},1' for number, ticket in enumerate(TICKETS)]
    path = folder / "x.csv"
    path.write_text(
        "inputs.q,outputs.o,reference.a,remark,kind,feedback.ok\n" + "\n".join(lines) + "\n", encoding="utf-8"
    )
    return path


def parquet(folder: Path) -> Path:
    path = folder / "x.parquet"
    pl.read_csv(langsmith(folder)).write_parquet(path)
    return path


@pytest.mark.parametrize("log", [lm_eval, promptfoo, langsmith, parquet])
@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_a_converted_log_holds_no_text_of_a_case(tmp_path: Path, log: Any, suffix: str) -> None:
    table: ScoreTable = read(log(tmp_path))
    assert list(table.cases.fields) == ["kind"]
    written = write_table(table, tmp_path / f"converted{suffix}").read_text(encoding="utf-8")
    assert "lamp" not in written
    assert read(tmp_path / f"converted{suffix}").cases.fields == table.cases.fields


def test_the_fixtures_of_all_frameworks_keep_their_texts(fixtures: Path, tmp_path: Path) -> None:
    for name in ("inspect", "lm-eval", "lm-eval-042", "promptfoo"):
        table = read(fixtures / name)
        written = write_table(table, tmp_path / f"{name}.csv").read_text(encoding="utf-8")
        assert table.cases.contents is not None
        for content in table.cases.contents():
            asked = "" if content is None else json.dumps(content.input, ensure_ascii=False)
            for text in (part for part in asked.split('"') if len(part) > 20):
                assert text not in written


def test_numbers_are_fields_whole_or_not(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,score,latency_ms,cost_usd,tokens,latency\na,1,300,0.01,5,1.25\nb,0,310,0.02,6,1.5\n")
    fields = {
        "latency_ms": ("300", "310"),
        "cost_usd": ("0.01", "0.02"),
        "tokens": ("5", "6"),
        "latency": ("1.25", "1.5"),
    }
    assert read(path).cases.fields == read(pl.read_csv(path)).cases.fields == fields
    assert read(write_table(read(path), tmp_path / "y.parquet")).cases.fields == fields


def test_a_column_that_is_mapped_is_a_field_whatever_it_holds(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("id,score,question,note\na,1,who is it?,one two\nb,0,what is it?,three four\n")
    assert read(path).cases.fields == {}
    asked = ReadOptions(columns={"note": "note", "text": "question"})
    assert read(path, asked).cases.fields == {"note": ("one two", "three four"), "text": ("who is it?", "what is it?")}


@pytest.mark.parametrize(
    ("header", "columns", "n_cases", "fields"),
    [
        ("case", {"foo": "case"}, 2, {"foo": ("a", "b")}),
        ("example_id", {"foo": "example_id"}, 2, {"foo": ("a", "b")}),
        ("id", {"case": "id", "foo": "id"}, 2, {"foo": ("a", "b")}),
        # A document may well be the cluster of several cases, and the name of a topic.
        ("doc", {"cluster": "doc"}, 4, {"cluster": ("a", "a", "b", "b")}),
        ("name", {"topic": "name"}, 4, {"topic": ("a", "a", "b", "b")}),
    ],
)
def test_a_column_may_name_the_case_and_a_slice(
    tmp_path: Path, header: str, columns: dict[str, str], n_cases: int, fields: dict[str, Any]
) -> None:
    path = tmp_path / "x.csv"
    path.write_text(f"{header},score\na,1\na,0\nb,1\nb,1\n")
    table = read(path, ReadOptions(columns=columns))
    assert (len(table.cases), table.cases.fields) == (n_cases, fields)


def test_a_slice_beside_another_id_leaves_the_id_alone(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("case,user_id,score\n1,a,1\n2,a,0\n3,b,1\n")
    table = read(path, ReadOptions(columns={"user": "user_id"}))
    assert table.cases.case_id == ("1", "2", "3")
    assert table.cases.fields == {"user": ("a", "a", "b")}
