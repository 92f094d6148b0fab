"""Which rows of a plain table are one case, and which of its rows are reps.

Counting reps as cases gives intervals that are too narrow, and counting cases as reps hides cases, so every inference
is announced with the way out:

* rows that agree in id are one case, unless their inputs differ;
* a rep column is believed; without one, rows that repeat a case are its reps, in order;
* without an id the input is the identity, and equal inputs are reps only if every input appears equally often;
* without both every row is a case, numbered.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import LogError
from evalgauge.formats.columns import groups, occurrences
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from evalgauge.formats.columns import Tally, Words


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Keys:
    """What the rows of a table say about themselves, as codes per row.

    Attributes
    ----------
    file
        What messages call the table.
    run, set
        Which run and which eval set, int.
    ids
        Ids as text, or ``None``.
    content
        Which input, -1 where it is blank; or ``None``.
    rep
        The rep where the table numbers them, 1-based; or ``None``.
    metric
        Which metric, for a table with one row per metric; all 0 otherwise.
    is_rep_wide
        Whether every row holds all reps of its case, so that a repeated id cannot be a rep.
    index
        The row labels of a data frame that was written with its index, or ``None``.
    has_others
        Whether the table holds other columns than scores, among which one may name the case.
    is_ordered
        Whether the order of the rows means something.
    tally
        For a reduced table: what each row stands for.
    """

    file: str
    run: NDArray[np.int64]
    set: NDArray[np.int64]
    ids: Words | None
    content: NDArray[np.int32] | None
    rep: NDArray[np.int64] | None
    metric: NDArray[np.int64]
    is_rep_wide: bool = False
    index: Words | None = None
    has_others: bool = False
    is_ordered: bool = True
    tally: Tally | None = None

    def record(self, row: int) -> str:
        """Return what messages call a row; nothing where rows have no order."""
        return f"row {row + 1}" if self.is_ordered else ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseRows:
    """The cases that were found.

    Attributes
    ----------
    case, rep
        Per row: index of the case, and 1-based rep.
    case_id, dup
        Per case.
    first
        Per case: its first row.
    is_inferred
        Whether the reps were read off repeated cases.
    id_is_row_number
        Whether the ids only number the rows.
    problems
        The inferences, announced.
    """

    case: NDArray[np.int64]
    rep: NDArray[np.int64]
    case_id: tuple[str, ...]
    dup: NDArray[np.int32]
    first: NDArray[np.int64]
    is_inferred: bool
    id_is_row_number: bool
    problems: tuple[Problem, ...]


def case_rows(keys: Keys) -> CaseRows:
    """Return the case and the rep of every row.

    Raises
    ------
    LogError
        If a row has no id, or the table numbers reps but nothing says which case a row belongs to.
    """
    if keys.ids is not None:
        return _by_id(keys, keys.ids)
    if keys.content is not None:
        return _by_content(keys, keys.content)
    return _by_row(keys)


def _by_id(keys: Keys, ids: Words) -> CaseRows:
    without = np.flatnonzero(ids.codes < 0)
    if without.size:
        raise LogError(
            keys.file,
            f"{counted(_rows_at(keys, without), 'row has', 'rows have')} no case id.",
            record=keys.record(int(without[0])),
            field=ids.name,
            hint="Fill the ids in, or name another column: --map case=COLUMN.",
        )
    base, base_first = groups(keys.set, ids.codes)
    parts, problems = _content_parts(keys, base)
    case, _ = groups(base, parts)
    rep, case, more = _reps(keys, case)
    case, first = groups(case)
    names: list[str] = [str(ids.values[code]) for code in ids.codes[first].tolist()]
    dup = occurrences(base[first]) if first.size > base_first.size else np.zeros(first.size, dtype=np.int64)
    return CaseRows(
        case=case,
        rep=rep,
        case_id=tuple(names),
        dup=dup.astype(np.int32),
        first=first,
        is_inferred=_has_inferred_reps(keys, rep),
        id_is_row_number=False,
        problems=(*problems, *more),
    )


def _content_parts(keys: Keys, base: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[Problem]]:
    """Return, within rows of one id, which different input each row holds: 0 unless an id stands for several cases."""
    parts = np.zeros(base.size, dtype=np.int64)
    if keys.content is None:
        return parts, []
    known = np.flatnonzero(keys.content >= 0)
    # One id with one input in each arm is one case whose prompt differs by arm; several inputs within one arm are not.
    _, pairs = groups(keys.run[known], base[known], keys.content[known])
    in_run, firsts = groups(keys.run[known][pairs], base[known][pairs])
    several = base[known][pairs][firsts[np.bincount(in_run) > 1]]
    if keys.rep is not None:
        repeated = occurrences(groups(keys.run, base, keys.metric, keys.rep)[0]) > 0
        several = np.intersect1d(several, base[repeated])
    elif keys.tally is not None and keys.tally.has_reps:
        # Every rep number stands once, so that no id stands for several cases.
        several = several[:0]
    is_split = np.isin(base, several)
    parts[is_split] = keys.content[is_split] + 1
    problems: list[Problem] = []
    if several.size:
        count = np.unique(several).size
        stands = counted(count, "case id stands", "case ids stand")
        text = f"{stands} for rows with different inputs: each different input is read as a case."
        problems.append(Problem(text=text, file=keys.file, count=count))
    unsplit = known[~is_split[known]]
    _, inputs = groups(base[unsplit], keys.content[unsplit])
    differing = int((np.bincount(base[unsplit][inputs], minlength=1) > 1).sum())
    if differing:
        text = f"The input of {counted(differing, 'case', 'cases')} differs by arm or rep: by id it is one case."
        problems.append(Problem(text=text, file=keys.file, count=differing))
    return parts, problems


def _reps(keys: Keys, case: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[Problem]]:
    """Return the reps, and the cases with those rows apart that no rep number tells from another row."""
    if keys.rep is None and not keys.is_rep_wide:
        count = None if keys.tally is None else keys.tally.count
        rep = occurrences(groups(keys.run, case, keys.metric)[0], count) + 1
        return rep, case, _announced(keys, case)
    rep = np.ones(case.size, dtype=np.int64) if keys.rep is None else keys.rep
    again = occurrences(groups(keys.run, case, keys.metric, rep)[0])
    doubles = int((again > 0).sum())
    if not doubles:
        return rep, case, []
    if not keys.is_ordered:
        raise doubled_reps(keys.file, doubles)
    row = int(np.flatnonzero(again > 0)[0]) + 1
    text = (
        f"{counted(doubles, 'row repeats', 'rows repeat')} a case, rep and metric that an earlier row holds (first: "
        f"row {row}): kept apart as separate cases. Remove what was written twice; number further reps."
    )
    return rep, groups(case, again)[0], [Problem(text=text, file=keys.file, record=f"row {row}", count=doubles)]


def doubled_reps(file: str, doubles: int) -> LogError:
    """Return the refusal of a large table that holds rows twice: no order of rows tells which copy is which."""
    rows = counted(doubles, "row repeats", "rows repeat")
    what = f"{rows} a case, rep and metric that another row holds, and the rows of a table this large have no order."
    return LogError(file, what, hint="Remove what was written twice, or number further reps.")


def _rows_at(keys: Keys, rows: NDArray[np.intp]) -> int:
    """Return how many rows of the source these rows stand for."""
    return rows.size if keys.tally is None else int(keys.tally.count[rows].sum())


def _has_inferred_reps(keys: Keys, rep: NDArray[np.int64]) -> bool:
    if keys.tally is not None:
        return not keys.tally.has_reps and bool((rep + keys.tally.count > 2).any())
    return keys.rep is None and not keys.is_rep_wide and bool((rep > 1).any())


def _announced(keys: Keys, case: NDArray[np.int64]) -> list[Problem]:
    tally = keys.tally
    if tally is not None and (tally.has_reps or tally.said is not None):
        return list(tally.said or ())
    group, _ = groups(keys.run, case, keys.metric)
    counts = np.bincount(group, weights=None if tally is None else tally.count).astype(np.int64)
    repeated = groups(case[np.isin(group, np.flatnonzero(counts > 1))])[1].size
    return _of_repeated(keys.file, counts, repeated, lambda: groups(case)[1].size)


def said_of_reps(file: str, totals: NDArray[np.int64]) -> tuple[Problem, ...]:
    """Return what has to be said of reps without numbers; ``totals`` holds the rows per run (and metric) and case."""
    repeated = int((totals > 1).any(axis=0).sum())
    return tuple(_of_repeated(file, totals[totals > 0], repeated, lambda: int(totals.any(axis=0).sum())))


def _of_repeated(file: str, counts: NDArray[np.int64], repeated: int, total: Callable[[], int]) -> list[Problem]:
    last = int(counts.max(initial=1))
    if last == 1:
        return []
    way_out = "If they are different cases, name the column that tells them apart: --map case=COLUMN."
    cases = total()
    if counts.min() == last:
        text = f"{counted(cases, 'case appears', 'cases appear')} {last} times: read as {last} reps each. {way_out}"
    else:
        text = f"{repeated:,} of {cases:,} cases appear more than once (up to {last} times): read as reps. {way_out}"
    return [Problem(text=text, file=file, count=repeated)]


def two_values(file: str, *, name: str, column: str, case_id: str, record: str = "") -> LogError:
    """Return the refusal of a field that does not belong to the case."""
    return LogError(
        file,
        f"holds two values for case {case_id!r}.",
        record=record,
        field=column,
        hint="A slice or cluster belongs to the case: every row of a case must hold the same value. If "
        f"this column names the case, say so too: --map case={column},{name}={column}",
    )


def _by_content(keys: Keys, content: NDArray[np.int32]) -> CaseRows:
    blank = content < 0
    own = content.astype(np.int64)
    own[blank] = int(content.max(initial=0)) + 1 + np.arange(int(blank.sum()))
    case, _ = groups(keys.set, own)
    problems: list[Problem] = []
    if keys.rep is None and not keys.is_rep_wide:
        group, firsts = groups(keys.run, case, keys.metric)
        again = occurrences(group)
        _, per_run = groups(keys.run[firsts], keys.metric[firsts], np.bincount(group))
        is_even = per_run.size == groups(keys.run, keys.metric)[1].size and bool((np.bincount(group) > 1).all())
        if not is_even and again.any():
            count = int((again > 0).sum())
            holds = counted(count, "row holds", "rows hold")
            text = (
                f"{holds} an input that an earlier row holds, and not every input comes equally often: each row is "
                "read as a case. If they are reps, add a column rep or a case id."
            )
            problems.append(Problem(text=text, file=keys.file, count=count))
            case, _ = groups(case, again)
    rep, case, more = _reps(keys, case)
    case, first = groups(case)
    return CaseRows(
        case=case,
        rep=rep,
        case_id=tuple(str(row + 1) for row in first.tolist()),
        dup=np.zeros(first.size, dtype=np.int32),
        first=first,
        is_inferred=keys.rep is None and not keys.is_rep_wide and bool((rep > 1).any()),
        id_is_row_number=True,
        problems=(*problems, *more),
    )


def _by_row(keys: Keys) -> CaseRows:
    if keys.rep is not None and groups(keys.rep)[1].size > 1:
        raise LogError(
            keys.file,
            "the table numbers its reps, but no column says which case a row belongs to.",
            hint="Name the column: --map case=COLUMN, or --map input=COLUMN if the text of the case identifies it.",
        )
    rows = np.arange(keys.run.size)
    names = [str(row + 1) for row in rows.tolist()]
    problems: list[Problem] = []
    if keys.has_others and rows.size > 1:
        text = (
            "No column is called an id or an input: each row is read as a case. If several rows are one case, or the "
            "same cases are in another log, name the column: --map case=COLUMN or --map input=COLUMN."
        )
        problems.append(Problem(text=text, file=keys.file, count=rows.size))
    index = keys.index
    if index is not None and len(index.values) == rows.size and bool((index.codes >= 0).all()):
        names = [str(index.values[code]) for code in index.codes.tolist()]
    return CaseRows(
        case=rows,
        rep=np.ones(rows.size, dtype=np.int64),
        case_id=tuple(names),
        dup=np.zeros(rows.size, dtype=np.int32),
        first=rows,
        is_inferred=False,
        id_is_row_number=True,
        problems=tuple(problems),
    )
