"""Folders whose logs are each read by themselves, and the first bytes by which they are found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalgauge.errors import LogError
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable


def head_of(path: Path, size: int) -> bytes:
    """Return the first bytes of a file; none of one that cannot be opened."""
    try:
        with path.open("rb") as stream:
            return stream.read(size)
    except OSError:
        return b""


def table_of_each(
    source: Source, paths: Sequence[Path], read: Callable[[Path], ScoreTable], options: ReadOptions
) -> ScoreTable:
    """Return the tables of several logs side by side.

    Parameters
    ----------
    source
        The folder.
    paths
        Its logs, at least one.
    read
        Reads one.
    options
        With ``tolerant`` a log that cannot be read is left out and named.

    Raises
    ------
    LogError
        A log cannot be read, or none can.
    """
    tables: list[ScoreTable] = []
    left_out: list[Problem] = []
    for number, path in enumerate(paths, start=1):
        try:
            tables.append(read(path))
        except LogError as fault:
            if not options.tolerant or len(paths) == 1:
                raise
            left_out.append(Problem(text=f"{fault} This file is left out.", file=str(path)))
        options.progress(number, len(paths))
    if not tables:
        raise LogError(source.name, "no log in this folder can be read.", hint=left_out[0].text)
    joined = concatenated(tables)
    return replace(joined, problems=(*left_out, *joined.problems))
