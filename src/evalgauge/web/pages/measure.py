"""What is this score?"""

from __future__ import annotations

from evalgauge.questions.measure import MeasureRequest
from evalgauge.web.page import Page, Picture

MEASURE = Page(
    name="measure",
    title="Measure",
    asks="What is this score, with an interval that is true?",
    request=MeasureRequest,
    job=("measure", "measure_each"),
    first=("metric", "arm", "by", "cluster"),
    pictures=(Picture(kind="arms"), Picture(kind="variance")),
    logs=("Logs",),
    needs_logs=True,
    many_logs=True,
    several=True,
    about=(
        "Cases stand for new cases like these; reps of a case are averaged inside it; missing runs widen the interval.",
        "Wilson 1927; Clopper and Pearson 1934; Miller 2024.",
    ),
)
