"""More cases, or more reps of each?"""

from __future__ import annotations

from evalgauge.questions.plan_reps import PlanRepsRequest
from evalgauge.web.page import Page, Picture

REPS = Page(
    name="reps",
    title="Reps",
    asks="More cases, or more reps of each?",
    request=PlanRepsRequest,
    job=("plan_reps", "reps_answer"),
    first=("case_sd", "run_sd", "budget", "margin", "cost_case", "cost_run"),
    example={"case_sd": "0.4", "run_sd": "0.3", "budget": "400"},
    pictures=(Picture(kind="reps"),),
    logs=("A log with reps", "Another, for a change"),
    about=(
        "Reps average out the noise between runs of one case, and nothing else: the differences between cases stay.",
        "Variance of a two-stage sample: Cochran 1977, chapter 10.",
    ),
)
