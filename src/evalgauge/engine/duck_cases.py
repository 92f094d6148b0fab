"""Counting per case by DuckDB in one pass: counts of several kinds of rows share one whole number, and so do reps.

A sum of powers of two holds a count per kind in fields of bits; a union of powers of two holds the rep numbers of a
case. Both are proved after the fact: fields that ran over, values that nobody knew of, rows without an id or a rep and
rows that stand twice all make some total fall short of the number of rows, and the table is then counted the long way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.engine.counts import MOST_ROWS, CaseCounts
from evalgauge.engine.duck import Fetched, parted, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.engine.counts import Cell, CountQuery
    from evalgauge.engine.duck import Connection, Kind

_BITS = 63
"""Bits of a whole number beside its sign."""
_LEAST_FIELD = 10
_MOST_FIELDS = 4
_MOST_WORDS = 6
_DIRECT_BYTES = 128 * 2**20
_BYTES_OF_CASE = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class DuckTable:
    """A table in DuckDB: its SQL, the SQL of a column's values, what the columns hold, and its rows where known."""

    connection: Connection
    source: str
    value: Callable[[str], str]
    kinds: Mapping[str, Kind]
    n_rows: int | None


@dataclass(frozen=True, slots=True)
class _Word:
    """One whole number per case: what it is made by, and what stands where in it."""

    sql: str
    width: int
    kinds: tuple[int, ...]


def counted_cases(table: DuckTable, query: CountQuery, seen: Mapping[str, Sequence[Cell]]) -> CaseCounts | None:
    """Return the counts per case; see ``CountingSource.case_counts``."""
    names = [name for name in query.keys if name != query.case]
    kinds = list(product(*(seen[name] for name in names)))
    counts = _count_words(table, names, seen)
    reps = _rep_words(table, query, names, kinds)
    if counts is None or reps is None or table.kinds[query.case] == "nested":
        return None
    found = _fetched(table, query, [*counts, *reps])
    case, missing = parted(found["k"])
    if case.size > MOST_ROWS or missing is not None or case.dtype.kind not in "iO":
        return None
    count = np.zeros((len(kinds), case.size), dtype=np.int64)
    for place, word in enumerate(counts):
        _unpack(found[f"w{place}"], word, count)
    n_rows = table.n_rows if table.n_rows is not None else int(_whole(found["n"]).sum())
    held = [np.bitwise_count(_whole(found[f"w{place + len(counts)}"])) for place in range(len(reps))]
    if int(count.sum()) != n_rows or (held and sum(int(bits.sum(dtype=np.int64)) for bits in held) != n_rows):
        return None
    return _in_order(table, query, names, kinds, count, found)


def _count_words(table: DuckTable, names: Sequence[str], seen: Mapping[str, Sequence[Cell]]) -> list[_Word] | None:
    """Return the sums that hold the counts of all kinds, or ``None`` where there are too many kinds."""
    sizes = [len(seen[name]) for name in names]
    widest = max(range(len(names)), key=sizes.__getitem__)
    rest = math.prod(sizes) // sizes[widest]
    # Each sum counts all values of the other columns, and some values of the widest.
    step = max(_MOST_FIELDS // rest, 1)
    fields = rest * min(step, sizes[widest])
    width = _BITS // fields
    if width < _LEAST_FIELD or -(-sizes[widest] // step) > _MOST_WORDS:
        return None
    order = list(product(*map(range, sizes)))
    words: list[_Word] = []
    for start in range(0, sizes[widest], step):
        places = {name: range(size) for name, size in zip(names, sizes, strict=True)}
        places[names[widest]] = range(start, min(start + step, sizes[widest]))
        factors: list[str] = []
        stride = 1
        for name in names:
            cases = " ".join(
                f"WHEN {_is(table.value(name), seen[name][place])} THEN {1 << (width * stride * at)}::BIGINT"
                for at, place in enumerate(places[name])
            )
            factors.append(f"(CASE {cases} END)")
            stride *= len(places[name])
        held = sorted(
            (kind for kind in range(len(order)) if order[kind][widest] in places[names[widest]]),
            key=lambda kind: _field(order[kind], [places[name] for name in names]),
        )
        words.append(_Word(f"TRY_CAST(sum({' * '.join(factors)}) AS BIGINT)", width, tuple(held)))
    return words


def _field(kind: Sequence[int], places: Sequence[range]) -> int:
    found, stride = 0, 1
    for at, own in zip(kind, places, strict=True):
        found += (at - own.start) * stride
        stride *= len(own)
    return found


def _rep_words(
    table: DuckTable, query: CountQuery, names: Sequence[str], kinds: Sequence[tuple[Cell, ...]]
) -> list[_Word] | None:
    """Return the unions that hold the rep numbers of each run, or ``None`` where they cannot be bits."""
    if query.rep is None:
        return []
    if query.most_rep is None:
        return None
    at = [names.index(name) for name in query.runs]
    runs = list(dict.fromkeys(tuple(kind[place] for place in at) for kind in kinds))
    width = query.most_rep + 1
    step = _BITS // width
    if -(-len(runs) // step) > _MOST_WORDS:
        return None
    rep = table.value(query.rep)
    if not at:
        return [_Word(f"bit_or(1::BIGINT << {rep})", width, ())]
    words: list[_Word] = []
    for start in range(0, len(runs), step):
        some = runs[start : start + step]
        tests = [
            " AND ".join(_is(table.value(name), value) for name, value in zip(query.runs, run, strict=True))
            for run in some
        ]
        if len(some) == 1:
            words.append(_Word(f"bit_or(1::BIGINT << {rep}) FILTER ({tests[0]})", width, ()))
            continue
        firsts = " ".join(f"WHEN {test} THEN {1 << (width * place)}::BIGINT" for place, test in enumerate(tests))
        words.append(_Word(f"bit_or((CASE {firsts} END) << {rep})", width, ()))
    return words


def _fetched(table: DuckTable, query: CountQuery, words: Sequence[_Word]) -> Mapping[str, object]:
    chosen = [f"{table.value(query.case)} AS k", *(f"{word.sql} AS w{place}" for place, word in enumerate(words))]
    for place, name in enumerate(query.spans):
        value = table.value(name)
        chosen.append(f"min({value}) AS s{place}, min({value}) < max({value}) AS v{place}")
    if table.n_rows is None:
        chosen.append("count(*) AS n")
    inner = f"SELECT {', '.join(chosen)} FROM {table.source} GROUP BY k LIMIT {MOST_ROWS + 1}"  # noqa: S608 (quoted)
    if table.kinds[query.case] == "text":
        return table.connection.sql(f"SELECT * FROM ({inner}) ORDER BY length(k), k").fetchnumpy()  # noqa: S608 (quoted)
    # Whole numbers in a narrow range need no hashing. Each thread holds all of them, and nothing of it can be spilled.
    threads = int(_whole(table.connection.sql("SELECT current_setting('threads')::BIGINT AS n").fetchnumpy()["n"])[0])
    direct = int(math.log2(_DIRECT_BYTES / (_BYTES_OF_CASE * threads)))
    table.connection.execute(f"SET perfect_ht_threshold={max(direct, 1)}")
    return table.connection.sql(inner).fetchnumpy()


def _unpack(column: object, word: _Word, count: NDArray[np.int64]) -> None:
    whole = _whole(column)
    mask = (1 << word.width) - 1
    for field, kind in enumerate(word.kinds):
        count[kind] = (whole >> (field * word.width)) & mask


def _whole(column: object) -> NDArray[np.int64]:
    """Return whole numbers, 0 where there is none."""
    values, missing = parted(column)
    whole = values.astype(np.int64, copy=False)
    return whole if missing is None else np.where(missing, 0, whole)


def _in_order(
    table: DuckTable,
    query: CountQuery,
    names: Sequence[str],
    kinds: Sequence[tuple[Cell, ...]],
    count: NDArray[np.int64],
    found: Mapping[str, object],
) -> CaseCounts:
    case = parted(found["k"])[0]
    order: slice | NDArray[np.intp] = slice(None)
    if table.kinds[query.case] == "number" and not bool((np.diff(_whole(found["k"])) > 0).all()):
        order = np.argsort(case, kind="stable")
    spans: list[Fetched] = []
    varying: dict[str, NDArray[np.bool_]] = {}
    for place, name in enumerate(query.spans):
        values, missing = parted(found[f"s{place}"])
        absent = None if missing is None else missing[order]
        spans.append(Fetched(name=name, kind=table.kinds[name], values=values[order], missing=absent))
        varies, unknown = parted(found[f"v{place}"])
        is_several = varies.astype(np.bool_) if unknown is None else varies.astype(np.bool_) & ~unknown
        varying[name] = is_several[order]
    return CaseCounts(
        case=Fetched(name=query.case, kind=table.kinds[query.case], values=case[order], missing=None),
        kinds=tuple(
            _column(name, table.kinds[name], [kind[place] for kind in kinds]) for place, name in enumerate(names)
        ),
        count=count[:, order],
        spans=tuple(spans),
        varying=varying,
    )


def _column(name: str, kind: Kind, cells: Sequence[Cell]) -> Fetched:
    missing = np.array([cell is None for cell in cells], dtype=np.bool_)
    fill: Cell = "" if kind == "text" else next((cell for cell in cells if cell is not None), 0)
    values = [fill if cell is None else cell for cell in cells]
    array = np.array(values, dtype=object) if kind == "text" else np.array(values)
    return Fetched(name=name, kind=kind, values=array, missing=missing if missing.any() else None)


def _is(value: str, cell: Cell) -> str:
    return f"{value} IS NULL" if cell is None else f"{value} = {_literal(cell)}"


def _literal(cell: Cell) -> str:
    if isinstance(cell, str):
        return quoted(cell)
    if isinstance(cell, float):
        return f"'{cell!r}'::DOUBLE"
    return str(cell)
