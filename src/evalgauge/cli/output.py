"""How every command shows its answer."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeVar

from evalgauge.cli.units import as_typed
from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable

    from _typeshed import DataclassInstance

    from evalgauge.questions.every import Answer, Request
    from evalgauge.questions.parts import ReadingOptions

Asked = TypeVar("Asked")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """How to show the answer.

    Attributes
    ----------
    json
        Print the answer as JSON, shares in 0 to 1.
    show_code
        Print the same question in Python, and do not run it.
    """

    json: bool = False
    show_code: bool = False


def request_of(kind: Callable[..., Asked], options: ReadingOptions, logs: tuple[str, ...], **more: str | None) -> Asked:
    """Return the full request from the options of the command line and its logs."""
    named = as_typed(logs)
    if named.count("-") > 1:
        raise ArgumentError("logs", " ".join(named), "standard input (-) once", "Save one of the two to a file.")
    return asked(kind, options, logs=named, **more)


def asked(kind: Callable[..., Asked], options: DataclassInstance, **more: Any) -> Asked:  # noqa: ANN401 - any option
    """Return the full request from the options of the command line and what stands beside them."""
    given = {field.name: as_typed(getattr(options, field.name)) for field in fields(options)}
    return kind(**given, **{name: as_typed(value) for name, value in more.items()})


def show_code(*requests: Request) -> int:
    """Print the same questions in Python."""
    from evalgauge.report.code import python_call  # noqa: PLC0415 - only this option needs it

    sys.stdout.write(python_call(*requests))
    return 0


def show(answers: tuple[Answer, ...], output: OutputOptions) -> int:
    """Print one or several answers of one question and return exit code 0."""
    if output.json:
        from evalgauge.report.json_text import to_json  # noqa: PLC0415 - one renderer is needed at a time

        is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
        document = to_json(answers[0] if len(answers) == 1 else answers, ascii_only=not is_unicode)
        sys.stdout.write(document + "\n")
        return 0
    from evalgauge.report.terminal import print_lines  # noqa: PLC0415 - same
    from evalgauge.report.text import answer_lines  # noqa: PLC0415 - same

    for index, answer in enumerate(answers):
        if index:
            sys.stdout.write("\n")
        print_lines(answer_lines(answer))
    return 0
