"""May the candidate ship?"""

from __future__ import annotations

from evalgauge.questions.gate import GateRequest
from evalgauge.web.page import Page

GATE = Page(
    name="gate",
    title="Gate",
    asks="May the candidate ship: pass, fail, or cannot decide?",
    request=GateRequest,
    job=("gate", "gate_answer"),
    first=("max_drop", "min_rate", "better_than", "by", "slice_drop", "slice_rate", "allow_blind"),
    example={"max_drop": "2pp"},
    has_rules=True,
    logs=("Baseline", "Candidate"),
    needs_logs=True,
    about=(
        "A pass is read at a one-sided error of 2.5 % at 95 %; false alarms are shared over all rules (Holm).",
        "A rule that can never pass or never fail with so many cases is refused.",
    ),
)
