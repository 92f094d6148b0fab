"""A leaderboard: the ranks that each arm may have, and who is tied with whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import interval_rows, row_form, row_texts, whole_ticks
from evalgauge.report.charts.style import vega_lite
from evalgauge.report.text.rank import headline, tied_letters
from evalgauge.report.words import Scale, percent

if TYPE_CHECKING:
    from evalgauge.questions.rank import RankAnswer

COLUMNS = (
    Column("arm", "Arm"),
    Column("best_rank", "First rank", "count"),
    Column("worst_rank", "Last rank", "count"),
    Column("score", "Score", "share"),
    Column("low", "From", "share"),
    Column("high", "To", "share"),
    Column("tied", "Tied groups"),
)
MOST_ARMS = 40
_NAME_LIMIT, _LETTERS = 200, 28


class _Place(NamedTuple):
    arm: str
    best_rank: int
    worst_rank: int
    score: float
    low: float
    high: float
    tied: str


def leaderboard_chart(answer: RankAnswer) -> Chart:
    """Return the leaderboard as ranges of ranks, best score first; 40 arms are drawn, all are in the table."""
    scale = Scale(answer.range)
    places = [
        _Place(
            arm=one.name,
            best_rank=one.best_rank,
            worst_rank=one.worst_rank,
            score=one.estimate,
            low=one.together.low,
            high=one.together.high,
            tied=tied_letters(one),
        )
        for one in answer.arms
    ]
    title = headline(answer).text
    drawn = places[:MOST_ARMS]
    rest = f" First {MOST_ARMS:,} of {len(places):,} arms." if len(places) > MOST_ARMS else ""
    level = percent(answer.confidence)
    description = f"{title}. Ranks that hold for all arms together at {level}.{rest}"
    form = row_form((one.arm for one in drawn), letters=_LETTERS, limit=_NAME_LIMIT)
    shown = [
        {
            **one._asdict(),
            "place": place,
            "name": form.name(one.arm),
            "low": one.best_rank,
            "high": one.worst_rank,
            "estimate": answer.arms[place].rank,
            "label": f"{scale.value(one.score)} · {one.tied}",
        }
        for place, one in enumerate(drawn)
    ]
    last = max(one.worst_rank for one in drawn)
    x = {
        "type": "quantitative",
        "scale": {"domain": [0.5, last + 0.5], "nice": False},
        "axis": {"title": "rank", **whole_ticks(1, last)},
    }
    return Chart(
        kind="leaderboard",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=tuple(one._asdict() for one in places),
        scale=scale,
        spec=vega_lite(
            title=title,
            subtitle=f"Line: ranks an arm may have ({level} for all). Arms without a common letter differ.{rest}",
            description=description,
            rows=shown,
            layer=[*interval_rows(x), *row_texts("name", "label", form)],
            height=form.height * len(drawn),
        ),
    )
