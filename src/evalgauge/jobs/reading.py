"""From what a user names (files, folders, data frames) to a table of scores."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from evalgauge.errors import ArgumentError
from evalgauge.formats import read as read_any
from evalgauge.formats.protocol import ReadOptions
from evalgauge.questions.given import request_from
from evalgauge.questions.parts import ReadingOptions
from evalgauge.questions.units import passed_of_total

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from evalgauge.scores.table import Problem, ScoreTable

Side = Literal["base", "cand"]
_NAMED = 3


def read(
    source: Any,  # noqa: ANN401 - a path, several paths, a folder or a data frame of any library
    *,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> ScoreTable:
    """Read the scores of a log, a table, a folder or a data frame.

    Parameters
    ----------
    source
        A path (a log of Inspect AI, lm-evaluation-harness, promptfoo, HELM and others; CSV, JSON Lines, Parquet), a
        folder, several of them, a data frame (pandas, Polars, Arrow, DuckDB), or a table that was read before.
    columns
        Which column plays which role: ``{"case": "id", "score": "passed"}``.
    words
        Numbers for score words: ``{"both": 0.5}``.
    wide_arms, wide_reps
        Columns of a wide table that are arms, or reps.
    tolerant
        Keep what can be read of a damaged log and list the problems.

    Returns
    -------
    ScoreTable
        One row per run, case, rep and metric; a status for every planned run.

    Raises
    ------
    LogError
        When the source cannot be read: file, record and field are named.

    Examples
    --------
    >>> import pandas as pd
    >>> import evalgauge as eg
    >>> print(eg.read(pd.DataFrame({"case": ["a", "b"], "score": [1, 0]})))
    2 cases, 2 rows (2 scored), arms: data frame; metrics: score
    """
    asked = request_from(
        ReadingOptions,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return asked_table(source, asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What a question needs of a large table, which is reduced where it lies.

    Attributes
    ----------
    fields
        Fields of the cases: its slices and clusters.
    engine
        Address of the engine that holds the logs as tables; ``""`` for files.
    """

    fields: frozenset[str]
    engine: str


def needs_of(*fields: str | None, engine: str | None) -> Needs:
    """Return that a question needs sums and these fields, those that are named, of tables in this engine."""
    return Needs(fields=frozenset(field for field in fields if field is not None), engine=engine or "")


def refuse_engine(engine: str | None, why: str) -> None:
    """Refuse an engine where a question needs every run: only counts per case leave an engine."""
    if engine is not None:
        allowed = f"left out here: {why}, and only counts per case leave an engine"
        raise ArgumentError("engine", engine, allowed)


def asked_table(
    source: Any,  # noqa: ANN401 - see read
    asked: ReadingOptions,
    side: Side | None = None,
    *,
    needs: Needs | None = None,
) -> ScoreTable:
    """Return the table of a request's logs, with the columns that were mapped for this side of a comparison.

    With ``needs`` the sums of the cases are enough, and a large table is reduced where it lies; without, every run is a
    row, in the order of the log.
    """
    options = ReadOptions(
        is_counted=needs is not None,
        fields=None if needs is None else needs.fields,
        engine="" if needs is None else needs.engine,
        columns=side_columns(asked.columns, side),
        words=asked.words,
        wide_arms=asked.wide_arms,
        wide_reps=asked.wide_reps,
        tolerant=asked.tolerant,
    )
    return read_any(source, options)


def said_problems(problems: Sequence[Problem], files: Collection[str]) -> tuple[str, ...]:
    """Return what readers met as sentences, each once; where several logs were read, with the logs that it was met in.

    Parameters
    ----------
    problems
        What readers met.
    files
        All logs that were read.

    Examples
    --------
    >>> from evalgauge.scores.table import Problem
    >>> met = [Problem(text="It is empty.", file=f"logs/{name}") for name in ("a.csv", "b.csv")]
    >>> said_problems(met[:1], ["logs/a.csv"]), said_problems(met[:1], ["logs/a.csv", "logs/b.csv"])
    (('It is empty.',), ('a.csv: It is empty.',))
    >>> said_problems(met, ["logs/a.csv", "logs/b.csv"])
    ('It is empty. (2 logs: a.csv, b.csv)',)
    """
    met: dict[str, dict[str, None]] = {}
    for one in problems:
        text = f"{one.record}: {one.text}" if one.record else one.text
        met.setdefault(text, {}).setdefault(one.file)
    logs = {*files, *(one.file for one in problems if one.file)}
    # What was met in a folder says of which files it speaks.
    folders = {one for one in logs if any(other.startswith(f"{one}/") for other in logs)}
    if len(logs - folders) <= 1:
        return tuple(met)
    return tuple(_with_files(text, [one for one in where if one not in folders]) for text, where in met.items())


def _with_files(text: str, files: list[str]) -> str:
    names = [Path(file).name for file in files if file and Path(file).name not in text]
    if len(names) > 1:
        shown = ", ".join(names[:_NAMED])
        return f"{text} ({len(names)} logs: {shown}{', …' if len(names) > _NAMED else ''})"
    return f"{names[0]}: {text}" if names else text


def side_columns(columns: Mapping[str, str], side: Side | None) -> dict[str, str]:
    """Return the mapping for one side: ``base:case=qid`` is for the baseline, ``case=qid`` for both.

    Raises
    ------
    ArgumentError
        When a prefix is neither base nor cand, or is used where there is one log.
    """
    found: dict[str, str] = {}
    for role, column in columns.items():
        prefix, colon, bare = role.rpartition(":")
        if not colon:
            found.setdefault(role, column)
        elif side is None or prefix not in ("base", "cand"):
            allowed = "a role such as case or score; in a comparison also base:case or cand:case"
            raise ArgumentError("columns", role, allowed)
        elif prefix == side:
            found[bare] = column
    return found


def counts_of(sources: Sequence[Any]) -> list[tuple[int, int]]:
    """Return passes and cases where every source is a count such as 47/50, and nothing where none is.

    Raises
    ------
    ArgumentError
        When only some are: the one that is no count is named.
    """
    counts = [passed_of_total(source) if isinstance(source, str) else None for source in sources]
    other = next((source for source, count in zip(sources, counts, strict=True) if count is None), None)
    if other is not None and any(counts):
        allowed = "counts alone, such as 45/50 30/80, or logs alone"
        raise ArgumentError("logs", log_name(other), allowed, "A log and a count cannot be put side by side.")
    return [count for count in counts if count is not None]


def log_name(source: Any) -> str:  # noqa: ANN401 - see read
    """Return what a source is called in an answer: its path, or the kind of object it is."""
    if isinstance(source, (str, PathLike)):
        return str(cast("str | PathLike[str]", source))
    return type(source).__name__
