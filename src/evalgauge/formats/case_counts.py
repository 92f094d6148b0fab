"""From counts with one row per case to a table of scores.

What a row means depends on its kind alone (its arm, metric, score and status), so a table with one row per kind is
read like any other; its rows then stand for those of the cases.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from evalgauge.formats.case_fields import grouping_fields
from evalgauge.formats.case_rows import said_of_reps, two_values
from evalgauge.formats.columns import Table, Tally, Words, encoded, groups, texts
from evalgauge.formats.score_table import table_of
from evalgauge.formats.typed_columns import columns_of_fetched
from evalgauge.scores.number_ids import NumberIds
from evalgauge.scores.table import Cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.engine.counts import CaseCounts, Cell, CountQuery
    from evalgauge.engine.duck import Fetched
    from evalgauge.formats.case_fields import Columns
    from evalgauge.formats.columns import Column
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.formats.roles import Roles
    from evalgauge.scores.table import Run, ScoreTable

_OF_KINDS = frozenset({"arm", "set", "metric", "score", "error", "status"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How counts are read: what was counted, which column plays which role, and some rows of the table."""

    query: CountQuery
    roles: Roles
    options: ReadOptions
    frame: Table


def table_of_case_counts(found: CaseCounts, reading: Reading) -> ScoreTable | None:
    """Return the scores, or ``None`` where ids or arms have to be cleaned first.

    Raises
    ------
    LogError
        If the scores are not understood, or a field that was asked for has two values in a case.
    """
    ids = _ids(found.case)
    used = np.flatnonzero(found.count.any(axis=1))
    kinds = columns_of_fetched([_at(one, used) for one in found.kinds])
    runs = [encoded(column) for column in kinds if column.name in reading.query.runs]
    if ids is None or any((words.codes < 0).any() for words in runs):
        return None
    count = found.count[used]
    run = groups(*(words.codes for words in runs))[0] if runs else np.zeros(used.size, dtype=np.int64)
    totals = np.stack([count[run == one].sum(axis=0) for one in range(int(run.max()) + 1)])
    small = _of_kinds(kinds, count.sum(axis=1), totals, reading)
    rows = [place % used.size for place in range(len(small))]
    of_run = small.run.astype(np.int64) * len(small.metrics) + small.metric
    parts = [_rows_of(count, rows, of_run, place) for place in range(len(small))]
    sizes = [case.size for case, _, _ in parts]
    raw = small.raw
    return replace(
        small,
        runs=small.runs if reading.query.rep else _runs(small, [int(totals[run[row]].max()) for row in rows]),
        cases=Cases(case_id=ids, dup=np.zeros(len(ids), dtype=np.int32), fields=_fields(found, ids, reading)),
        run=np.repeat(small.run, sizes),
        metric=np.repeat(small.metric, sizes),
        score=np.repeat(small.score, sizes),
        status=np.repeat(small.status, sizes),
        case=np.concatenate([case for case, _, _ in parts]),
        rep=np.concatenate([rep for _, rep, _ in parts]),
        count=np.concatenate([times for _, _, times in parts]),
        raw=None if raw is None else tuple(one for one, size in zip(raw, sizes, strict=True) for _ in range(size)),
    )


def values_seen(column: Fetched) -> tuple[Cell, ...]:
    """Return the distinct values of some rows, ``None`` among them where a row has none.

    Examples
    --------
    >>> from evalgauge.engine.duck import Fetched
    >>> cells = np.array(["new", "base", "new"], dtype=object)
    >>> values_seen(Fetched(name="arm", kind="text", values=cells, missing=None))
    ('base', 'new')
    """
    present = column.values if column.missing is None else column.values[~column.missing]
    cells: list[Cell] = np.unique(present).tolist() if column.kind == "number" else sorted(set(present.tolist()))
    return (*([None] if present.size < column.values.size else []), *cells)


def _ids(case: Fetched) -> Sequence[str] | None:
    """Return ids that are clean as they come: in order, each once, without blanks around and in one normal form."""
    if case.kind == "number":
        numbers = case.values.astype(np.int64, copy=False)
        return NumberIds(numbers) if numbers.size and numbers[0] >= 0 else None
    cells = cast("list[str]", case.values.tolist())
    # Text of ASCII has one normal form.
    is_clean = all(map(str.isascii, cells)) and "" not in cells and list(map(str.strip, cells)) == cells
    return tuple(cells) if cells and is_clean else None


def _at(column: Fetched, rows: NDArray[np.intp]) -> Fetched:
    missing = None if column.missing is None else column.missing[rows]
    return replace(column, values=column.values[rows], missing=missing)


def _of_kinds(
    kinds: Sequence[Column], count: NDArray[np.int64], totals: NDArray[np.int64], reading: Reading
) -> ScoreTable:
    """Return the table with one row per kind."""
    one_case = Words(name=reading.query.case, codes=np.zeros(count.size, dtype=np.int32), values=["case"])
    by_name = {column.name: column for column in (*kinds, one_case)}
    said = () if reading.query.rep is not None else said_of_reps(reading.frame.file, totals)
    table = replace(
        reading.frame,
        columns=tuple(by_name[name] for name in reading.frame.names if name in by_name),
        n_rows=count.size,
        is_ordered=False,
        tally=Tally(count=count, has_reps=True, varying={}, said=said),
    )
    roles = {role: name for role, name in reading.options.columns.items() if role.strip().lower() in _OF_KINDS}
    return table_of(table, replace(reading.options, columns={**roles, "case": reading.query.case}))


def _rows_of(
    count: NDArray[np.int64], rows: Sequence[int], of_run: NDArray[np.int64], place: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """Return the cases of one kind, their first reps of it, and how many there are."""
    own = count[rows[place]]
    held = np.flatnonzero(own)
    before = [rows[other] for other in range(place) if of_run[other] == of_run[place]]
    first = np.ones(held.size, dtype=np.int64)
    for other in before:
        first += count[other][held]
    return held.astype(np.int32), first.astype(np.int32), own[held]


def _runs(small: ScoreTable, most: Sequence[int]) -> tuple[Run, ...]:
    """Return the runs, which say that their reps were inferred where a case has several; ``most`` says it per row."""
    several = {run for run, times in zip(small.run.tolist(), most, strict=True) if times > 1}
    return tuple(
        replace(run, rep_source="inferred" if place in several else "none") for place, run in enumerate(small.runs)
    )


def _fields(found: CaseCounts, ids: Sequence[str], reading: Reading) -> Columns:
    fields: Columns = {}
    spans = {column.name: column for column in columns_of_fetched(found.spans)}
    for name, column in reading.roles.slices.items():
        if column.name not in spans:
            continue
        varies = np.flatnonzero(found.varying[column.name])
        if not varies.size:
            words = encoded(spans[column.name])
            values = [*texts(words), None]
            fields[name] = tuple(map(values.__getitem__, words.codes.tolist()))
        elif name in reading.roles.asked:
            # Ids stand in their order, so that the first of them is the one to name.
            raise two_values(reading.frame.file, name=name, column=column.name, case_id=ids[int(varies[0])])
    return grouping_fields(fields, targets=None, asked=reading.roles.asked)
