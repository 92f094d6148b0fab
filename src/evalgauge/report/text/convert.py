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
        _content(answer),
        *([Line(f"  Fields in plain text: {listed(answer.fields)}")] if answer.fields else []),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        Line(f"  Next: {after_convert(answer)}", "command"),
    ]


def _content(answer: ConvertAnswer) -> Line:
    if answer.contents:
        what = "1 case asks and expects" if answer.contents == 1 else f"{answer.contents:,} cases ask and expect"
        return Line(f"  What {what} is in the file as text: share it as you would the eval set.", "warning")
    if answer.request.with_content:
        return Line("  The log holds no content of its cases: the file has their ids and scores.", "warning")
    return Line("  Inputs and expected answers are in the file as hashes only.")
