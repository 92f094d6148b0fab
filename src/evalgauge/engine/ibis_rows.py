"""Counting the rows of a table on Spark or in a warehouse: one Ibis expression for all of them.

Ibis has no stubs of its own types that a strict checker follows, so what this module needs of it stays in this module.
"""

from __future__ import annotations

import os
import sys
import warnings
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from evalgauge.engine.counts import MOST_ROWS, Counts, UnsuitedError, too_many
from evalgauge.engine.duck import Fetched
from evalgauge.errors import ArgumentError, EvalgaugeError, LogError, MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.engine.counts import CaseCounts, Cell, CountQuery
    from evalgauge.engine.duck import Kind

ADDRESSES = "spark://HOST:PORT (or spark://local), sc://HOST:PORT for Spark Connect, or ibis:URL"
_READERS = {".parquet": "read_parquet", ".csv": "read_csv", ".json": "read_json", ".jsonl": "read_json"}
_EXTRA = (
    "Tables on Spark or in a warehouse need packages that are not installed. Say: pip install 'evalgauge[distributed]'"
)


@contextmanager
def engine_rows(address: str, table: str) -> Generator[IbisRows]:
    """Open a table in an engine.

    Parameters
    ----------
    address
        ``spark://HOST:PORT``, ``spark://local``, ``sc://HOST:PORT`` (Spark Connect), or ``ibis:URL`` with any address
        that ``ibis.connect`` takes.
    table
        Name of a table there, with its schema before a point, or the path of Parquet, CSV or JSON that the engine can
        reach.

    Raises
    ------
    ArgumentError
        If the address is of another kind.
    MissingExtraError
        If Ibis or Spark is not installed.
    LogError
        If the engine cannot be reached, or holds no such table.
    """
    with _refusals(table):
        backend = _backend(address)
        yield IbisRows(backend, _table(backend, table), label=table)


def frame_rows(frame: object) -> IbisRows | None:
    """Return a Spark frame or a table of Ibis as rows in its engine, or ``None`` where it is neither."""
    origin = type(frame).__module__
    if origin.startswith("ibis."):
        table = cast("Any", frame)
        return IbisRows(table.get_backend(), table, label="data frame")
    if not origin.startswith("pyspark.sql"):
        return None
    try:
        ibis = import_module("ibis")
    except ImportError:
        return None
    spark = cast("Any", frame)
    name = f"evalgauge_{id(frame):x}"
    spark.createOrReplaceTempView(name)
    backend = ibis.pyspark.connect(spark.sparkSession)
    return IbisRows(backend, backend.table(name), label="data frame")


class IbisRows:
    """A table in the engine of an Ibis backend."""

    has_bits = False
    """Spark has no sum of bits that Ibis knows: rep numbers are checked by a query of their own."""

    def __init__(self, backend: Any, table: Any, *, label: str) -> None:  # noqa: ANN401 - types of Ibis
        self.label = label
        self._backend = backend
        self._table = table
        self._types: dict[str, Any] = dict(table.schema().items())

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The columns and what they hold."""
        return {name: _kind(kind) for name, kind in self._types.items()}

    def head(self, n_rows: int) -> Sequence[Fetched]:
        """Return some rows of every column that is not nested."""
        names = [name for name, kind in self.kinds.items() if kind != "nested"]
        rows = self._table.limit(n_rows).select([self._value(name).name(name) for name in names])
        return self._fetched(rows, [(name, name) for name in names])

    def extremes(self, names: Sequence[str]) -> Sequence[Fetched]:
        """Return the lowest and the highest value of columns, two rows."""
        ends = [
            self._table.aggregate([getattr(self._value(name), which)().name(name) for name in names])
            for which in ("min", "max")
        ]
        return self._fetched(ends[0].union(ends[1]), [(name, name) for name in names])

    def expression(self, query: CountQuery) -> Any:  # noqa: ANN401 - a table of Ibis
        """Return the one expression that reduces a table: the same on every engine."""
        keys = [self._value(name).name(f"k{place}") for place, name in enumerate(query.keys)]
        measures: dict[str, Any] = {"n": self._table.count()}
        for place, name in enumerate(query.spans):
            value = self._value(name)
            measures |= {f"s{place}": value.min(), f"v{place}": (value.min() < value.max())}
        if query.rep is not None:
            measures["numbered"] = self._table[query.rep].count()
        # Sorted here and not there: to keep the first of many sorted rows, Spark holds all of them in one process.
        return self._table.group_by(keys).aggregate(**measures)

    def counts(self, query: CountQuery, *, most_rows: int = MOST_ROWS) -> Counts:
        """Count the rows that agree in the keys.

        Raises
        ------
        LogError
            If the table does not get smaller by counting.
        """
        kept = self._rows(self.expression(query))
        if kept.num_rows > most_rows:
            raise too_many(self.label, kept.num_rows, most_rows)
        named = [(f"k{place}", name) for place, name in enumerate(query.keys)]
        named += [(f"s{place}", name) for place, name in enumerate(query.spans)]
        count = _array(kept, "n")[0].astype(np.int64)
        varying: dict[str, NDArray[np.bool_]] = {}
        for place, name in enumerate(query.spans):
            values, missing = _array(kept, f"v{place}")
            varying[name] = values.astype(np.bool_) if missing is None else values.astype(np.bool_) & ~missing
        numbered = 0 if query.rep is None else int(_array(kept, "numbered")[0].astype(np.int64).sum())
        return Counts(
            columns=tuple(self._column(kept, view, name) for view, name in named),
            varying=varying,
            count=count,
            without_rep=0 if query.rep is None else int(count.sum()) - numbered,
        )

    def case_counts(self, query: CountQuery, seen: Mapping[str, Sequence[Cell]]) -> CaseCounts | None:  # noqa: ARG002 (one expression serves all engines)
        """Return ``None``: here every table is counted by the one expression."""
        return None

    def doubled(self, query: CountQuery) -> int:
        """Return how many rows repeat a case, run and rep."""
        names = [query.case, *query.runs, *([] if query.rep is None else [query.rep])]
        keys = [self._value(name).name(f"k{place}") for place, name in enumerate(sorted(set(names)))]
        counts = self._table.group_by(keys).aggregate(n=self._table.count())
        again = counts.filter(counts["n"] > 1)
        found = self._rows(again.aggregate(rows=again["n"].sum(), groups=again.count()))
        rows, groups = (_array(found, name) for name in ("rows", "groups"))
        # A sum over no rows is missing.
        return 0 if rows[1] is not None and rows[1].any() else int(rows[0][0]) - int(groups[0][0])

    def _value(self, name: str) -> Any:  # noqa: ANN401 - a column of Ibis
        column, kind = self._table[name], self._types[name]
        if kind.is_floating() or kind.is_decimal():
            return column.cast("float64")
        if kind.is_boolean() or kind.is_nested():
            return column
        # Unsigned 64-bit integers stay text: as floats, two ids could become one.
        return column.cast("int64") if kind.is_integer() and str(kind).strip("!") != "uint64" else column.cast("string")

    def _rows(self, expression: Any) -> Any:  # noqa: ANN401 - Ibis in, Arrow out
        with warnings.catch_warnings():
            # Engines warn of what their own libraries will change; nobody here can act on it.
            warnings.simplefilter("ignore")
            if self._backend.name == "pyspark":
                # Ibis goes through pandas here, which makes floats of whole numbers with gaps.
                return self._backend._session.sql(str(self._backend.compile(expression))).toArrow()  # noqa: SLF001
            return self._backend.to_pyarrow(expression)

    def _fetched(self, expression: Any, named: Sequence[tuple[str, str]]) -> list[Fetched]:  # noqa: ANN401 - of Ibis
        rows = self._rows(expression)
        return [self._column(rows, view, name) for view, name in named]

    def _column(self, rows: Any, view: str, name: str) -> Fetched:  # noqa: ANN401 - an Arrow table
        values, missing = _array(rows, view)
        return Fetched(name=name, kind=_kind(self._types[name]), values=values, missing=missing)


def _kind(kind: Any) -> Kind:  # noqa: ANN401 - a type of Ibis
    if kind.is_nested() or kind.is_json():
        return "nested"
    is_number = kind.is_boolean() or kind.is_floating() or kind.is_decimal()
    return "number" if is_number or (kind.is_integer() and str(kind).strip("!") != "uint64") else "text"


def _array(rows: Any, name: str) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:  # noqa: ANN401 - Arrow
    column = rows.column(name).combine_chunks()
    missing: NDArray[np.bool_] | None = None
    if column.null_count:
        missing = cast("NDArray[np.bool_]", column.is_null().to_numpy(zero_copy_only=False)).astype(np.bool_)
        # Filled first: whole numbers with gaps would come as floats, and long ids would lose digits.
        fill = "" if str(column.type).endswith("string") else False if str(column.type) == "bool" else 0
        column = column.fill_null(fill)
    return cast("NDArray[np.generic]", column.to_numpy(zero_copy_only=False)), missing


def _backend(address: str) -> Any:  # noqa: ANN401 - a backend of Ibis
    scheme, _, rest = address.partition(":")
    if scheme not in {"spark", "sc", "ibis"} or not rest.strip("/"):
        raise ArgumentError("engine", address, ADDRESSES)
    try:
        ibis = import_module("ibis")
        if scheme == "ibis":
            return ibis.connect(rest)
        sessions = import_module("pyspark.sql").SparkSession
    except ImportError as error:
        raise MissingExtraError(_EXTRA) from error
    # Spark starts its workers with the first Python on the path where nothing says which.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if scheme == "sc":
            return ibis.pyspark.connect(sessions.builder.remote(address).getOrCreate())
        place = rest.lstrip("/")
        master = place if place.startswith("local") else address
        quiet = sessions.builder.master(master).appName("evalgauge").config("spark.ui.showConsoleProgress", "false")
        return ibis.pyspark.connect(quiet.getOrCreate())


def _table(backend: Any, table: str) -> Any:  # noqa: ANN401 - of Ibis
    stem, point, ending = table.rpartition(".")
    reader = _READERS.get(f".{ending.lower()}") if point else None
    if reader is not None or "/" in table:
        options: dict[str, Any] = {}
        if reader == "read_csv":
            # Text, as in every CSV file: what a cell means is said by one function for all engines.
            options = {"header": True} if backend.name == "pyspark" else {"all_varchar": True}
        return getattr(backend, reader or "read_parquet")(table, **options)
    if not point:
        return backend.table(table)
    return backend.table(ending, database=tuple(stem.split(".")) if "." in stem else stem)


@contextmanager
def _refusals(table: str) -> Generator[None]:
    try:
        yield
    except (EvalgaugeError, UnsuitedError):
        raise
    except Exception as error:
        # Each engine raises errors of its own, and their texts run over many lines.
        first = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        hint = "Check its name and the address, and that the engine may read it."
        raise LogError(table, f"cannot be read by the engine: {first[:300].rstrip('.')}.", hint=hint) from error
