"""Answers as lines of text: the verdict or the number in words first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.questions.compare import CompareAnswer
from evalgauge.questions.measure import MeasureAnswer

if TYPE_CHECKING:
    from evalgauge.questions.convert import ConvertAnswer
    from evalgauge.report.text.lines import Line


def answer_lines(answer: MeasureAnswer | CompareAnswer | ConvertAnswer) -> list[Line]:
    """Return the lines that answer a question on a terminal."""
    # One renderer is needed at a time; each is imported when its question was asked.
    if isinstance(answer, MeasureAnswer):
        from evalgauge.report.text.measure import measure_lines  # noqa: PLC0415 - see above

        return measure_lines(answer)
    if isinstance(answer, CompareAnswer):
        from evalgauge.report.text.compare import compare_lines  # noqa: PLC0415 - see above

        return compare_lines(answer)
    from evalgauge.report.text.convert import convert_lines  # noqa: PLC0415 - see above

    return convert_lines(answer)
