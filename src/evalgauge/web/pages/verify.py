"""Does the interval I use cover?"""

from __future__ import annotations

from evalgauge.questions.verify import VerifyRequest
from evalgauge.web.page import Page

VERIFY = Page(
    name="verify",
    title="Verify",
    asks="How often does the interval I use hold the truth, on evals like mine?",
    request=VerifyRequest,
    job=("verify", "verify_answer"),
    first=("n_cases", "reps", "design", "target", "rates", "rule", "sims"),
    example={"n_cases": "25", "reps": "2,10", "sims": "5000"},
    about=(
        (
            "Each eval is drawn anew and every rule is put to it; where the law can be counted out, it is, and the row "
            "says exact. ± is one Monte-Carlo standard error."
        ),
    ),
)
