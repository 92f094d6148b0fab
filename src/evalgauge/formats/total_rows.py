"""Rows of totals at the end of a spreadsheet, which are no cases."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.formats.cells import cleaned_scores
from evalgauge.formats.columns import Words, encoded, texts
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from evalgauge.formats.columns import Column, Table
    from evalgauge.formats.roles import Roles

_TOTALS = frozenset({
    *("total", "totals", "grand total", "sum", "average", "avg", "mean", "overall", "summary", "score", "result"),
    *("gesamt", "summe", "durchschnitt", "mittelwert", "moyenne", "promedio", "media"),
})  # fmt: skip
_ROUNDING = 0.006
"""Totals are written with two decimals or more; shares in per cent with none."""


def without_total(table: Table, roles: Roles) -> Table:
    """Return the table without a last row that names a total and holds that of the rows before it.

    A last row with such a name and other scores may be a case: it stays, and ``problems`` names it.
    """
    names = (roles.case, *roles.inputs[:1], roles.index)
    column = next((one for one in names if one is not None), None)
    if column is None or table.n_rows < 3 or table.tally is not None or not table.is_ordered:
        return table
    words = encoded(column)
    last = int(words.codes[-1])
    label = texts(words)[last] if last >= 0 else ""
    if label.strip().rstrip(":").casefold() not in _TOTALS or np.count_nonzero(words.codes == last) > 1:
        return table
    if roles.metric is None and all(_is_total(score) for score in roles.scores):
        said = f"The last row, {label!r}, holds the totals of the rows above it: it is no case and was left out."
        shorter = tuple(_shorter(one) for one in table.columns)
        table = replace(table, columns=shorter, n_rows=table.n_rows - 1)
    else:
        said = f"The last row is called {label!r} and is counted as a case: if it is a total, delete it."
    return replace(table, problems=(*table.problems, Problem(text=said, file=table.file)))


def _is_total(column: Column) -> bool:
    scores = cleaned_scores(column).score
    last, above = float(scores[-1]), scores[:-1][~np.isnan(scores[:-1])]
    if math.isnan(last) or not above.size:
        return math.isnan(last)
    scale = max(1.0, float(np.abs(above).max()))
    return any(abs(last - total) <= _ROUNDING * scale for total in (float(above.mean()), float(above.sum())))


def _shorter(column: Column) -> Column:
    if isinstance(column, Words):
        return replace(column, codes=column.codes[:-1])
    return replace(column, numbers=column.numbers[:-1], missing=None if column.missing is None else column.missing[:-1])
