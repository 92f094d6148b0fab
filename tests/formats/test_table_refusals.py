"""Plain tables: what is refused, with which words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.errors import ArgumentError, LogError, UnknownFormatError
from evalgauge.formats import ReadOptions, read
from support.read_tables import written

if TYPE_CHECKING:
    from pathlib import Path


# Refusals

REFUSED: list[tuple[str, str | bytes, dict[str, Any], type[Exception], str]] = [
    ("empty.csv", "", {}, LogError, ": is empty. Was the run cut off before it wrote anything?"),
    ("bom.csv", "\ufeff\n\n", {}, LogError, ": is empty. Was the run cut off before it wrote anything?"),
    ("head.csv", "case,score\n", {}, LogError, ": holds column names but no rows. Was the run cut off before its"),
    ("bare.csv", "1,2\n3,4\n", {}, LogError, ", line 1: the first line holds numbers, not column names. Add a header"),
    ("short.csv", "a,b\n1,2\n3\n4,5\n", {}, LogError, ", line 3: holds 1 cell, the header has 2. A quote that is"),
    ("long.csv", "a,b\n1,2,3\n", {}, LogError, ", line 2: holds 3 cells, the header has 2."),
    ("noid.csv", "id,score\na,1\n,0\n", {}, LogError, ", row 2, field 'id': 1 row has no case id. Fill the ids in, or"),
    ("norep.csv", "id,rep,score\na,1,1\na,,0\n", {}, LogError, ", row 2, field 'rep': 1 row has no rep number."),
    ("rep.csv", "rep,score\n1,1\n2,0\n", {}, LogError, ": the table numbers its reps, but no column says which case"),
    ("set.csv", "task,score\na,1\nb,0\n", {}, LogError, ", field 'task': may name the case or the eval set, and no"),
    (
        "conf.csv",
        "id,answer,confidence\na,x,0.5\nb,y,0.7\n",
        {},
        UnknownFormatError,
        ": no column is recognised as the",
    ),
    (
        "class.csv",
        "id,prediction,label\na,1,1\nb,0,1\n",
        {},
        LogError,
        ": holds what was predicted ('prediction') and what is true ('label'), and no score. Add a column 'correct'",
    ),
    (
        "lists.jsonl",
        '{"idx": 1, "gt": 4, "answer": 4, "score": [true, false]}\n{"idx": 2, "gt": 5, "answer": 5, "score": [true]}\n',
        {},
        LogError,
        ", field 'score': holds lists, and which of the numbers counts is not said. Write one row a rep, each with one",
    ),
    (
        "comma.jsonl",
        '{"id": "a", "score": 1},\n{"id": "b", "score": 0},\n',
        {},
        LogError,
        ", line 1: ends with a comma, which JSON Lines do not have. Remove the commas at the ends of the lines, or put",
    ),
    ("none.csv", "case,topic\na,x\nb,y\n", {}, UnknownFormatError, ": no column is recognised as the score. Say which"),
    (
        "map.csv",
        "case,score\na,1\n",
        {"columns": {"case": "cse"}},
        LogError,
        ": --map case=cse names no column. Did you mean 'case'? Columns: 'case', 'score'.",
    ),
    (
        "two.csv",
        "case,metric,a,b\nx,m,1,1\ny,n,0,1\n",
        {},
        UnknownFormatError,
        ", field 'metric': the metric stands in a column, and any of these may hold its score: 'a', 'b'. Say which",
    ),
    (
        "metric.csv",
        "case,metric,a,b\nx,m,1,1\n",
        {"columns": {"score": "a|b", "metric": "metric"}},
        ArgumentError,
        "--map: got \"a metric beside the scores 'a', 'b'\", allowed is one score in each row then. Leave metric=",
    ),
    ("arm.csv", "case,base\na,1\n", {"wide_arms": ("bse",)}, LogError, ": --wide-arms bse names no column. Did"),
    (
        "both.csv",
        "case,a,b\nx,1,1\n",
        {"wide_arms": ("a",), "wide_reps": ("b",)},
        ArgumentError,
        "wide_reps: got 'b', allowed is one of --wide-arms and --wide-reps. A column is an arm or a rep.",
    ),
    (
        "wide.csv",
        "case,a,b\nx,1,1\n",
        {"wide_arms": ("a",), "columns": {"score": "b"}},
        ArgumentError,
        "columns: got 'score=b', allowed is no score column beside --wide-arms. Leave score=… out.",
    ),
    (
        "inf.csv",
        "case,score\na,x\n",
        {"words": {"x": math.inf}},
        ArgumentError,
        "words: got 'x=inf', allowed is a finite number for a word. A word that is no score is called missing: --",
    ),
    (
        "state.csv",
        "id,score,state\na,1,odd\n",
        {"columns": {"status": "state"}},
        LogError,
        ", field 'state': holds words that are no status: 'odd'. Known are ok, error,",
    ),
    ("deep.json", "[" * 100_000, {}, LogError, ": its JSON is nested deeper than any log needs."),
    ("deep.jsonl", '{"a":' * 100_000, {}, LogError, ", line 1: its JSON is nested deeper than any log needs."),
    ("list.json", "[1, 2]", {}, LogError, ": entry 1 of the list is no record. A list of records is read, or an"),
    ("none.json", "[]", {}, LogError, ": holds no record. Was the run cut off before its first case?"),
    ("keys.json", '{"a": {"b": 1}}', {}, UnknownFormatError, ": holds no list of records; its keys are 'a'. A list of"),
    (
        "two.json",
        '{"a": [{"x": 1}], "b": [{"y": 1}]}',
        {},
        LogError,
        ": holds 2 lists of records: 'a', 'b'. Keep one of them.",
    ),
    ("bad.json", '{"a": tru, "b": 1}', {}, LogError, ": is no valid JSON at line 1, column 7"),
    ("mid.jsonl", '{"id": 1}\n{"id":\n{"id": 2}\n', {}, LogError, ", line 2: ends before its record does. Remove the"),
    (
        "list.jsonl",
        '{"id": 1}\n[1]\n',
        {},
        LogError,
        ", line 2: holds a list, a record in braces is needed. One line a",
    ),
    ("cut.parquet", b"PAR1" + b"\0" * 40, {}, LogError, "The file may be cut off: copy or write it again."),
]


@pytest.mark.parametrize(("name", "content", "options", "kind", "text"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refusals(
    tmp_path: Path, name: str, content: str | bytes, options: dict[str, Any], kind: type[Exception], text: str
) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(kind) as refusal:
        read(path, ReadOptions(**options))
    shown = str(refusal.value)
    assert text in shown
    if kind is not ArgumentError:
        assert shown.startswith(str(path))
