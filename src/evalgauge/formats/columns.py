"""A table in columns, before anyone knows which column plays which role.

A column is either ``Numbers`` (typed, from a data frame, Parquet or JSON) or ``Words`` (dictionary-encoded cells). Both
are built without a Python loop over rows where the source allows it.
"""

from __future__ import annotations

import json
import unicodedata
from array import array
from collections import defaultdict
from dataclasses import dataclass, replace
from itertools import count
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.table import Json, Problem

_INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Words:
    """A column of cells, each distinct cell stored once.

    Attributes
    ----------
    name
        The header.
    codes
        Index into ``values`` per row, int32; -1 where the row has no cell.
    values
        The distinct cells in order of appearance: text, or a list or mapping from JSON.
    decimal_comma
        Whether 0,85 means 0.85 in this file.
    """

    name: str
    codes: NDArray[np.int32]
    values: list[Json]
    decimal_comma: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether no row has a cell."""
        return not self.values

    def __len__(self) -> int:
        return self.codes.size


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Numbers:
    """A column of numbers or truth values.

    Attributes
    ----------
    name
        The header.
    numbers
        float64, int64 or bool per row.
    missing
        Where a row has no number; ``None`` where NaN alone says so.
    """

    name: str
    numbers: NDArray[np.float64 | np.int64 | np.bool_]
    missing: NDArray[np.bool_] | None = None

    @property
    def is_empty(self) -> bool:
        """Whether no row has a number."""
        absent = np.isnan(self.numbers.astype(np.float64))
        return bool(absent.all() if self.missing is None else (absent | self.missing).all())

    def __len__(self) -> int:
        return self.numbers.size


Column: TypeAlias = Words | Numbers


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """How often each row of a reduced table stood in the large one.

    Attributes
    ----------
    count
        Rows of the large table that each row stands for, int64.
    has_reps
        Whether the large table numbers its reps: the numbers were checked where it lies, and left there.
    varying
        Columns by name that the rows do not agree in: where a row stands for several values.
    said
        What has to be said of reps without numbers, where that was found before; ``None`` where the rows show it.
    """

    count: NDArray[np.int64]
    has_reps: bool
    varying: Mapping[str, NDArray[np.bool_]]
    said: tuple[Problem, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A table as it was found.

    Attributes
    ----------
    file
        What messages call it.
    columns
        All of one length, names unique.
    n_rows
        Their length.
    stem
        What to call the arm where the table does not say.
    digest
        A hash of what was read.
    problems
        What could not be taken as it was.
    is_ordered
        Whether the order of the rows means something: it does not in a large table, wherever it was read.
    tally
        For a reduced table: what each row stands for.
    """

    file: str
    columns: tuple[Column, ...]
    n_rows: int
    stem: str
    digest: str
    problems: tuple[Problem, ...] = ()
    is_ordered: bool = True
    tally: Tally | None = None

    def record(self, row: int) -> str:
        """Return what messages call a row, counted from 0; nothing where rows have no order."""
        return f"row {row + 1}" if self.is_ordered else ""

    @property
    def names(self) -> tuple[str, ...]:
        """The headers, in order."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> Column:
        """Return the column of that name."""
        return next(column for column in self.columns if column.name == name)


class Encoder:
    """Collects the cells of one column, block by block, each distinct cell once."""

    def __init__(self) -> None:
        self._index: defaultdict[str, int] = defaultdict(count().__next__)
        self._codes = array("i")

    def extend(self, cells: Iterable[str]) -> None:
        """Add cells."""
        self._codes.extend(map(self._index.__getitem__, cells))

    def words(self, name: str, *, decimal_comma: bool = False) -> Words:
        """Return the column; cells are stripped, and blank ones are missing."""
        codes = np.array(self._codes, dtype=np.int32)
        return merged_cells(Words(name=name, codes=codes, values=list(self._index), decimal_comma=decimal_comma))


def encoded_texts(name: str, cells: Iterable[str | None], *, decimal_comma: bool = False) -> Words:
    """Return a text column; ``None`` and blank cells are missing.

    Examples
    --------
    >>> column = encoded_texts("topic", ["b", None, "a", "b"])
    >>> column.codes.tolist(), column.values
    ([0, -1, 1, 0], ['b', 'a'])
    """
    encoder = Encoder()
    encoder.extend("" if cell is None else cell for cell in cells)
    return encoder.words(name, decimal_comma=decimal_comma)


def merged_cells(column: Words) -> Words:
    """Return the column with its cells stripped, cells that became equal merged, and blank cells missing."""
    if set(map(type, column.values)) <= {str}:
        cells = cast("list[str]", column.values)
        if "" not in cells and list(map(str.strip, cells)) == cells:
            return column
    index: dict[str, int] = {}
    values: list[Json] = []
    place: list[int] = []
    for value in column.values:
        if not isinstance(value, str):
            place.append(len(values))
            values.append(value)
        elif text := value.strip():
            place.append(index.setdefault(text, len(values)))
            if place[-1] == len(values):
                values.append(text)
        else:
            place.append(-1)
    renumbered = np.asarray([*place, -1], dtype=np.int32)
    return replace(column, codes=renumbered[column.codes], values=values)


def encoded_values(name: str, cells: Sequence[Json]) -> Column:
    """Return a column of JSON values: numbers where all are numbers, otherwise words; ``None`` is missing.

    Examples
    --------
    >>> encoded_values("passed", [True, None, False]).numbers.tolist()
    [True, False, False]
    >>> encoded_values("mixed", [True, 1, "x"]).values
    ['true', '1', 'x']
    """
    kinds = set(map(type, cells)) - {type(None)}
    if kinds == {str}:
        return encoded_texts(name, cast("Sequence[str | None]", cells))
    missing = np.fromiter((cell is None for cell in cells), dtype=np.bool_, count=len(cells))
    if kinds == {bool}:
        return Numbers(name=name, numbers=np.array([bool(cell) for cell in cells], dtype=np.bool_), missing=missing)
    if kinds == {int} and all(cell in _INT64 for cell in cells if isinstance(cell, int)):
        whole = [cell if isinstance(cell, int) else 0 for cell in cells]
        return Numbers(name=name, numbers=np.array(whole, dtype=np.int64), missing=missing)
    if kinds and kinds <= {int, float}:
        return Numbers(name=name, numbers=np.array([_real(cell) for cell in cells], dtype=np.float64))
    index: dict[str, int] = {}
    values: list[Json] = []
    codes = array("i")
    for cell in cells:
        if cell is None:
            codes.append(-1)
            continue
        is_text = not isinstance(cell, (list, dict))
        key = literal(cell)
        # A list and the text that spells it are different cells.
        place = index.setdefault(key if is_text else f"\0{key}", len(values))
        if place == len(values):
            values.append(key if is_text else cell)
        codes.append(place)
    return merged_cells(Words(name=name, codes=np.array(codes, dtype=np.int32), values=values))


def _real(cell: Json) -> float:
    try:
        return float(cell) if isinstance(cell, (int, float)) else np.nan
    except OverflowError:
        return np.inf


def literal(value: Json) -> str:
    """Return a JSON value as it would stand in a cell; text stays as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return repr(value)
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def texts(column: Words) -> list[str]:
    """Return the distinct cells as text."""
    return [literal(value) for value in column.values]


def encoded(column: Column) -> Words:
    """Return a column as words: whole numbers without a point, truth values as true and false.

    Examples
    --------
    >>> encoded(Numbers(name="id", numbers=np.array([3.0, np.nan, 1.0]))).values
    ['3', '1']
    """
    if isinstance(column, Words):
        return column
    numbers = column.numbers
    absent = np.isnan(numbers) if numbers.dtype == np.float64 else np.zeros(numbers.size, dtype=np.bool_)
    if column.missing is not None:
        absent = absent | column.missing
    codes = np.full(numbers.size, -1, dtype=np.int32)
    present = numbers[~absent]
    group, first = _by_appearance(present)
    codes[~absent] = group
    return Words(name=column.name, codes=codes, values=_number_texts(present[first]))


def _number_texts(distinct: NDArray[np.float64 | np.int64 | np.bool_]) -> list[Json]:
    if distinct.dtype == np.bool_:
        return ["true" if value else "false" for value in distinct.tolist()]
    if distinct.dtype == np.float64 and np.isfinite(distinct).all() and (distinct == np.rint(distinct)).all():
        # A column of whole numbers with a gap reaches us as floats; 3.0 must still be the case that is 3 elsewhere.
        return [str(int(value)) for value in distinct.tolist()]
    return [str(value) for value in distinct.tolist()]


def normalised_ids(column: Column) -> Words:
    """Return an id column as NFC text, ids that became equal merged."""
    words = encoded(column)
    names: list[Json] = [unicodedata.normalize("NFC", text) for text in texts(words)]
    return merged_cells(replace(words, values=names))


def groups(*codes: NDArray[np.int32] | NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which rows agree in all the codes: a group number per row by appearance, and each group's first row.

    Examples
    --------
    >>> group, first = groups(np.array([5, 5, 2]), np.array([0, 1, 0]))
    >>> group.tolist(), first.tolist()
    ([0, 1, 2], [0, 1, 2])
    """
    key = codes[0].astype(np.int64)
    for code in codes[1:]:
        if not code.size or (code[0] == code).all():
            continue
        low, high = int(code.min()), int(code.max())
        # Renumbering keeps the product of the ranges far from the edge of int64.
        key = _by_appearance(key)[0] * (high - low + 1) + (code - low)
    return _by_appearance(key)


def _by_appearance(
    key: NDArray[np.float64 | np.int64 | np.bool_],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each row the number of its key by appearance, and each key's first row."""
    if key.dtype == np.int64 and key.size:
        whole = cast("NDArray[np.int64]", key)
        low, span = int(whole.min()), int(whole.max()) - int(whole.min()) + 1
        if span <= 4 * whole.size:
            # Keys in a narrow range need no sorting: written backwards, the first row of each key is written last.
            offset = whole - low
            first_of = np.full(span, -1, dtype=np.int64)
            first_of[offset[::-1]] = np.arange(whole.size - 1, -1, -1)
            first = np.sort(first_of[first_of >= 0])
            number_of = np.empty(span, dtype=np.int64)
            number_of[offset[first]] = np.arange(first.size)
            return number_of[offset], first
    _, firsts, inverse = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    rank = np.empty(firsts.size, dtype=np.int64)
    rank[order] = np.arange(firsts.size)
    return rank[inverse], firsts[order]


def occurrences(group: NDArray[np.int64], count: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Return for each row how many earlier rows are in its group; ``count`` says how many each row stands for.

    Examples
    --------
    >>> occurrences(np.array([0, 1, 0, 0])).tolist(), occurrences(np.array([0, 0]), np.array([5, 1])).tolist()
    ([0, 0, 1, 2], [0, 5])
    """
    order = np.argsort(group, kind="stable")
    ordered = group[order]
    is_start = np.ones(ordered.size, dtype=np.bool_)
    is_start[1:] = ordered[1:] != ordered[:-1]
    starts = np.flatnonzero(is_start)
    sizes = np.diff(np.append(starts, ordered.size))
    before = np.arange(ordered.size) if count is None else np.cumsum(count[order]) - count[order]
    found = np.empty(ordered.size, dtype=np.int64)
    found[order] = before - np.repeat(before[starts], sizes)
    return found


def filled_codes(column: Column | None, n_rows: int, default: str) -> tuple[NDArray[np.int64], list[str]]:
    """Return one code per row, none of them -1, and the texts they stand for; rows without a cell get ``default``."""
    if column is None:
        return np.zeros(n_rows, dtype=np.int64), [default]
    words = encoded(column)
    names = texts(words)
    codes = words.codes.astype(np.int64)
    if (codes < 0).any():
        codes = np.where(codes < 0, len(names), codes)
        names = [*names, default]
    return codes, names
