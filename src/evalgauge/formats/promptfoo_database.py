"""Reads promptfoo's own database, ``~/.promptfoo/promptfoo.db``: every eval that it keeps."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeVar

from evalgauge.errors import LogError
from evalgauge.formats.json_text import decoded
from evalgauge.formats.log_guard import reading
from evalgauge.formats.promptfoo_rows import (
    Config,
    Grading,
    OutputFile,
    Prompt,
    PromptfooLog,
    Provider,
    Response,
    Row,
    Runtime,
    Summary,
    TestCase,
    log_of,
    number_rows,
)
from evalgauge.formats.promptfoo_table import table_of_log
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Sequence
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

T = TypeVar("T")
# SQLite quotes a damaged file in its own words, bytes and all.
_DAMAGED = (sqlite3.Error, UnicodeDecodeError)
_MAGIC = b"SQLite format 3\0"
_TABLES = frozenset({"evals", "eval_results"})
_EVALS = ("id", "created_at", "description", "results", "config", "prompts", "runtime_options")
_RESULTS = (
    *("prompt_idx", "test_idx", "test_case", "prompt", "prompt_id", "provider", "error", "success", "score"),
    *("grading_result", "named_scores", "failure_reason"),
)
# Answers may be long: of them only whether they came from the cache is asked.
_CACHED = "response LIKE '%\"cached\":true%'"


class PromptfooDatabaseReader:
    """Reads every eval of a database: arms of evals that bear one name are told apart by the eval's id."""

    name: str = "promptfoo-database"
    title: str = "promptfoo database"

    def claims(self, source: Source) -> bool:
        """Return whether this is a SQLite database with promptfoo's tables."""
        if not source.head.startswith(_MAGIC):
            return False
        try:
            with _opened(source.path) as database:
                found = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        except _DAMAGED:
            return False
        return {name for (name,) in found} >= _TABLES

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores of all evals, each with its own runs.

        Raises
        ------
        LogError
            The database is damaged, or holds no result.
        """
        with reading(source.name):
            left_out: list[Problem] = []
            try:
                with _opened(source.path) as database:
                    logs = list(_logs(database, source.name, options, left_out))
            except _DAMAGED as fault:
                hint = "Copy it again, with its -wal file if there is one, or export the eval: promptfoo export eval ID"
                raise LogError(source.name, f"is a damaged database: {fault}.", hint=hint) from fault
            if not logs:
                raise LogError(source.name, "holds no eval with a result.", hint="Run promptfoo eval first.")
            tables = [table_of_log(log, options, file=source.name) for log in logs]
            joined = concatenated(_told_apart(tables, [log.eval_id for log in logs]))
            return replace(joined, problems=(*left_out, *joined.problems))


READER = PromptfooDatabaseReader()


@contextmanager
def _opened(path: Path) -> Generator[sqlite3.Connection]:
    # promptfoo may be at work: nothing is locked or written, and what its journal holds is seen.
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
        # Text that is no UTF-8 is a fault of one cell, to be named with its eval.
        database.text_factory = _text
        database.execute("PRAGMA query_only = ON")
        yield database


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _logs(
    database: sqlite3.Connection, file: str, options: ReadOptions, left_out: list[Problem]
) -> Iterator[PromptfooLog]:
    evals = database.execute(f"{_select(database, 'evals', _EVALS)} ORDER BY created_at, id").fetchall()
    results = f"{_select(database, 'eval_results', _RESULTS, _CACHED)} WHERE eval_id = ? ORDER BY test_idx, prompt_idx"
    for number, eval_ in enumerate(evals, start=1):
        record = f"eval {eval_[0]}"
        try:
            log = _log(database.execute(results, (eval_[0],)), eval_, file, record)
        except LogError as fault:
            if not options.tolerant:
                raise
            left_out.append(Problem(text=f"{fault} This eval is left out.", file=file, record=record))
        else:
            if log.rows:
                yield log
        options.progress(number, len(evals))


def _select(database: sqlite3.Connection, table: str, columns: Sequence[str], *more: str) -> str:
    """Return a query for columns of which an older version may lack some: these are empty."""
    there = {name for (name,) in database.execute("SELECT name FROM pragma_table_info(?)", (table,))}
    chosen = [name if name in there else f"NULL AS {name}" for name in columns]
    return f"SELECT {', '.join((*chosen, *more))} FROM {table}"  # noqa: S608 (no word of it comes from the file)


def _log(rows: Iterable[tuple[object, ...]], eval_: tuple[object, ...], file: str, record: str) -> PromptfooLog:
    eval_id, created, description, results, config, prompts, runtime = eval_
    log = log_of(
        OutputFile(
            # Before its store had a table of results, promptfoo kept all rows of an eval in one text.
            results=_part(results, Summary, file, record) or Summary(),
            eval_id=str(eval_id),
            config=_part(config, Config, file, record),
            runtime_options=_part(runtime, Runtime, file, record),
        )
    )
    log.rows = [_row(one, file, record) for one in rows] or log.rows
    log.prompts = _part(prompts, list[Prompt], file, record) or log.prompts
    log.description = log.description or str(description or "")
    log.created = log.created or _moment(created)
    number_rows(log.rows)
    return log


def _row(cells: tuple[object, ...], file: str, record: str) -> Row:
    prompt_idx, test_idx, test, prompt, prompt_id, provider, error, success, score, *rest = cells
    grading, named, reason, cached = rest
    where = f"{record}, test {test_idx}"
    return Row(
        prompt_idx=_whole(prompt_idx),
        test_idx=_whole(test_idx),
        success=None if success is None else bool(success),
        score=score,
        named_scores=_part(named, dict[str, object], file, where),
        failure_reason=_whole(reason),
        error=error,
        grading_result=_part(grading, Grading, file, where),
        response=Response(cached=bool(cached)),
        provider=_part(provider, Provider, file, where),
        prompt=_part(prompt, Prompt, file, where),
        prompt_id=None if prompt_id is None else str(prompt_id),
        test_case=_part(test, TestCase, file, where),
    )


def _part(text: object, kind: type[T], file: str, record: str) -> T | None:
    """Return a cell that holds JSON, or ``None`` where it holds nothing."""
    if text in (None, "", "null"):
        return None
    return decoded(text if isinstance(text, bytes) else str(text).encode(), kind, file=file, record=record)


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _moment(created: object) -> str:
    """Return a time as ISO text: milliseconds since 1970, or the text that SQLite makes by default."""
    if isinstance(created, int):
        try:
            return datetime.fromtimestamp(created / 1000, UTC).isoformat()
        except (ValueError, OverflowError, OSError):
            return ""
    return str(created or "")


def _told_apart(tables: list[ScoreTable], eval_ids: list[str]) -> list[ScoreTable]:
    """Return the tables with the eval's id in the name of each arm that an eval of the same name has too."""
    taken = Counter(key for table in tables for key in {(run.set_name, run.arm) for run in table.runs})
    return [
        replace(
            table,
            runs=tuple(
                replace(run, arm=f"{run.arm} ({eval_id})") if taken[run.set_name, run.arm] > 1 else run
                for run in table.runs
            ),
        )
        for table, eval_id in zip(tables, eval_ids, strict=True)
    ]
