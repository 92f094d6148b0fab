"""Which reader reads what, and what a third party's reader can and cannot do to the others."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, Source, read
from evalgauge.formats.registry import framework_readers, known_formats, plain_readers, plugins
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run, ScoreTable

PLUGIN = """
from {here} import DummyReader
READER = DummyReader()
"""

DIST = "Metadata-Version: 2.1\nName: evalgauge-dummy\nVersion: 1\n"


class DummyReader:
    """A third party's reader: files that start with DUMMY."""

    name = "dummy"
    title = "Dummy log"

    def claims(self, source: Source) -> bool:
        if source.head.startswith(b"DUMMY claims"):
            raise RuntimeError("no claim")
        return source.head.startswith((b"DUMMY", b"case,score,dummy"))

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        if b"refuse" in source.head:
            raise LogError(source.name, "is a dummy that is refused.")
        if b"break" in source.head:
            raise RuntimeError("broken")
        builder = TableBuilder()
        run = builder.add_run(Run(run_id="d", set_name="", arm="dummy", framework="dummy", file=source.name))
        score = float(len(options.words))
        builder.add(run=run, case=builder.case_index("one"), rep=1, metric=builder.metric_index("score"), score=score)
        return builder.build()


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch, entries: dict[str, str]) -> None:
    """Install a distribution with these entry points into a folder on the path."""
    module = folder / "evalgauge_dummy.py"
    monkeypatch.setitem(sys.modules, "evalgauge_dummy_home", sys.modules[DummyReader.__module__])
    module.write_text(PLUGIN.format(here="evalgauge_dummy_home") + "NO_READER = object()\n")
    info = folder / "evalgauge_dummy-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(DIST)
    lines = "".join(f"{name} = {target}\n" for name, target in entries.items())
    (info / "entry_points.txt").write_text(f"[evalgauge.readers]\n{lines}")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, "evalgauge_dummy", raising=False)


@pytest.fixture
def dummy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    installed(folder, monkeypatch, {"dummy": "evalgauge_dummy:READER"})
    return tmp_path


def log(folder: Path, text: str, name: str = "x.log") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_frameworks_come_before_plain_tables() -> None:
    assert [reader.name for reader in plain_readers()] == ["parquet", "jsonl", "json", "csv"]
    assert len({reader.name for reader in framework_readers()}) == len(framework_readers()) == 18
    titles = known_formats()
    assert titles[-4:] == ("Parquet table", "JSON lines", "JSON records", "CSV table")
    assert len(set(titles)) == len(titles)


def test_no_two_built_in_readers_claim_one_table(tmp_path: Path) -> None:
    texts = {"a.csv": "case,score\na,1\n", "a.json": '[{"id": 1, "score": 1}]', "a.jsonl": '{"id": 1, "score": 1}\n'}
    for name, text in texts.items():
        path = log(tmp_path, text, name)
        source = Source(path=path, head=path.read_bytes(), is_folder=False)
        assert not [reader.name for reader in framework_readers() if reader.claims(source)]
        assert len([reader.name for reader in plain_readers() if reader.claims(source)]) >= 1
        assert read(path).problems == ()


def test_a_third_party_reader_reads(dummy: Path) -> None:
    assert [plugin.name for plugin in plugins()] == ["dummy"]
    assert "Dummy log" in known_formats()
    table = read(log(dummy, "DUMMY\n"), ReadOptions(words={"a": 1}))
    assert table.runs[0].framework == "dummy"
    assert table.score.tolist() == [1]
    assert table.problems == ()


def test_two_claims_are_reported(dummy: Path) -> None:
    table = read(log(dummy, "case,score,dummy\na,1,x\n", "x.csv"))
    assert table.runs[0].framework == "dummy"
    assert [problem.text for problem in table.problems] == [
        "2 readers claim this log: 'dummy' and 'csv'. It was read as Dummy log."
    ]


def test_a_reader_that_fails_is_passed_over_and_said(dummy: Path) -> None:
    table = read(log(dummy, "case,score,dummy\nbreak,1,x\n", "x.csv"))
    assert table.cases.case_id == ("break",)
    assert [problem.text for problem in table.problems] == [
        "2 readers claim this log: 'dummy' and 'csv'. It was read as Dummy log.",
        "The reader 'dummy' of a third party failed (RuntimeError: broken); the next one was asked.",
    ]


def test_a_refusal_of_a_third_party_counts(dummy: Path) -> None:
    with pytest.raises(LogError, match="is a dummy that is refused"):
        read(log(dummy, "DUMMY refuse\n"))


def test_a_claim_that_raises_is_reported(dummy: Path) -> None:
    table = read(log(dummy, "DUMMY claims,score\na,1\n", "x.csv"))
    assert [problem.text for problem in table.problems][:1] == [
        "The reader 'dummy' of a third party was left out: RuntimeError: no claim."
    ]


def test_broken_plugins_do_not_break_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    entries = {"absent": "evalgauge_no_such_module:READER", "empty": "evalgauge_dummy:NO_READER"}
    installed(folder, monkeypatch, entries)
    table = read(log(tmp_path, "case,score\na,1\n", "x.csv"))
    assert table.score.tolist() == [1]
    assert [problem.text for problem in table.problems] == [
        (
            "The reader 'absent' of a third party was left out: ModuleNotFoundError: No module named "
            "'evalgauge_no_such_module'."
        ),
        "The reader 'empty' of a third party was left out: it has no name, title, claims, read.",
    ]


LOGS = sorted(
    path
    for name in ("inspect", "promptfoo", "junit", "pydantic-evals", "deepeval", "phoenix", "lm-eval-042")
    for path in (Path(__file__).resolve().parent.parent / "fixtures" / name).iterdir()
    if path.is_file()
)


@pytest.mark.parametrize("path", LOGS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_no_two_built_in_readers_claim_one_log(path: Path) -> None:
    source = Source(path=path, head=path.read_bytes()[:8192], is_folder=False)
    assert sum(reader.claims(source) for reader in framework_readers()) <= 1
