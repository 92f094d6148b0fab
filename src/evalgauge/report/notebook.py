"""Answers, curves and charts in a notebook: the words of the terminal as HTML, and a picture where it tells more."""

from __future__ import annotations

from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeAlias, get_args

from evalgauge.errors import ScoreError
from evalgauge.questions.compare import CompareAnswer
from evalgauge.questions.curves import OptimismCurve, PowerCurve, PrecisionCurve
from evalgauge.questions.every import Answer
from evalgauge.questions.ledger_cards import HistoryAnswer
from evalgauge.questions.plan_reps import PlanRepsAnswer
from evalgauge.questions.rank import RankAnswer
from evalgauge.report.charts.drawing import inline_svg
from evalgauge.report.charts.every import chart
from evalgauge.report.text import answer_lines
from evalgauge.report.visible import visible
from evalgauge.shown import register_html

if TYPE_CHECKING:
    from evalgauge.report.charts.chart import Chart
    from evalgauge.report.text.lines import Line

Curve: TypeAlias = PrecisionCurve | PowerCurve | OptimismCurve

# A score alone says more in words than as one line; these say more as a picture.
_DRAWN = (CompareAnswer, RankAnswer, PlanRepsAnswer, HistoryAnswer, PrecisionCurve, PowerCurve, OptimismCurve)
# The second colour is for browsers that know whether the page is dark; the first for those that do not.
STYLES = {
    "headline": "font-weight:600",
    "good": "font-weight:600;color:#1a7f37;color:light-dark(#1a7f37,#4ac26b)",
    "bad": "font-weight:600;color:#cf222e;color:light-dark(#cf222e,#ff8182)",
    "plain": "",
    "quiet": "opacity:.75",
    "command": "opacity:.75",
    "picture": "",
    "warning": "color:#9a6700;color:light-dark(#9a6700,#e3b341)",
}


# Colours that can be read on the paper of any notebook, light or dark, which no style sheet of ours can know.
_COLOURS = (
    "--eg-ink:currentColor;--eg-muted:currentColor;--eg-grid:#8c959f66;--eg-paper:transparent;--eg-accent:#2f81f7;"
    "--eg-second:#a371f7;--eg-good:#2da44e;--eg-bad:#e5534b;--eg-warn:#bf8700"
)


def answer_html(answer: Answer) -> str:
    """Return an answer as an HTML fragment: its picture, where it has one that can be drawn, then its words."""
    rows = "".join(_row(line) for line in answer_lines(answer))
    return f'{_picture(answer)}<div class="evalgauge" style="font-family:monospace;line-height:1.5">{rows}</div>'


def curve_html(curve: Curve) -> str:
    """Return a curve as an HTML fragment: its finding and its picture."""
    made = chart(curve)
    return f'<div class="evalgauge" style="font-weight:600">{escape(visible(made.title))}</div>{_picture(curve)}'


def chart_html(made: Chart) -> str:
    """Return a chart as an HTML fragment; without the renderer its finding in words.

    Raises
    ------
    MissingExtraError
        If the renderer is not installed.
    """
    label = escape(visible(made.description), quote=True)
    return f'<div role="img" aria-label="{label}" style="max-width:30rem;{_COLOURS}">{inline_svg(made)}</div>'


def _picture(answer: Answer | Curve) -> str:
    """Return the picture of an answer; nothing where it has none, or nothing that draws it."""
    if not isinstance(answer, _DRAWN) or find_spec("vl_convert") is None:
        return ""
    try:
        return chart_html(chart(answer))
    except ScoreError:
        # Nothing in it to draw: the words say what it says.
        return ""


def _row(line: Line) -> str:
    words = line.text.lstrip(" ")
    indent = len(line.text) - len(words)
    return f'<div style="white-space:pre-wrap;padding-left:{indent}ch;{STYLES[line.tone]}">{escape(words)}</div>'


for _kind in get_args(Answer):
    register_html(_kind, answer_html)
for _kind in get_args(Curve):
    register_html(_kind, curve_html)
