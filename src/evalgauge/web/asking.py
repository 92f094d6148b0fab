"""From the words in an address to an answer with its pictures, or to why there is none."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, EvalgaugeError, ScoreError
from evalgauge.questions.gate import GateOptions
from evalgauge.report.code import python_call
from evalgauge.report.command_line import command_of
from evalgauge.report.config_text import config_text
from evalgauge.web.fields import values_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.questions.every import Answer
    from evalgauge.report.charts.chart import Chart
    from evalgauge.web.library import Library
    from evalgauge.web.page import Page

_MOST_LETTERS = 500
_FAULT = "That is a fault of evalgauge itself, and no answer. Its words stand where the server was started."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What came of a question.

    Attributes
    ----------
    given
        What was filled in, by field.
    logs
        The logs that were chosen, as the page calls them.
    answers
        What the job said; none where it was not asked or refused.
    charts
        The pictures of it.
    refusal
        Why there is no answer, a sentence.
    is_fault
        Whether that is our own fault.
    command, code
        The same on the command line and in Python.
    config
        The rules of a gate as a file; ``""`` for other questions.
    """

    given: Mapping[str, str]
    logs: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    charts: tuple[Chart, ...] = ()
    refusal: str = ""
    is_fault: bool = False
    command: str = ""
    code: str = ""
    config: str = ""


def ask(page: Page, words: Mapping[str, str], logs: Sequence[str], library: Library) -> Asked:
    """Return what a page shows.

    Parameters
    ----------
    page
        Which.
    words
        What stands in the address, by field; nothing for a page that is opened: then its example is answered.
    logs
        The logs that were chosen, by name.
    library
        Where they are.
    """
    chosen = tuple(one for one in logs if one)
    given = dict(words) if words or chosen else dict(page.example)
    if page.needs_logs and len(chosen) < (1 if page.many_logs or page.name == "gate" else len(page.logs)):
        return Asked(given=given, logs=chosen)
    request: Any = None
    long = next((name for name, value in given.items() if len(value) > _MOST_LETTERS), None)
    if long is not None:
        said = f"{long.replace('_', ' ')[:40]}: more than {_MOST_LETTERS:,} letters are no value."
        return Asked(given={**given, long: ""}, logs=chosen, refusal=said)
    try:
        more = {"logs": tuple(library.path_of(name) for name in chosen)} if page.logs else {}
        request = page.request(**values_of(page, given), **more)
        answers = page.answers(request)
        charts = _charts(page, answers)
    except EvalgaugeError as error:
        return Asked(given=given, logs=chosen, refusal=library.shown(_said(error)), command=_command(request, library))
    except Exception:  # noqa: BLE001 - whatever it is, a visitor sees a sentence, and the one who serves sees the rest
        traceback.print_exc(file=sys.stderr)
        return Asked(given=given, logs=chosen, refusal=_FAULT, is_fault=True)
    return Asked(
        given=given,
        logs=chosen,
        answers=answers,
        charts=charts,
        command=_command(request, library),
        code=library.shown(python_call(request)),
        config=config_text(request) if isinstance(request, GateOptions) else "",
    )


def _charts(page: Page, answers: tuple[Answer, ...]) -> tuple[Chart, ...]:
    charts: list[Chart] = []
    for picture in page.pictures:
        # Nothing to draw: the words say what there is.
        with suppress(ScoreError):
            charts.append(picture.of(answers))
    return tuple(charts)


def _said(error: EvalgaugeError) -> str:
    if isinstance(error, ArgumentError):
        return f"{error.argument.replace('_', ' ')}{str(error).removeprefix(error.argument)}"
    return str(error)


def _command(request: Any, library: Library) -> str:  # noqa: ANN401 - a request of any page
    return "" if request is None else library.shown(command_of(request))
