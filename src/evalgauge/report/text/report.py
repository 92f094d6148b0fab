"""A report in a few lines: what it would say first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_report
from evalgauge.report.page.sections import verdict_lines
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line

if TYPE_CHECKING:
    from evalgauge.questions.report import ReportAnswer


def report_lines(answer: ReportAnswer) -> list[Line]:
    """Return the verdicts, what the ledger says of the looks, and how to write the whole."""
    looks = dict.fromkeys(line for one in answer.scores for line in note_lines(one.ledger))
    return [*verdict_lines(answer), *looks, Line(f"  Next: {after_report(answer)}", "command")]
