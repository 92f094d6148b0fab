"""What was blessed, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_bless
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, listed

if TYPE_CHECKING:
    from evalgauge.questions.bless import BlessAnswer


def bless_lines(answer: BlessAnswer) -> list[Line]:
    """Return what the baseline holds, by what its cases will be known again, and what to do next."""
    name = f"{answer.arm} on {answer.set_name}" if answer.set_name else answer.arm
    word = "Replaced" if answer.replaced else "Blessed"
    scores = f"{answer.scored:,} of {answer.rows:,} planned scores"
    lines = [
        Line(f"{word} {answer.output}: {name}, {count(answer.cases, 'case')}, {scores}", "headline"),
        Line(f"  scores: {listed(answer.metrics)}"),
    ]
    known = f"{answer.hashed:,} of {count(answer.cases, 'case')} by a hash of what they ask"
    rest = ", the others by their ids" if answer.hashed < answer.cases else ""
    lines.append(Line(f"  knows {known}{rest}; set {answer.set_hash[:12]}"))
    if answer.fields:
        lines.append(Line(f"  in plain text: case ids, {listed(answer.fields)}"))
    lines += [Line(f"  {note}", "warning") for note in answer.notes]
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    lines.append(Line("  It never moves by itself; --overwrite replaces it.", "quiet"))
    lines.append(Line(f"  Next: {after_bless(answer)}", "command"))
    return lines
