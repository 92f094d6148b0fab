"""Answers and tables in a notebook: the same words as on the terminal, as HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, get_args

from evalgauge.questions.every import Answer
from evalgauge.report.text import answer_lines
from evalgauge.shown import register_html

if TYPE_CHECKING:
    from evalgauge.report.text.lines import Line

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


def answer_html(answer: Answer) -> str:
    """Return an answer as an HTML fragment."""
    rows = "".join(_row(line) for line in answer_lines(answer))
    return f'<div class="evalgauge" style="font-family:monospace;line-height:1.5">{rows}</div>'


def _row(line: Line) -> str:
    words = line.text.lstrip(" ")
    indent = len(line.text) - len(words)
    return f'<div style="white-space:pre-wrap;padding-left:{indent}ch;{STYLES[line.tone]}">{escape(words)}</div>'


for _kind in get_args(Answer):
    register_html(_kind, answer_html)
