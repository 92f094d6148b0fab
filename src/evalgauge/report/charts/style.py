"""What all charts look like: colours, type, titles, and how numbers stand on axes."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalgauge.questions.scale import Scale
    from evalgauge.report.charts.chart import Row, Spec

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = 320
"""Pixels: readable without a side-scroll on a telephone; pages let the picture grow."""
FONT = "Liberation Sans, Arial, sans-serif"

INK, MUTED, GRID, PAPER = "#1f2328", "#59636e", "#d1d9e0", "#ffffff"
ACCENT, SECOND, GOOD, BAD, WARN = "#0969da", "#8250df", "#1a7f37", "#cf222e", "#9a6700"
DARK = {
    INK: "#f0f6fc",
    MUTED: "#9198a1",
    GRID: "#3d444d",
    PAPER: "#0d1117",
    ACCENT: "#4493f8",
    SECOND: "#ab7df8",
    GOOD: "#3fb950",
    BAD: "#f85149",
    WARN: "#d29922",
}
"""The dark theme, colour by colour."""
VARIABLES = {
    INK: "--eg-ink",
    MUTED: "--eg-muted",
    GRID: "--eg-grid",
    PAPER: "--eg-paper",
    ACCENT: "--eg-accent",
    SECOND: "--eg-second",
    GOOD: "--eg-good",
    BAD: "--eg-bad",
    WARN: "--eg-warn",
}
"""The CSS variable that stands for each colour in a page."""

PERCENT = "format(100 * datum.value, '.4~g') + ' %'"
"""Label of a share on an axis."""
DISTANCE = "format(100 * datum.value, '.3~g')"
"""Label of an unsigned distance on an axis, in points."""
MOST_POINTS = 200
"""Points a line; more would make a picture heavy and show nothing more."""

_TITLE_LETTERS, _SUBTITLE_LETTERS = 42, 52
_TYPE = 12
UNIT = re.compile(r"(?<=\d) (?=%|points?\b|cases?\b|looks?\b)")
_CONFIG = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelFontSize": _TYPE,
        "titleFontSize": _TYPE,
        "titleFontWeight": "normal",
        "labelColor": MUTED,
        "titleColor": MUTED,
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "tickCount": 5,
        "labelOverlap": True,
    },
    "legend": {"labelFontSize": _TYPE, "labelColor": INK, "offset": 6, "rowPadding": 4},
    "text": {"fontSize": _TYPE, "color": INK},
    "title": {
        "anchor": "start",
        "frame": "bounds",
        "fontSize": 14,
        "fontWeight": "bold",
        "color": INK,
        "subtitleFontSize": _TYPE,
        "subtitleColor": MUTED,
        "offset": 12,
    },
}


def vega_lite(
    *,
    title: str,
    subtitle: str,
    description: str,
    rows: Iterable[Row],
    layer: Sequence[Spec],
    height: int,
) -> Spec:
    """Return a specification that needs nothing from elsewhere.

    Parameters
    ----------
    title, subtitle
        The finding, and how to read the picture; broken into lines that fit.
    description
        For those who cannot see it.
    rows
        The data that all layers share.
    layer
        The marks, from back to front.
    height
        Pixels of the picture without its title.
    """
    return {
        "$schema": SCHEMA,
        "description": description,
        "title": {
            "text": _rows_of(title, _TITLE_LETTERS),
            "subtitle": _rows_of(subtitle, _SUBTITLE_LETTERS),
        },
        "background": "transparent",
        "width": WIDTH,
        "height": height,
        "autosize": {"type": "fit-x", "contains": "padding"},
        "padding": 4,
        "config": _CONFIG,
        "data": {"values": list(rows)},
        "layer": list(layer),
    }


def score_label(scale: Scale) -> str:
    """Return the label of a score on an axis: percent, or the units of a score with other limits or none."""
    return PERCENT if scale.is_percent else f"format({scale.low!r} + {scale.factor!r} * datum.value, ',.4~r')"


def change_label(scale: Scale) -> str:
    """Return the label of a difference on an axis: points, or the units of the score."""
    return f"datum.value == 0 ? '0' : format({scale.factor!r} * datum.value, '+,.3~r')"


def around(values: Iterable[float], *, within: tuple[float, float] | None = None, share: float = 0.06) -> list[float]:
    """Return the ends of an axis that holds all values with some air, and reaches no further than it may."""
    found = list(values)
    low, high = min(found), max(found)
    air = share * ((high - low) or abs(high) or 1.0)
    low, high = low - air, high + air
    return [low, high] if within is None else [max(low, within[0]), min(high, within[1])]


def _rows_of(text: str, letters: int) -> list[str]:
    """Return a sentence as rows, none of which ends between a number and its unit."""
    return textwrap.wrap(UNIT.sub("\u00a0", text), letters)
