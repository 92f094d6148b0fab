"""Reads the details that lighteval saves: Parquet with one row a document, or a folder of them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from evalgauge.formats.lighteval_table import Details, details_of, table_of_details
from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import arm_name
from evalgauge.formats.protocol import Source
from evalgauge.formats.several import table_of_each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import ScoreTable

MAX_LOOKED_AT = 2_000
"""How many files below a folder are looked at before it is said to hold no details."""
_MAGIC = b"PAR1"
_MAX_FOOTER = 16 * 2**20
_COLUMNS = (b"doc", b"model_response", b"metric", b"task_name")
_DATE = r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(?:\.\d+)?"
_NAME = re.compile(rf"details_(?P<task>.+)_(?P<date>{_DATE})")


class LightevalReader:
    """Reads each file of details as one run on the task that it is of."""

    name: str = "lighteval"
    title: str = "lighteval details"

    def claims(self, source: Source) -> bool:
        """Return whether this is a file of details, or a folder that holds one."""
        if source.is_folder:
            return next(_details_in(source.path, MAX_LOOKED_AT), None) is not None
        return source.head.startswith(_MAGIC) and _are_details(source.path)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: a row a document and metric.

        Raises
        ------
        LogError
            A file cannot be read, or no metric has a score per document.
        """
        with reading(source.name):
            if not source.is_folder:
                return table_of_details(_details(source), options.words)
            paths = sorted(_details_in(source.path))
            return table_of_each(
                source, paths, lambda path: table_of_details(_details(_source(path)), options.words), options
            )

    def files(self, folder: Path) -> set[Path]:
        """Return the details in a folder, and the totals that lighteval saves with them."""
        return {*_details_in(folder), *folder.rglob("results_*.json")}


READER = LightevalReader()


def _source(path: Path) -> Source:
    return Source(path=path, head=b"", is_folder=False)


def _details(source: Source) -> Details:
    named = _NAME.fullmatch(source.path.stem)
    return details_of(
        source,
        task=named["task"] if named else "",
        created=named["date"] if named else "",
        model=_model(source),
    )


def _model(source: Source) -> str:
    """Return the model, which stands between ``details`` and the date in the path, or what the file is called."""
    parts = source.path.resolve().parts[:-1]
    if "details" in parts:
        place = len(parts) - 1 - parts[::-1].index("details")
        names = parts[place + 1 : -1] if re.fullmatch(_DATE, parts[-1]) else parts[place + 1 :]
        if names:
            return "/".join(names)
    return arm_name(source)


def _details_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    for path in islice(folder.rglob("*.parquet"), most):
        if path.is_file() and _are_details(path):
            yield path


def _are_details(path: Path) -> bool:
    """Return whether the schema at the end of a Parquet file names the columns of details."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - 8, 0))
            length = int.from_bytes(file.read(4), "little")
            if file.read(4) != _MAGIC or not 0 < length <= min(size - 12, _MAX_FOOTER):
                return False
            file.seek(size - 8 - length)
            footer = file.read(length)
    except OSError:
        return False
    return all(name in footer for name in _COLUMNS)
