"""What can a gate see before anything is run?"""

from __future__ import annotations

from evalgauge.questions.gate_check import GateCheckRequest
from evalgauge.web.page import Page

CHECK = Page(
    name="check",
    title="Check",
    asks="Can these rules pass or fail at all, and what would they see?",
    request=GateCheckRequest,
    job=("gate_check", "check_answer"),
    first=("cases", "reps", "rate", "max_drop", "min_rate", "better_than", "discordance"),
    example={"cases": "200", "rate": "90%", "max_drop": "5pp"},
    has_rules=True,
    logs=("Baseline", "Another like the candidate"),
    about=(
        "Chances are those of the rules that will judge, with as many cases; they need no run.",
        "A rule on a drop that no case could break is blind: it can neither pass nor fail.",
    ),
)
