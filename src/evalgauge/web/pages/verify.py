"""Does the interval I use cover?"""

from __future__ import annotations

from math import prod

from evalgauge.errors import ArgumentError
from evalgauge.questions.verify import VerifyRequest
from evalgauge.web.page import Page

# A few seconds of one core; a visitor who leaves does not end it.
MOST_RUNS = 100_000_000


def _is_short(request: VerifyRequest) -> None:
    """Refuse what takes minutes.

    Raises
    ------
    ArgumentError
        If more runs would be drawn than a page waits for.
    """
    # Reps that are left out go up to 50.
    sizes = (request.n_cases or 1, max(request.reps or (50,)), request.sims)
    if prod(sizes) > MOST_RUNS:
        allowed = f"at most {MOST_RUNS:,} runs on a page (cases × reps × sims)"
        raise ArgumentError("sims", request.sims, allowed, "The command line draws any number: evalgauge verify --help")


VERIFY = Page(
    name="verify",
    title="Verify",
    asks="How often does the interval I use hold the truth, on evals like mine?",
    request=VerifyRequest,
    job=("verify", "verify_answer"),
    first=("n_cases", "reps", "design", "target", "rates", "rule", "sims"),
    check=_is_short,
    example={"n_cases": "25", "reps": "2,10", "sims": "5000"},
    about=(
        (
            "Each eval is drawn anew and every rule is put to it; where the law can be counted out, it is, and the row "
            "says exact. ± is one Monte-Carlo standard error."
        ),
    ),
)
