"""Answers as JSON: the document of ``--json`` and of ``evalgauge.to_json``, with stable keys."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, cast

SCHEMA_VERSION = 1


def to_json(answer: Any, *, indent: int | None = 2, ascii_only: bool = False) -> str:  # noqa: ANN401 - any answer of the questions room
    """Return an answer as a JSON document.

    Shares are in [0, 1]; what does not exist is ``null``, never NaN.

    Parameters
    ----------
    answer
        An answer, or several of one question (``{"results": [...]}``).
    indent
        Spaces a level; ``None`` for one line.
    ascii_only
        Write letters beyond ASCII as escapes, for streams that have no others.

    Returns
    -------
    str
        The document, with ``schema_version`` and ``question`` first.

    Examples
    --------
    >>> import json, evalgauge
    >>> json.loads(evalgauge.to_json(evalgauge.measure(passed=47, of=50)))["estimate"]
    0.94
    """
    document: dict[str, Any]
    if isinstance(answer, tuple):
        several = cast("tuple[Any, ...]", answer)
        document = {
            "schema_version": SCHEMA_VERSION,
            "question": several[0].verb,
            "results": [plain(one) for one in several],
        }
    else:
        document = {"schema_version": SCHEMA_VERSION, "question": answer.verb, **plain(answer)}
    return json.dumps(document, indent=indent, ensure_ascii=ascii_only, allow_nan=False)


def plain(value: Any) -> Any:  # noqa: ANN401 - walks every shape that an answer is made of
    """Return an answer, or a part of one, as maps, lists and plain values."""
    if is_dataclass(value):
        # The request is what was asked; it goes to --show-code, not into the answer.
        return {field.name: plain(getattr(value, field.name)) for field in fields(value) if field.name != "request"}
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    if isinstance(value, Sequence):
        return [plain(entry) for entry in value]  # pyright: ignore[reportUnknownVariableType]
    return value
