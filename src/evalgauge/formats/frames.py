"""Data frames: pandas, Polars, Arrow, Spark and whatever else Narwhals knows, and relations of DuckDB.

The frame's own library is already there where a frame is; this module imports none of them.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import narwhals as nw
import numpy as np

from evalgauge.engine import duck
from evalgauge.engine.counts import UnsuitedError
from evalgauge.errors import ArgumentError
from evalgauge.formats.columns import Numbers, Table
from evalgauge.formats.large_table import Origin, counted_table
from evalgauge.formats.log_guard import reading
from evalgauge.formats.score_table import LARGE_ROWS, table_of
from evalgauge.formats.typed_columns import columns_of_fetched, nested_columns, number_column, text_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from evalgauge.formats.columns import Column
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import ScoreTable

_NAME = "data frame"
_ALLOWED = "a path, a list of paths, a data frame (pandas, Polars, Arrow, Spark, DuckDB) or a ScoreTable"


def table_of_frame(frame: object, options: ReadOptions) -> ScoreTable:
    """Return the scores of a data frame.

    Parameters
    ----------
    frame
        A frame that Narwhals knows, lazy or not, or a relation of DuckDB. A pandas index that has a name is a column.
    options
        As for files.

    Raises
    ------
    ArgumentError
        If it is no data frame.
    LogError
        If the columns are not understood, as for files.

    Examples
    --------
    >>> import polars as pl
    >>> from evalgauge.formats.protocol import ReadOptions
    >>> print(table_of_frame(pl.DataFrame({"case": ["a", "b"], "passed": [True, False]}), ReadOptions()))
    2 cases, 2 rows (2 scored), arms: data frame; metrics: passed
    """
    if options.is_counted and (large := _counted(frame, options)) is not None:
        return large
    # The frame's own library may fail in its own way: a lazy frame of a file that is gone, a type without values.
    with reading(_NAME):
        columns = columns_of_fetched(duck.relation_columns(frame)) if duck.is_relation(frame) else _columns(frame)
    if not columns:
        raise ArgumentError("source", "a data frame without columns", "a table with at least a column of scores")
    _refuse_twins(column.name for column in columns)
    table = Table(
        file=_NAME,
        columns=columns,
        n_rows=len(columns[0]),
        stem=_NAME,
        digest=_digest(columns),
    )
    return table_of(table, options)


def _counted(frame: object, options: ReadOptions) -> ScoreTable | None:
    """Return the scores of a frame that lies in an engine and is large, or ``None`` where it is to be read here."""
    if not type(frame).__module__.startswith(("pyspark.sql", "ibis.")):
        return None
    from evalgauge.engine.ibis_rows import frame_rows  # noqa: PLC0415 (loaded only where such a frame comes)

    rows = frame_rows(frame)
    if rows is None:
        return None
    try:
        return counted_table(rows, Origin(file=_NAME, stem=_NAME, digest=_NAME), options, least_rows=LARGE_ROWS)
    except UnsuitedError:
        return None


def _columns(frame: object) -> tuple[Column, ...]:
    try:
        native = nw.from_native(frame)  # pyright: ignore[reportCallIssue, reportArgumentType, reportUnknownVariableType] (any object may come)
    except TypeError:
        raise ArgumentError("source", type(frame).__name__, _ALLOWED) from None
    except nw.exceptions.DuplicateError:
        _refuse_twins(map(str, getattr(frame, "column_names", None) or getattr(frame, "columns", ())))
        raise
    eager = cast("nw.DataFrame[Any]", native.collect() if isinstance(native, nw.LazyFrame) else native)
    columns = [*_named_index(eager)]
    for series in eager.iter_columns():
        columns.extend(_of_series(series))
    return tuple(columns)


def _refuse_twins(names: Iterable[str]) -> None:
    """Refuse a frame that says one name of two columns: nobody could say which is meant."""
    twins = [name for name, count in Counter(names).items() if count > 1]
    if twins:
        came = f"a data frame with several columns {twins[0]!r}"
        raise ArgumentError("source", came, "one column of each name", "Rename them, or leave one out.")


def _named_index(frame: nw.DataFrame[Any]) -> list[Column]:
    """Return the levels of a pandas index that carry a name; an index without one only numbers the rows."""
    index = cast("object | None", nw.maybe_get_index(frame))
    names = cast("Sequence[object]", getattr(index, "names", ()))
    columns: list[Column] = []
    for level, name in enumerate(names):
        if name is not None and str(name) not in frame.columns:
            values = cast("list[object]", index.get_level_values(level).tolist())  # type: ignore[union-attr]
            columns.extend(nested_columns(str(name), values, None))
    return columns


def _of_series(series: nw.Series[Any]) -> tuple[Column, ...]:
    name, dtype = str(series.name), series.dtype
    if dtype.is_numeric() or isinstance(dtype, nw.Boolean):
        return (_numbers(name, series),)
    missing = cast("NDArray[np.bool_]", series.is_null().to_numpy()).astype(np.bool_)
    if isinstance(dtype, (nw.String, nw.Categorical, nw.Enum)):
        text = series if isinstance(dtype, nw.String) else series.cast(nw.String)
        return (text_column(name, _objects(text.to_list()), missing),)
    return nested_columns(name, series.to_list(), missing)


def _numbers(name: str, series: nw.Series[Any]) -> Numbers:
    missing: NDArray[np.bool_] | None = None
    if series.dtype.is_decimal():
        series = series.cast(nw.Float64)
    if series.null_count():
        missing = cast("NDArray[np.bool_]", series.is_null().to_numpy()).astype(np.bool_)
        # Filled first: a column of whole numbers with gaps would come as floats, and long ids would lose digits.
        series = series.fill_null(value=False if isinstance(series.dtype, nw.Boolean) else 0)
    return number_column(name, cast("NDArray[np.generic]", series.to_numpy()), missing)


def _objects(values: Sequence[object]) -> NDArray[np.object_]:
    array = np.empty(len(values), dtype=np.object_)
    array[:] = values
    return array


def _digest(columns: Sequence[Column]) -> str:
    found = hashlib.sha256()
    for column in columns:
        found.update(column.name.encode())
        if isinstance(column, Numbers):
            found.update(np.ascontiguousarray(column.numbers).tobytes())
        else:
            found.update(column.codes.tobytes())
            found.update("\x1f".join(map(str, column.values)).encode())
    return found.hexdigest()[:16]
