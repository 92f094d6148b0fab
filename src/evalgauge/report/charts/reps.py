"""Half-widths by cases and reps, as a map."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import ScoreError
from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.style import ACCENT, INK, vega_lite
from evalgauge.report.text.plan_reps import headline
from evalgauge.report.words import percent

if TYPE_CHECKING:
    from evalgauge.questions.plan_reps import PlanRepsAnswer
    from evalgauge.report.charts.chart import Row

COLUMNS = (
    Column("cases", "Cases", "count"),
    Column("reps", "Reps", "count"),
    Column("half_width", "Half-width", "points"),
)
_ROW_HEIGHT = 34


def reps_chart(answer: PlanRepsAnswer) -> Chart:
    """Return the map of half-widths by cases and reps.

    Raises
    ------
    ScoreError
        If the answer has no map.
    """
    grid = answer.grid
    if grid is None:
        raise ScoreError(
            "There is no map to draw: it needs the spread of cases and of runs, from a log with reps or named."
        )
    rows: list[Row] = [
        {"cases": n, "reps": reps, "half_width": half_width}
        for n, widths in zip(grid.cases, grid.half_widths, strict=True)
        for reps, half_width in zip(grid.reps, widths, strict=True)
    ]
    title = headline(answer).text
    level = percent(answer.confidence)
    description = f"{title}. Half-widths of the {level} interval in points, by cases and reps."
    shown = [{**row, "label": f"±{100 * float(row['half_width'] or 0):.1f}"} for row in rows]
    x = {"field": "reps", "type": "ordinal", "axis": {"title": "reps of each case", "labelAngle": 0, "grid": False}}
    y = {"field": "cases", "type": "ordinal", "axis": {"title": "cases", "format": ",d", "grid": False}}
    opacity = {
        "field": "half_width",
        "type": "quantitative",
        "scale": {"type": "log", "range": [0.08, 0.5]},
        "legend": None,
    }
    layer = [
        {"mark": {"type": "rect", "fill": ACCENT}, "encoding": {"x": x, "y": y, "fillOpacity": opacity}},
        {"mark": {"type": "text", "color": INK}, "encoding": {"x": x, "y": y, "text": {"field": "label"}}},
    ]
    return Chart(
        kind="reps",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=tuple(rows),
        spec=vega_lite(
            title=title,
            subtitle=f"Half-width of the {level} interval in points. Stronger colour: wider.",
            description=description,
            rows=shown,
            layer=layer,
            height=_ROW_HEIGHT * len(grid.cases),
        ),
    )
