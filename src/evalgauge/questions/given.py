"""Whatever a request was given, from Python, a page or the command line, as the units of its fields, or a refusal.

Every request settles itself when it is made, so that no job has to ask again what it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin

from evalgauge.errors import ArgumentError
from evalgauge.questions.counts import Count, Number, count, number
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
    points,
    range_from_text,
    range_of,
    share,
    weights,
    whole_numbers_from_text,
    word_number,
    words_from_text,
)

Asked = TypeVar("Asked")


def request_from(kind: Callable[..., Asked], **given: Any) -> Asked:  # noqa: ANN401 - what it is, the request finds out
    """Return a request from what a caller of a verb wrote."""
    return kind(**given)


def settle(request: Any) -> None:  # noqa: ANN401 - any request: a frozen dataclass whose annotations are types
    """Turn each field of a new request into its unit.

    Raises
    ------
    ArgumentError
        If a value is not what its field holds; the field is named as the caller knows it.
    """
    for field in fields(request):
        value = getattr(request, field.name)
        object.__setattr__(request, field.name, _settled(value, field.type, field.name))


def _settled(value: object, kind: Any, argument: str) -> object:  # noqa: ANN401 - any annotation
    choices = get_args(kind)
    if get_origin(kind) is Literal:
        return _chosen(value, choices, argument)
    if NoneType in choices:
        if value is None:
            return None
        return _settled(value, next(one for one in choices if one is not NoneType), argument)
    return _READERS[get_origin(kind) or kind](value, argument)


def _chosen(value: object, choices: tuple[str, ...], argument: str) -> str:
    if isinstance(value, str) and value in choices:
        return value
    close = get_close_matches(value, choices, n=1) if isinstance(value, str) else ()
    raise ArgumentError(argument, value, f"one of {', '.join(choices)}", f"Did you mean {close[0]}?" if close else "")


def _flag(value: object, argument: str) -> bool:
    # A truth value of NumPy holds one of Python.
    plain = getattr(value, "item", lambda: None)() if getattr(value, "ndim", None) == 0 else value
    if not isinstance(plain, bool):
        raise ArgumentError(argument, value, "True or False")
    return plain


def _text(value: object, argument: str) -> str:
    # A path says its own text.
    plain = getattr(value, "__fspath__", lambda: value)()
    if not isinstance(plain, str):
        raise ArgumentError(argument, value, "text")
    return plain


def _several(value: object, argument: str, allowed: str) -> Sequence[object]:
    # Arrays and series of names or numbers are as good as lists of them.
    plain = getattr(value, "tolist", lambda: value)()
    if isinstance(plain, (str, bytes)) or not isinstance(plain, Sequence):
        raise ArgumentError(argument, value, allowed)
    return cast("Sequence[object]", plain)


def _texts(value: object, argument: str) -> tuple[str, ...]:
    return tuple(_text(one, argument) for one in _several(value, argument, "a list of texts"))


def _names(value: object, argument: str) -> Names:
    if isinstance(value, str):
        return names_from_text(value, argument)
    names = _several(value, argument, "a list of names, such as ('base', 'new')")
    return Names(_text(one, argument) for one in names)


def _whole_numbers(value: object, argument: str) -> WholeNumbers:
    if isinstance(value, str):
        return whole_numbers_from_text(value, argument)
    # One number is a list of one.
    plain = getattr(value, "tolist", lambda: value)()
    listed: object = [plain] if isinstance(plain, int) else plain
    allowed = "whole numbers above 0, such as (2, 10, 50)"
    numbers = [count(cast("float", one), argument) for one in _several(listed, argument, allowed)]
    return whole_numbers_from_text(",".join(str(number) for number in numbers), argument)


def _range(value: object, argument: str) -> ScoreRange:
    if isinstance(value, str):
        return range_from_text(value, argument)
    allowed = "the lowest and the highest possible score, such as (0, 100), or () for a score without limits"
    ends = ScoreRange(float(number(cast("float", end), argument)) for end in _several(value, argument, allowed))
    if len(ends) not in {0, 2}:
        raise ArgumentError(argument, value, allowed)
    return range_of((ends[0], ends[1]), argument, value, allowed) if ends else ends


def _mapping(value: object, argument: str, allowed: str) -> Mapping[object, object]:
    if not isinstance(value, Mapping):
        raise ArgumentError(argument, value, allowed)
    return cast("Mapping[object, object]", value)


def _weights(value: object, argument: str) -> Weights:
    if isinstance(value, str):
        return weights(value, argument)
    allowed = "shares by slice, such as {'web': 0.6, 'phone': 0.4}"
    return weights(cast("Mapping[str, float]", _mapping(value, argument, allowed)), argument)


def _columns(value: object, argument: str) -> Columns:
    if isinstance(value, str):
        return columns_from_text(value, argument)
    given = _mapping(value, argument, "columns by role, such as {'case': 'id', 'score': 'passed'}")
    return Columns({_text(role, argument): _text(column, argument) for role, column in given.items()})


def _words(value: object, argument: str) -> Words:
    if isinstance(value, str):
        return words_from_text(value, argument)
    given = _mapping(value, argument, "numbers by word, such as {'both': 0.5, 'left': 1}")
    return Words({_text(word, argument): _word(one, f"{argument} {word}") for word, one in given.items()})


def _word(value: object, argument: str) -> float:
    if isinstance(value, str):
        return word_number(value, argument)
    # A word that is no score has no number.
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - only NaN differs from itself
        return value
    return float(number(cast("float", value), argument))


_READERS: dict[type, Callable[[Any, str], object]] = {
    bool: _flag,
    str: _text,
    tuple: _texts,
    Columns: _columns,
    Count: count,
    Names: _names,
    Number: number,
    Points: points,
    ScoreRange: _range,
    Share: share,
    Weights: _weights,
    WholeNumbers: _whole_numbers,
    Words: _words,
}
