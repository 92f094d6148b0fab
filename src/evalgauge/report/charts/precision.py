"""How wide the interval is, by number of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import count_axis, curve, curve_axis, marked_points, threshold, threshold_text
from evalgauge.report.charts.style import ACCENT, DISTANCE, vega_lite
from evalgauge.report.text.plan import RULE_TITLES, points
from evalgauge.report.words import count, percent

if TYPE_CHECKING:
    from evalgauge.questions.curves import PrecisionCurve
    from evalgauge.report.charts.chart import Row

COLUMNS = (Column("n_cases", "Cases", "count"), Column("half_width", "Half-width", "points"))
_HEIGHT = 230


def precision_chart(found: PrecisionCurve) -> Chart:
    """Return the half-width by number of cases, with the margin, the cases that meet it, and the owned set."""
    title = f"±{points(found.margin)} at {percent(found.rate)} takes {count(found.needed, 'case')}"
    if found.own is not None and found.own_half_width is not None:
        title = f"{title}; your {found.own:,} give ±{points(found.own_half_width)}"
    level = percent(round(found.confidence, 6))
    description = f"{title}. Half-width of the {level} interval by number of cases."
    rows: tuple[Row, ...] = tuple(
        {"n_cases": n, "half_width": width} for n, width in zip(found.n_cases, found.half_widths, strict=True)
    )
    at_needed = found.half_widths[found.n_cases.index(found.needed)]
    marked: list[Row] = [{"n_cases": found.needed, "half_width": at_needed, "words": f"needed {found.needed:,}"}]
    if found.own is not None:
        marked.append({"n_cases": found.own, "half_width": found.own_half_width, "words": f"yours {found.own:,}"})
    x, y = count_axis("n_cases", "cases, on a scale of ratios"), curve_axis("half_width", "± points", DISTANCE)
    return Chart(
        kind="precision",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=rows,
        spec=vega_lite(
            title=title,
            subtitle=f"Half-width of the {level} interval ({RULE_TITLES[found.rule]}), at the expected score.",
            description=description,
            rows=rows,
            layer=[
                threshold("y", found.margin),
                threshold_text(found.margin, f"margin ±{points(found.margin)}", is_above=False),
                curve(x, y, ACCENT),
                *marked_points(marked, x, y, is_rising=False),
            ],
            height=_HEIGHT,
        ),
    )
