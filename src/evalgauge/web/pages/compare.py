"""Is the candidate really better?"""

from __future__ import annotations

from evalgauge.questions.compare import CompareRequest
from evalgauge.web.page import Page, Picture

COMPARE = Page(
    name="compare",
    title="Compare",
    asks="Is the candidate really better than the baseline?",
    request=CompareRequest,
    job=("compare", "compare_answer"),
    first=("margin", "metric", "by", "cluster"),
    example={"margin": "2pp"},
    pictures=(Picture(kind="differences"), Picture(kind="flips")),
    logs=("Baseline", "Candidate"),
    needs_logs=True,
    about=(
        "Cases are matched by content, then near match, then id. No worse and equivalent rest on the guarded interval.",
        "Tango 1998; McNemar 1947; Zou and Donner 2008.",
    ),
)
