"""Cases whose score changed: from where to where, lost ones first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import ScoreError
from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import place_axis, row_form, row_texts, share_axis
from evalgauge.report.charts.style import BAD, GOOD, around, score_label, vega_lite
from evalgauge.report.words import Scale, count

if TYPE_CHECKING:
    from evalgauge.questions.compare import CompareAnswer, Flip
    from evalgauge.report.charts.chart import Spec

COLUMNS = (
    Column("case", "Case"),
    Column("baseline", "Baseline", "share"),
    Column("candidate", "Candidate", "share"),
    Column("change", "Change", "change"),
)
MOST_CASES = 40
_ROW_HEIGHT = 36
_NAME_LIMIT, _LETTERS = 170, 24


def flips_chart(answer: CompareAnswer) -> Chart:
    """Return the cases whose score changed, each with an arrow; the largest 40 are drawn, all are in the table.

    Raises
    ------
    ScoreError
        If the arms were not compared on the same cases, or nothing changed.
    """
    if not answer.is_paired or answer.wins is None or answer.losses is None:
        raise ScoreError("Which cases changed is known only where both arms ran on the same cases.")
    if not answer.flips:
        raise ScoreError("No case to draw: no score changed, or the logs hold counts alone.")
    scale = Scale(answer.range)
    better = -1 if answer.lower_is_better else 1
    drawn = sorted(answer.flips, key=lambda flip: -abs(flip.change))[:MOST_CASES]
    drawn.sort(key=lambda flip: better * flip.change)
    title = f"{count(answer.losses, 'case')} lost, {answer.wins:,} won, {answer.ties or 0:,} unchanged"
    rest = f" The {MOST_CASES:,} largest of {len(answer.flips):,} changes." if len(answer.flips) > MOST_CASES else ""
    description = f"{title}. Cases whose score changed from the baseline to the candidate.{rest}"
    form = row_form((flip.case for flip in drawn), letters=_LETTERS, limit=_NAME_LIMIT, height=_ROW_HEIGHT)
    shown = [
        {
            **_values(flip),
            "place": place,
            "name": form.name(flip.case),
            "kind": "won" if better * flip.change > 0 else "lost",
            "way": "up" if flip.change > 0 else "down",
            "label": f"{scale.value(flip.baseline)} → {scale.value(flip.candidate)}",
        }
        for place, flip in enumerate(drawn)
    ]
    ends = [end for flip in drawn for end in (flip.baseline, flip.candidate)]
    x = share_axis(around(ends), score_label(scale))
    return Chart(
        kind="flips",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=tuple(_values(flip) for flip in answer.flips),
        scale=scale,
        spec=vega_lite(
            title=title,
            subtitle=f"From the score of the baseline to that of the candidate, lost cases first.{rest}",
            description=description,
            rows=shown,
            layer=[*_arrows(x), *row_texts("name", "label", form)],
            height=form.height * len(drawn),
        ),
    )


def _values(flip: Flip) -> dict[str, str | float | int | None]:
    return {"case": flip.case, "baseline": flip.baseline, "candidate": flip.candidate, "change": flip.change}


def _arrows(x: Spec) -> list[Spec]:
    kinds = {"domain": ["won", "lost"], "range": [GOOD, BAD]}
    heads = {"domain": ["up", "down"], "range": ["triangle-right", "triangle-left"]}
    colour = {"field": "kind", "type": "nominal", "scale": kinds, "legend": None}
    y = place_axis()
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 3, "yOffset": 7},
            "encoding": {"x": {"field": "baseline", **x}, "x2": {"field": "candidate"}, "y": y, "color": colour},
        },
        {
            # The tip of the head, not its middle, is at the score.
            "mark": {
                "type": "point",
                "filled": True,
                "size": 130,
                "opacity": 1,
                "yOffset": 7,
                "xOffset": {"expr": "datum.way == 'up' ? -5 : 5"},
            },
            "encoding": {
                "x": {"field": "candidate", **x},
                "y": y,
                "color": colour,
                "shape": {"field": "way", "type": "nominal", "scale": heads, "legend": None},
            },
        },
    ]
