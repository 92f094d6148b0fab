"""Charts as files and as parts of a page: the one door to the renderer."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError, MissingExtraError
from evalgauge.report.charts.style import DARK, FONT, PAPER, VARIABLES

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from evalgauge.report.charts.chart import Chart, Spec, Theme

ENDINGS = (".svg", ".png", ".pdf", ".json", ".csv")
VEGA_LITE = "6.1"
"""The version whose schema the specifications name."""
_DENSITY = 2.5
# Numbers that the renderer writes with more digits than a screen has dots.
_LONG = re.compile(r"(\d+\.\d{2})\d+")
_FONT = re.compile(f' font-family="{FONT}"| font-size="12px"')
# What a page has no use for: words for screen readers (it has its own), names of parts, and what is usual anyway.
_UNUSED = re.compile(
    r' aria-(?:label|roledescription|hidden)="[^"]*"| role="[^"]*"| class="[^"]*"| pointer-events="none"| opacity="1"'
    r'|<path[^>]* d=""[^>]*/>|<path d="M0,0h0v0h0Z"[^>]*/>'
)


def drawn(chart: Chart, target: Path, *, theme: Theme = "light") -> bytes:
    """Return a chart in the form that the ending of a file name asks for.

    Parameters
    ----------
    chart
        The chart.
    target
        Where it will be written: .svg, .png, .pdf, .json or .csv.
    theme
        Colours of pictures.

    Raises
    ------
    ArgumentError
        If the ending, or the theme, is another.
    MissingExtraError
        If the renderer is not installed.
    """
    ending = target.suffix.lower()
    if ending not in ENDINGS:
        raise ArgumentError("output", str(target), f"a file name that ends in {', '.join(ENDINGS)}")
    if theme not in ("light", "dark"):
        raise ArgumentError("theme", theme, "light or dark")
    if ending == ".csv":
        return chart.csv().encode()
    if ending == ".json":
        return (json.dumps(chart.spec, ensure_ascii=False, indent=1) + "\n").encode()
    spec = themed(chart.spec, theme)
    if ending == ".svg":
        return _svg(spec).encode()
    renderer = _renderer()
    if ending == ".pdf":
        return bytes(renderer.vegalite_to_pdf(spec, vl_version=VEGA_LITE))
    return bytes(renderer.vegalite_to_png(spec, vl_version=VEGA_LITE, scale=_DENSITY))


def inline_svg(chart: Chart) -> str:
    """Return a chart as part of a page: its colours are CSS variables, and its words are said by the page.

    The page gives the picture a name (the chart's description); what the renderer writes for screen readers is left
    out, because it repeats every number and the page has a table of them.

    Raises
    ------
    MissingExtraError
        If the renderer is not installed.
    """
    spec = {name: value for name, value in chart.spec.items() if name not in {"title", "description"}}
    return _inline(json.dumps(spec))


@lru_cache(maxsize=64)
def _inline(spec: str) -> str:
    """Return the picture of a specification; a page that changes in one place draws the others once."""
    text = _UNUSED.sub("", _LONG.sub(r"\1", _svg(dict(json.loads(spec)))))
    for colour, variable in VARIABLES.items():
        text = text.replace(f'"{colour}"', f'"var({variable})"')
    # Said once for all letters, which then take it from the picture.
    text = _FONT.sub("", text)
    return text.replace("<svg ", f'<svg aria-hidden="true" focusable="false" font-family="{FONT}" font-size="12px" ', 1)


def themed(spec: Spec, theme: Theme) -> Spec:
    """Return a specification in the colours of a theme, on its paper."""
    colours = DARK if theme == "dark" else {}
    text = json.dumps(spec | {"background": PAPER})
    for light, dark in colours.items():
        text = text.replace(f'"{light}"', f'"{dark}"')
    return dict(json.loads(text))


def _svg(spec: Spec) -> str:
    return str(_renderer().vegalite_to_svg(spec, vl_version=VEGA_LITE))


@cache
def _renderer() -> ModuleType:
    try:
        import vl_convert  # noqa: PLC0415 - an extra, loaded when something is drawn
    except ImportError as error:
        raise MissingExtraError(
            "Pictures need one more package: pip install 'evalgauge[charts]'. The numbers (.csv) and the specification "
            "(.json) of a chart are written without it."
        ) from error
    return vl_convert
