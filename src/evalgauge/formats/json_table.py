"""One JSON document that holds a list of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard, cast

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.json_shapes import split_records, weave_records
from evalgauge.formats.json_text import CutError, decoded, read_until_cut
from evalgauge.formats.plain_text import arm_name, digest_of, encoding_of, head_text
from evalgauge.formats.records import table_of_records
from evalgauge.formats.score_table import table_of
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import Json, ScoreTable

    Records = Sequence[Mapping[str, Json]]

# Where an object holds several lists of records, one of these names tells which of them holds the scores.
_LISTS = (
    *("results", "item_results", "rows", "records", "samples", "cases", "items", "examples", "data", "scores"),
    "runs",
)
_HINT = 'A list of records is read, or an object with one: {"results": [{"case": "q1", "score": 1}]}.'


class JsonReader:
    """Reads a JSON list of records, or an object that holds one."""

    name = "json"
    title = "JSON records"

    def claims(self, source: Source) -> bool:
        """Return whether the text starts as a JSON list or object; JSON lines are asked for before."""
        text = None if source.is_folder else head_text(source.head)
        return bool(text) and str(text).lstrip("\ufeff \t\r\n").startswith(("{", "["))

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores, or raise ``LogError``."""
        problems: list[Problem] = []
        records = _records_of(_document(source, problems), source.name)
        if not records:
            raise LogError(source.name, "holds no record.", hint="Was the run cut off before its first case?")
        table = table_of_records(
            records,
            file=source.name,
            stem=arm_name(source),
            digest=digest_of(source.path),
            problems=problems,
        )
        return table_of(table, options)


READER = JsonReader()


def _document(source: Source, problems: list[Problem]) -> Json:
    data = source.path.read_bytes().decode(encoding_of(source.path), errors="replace").encode()
    try:
        return cast("Json", decoded(data, object, file=source.name))
    except CutError:
        found = _before_cut(data)
        if not found:
            raise
        note = f"The file is cut off: {counted(len(found), 'record was', 'records were')} read before the cut."
        problems.append(Problem(text=note, file=source.name))
        return found


def _before_cut(data: bytes) -> list[Json]:
    if data.lstrip().startswith(b"["):
        return cast("list[Json]", read_until_cut(b'{"records":' + data, "records").items)
    lists = (read_until_cut(data, name).items for name in _LISTS)
    return cast("list[Json]", next((found for found in lists if found), list[object]()))


def _records_of(document: Json, file: str) -> Records:
    if isinstance(document, list):
        if _are_records(document):
            return document
        odd = next(place for place, record in enumerate(document) if not isinstance(record, dict))
        raise LogError(file, f"entry {odd + 1} of the list is no record.", hint=_HINT)
    if not isinstance(document, dict):
        raise UnknownFormatError(file, "holds a single value.", hint=_HINT)
    for shape in (split_records, weave_records):
        found = shape(document)
        if found is not None:
            return found
    lists = {key: value for key, value in document.items() if isinstance(value, list) and value and _are_records(value)}
    if len(lists) > 1:
        lists = {key: value for key, value in lists.items() if key in _LISTS} or lists
    if len(lists) == 1:
        return next(iter(lists.values()))
    if lists:
        keys = ", ".join(repr(key) for key in lists)
        raise LogError(file, f"holds {len(lists)} lists of records: {keys}.", hint=f"Keep one of them. {_HINT}")
    if any(isinstance(value, (dict, list)) for value in document.values()):
        keys = ", ".join(repr(key) for key in list(document)[:30])
        raise UnknownFormatError(file, f"holds no list of records; its keys are {keys}.", hint=_HINT)
    return [document]


def _are_records(values: Sequence[object]) -> TypeGuard[Records]:
    return all(isinstance(value, dict) for value in values)
