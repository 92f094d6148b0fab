"""The answer to "write the scores as a plain table" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_convert
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, listed

if TYPE_CHECKING:
    from evalgauge.questions.convert import ConvertAnswer


def convert_lines(answer: ConvertAnswer) -> list[Line]:
    """Return what was written and what is in it."""
    return [
        Line(f"Wrote {answer.output}: {count(answer.rows, 'row')}, {count(answer.cases, 'case')}", "headline"),
        Line(f"  arms: {listed(answer.arms)}; metrics: {listed(answer.metrics)}"),
        Line("  Inputs and expected answers are in the file as hashes only."),
        *([Line(f"  Fields in plain text: {listed(answer.fields)}")] if answer.fields else []),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        Line(f"  Next: {after_convert(answer)}", "command"),
    ]
