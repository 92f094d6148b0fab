"""Plain tables as CSV and JSON: delimiters, encodings, damage."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, Source, read
from evalgauge.formats.columns import Words
from evalgauge.formats.csv_table import csv_cells, delimiter_of
from evalgauge.formats.plain_text import encoding_of
from evalgauge.scores.table import Status
from support.read_tables import texts, written

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.formats.columns import Table


# CSV


def source_of(path: Path) -> Source:
    return Source(path=path, head=path.read_bytes()[:8192], is_folder=False)


def cell_lists(table: Table) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for column in table.columns:
        assert isinstance(column, Words)
        values = [*column.values, None]
        found[column.name] = [values[code] for code in column.codes.tolist()]
    return found


@pytest.mark.parametrize(
    "text",
    [
        'id,score,note\na,1,plain\nb,0,"with, comma"\nc,,"two\nlines"\n',
        'id;score;note\na;0,5;"say ""hi"""\nb;1;x\n',
        'id\tscore\tnote\n 007 \t 1 \t "q"\n1e5\t0\t\n',
        "\ufeffid,score,note\r\na,1,x\r\nb,0,y\r\n",
        "id|score|note\na|1|x\n\nb|0|y\n||\nc|1|z\n",
        'id,score,note\na,1,x\n"",,\nb,0,NA\n',
    ],
)
def test_engine_and_csv_module_give_the_same_cells(tmp_path: Path, text: str) -> None:
    source = source_of(written(tmp_path, text))
    by_line, by_engine = csv_cells(source), csv_cells(source, engine_above=0)
    assert cell_lists(by_engine) == cell_lists(by_line)
    assert by_engine.problems == by_line.problems
    assert by_engine.n_rows == by_line.n_rows


CELL = st.text(
    st.characters(
        codec="utf-8", exclude_characters="\0\r\x1c\x1d\x1e\x85\u2028\u2029", exclude_categories=["Cs", "Cc"]
    ),
    max_size=6,
)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=12))
def test_engine_and_csv_module_agree_on_any_cells(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in pair) for pair in cells]
    path = written(tmp_path_factory.mktemp("csv"), "id,score\n" + "\n".join(quoted) + "\n")
    source = source_of(path)
    assert cell_lists(csv_cells(source, engine_above=0)) == cell_lists(csv_cells(source))


def test_what_the_engine_cannot_read_the_csv_module_reads(tmp_path: Path) -> None:
    lines = "id,score,x\na,1,y,\nb,0,z\n"
    source = source_of(written(tmp_path, lines))
    assert cell_lists(csv_cells(source, engine_above=0)) == cell_lists(csv_cells(source))


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n0,5;1,5\n", ";"),
        ("a\tb\n1,0\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a\n1\n", None),
        ("Dear all, hello.\nThis is a letter.\nIt has, as it were, commas.\nBye\n", None),
    ],
)
def test_delimiter(text: str, delimiter: str | None) -> None:
    assert delimiter_of(text) == delimiter


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = "id;score\nM\u00fcller;0,5\n"
    data = text.encode(encoding)
    path = written(tmp_path, b"\xff\xfe" + data if encoding == "utf-16-le" else data)
    table = read(path)
    assert table.cases.case_id == ("M\u00fcller",)
    assert table.score.tolist() == [0.5]
    said = ["The file is not UTF-8 and was read as Windows-1252: check names with accents, or save it as UTF-8."]
    assert texts(table) == (said if encoding == "cp1252" else [])


def test_one_bad_byte_far_down_decides_the_encoding(tmp_path: Path) -> None:
    path = written(tmp_path, b"id,score\n" + b"a,1\n" * 600_000 + b"\xe9,1\n")
    assert encoding_of(path) == "cp1252"


def test_double_headers_are_numbered(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,accuracy,accuracy,accuracy\na,1,0,0\n"))
    # Two columns of one name may be two arms or two metrics: neither is dropped, and the question asks which.
    assert [metric.name for metric in table.metrics] == ["accuracy", "accuracy (2)", "accuracy (3)"]
    assert texts(table) == ["Column names that occur twice were numbered: accuracy, accuracy."]


def test_blank_rows_are_left_out_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,score\na,1\n,\nb,0\n"))
    assert table.cases.case_id == ("a", "b")
    assert texts(table) == ["1 row is blank and was left out."]


def test_tolerant_leaves_odd_lines_out(tmp_path: Path) -> None:
    path = written(tmp_path, "id,score\na,1\nb\nc,0,9\nd,1\n")
    table = read(path, ReadOptions(tolerant=True))
    assert table.cases.case_id == ("a", "d")
    assert texts(table) == ["Left out: 2 lines with another number of cells than the header (first: line 3)."]


def test_a_cut_last_line_is_left_out_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,topic,score\na,x,1\nb,y"))
    assert table.cases.case_id == ("a",)
    assert texts(table) == ["The last line (line 3) is cut off and was left out."]


def test_very_long_cells(tmp_path: Path) -> None:
    table = read(written(tmp_path, f"id,input,score\na,{'x' * 300_000},1\n"))
    assert table.cases.contents is not None
    (content,) = table.cases.contents()
    assert content is not None
    assert content.input == "x" * 300_000


# JSON


def test_json_lines_with_nan_and_nested_keys(tmp_path: Path) -> None:
    lines = '{"id": 1, "scores": {"acc": 1, "f1": NaN}, "metadata": {"topic": "x"}}\n\n'
    lines += '{"id": 2, "scores": {"acc": 0, "f1": 0.5}}\n'
    table = read(written(tmp_path, lines, "log.jsonl"))
    assert [metric.name for metric in table.metrics] == ["scores.acc", "scores.f1"]
    assert table.status.tolist() == [0, 0, Status.UNSCORED, 0]
    assert table.cases.fields == {"topic": ("x", None)}


@pytest.mark.parametrize(
    "document",
    [
        [{"id": "a", "score": 1}, {"id": "b", "score": 0}],
        {"results": [{"id": "a", "score": 1}, {"id": "b", "score": 0}], "config": {"k": 1}},
        {"notes": [{"x": 1}], "results": [{"id": "a", "score": 1}, {"id": "b", "score": 0}]},
    ],
)
def test_json_documents(tmp_path: Path, document: Any) -> None:
    table = read(written(tmp_path, json.dumps(document), "log.json"))
    assert table.cases.case_id == ("a", "b")
    pretty = read(written(tmp_path, json.dumps(document, indent=2), "log.txt"))
    assert pretty.score.tolist() == [1, 0]


def test_json_lines_are_known_without_their_suffix(tmp_path: Path) -> None:
    table = read(written(tmp_path, '{"id": 1, "score": 1}\n{"id": 2, "score": 0}\n', "log.json"))
    assert table.cases.case_id == ("1", "2")
    assert read(written(tmp_path, '{"id": 1, "score": 1}\n', "one.json")).cases.case_id == ("1",)


@pytest.mark.parametrize("place", ["head", "body"])
def test_bytes_that_are_no_utf16_are_refused(tmp_path: Path, place: str) -> None:
    head, body = "case,score\n".encode("utf-16-le"), "".join(f"q{n},1\n" for n in range(90)).encode("utf-16-le")
    lone = b"\x00\xd8a\x00"
    data = lone + head + body if place == "head" else head + body + lone
    with pytest.raises(LogError, match="no UTF-16 text"):
        read(written(tmp_path, b"\xff\xfe" + data))
    with pytest.raises(LogError):
        read(written(tmp_path, b"\xff\xfe" + head + body + b"x"))


def test_json_lines_in_utf16(tmp_path: Path) -> None:
    lines = '{"id": "\u00e9", "score": 1}\n{"id": "b", "score": 0}\n'
    assert read(written(tmp_path, lines.encode("utf-16"), "log.jsonl")).cases.case_id == ("\u00e9", "b")


@pytest.mark.parametrize("name", ["log.jsonl", "log.json"])
def test_a_cut_json_file_is_read_as_far_as_it_goes(tmp_path: Path, name: str) -> None:
    records = ['{"id": 1, "score": 1}', '{"id": 2, "score": 0}', '{"id": 3, "sco']
    text = "\n".join(records) if name == "log.jsonl" else '{"results": [' + ", ".join(records)
    table = read(written(tmp_path, text, name))
    assert table.cases.case_id == ("1", "2")
    assert len(table.problems) == 1
    assert "cut off" in table.problems[0].text


def test_tolerant_json_lines(tmp_path: Path) -> None:
    path = written(tmp_path, '{"id": 1, "score": 1}\nTraceback!\n{"id": 2, "score": 0}\n', "log.jsonl")
    table = read(path, ReadOptions(tolerant=True))
    assert table.cases.case_id == ("1", "2")
    assert texts(table) == ["Left out: 1 line that cannot be read as JSON records (first: line 2)."]


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    path = written(tmp_path, '{"id": 1, "score": 1}\n' * 25_000, "log.jsonl")
    told: list[tuple[int, int]] = []
    read(path, ReadOptions(progress=lambda done, total: told.append((done, total))))
    size = path.stat().st_size
    assert told == [(size * 10 // 25, size), (size * 20 // 25, size), (size, size)]
