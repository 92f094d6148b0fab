"""The rows of an lm-evaluation-harness samples file, one line at a time, with only what scores need.

Each line repeats the document, the prompt and every response, so nearly all of its bytes are skipped: a struct is made
from the metric names of the first line, and msgspec reads each line into it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_text import CutError, is_array, is_cut, is_object, parsed, read_until_cut
from evalgauge.formats.wording import counted, without_advice
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions

BLOCK_BYTES = 512 * 1024

_DESCRIPTION = ("doc", "target", "arguments", "resps", "filtered_resps", "metrics", "prompt_hash", "target_hash")
_IDENTITY = ("doc_id", "filter", "doc_hash")
_CUT = "The file ends in the middle of a row; {} before it could be read. Copy it again."

Value = float | bool | str | None
"""What a metric of one document is, where it is one value."""


class _Line(Protocol):
    doc_id: int | str
    filter: str | None
    doc_hash: str | None


@dataclass(slots=True, kw_only=True)
class SampleRows:
    """The rows of a samples file, in columns.

    Attributes
    ----------
    doc_ids, filters, doc_hashes
        What each row is about.
    values
        Per metric one value a row.
    lines
        Place of each row among the rows of the file, from 0; blank lines are not counted.
    not_per_case
        Metrics that hold a list for each document, to be reduced over the whole set.
    problems
        What could not be read.
    is_cut
        Whether the file ends in the middle of a row.
    has_gaps
        Whether rows were left out because they cannot be read.
    """

    doc_ids: list[int | str] = field(default_factory=list[int | str])
    filters: list[str | None] = field(default_factory=list[str | None])
    doc_hashes: list[str | None] = field(default_factory=list[str | None])
    values: dict[str, list[Value]] = field(default_factory=dict[str, list[Value]])
    lines: list[int] = field(default_factory=list[int])
    not_per_case: set[str] = field(default_factory=set[str])
    problems: list[Problem] = field(default_factory=list[Problem])
    is_cut: bool = False
    has_gaps: bool = False


def sample_rows(path: Path, options: ReadOptions) -> SampleRows:
    """Return the rows of a samples file.

    Raises
    ------
    LogError
        A line cannot be read (unless ``options.tolerant``), or there is none.
    """
    rows = SampleRows()
    if _is_one_array(path):
        for place, row in enumerate(_array_items(path, rows, tolerant=options.tolerant)):
            _take_object(rows, row, place, str(path))
    else:
        _read_lines(path, rows, options)
    if not rows.doc_ids:
        raise LogError(str(path), "holds no complete row.", hint="lm-eval writes one JSON object a line.")
    _level(rows)
    for name in rows.not_per_case:
        rows.values.pop(name, None)
    return rows


def documents(path: Path, wanted: Mapping[int, int]) -> Iterator[tuple[int, dict[str, object]]]:
    """Yield (case, row with ``doc`` and ``target``) for the wanted rows.

    Parameters
    ----------
    path
        The samples file.
    wanted
        Place of the row to case.

    Raises
    ------
    LogError
        A row that was read before can no longer be read.
    """
    if _is_one_array(path):
        for place, row in enumerate(_array_items(path, SampleRows(), tolerant=True)):
            if place in wanted:
                yield wanted[place], row
        return
    with path.open("rb") as stream:
        for number, line in enumerate(line for line in stream if not line.isspace()):
            case = wanted.get(number)
            if case is not None:
                row = parsed(line, file=str(path), record=f"row {number + 1}")
                if is_object(row):
                    yield case, row


def _is_one_array(path: Path) -> bool:
    """Return whether the file is a JSON array, as lm-eval 0.4.2 wrote it in spite of its name."""
    with path.open("rb") as stream:
        return stream.read(64).lstrip().startswith(b"[")


def _array_items(path: Path, rows: SampleRows, *, tolerant: bool) -> Iterator[dict[str, object]]:
    data = path.read_bytes()
    try:
        items = parsed(data, file=str(path))
    except LogError as fault:
        if not (tolerant or isinstance(fault, CutError)):
            raise
        items = read_until_cut(b'{"rows":' + data, "rows").items
        rows.is_cut = True
        text = f"{without_advice(fault)} {counted(len(items), 'row', 'rows')} before that place could be read."
        rows.problems.append(Problem(text=text, file=str(path)))
    yield from (item for item in (items if is_array(items) else []) if is_object(item))


def _read_lines(path: Path, rows: SampleRows, options: ReadOptions) -> None:
    file = str(path)
    total = path.stat().st_size
    done = number = 0
    fast: _FastLines | None = None
    for block in _blocks(path):
        done += len(block)
        if fast is None:
            fast = _fast_lines(rows, bytes(block).lstrip().split(b"\n", 1)[0], file)
        taken = fast.take(block, number) if fast else 0
        if taken:
            number += taken
        else:
            # Something in this block is no plain row: NaN, a late metric, a broken line. Its lines are read one by one.
            number = _take_slowly(rows, bytes(block), number, file, options, is_last=done == total)
        options.progress(done, total)


def _blocks(path: Path) -> Iterator[memoryview]:
    """Yield the file in pieces of whole lines; a piece is good until the next one is asked for."""
    size = BLOCK_BYTES
    buffer = bytearray(size)
    have = 0
    with path.open("rb", buffering=0) as stream:
        while got := stream.readinto(memoryview(buffer)[have:]):
            have += got
            end = buffer.rfind(b"\n", 0, have) + 1
            if end:
                yield memoryview(buffer)[:end]
                buffer[: have - end] = buffer[end:have]
                have -= end
            elif have == size:
                # A line that is longer than the buffer.
                size *= 2
                buffer = buffer + bytearray(size - have)
    if have:
        yield memoryview(buffer)[:have]


class _FastLines:
    """Reads pieces of the file into columns for the metrics of its first row."""

    def __init__(self, rows: SampleRows, first: Mapping[str, object], scalar: list[str]) -> None:
        self._rows = rows
        self._columns = [rows.values.setdefault(name, []) for name in scalar]
        self._decoder = msgspec.json.Decoder(_line_type(first, scalar))
        # Every line brings its own copy of the filter's name: one is kept.
        self._filters: dict[str | None, str | None] = {}

    def take(self, block: memoryview, number: int) -> int:
        """Take all lines of a piece; return their count, or 0 where one of them is no plain row."""
        try:
            batch = self._decoder.decode_lines(block)
        except (msgspec.DecodeError, RecursionError):
            return 0
        rows = self._rows
        before = len(rows.doc_ids)
        rows.doc_ids += map(attrgetter("doc_id"), batch)
        rows.doc_hashes += map(attrgetter("doc_hash"), batch)
        rows.lines += range(number, number + len(batch))
        filters = list(map(attrgetter("filter"), batch))
        rows.filters += map(self._filters.setdefault, filters, filters)
        for place, column in enumerate(self._columns):
            column.extend([None] * (before - len(column)))
            column.extend(map(attrgetter(f"m{place}"), batch))
        return len(batch)


def _fast_lines(rows: SampleRows, line: bytes, file: str) -> _FastLines | None:
    """Return what reads pieces of the file, made for its first row; ``None`` where that row is broken."""
    try:
        first = parsed(line, file=file, record="row 1")
    except LogError:
        # The slow way meets it again, and says so.
        return None
    if not is_object(first) or not isinstance(first.get("doc_id"), int | str):
        return None
    metrics = _metric_names(first)
    scalar = [name for name in metrics if not is_array(first.get(name)) and not is_object(first.get(name))]
    rows.not_per_case.update(set(metrics) - set(scalar))
    return _FastLines(rows, first, scalar)


def _take_slowly(rows: SampleRows, block: bytes, number: int, file: str, options: ReadOptions, *, is_last: bool) -> int:
    lines = [line for line in block.split(b"\n") if line.strip()]
    for place, line in enumerate(lines):
        try:
            _take_line(rows, line, number + place, file)
        except LogError as fault:
            if isinstance(fault, CutError) and is_last and place == len(lines) - 1 and not block.endswith(b"\n"):
                rows.is_cut = True
                rows.problems.append(Problem(text=_CUT.format(counted(len(rows.doc_ids), "row", "rows")), file=file))
            elif options.tolerant:
                text = f"{without_advice(fault)} This row is left out."
                rows.has_gaps = True
                rows.problems.append(Problem(text=text, file=fault.file, record=fault.record))
            else:
                raise
    return number + len(lines)


def _line_type(first: Mapping[str, object], scalar: list[str]) -> type[_Line]:
    # Fields beyond these make the fast reader refuse the line, so that a metric which comes later is not lost.
    passive = [name for name in dict.fromkeys([*_DESCRIPTION, *first]) if name not in {*_IDENTITY, *scalar}]
    fields: list[tuple[str, Any, Any]] = [("filter", str | None, None), ("doc_hash", str | None, None)]
    names = {f"m{place}": name for place, name in enumerate(scalar)}
    fields += [(attribute, Value, None) for attribute in names]
    names |= {f"p{place}": name for place, name in enumerate(passive)}
    fields += [(f"p{place}", msgspec.Raw, msgspec.Raw()) for place in range(len(passive))]
    kind = msgspec.defstruct(
        "Line", [("doc_id", int | str), *fields], rename=names, forbid_unknown_fields=True, gc=False
    )
    return cast("type[_Line]", kind)


def _take_line(rows: SampleRows, line: bytes, number: int, file: str) -> None:
    record = f"row {number + 1}"
    try:
        row: object = json.loads(line)
    except json.JSONDecodeError as fault:
        kind = CutError if is_cut(fault) else LogError
        raise kind(file, f"is no valid JSON: {fault.msg} (column {fault.colno}).", record=record) from fault
    except (ValueError, RecursionError):
        # Read once more for the error text that tells the two apart.
        row = parsed(line, file=file, record=record)
    if not is_object(row):
        raise LogError(file, "is no JSON object.", record=record)
    _take_object(rows, row, number, file)


def _take_object(rows: SampleRows, row: Mapping[str, object], number: int, file: str) -> None:
    doc_id = row.get("doc_id")
    if not isinstance(doc_id, int | str):
        problem = f"expected a number or a text, got {doc_id!r}."
        raise LogError(file, problem, record=f"row {number + 1}", field="doc_id")
    before = len(rows.doc_ids)
    rows.doc_ids.append(doc_id)
    rows.filters.append(_text_or_none(row.get("filter")))
    rows.doc_hashes.append(_text_or_none(row.get("doc_hash")))
    rows.lines.append(number)
    for name in _metric_names(row):
        value = row.get(name)
        if isinstance(value, float | int | str) or value is None:
            column = rows.values.setdefault(name, [])
            # A metric that comes up late, or only now and then, has no value in the rows between.
            column.extend([None] * (before - len(column)))
            column.append(value)
        else:
            rows.not_per_case.add(name)
    _level(rows)


def _level(rows: SampleRows) -> None:
    """Make all columns as long as the rows that were read."""
    for column in rows.values.values():
        column.extend([None] * (len(rows.doc_ids) - len(column)))


def _metric_names(row: Mapping[str, object]) -> list[str]:
    """Return the metrics of a row: it lists them since 0.4.7; before, they are the numbers among its other members."""
    listed = row.get("metrics")
    if is_array(listed):
        return [str(name) for name in listed]
    others = {name: value for name, value in row.items() if name not in {*_DESCRIPTION, *_IDENTITY}}
    return [name for name, value in others.items() if not isinstance(value, str)]


def _text_or_none(value: object) -> str | None:
    return value if isinstance(value, str) else None
