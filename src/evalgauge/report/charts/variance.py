"""Where the variance of a score comes from: differences between cases, or noise between runs of one case."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalgauge.errors import ScoreError
from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import place_axis, row_form, row_texts, share_axis
from evalgauge.report.charts.style import ACCENT, PERCENT, SECOND, vega_lite
from evalgauge.report.words import Scale, count

if TYPE_CHECKING:
    from evalgauge.questions.measure import MeasureAnswer
    from evalgauge.report.charts.chart import Row

COLUMNS = (
    Column("arm", "Arm"),
    Column("cases", "Differences between cases", "rate"),
    Column("runs", "Noise between runs", "rate"),
    Column("case_sd", "Spread of cases", "number"),
    Column("run_sd", "Spread of runs", "number"),
    Column("n_reps", "Reps", "count"),
)
_NAME_LIMIT, _LETTERS = 120, 17


class _Shares(NamedTuple):
    arm: str
    cases: float
    runs: float
    case_sd: float
    run_sd: float
    n_reps: int


def variance_chart(*answers: MeasureAnswer) -> Chart:
    """Return the shares of the variance of each mean score: cases, and runs, which more reps can remove.

    Raises
    ------
    ScoreError
        If no arm was run more than once a case.
    """
    arms = [
        _Shares(
            arm=one.source.arm,
            cases=1 - one.components.run_share,
            runs=one.components.run_share,
            case_sd=one.components.case_sd,
            run_sd=one.components.run_sd,
            n_reps=one.n_reps,
        )
        for one in answers
        if one.components is not None
    ]
    if not arms:
        raise ScoreError(
            "Where the variance comes from is seen only with reps: run each case twice or more. What reps would buy "
            "is said by: evalgauge plan reps"
        )
    title = _title(answers, arms)
    description = f"{title}. Shares of the variance of the mean score, {count(len(arms), 'arm')}."
    form = row_form((one.arm for one in arms), letters=_LETTERS, limit=_NAME_LIMIT)
    shown: list[Row] = [
        {
            "name": form.name(one.arm),
            "part": part,
            "share": share,
            "place": place,
            "label": f"cases {100 * one.cases:.0f} %, runs {100 * one.runs:.0f} %",
        }
        for place, one in enumerate(arms)
        for part, share in (("cases", one.cases), ("runs", one.runs))
    ]
    x = {"field": "share", "stack": "zero", **share_axis([0, 1], PERCENT)}
    bar = {
        "mark": {"type": "bar", "height": 14, "yOffset": 7},
        "encoding": {
            "x": x,
            "y": place_axis(),
            "color": {
                "field": "part",
                "type": "nominal",
                "scale": {"domain": ["cases", "runs"], "range": [ACCENT, SECOND]},
                "legend": None,
            },
            "fillOpacity": {
                "field": "part",
                "type": "nominal",
                "scale": {"domain": ["cases", "runs"], "range": [1, 0.45]},
                "legend": None,
            },
            "order": {"field": "part", "sort": "ascending"},
        },
    }
    return Chart(
        kind="variance",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=tuple(one._asdict() for one in arms),
        spec=vega_lite(
            title=title,
            subtitle="Solid: differences between cases, which only more cases average out. Pale: noise between runs.",
            description=description,
            rows=shown,
            layer=[bar, *row_texts("name", "label", form)],
            height=form.height * len(arms),
        ),
    )


def _title(answers: tuple[MeasureAnswer, ...], arms: list[_Shares]) -> str:
    if len(arms) == 1:
        one = next(one for one in answers if one.components is not None)
        title = f"More reps can remove at most {100 * arms[0].runs:.0f} % of the variance"
        scale = Scale(one.range)
        if one.components is None or one.target != "new-cases":
            return title
        if one.components.is_truncated or scale.is_shown_as_0(one.components.floor_half_width):
            return f"{title}: too few cases or reps to see how cases differ"
        return f"{title}; none goes below ±{scale.distance(one.components.floor_half_width)}"
    least, most = min(one.runs for one in arms), max(one.runs for one in arms)
    return f"More reps can remove {100 * least:.0f} to {100 * most:.0f} % of the variance of {count(len(arms), 'arm')}"
