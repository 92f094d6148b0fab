"""From JSON records to a table: nested keys become columns with dotted names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.formats import aliases
from evalgauge.formats.columns import Table, encoded_values

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from evalgauge.scores.table import Json, Problem

# A case's input or target may be a record of variables: it stays whole, since together they are its identity.
_WHOLE = frozenset({*aliases.INPUT, *aliases.TARGET, *aliases.CHOICES})
_NAMES = ("name", "metric", "key")
_VALUES = ("score", "value", "passed")


def table_of_records(
    records: Iterable[Mapping[str, Json]],
    *,
    file: str,
    stem: str,
    digest: str,
    problems: Iterable[Problem] = (),
) -> Table:
    """Return records as columns, in order of appearance of their keys.

    A list of named scores, ``{"annotations": [{"name": "fit", "score": 1}]}``, becomes the column ``annotations.fit``.

    Examples
    --------
    >>> table = table_of_records([{"id": 1, "scores": {"fit": 0.5}}], file="x.jsonl", stem="x", digest="")
    >>> table.names
    ('id', 'scores.fit')
    """
    columns: dict[str, list[Json]] = {}
    n_rows = 0
    for record in records:
        for name, value in _leaves(record, ""):
            cells = columns.setdefault(name, [])
            if len(cells) <= n_rows:
                cells.extend([None] * (n_rows - len(cells)))
                cells.append(value)
        n_rows += 1
    for cells in columns.values():
        cells.extend([None] * (n_rows - len(cells)))
    return Table(
        file=file,
        columns=tuple(encoded_values(name, cells) for name, cells in columns.items()),
        n_rows=n_rows,
        stem=stem,
        digest=digest,
        problems=tuple(problems),
    )


def _leaves(record: Mapping[str, Json], prefix: str) -> Iterator[tuple[str, Json]]:
    for key, value in record.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict) and not (not prefix and aliases.plain_name(key) in _WHOLE):
            yield from _leaves(value, f"{name}.")
        elif isinstance(value, list) and value and (named := _named_scores(value)):
            yield from ((f"{name}.{metric}", score) for metric, score in named.items())
        else:
            yield name, value


def _named_scores(entries: list[Json]) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for entry in entries:
        if not isinstance(entry, dict):
            return {}
        name = next((entry[key] for key in _NAMES if isinstance(entry.get(key), str)), None)
        key = next((key for key in _VALUES if key in entry), None)
        if name is None or key is None:
            return {}
        found.setdefault(str(name), entry[key])
    return found
