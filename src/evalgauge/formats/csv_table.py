"""CSV and its relatives: delimited text with a header line."""

from __future__ import annotations

import csv
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TextIO

import numpy as np

from evalgauge.engine.counts import UnsuitedError
from evalgauge.errors import LogError
from evalgauge.formats.aliases import is_index_name, is_role_name
from evalgauge.formats.cells import is_score_like, number_in, score_words
from evalgauge.formats.columns import Encoder, Table, Words, encoded_texts
from evalgauge.formats.converted import COLUMNS
from evalgauge.formats.large_table import Origin, counted_table
from evalgauge.formats.plain_text import arm_name, digest_of, digest_of_all, encoding_of, head_text
from evalgauge.formats.promptfoo_csv import PROMPTFOO, table_of_results
from evalgauge.formats.score_table import LARGE_ROWS, table_of
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterable, Iterator, Sequence
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

ENGINE_ABOVE = 64 * 2**20
"""Bytes from which on DuckDB reads the cells; both ways give the same table."""

_DELIMITERS = (",", ";", "\t", "|")
_SUFFIXES = frozenset({".csv", ".tsv", ".tab", ".psv"})
_CONVERTED = ",".join(COLUMNS).encode()
_BLOCK = 8_192
_HEAD = 8_192
# Rows below the first line that show whether it is one of them.
_LOOKED_AT = 100
_LARGEST_CELL = 2**31 - 1


class CsvReader:
    """Reads delimited text."""

    name = "csv"
    title = "CSV table"

    def claims(self, source: Source) -> bool:
        """Return whether the bytes are text in columns; the name decides only for a single column."""
        text = None if source.is_folder else head_text(source.head)
        if source.head.startswith(_CONVERTED):
            # A name may hold characters that no other text file does.
            return True
        if not text or not text.strip() or text.lstrip().startswith(("{", "[", "<")):
            return False
        return source.suffix in _SUFFIXES or delimiter_of(text) is not None

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores, or raise ``LogError`` naming the line."""
        named = _named(options)
        if options.is_counted and (large := large_csv([source.path], source, options)) is not None:
            return large
        table = csv_cells(source, tolerant=options.tolerant, named=named)
        if set(table.names) >= PROMPTFOO and not (options.columns or options.wide_arms or options.wide_reps):
            return table_of_results(table, options)
        return table_of(table, options)


READER = CsvReader()


def large_csv(files: Sequence[Path], source: Source, options: ReadOptions) -> ScoreTable | None:
    """Return the scores of CSV files that are one large table, or ``None`` where they are to be read line by line."""
    named = _named(options)
    size = sum(file.stat().st_size for file in files)
    if size < ENGINE_ABOVE or any(encoding_of(file) != "utf-8-sig" for file in files):
        return None
    delimiter = delimiter_of(head_text(_head_of(files[0])) or "") or ","
    headers = [_header(replace(source, path=file), "utf-8-sig", delimiter, named) for file in files]
    header, is_first_line = headers[0]
    names, doubles = _unique(header)
    # A semicolon or a tab may go with decimal commas.
    is_odd = delimiter != "," or not is_first_line or len(names) < 2 or doubles or set(names) >= PROMPTFOO
    if is_odd or any(other != headers[0] for other in headers):
        return None
    from evalgauge.engine.duck_counts import csv_rows  # noqa: PLC0415 (the engine is loaded only where it is needed)

    origin = Origin(file=source.name, stem=arm_name(source), digest=digest_of_all(files))
    try:
        with csv_rows(files, names=names, delimiter=delimiter, label=source.name) as rows:
            return counted_table(rows, origin, options, least_rows=LARGE_ROWS)
    except (UnsuitedError, LogError):
        # The csv module reads what DuckDB does not, and names the line where neither does.
        return None


def _named(options: ReadOptions) -> set[str]:
    named = {name for role in options.columns.values() for name in (role, *role.split("|"))}
    return named | {*options.wide_arms, *options.wide_reps}


def _head_of(file: Path) -> bytes:
    with file.open("rb") as stream:
        return stream.read(_HEAD)


def csv_cells(
    source: Source, *, tolerant: bool = False, named: Collection[str] = (), engine_above: int = ENGINE_ABOVE
) -> Table:
    """Return the cells of a delimited text file, all as text.

    Parameters
    ----------
    source
        The file.
    tolerant
        Leave out lines with too few or too many cells, and list them, in place of refusing the file.
    named
        Columns that the user named: a first line that holds one of them is a header.
    engine_above
        Bytes from which on DuckDB reads the cells.

    Raises
    ------
    LogError
        If the file is empty, has no header, or a line has another number of cells than the header.
    """
    encoding = encoding_of(source.path)
    delimiter = delimiter_of(head_text(source.head) or "") or ","
    with _as_text(source.name):
        header, is_first_line = _header(source, encoding, delimiter, named)
    reading = _Reading(
        source=source,
        encoding=encoding,
        delimiter=delimiter,
        tolerant=tolerant,
        width=len(header),
        encoders=[Encoder() for _ in header],
    )
    # What DuckDB does not read as the csv module does (another encoding, a header of two lines) is left to the latter.
    suits_engine = encoding == "utf-8-sig" and is_first_line and len(header) > 1
    if not (suits_engine and source.path.stat().st_size >= engine_above and reading.by_engine()):
        with _as_text(source.name):
            reading.by_line()
    names, doubles = _unique(header)
    if encoding == "cp1252":
        reading.problem(
            "The file is not UTF-8 and was read as Windows-1252: check names with accents, or save it as UTF-8."
        )
    if doubles:
        reading.problem(f"Column names that occur twice were numbered: {', '.join(doubles)}.", count=len(doubles))
    comma = delimiter in ";\t"
    columns = [encoder.words(name, decimal_comma=comma) for name, encoder in zip(names, reading.encoders, strict=True)]
    return _without_blank_rows(
        Table(
            file=source.name,
            columns=tuple(one for one in columns if not (one.is_empty and is_index_name(one.name))),
            n_rows=len(columns[0]),
            stem=arm_name(source),
            digest=digest_of(source.path),
            problems=tuple(reading.problems),
        )
    )


def delimiter_of(text: str) -> str | None:
    r"""Return the delimiter under which the records of a sample have equally many cells, at least two; else ``None``.

    Examples
    --------
    >>> delimiter_of("case;score\nq1;0,5\nq2;1,0\n")
    ';'
    """
    found: list[tuple[float, int, str]] = []
    for delimiter in _DELIMITERS:
        records = [record for record in _records(text.splitlines(keepends=True), delimiter) if record]
        # The last record of a head may be cut.
        whole = records if text.endswith("\n") or len(records) < 3 else records[:-1]
        width = len(whole[0]) if whole else 0
        share = sum(len(record) == width for record in whole) / max(len(whole), 1)
        if width > 1 and share > 0.5:
            found.append((share, width, delimiter))
    return max(found, key=lambda one: one[:2])[2] if found else None


def _records(lines: Iterable[str], delimiter: str) -> list[list[str]]:
    try:
        return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return []


def _header(source: Source, encoding: str, delimiter: str, named: Collection[str]) -> tuple[list[str], bool]:
    with _open(source.path, encoding) as lines, _long_cells():
        reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=True)
        header = next((record for record in reader if any(cell.strip() for cell in record)), None)
        is_first_line = reader.line_num == 1
        below = list(islice(reader, _LOOKED_AT)) if header else []
    if header is None:
        raise LogError(source.name, "is empty.", hint="Was the run cut off before it wrote anything?")
    names = [cell.strip() for cell in header]
    if all(number_in(name) is not None for name in names if name):
        raise LogError(
            source.name,
            "the first line holds numbers, not column names.",
            record="line 1",
            hint="Add a header line, such as: case,score",
        )
    if not set(names) & set(named) and _looks_like_data(names, below, delimiter):
        shown = delimiter.join(names[:5]) + (" …" if len(names) > 5 else "")
        raise LogError(
            source.name,
            f"the first line looks like a case and not like column names: {shown!r}.",
            record="line 1",
            hint="Add a header line, such as: case,score. If it is one, name the score: --map score=COLUMN.",
        )
    return names, is_first_line


def _looks_like_data(names: Sequence[str], below: Sequence[Sequence[str]], delimiter: str) -> bool:
    """Return whether a first line holds a score above scores, and no name that a column has."""
    comma = delimiter in ";\t"
    roles: list[int] | None = None
    for place, name in enumerate(names):
        column = [row[place] for row in below if place < len(row)]
        is_score = number_in(name, decimal_comma=comma) is not None or (
            # A column called "pass" holds yes and no; pass above pass and fail is no name.
            bool(score_words([name])) and name in column
        )
        fits = is_score and is_score_like(encoded_texts(name, column, decimal_comma=comma))
        if not fits:
            continue
        # Looked for once, and only where a column could be a score: tables of 100,000 columns exist.
        roles = roles if roles is not None else [at for at, other in enumerate(names) if is_role_name(other)]
        if not any(at != place for at in roles[:2]):
            return True
    return False


def _unique(header: Sequence[str]) -> tuple[list[str], list[str]]:
    # In order, and found at once: a header may hold 100,000 names, and all of them the same.
    names: dict[str, None] = {}
    doubles: list[str] = []
    free: dict[str, int] = {}
    for place, cell in enumerate(header):
        name = cell or f"Unnamed: {place}"
        if name in names:
            doubles.append(name)
            number = free.get(name, 2)
            while f"{name} ({number})" in names:
                number += 1
            free[name] = number + 1
            name = f"{name} ({number})"
        names[name] = None
    return list(names), doubles


@contextmanager
def _long_cells() -> Generator[None]:
    before = csv.field_size_limit(_LARGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextmanager
def _as_text(file: str) -> Generator[None]:
    """Refuse bytes that are no text; UTF-16 alone has such: whatever is no UTF-8 is read as Windows-1252."""
    try:
        yield
    except UnicodeError as fault:
        raise LogError(file, "holds bytes that are no UTF-16 text.", hint="Is it cut or damaged?") from fault


def _open(path: Path, encoding: str) -> TextIO:
    errors = "replace" if encoding == "cp1252" else "strict"
    return path.open(encoding=encoding, errors=errors, newline="")


@dataclass(slots=True, kw_only=True)
class _Reading:
    """The cells of one file while they are read."""

    source: Source
    encoding: str
    delimiter: str
    tolerant: bool
    width: int
    encoders: list[Encoder]
    problems: list[Problem] = field(default_factory=list[Problem])
    skipped: list[int] = field(default_factory=list[int])

    def problem(self, text: str, *, count: int = 1) -> None:
        """List something that could not be taken as it was."""
        self.problems.append(Problem(text=text, file=self.source.name, count=count))

    def by_engine(self) -> bool:
        """Read by DuckDB; return whether it could read every line."""
        from evalgauge.engine import duck  # noqa: PLC0415 (the engine is loaded only where it is needed)

        names = [str(place) for place in range(self.width)]
        try:
            for column, encoder in zip(
                duck.csv_columns(self.source.path, names=names, delimiter=self.delimiter), self.encoders, strict=True
            ):
                values = column.values if column.missing is None else np.where(column.missing, "", column.values)
                encoder.extend(values.tolist())
        except LogError:
            # The csv module reads what DuckDB does not, and names the line where neither does.
            self.encoders = [Encoder() for _ in self.encoders]
            return False
        return True

    def by_line(self) -> None:
        """Read by the csv module."""
        with _open(self.source.path, self.encoding) as lines, _long_cells():
            reader = csv.reader(lines, delimiter=self.delimiter, skipinitialspace=True)
            # The header: the first line that is not blank.
            next(record for record in reader if any(cell.strip() for cell in record))
            for block in self._blocks(reader):
                for encoder, cells in zip(self.encoders, zip(*block, strict=True), strict=True):
                    encoder.extend(cells)
        if self.skipped:
            lines = counted(len(self.skipped), "line", "lines")
            text = f"Left out: {lines} with another number of cells than the header"
            self.problem(f"{text} (first: line {self.skipped[0]}).", count=len(self.skipped))

    def _blocks(self, reader: _CsvReader) -> Iterator[list[list[str]]]:
        records = self._records(reader)
        while block := list(islice(records, _BLOCK)):
            yield block

    def _records(self, reader: _CsvReader) -> Iterator[list[str]]:
        blank = 0
        for record in reader:
            if not record:
                blank += 1
                continue
            if self.width == 1:
                # In a file of one column a blank line is a missing score, unless only blank lines follow.
                yield from ([""] for _ in range(blank))
            blank = 0
            cells = self._fitted(record, reader.line_num)
            if cells is not None:
                yield cells

    def _fitted(self, record: list[str], line: int) -> list[str] | None:
        if len(record) == self.width:
            return record
        if len(record) > self.width and not any(cell.strip() for cell in record[self.width :]):
            return record[: self.width]
        if len(record) < self.width and self._is_cut_at(line):
            self.problem(f"The last line (line {line}) is cut off and was left out.")
            return None
        if self.tolerant:
            self.skipped.append(line)
            return None
        raise LogError(
            self.source.name,
            f"holds {counted(len(record), 'cell', 'cells')}, the header has {self.width}.",
            record=f"line {line}",
            hint="A quote that is not closed, or a delimiter within a cell that is not quoted, does this.",
        )

    def _is_cut_at(self, line: int) -> bool:
        with self.source.path.open("rb") as file:
            file.seek(0, 2)
            if not file.tell():
                return False
            file.seek(-1, 2)
            if file.read(1) in b"\r\n":
                return False
        with _open(self.source.path, self.encoding) as lines:
            return sum(1 for _ in lines) == line


class _CsvReader(Protocol):
    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


def _without_blank_rows(table: Table) -> Table:
    """Return the table without the rows that have no cell at all; a single column has missing scores instead."""
    if len(table.columns) < 2:
        return table
    words = [column for column in table.columns if isinstance(column, Words)]
    is_blank = np.all([column.codes < 0 for column in words], axis=0)
    count = int(is_blank.sum())
    if not count:
        return table
    problem = Problem(
        text=f"{counted(count, 'row is blank and was', 'rows are blank and were')} left out.",
        file=table.file,
        count=count,
    )
    return replace(
        table,
        columns=tuple(replace(column, codes=column.codes[~is_blank]) for column in words),
        n_rows=table.n_rows - count,
        problems=(*table.problems, problem),
    )
