"""Charts in words: what was drawn, and the numbers behind it, on a terminal and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evalgauge.report.charts.chart import PERCENT_SCALE
from evalgauge.report.json_text import SCHEMA_VERSION, plain
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, decimals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.parts import LedgerNote
    from evalgauge.questions.scale import Scale
    from evalgauge.report.charts.chart import Chart, Column

SHOWN = 20


def chart_lines(
    chart: Chart, output: str | None, next_step: str, looks: Sequence[LedgerNote | None] = ()
) -> list[Line]:
    """Return the finding, where it was drawn or else the numbers behind it, the looks at registered sets, and more."""
    lines = [Line(chart.title, "headline")]
    if output is None:
        lines += _table(chart)
    else:
        lines.append(Line(f"  Wrote {output} ({chart.kind}, {count(len(chart.rows), 'row')} of numbers behind it)"))
    told = dict.fromkeys(line for look in looks for line in note_lines(look))
    return [*lines, *told, Line(f"  Next: {next_step}", "command")]


def chart_json(
    chart: Chart, output: str | None, looks: Sequence[LedgerNote | None] = (), *, ascii_only: bool = False
) -> str:
    """Return a chart as a JSON document: its finding, the numbers behind it, and its specification."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "question": "plot",
        "kind": chart.kind,
        "title": chart.title,
        "description": chart.description,
        "columns": plain(chart.columns),
        "rows": plain(chart.rows),
        "output": output,
        "ledger": [plain(look) for look in looks if look is not None],
        "spec": chart.spec,
    }
    return json.dumps(document, indent=2, ensure_ascii=ascii_only, allow_nan=False)


def cell_text(value: str | float | None, column: Column, scale: Scale = PERCENT_SCALE) -> str:
    """Return a number of a chart with its unit, as its column and the score's scale say.

    Examples
    --------
    >>> from evalgauge.report.charts.chart import Column
    >>> cell_text(0.742, Column("estimate", "Score", "share")), cell_text(0.02, Column("change", "Change", "change"))
    ('74.2 %', '+2.0')
    """
    if value is None:
        return "–"
    if isinstance(value, str):
        return value[:16].replace("T", " ") if column.unit == "time" else value
    if column.unit == "rate":
        return f"{decimals(100 * value, 100)} %"
    if column.unit == "share":
        return f"{scale.number(value)} %" if scale.is_percent else scale.number(value)
    if column.unit in ("points", "change"):
        return scale.change(value) if column.unit == "change" else decimals(scale.factor * value, scale.factor)
    return f"{value:,.0f}" if column.unit == "count" else f"{value:.4g}"


def head_text(column: Column, scale: Scale = PERCENT_SCALE) -> str:
    """Return the head of a column, with the unit that its numbers do not say."""
    return f"{column.title}, points" if column.unit in ("points", "change") and scale.is_percent else column.title


def _table(chart: Chart) -> list[Line]:
    heads = [head_text(column, chart.scale) for column in chart.columns]
    cells = [
        [cell_text(row[column.key], column, chart.scale) for column in chart.columns] for row in chart.rows[:SHOWN]
    ]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    lines = [Line(_row(heads, widths, chart), "quiet", narrow=f"  {', '.join(heads)}:")]
    lines += [Line(_row(row, widths, chart), narrow=f"  {', '.join(row)}") for row in cells]
    rest = len(chart.rows) - SHOWN
    return [*lines, *([Line(f"  … {rest:,} more (-o numbers.csv writes all)", "quiet")] if rest > 0 else [])]


def _row(cells: list[str], widths: list[int], chart: Chart) -> str:
    texts = [
        f"{cell:<{width}}" if column.unit in ("text", "time") else f"{cell:>{width}}"
        for cell, width, column in zip(cells, widths, chart.columns, strict=True)
    ]
    return f"  {'  '.join(texts)}".rstrip()
