"""JSON lines: one record a line."""

from __future__ import annotations

import codecs
import io
from dataclasses import replace
from typing import TYPE_CHECKING, BinaryIO, cast

from evalgauge.engine.counts import UnsuitedError
from evalgauge.errors import LogError
from evalgauge.formats.json_text import CutError, decoded, is_object
from evalgauge.formats.large_table import Origin, counted_table
from evalgauge.formats.plain_text import arm_name, digest_of, digest_of_all, encoding_of, head_text
from evalgauge.formats.records import table_of_records
from evalgauge.formats.score_table import LARGE_ROWS, table_of
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import Json, ScoreTable

ENGINE_ABOVE = 64 * 2**20
"""Bytes from which on DuckDB counts the records; both ways give the same answer."""

_SUFFIXES = frozenset({".jsonl", ".ndjson"})
_PROGRESS_EVERY = 10_000


class JsonlReader:
    """Reads JSON lines."""

    name = "jsonl"
    title = "JSON lines"

    def claims(self, source: Source) -> bool:
        """Return whether the first line is a whole JSON object and a second one follows, or the name says so."""
        text = None if source.is_folder else head_text(source.head)
        if not text or not text.lstrip("\ufeff \t\r\n").startswith("{"):
            return False
        if source.suffix in _SUFFIXES:
            return True
        first, line_end, rest = text.lstrip().partition("\n")
        if not line_end or not rest.lstrip().startswith("{"):
            return False
        try:
            return is_object(decoded(first.encode(), object, file=source.name))
        except LogError:
            return False

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores, or raise ``LogError`` naming the line."""
        if options.is_counted and (large := large_jsonl([source.path], source, options)) is not None:
            return large
        problems: list[Problem] = []
        table = table_of_records(
            _records(source, options, problems), file=source.name, stem=arm_name(source), digest=digest_of(source.path)
        )
        if not table.n_rows and not problems:
            raise LogError(source.name, "is empty.", hint="Was the run cut off before it wrote anything?")
        return table_of(replace(table, problems=tuple(problems)), options)


READER = JsonlReader()


def large_jsonl(files: Sequence[Path], source: Source, options: ReadOptions) -> ScoreTable | None:
    """Return the scores of files of JSON lines that are one large table, or ``None`` where they are read by line."""
    if sum(file.stat().st_size for file in files) < ENGINE_ABOVE:
        return None
    if any(encoding_of(file) != "utf-8-sig" or _starts_with_mark(file) for file in files):
        return None
    from evalgauge.engine.duck_counts import jsonl_rows  # noqa: PLC0415 (the engine is loaded only where it is needed)

    origin = Origin(file=source.name, stem=arm_name(source), digest=digest_of_all(files))
    try:
        with jsonl_rows(files, label=source.name) as rows:
            return counted_table(rows, origin, options, least_rows=LARGE_ROWS)
    except (UnsuitedError, LogError):
        # Read by line, a record that is none is named.
        return None


def _starts_with_mark(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(3) == codecs.BOM_UTF8


def _records(source: Source, options: ReadOptions, problems: list[Problem]) -> Iterator[Mapping[str, Json]]:
    skipped: list[int] = []
    for number, line, is_last in _lines(source, options):
        try:
            value = decoded(line.strip(), object, file=source.name, record=f"line {number}")
        except LogError as fault:
            is_cut = isinstance(fault, CutError)
            if is_last and is_cut and not line.endswith(b"\n"):
                text = f"The last line (line {number}) is cut off and was left out: the run may not have finished."
                problems.append(Problem(text=text, file=source.name, record=f"line {number}"))
            elif options.tolerant:
                skipped.append(number)
            elif is_cut:
                hint = "Remove the line, or leave such lines out with --tolerant."
                raise LogError(
                    source.name, "ends before its record does.", record=f"line {number}", hint=hint
                ) from fault
            elif line.rstrip().endswith(b","):
                hint = "Remove the commas at the ends of the lines, or put the whole in [ ] and call it .json."
                raise LogError(
                    source.name, "ends with a comma, which JSON Lines do not have.", record=f"line {number}", hint=hint
                ) from fault
            else:
                raise
            continue
        if not is_object(value) and options.tolerant:
            skipped.append(number)
            continue
        if not is_object(value):
            raise LogError(
                source.name,
                f"holds {_kind(value)}, a record in braces is needed.",
                record=f"line {number}",
                hint='One line a score, such as: {"case": "q1", "score": 1}',
            )
        yield cast("Mapping[str, Json]", value)
    if skipped:
        lines = counted(len(skipped), "line", "lines")
        text = f"Left out: {lines} that cannot be read as JSON records (first: line {skipped[0]})."
        problems.append(Problem(text=text, file=source.name, count=len(skipped)))


def _lines(source: Source, options: ReadOptions) -> Iterator[tuple[int, bytes, bool]]:
    """Return number, text and whether it is the last one, of every line that is not blank."""
    encoding = encoding_of(source.path)
    done = 0
    with _utf8(source, encoding) as lines:
        total = lines.seek(0, io.SEEK_END)
        lines.seek(0)
        for number, line in enumerate(lines, start=1):
            done += len(line)
            if number % _PROGRESS_EVERY == 0:
                options.progress(done, total)
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if text.strip():
                yield number, text, done >= total
        options.progress(total, total)


def _utf8(source: Source, encoding: str) -> BinaryIO:
    if encoding == "utf-8-sig":
        return source.path.open("rb")
    return io.BytesIO(source.path.read_bytes().decode(encoding, errors="replace").encode())


def _kind(value: object) -> str:
    return "a list" if isinstance(value, list) else f"the single value {value!r}"
