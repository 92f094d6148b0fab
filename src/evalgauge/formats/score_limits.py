"""How large a score may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import LogError

if TYPE_CHECKING:
    from evalgauge.scores.table import ScoreTable

LARGEST = 1e20
"""Floating point has 16 digits, so other scores are lost beside larger ones, and intervals need their fourth powers."""


def within_limits(table: ScoreTable) -> ScoreTable:
    """Return the table itself, whose scores can be counted with.

    Raises
    ------
    LogError
        If a score is larger than ``LARGEST`` in size; its file, case and metric are named.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> from evalgauge.scores.table import Run
    >>> builder = TableBuilder()
    >>> run = builder.add_run(Run(run_id="r", set_name="", arm="a", framework="table", file="a.csv"))
    >>> builder.add(run=run, case=builder.case_index("q1"), rep=1, metric=builder.metric_index("score"), score=1e300)
    >>> within_limits(builder.build())
    Traceback (most recent call last):
    ...
    evalgauge.errors.LogError: a.csv, case 'q1', field 'score': the score is 1e+300, the largest allowed is 1e+20...
    """
    too_large = np.abs(table.score) > LARGEST
    if not too_large.any():
        return table
    row = int(np.argmax(too_large))
    raise LogError(
        table.runs[int(table.run[row])].file,
        f"the score is {float(table.score[row]):g}, the largest allowed is {LARGEST:g} in size: beside "
        "larger ones the other scores are lost in rounding.",
        record=f"case {table.cases.case_id[int(table.case[row])]!r}",
        field=table.metrics[int(table.metric[row])].name,
        hint="Divide all scores by one number; if it marks a missing score, say so: "
        f"--words {float(table.score[row]):g}=missing",
    )
