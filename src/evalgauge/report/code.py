"""``--show-code``: the same question in Python."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalgauge.questions.compare import CompareRequest
    from evalgauge.questions.convert import ConvertRequest
    from evalgauge.questions.measure import MeasureRequest


def python_call(request: MeasureRequest | CompareRequest | ConvertRequest) -> str:
    """Return Python that asks the same question; options at their defaults are left out."""
    default = type(request)()
    words = [repr(log) for log in request.logs]
    for field in fields(request):
        value = getattr(request, field.name)
        if field.name != "logs" and value != getattr(default, field.name):
            words.append(f"{field.name}={_literal(value)}")
    return f"import evalgauge as eg\n\nprint(eg.{request.verb}({', '.join(words)}))\n"


def _literal(value: Any) -> str:  # noqa: ANN401 - options hold text, numbers, maps and tuples
    # Share, Points, Weights … are subclasses of plain types: the plain literal reads better and means the same.
    for plain in (dict, tuple):
        if isinstance(value, plain):
            return repr(plain(value))  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, float):
        return repr(float(value))
    return repr(value)
