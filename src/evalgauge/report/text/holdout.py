"""A verdict on a holdout as text: one bit, and what it cost."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from evalgauge.report.next_ledger import in_ledger
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, level, percent

if TYPE_CHECKING:
    from evalgauge.questions.holdout import HoldoutAnswer


def holdout_lines(answer: HoldoutAnswer) -> list[Line]:
    """Return the verdict, its price, and what is left."""
    word, tone = ("PASS", "good") if answer.passed else ("NO PASS", "bad")
    shown = "shown to be" if answer.passed else "not shown to be"
    lines = [
        Line(f"{word}: {answer.candidate} is {shown} {answer.rule} on {answer.set_name}", tone),
        Line(f"  {count(answer.n_cases, 'case')}, against {answer.baseline}; the scores stay sealed, this bit is all."),
    ]
    if not answer.is_new:
        lines.append(
            Line(f"  These results were judged by this rule before (look {answer.look}): nothing new was spent.")
        )
    if answer.confidence is not None:
        lines.append(
            Line(
                f"  Look {answer.place:,}: claimed at {level(answer.confidence)}, so that all looks together hold "
                f"at {percent(answer.over_all)}, however candidates were tuned on verdicts."
            )
        )
    if answer.next_refusal:
        lines.append(Line(f"  {answer.next_refusal} No further verdict on this set.", "warning"))
    elif answer.looks_left is not None:
        lines.append(Line(f"  {count(answer.looks_left, 'declared look')} left."))
    if answer.passed:
        following = in_ledger("decide", answer.look, "ship", ledger=answer.request.ledger)
    else:
        following = in_ledger("status", shlex.quote(answer.set_name), ledger=answer.request.ledger)
    return [*lines, Line(f"  Next: {following}", "command")]
