"""From a table with known roles to a ``ScoreTable``: one way for every kind of file and data frame."""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError, LogError
from evalgauge.formats.case_fields import grouping_fields
from evalgauge.formats.case_rows import Keys, case_rows, two_values
from evalgauge.formats.cells import cleaned_scores, has_decimal_commas, has_error, status_words, unclear_number
from evalgauge.formats.columns import Numbers, Words, encoded, filled_codes, groups, normalised_ids, texts
from evalgauge.formats.converted import is_converted, table_of_converted
from evalgauge.formats.presets import prepared
from evalgauge.formats.roles import roles_of
from evalgauge.formats.total_rows import without_total
from evalgauge.formats.wording import counted
from evalgauge.scores.build import inferred_metrics
from evalgauge.scores.order import in_order_of_ids
from evalgauge.scores.table import CaseContent, Cases, Metric, Problem, Run, ScoreTable, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from evalgauge.formats.case_fields import Columns
    from evalgauge.formats.case_rows import CaseRows
    from evalgauge.formats.cells import Scores
    from evalgauge.formats.columns import Column, Table
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.formats.roles import Roles
    from evalgauge.scores.table import Json

LARGE_ROWS = 500_000
"""Rows from which on a table counts as large: what it holds is listed in the order of its ids."""
_MOST_REP = 1_000_000


def table_of(table: Table, options: ReadOptions) -> ScoreTable:
    """Return the scores of a plain table.

    Parameters
    ----------
    table
        The cells in columns.
    options
        Roles of columns, numbers of words, and the columns of a wide table.

    Raises
    ------
    LogError
        If the table has no rows, no score is recognised, or a row lacks its id.
    """
    if not table.n_rows:
        raise LogError(table.file, "holds column names but no rows.", hint="Was the run cut off before its first case?")
    _check_words(options)
    if is_converted(table) and not (options.columns or options.wide_arms or options.wide_reps):
        return table_of_converted(table)
    if options.is_counted and table.n_rows >= LARGE_ROWS:
        # Engines keep no order of rows, and an answer must not depend on where a table was read.
        table = replace(table, is_ordered=False)
    found = prepared(_with_decimal_commas(table), options)
    roles = roles_of(found.table, options, found.roles)
    whole = found.table
    if found.framework == "table" and (whole := without_total(found.table, roles)).n_rows < found.table.n_rows:
        roles = roles_of(whole, options)
    scores = _Assembly(whole, options, roles, found.framework).score_table()
    return scores if table.is_ordered else in_order_of_ids(scores)


def _with_decimal_commas(table: Table) -> Table:
    """Return the table with the columns marked whose numbers can only be meant with a decimal comma."""
    marked = [
        replace(column, decimal_comma=True)
        if isinstance(column, Words) and not column.decimal_comma and has_decimal_commas(column)
        else column
        for column in table.columns
    ]
    return replace(table, columns=tuple(marked))


def _check_words(options: ReadOptions) -> None:
    for word, number in options.words.items():
        if np.isinf(number):
            hint = "A word that is no score is called missing: --words dunno=missing (in Python, nan)."
            raise ArgumentError("words", f"{word}={number}", "a finite number for a word", hint)


class _Assembly:
    """The long arrays of one table, built step by step."""

    def __init__(self, table: Table, options: ReadOptions, roles: Roles, framework: str) -> None:
        self._table = table
        self._framework = framework
        self._options = options
        self._roles = roles
        self._problems = [*table.problems, *roles.problems]
        self._set, set_names = filled_codes(roles.set, table.n_rows, "")
        self._arm, arm_names = _arm_codes(roles.arms, table)
        self._run, firsts = groups(self._set, self._arm)
        self._set_of_run: list[str] = [set_names[code] for code in self._set[firsts].tolist()]
        self._arm_of_run: list[str] = [arm_names[code] for code in self._arm[firsts].tolist()]

    def score_table(self) -> ScoreTable:
        content = _content_codes(self._roles.inputs)
        metric, metric_names = self._metrics()
        found = case_rows(
            Keys(
                file=self._table.file,
                run=self._run,
                set=self._set,
                ids=None if self._roles.case is None else normalised_ids(self._roles.case),
                content=content,
                rep=self._explicit_rep(),
                metric=metric,
                is_rep_wide=self._roles.wide == "reps",
                index=None if self._roles.index is None else encoded(self._roles.index),
                has_others=self._roles.has_others,
                is_ordered=self._table.is_ordered,
                tally=self._table.tally,
            )
        )
        self._problems.extend(found.problems)
        blocks = [self._cells(column) for column in self._roles.scores]
        raw, score, status = _stacked(blocks)
        run, rep, long_metric, case = self._long(found, metric, len(blocks))
        return ScoreTable(
            runs=self._runs(found, run, rep),
            metrics=inferred_metrics(
                tuple(Metric(name=name, kind="continuous") for name in metric_names), long_metric, score, status, raw
            ),
            cases=Cases(
                case_id=found.case_id,
                dup=found.dup,
                fields=self._fields(found),
                contents=_contents(self._roles, found, content),
                id_is_row_number=found.id_is_row_number,
            ),
            run=run,
            case=case,
            rep=rep,
            metric=long_metric,
            score=score,
            status=status,
            raw=raw,
            problems=tuple(self._problems),
            count=None if self._table.tally is None else np.tile(self._table.tally.count, len(blocks)),
        )

    def _metrics(self) -> tuple[NDArray[np.int64], list[str]]:
        scores = self._roles.scores
        if self._roles.metric is not None:
            return filled_codes(self._roles.metric, self._table.n_rows, scores[0].name)
        rows = np.zeros(self._table.n_rows, dtype=np.int64)
        return rows, [column.name for column in scores] if self._roles.wide == "metrics" else ["score"]

    def _explicit_rep(self) -> NDArray[np.int64] | None:
        column = self._roles.rep
        if column is None or column.is_empty:
            return None
        words = encoded(column)
        without = np.flatnonzero(words.codes < 0)
        if without.size:
            raise LogError(
                self._table.file,
                f"{counted(without.size, 'row has', 'rows have')} no rep number.",
                record=self._table.record(int(without[0])),
                field=column.name,
                hint="Fill them in, or rename the column if it is no rep.",
            )
        return _rep_numbers(texts(words))[words.codes]

    def _cells(self, column: Column) -> Scores:
        cells = cleaned_scores(column, self._options.words)
        if self._table.tally is not None:
            cells = _weighed(cells, column, self._table.tally.count)
        # Only what is no plain number, and numbers of a file with decimal commas, can be read in two ways.
        if isinstance(column, Words) and (cells.raw_values or column.decimal_comma):
            self._refuse_unclear_numbers(column)
        if cells.infinite:
            are = counted(cells.infinite, "cell is infinite and is", "cells are infinite and are")
            text = f"In column {column.name!r}, {are} not scored."
            self._problems.append(Problem(text=text, file=self._table.file, count=cells.infinite))
        if cells.without:
            total = sum(cells.without.values())
            named = ", ".join(f"{word!r}: {count:,}" for word, count in cells.without.items())
            say = counted(total, "cell says", "cells say")
            text = (
                f"In column {column.name!r}, {say} what became of the run and hold no score ({named}): such runs count "
                "as not scored. If one of these words is a score, give its number: --words "
                f"{quote(next(iter(cells.without)) + '=0')}"
            )
            self._problems.append(Problem(text=text, file=self._table.file, count=total))
        status = self._row_status()
        if status is None:
            return cells
        merged = np.where(status == Status.OK, cells.status, status).astype(np.int8)
        return replace(cells, status=merged, score=np.where(merged == Status.OK, cells.score, np.nan))

    def _refuse_unclear_numbers(self, column: Words) -> None:
        place = unclear_number(column, self._options.words)
        if place is None:
            return
        raise LogError(
            self._table.file,
            f"{texts(column)[place]!r} is a number whose marks can be read in more than one way.",
            record=self._table.record(int(np.argmax(column.codes == place))),
            field=column.name,
            hint="Write the scores with a point before decimals and nothing between thousands, such as 0.5 and 1234.5.",
        )

    def _row_status(self) -> NDArray[np.int8] | None:
        status = np.zeros(self._table.n_rows, dtype=np.int8)
        if self._roles.status is not None:
            words = encoded(self._roles.status)
            status = np.asarray([*status_words(texts(words))[0], Status.OK], dtype=np.int8)[words.codes]
        if self._roles.error is not None:
            errors = has_error(self._roles.error)
            if errors is not None:
                status = np.where(errors & (status == Status.OK), np.int8(Status.ERROR), status)
        return status if status.any() else None

    def _long(
        self, found: CaseRows, metric: NDArray[np.int64], n_blocks: int
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        block = np.repeat(np.arange(n_blocks), self._table.n_rows)
        run, rep = np.tile(self._run, n_blocks), np.tile(found.rep, n_blocks)
        metrics = np.tile(metric, n_blocks)
        if self._roles.wide == "arms":
            # Runs are numbered arm by arm within each set that the table holds.
            run = run * n_blocks + block
        elif self._roles.wide == "reps":
            rep = block + 1
        else:
            metrics = metrics + block
        as_int = [array.astype(np.int32) for array in (run, rep, metrics, np.tile(found.case, n_blocks))]
        return as_int[0], as_int[1], as_int[2], as_int[3]

    def _runs(self, found: CaseRows, run: NDArray[np.int32], rep: NDArray[np.int32]) -> tuple[Run, ...]:
        is_wide = self._roles.wide == "arms"
        arms = [column.name for column in self._roles.scores] if is_wide else [""]
        pairs = [
            (set_name, wide_arm or arm)
            for set_name, arm in zip(self._set_of_run, self._arm_of_run, strict=True)
            for wide_arm in arms
        ]
        most = np.ones(len(pairs), dtype=np.int64)
        tally = self._table.tally
        np.maximum.at(most, run, rep if tally is None else rep + np.resize(tally.count, rep.size) - 1)
        is_explicit = self._roles.wide == "reps" or (self._roles.rep is not None and not self._roles.rep.is_empty)
        is_explicit = is_explicit or (tally is not None and tally.has_reps)
        return tuple(
            Run(
                run_id=self._table.digest,
                set_name=set_name,
                arm=arm,
                framework=self._framework,
                file=self._table.file,
                rep_source="explicit" if is_explicit else "inferred" if found.is_inferred and n > 1 else "none",
            )
            for (set_name, arm), n in zip(pairs, most.tolist(), strict=True)
        )

    def _fields(self, found: CaseRows) -> Columns:
        fields: Columns = {}
        for name, column in self._roles.slices.items():
            words = encoded(column)
            per_case, differs = _per_case(words, found)
            if self._table.tally is not None and column.name in self._table.tally.varying:
                differs |= self._table.tally.varying[column.name]
            if not differs.any():
                values = [*texts(words), None]
                fields[name] = tuple(map(values.__getitem__, per_case.tolist()))
            elif name in self._roles.asked:
                row = int(np.argmax(differs))
                name_of = found.case_id[int(found.case[row])]
                if not self._table.is_ordered:
                    several: list[int] = np.unique(found.case[differs]).tolist()
                    name_of = min((len(found.case_id[case]), found.case_id[case]) for case in several)[1]
                raise two_values(
                    self._table.file,
                    name=name,
                    column=column.name,
                    case_id=name_of,
                    record=self._table.record(row),
                )
        targets = None if self._roles.target is None else _cells_at(self._roles.target, found.first)
        return grouping_fields(fields, targets=targets, asked=self._roles.asked)


def _weighed(cells: Scores, column: Column, count: NDArray[np.int64]) -> Scores:
    """Return the cells with the rows of the large table counted, and not those that stand for them."""
    infinite = int(count[cells.status == Status.INVALID].sum()) if cells.infinite else 0
    if not cells.without:
        return replace(cells, infinite=infinite)
    words = encoded(column)
    held = np.bincount(words.codes[words.codes >= 0], weights=count[words.codes >= 0], minlength=len(words.values))
    times = dict(zip(texts(words), held.astype(np.int64).tolist(), strict=True))
    return replace(cells, infinite=infinite, without={word: times[word] for word in cells.without})


def _per_case(words: Words, found: CaseRows) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return one code per case, and the rows that contradict it."""
    per_case = words.codes[found.first].copy()
    lacking = per_case < 0
    if lacking.any():
        rows = np.flatnonzero((words.codes >= 0) & lacking[found.case])
        # Reversed, so that the first row with a value is written last and stays.
        per_case[found.case[rows[::-1]]] = words.codes[rows[::-1]]
    return per_case, (words.codes != per_case[found.case]) & (words.codes >= 0)


def _arm_codes(columns: Sequence[Column], table: Table) -> tuple[NDArray[np.int64], list[str]]:
    """Return one code per arm; a further column joins the name only if it tells more arms apart."""
    parts: list[tuple[NDArray[np.int64], list[str]]] = []
    n_arms = 0
    for column in columns:
        part = filled_codes(column, table.n_rows, table.stem)
        size = groups(*(codes for codes, _ in parts), part[0])[1].size
        if size > n_arms:
            parts.append(part)
            n_arms = size
    if not parts:
        return np.zeros(table.n_rows, dtype=np.int64), [table.stem]
    arm, firsts = groups(*(codes for codes, _ in parts))
    return arm, [" / ".join(names[int(codes[row])] for codes, names in parts) for row in firsts.tolist()]


def _rep_numbers(labels: list[str]) -> NDArray[np.int64]:
    """Return a 1-based number per label: whole numbers from 0 or 1 as they are, others in sorted order."""
    whole = [int(label) if label.isascii() and label.isdigit() else -1 for label in labels]
    if min(whole) >= 0 and max(whole) <= _MOST_REP:
        return np.asarray(whole, dtype=np.int64) + (1 if min(whole) == 0 else 0)
    place = {label: number for number, label in enumerate(sorted(labels), start=1)}
    return np.asarray([place[label] for label in labels], dtype=np.int64)


def _content_codes(inputs: Sequence[Column]) -> NDArray[np.int32] | None:
    if not inputs:
        return None
    codes = [encoded(column).codes for column in inputs]
    joint = groups(*codes)[0].astype(np.int32)
    joint[np.all([code < 0 for code in codes], axis=0)] = -1
    return joint


def _stacked(
    blocks: Sequence[Scores],
) -> tuple[tuple[str | None, ...] | None, NDArray[np.float64], NDArray[np.int8]]:
    raw: list[str | None] = []
    if any(block.raw_values for block in blocks):
        for block in blocks:
            literals: list[str | None] = [*block.raw_values, None]
            raw.extend(map(literals.__getitem__, block.raw_codes.tolist()))
    score = np.concatenate([block.score for block in blocks])
    return tuple(raw) or None, score, np.concatenate([block.status for block in blocks])


def _contents(
    roles: Roles, found: CaseRows, content: NDArray[np.int32] | None
) -> Callable[[], Sequence[CaseContent | None]] | None:
    if content is None:
        return None

    def contents() -> Sequence[CaseContent | None]:
        inputs = {column.name: _cells_at(column, found.first) for column in roles.inputs}
        targets = _cells_at(roles.target, found.first)
        choices = _cells_at(roles.choices, found.first)
        rows = range(len(found.case_id))
        return tuple(
            CaseContent(input=_joined(inputs, place), choices=_as_choices(choices[place]), target=targets[place])
            if content[found.first[place]] >= 0
            else None
            for place in rows
        )

    return contents


def _cells_at(column: Column | None, rows: NDArray[np.int64]) -> list[Json]:
    if column is None:
        return [None] * rows.size
    words = encoded(column) if isinstance(column, Numbers) else column
    values: list[Json] = [*words.values, None]
    return [values[code] for code in words.codes[rows].tolist()]


def _joined(inputs: dict[str, list[Json]], place: int) -> Json:
    if len(inputs) == 1:
        return next(iter(inputs.values()))[place]
    return {name: cells[place] for name, cells in inputs.items()}


def _as_choices(cell: Json) -> tuple[str, ...] | None:
    if isinstance(cell, (list, tuple)):
        return tuple(str(one) for one in cell)
    return None if cell is None else (str(cell),)
