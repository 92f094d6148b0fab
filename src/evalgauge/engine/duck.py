"""The door to DuckDB: Parquet and large CSV files in, Parquet out, results as NumPy arrays.

DuckDB is imported inside the functions, so that a command that reads a small file does not load it. Nothing is fetched
from the net: extensions are neither installed nor loaded.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, cast

import numpy as np

from evalgauge.errors import LogError

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

MEMORY_LIMIT = "1GB"
Kind: TypeAlias = Literal["text", "number", "nested"]

_WHOLE = frozenset({"tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger"})
_REAL = frozenset({"float", "double", "decimal"})
_NESTED = frozenset({"struct", "list", "array", "map", "union"})


class Type(Protocol):
    """A type of DuckDB."""

    @property
    def id(self) -> str:
        """Its name in small letters."""
        ...


class Relation(Protocol):
    """What is needed of a relation of DuckDB."""

    @property
    def columns(self) -> list[str]:
        """The names of its columns."""
        ...

    @property
    def types(self) -> Sequence[Type]:
        """Their types."""
        ...

    def project(self, expressions: str, /) -> Relation:
        """Return a relation of these expressions."""
        ...

    def fetchnumpy(self) -> Mapping[str, object]:
        """Return all rows, an array or a masked array per column."""
        ...


class Connection(Protocol):
    """What is needed of a connection of DuckDB."""

    def sql(self, query: str, *, params: object = None) -> Relation:
        """Return what a query gives, unread."""
        ...

    def execute(self, query: str, parameters: object = None) -> object:
        """Run a statement."""
        ...

    def register(self, view_name: str, python_object: object) -> object:
        """Give arrays a name in SQL."""
        ...

    def close(self) -> None:
        """Let go of memory and files."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fetched:
    """One column of a result.

    Attributes
    ----------
    name
        Its name.
    kind
        ``"number"`` for int64, float64 and bool; ``"text"`` for str objects; ``"nested"`` for lists and mappings.
    values
        One entry per row.
    missing
        Where a row has none; ``None`` where every row has one.
    """

    name: str
    kind: Kind
    values: NDArray[np.generic]
    missing: NDArray[np.bool_] | None


def parquet_columns(
    path: Path, *, label: str, only: Sequence[str] = (), memory_limit: str = MEMORY_LIMIT
) -> Iterator[Fetched]:
    """Return the columns of a Parquet file, in order, read one at a time.

    Parameters
    ----------
    path
        The file.
    label
        What messages call it.
    only
        Columns to read; all when left out.
    memory_limit
        What DuckDB may hold before it spills to a temporary folder, such as ``"1GB"``.

    Raises
    ------
    LogError
        If the file is cut off or damaged, or lacks one of the columns.
    """
    with connected(memory_limit) as connection, unglobbed(path) as file, log_errors(label):
        chosen = ", ".join(map(identifier, only)) or "*"
        query = f"SELECT {chosen} FROM read_parquet({quoted(file)}, hive_partitioning=false)"  # noqa: S608 (quoted above)
        relation = connection.sql(query)
        for name, kind in zip(relation.columns, relation.types, strict=True):
            yield from fetched(relation, [(name, kind)])


def csv_columns(
    path: Path, *, names: Sequence[str], delimiter: str, memory_limit: str = MEMORY_LIMIT
) -> Iterator[Fetched]:
    """Return the cells of a CSV file as text, in order; the first record, the header, is skipped.

    Parameters
    ----------
    path
        A UTF-8 file.
    names
        One name per column.
    delimiter
        One character.
    memory_limit
        What DuckDB may hold before it spills to a temporary folder.

    Raises
    ------
    LogError
        If a record has another number of cells, or the quoting is not that of RFC 4180.
    """
    columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    with connected(memory_limit) as connection, unglobbed(path) as file, log_errors(str(path)):
        connection.execute(
            f"CREATE TABLE cells AS SELECT * FROM read_csv({quoted(file)}, auto_detect=false, header=true, "  # noqa: S608
            f"columns={{{columns}}}, delim={quoted(delimiter)}, quote='\"', escape='\"', strict_mode=true, "
            "null_padding=false, hive_partitioning=false)"
        )
        cells = connection.sql("SELECT * FROM cells")
        for place, name in enumerate(names):
            (column,) = fetched(cells, [(f"c{place}", cells.types[place])])
            yield Fetched(name=name, kind="text", values=column.values, missing=column.missing)


def relation_columns(relation: object) -> list[Fetched]:
    """Return the columns of a relation of DuckDB, of any connection.

    They are fetched by one query: run twice, a query without an order may give its rows in another one.
    """
    source = cast("Relation", relation)
    return fetched(source, list(zip(source.columns, source.types, strict=True)))


def is_relation(value: object) -> bool:
    """Return whether a value is a relation of DuckDB, without importing DuckDB."""
    kind = type(value)
    return kind.__name__ == "DuckDBPyRelation" and kind.__module__.lstrip("_").split(".")[0] == "duckdb"


def write_parquet(columns: Mapping[str, NDArray[np.generic]], path: Path) -> None:
    """Write columns of equal length to a Parquet file; NaN and ``None`` become NULL, objects become text.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    import duckdb  # noqa: PLC0415 (loaded only where a Parquet file is written)

    views = {f"c{place}": array for place, array in enumerate(columns.values())}
    chosen = ", ".join(
        f"{_cell(view, array)} AS {identifier(name)}"
        for (view, array), name in zip(views.items(), columns, strict=True)
    )
    with connected(MEMORY_LIMIT) as connection:
        # Sampling rows to guess a type fails where a column starts with thousands of empty cells.
        connection.execute("SET pandas_analyze_sample=0")
        connection.register("score_rows", views)
        copy = f"COPY (SELECT {chosen} FROM score_rows) TO {quoted(path)} (FORMAT parquet, COMPRESSION zstd)"  # noqa: S608
        try:
            connection.execute(copy)
        except duckdb.IOException as fault:
            # The engine puts the system's reason into its text alone.
            text = str(fault).splitlines()[0]
            is_full = os.strerror(errno.ENOSPC) in text
            raise OSError(*((errno.ENOSPC, os.strerror(errno.ENOSPC)) if is_full else (errno.EIO, text))) from fault


def _cell(view: str, array: NDArray[np.generic]) -> str:
    if array.dtype.kind == "O":
        return f"CAST({view} AS VARCHAR)"
    return f"CASE WHEN isnan({view}) THEN NULL ELSE {view} END" if array.dtype.kind == "f" else view


def fetched(relation: Relation, columns: list[tuple[str, Type]]) -> list[Fetched]:
    """Return columns of a relation by one query."""
    expressions = [f"{expression(name, kind)} AS c{place}" for place, (name, kind) in enumerate(columns)]
    result = relation.project(", ".join(expressions)).fetchnumpy()
    found: list[Fetched] = []
    for (name, kind), array in zip(columns, result.values(), strict=True):
        missing: NDArray[np.bool_] | None = None
        values = cast("NDArray[np.generic]", array)
        if isinstance(array, np.ma.MaskedArray):
            masked = cast("np.ma.MaskedArray[tuple[int], np.dtype[np.generic]]", array)
            missing = np.ma.getmaskarray(masked)
            values = np.asarray(masked.data)
        found.append(Fetched(name=name, kind=kind_of(kind), values=values, missing=missing))
    return found


def parted(array: object) -> tuple[NDArray[np.generic], NDArray[np.bool_] | None]:
    """Return the values of a fetched column, and where a row has none."""
    if isinstance(array, np.ma.MaskedArray):
        masked = cast("np.ma.MaskedArray[tuple[int], np.dtype[np.generic]]", array)
        return np.asarray(masked.data), np.ma.getmaskarray(masked)
    return cast("NDArray[np.generic]", array), None


def kind_of(kind: Type) -> Kind:
    """Return what a type of DuckDB is read as."""
    if kind.id == "boolean" or kind.id in _WHOLE or kind.id in _REAL:
        return "number"
    return "nested" if kind.id in _NESTED else "text"


def expression(name: str, kind: Type) -> str:
    """Return the SQL of a column as one of the types that are read."""
    column = identifier(name)
    if kind.id == "boolean" or kind.id in _NESTED:
        return column
    # 128-bit integers and unsigned 64-bit ones stay text: as floats, two ids could become one.
    target = "BIGINT" if kind.id in _WHOLE else "DOUBLE" if kind.id in _REAL else "VARCHAR"
    return f"CAST({column} AS {target})"


@contextmanager
def connected(memory_limit: str) -> Generator[Connection]:
    """Open a database in memory that spills to a temporary folder, gone at the end."""
    import duckdb  # noqa: PLC0415 (loaded only where a large table is read)

    spill = tempfile.mkdtemp(prefix="evalgauge-")
    connection = duckdb.connect(
        ":memory:",
        config={
            "memory_limit": memory_limit,
            "temp_directory": spill,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )
    try:
        yield cast("Connection", connection)
    finally:
        connection.close()
        shutil.rmtree(spill, ignore_errors=True)


@contextmanager
def log_errors(label: str) -> Generator[None]:
    """Turn what DuckDB says into a refusal that names the log."""
    import duckdb  # noqa: PLC0415 (loaded only where a large table is read)

    try:
        yield
    except duckdb.OutOfMemoryException as error:
        hint = "Keep the columns of cases, arms, reps and scores, or split the file."
        raise LogError(label, "does not fit into the memory that the engine may use.", hint=hint) from error
    except UnicodeDecodeError as error:
        raise LogError(label, "holds text that is no UTF-8.", hint="The file may be damaged: copy it again.") from error
    except duckdb.Error as error:
        first = str(error).splitlines()[0].rstrip(".")
        raise LogError(
            label, f"cannot be read: {first}.", hint="The file may be cut off: copy or write it again."
        ) from error


@contextmanager
def unglobbed(path: Path) -> Generator[Path]:
    """Give a path that DuckDB does not take for a pattern."""
    if not set(str(path)) & set("*?[{"):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="evalgauge-") as folder:
        plain = Path(folder) / f"table{path.suffix}"
        try:
            plain.symlink_to(path.resolve())
        except OSError:
            # Windows lets few users make links; a copy costs time but reads the same.
            shutil.copyfile(path, plain)
        yield plain


def quoted(text: str | os.PathLike[str]) -> str:
    """Return text as a literal of SQL."""
    return "'" + os.fspath(text).replace("'", "''") + "'"


def identifier(name: str) -> str:
    """Return the name of a column as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'
