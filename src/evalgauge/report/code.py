"""``--show-code``: the same question in Python."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalgauge.questions.every import Request

# What a question is about comes first, without a name.
_POSITIONAL = ("logs", "names", "files")

# Where a function has not the name of its question: ``evalgauge.report`` is a package.
_FUNCTIONS = {"report": "make_report"}


def python_call(*requests: Request) -> str:
    """Return Python that asks the same questions, a line each; options at their defaults are left out."""
    return "import evalgauge as eg\n\n" + "".join(f"print({call_of(one)})\n" for one in requests)


def call_of(request: Request) -> str:
    """Return the Python expression that asks the same question.

    Examples
    --------
    >>> from evalgauge.questions.measure import MeasureRequest
    >>> call_of(MeasureRequest(passed=47, of=50))
    'eg.measure(passed=47, of=50)'
    """
    return f"eg.{_FUNCTIONS.get(request.verb, request.verb)}({_arguments(request)})"


def _arguments(request: Request) -> str:
    default = type(request)()
    named = next((name for name in _POSITIONAL if hasattr(request, name)), "")
    words = [repr(log) for log in getattr(request, named, ())]
    for field in fields(request):
        value = getattr(request, field.name)
        if field.name != named and value != getattr(default, field.name):
            words.append(f"{field.name}={_literal(value)}")
    return ", ".join(words)


def _literal(value: Any) -> str:  # noqa: ANN401 - options hold text, numbers, maps and tuples
    # Share, Points, Weights … are subclasses of plain types: the plain literal reads better and means the same.
    for plain in (dict, tuple):
        if isinstance(value, plain):
            return repr(plain(value))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, float):
        return repr(float(value))
    return repr(value)
