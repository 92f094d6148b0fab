"""How many cases do I need, and what can mine show?"""

from __future__ import annotations

from evalgauge.questions.plan import PlanRequest
from evalgauge.web.page import Page, Picture, along

PLAN = Page(
    name="plan",
    title="Plan",
    asks="How many cases do I need, and what can the set I own show?",
    request=PlanRequest,
    job=("plan", "plan_answer"),
    first=("rate", "margin", "drop", "slices", "own", "design"),
    example={"rate": "90%", "margin": "5pp", "drop": "10pp", "slices": "5", "own": "695"},
    pictures=(
        Picture(kind="precision", through=along("precision_curve")),
        Picture(kind="power", through=along("power_curve")),
    ),
    about=(
        (
            "Counts are those at which the interval that will grade the set keeps its promise, and stay kept at every "
            "larger count; handbook formulas are shown and never prescribed."
        ),
        "Wilson 1927; Tango 1998; Miettinen and Nurminen 1985; Fleiss, Levin and Paik 2003; Connor 1987.",
    ),
)
