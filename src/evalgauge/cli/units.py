"""Teaches the command line the units of the questions: ``90%``, ``5pp``, ``web=60%``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from cyclopts import Parameter

from evalgauge.questions.counts import Count, Number, count_from_text, number_from_text
from evalgauge.questions.units import (
    Columns,
    Names,
    Points,
    ScoreRange,
    Share,
    Weights,
    WholeNumbers,
    Words,
    columns_from_text,
    names_from_text,
    points_from_text,
    range_from_text,
    share_from_text,
    weights_from_text,
    whole_numbers_from_text,
    words_from_text,
)
from evalgauge.report.command_line import OPTION_NAMES, value_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from cyclopts import Token

# A lone "-" looks like an option to the parser; this word stands for it until the command reads it.
STDIN_WORD = "stdin:"

Typed = TypeVar("Typed")
PARSERS: dict[type, Callable[[str, str], Any]] = {
    Columns: columns_from_text,
    Count: count_from_text,
    Names: names_from_text,
    Number: number_from_text,
    Points: points_from_text,
    ScoreRange: range_from_text,
    Share: share_from_text,
    Weights: weights_from_text,
    WholeNumbers: whole_numbers_from_text,
    Words: words_from_text,
}


def as_typed(value: Typed) -> Typed:
    """Return a value of the command line, with a dash where one was typed."""
    held: Any = value
    if isinstance(held, tuple) and STDIN_WORD in held:
        return cast("Typed", tuple("-" if part == STDIN_WORD else part for part in cast("tuple[str, ...]", held)))
    return cast("Typed", "-") if held == STDIN_WORD else value


def option_name(field: str) -> str:
    """Return the option that a field of a request is on the command line."""
    return OPTION_NAMES.get(field, field.replace("_", "-"))


def teach_units() -> None:
    """Let cyclopts read every unit type from one token."""
    for kind in PARSERS:
        # Numbers with a unit show their default; what is empty until it is given has none to show.
        show = _default_text if kind in (Points, Share) else False
        Parameter(converter=_from_token, n_tokens=1, accepts_keys=False, allow_leading_hyphen=True, show_default=show)(
            kind
        )


def _default_text(default: object) -> str | None:
    return None if default is None else value_text(default)


def _from_token(kind: type, tokens: Sequence[Token]) -> object:
    token = tokens[0]
    return PARSERS[kind]("-" if token.value == STDIN_WORD else token.value, token.keyword or "value")
