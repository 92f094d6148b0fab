"""From the words in an address to an answer with its pictures, or to why there is none."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, EvalgaugeError, ScoreError
from evalgauge.questions.gate import GateOptions
from evalgauge.report.code import python_call
from evalgauge.report.command_line import command_of
from evalgauge.report.config_text import FIELDS_OF_A_FILE, config_text
from evalgauge.web.fields import by_labels, labels_of, values_of
from evalgauge.web.rules import FIELD, rules_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalgauge.questions.every import Answer
    from evalgauge.report.charts.chart import Chart
    from evalgauge.web.library import Library
    from evalgauge.web.page import Page
    from evalgauge.web.studies import Waiting

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
    edited
        What to fill in to go on with these rules as a file; nothing where they are one.
    waiting
        How far a study is that has not ended.
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
    edited: Mapping[str, str] = field(default_factory=dict[str, str])
    waiting: Waiting | None = None


def ask(
    page: Page,
    words: Mapping[str, str],
    logs: Sequence[str],
    library: Library,
    tell: Callable[[int, int], None] | None = None,
) -> Asked:
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
    tell
        Told how far a study is; ``None`` where nobody watches.
    """
    chosen = tuple(one for one in logs if one)
    given = dict(words) if words or chosen else dict(page.example)
    if page.needs_logs and len(chosen) < (1 if page.many_logs or page.name == "gate" else len(page.logs)):
        return Asked(given=given, logs=chosen)
    request: Any = None
    rules = given.get(FIELD, "").strip() if page.has_rules else ""
    long = next((name for name, value in given.items() if len(value) > _MOST_LETTERS and name != FIELD), None)
    if long is not None:
        label = labels_of(page).get(long, long[:40])
        said = f"{label[:1].upper()}{label[1:]}: more than {_MOST_LETTERS:,} letters are no value."
        return Asked(given={**given, long: ""}, logs=chosen, refusal=said)
    try:
        more: dict[str, Any] = {"logs": tuple(library.path_of(name) for name in chosen)} if page.logs else {}
        if rules:
            more["config"] = rules_path(rules, library)
        request = page.request(**values_of(page, given), **more)
        answers = page.answers(request, tell)
        charts = _charts(page, answers)
    except EvalgaugeError as error:
        return Asked(
            given=given,
            logs=chosen,
            refusal=library.shown(said_by(page, error)),
            command=_command(request, library),
            config=rules or _config(request),
        )
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
        config=rules or _config(request),
        edited={} if rules else _as_file(given, request),
    )


def _config(request: Any) -> str:  # noqa: ANN401 - a request of any page
    return config_text(request) if isinstance(request, GateOptions) else ""


def _as_file(given: Mapping[str, str], request: Any) -> dict[str, str]:  # noqa: ANN401 - a request of any page
    """Return what to fill in so that the same rules stand there as a file."""
    if not isinstance(request, GateOptions):
        return {}
    kept = {name: value for name, value in given.items() if name not in FIELDS_OF_A_FILE}
    return {**kept, FIELD: config_text(request)}


def _charts(page: Page, answers: tuple[Answer, ...]) -> tuple[Chart, ...]:
    charts: list[Chart] = []
    for picture in page.pictures:
        # Nothing to draw: the words say what there is.
        with suppress(ScoreError):
            charts.append(picture.of(answers))
    return tuple(charts)


def said_by(page: Page, error: EvalgaugeError) -> str:
    """Return a refusal in the words of a page: by the labels of its fields, where the command line has options.

    Examples
    --------
    >>> from evalgauge.errors import ArgumentError
    >>> from evalgauge.web.pages import PAGES
    >>> said_by(PAGES["gate"], ArgumentError("max_drop", "x", "a drop", "Say --by. See: evalgauge gate --by"))
    "Max drop: got 'x', allowed is a drop. Say “by”. See: evalgauge gate --by"
    """
    labels = labels_of(page)
    text = str(error)
    if isinstance(error, ArgumentError):
        label = labels.get(error.argument, error.argument.replace("_", " "))
        text = f"{label[:1].upper()}{label[1:]}{text.removeprefix(error.argument)}"
    return by_labels(text, labels)


def _command(request: Any, library: Library) -> str:  # noqa: ANN401 - a request of any page
    return "" if request is None else library.shown(command_of(request))
