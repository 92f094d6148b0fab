"""By how much the best of k looks flatters, against k."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import count_axis, curve, curve_axis, marked_points, threshold, threshold_text
from evalgauge.report.charts.style import ACCENT, DISTANCE, vega_lite
from evalgauge.report.text.plan import points
from evalgauge.report.words import count, percent

if TYPE_CHECKING:
    from evalgauge.questions.curves import OptimismCurve
    from evalgauge.report.charts.chart import Row

COLUMNS = (Column("looks", "Looks", "count"), Column("optimism", "Optimism", "points"))
_HEIGHT = 230


def optimism_chart(found: OptimismCurve) -> Chart:
    """Return the optimism by number of looks, with what is tolerated and the looks that it allows."""
    allowed = "more looks than can be told" if found.budget is None else count(found.budget, "look")
    title = f"{count(found.n_cases, 'case')} bear {allowed} within {points(found.tolerance)}"
    looks, cost = found.now
    if looks > 1:
        title = f"{title}; {count(looks, 'look')} flatter by {points(cost)}"
    description = (
        f"{title}. Expected excess of the best of k equal candidates at {percent(round(found.rate, 4))}, by k."
    )
    rows: tuple[Row, ...] = tuple(
        {"looks": k, "optimism": cost} for k, cost in zip(found.looks, found.optimism, strict=True)
    )
    marked: list[Row] = []
    # A single look stands on the axis itself, where no words fit.
    if found.budget in found.looks and found.budget != 1:
        at_budget = found.optimism[found.looks.index(found.budget)]
        marked.append({"looks": found.budget, "optimism": at_budget, "words": f"budget {found.budget:,}"})
    if looks > 1 and looks != found.budget:
        marked.append({"looks": looks, "optimism": cost, "words": f"now {looks:,}"})
    # The words stand where the curve does not pass.
    ends_above = found.optimism[-1] > found.tolerance
    x, y = count_axis("looks", "looks, on a scale of ratios"), curve_axis("optimism", "optimism, points", DISTANCE)
    return Chart(
        kind="optimism",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=rows,
        spec=vega_lite(
            title=title,
            subtitle="Equally good candidates fixed in advance. Tuning on shown scores costs more.",
            description=description,
            rows=rows,
            layer=[
                threshold("y", found.tolerance),
                threshold_text(
                    found.tolerance,
                    f"tolerated {points(found.tolerance)}",
                    is_above=not ends_above,
                    at_right=ends_above,
                ),
                curve(x, y, ACCENT),
                *marked_points(marked, x, y, is_rising=True),
            ],
            height=_HEIGHT,
        ),
    )
