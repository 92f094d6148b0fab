"""Large tables: read by their roles, counted where they lie, and understood like any other table.

The roles of the columns are found in some rows. Then the engine counts the rows that agree in all that plays a role,
and what it returns goes the way of a small table: words, statuses, reps and slices are read by the same functions.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.engine.counts import MOST_REP, CountQuery, UnsuitedError
from evalgauge.engine.duck import Fetched
from evalgauge.errors import LogError
from evalgauge.formats import aliases
from evalgauge.formats.aliases import is_score_name, plain_name
from evalgauge.formats.case_counts import Reading, table_of_case_counts, values_seen
from evalgauge.formats.case_rows import doubled_reps
from evalgauge.formats.columns import Numbers, Table, Tally, encoded, groups
from evalgauge.formats.converted import is_converted
from evalgauge.formats.presets import prepared
from evalgauge.formats.roles import roles_of
from evalgauge.formats.score_table import table_of
from evalgauge.formats.typed_columns import columns_of_fetched
from evalgauge.formats.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.engine.counts import Cell, CountingSource, Counts
    from evalgauge.formats.columns import Column
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.formats.roles import Roles
    from evalgauge.scores.table import ScoreTable

HEAD_ROWS = 2_000
"""Rows that show which column plays which role."""

_RARE = frozenset({*aliases.REP, *aliases.ARM, *aliases.SET, *aliases.METRIC, *aliases.ERROR, *aliases.STATUS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a large table comes from: what messages call it, its arm where no column says one, its hash."""

    file: str
    stem: str
    digest: str


def counted_table(source: CountingSource, origin: Origin, options: ReadOptions, *, least_rows: int = 0) -> ScoreTable:
    """Return the scores of a large table, reduced where it lies.

    Parameters
    ----------
    source
        The table in its engine.
    origin
        What to call it.
    options
        As for any table; ``fields`` says which slices and clusters the question needs.
    least_rows
        Fewer rows are read one by one.

    Raises
    ------
    UnsuitedError
        If the table has to be read row by row: no column names the case, it is the export of a platform, or a role is
        played by nested values.
    LogError
        If its columns are not understood, a row lacks its id or rep number, or rows are there twice.
    """
    rows = source.head(HEAD_ROWS)
    thin = [column.name for column in columns_of_fetched(rows) if _is_thin(column)]
    ends = source.extremes(thin) if thin else ()
    head = _head(rows, ends, origin)
    if options.wide_reps:
        raise UnsuitedError("its reps stand in columns of their own")
    if is_converted(head) or prepared(head, options).framework != "table":
        raise UnsuitedError("it is the export of a platform")
    _refuse_nested(source, options)
    roles = roles_of(head, options)
    if roles.case is None:
        raise UnsuitedError("no column names the case")
    query = _query(source, head, roles, options)
    reading = Reading(query=query, roles=roles, options=options, frame=head)
    if (per_case := _per_case(source, [*rows, *ends], reading, least_rows)) is not None:
        return per_case
    found = source.counts(query)
    if int(found.count.sum()) < least_rows:
        raise UnsuitedError("it is not large")
    if found.without_rep:
        raise LogError(
            origin.file,
            f"{counted(found.without_rep, 'row has', 'rows have')} no rep number.",
            field=query.rep or "",
            hint="Fill them in, or rename the column if it is no rep.",
        )
    columns = columns_of_fetched(found.columns)
    doubles = 0 if query.rep is None else _doubles(source, query, found, columns)
    if doubles:
        raise doubled_reps(origin.file, doubles)
    # In the order of the table itself, which roles are given by where several columns could play one.
    by_name = {column.name: column for column in columns}
    table = Table(
        file=origin.file,
        columns=tuple(by_name[name] for name in source.kinds if name in by_name),
        n_rows=found.count.size,
        stem=origin.stem,
        digest=origin.digest,
        is_ordered=False,
        tally=Tally(count=found.count, has_reps=query.rep is not None, varying=found.varying),
    )
    mapped = {role: name for role, name in options.columns.items() if role.strip().lower() != "rep"}
    return table_of(table, replace(options, columns=mapped))


def engine_table(table: str, options: ReadOptions) -> ScoreTable:
    """Return the scores of a table on Spark or in a warehouse.

    Raises
    ------
    LogError
        If the table cannot be read there, or has to be read row by row.
    """
    from evalgauge.engine.ibis_rows import engine_rows  # noqa: PLC0415 (loads Ibis only where an engine is named)

    # Not the address: one table is one table, wherever it was counted.
    origin = Origin(file=table, stem=table, digest=hashlib.sha256(table.encode()).hexdigest()[:16])
    try:
        with engine_rows(options.engine, table) as rows:
            return counted_table(rows, origin, options)
    except UnsuitedError as error:
        hint = "An engine counts rows by the id of their case. Give the file itself, without --engine."
        raise LogError(table, f"cannot be counted by an engine: {error}.", hint=hint) from error


def _head(rows: Sequence[Fetched], ends: Sequence[Fetched], origin: Origin) -> Table:
    """Return some rows, and the ends of what columns hold that hardly show in them."""
    by_name = {one.name: one for one in ends}
    columns = columns_of_fetched([_extended(one, by_name.get(one.name)) for one in rows] if ends else rows)
    if not columns or not len(columns[0]):
        raise LogError(
            origin.file, "holds column names but no rows.", hint="Was the run cut off before its first case?"
        )
    return Table(file=origin.file, columns=columns, n_rows=len(columns[0]), stem=origin.stem, digest=origin.digest)


def _is_thin(column: Column) -> bool:
    is_sought = plain_name(column.name) in _RARE or (column.is_empty and is_score_name(column.name))
    return is_sought and (column.is_empty or len(encoded(column).values) < 2)


def _extended(rows: Fetched, ends: Fetched | None) -> Fetched:
    missing = np.zeros(rows.values.size, dtype=np.bool_) if rows.missing is None else rows.missing
    if ends is None:
        more = np.zeros(2, dtype=rows.values.dtype)
        absent = np.ones(2, dtype=np.bool_)
    else:
        more = ends.values
        absent = np.zeros(2, dtype=np.bool_) if ends.missing is None else ends.missing
    return Fetched(
        name=rows.name,
        kind=rows.kind,
        values=np.concatenate([rows.values, more]),
        missing=np.concatenate([missing, absent]),
    )


def _refuse_nested(source: CountingSource, options: ReadOptions) -> None:
    nested = [name for name, kind in source.kinds.items() if kind == "nested"]
    # What a frame of JSON calls metadata.topic lies within a nested column.
    asked = {*options.columns.values(), *(options.fields or ())}
    for name in nested:
        is_asked = any(one == name or one.startswith(f"{name}.") for one in asked)
        is_role = plain_name(name) in _RARE or plain_name(name) in {*aliases.CASE, *aliases.INPUT, *aliases.SCORE}
        if is_asked or is_role or is_score_name(name):
            raise UnsuitedError(f"the column {name!r} holds lists or records")


def _query(source: CountingSource, head: Table, roles: Roles, options: ReadOptions) -> CountQuery:
    case = roles.case
    if case is None:
        raise UnsuitedError("no column names the case")
    rep = None if roles.rep is None or roles.rep.is_empty else roles.rep.name
    spans = _spans(roles, options)
    runs = [column.name for column in (*roles.arms, roles.set, roles.metric) if column is not None]
    # Beside the arm that was found stand others that may tell arms apart further down.
    runs += [name for name in head.names if plain_name(name) in aliases.ARM and name in spans]
    others = [*roles.scores, *roles.inputs, roles.target, roles.choices, roles.error, roles.status]
    keys = [case.name, *runs, *(column.name for column in others if column is not None)]
    return CountQuery(
        keys=tuple(dict.fromkeys(keys)),
        case=case.name,
        spans=tuple(name for name in spans if name not in keys and name != rep),
        rep=rep,
        runs=tuple(dict.fromkeys(runs)),
        most_rep=_most_rep(source, rep) if source.has_bits and rep is not None else None,
    )


def _spans(roles: Roles, options: ReadOptions) -> list[str]:
    named = roles.slices
    if options.fields is not None and options.fields <= named.keys():
        return [column.name for name, column in named.items() if name in options.fields or name in roles.asked]
    return [column.name for column in named.values()]


def _most_rep(source: CountingSource, rep: str) -> int | None:
    if source.kinds[rep] != "number":
        return None
    (ends,) = columns_of_fetched(source.extremes([rep]))
    if not isinstance(ends, Numbers) or ends.numbers.dtype != np.int64 or ends.is_empty:
        return None
    least, most = int(ends.numbers.min()), int(ends.numbers.max())
    return most if least >= 0 and most <= MOST_REP else None


def _per_case(source: CountingSource, rows: Sequence[Fetched], reading: Reading, least_rows: int) -> ScoreTable | None:
    """Return the scores from counts with one row per case, or ``None`` where that way does not suit the table."""
    roles, query = reading.roles, reading.query
    if roles.inputs or roles.target is not None or roles.choices is not None:
        return None
    if any(name in query.keys for name in _spans(roles, reading.options)):
        return None
    seen: dict[str, tuple[Cell, ...]] = {}
    for one in rows:
        seen[one.name] = tuple(dict.fromkeys((*seen.get(one.name, ()), *values_seen(one))))
    found = source.case_counts(query, seen)
    if found is None:
        return None
    if int(found.count.sum()) < least_rows:
        raise UnsuitedError("it is not large")
    return table_of_case_counts(found, reading)


def _doubles(source: CountingSource, query: CountQuery, found: Counts, columns: Sequence[Column]) -> int:
    """Return how many rows repeat a case, run and rep."""
    if found.reps is None:
        return source.doubled(query)
    named = {column.name: column for column in columns}
    key, firsts = groups(*(encoded(named[name]).codes for name in (query.case, *query.runs)))
    bits = np.zeros(firsts.size, dtype=np.int64)
    np.bitwise_or.at(bits, key, found.reps)
    return int(found.count.sum()) - int(np.bitwise_count(bits).sum())
