"""Counting passes by bits: a rep is a bit, so that one number says which runs of a case are there and which passed.

Where scores are 0 and 1 and reps are numbered from 0 to some number below 63, the rows of a case fit into two whole
numbers. DuckDB then groups by the case alone, and what is counted elsewhere is counted here in the bits: rows that
stand twice show as fewer bits than rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from evalgauge.engine.counts import Counts, too_many
from evalgauge.engine.duck import Fetched, kind_of, parted, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from evalgauge.engine.counts import CountQuery
    from evalgauge.engine.duck import Connection, Type

BITS = 62
"""Reps of all runs that fit into one number; the bit after them says that a score is neither 0 nor 1."""
_MOST_NUMBERS, _MOST_RUNS = 4, 64


class BitCounter:
    """Counts one table of a connection.

    Parameters
    ----------
    connection, source
        Where it is, and its SQL.
    types
        Its columns.
    value
        The SQL of a column as one of the types that are read.
    label
        What messages call it.
    """

    def __init__(
        self,
        connection: Connection,
        source: str,
        types: Mapping[str, Type],
        value: Callable[[str], str],
        label: str,
    ) -> None:
        self._connection, self._source, self._types = connection, source, types
        self._value, self._label = value, label

    def counts(self, query: CountQuery, *, most_rows: int) -> Counts | None:
        """Return the counted rows, in the order of their cases; ``None`` where bits cannot say what is there.

        Raises
        ------
        LogError
            If the table does not get smaller by counting.
        """
        passes, rep = query.passes, query.rep
        if passes is None or rep is None or {*query.keys} != {query.case, passes, *query.runs}:
            return None
        if not 1 <= query.n_reps <= BITS:
            return None
        runs = self._runs(query)
        per_number = BITS // query.n_reps
        n_numbers = 0 if runs is None else -(-len(runs) // per_number)
        if runs is None or not 1 <= n_numbers <= _MOST_NUMBERS:
            return None
        self._count(query, self._shifts(query, rep, runs, per_number), passes)
        if not self._is_whole(n_numbers):
            return None
        return self._unpacked(query, runs, per_number, n_numbers, most_rows)

    def _runs(self, query: CountQuery) -> list[tuple[object, ...]] | None:
        """Return the runs of a case in the order of their names; ``None`` if there are many, or odd ones."""
        if not query.runs:
            return [()]
        names = ", ".join(f"{self._value(name)} AS r{place}" for place, name in enumerate(query.runs))
        found = self._connection.sql(f"SELECT DISTINCT {names} FROM {self._source} LIMIT {_MOST_RUNS + 1}")  # noqa: S608 (quoted)
        columns = [_cells(array) for array in found.fetchnumpy().values()]
        runs = list(zip(*columns, strict=True))
        is_plain = all(isinstance(cell, (str, int)) or cell is None for run in runs for cell in run)
        return sorted(runs, key=repr) if runs and len(runs) <= _MOST_RUNS and is_plain else None

    def _shifts(self, query: CountQuery, rep: str, runs: list[tuple[object, ...]], per_number: int) -> list[str]:
        """Return per number the SQL of the bit that stands for a row; NULL for rows of runs that are in another."""
        bit = f"{self._value(rep)}::INTEGER"
        if len(runs) == 1:
            return [f"1::BIGINT << {bit}"]
        shifts: list[str] = []
        for start in range(0, len(runs), per_number):
            whens = " ".join(
                f"WHEN {self._is_run(query, run)} THEN {place * query.n_reps}"
                for place, run in enumerate(runs[start : start + per_number])
            )
            shifts.append(f"1::BIGINT << ({bit} + CASE {whens} END)")
        return shifts

    def _is_run(self, query: CountQuery, run: tuple[object, ...]) -> str:
        parts = [
            f"{self._value(name)} IS NULL" if cell is None else f"{self._value(name)} = {_literal(cell)}"
            for name, cell in zip(query.runs, run, strict=True)
        ]
        return " AND ".join(parts)

    def _count(self, query: CountQuery, shifts: list[str], passes: str) -> None:
        score = self._value(passes)
        is_pass, is_fail = (
            (score, f"NOT {score}") if self._types[passes].id == "boolean" else (f"{score} = 1", f"{score} = 0")
        )
        chosen = [f"{self._value(query.case)} AS c", "count(*) AS n"]
        for place, shift in enumerate(shifts):
            # A NULL is no bit: such a row is missing from the bits, and the count says so.
            passed = f"CASE WHEN {is_pass} THEN {shift} WHEN {is_fail} THEN 0 ELSE 1::BIGINT << {BITS} END"
            chosen += [f"bit_or({shift}) AS b{place}", f"bit_or({passed}) AS p{place}"]
        for place, name in enumerate(query.spans):
            low, high = f"min({self._value(name)})", f"max({self._value(name)})"
            chosen += [f"{low} AS s{place}", f"{low} < {high} AS v{place}"]
        self._connection.execute(
            f"CREATE OR REPLACE TEMP TABLE bits AS SELECT {', '.join(chosen)} FROM {self._source} GROUP BY c"  # noqa: S608 (quoted)
        )

    def _is_whole(self, n_numbers: int) -> bool:
        """Return whether every row is one bit, and every score 0 or 1."""
        there = " + ".join(f"bit_count(coalesce(b{place}, 0))" for place in range(n_numbers))
        flags = " | ".join(f"coalesce(p{place}, 0)" for place in range(n_numbers))
        found = self._connection.sql(
            f"SELECT sum(n - ({there}))::BIGINT AS doubled, bool_or((({flags}) >> {BITS}) & 1 = 1) AS odd FROM bits"  # noqa: S608 (own names)
        ).fetchnumpy()
        (doubled,), (odd,) = (_cells(array) for array in found.values())
        return doubled == 0 and not odd

    def _unpacked(
        self, query: CountQuery, runs: list[tuple[object, ...]], per_number: int, n_numbers: int, most_rows: int
    ) -> Counts:
        """Return a row for each case, run and score that is there, with how often."""
        kind = kind_of(self._types[query.case])
        order = "c" if kind == "number" else "length(c), c"
        arrays = self._connection.sql(f"SELECT * FROM bits ORDER BY {order}").fetchnumpy()  # noqa: S608 (own names)
        numbers = [[_whole(arrays[f"{which}{place}"]) for which in "bp"] for place in range(n_numbers)]
        mask = np.int64((1 << query.n_reps) - 1)
        count = np.empty((numbers[0][0].size, len(runs), 2), dtype=np.int64)
        for place in range(len(runs)):
            there, passed = numbers[place // per_number]
            shift = np.int64(place % per_number * query.n_reps)
            count[:, place, 1] = np.bitwise_count((passed >> shift) & mask)
            count[:, place, 0] = np.bitwise_count((there >> shift) & mask)
        count[:, :, 0] -= count[:, :, 1]
        flat = count.reshape(-1)
        rows = np.flatnonzero(flat)
        if rows.size > most_rows:
            raise too_many(self._label, rows.size, most_rows)
        case, score = rows // (2 * len(runs)), rows % 2
        run = rows // 2 % len(runs)
        return Counts(
            columns=(
                *self._keys(query, arrays, case, run, runs, score),
                *(self._span(name, arrays[f"s{place}"], case) for place, name in enumerate(query.spans)),
            ),
            varying={name: _truth(arrays[f"v{place}"])[case] for place, name in enumerate(query.spans)},
            count=flat[rows],
            is_checked=True,
        )

    def _keys(
        self,
        query: CountQuery,
        arrays: Mapping[str, object],
        case: NDArray[np.int64],
        run: NDArray[np.int64],
        runs: list[tuple[object, ...]],
        score: NDArray[np.int64],
    ) -> list[Fetched]:
        found: list[Fetched] = []
        for name in query.keys:
            kind = kind_of(self._types[name])
            if name == query.case:
                values, missing = parted(arrays["c"])
                found.append(Fetched(name=name, kind=kind, values=values, missing=missing, codes=case))
            elif name == query.passes:
                whole = kind_number(self._types[name])
                found.append(Fetched(name=name, kind=kind, values=score.astype(whole), missing=None))
            else:
                cells = [one[query.runs.index(name)] for one in runs]
                absent = np.asarray([cell is None for cell in cells], dtype=np.bool_)
                texts = np.asarray(["" if cell is None else cell for cell in cells], dtype=object)
                missing = absent if absent.any() else None
                found.append(Fetched(name=name, kind=kind, values=texts, missing=missing, codes=run))
        return found

    def _span(self, name: str, array: object, case: NDArray[np.int64]) -> Fetched:
        values, missing = parted(array)
        return Fetched(name=name, kind=kind_of(self._types[name]), values=values, missing=missing, codes=case)


def kind_number(kind: Type) -> type[np.generic]:
    """Return the NumPy type that a column of numbers is fetched as."""
    return np.bool_ if kind.id == "boolean" else np.float64 if kind.id in {"float", "double", "decimal"} else np.int64


def _cells(array: object) -> list[object]:
    values, missing = parted(array)
    cells = cast("list[object]", values.tolist())
    absent: list[bool] = [False] * len(cells) if missing is None else missing.tolist()
    return [None if is_absent else cell for cell, is_absent in zip(cells, absent, strict=True)]


def _whole(array: object) -> NDArray[np.int64]:
    values, missing = parted(array)
    whole = values.astype(np.int64)
    return whole if missing is None else np.where(missing, 0, whole)


def _truth(array: object) -> NDArray[np.bool_]:
    values, missing = parted(array)
    truth = values.astype(np.bool_)
    return truth if missing is None else truth & ~missing


def _literal(cell: object) -> str:
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return quoted(cell) if isinstance(cell, str) else str(cell)
