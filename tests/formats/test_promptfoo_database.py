"""promptfoo's database: every eval of it against the output file of the same run, older forms, and what is refused."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.promptfoo_database import READER
from support.logs import cells, problems, read_log, source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
DATABASE = FIXTURES / "promptfoo-database" / "promptfoo.db.gz"
SETS = {"busy service": "errors", "two prompts": "prompts2"}


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "promptfoo.db"
    path.write_bytes(gzip.decompress(DATABASE.read_bytes()))
    return path


def changed(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def indices(path: Path) -> list[str]:
    """Return what drops the indices over JSON and single columns, which watch over what is written."""
    with closing(sqlite3.connect(path)) as connection:
        names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL").fetchall()
    return [f'DROP INDEX "{name}"' for (name,) in names]


def of_run(table: Any, set_name: str, arm: str, metric: str) -> list[float | str]:
    """Return what became of each run of an arm, by case and rep."""
    kept = [place for place in range(len(table)) if table.runs[table.run[place]].set_name == set_name]
    rows = [place for place in kept if table.runs[table.run[place]].arm == arm]
    rows = [place for place in rows if table.metrics[table.metric[place]].name == metric]
    rows.sort(key=lambda place: (int(table.case[place]), int(table.rep[place])))
    return [int(table.status[place]) if table.status[place] else float(table.score[place]) for place in rows]


@pytest.mark.parametrize("set_name", sorted(SETS))
def test_scores_are_those_of_the_output_file(set_name: str) -> None:
    ours, theirs = read_log(DATABASE), read_log(FIXTURES / "promptfoo" / f"{SETS[set_name]}.json")
    arms = [run.arm for run in theirs.runs]
    assert [run.arm for run in ours.runs if run.set_name == set_name] == arms
    for arm in arms:
        for metric in theirs.metrics:
            expected = of_run(theirs, set_name, arm, metric.name)
            assert expected
            assert of_run(ours, set_name, arm, metric.name) == expected


def test_evals_of_one_name_are_arms_of_their_own() -> None:
    table = read_log(DATABASE)
    arms = {run.arm: run for run in table.runs if run.set_name == "ticket triage"}
    # One eval without reps, and one of three; only ids of evals tell them apart.
    assert len(arms) == 4
    assert all("(eval-" in arm for arm in arms)
    for name in ("repeat1", "repeat3"):
        theirs = read_log(FIXTURES / "promptfoo" / f"{name}.json")
        for run in theirs.runs:
            expected = of_run(theirs, "ticket triage", run.arm, "pass")
            found = [of_run(table, "ticket triage", arm, "pass") for arm in arms if arm.startswith(f"{run.arm} (")]
            assert expected in found


def test_columns(database: Path) -> None:
    table = read_log(database)
    run = next(run for run in table.runs if run.set_name == "busy service")
    assert (run.arm, run.framework, run.planned_reps, run.rep_source) == ("busy", "promptfoo", 2, "inferred")
    assert run.run_id.startswith("eval-")
    assert run.created.startswith("20")
    assert run.created.endswith("+00:00")
    assert set(table.cases.fields) >= {"topic", "key"}
    assert table.cases.contents is not None


def test_a_cached_answer_is_a_copy(database: Path) -> None:
    changed(database, """UPDATE eval_results SET response = '{"output": "x", "cached":true}'""")
    assert "Answers came from promptfoo's cache" in problems(read_log(database))


def test_old_databases_kept_the_rows_in_one_text(database: Path) -> None:
    whole = json.loads((FIXTURES / "promptfoo" / "errors.json").read_text(encoding="utf-8"))
    changed(database, "DELETE FROM eval_results", "DELETE FROM evals WHERE description != 'busy service'")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("UPDATE evals SET results = ?", (json.dumps(whole["results"]),))
        connection.commit()
    theirs = read_log(FIXTURES / "promptfoo" / "errors.json")
    assert cells(read_log(database), "pass") == cells(theirs, "pass")


def test_columns_that_an_older_version_lacks_are_empty(database: Path) -> None:
    changed(
        database,
        *indices(database),
        "ALTER TABLE evals DROP COLUMN runtime_options",
        "ALTER TABLE evals DROP COLUMN prompts",
        "ALTER TABLE eval_results DROP COLUMN failure_reason",
    )
    table = read_log(database)
    run = next(run for run in table.runs if run.set_name == "busy service")
    assert run.planned_reps is None
    # Without the reason, a run without a grading that says why is an error.
    assert 1 in of_run(table, "busy service", "busy", "pass")


def test_reading_changes_nothing_beside_the_database(database: Path) -> None:
    before = database.read_bytes()
    read_log(database)
    assert database.read_bytes() == before
    assert [path.name for path in database.parent.iterdir()] == [database.name]


def test_what_its_journal_holds_is_seen(database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("UPDATE eval_results SET success = 1, failure_reason = 0")
        connection.commit()
        table = read_log(database)
        assert set(of_run(table, "busy service", "busy", "pass")) == {1.0}


def test_a_broken_part_of_an_eval_is_named_and_tolerance_leaves_the_eval_out(database: Path) -> None:
    changed(
        database,
        *indices(database),
        "UPDATE eval_results SET test_case = '{\"vars\": ' WHERE test_idx = 1 AND provider LIKE '%busy%'",
    )
    with pytest.raises(LogError, match=r"promptfoo.db, eval eval-\S+, test 1: is no valid JSON"):
        read_log(database)
    table = read_log(database, tolerant=True)
    assert "busy service" not in {run.set_name for run in table.runs}
    assert "This eval is left out." in problems(table)


def test_a_damaged_database_is_refused(database: Path) -> None:
    data = bytearray(database.read_bytes())
    # The pages of the results, which stand in the middle.
    data[len(data) // 3 : 2 * len(data) // 3] = b"\xff" * (2 * len(data) // 3 - len(data) // 3)
    database.write_bytes(bytes(data))
    with pytest.raises(LogError, match=r"promptfoo.db"):
        read_log(database)


def test_a_database_without_results_is_refused(database: Path) -> None:
    changed(database, "DELETE FROM eval_results")
    with pytest.raises(LogError, match=r"holds no eval with a result. Run promptfoo eval first."):
        read_log(database)


def test_claims_by_its_tables(database: Path, tmp_path: Path) -> None:
    assert READER.claims(source(database))
    other = tmp_path / "other.db"
    changed(other, "CREATE TABLE evals (id TEXT)")
    assert not READER.claims(source(other))
    with pytest.raises(UnknownFormatError, match="is a SQLite database, and not promptfoo's"):
        read_log(other)
    other.write_bytes(b"SQLite format 3\0" + b"\0" * 100)
    assert not READER.claims(source(other))
