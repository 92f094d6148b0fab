"""Marks that several charts share: rows of intervals, lines with a label at a threshold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from evalgauge.report.charts.style import ACCENT, INK, MUTED, PAPER, WIDTH
from evalgauge.report.words import short_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalgauge.report.charts.chart import Row, Spec

ROW_HEIGHT = 44
"""Pixels of a row with a line of text above its interval."""
_ABOVE, _BELOW = -12, 7
_HIGHER, _SECOND_LINE = -26, 16
_LETTERS_OF_A_LINE = 42
_MOST_TICKS = 8


def place_axis() -> Spec:
    """Return the vertical place of a row; names stand inside the picture, so that they take no width from it."""
    return {"field": "place", "type": "ordinal", "axis": None, "sort": None}


def share_axis(domain: list[float], label: str, title: str | None = None) -> Spec:
    """Return a horizontal axis of shares or differences."""
    axis: Spec = {"labelExpr": label, "grid": True, "title": title, "format": ".4~g"}
    return {"type": "quantitative", "scale": {"domain": domain, "zero": False, "nice": False}, "axis": axis}


def interval_rows(x: Spec, *, color: Spec | None = None, shape: Spec | None = None) -> list[Spec]:
    """Return a line from ``low`` to ``high`` and a dot at ``estimate``, under the text of the row."""
    y = place_axis()
    ink: Spec = {"value": ACCENT} if color is None else color
    dot: Spec = {"x": {"field": "estimate", **x}, "y": y, "color": ink}
    if shape is not None:
        dot["shape"] = shape
    return [
        {
            "mark": {"type": "rule", "strokeWidth": 4, "strokeCap": "round", "yOffset": _BELOW},
            "encoding": {"x": {"field": "low", **x}, "x2": {"field": "high"}, "y": y, "color": ink},
        },
        {"mark": {"type": "point", "filled": True, "size": 110, "opacity": 1, "yOffset": _BELOW}, "encoding": dot},
    ]


class RowForm(NamedTuple):
    """Where the words of a row stand.

    Attributes
    ----------
    letters, limit
        The most letters of a name, and the pixels that a name of wide letters is cut to.
    height
        Pixels of a row.
    is_stacked
        The name has a line of its own, above the numbers.
    """

    letters: int
    limit: int
    height: int
    is_stacked: bool

    def name(self, name: str) -> str:
        """Return a name as it is drawn."""
        return short_name(name, self.letters)


def row_form(names: Iterable[str], *, letters: int, limit: int, height: int = ROW_HEIGHT) -> RowForm:
    """Return rows whose names stand beside their numbers if they all fit there, else above them.

    Parameters
    ----------
    names
        What the rows are called.
    letters, limit
        The letters and pixels that the numbers leave free.
    height
        Pixels of a row with one line of words.
    """
    if all(len(name) <= letters for name in names):
        return RowForm(letters, limit, height, is_stacked=False)
    return RowForm(_LETTERS_OF_A_LINE, WIDTH, height + _SECOND_LINE, is_stacked=True)


def row_texts(left: str, right: str, form: RowForm) -> list[Spec]:
    """Return the name of each row and its numbers, side by side or one above the other."""
    y = place_axis()
    common: Spec = {"type": "text", "baseline": "middle"}
    name: Spec = {
        "mark": {
            **common,
            "yOffset": _HIGHER if form.is_stacked else _ABOVE,
            "align": "left",
            "limit": form.limit,
            "fontWeight": "bold",
        },
        "encoding": {"x": {"value": 0}, "y": y, "text": {"field": left}},
    }
    numbers: Spec = {
        "mark": {**common, "yOffset": _ABOVE, "align": "left" if form.is_stacked else "right"},
        "encoding": {"x": {"value": 0 if form.is_stacked else "width"}, "y": y, "text": {"field": right}},
    }
    return [_halo(name), _halo(numbers), name, numbers]


def _halo(text: Spec) -> Spec:
    """Return paper around letters, so that lines end before them."""
    return text | {"mark": text["mark"] | {"stroke": PAPER, "strokeWidth": 6, "strokeJoin": "round", "color": PAPER}}


def threshold(axis: Literal["x", "y"], at: float, *, is_dashed: bool = True) -> Spec:
    """Return a line across the picture at a value."""
    mark: Spec = {"type": "rule", "color": MUTED, "strokeWidth": 1.5}
    if is_dashed:
        mark["strokeDash"] = [5, 4]
    return {"data": {"values": [{"at": at}]}, "mark": mark, "encoding": {axis: {"field": "at", "type": "quantitative"}}}


def whole_ticks(first: int, last: int) -> Spec:
    """Return the marks of an axis of whole numbers: each of a few, some of many."""
    if last - first < _MOST_TICKS:
        return {"values": list(range(first, last + 1)), "format": "d"}
    return {"tickMinStep": 1, "format": "d"}


def threshold_text(at: float, text: str, *, is_above: bool = True, at_right: bool = False) -> Spec:
    """Return words at one end of a line across the picture."""
    mark: Spec = {
        "type": "text",
        "align": "right" if at_right else "left",
        "baseline": "bottom" if is_above else "top",
        "dy": -3 if is_above else 4,
        "color": MUTED,
    }
    row: Row = {"at": at, "words": text}
    return {
        "data": {"values": [row]},
        "mark": mark,
        "encoding": {
            "x": {"value": "width" if at_right else 0},
            "y": {"field": "at", "type": "quantitative"},
            "text": {"field": "words"},
        },
    }


def count_axis(field: str, title: str) -> Spec:
    """Return a horizontal axis of counts, on a logarithmic scale."""
    return {
        "field": field,
        "type": "quantitative",
        "scale": {"type": "log", "nice": False},
        "axis": {"title": title, "format": ",d", "grid": False, "tickCount": 4},
    }


def curve_axis(field: str, title: str, label: str, *, domain: list[float] | None = None) -> Spec:
    """Return a vertical axis from 0."""
    scale: Spec = {"zero": True} if domain is None else {"domain": domain}
    return {
        "field": field,
        "type": "quantitative",
        "scale": scale,
        "axis": {"title": title, "labelExpr": label, "format": ".6~g"},
    }


def curve(x: Spec, y: Spec, colour: str) -> Spec:
    """Return a line through the shared data."""
    return {"mark": {"type": "line", "strokeWidth": 2.5, "color": colour}, "encoding": {"x": x, "y": y}}


def marked_points(rows: list[Row], x: Spec, y: Spec, *, is_rising: bool) -> list[Spec]:
    """Return one or two points on a curve with their ``words``: above the curve for the first, below for the second."""
    point: Spec = {"type": "point", "filled": True, "size": 110, "opacity": 1, "color": INK}
    layer: list[Spec] = [{"data": {"values": rows}, "mark": point, "encoding": {"x": x, "y": y}}]
    for row, is_above in zip(rows, (True, False), strict=False):
        is_left = is_above == is_rising
        mark: Spec = {
            "type": "text",
            "fontWeight": "bold",
            "align": "right" if is_left else "left",
            "dx": -7 if is_left else 7,
            "baseline": "bottom" if is_above else "top",
            "dy": -4 if is_above else 5,
        }
        words: Spec = {
            "data": {"values": [row]},
            "mark": mark,
            "encoding": {"x": x, "y": y, "text": {"field": "words"}},
        }
        layer += [_halo(words), words]
    return layer
