"""A report as one HTML file that needs nothing from elsewhere."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from evalgauge.errors import MissingExtraError
from evalgauge.report.charts.drawing import inline_svg
from evalgauge.report.charts.style import DARK, UNIT, VARIABLES
from evalgauge.report.charts.told import cell_text, head_text
from evalgauge.report.page.sections import CLASSES, blocks, parts_of, verdict_lines
from evalgauge.report.visible import visible

if TYPE_CHECKING:
    from jinja2 import Template

    from evalgauge.questions.report import ReportAnswer


def report_html(answer: ReportAnswer, *, is_paper: bool = False) -> str:
    """Return a report as HTML: no script, no request to anywhere, its own colours for light, dark and print.

    Parameters
    ----------
    answer
        What it says.
    is_paper
        Whether nobody can unfold anything: every table is open then.

    Raises
    ------
    MissingExtraError
        If the packages for it are not installed.
    """
    first = verdict_lines(answer)[0]
    return _template("report.html.j2").render(
        answer=answer,
        title=visible(answer.title),
        verdict=first.text,
        tone=CLASSES.get(first.tone, "plain"),
        parts=parts_of(answer),
        colours=[(variable, light, DARK[light]) for light, variable in VARIABLES.items()],
        version=version("evalgauge"),
        is_paper=is_paper,
    )


@cache
def _template(name: str) -> Template:
    template: Template = environment("evalgauge.report.page").get_template(name)
    return template


def environment(*packages: str) -> Any:  # noqa: ANN401 - Jinja's types know no filters of others
    """Return what fills templates in: those of the packages, with the filters that the parts of a report need.

    Raises
    ------
    MissingExtraError
        If Jinja is not installed.
    """
    try:
        import jinja2  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError(
            "Reports in HTML need two more packages: pip install 'evalgauge[charts]'. Markdown (-o report.md) is "
            "written without them."
        ) from error
    made: Any = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update({"svg": inline_svg, "blocks": blocks, "address": _address, "words": words})
    made.globals.update({"cell": cell_text, "head": head_text})
    return made


def words(text: str) -> str:
    r"""Return text for a page: no control signs, and no row that ends between a number and its unit.

    Examples
    --------
    >>> words("94.0 % pass")
    '94.0\xa0% pass'
    """
    return UNIT.sub("\u00a0", visible(text))


def _address(text: str) -> str:
    """Return text as an address that holds it, so that it can be saved from a page without a server."""
    return f"data:text/csv;charset=utf-8,{quote(text)}"
