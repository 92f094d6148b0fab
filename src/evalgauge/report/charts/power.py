"""The chance to show a change, by design and number of cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import count_axis, curve_axis, threshold, threshold_text
from evalgauge.report.charts.style import ACCENT, GOOD, PERCENT, SECOND, vega_lite
from evalgauge.report.words import percent

if TYPE_CHECKING:
    from evalgauge.questions.curves import PowerCurve
    from evalgauge.report.charts.chart import Row, Spec

COLUMNS = (Column("design", "Design"), Column("n_cases", "Cases", "count"), Column("power", "Power", "rate"))
NAMES = {"held-reference": "held reference", "paired": "same cases", "independent-arms": "different cases, per arm"}
_HEIGHT = 240


def power_chart(found: PowerCurve) -> Chart:
    """Return the exact power of each design by number of cases, and the counts that keep the chance asked for."""
    rows: list[Row] = [
        {"design": line.design, "n_cases": n, "power": power}
        for line in found.lines
        for n, power in zip(line.n_cases, line.power, strict=True)
    ]
    counts = {line.design: line.safe_n for line in found.lines}
    change = f"A {found.direction} from {percent(found.rate_from)} to {percent(found.rate_to)}"
    by = {
        "held-reference": f"{counts['held-reference']:,} cases against a held reference",
        "paired": f"{counts['paired']:,} shared cases",
        "independent-arms": f"{counts['independent-arms']:,} cases per arm",
    }
    title = f"{change} is shown with {percent(found.power)} power by {by[found.design]}"
    level = percent(round(found.confidence, 6))
    others = " or ".join(words for design, words in by.items() if design != found.design)
    description = f"{title}; by {others}. Exact power by number of cases, graded at {level}."
    shown = [{**row, "name": NAMES[str(row["design"])]} for row in rows]
    marked: list[Row] = [
        {"name": NAMES[line.design], "n_cases": line.safe_n, "power": line.power[line.n_cases.index(line.safe_n)]}
        for line in found.lines
    ]
    x, y = count_axis("n_cases", "cases, on a scale of ratios"), curve_axis("power", "power", PERCENT, domain=[0, 1])
    return Chart(
        kind="power",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=tuple(rows),
        spec=vega_lite(
            title=title,
            subtitle=f"Exact chance to show it, graded at {level}. Dots: counts that keep {percent(found.power)}.",
            description=description,
            rows=shown,
            layer=[
                threshold("y", found.power),
                threshold_text(found.power, percent(found.power)),
                {
                    "mark": {"type": "line", "strokeWidth": 2.5},
                    "encoding": {"x": x, "y": y, "color": _colour(counts), "strokeDash": _dash()},
                },
                {
                    "data": {"values": marked},
                    "mark": {"type": "point", "filled": True, "size": 80, "opacity": 1},
                    "encoding": {"x": x, "y": y, "color": _colour(counts)},
                },
            ],
            height=_HEIGHT,
        ),
    )


def _colour(counts: dict[str, int]) -> Spec:
    legend = {
        "title": None,
        "orient": "bottom",
        "direction": "vertical",
        "labelLimit": 300,
        "symbolType": "stroke",
        "symbolSize": 500,
        "symbolStrokeWidth": 2.5,
        "labelExpr": _labels(counts),
    }
    scale = {"domain": list(NAMES.values()), "range": [ACCENT, GOOD, SECOND]}
    return {"field": "name", "type": "nominal", "scale": scale, "legend": legend}


def _labels(counts: dict[str, int]) -> str:
    words = {name: f"{name}: {counts[design]:,}" for design, name in NAMES.items()}
    return "".join(f"datum.label == '{name}' ? '{text}' : " for name, text in words.items()) + "datum.label"


def _dash() -> Spec:
    scale = {"domain": list(NAMES.values()), "range": [[1, 0], [7, 3], [2, 3]]}
    return {"field": "name", "type": "nominal", "scale": scale}
