"""Typed columns of an engine or a data frame as columns of a table: nested ones are flattened like JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from evalgauge.formats.columns import Encoder, Numbers, encoded_values
from evalgauge.formats.records import table_of_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.engine.duck import Fetched
    from evalgauge.formats.columns import Column
    from evalgauge.scores.table import Json


def columns_of_fetched(fetched: Iterable[Fetched]) -> tuple[Column, ...]:
    """Return the columns of an engine's result."""
    columns: list[Column] = []
    for one in fetched:
        if one.kind == "number":
            columns.append(number_column(one.name, one.values, one.missing))
        elif one.kind == "text":
            columns.append(text_column(one.name, one.values, one.missing))
        else:
            columns.extend(nested_columns(one.name, one.values.tolist(), one.missing))
    return tuple(columns)


def number_column(name: str, values: NDArray[np.generic], missing: NDArray[np.bool_] | None) -> Numbers:
    """Return a column of int64, float64 or bool; smaller types are widened."""
    kind = values.dtype.kind
    if kind == "b":
        return Numbers(name=name, numbers=values.astype(np.bool_), missing=missing)
    if kind in "iu":
        return Numbers(name=name, numbers=values.astype(np.int64), missing=missing)
    return Numbers(name=name, numbers=values.astype(np.float64), missing=missing)


def text_column(name: str, values: NDArray[np.generic], missing: NDArray[np.bool_] | None) -> Column:
    """Return a column of text."""
    encoder = Encoder()
    encoder.extend((values if missing is None else np.where(missing, "", values)).tolist())
    return encoder.words(name)


def nested_columns(name: str, values: Sequence[object], missing: NDArray[np.bool_] | None) -> tuple[Column, ...]:
    """Return the columns of a column of lists, mappings or mixed values."""
    absent = [False] * len(values) if missing is None else missing.tolist()
    cells = [None if is_absent else json_of(value) for value, is_absent in zip(values, absent, strict=True)]
    if not any(isinstance(cell, (dict, list)) for cell in cells):
        return (encoded_values(name, cells),)
    table = table_of_records(({name: cell} for cell in cells), file="", stem="", digest="")
    # A mapping that is missing in one row leaves a column of its own name that holds nothing.
    return tuple(replace(column) for column in table.columns if not column.is_empty) or table.columns[:1]


def json_of(value: object) -> Json:
    """Return a value of an engine or a frame as a JSON value; NaN and what else frames call missing is ``None``."""
    if isinstance(value, (np.ndarray, np.generic)):
        return json_of(cast("object", value.tolist()))
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return None if np.isnan(value) else value
    if isinstance(value, dict):
        return {str(key): json_of(one) for key, one in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [json_of(one) for one in cast("Sequence[object]", value)]
    return None if value != value else str(value)  # noqa: PLR0124 (NaT differs from itself)
