"""How a set wore: the optimism after each event of its history."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import curve_axis, threshold, threshold_text, whole_ticks
from evalgauge.report.charts.style import ACCENT, DISTANCE, GOOD, INK, MUTED, vega_lite
from evalgauge.report.text.plan import points
from evalgauge.report.words import count

if TYPE_CHECKING:
    from evalgauge.questions.ledger_cards import HistoryAnswer
    from evalgauge.report.charts.chart import Row, Spec

COLUMNS = (
    Column("event", "Event", "count"),
    Column("at", "When (UTC)", "time"),
    Column("kind", "What"),
    Column("label", "Candidate"),
    Column("spent", "Looks that count", "number"),
    Column("optimism", "Optimism", "points"),
)
MOST_EVENTS = 200
_HEIGHT = 220
# What is drawn as what; every other event is a small dot on the line.
_KINDS = ["look", "add", "other"]
_SIZE: Spec = {"condition": {"test": "datum.drawn == 'other'", "value": 25}, "value": 90}


def wear_chart(answer: HistoryAnswer) -> Chart:
    """Return the optimism over the events of a set; the last 200 are drawn, all are in the table."""
    rows: tuple[Row, ...] = tuple(
        {
            "event": number,
            "at": row.at,
            "kind": row.kind,
            "label": row.label,
            "spent": row.spent,
            "optimism": row.optimism,
        }
        for number, row in enumerate(answer.rows, start=1)
    )
    last = answer.rows[-1]
    within = "within" if last.optimism <= answer.tolerance else "BEYOND"
    looks = "looks" if last.spent != 1 else "look"
    title = (
        f"{answer.name}: {last.spent:.3g} {looks} flatter by {points(last.optimism)}, {within} the "
        f"{points(answer.tolerance)} tolerated"
    )
    drawn = rows[-MOST_EVENTS:]
    rest = f" The last {MOST_EVENTS:,} of {len(rows):,} events." if len(rows) > MOST_EVENTS else ""
    description = f"{title}. Optimism after each of {count(len(rows), 'event')}.{rest}"
    shown = [{**row, "drawn": row["kind"] if row["kind"] in _KINDS else "other"} for row in drawn]
    x: Spec = {
        "field": "event",
        "type": "quantitative",
        "scale": {"nice": False, "zero": False, "domain": [float(drawn[0]["event"] or 0) - 0.5, len(rows) + 0.5]},
        "axis": {
            "title": "events, oldest first",
            "grid": False,
            **whole_ticks(len(rows) - len(drawn) + 1, len(rows)),
        },
    }
    y = curve_axis("optimism", "optimism, points", DISTANCE)
    return Chart(
        kind="wear",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=rows,
        spec=vega_lite(
            title=title,
            subtitle=f"Dot: a look. Triangle: cases were replaced. Square: others. Dashed: tolerated.{rest}",
            description=description,
            rows=shown,
            layer=[
                threshold("y", answer.tolerance),
                threshold_text(answer.tolerance, f"tolerated {points(answer.tolerance)}"),
                {
                    "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2, "color": ACCENT},
                    "encoding": {"x": x, "y": y},
                },
                {
                    "mark": {"type": "point", "filled": True, "opacity": 1},
                    "encoding": {"x": x, "y": y, "shape": _shape(), "color": _colour(), "size": _SIZE},
                },
            ],
            height=_HEIGHT,
        ),
    )


def _shape() -> Spec:
    scale = {"domain": _KINDS, "range": ["circle", "triangle-down", "square"]}
    return {"field": "drawn", "type": "nominal", "scale": scale, "legend": None}


def _colour() -> Spec:
    scale = {"domain": _KINDS, "range": [INK, GOOD, MUTED]}
    return {"field": "drawn", "type": "nominal", "scale": scale, "legend": None}
