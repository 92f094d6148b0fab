"""Counting the rows of Parquet files and of large CSV files by DuckDB, within a memory limit."""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, cast

import numpy as np

from evalgauge.engine.counts import MOST_ROWS, Counts, UnsuitedError, too_many
from evalgauge.engine.duck import (
    Fetched,
    connected,
    expression,
    fetched,
    identifier,
    kind_of,
    log_errors,
    parted,
    quoted,
    unglobbed,
)
from evalgauge.engine.duck_cases import DuckTable, counted_cases
from evalgauge.engine.watching import asked_again_and_again

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evalgauge.engine.counts import CaseCounts, Cell, CountQuery
    from evalgauge.engine.duck import Connection, Kind, Relation

MEMORY_LIMIT = "600MB"
"""What DuckDB may hold before it spills to disk: with the counts themselves a table stays within a gigabyte."""


MOST_BITS = 8_192
"""Rep numbers that are checked by a bit each."""
_MOST_STRUCTURES = 2_000
_JSON_KINDS = (
    ({"VARCHAR"}, "VARCHAR"),
    ({"BOOLEAN"}, "BOOLEAN"),
    ({"UBIGINT", "BIGINT"}, "BIGINT"),
    ({"UBIGINT", "BIGINT", "DOUBLE"}, "DOUBLE"),
)


@contextmanager
def parquet_rows(files: Sequence[Path], *, label: str, memory_limit: str = MEMORY_LIMIT) -> Generator[DuckRows]:
    """Open Parquet files of equal columns as one table.

    Parameters
    ----------
    files
        At least one.
    label
        What messages call them.
    memory_limit
        What DuckDB may hold before it spills to a temporary folder, such as ``"600MB"``.

    Raises
    ------
    LogError
        If a file is damaged, or the files have different columns.
    """
    with connected(memory_limit) as connection, ExitStack() as stack, log_errors(label):
        names = ", ".join(quoted(stack.enter_context(unglobbed(file))) for file in files)
        yield DuckRows(connection, f"read_parquet([{names}], hive_partitioning=false)", label=label, has_footer=True)


@contextmanager
def csv_rows(
    files: Sequence[Path], *, names: Sequence[str], delimiter: str, label: str, memory_limit: str = MEMORY_LIMIT
) -> Generator[DuckRows]:
    """Open CSV files of one header as one table whose cells are all text; see ``parquet_rows``."""
    with connected(memory_limit) as connection, ExitStack() as stack, log_errors(label):
        paths = ", ".join(quoted(stack.enter_context(unglobbed(file))) for file in files)
        columns = ", ".join(f"{quoted(name)}: 'VARCHAR'" for name in names)
        source = (
            f"read_csv([{paths}], auto_detect=false, header=true, columns={{{columns}}}, "
            f"delim={quoted(delimiter)}, quote='\"', escape='\"', strict_mode=true, null_padding=false, "
            "hive_partitioning=false)"
        )
        yield DuckRows(connection, source, label=label)


@contextmanager
def jsonl_rows(files: Sequence[Path], *, label: str, memory_limit: str = MEMORY_LIMIT) -> Generator[DuckRows]:
    """Open files of one flat JSON record a line as one table, whose columns are of the types that all records have.

    All records are looked at before: a key that only some of them have is a column like any other.

    Parameters
    ----------
    files, label, memory_limit
        As for ``parquet_rows``.

    Raises
    ------
    LogError
        If the file is damaged or cut off.
    UnsuitedError
        If a record holds lists or records, or two records hold different kinds of values under one key.
    """
    with connected(memory_limit) as connection, ExitStack() as stack, log_errors(label):
        paths = ", ".join(quoted(stack.enter_context(unglobbed(file))) for file in files)
        structures = connection.sql(
            "SELECT CAST(json_structure(json) AS VARCHAR) AS one, "  # noqa: S608 (quoted)
            f"bool_or(regexp_matches(CAST(json AS VARCHAR), ',\\s*[}}\\]]')) AS odd "
            f"FROM read_ndjson_objects([{paths}]) GROUP BY 1 LIMIT {_MOST_STRUCTURES + 1}"
        )
        with asked_again_and_again(connection):
            found = structures.fetchnumpy()
        if bool(cast("NDArray[np.bool_]", found["odd"]).any()):
            # A comma before the closing bracket: DuckDB takes it, and no other reader does.
            raise UnsuitedError("its records may be no JSON")
        kinds = _kinds_of(cast("Iterable[str]", found["one"]))
        columns = ", ".join(f"{quoted(name)}: '{kind}'" for name, kind in kinds.items())
        source = f"read_json([{paths}], format='newline_delimited', columns={{{columns}}}, hive_partitioning=false)"
        yield DuckRows(connection, source, label=label)


def _kinds_of(structures: Iterable[str]) -> dict[str, str]:
    """Return the type of each key, from what DuckDB says of the records."""
    found: dict[str, set[str]] = {}
    for place, text in enumerate(structures):
        record: object = json.loads(text)
        if place == _MOST_STRUCTURES or not isinstance(record, dict):
            raise UnsuitedError("its records are too different")
        for name, kind in cast("dict[str, object]", record).items():
            found.setdefault(name, set()).add(kind if isinstance(kind, str) else "")
    # SQL knows no capitals in names.
    if not found or len({name.lower() for name in found}) < len(found):
        raise UnsuitedError("its keys differ by capitals alone")
    return {name: _kind_of_all(name, kinds - {"NULL"}) for name, kinds in found.items()}


def _kind_of_all(name: str, kinds: set[str]) -> str:
    for known, kind in _JSON_KINDS:
        if kinds <= known:
            return kind
    raise UnsuitedError(f"the column {name!r} holds lists, records, or values of several kinds")


class DuckRows:
    """A table that DuckDB reads where it lies."""

    has_bits = True
    """Small rep numbers come back as bits, so that no second query is needed to check them."""

    def __init__(self, connection: Connection, source: str, *, label: str, has_footer: bool = False) -> None:
        self.label = label
        self._has_footer = has_footer
        self._connection = connection
        self._source = source
        self._relation = connection.sql(f"SELECT * FROM {source}")  # noqa: S608 (names are quoted where it is built)
        self._types = dict(zip(self._relation.columns, self._relation.types, strict=True))

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The columns and what they hold."""
        return {name: kind_of(kind) for name, kind in self._types.items()}

    @property
    def n_rows(self) -> int:
        """Number of rows: Parquet says it in its foot."""
        found = self._connection.sql(f"SELECT count(*) AS n FROM {self._source}").fetchnumpy()  # noqa: S608 (quoted)
        return int(cast("NDArray[np.int64]", found["n"])[0])

    def head(self, n_rows: int) -> Sequence[Fetched]:
        """Return the first rows of every column that is not nested."""
        plain = [(name, kind) for name, kind in self._types.items() if kind_of(kind) != "nested"]
        return fetched(self._connection.sql(f"SELECT * FROM {self._source} LIMIT {n_rows}"), plain)  # noqa: S608 (quoted)

    def extremes(self, names: Sequence[str]) -> Sequence[Fetched]:
        """Return the lowest and the highest value of columns, two rows."""
        lows, highs = (
            ", ".join(f"{which}({self._value(name)}) AS {identifier(name)}" for name in names)
            for which in ("min", "max")
        )
        query = f"SELECT {lows} FROM {self._source} UNION ALL SELECT {highs} FROM {self._source}"  # noqa: S608 (quoted)
        return fetched(self._connection.sql(query), [(name, self._types[name]) for name in names])

    def counts(self, query: CountQuery, *, most_rows: int = MOST_ROWS) -> Counts:
        """Count the rows that agree in the keys.

        Raises
        ------
        LogError
            If the table does not get smaller by counting, or does not fit into the memory allowed.
        """
        keys = [f"{self._value(name)} AS k{place}" for place, name in enumerate(query.keys)]
        spans = [
            f"min({self._value(name)}) AS s{place}, min({self._value(name)}) < max({self._value(name)}) AS v{place}"
            for place, name in enumerate(query.spans)
        ]
        reps = _rep_columns(query, self._value)
        chosen = ", ".join([*keys, *spans, *reps, "count(*) AS n"])
        grouped = ", ".join(f"k{place}" for place in range(len(query.keys)))
        inner = f"SELECT {chosen} FROM {self._source} GROUP BY {grouped}"  # noqa: S608 (quoted)
        case = f"k{query.keys.index(query.case)}"
        order = case if kind_of(self._types[query.case]) == "number" else f"length({case}), {case}"
        with log_errors(self.label), asked_again_and_again(self._connection):
            rows = self._connection.sql(f"SELECT * FROM ({inner} LIMIT {most_rows + 1}) ORDER BY {order}")  # noqa: S608 (names of our own)
            found = _counts(rows, query, self.kinds)
            if found.count.size <= most_rows:
                return found
            n_rows = self._connection.sql(f"SELECT count(*) AS n FROM ({inner})").fetchnumpy()["n"]  # noqa: S608 (quoted)
        raise too_many(self.label, int(cast("NDArray[np.int64]", n_rows)[0]), most_rows)

    def case_counts(self, query: CountQuery, seen: Mapping[str, Sequence[Cell]]) -> CaseCounts | None:
        """Count per case in one pass; see ``CountingSource``."""
        table = DuckTable(
            connection=self._connection,
            source=self._source,
            value=self._value,
            kinds=self.kinds,
            n_rows=self.n_rows if self._has_footer else None,
        )
        with log_errors(self.label), asked_again_and_again(self._connection):
            return counted_cases(table, query, seen)

    def doubled(self, query: CountQuery) -> int:
        """Return how many rows repeat a case, run and rep."""
        if query.rep is not None and (ends := self._ends(query.rep)) is not None:
            return self._doubled_bits(query, query.rep, *ends)
        names = [query.case, *query.runs, *([] if query.rep is None else [query.rep])]
        grouped = ", ".join(self._value(name) for name in dict.fromkeys(names))
        inner = f"SELECT count(*) - 1 AS again FROM {self._source} GROUP BY {grouped} HAVING count(*) > 1"  # noqa: S608 (quoted)
        found = self._connection.sql(f"SELECT coalesce(sum(again), 0)::BIGINT AS n FROM ({inner})").fetchnumpy()  # noqa: S608 (quoted)
        return int(cast("NDArray[np.int64]", found["n"])[0])

    def _doubled_bits(self, query: CountQuery, rep: str, low: int, high: int) -> int:
        """Return the same by one bit per rep number: as many groups as a case has runs, and not as it has rows."""
        grouped = ", ".join(self._value(name) for name in dict.fromkeys([query.case, *query.runs]))
        bits = f"bit_count(bitstring_agg({self._value(rep)}, {low}, {high}))"
        inner = f"SELECT count(*) - {bits} AS again FROM {self._source} GROUP BY {grouped}"  # noqa: S608 (quoted)
        found = self._connection.sql(f"SELECT coalesce(sum(again), 0)::BIGINT AS n FROM ({inner})").fetchnumpy()  # noqa: S608 (quoted)
        return int(cast("NDArray[np.int64]", found["n"])[0])

    def _ends(self, rep: str) -> tuple[int, int] | None:
        """Return the lowest and the highest rep number where they are whole and close together."""
        if expression(rep, self._types[rep]) != f"CAST({identifier(rep)} AS BIGINT)":
            return None
        (ends,) = self.extremes([rep])
        low, high = (int(value) for value in ends.values)
        return (low, high) if ends.missing is None and high - low < MOST_BITS else None

    def _value(self, name: str) -> str:
        return expression(name, self._types[name])


def _counts(rows: Relation, query: CountQuery, kinds: Mapping[str, Kind]) -> Counts:
    arrays = rows.fetchnumpy()
    names = [(f"k{place}", name) for place, name in enumerate(query.keys)]
    names += [(f"s{place}", name) for place, name in enumerate(query.spans)]
    columns: list[Fetched] = []
    for view, name in names:
        values, missing = parted(arrays[view])
        columns.append(Fetched(name=name, kind=kinds[name], values=values, missing=missing))
    varying: dict[str, NDArray[np.bool_]] = {}
    for place, name in enumerate(query.spans):
        values, missing = parted(arrays[f"v{place}"])
        varies = values.astype(np.bool_)
        varying[name] = varies if missing is None else varies & ~missing
    count = parted(arrays["n"])[0].astype(np.int64)
    return Counts(
        columns=tuple(columns),
        varying=varying,
        count=count,
        reps=parted(arrays["reps"])[0].astype(np.int64) if query.most_rep is not None else None,
        without_rep=0 if query.rep is None else int((count - parted(arrays["numbered"])[0].astype(np.int64)).sum()),
    )


def _rep_columns(query: CountQuery, value: Callable[[str], str]) -> list[str]:
    if query.rep is None:
        return []
    bits = [f"bit_or(1::BIGINT << {value(query.rep)}::INTEGER) AS reps"] if query.most_rep is not None else []
    return [f"count({value(query.rep)}) AS numbered", *bits]
