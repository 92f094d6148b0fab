"""What is written is read back without loss, never half-written, and never holds the content of a case."""

from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, LogError
from evalgauge.formats import read, write_table, writers
from evalgauge.formats.converted import COLUMNS
from evalgauge.formats.score_limits import LARGEST
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.concat import concatenated
from evalgauge.scores.identity import fingerprints
from evalgauge.scores.table import CaseContent, Run, ScoreTable, Status

SUFFIXES = (".parquet", ".csv", ".jsonl")
ASKED = "What is the secret of the holdout?"


def table() -> ScoreTable:
    builder = TableBuilder()
    builder.hash_scheme = "doc"
    runs = [
        builder.add_run(
            Run(
                run_id="r1",
                set_name="faq",
                set_version="2",
                arm=arm,
                framework="inspect",
                framework_version="0.3",
                file="x.eval",
                state="partial",
                attempt_of="task-1",
                created="2026-01-01T00:00:00",
                rep_source="explicit",
                rep_kind="judge",
                planned_cases=3,
                planned_reps=2,
                arm_detail={"temperature": "0.5", "model": arm},
            )
        )
        for arm in ("base", "new")
    ]
    accuracy = builder.metric_index("accuracy", low=0, high=1, higher_is_better=True)
    word = builder.metric_index('verdict, "quoted"')
    for number, (case_id, dup) in enumerate([("007", 0), ("007", 1), ("1e5", 0)]):
        case = builder.case_index(
            case_id,
            dup=dup,
            content=CaseContent(input=f"{ASKED} {number}", target=ASKED),
            source_hash=f"h{number}",
            fields={"topic": ["x", None, "z\u00e9"][number], "rep": "odd", "field.a": "b"},
        )
        for run in runs:
            for rep in (1, 2):
                status = [Status.OK, Status.ERROR, Status.NOT_RUN][number]
                score = 1 / 3 if status == Status.OK else None
                builder.add(run=run, case=case, rep=rep, metric=accuracy, score=score, status=status)
                builder.add(run=run, case=case, rep=rep, metric=word, score=None, raw="both")
    return builder.build()


def described(found: ScoreTable) -> list[tuple[Any, ...]]:
    """Return every row with all that belongs to it, the file and the contents left out."""
    prints = fingerprints(found.cases)
    fields = sorted(found.cases.fields)
    hashes = found.cases.source_hash or (None,) * len(found.cases)
    return [
        (
            replace(found.runs[run], file=""),
            found.metrics[metric],
            found.cases.case_id[case],
            int(found.cases.dup[case]),
            prints.case_fp[case],
            prints.input_fp[case],
            hashes[case],
            found.cases.source_hash_scheme,
            found.cases.id_is_row_number,
            tuple((name, found.cases.fields[name][case]) for name in fields),
            rep,
            repr(score),
            status,
            None if found.raw is None else found.raw[row],
        )
        for row, (run, metric, case, rep, score, status) in enumerate(
            zip(
                found.run.tolist(),
                found.metric.tolist(),
                found.case.tolist(),
                found.rep.tolist(),
                found.score.tolist(),
                found.status.tolist(),
                strict=True,
            )
        )
    ]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_round_trip_of_a_log_with_everything(tmp_path: Path, suffix: str) -> None:
    before = table()
    after = read(write_table(before, tmp_path / f"x{suffix}"))
    assert described(after) == described(before)
    assert after.case.tolist() == before.case.tolist()
    assert after.problems == ()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_round_trip_of_two_logs_with_equal_ids(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,input,score\n1,x,1\n2,y,\n")
    again = tmp_path / "b.csv"
    again.write_text(path.read_text())
    before = concatenated([read(path), read(again)])
    after = read(write_table(before, tmp_path / f"x{suffix}"))
    assert described(after) == described(before)
    assert after.case.tolist() == before.case.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_round_trip_of_numbered_rows(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text("score\n1\n0\n")
    before = read(path)
    after = read(write_table(before, tmp_path / f"x{suffix}"))
    assert after.cases.id_is_row_number
    assert described(after) == described(before)


WORD = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1, max_size=5)


@given(
    st.lists(
        st.tuples(WORD, st.integers(1, 3), st.one_of(st.none(), st.floats(-LARGEST, LARGEST))),
        min_size=1,
        max_size=12,
        unique_by=lambda row: row[:2],
    ),
    st.sampled_from(SUFFIXES),
)
def test_round_trip_of_any_scores(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, int, float | None]], suffix: str
) -> None:
    builder = TableBuilder()
    run = builder.add_run(Run(run_id="r", set_name="", arm="a", framework="table", file="", rep_source="explicit"))
    metric = builder.metric_index("m")
    for case_id, rep, score in entries:
        builder.add(run=run, case=builder.case_index(case_id), rep=rep, metric=metric, score=score)
    before = builder.build()
    after = read(write_table(before, tmp_path_factory.mktemp("w") / f"x{suffix}"))
    assert described(after) == described(before)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_hashes_are_written_and_contents_are_not(tmp_path: Path, suffix: str) -> None:
    path = write_table(table(), tmp_path / f"x{suffix}")
    assert b"secret" not in path.read_bytes()
    fingerprint = fingerprints(table().cases).case_fp[0]
    assert fingerprint is not None
    after = read(path)
    assert after.cases.case_fp is not None
    assert after.cases.case_fp[0] == fingerprint
    assert after.cases.contents is None


def test_the_columns_of_a_plain_table(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("id,score,topic\na,1,x\n")
    text = write_table(read(source), tmp_path / "x.csv").read_text()
    assert text.splitlines()[0] == ",".join([*COLUMNS, "topic"])


def test_a_file_is_not_replaced_unless_asked(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("mine")
    with pytest.raises(ArgumentError) as refusal:
        write_table(table(), path)
    assert str(refusal.value) == (
        f"output: got {str(path)!r}, allowed is a file that is not there yet. Choose another name, or replace the "
        "file: --overwrite (overwrite=True)."
    )
    assert path.read_text() == "mine"
    write_table(table(), path, overwrite=True)
    assert len(read(path)) == len(table())


def test_other_endings_and_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"allowed is a file that ends in \.parquet, \.csv, \.jsonl or \.json\."):
        write_table(table(), tmp_path / "x.xlsx")
    with pytest.raises(
        ArgumentError, match=r"allowed is a file in a folder that exists\. Make the folder first: .*no$"
    ):
        write_table(table(), tmp_path / "no" / "x.csv")


def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_columns: object, path: Path) -> None:
        path.write_text("half")
        raise RuntimeError("disk full")

    monkeypatch.setitem(writers._WRITERS, ".csv", breaks)
    (tmp_path / "x.csv").write_text("mine")
    with pytest.raises(RuntimeError, match="disk full"):
        write_table(table(), tmp_path / "x.csv", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]
    assert (tmp_path / "x.csv").read_text() == "mine"


def test_a_folder_is_no_place_for_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.csv").mkdir()
    for folder in (tmp_path, tmp_path / "x.csv"):
        with pytest.raises(ArgumentError) as refusal:
            write_table(table(), folder, overwrite=True)
        assert str(refusal.value) == (
            f"output: got {str(folder)!r}, allowed is the name of a file. This is a folder: add a file name, such as "
            f"{folder / 'scores.parquet'}"
        )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (errno.EACCES, "allowed is a file that may be written (the system says: Permission denied). Choose another"),
        (errno.EROFS, "allowed is a file that may be written (the system says: Read-only file system). Choose another"),
        (errno.ENOSPC, "allowed is a file on a disk with room for it (the system says: No space left on device). Make"),
        (
            errno.EIO,
            "allowed is a file that can be written (the system says: Input/output error). Choose another place.",
        ),
    ],
)
@pytest.mark.parametrize("step", ["tempfile.mkstemp", "os.umask", "pathlib.Path.replace", "pathlib.Path.exists"])
def test_what_the_system_refuses_is_an_error_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, text: str, step: str
) -> None:
    def refuses(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(step, refuses)
    with pytest.raises(ArgumentError) as refusal:
        write_table(table(), tmp_path / "x.csv")
    assert f"output: got {str(tmp_path / 'x.csv')!r}, {text}" in str(refusal.value)
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_full_disk_is_an_error_text(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, suffix: str) -> None:
    write = writers._WRITERS[suffix]
    monkeypatch.setitem(writers._WRITERS, suffix, lambda columns, _path: write(columns, Path("/dev/full")))
    with pytest.raises(ArgumentError, match=r"allowed is a file on a disk .* No space left on device\)\. Make room"):
        write_table(table(), tmp_path / f"x{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name != "posix", reason="rights of POSIX")
def test_the_file_has_the_rights_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    path = write_table(table(), tmp_path / "x.csv")
    assert path.stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize(
    ("column", "cell", "text"),
    [
        ("status", "fine", "field 'status': holds 'fine', allowed is one of ok, error, unscored, skipped, cancelled,"),
        ("rep", "first", "field 'rep': holds 'first', allowed is a whole number."),
        ("rep", "2", "row 2: holds a run, case, rep and metric that an earlier row holds. Every row of a converted"),
    ],
)
def test_converted_logs_that_were_edited_are_checked(tmp_path: Path, column: str, cell: str, text: str) -> None:
    source = tmp_path / "a.csv"
    source.write_text("id,rep,score\na,1,1\na,2,0\n")
    lines = [line.split(",") for line in write_table(read(source), tmp_path / "x.csv").read_text().splitlines()]
    lines[1][lines[0].index(column)] = cell
    (tmp_path / "x.csv").write_text("\n".join(",".join(line) for line in lines) + "\n")
    with pytest.raises(LogError) as refusal:
        read(tmp_path / "x.csv")
    assert text in str(refusal.value)


def test_null_scores_are_null_for_other_tools(tmp_path: Path) -> None:
    import duckdb  # noqa: PLC0415 (only this test asks DuckDB itself)

    path = write_table(table(), tmp_path / "x.parquet")
    query = "SELECT count(*), count(score), count_if(isnan(score)), typeof(any_value(raw)) FROM read_parquet($file)"
    counts = duckdb.sql(query, params={"file": str(path)})
    scored = int(np.isfinite(table().score).sum())
    assert counts.fetchall() == [(len(table()), scored, 0, "VARCHAR")]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_contents_are_written_only_where_asked_for(tmp_path: Path, suffix: str) -> None:
    before = table()
    plain = write_table(before, tmp_path / f"plain{suffix}")
    assert ASKED.encode() not in plain.read_bytes()
    assert read(plain).cases.contents is None
    full = write_table(before, tmp_path / f"full{suffix}", with_content=True)
    after = read(full)
    assert after.cases.contents is not None
    assert before.cases.contents is not None
    assert after.cases.contents() == before.cases.contents()
    assert described(after) == described(before)


@given(
    st.lists(
        st.none()
        | st.builds(
            CaseContent,
            input=st.text(max_size=5) | st.lists(st.dictionaries(st.just("role"), st.text(max_size=3))) | st.integers(),
            choices=st.none() | st.tuples(st.text(max_size=3), st.just("b")),
            target=st.none() | st.floats(0, 1) | st.text(max_size=5),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_every_content_comes_back(contents: list[CaseContent | None]) -> None:
    builder = TableBuilder()
    run = builder.add_run(Run(run_id="r", set_name="", arm="a", framework="table", file="x"))
    for number, content in enumerate(contents):
        case = builder.case_index(f"c{number}", content=content)
        builder.add(run=run, case=case, rep=1, metric=builder.metric_index("m"), score=1)
    with TemporaryDirectory() as folder:
        found = read(write_table(builder.build(), Path(folder) / "x.jsonl", with_content=True)).cases.contents
        got = [None] * len(contents) if found is None else list(found())
    assert got == contents


def test_a_content_that_is_no_json_is_refused_by_name(tmp_path: Path) -> None:
    path = write_table(table(), tmp_path / "x.csv", with_content=True)
    path.write_text(path.read_text(encoding="utf-8").replace('"""', '"'), encoding="utf-8")
    contents = read(path).cases.contents
    assert contents is not None
    with pytest.raises(LogError, match=r"x\.csv: holds a content that is no JSON: 'What is"):
        contents()
