"""From what a user names (files, folders, data frames) to a table of scores."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, cast

from evalgauge.errors import ArgumentError
from evalgauge.formats import read as read_any
from evalgauge.formats.protocol import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.questions.parts import ReadingOptions
    from evalgauge.scores.table import ScoreTable

Side = Literal["base", "cand"]


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
    options = ReadOptions(
        columns=columns or {},
        words=words or {},
        wide_arms=tuple(wide_arms),
        wide_reps=tuple(wide_reps),
        tolerant=tolerant,
    )
    return read_any(source, options)


def asked_table(source: Any, asked: ReadingOptions, side: Side | None = None) -> ScoreTable:  # noqa: ANN401 - see read
    """Return the table of a request's logs, with the columns that were mapped for this side of a comparison."""
    return read(
        source,
        columns=side_columns(asked.columns, side),
        words=asked.words,
        wide_arms=asked.wide_arms,
        wide_reps=asked.wide_reps,
        tolerant=asked.tolerant,
    )


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
            raise ArgumentError("--map", role, allowed)
        elif prefix == side:
            found[bare] = column
    return found


def log_name(source: Any) -> str:  # noqa: ANN401 - see read
    """Return what a source is called in an answer: its path, or the kind of object it is."""
    if isinstance(source, (str, PathLike)):
        return str(cast("str | PathLike[str]", source))
    return type(source).__name__
