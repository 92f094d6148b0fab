"""Records that stand as text in the cells of a table, as platforms and data frames write them to CSV."""

from __future__ import annotations

import ast
import json
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from evalgauge.formats.aliases import plain_name
from evalgauge.formats.columns import Words, encoded_values
from evalgauge.formats.typed_columns import json_of, nested_columns

if TYPE_CHECKING:
    from collections.abc import Collection

    from evalgauge.formats.columns import Column, Table
    from evalgauge.scores.table import Json

_SCORES = frozenset({"scores", "score", "feedback", "evaluations", "annotations", "assertions"})
# Python's own reader of literals is quadratic at worst, and no record of scores is as long.
_LONGEST_LITERAL = 20_000
_NOTHING = frozenset({"null", "None"})


def with_records_laid_out(table: Table, named: Collection[str] = ()) -> Table:
    """Return the table with its records of scores, and what else is a record beside them, in columns as of JSON.

    A table without a column of such scores is returned as it is: text that looks like a record may be what a case asks.

    Parameters
    ----------
    table
        Cells in columns.
    named
        Columns that the user named: they stay.

    Examples
    --------
    >>> from evalgauge.formats.columns import Table, encoded_texts
    >>> column = encoded_texts("scores", ['{"fit": 0.5}', "", "{'fit': 1.0}"])
    >>> table = Table(file="x.csv", columns=(column,), n_rows=3, stem="x", digest="")
    >>> with_records_laid_out(table).names
    ('scores.fit',)
    """
    free = [column for column in table.columns if column.name not in named]
    if not any(plain_name(column.name) in _SCORES and _records(column) for column in free):
        return table
    return laid_out(table, [column.name for column in free])


def laid_out(table: Table, names: Collection[str]) -> Table:
    """Return the table with each of these columns that holds nothing but records as columns of their members."""
    columns: list[Column] = []
    for column in table.columns:
        values = _records(column) if column.name in names else []
        if not values:
            columns.append(column)
            continue
        words = cast("Words", column)
        # The place after the last is what a code of -1, a row without a cell, stands for.
        cells = [[*values, None][code] for code in words.codes.tolist()]
        columns += nested_columns(column.name, cells, None)
    known: dict[str, Column] = {}
    for column in columns:
        known.setdefault(column.name, column)
    return replace(table, columns=tuple(known.values()))


def _records(column: Column) -> list[Json]:
    """Return the distinct cells of a column as records, or nothing where some cell is none."""
    if not isinstance(column, Words):
        return []
    found: list[Json] = []
    for value in column.values:
        read = parsed(value) if isinstance(value, str) else value
        if not (read is None or isinstance(read, dict) or _is_list_of_records(read)):
            return []
        found.append(read)
    return found if any(found) else []


def _is_list_of_records(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) for one in value)


def alone(column: Column) -> Column:
    """Return a column of lists with the one value of each list in its place; other columns are returned as they are.

    A list of several values is kept as it is: which of them counts, no reader knows.

    Examples
    --------
    >>> from evalgauge.formats.columns import encoded_texts
    >>> alone(encoded_texts("fit", ["[1]", "[]", "[0.5]"])).numbers.tolist()
    [1.0, nan, 0.5]
    """
    if not isinstance(column, Words):
        return column
    read = [parsed(value) if isinstance(value, str) else value for value in column.values]
    if not read or not all(value is None or isinstance(value, list) for value in read):
        return column
    single = [value if not isinstance(value, list) or len(value) > 1 else (value or [None])[0] for value in read]
    return encoded_values(column.name, [[*single, None][code] for code in column.codes.tolist()])


def parsed(text: str) -> Json:
    """Return what a cell spells as JSON or as Python writes it, or the text itself.

    Examples
    --------
    >>> parsed('{"fit": 1}'), parsed("{'fit': None}"), parsed("[0.5]"), parsed("null"), parsed("{fit}")
    ({'fit': 1}, {'fit': None}, [0.5], None, '{fit}')
    """
    if text in _NOTHING:
        return None
    if not (text.startswith(("{", "[")) and text.endswith(("}", "]"))):
        return text
    try:
        return cast("Json", json.loads(text))
    except (ValueError, RecursionError):
        pass
    if len(text) > _LONGEST_LITERAL:
        return text
    try:
        with warnings.catch_warnings():
            # A backslash that starts no escape is the text's own affair.
            warnings.simplefilter("ignore")
            return json_of(ast.literal_eval(text))
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
