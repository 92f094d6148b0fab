"""What a user can name: paths, patterns, folders, stdin, packed files, several logs; and what is refused by name."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading
import zipfile
from contextlib import chdir
from typing import TYPE_CHECKING

import numpy as np
import pytest

from evalgauge.errors import ArgumentError, LogError, UnknownFormatError
from evalgauge.formats import read, write_table
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import CaseContent, Run, ScoreTable

if TYPE_CHECKING:
    from pathlib import Path

CSV = b"case,score\na,1\nb,0\n"
JSONL = b'{"case": "a", "score": 1}\n{"case": "b", "score": 0}\n'


class Stdin:
    """stdin with bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


@pytest.mark.parametrize("data", [CSV, JSONL, b'[{"case": "a", "score": 1}, {"case": "b", "score": 0}]'])
def test_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    table = read("-")
    assert table.score.tolist() == [1, 0]
    assert table.runs[0].arm == "stdin"
    assert table.runs[0].file == "-"


def test_errors_name_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(b""))
    with pytest.raises(LogError, match=r"^-: is empty"):
        read("-")


@pytest.mark.parametrize(("name", "data"), [("base.csv.gz", CSV), ("base.jsonl.gz", JSONL)])
def test_gzip(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(gzip.compress(data))
    table = read(path)
    assert table.cases.case_id == ("a", "b")
    assert table.runs[0].arm == "base"
    assert table.runs[0].file == str(path)


def test_a_cut_gzip_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "base.csv.gz"
    path.write_bytes(gzip.compress(CSV * 100)[:-12])
    with pytest.raises(LogError, match=r"base\.csv\.gz: is a gzip file that is cut off or damaged: .*Copy it again\."):
        read(path)


def test_folder_and_pattern(tmp_path: Path) -> None:
    for name in ("base", "new"):
        (tmp_path / f"{name}.csv").write_bytes(CSV)
    (tmp_path / "notes.md").write_text("hello\n")
    (tmp_path / "settings.json").write_text('{"a": {"b": 1}}')
    (tmp_path / ".hidden.csv").write_bytes(b"broken")
    table = read(tmp_path)
    assert [run.arm for run in table.runs] == ["base", "new"]
    assert [problem.text for problem in table.problems] == [
        "Left out: 2 files that are no log: notes.md, settings.json."
    ]
    assert [run.arm for run in read(str(tmp_path / "*.csv")).runs] == ["base", "new"]


def test_a_damaged_log_in_a_folder_stops_the_reading(tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_bytes(CSV)
    (tmp_path / "new.csv").write_bytes(b"case,score\na,1\nb\nc,1\n")
    with pytest.raises(LogError, match=r"new\.csv, line 3: holds 1 cell"):
        read(tmp_path)


def test_a_file_name_with_pattern_signs(tmp_path: Path) -> None:
    path = tmp_path / "run[1].csv"
    path.write_bytes(CSV)
    assert len(read(str(path))) == 2
    assert len(read(write_table(read(path), tmp_path / "a*b?.parquet"))) == 2


def test_a_score_table_is_returned_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_bytes(CSV)
    table = read(tmp_path / "base.csv")
    assert read(table) is table


def test_several_logs_keep_their_cases_apart(tmp_path: Path) -> None:
    (tmp_path / "base.csv").write_bytes(CSV)
    (tmp_path / "new.jsonl").write_bytes(JSONL)
    both = read([tmp_path / "base.csv", read(tmp_path / "new.jsonl")])
    assert both.cases.case_id == ("a", "b", "a", "b")
    assert both.case.tolist() == [0, 1, 2, 3]
    assert both.run.tolist() == [0, 0, 1, 1]
    assert [metric.name for metric in both.metrics] == ["score"]


def one_table(arm: str, *, better: bool | None, high: float | None, scheme: str = "") -> ScoreTable:
    builder = TableBuilder()
    run = builder.add_run(Run(run_id="same", set_name="", arm=arm, framework="table", file=""))
    builder.hash_scheme = scheme
    metric = builder.metric_index("m", high=high, higher_is_better=better)
    case = builder.case_index(
        "1", content=CaseContent(input=arm) if better else None, source_hash="h", fields={arm: "x"}
    )
    builder.add(run=run, case=case, rep=1, metric=metric, score=1, raw=arm if better else None)
    return builder.build()


def test_concatenation_merges_what_agrees_and_keeps_the_rest_apart() -> None:
    joined = concatenated([one_table("a", better=True, high=1), one_table("b", better=None, high=None)])
    assert (joined.metrics[0].high, joined.metrics[0].higher_is_better) == (None, True)
    assert [run.run_id for run in joined.runs] == ["same", "same-2"]
    assert joined.cases.fields == {"a": ("x", None), "b": (None, "x")}
    assert joined.raw == ("a", None)
    assert joined.cases.contents is not None
    assert joined.cases.contents() == [CaseContent(input="a"), None]
    against = concatenated([one_table("a", better=True, high=1), one_table("b", better=False, high=1)])
    assert (against.metrics[0].high, against.metrics[0].higher_is_better) == (1, None)


def test_concatenation_keeps_source_hashes_of_one_scheme_only() -> None:
    same = concatenated([one_table(arm, better=None, high=None, scheme="s") for arm in "ab"])
    assert same.cases.source_hash == ("h", "h")
    mixed = concatenated([one_table(arm, better=None, high=None, scheme=arm) for arm in "ab"])
    assert mixed.cases.source_hash is None


def test_concatenation_is_associative_and_needs_a_table() -> None:
    one, two, three = (one_table(arm, better=True, high=None) for arm in "abc")
    left, right = concatenated([concatenated([one, two]), three]), concatenated([one, concatenated([two, three])])
    for name in ("run", "case", "rep", "metric", "score", "status"):
        np.testing.assert_array_equal(getattr(left, name), getattr(right, name))
    assert left.cases.case_id == right.cases.case_id
    with pytest.raises(ArgumentError, match=r"tables: got \[\], allowed is at least one table\."):
        concatenated([])


# Refusals


def xlsx(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")


def cut_zip(path: Path) -> None:
    xlsx(path)
    path.write_bytes(path.read_bytes()[:-30])


def cut_parquet(path: Path) -> None:
    builder = TableBuilder()
    run = builder.add_run(Run(run_id="r", set_name="", arm="a", framework="table", file=""))
    builder.add(run=run, case=builder.case_index("1"), rep=1, metric=builder.metric_index("m"), score=1)
    write_table(builder.build(), path)
    path.write_bytes(path.read_bytes()[:-40])


REFUSED = [
    ("empty.parquet", lambda path: path.write_bytes(b""), LogError, ": is empty. Was the run cut off before it wrote"),
    (
        "x.zip",
        cut_zip,
        LogError,
        ": is a zip archive that is cut off. Its list of members, which stands at the end, is",
    ),
    ("x.parquet", cut_parquet, LogError, "cannot be read: Invalid"),
    ("x.xlsx", xlsx, UnknownFormatError, ": is an Excel workbook. Save the sheet as CSV."),
    (
        "promptfoo.db",
        lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 100),
        UnknownFormatError,
        ": is a SQLite database, and not promptfoo's. Export its scores as CSV or JSON lines.",
    ),
    (
        "x.pkl",
        lambda path: path.write_bytes(b"\x80\x04\x95"),
        UnknownFormatError,
        ": looks like a Python pickle, which",
    ),
    (
        "x.feather",
        lambda path: path.write_bytes(b"ARROW1\0\0"),
        UnknownFormatError,
        ": is an Arrow (Feather) file. Read",
    ),
    (
        "x.csv",
        lambda path: path.write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n"),
        LogError,
        ": is only the pointer of a Git LFS file. Fetch the file itself: git lfs pull",
    ),
    (
        "x.bin",
        lambda path: path.write_bytes(bytes(range(32))),
        UnknownFormatError,
        "Parquet table, JSON lines, JSON records, CSV table; .gz of these; data frames in Python.",
    ),
    ("x.html", lambda path: path.write_text("<html>,</html>"), UnknownFormatError, ": is in no format that is known."),
]


@pytest.mark.parametrize(("name", "write", "kind", "text"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refusals(tmp_path: Path, name: str, write: object, kind: type[LogError], text: str) -> None:
    path = tmp_path / name
    assert callable(write)
    write(path)
    with pytest.raises(kind) as refusal:
        read(path)
    assert str(refusal.value).startswith(str(path))
    assert text in str(refusal.value)


def test_missing_paths(tmp_path: Path) -> None:
    (tmp_path / "baseline.csv").write_bytes(CSV)
    with pytest.raises(LogError) as close:
        read(tmp_path / "basline.csv")
    assert str(close.value).endswith(f"is not there. Did you mean {str(tmp_path / 'baseline.csv')!r}?")
    with pytest.raises(LogError, match=r"is not there\. In '.*' there are: baseline\.csv\."):
        read(tmp_path / "zzz")
    with pytest.raises(LogError, match=r"is not there, nor is its folder '.*gone'\. Check the path\."):
        read(tmp_path / "gone" / "x.csv")
    with pytest.raises(LogError, match=r"no file matches this pattern\. In '.*' there are: baseline\.csv\."):
        read(str(tmp_path / "*.eval"))


def test_folders_without_logs(tmp_path: Path) -> None:
    with pytest.raises(UnknownFormatError, match=r"is an empty folder\. Read are: "):
        read(tmp_path)
    (tmp_path / "a.md").write_text("hello")
    with pytest.raises(UnknownFormatError, match=r"holds no log: a\.md cannot be read\. Read are: "):
        read(tmp_path)


def test_no_source_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"source: got \[\], allowed is at least one path or data frame\."):
        read([])


@pytest.mark.parametrize("data", [CSV, JSONL, gzip.compress(CSV)], ids=["csv", "jsonl", "gzip"])
def test_a_pipe_with_a_name_is_read_once(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "run.pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(data,))
    writer.start()
    table = read(path)
    writer.join()
    assert table.score.tolist() == [1, 0]
    assert table.runs[0].file == str(path)


def test_an_empty_name_is_not_the_folder_one_stands_in(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_bytes(CSV)
    with chdir(tmp_path):
        for name in ("", "  "):
            with pytest.raises(ArgumentError, match=r"For the logs in this folder write a dot\."):
                read(name)
        assert len(read(".")) == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("https://example.com/run.eval", "is an address, and only files are read. Download it first"),
        ("s3://bucket/run.csv", "is an address, and only files are read. Download it first"),
        ("file:///tmp/run.csv", "is an address, and only files are read. Name the path alone."),
        ("RUN.CSV", "Did you mean 'run.csv'?"),
        ("Rum.csv", "Did you mean 'run.csv'?"),
    ],
)
def test_names_that_are_nearly_right(tmp_path: Path, name: str, text: str) -> None:
    (tmp_path / "run.csv").write_bytes(CSV)
    with chdir(tmp_path), pytest.raises(LogError) as refusal:
        read(name)
    assert text in str(refusal.value)


def test_hidden_folders_are_not_entered(tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_bytes(CSV)
    for name in (".cache", "__pycache__"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "other.csv").write_bytes(CSV)
    assert read(tmp_path).runs[0].file == str(tmp_path / "run.csv")
    assert read(tmp_path).problems == ()
