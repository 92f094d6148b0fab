"""A report as Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalgauge.report.charts.told import cell_text, head_text
from evalgauge.report.markdown import code_text, safe_text
from evalgauge.report.page.sections import blocks, parts_of, verdict_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.report import ReportAnswer
    from evalgauge.questions.scale import Scale
    from evalgauge.report.charts.chart import Column, Row
    from evalgauge.report.page.sections import Part

_ROWS_SHOWN = 40
_TICKS = re.compile("`*")


def report_markdown(answer: ReportAnswer) -> str:
    """Return a report as Markdown: the words and the numbers of the HTML, without pictures."""
    lines = [f"# {safe_text(answer.title)}", "", f"**{safe_text(verdict_lines(answer)[0].text)}**", ""]
    for part in parts_of(answer):
        lines += [f"## {safe_text(part.title)}", "", *_part(part)]
        for one in part.parts:
            lines += [f"### {safe_text(one.title)}", "", *_part(one)]
    return "\n".join(lines).rstrip() + "\n"


def _part(part: Part) -> list[str]:
    lines: list[str] = []
    if part.chart is not None:
        lines += [f"{safe_text(part.chart.title)}:", "", *_table(part.chart.columns, part.chart.rows, part.chart.scale)]
    for tone, texts in blocks(part.lines):
        lines += _fenced(texts) if tone == "rows" else [f"- {safe_text(texts[0])}"]
    lines += [""] if part.lines else []
    for one in part.tables:
        lines += [f"{safe_text(one.title)}:", "", *_table(one.columns, one.rows, one.scale)]
        lines += [f"… {one.rest:,} more", ""] if one.rest else []
    lines += _fenced(part.commands) if part.commands else []
    return lines


def _fenced(texts: Sequence[str]) -> list[str]:
    """Return rows as code, whatever signs of code stand in them."""
    fence = "`" * max(3, 1 + max(len(run) for text in texts for run in _TICKS.findall(text)))
    return ["", fence, *texts, fence, ""]


def _table(columns: Sequence[Column], rows: Sequence[Row], scale: Scale) -> list[str]:
    lines = [f"| {' | '.join(head_text(column, scale) for column in columns)} |"]
    lines.append("|" + "|".join("---" if column.unit in ("text", "time") else "---:" for column in columns) + "|")
    for row in rows[:_ROWS_SHOWN]:
        cells = [
            code_text(cell_text(row[column.key], column, scale)).replace("|", "\\|")
            if column.unit == "text" and row[column.key]
            else cell_text(row[column.key], column, scale)
            for column in columns
        ]
        lines.append(f"| {' | '.join(cells)} |")
    rest = len(rows) - _ROWS_SHOWN
    return [*lines, *([f"\n… {rest:,} more"] if rest > 0 else []), ""]
