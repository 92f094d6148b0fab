"""How worn is a holdout?"""

from __future__ import annotations

from evalgauge.questions.reuse import ReuseRequest
from evalgauge.web.page import Page, Picture, along

REUSE = Page(
    name="reuse",
    title="Reuse",
    asks="How inflated is the best of k looks, and how many are left?",
    request=ReuseRequest,
    job=("reuse", "reuse_answer"),
    first=("n_cases", "rate", "looks", "tolerance"),
    example={"n_cases": "1000", "rate": "80%", "looks": "10", "tolerance": "2pp"},
    pictures=(Picture(kind="optimism", through=along("optimism_curve")),),
    logs=("The log of the chosen candidate",),
    about=(
        (
            "Optimism is counted for equally good candidates fixed in advance: less for a clear winner, more for "
            "tuning that builds on shown scores."
        ),
        "Blom 1958; Dwork et al. 2015 (reusable holdout); Blum and Hardt 2015 (the ladder).",
    ),
)
