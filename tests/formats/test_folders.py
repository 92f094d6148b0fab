"""Folders that hold more than the logs of one framework, and paths that lead nowhere."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, read


@pytest.fixture
def mixed(tmp_path: Path, fixtures: Path) -> Path:
    """A folder with logs of three frameworks, a table and a text."""
    folder = tmp_path / "runs"
    folder.mkdir()
    shutil.copy(fixtures / "inspect" / "small.eval", folder)
    shutil.copy(fixtures / "promptfoo" / "echo.json", folder)
    shutil.copytree(fixtures / "lm-eval" / "base", folder / "lm")
    (folder / "cases.csv").write_text("id,level\na,1\n")
    (folder / "README.md").write_text("hello\n")
    (folder / ".notes.md").write_text("hidden\n")
    return folder


def test_logs_of_all_frameworks_in_a_folder_are_read_once(mixed: Path) -> None:
    table = read(mixed)
    parts = [read(mixed / "small.eval"), read(mixed / "echo.json"), read(mixed / "lm")]
    assert len(table) == sum(map(len, parts))
    assert {run.framework for run in table.runs} == {"inspect", "lm-eval", "promptfoo"}


def test_every_file_that_is_left_out_is_named(mixed: Path) -> None:
    (problem,) = (one for one in read(mixed).problems if one.file == str(mixed))
    assert problem.text == (
        "Left out: 2 files that are no log: README.md, cases.csv. A plain table beside the logs of a framework is read "
        "if it is named itself."
    )
    assert problem.count == 2


def test_totals_without_samples_are_named(tmp_path: Path, fixtures: Path) -> None:
    folder = fixtures / "lm-eval" / "base" / "demo__base-model"
    totals = next(folder.glob("results_*.json"))
    shutil.copy(fixtures / "inspect" / "small.eval", tmp_path)
    shutil.copy(totals, tmp_path)
    assert any(f"no log: {totals.name}." in problem.text for problem in read(tmp_path).problems)


def test_plain_tables_of_a_folder_are_read_and_the_rest_is_named(tmp_path: Path) -> None:
    names = [f"note{number:02}.md" for number in range(60)]
    for name in names:
        (tmp_path / name).write_text("hello\n")
    (tmp_path / "a.csv").write_text("case,score\nq,1\n")
    table = read(tmp_path)
    assert len(table) == 1
    assert [problem.text for problem in table.problems] == [
        f"Left out: 60 files that are no log: {', '.join(names[:50])} and 10 more."
    ]


def test_the_csv_of_promptfoo_is_left_out_beside_its_json(fixtures: Path) -> None:
    table = read(fixtures / "promptfoo")
    (problem,) = (one for one in table.problems if "Left out" in one.text)
    for name in ("prompts2.csv", "repeat1.csv", "repeat3.csv", "echo.xml", "prompts2.junit.xml"):
        assert name in problem.text


def test_a_damaged_log_stops_the_reading_unless_damage_is_tolerated(mixed: Path) -> None:
    (mixed / "broken.json").write_bytes((mixed / "echo.json").read_bytes()[:500])
    (mixed / "echo.json").unlink()
    with pytest.raises(LogError, match=r"broken\.json"):
        read(mixed)
    texts = [problem.text for problem in read(mixed, ReadOptions(tolerant=True)).problems]
    assert any("broken.json" in text and text.endswith("This file is left out.") for text in texts)


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dead").symlink_to("gone.csv")
    (tmp_path / "a.csv").write_text("case,score\nq,1\n")
    for name, text in (
        ("loop", "loop: is a symbolic link that leads back to itself. Point it at the log."),
        ("dead", "dead: is a symbolic link to 'gone.csv', which is not there."),
    ):
        with pytest.raises(LogError) as refusal:
            read(tmp_path / name)
        assert str(refusal.value).endswith(text)
    assert {problem.text for problem in read(tmp_path).problems} == {
        f"The link {str(tmp_path / name)!r} leads to no file and is left out." for name in ("loop", "dead")
    }


def test_a_path_through_a_file_and_a_name_that_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("case,score\nq,1\n")
    with pytest.raises(LogError, match=r"is not there, nor is its folder .*a\.csv'\. Check the path\."):
        read(tmp_path / "a.csv" / "b.csv")
    with pytest.raises(LogError, match=r"cannot be opened: file name too long\. Check the path\."):
        read(tmp_path / ("x" * 300))
    with pytest.raises(LogError, match=r"cannot be opened: embedded null byte\. Check the path\."):
        read(str(tmp_path / "x\0y"))


NO_RIGHT = "cannot be opened: permission denied. Give yourself the right to read it and to enter the folders above it."


def refusing(*paths: Path) -> dict[str, object]:
    """Return functions that open files and folders, all but the given ones: root may open everything."""
    opens, scans = Path.open, os.scandir

    def check(path: object) -> None:
        if Path(os.fspath(path)) in paths:  # type: ignore[arg-type]
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))  # type: ignore[arg-type]

    def open_file(self: Path, *arguments: object, **named: object) -> object:
        check(self)
        return opens(self, *arguments, **named)  # type: ignore[call-overload]

    def scan(path: str) -> object:
        check(path)
        return scans(path)

    return {"pathlib.Path.open": open_file, "os.scandir": scan}


def test_what_may_not_be_read_is_not_called_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "a.csv").write_text("case,score\nq,1\n")
    (inner / "b.csv").write_text("case,score\nq,1\n")
    for closed in (inner, tmp_path / "a.csv"):
        with monkeypatch.context() as patched:
            for name, function in refusing(closed).items():
                patched.setattr(name, function)
            with pytest.raises(LogError) as refusal:
                read(closed)
            assert str(refusal.value) == f"{closed}: {NO_RIGHT}"
    with monkeypatch.context() as patched:
        for name, function in refusing(inner).items():
            patched.setattr(name, function)
        table = read(tmp_path)
    assert len(table) == 1
    assert [problem.text for problem in table.problems] == [
        f"The folder {str(inner)!r} cannot be opened (permission denied): what it holds is left out."
    ]


def test_all_problems_of_the_fixtures_are_sentences(fixtures: Path) -> None:
    for problem in read(fixtures).problems:
        assert problem.text[0].isupper() or problem.text[0].isdigit() or problem.text.startswith(problem.file)
        assert problem.text.endswith((".", "=0"))
