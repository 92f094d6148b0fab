"""Several logs as one table."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.scores.build import inferred_metrics
from evalgauge.scores.table import CaseContent, Cases, Metric, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.table import Run


def concatenated(tables: Sequence[ScoreTable]) -> ScoreTable:
    """Return the rows of several tables as one table.

    Cases of different tables stay apart, even with equal ids: whether they are the same cases is for pairing to say.
    Metrics of equal name become one.

    Parameters
    ----------
    tables
        At least one; one table is returned as it is.

    Raises
    ------
    ArgumentError
        If there is none.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> from evalgauge.scores.table import Run
    >>> def one(arm):
    ...     builder = TableBuilder()
    ...     run = builder.add_run(Run(run_id=arm, set_name="faq", arm=arm, framework="table", file=f"{arm}.csv"))
    ...     metric, case = builder.metric_index("passed"), builder.case_index("q1")
    ...     builder.add(run=run, case=case, rep=1, metric=metric, score=1.0)
    ...     return builder.build()
    >>> print(concatenated([one("base"), one("new")]))
    2 cases, 2 rows (2 scored), arms: base, new; metrics: passed
    """
    if not tables:
        raise ArgumentError("tables", tables, "at least one table")
    if len(tables) == 1:
        return tables[0]
    metrics, renumbered = _merged_metrics(tables)
    run_starts = _starts([len(table.runs) for table in tables])
    case_starts = _starts([len(table.cases) for table in tables])
    score = np.concatenate([table.score for table in tables])
    status = np.concatenate([table.status for table in tables])
    metric = np.concatenate([new[table.metric] for table, new in zip(tables, renumbered, strict=True)])
    raw = _padded([table.raw for table in tables], [len(table) for table in tables])
    return ScoreTable(
        runs=_runs(tables),
        metrics=inferred_metrics(metrics, metric, score, status, raw),
        cases=_cases([table.cases for table in tables]),
        run=_shifted([table.run for table in tables], run_starts),
        case=_shifted([table.case for table in tables], case_starts),
        rep=np.concatenate([table.rep for table in tables]),
        metric=metric,
        score=score,
        status=status,
        raw=raw,
        problems=tuple(problem for table in tables for problem in table.problems),
        count=_counts(tables),
    )


def _starts(sizes: Sequence[int]) -> list[int]:
    return [0, *np.cumsum(sizes)[:-1].tolist()]


def _shifted(columns: Sequence[NDArray[np.int32]], starts: Sequence[int]) -> NDArray[np.int32]:
    return np.concatenate([column + np.int32(start) for column, start in zip(columns, starts, strict=True)])


def _merged_metrics(tables: Sequence[ScoreTable]) -> tuple[tuple[Metric, ...], list[NDArray[np.int32]]]:
    by_name: dict[str, list[Metric]] = {}
    for one in (metric for table in tables for metric in table.metrics):
        by_name.setdefault(one.name, []).append(one)
    merged = tuple(_merged_metric(name, several) for name, several in by_name.items())
    place = {name: index for index, name in enumerate(by_name)}
    renumbered = [np.asarray([place[one.name] for one in table.metrics], dtype=np.int32) for table in tables]
    return merged, renumbered


def _merged_metric(name: str, several: Sequence[Metric]) -> Metric:
    """Return one metric: a range only if all logs declare the same one, a direction unless two logs contradict."""
    ranges = {(one.low, one.high) for one in several}
    low, high = ranges.pop() if len(ranges) == 1 else (None, None)
    directions = {one.higher_is_better for one in several if one.higher_is_better is not None}
    better = directions.pop() if len(directions) == 1 else None
    return Metric(name=name, kind="continuous", low=low, high=high, higher_is_better=better)


def _runs(tables: Sequence[ScoreTable]) -> tuple[Run, ...]:
    """Return the runs; a log that came twice gets a second id, so that its rows stay apart."""
    seen: Counter[str] = Counter()
    runs: list[Run] = []
    for table in tables:
        ids = dict.fromkeys(run.run_id for run in table.runs)
        for run_id in ids:
            seen[run_id] += 1
        runs.extend(
            replace(run, run_id=f"{run.run_id}-{seen[run.run_id]}", attempt_of=run.attempt_of or run.run_id)
            if seen[run.run_id] > 1
            else run
            for run in table.runs
        )
    return tuple(runs)


def _cases(several: Sequence[Cases]) -> Cases:
    sizes = [len(cases) for cases in several]
    names = dict.fromkeys(name for cases in several for name in cases.fields)
    schemes = {cases.source_hash_scheme for cases in several if cases.source_hash is not None}
    return Cases(
        case_id=tuple(case_id for cases in several for case_id in cases.case_id),
        dup=np.concatenate([cases.dup for cases in several]),
        fields={name: _padded([cases.fields.get(name) for cases in several], sizes) or () for name in names},
        contents=_contents(several),
        # Hashes of different schemes cannot be compared, and one column has one scheme.
        source_hash=_padded([cases.source_hash for cases in several], sizes) if len(schemes) == 1 else None,
        source_hash_scheme=schemes.pop() if len(schemes) == 1 else "",
        case_fp=_padded([cases.case_fp for cases in several], sizes),
        input_fp=_padded([cases.input_fp for cases in several], sizes),
        id_is_row_number=any(cases.id_is_row_number for cases in several),
    )


def _counts(tables: Sequence[ScoreTable]) -> NDArray[np.int64] | None:
    if all(table.count is None for table in tables):
        return None
    return np.concatenate(
        [np.ones(len(table), dtype=np.int64) if table.count is None else table.count for table in tables]
    )


def _padded(columns: Iterable[Sequence[str | None] | None], sizes: Sequence[int]) -> tuple[str | None, ...] | None:
    several = list(columns)
    if all(column is None for column in several):
        return None
    filled = ((None,) * size if column is None else column for column, size in zip(several, sizes, strict=True))
    return tuple(cell for column in filled for cell in column)


def _contents(several: Sequence[Cases]) -> Callable[[], Sequence[CaseContent | None]] | None:
    if all(cases.contents is None for cases in several):
        return None

    def contents() -> Sequence[CaseContent | None]:
        found: list[CaseContent | None] = []
        for cases in several:
            found.extend([None] * len(cases) if cases.contents is None else cases.contents())
        return found

    return contents
