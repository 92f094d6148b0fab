"""The order of a large table: by set, arm and id, since engines and warehouses keep no order of rows."""

from __future__ import annotations

from dataclasses import replace
from operator import le
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.scores.number_ids import NumberIds
from evalgauge.scores.subset import cases_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.scores.table import ScoreTable


def in_order_of_ids(table: ScoreTable) -> ScoreTable:
    """Return a table whose runs, metrics and cases stand in the order of their names, whatever the rows' order was.

    Ids are ordered by length, then by character, so that q9 comes before q10. Rows stay where they are: no sum depends
    on their order.

    Parameters
    ----------
    table
        Any table.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> from evalgauge.scores.table import Run
    >>> builder = TableBuilder()
    >>> run = builder.add_run(Run(run_id="r", set_name="faq", arm="base", framework="table", file="base.csv"))
    >>> for case in ("q10", "q9"):
    ...     builder.add(run=run, case=builder.case_index(case), rep=1, metric=builder.metric_index("ok"), score=1.0)
    >>> in_order_of_ids(builder.build()).cases.case_id
    ('q9', 'q10')
    """
    runs = sorted(range(len(table.runs)), key=lambda index: (table.runs[index].set_name, table.runs[index].arm))
    metrics = sorted(range(len(table.metrics)), key=lambda index: table.metrics[index].name)
    ordered = replace(
        table,
        runs=tuple(table.runs[index] for index in runs),
        metrics=tuple(replace(one, words=tuple(sorted(one.words))) for one in map(table.metrics.__getitem__, metrics)),
        run=_places(runs)[table.run],
        metric=_places(metrics)[table.metric],
    )
    ids = table.cases.case_id
    if isinstance(ids, NumberIds):
        return ordered
    lengths = np.fromiter(map(len, ids), dtype=np.int64, count=len(ids))
    if _is_ascending(ids, lengths) and not table.cases.dup.any():
        return ordered
    dups: list[int] = table.cases.dup.tolist()
    cases = sorted(range(len(ids)), key=lambda index: (len(ids[index]), ids[index], dups[index]))
    return replace(ordered, cases=cases_at(table.cases, cases), case=_places(cases)[table.case])


def _is_ascending(ids: Sequence[str], lengths: np.ndarray[tuple[int], np.dtype[np.int64]]) -> bool:
    steps = np.diff(lengths)
    if (steps < 0).any():
        return False
    # Within one length the ids themselves decide.
    return (
        all(map(le, ids, ids[1:]))
        if not steps.any()
        else all(step or one <= two for step, one, two in zip(steps.tolist(), ids, ids[1:], strict=False))
    )


def _places(order: list[int]) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return for each index its place in an order."""
    places = np.empty(len(order), dtype=np.int32)
    places[order] = np.arange(len(order), dtype=np.int32)
    return places
