"""Does the interval I use cover?"""

from __future__ import annotations

from math import prod

from evalgauge.errors import ArgumentError
from evalgauge.questions.verify import VerifyRequest
from evalgauge.web.page import Page

# A few seconds of one core for one answer; a minute or two where a visitor sees how far it is and can leave.
MOST_RUNS, MOST_WATCHED = 100_000_000, 2_000_000_000


def _is_short(request: VerifyRequest, is_watched: bool) -> None:  # noqa: FBT001 - what every page's check is given
    """Refuse what takes longer than a page should.

    Raises
    ------
    ArgumentError
        If more runs would be drawn than a page waits for.
    """
    # Reps that are left out go up to 50.
    sizes = (request.n_cases or 1, max(request.reps or (50,)), request.sims)
    most = MOST_WATCHED if is_watched else MOST_RUNS
    if prod(sizes) > most:
        allowed = f"at most {most:,} runs on a page (cases × reps × sims)"
        raise ArgumentError("sims", request.sims, allowed, "The command line draws any number: evalgauge verify --help")


VERIFY = Page(
    name="verify",
    title="Verify",
    asks="How often does the interval I use hold the truth, on evals like mine?",
    request=VerifyRequest,
    job=("verify", "verify_answer"),
    first=("n_cases", "reps", "design", "target", "rates", "rule", "sims"),
    check=_is_short,
    is_study=True,
    example={"n_cases": "25", "reps": "2,10", "sims": "5000"},
    about=(
        (
            "Each eval is drawn anew and every rule is put to it; where the law can be counted out, it is, and the row "
            "says exact. ± is one Monte-Carlo standard error."
        ),
    ),
)
