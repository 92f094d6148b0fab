"""A part of a table as a table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.scores.codes import renumbered
from evalgauge.scores.identity import distinct_dups

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.scores.table import CaseContent, Cases, ScoreTable


def table_of_arm(table: ScoreTable, arm: str) -> ScoreTable:
    """Return the rows of one arm, with its runs, its cases and the metrics that it was scored by.

    Parameters
    ----------
    table
        What was read.
    arm
        One of the names in ``table.runs``.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> from evalgauge.scores.table import Run
    >>> builder = TableBuilder()
    >>> for arm in ("base", "new"):
    ...     run = builder.add_run(Run(run_id=arm, set_name="faq", arm=arm, framework="table", file=arm + ".csv"))
    ...     builder.add(run=run, case=builder.case_index(arm), rep=1, metric=builder.metric_index("ok"), score=1.0)
    >>> print(table_of_arm(builder.build(), "new"))
    1 cases, 1 rows (1 scored), arms: new; metrics: ok
    """
    is_of_arm = np.asarray([run.arm == arm for run in table.runs], dtype=np.bool_)
    rows = np.flatnonzero(is_of_arm[table.run])
    runs, run = renumbered(table.run[rows], len(table.runs))
    cases, case = renumbered(table.case[rows], len(table.cases))
    metrics, metric = renumbered(table.metric[rows], len(table.metrics))
    at: list[int] = rows.tolist()
    kept_runs: list[int] = runs.tolist()
    kept_metrics: list[int] = metrics.tolist()
    return replace(
        table,
        runs=tuple(table.runs[index] for index in kept_runs),
        metrics=tuple(table.metrics[index] for index in kept_metrics),
        cases=cases_at(table.cases, cases.tolist()),
        run=run.astype(np.int32),
        case=case.astype(np.int32),
        rep=table.rep[rows],
        metric=metric.astype(np.int32),
        score=table.score[rows],
        status=table.status[rows],
        raw=None if table.raw is None else tuple(table.raw[row] for row in at),
        count=None if table.count is None else table.count[rows],
    )


def cases_at(cases: Cases, chosen: Sequence[int]) -> Cases:
    """Return the cases of these indices, in this order; equal ids are numbered anew."""

    def part(column: Sequence[str | None] | None) -> tuple[str | None, ...] | None:
        return None if column is None else tuple(column[case] for case in chosen)

    def contents() -> Sequence[CaseContent | None]:
        everything = cases.contents() if cases.contents else ()
        return [everything[case] for case in chosen]

    ids = tuple(cases.case_id[case] for case in chosen)
    return replace(
        cases,
        case_id=ids,
        dup=distinct_dups(ids, cases.dup[list(chosen)].tolist()),
        fields={name: tuple(column[case] for case in chosen) for name, column in cases.fields.items()},
        contents=contents if cases.contents else None,
        source_hash=part(cases.source_hash),
        case_fp=part(cases.case_fp),
        input_fp=part(cases.input_fp),
    )
