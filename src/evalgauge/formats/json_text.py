"""JSON as logs hold it: typed and fast where it is plain JSON, tolerant where a log has NaN or ends early."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard, TypeVar

import msgspec

from evalgauge.errors import LogError

if TYPE_CHECKING:
    from collections.abc import Iterator

T = TypeVar("T")

CUT_HINT = "The file ends early: copy it again."
NESTED = "its JSON is nested deeper than any log needs"
_JSON = json.JSONDecoder()
_SPACE = " \t\r\n"


class CutError(LogError):
    """A JSON text ends before its value does."""


class Cut(NamedTuple):
    """What could be read of a JSON text that ends early.

    Attributes
    ----------
    members
        Complete members of the outer object.
    items
        Complete items of the one array that was asked for.
    """

    members: dict[str, object]
    items: list[object]


def is_object(value: object) -> TypeGuard[dict[str, object]]:
    """Return whether a JSON value is an object."""
    return isinstance(value, dict)


def is_array(value: object) -> TypeGuard[list[object]]:
    """Return whether a JSON value is an array."""
    return isinstance(value, list)


def decoded(data: bytes, kind: type[T], *, file: str, record: str = "") -> T:
    """Return JSON text as the type ``kind``.

    msgspec reads it at once when it is plain JSON. Logs of Python programs may hold the bare words NaN and Infinity,
    which are no JSON: such a text is read by the standard library and then checked against ``kind``.

    Parameters
    ----------
    data
        The text, UTF-8.
    kind
        A msgspec struct or any type that msgspec can check.
    file, record
        Where it stands, for the error.

    Raises
    ------
    LogError
        It is no JSON, is nested too deeply, or has another shape; the field is named.

    Examples
    --------
    >>> decoded(b'{"score": NaN}', dict[str, float], file="x.json")
    {'score': nan}
    >>> decoded(b'{"score": "high"}', dict[str, float], file="x.json")
    Traceback (most recent call last):
    ...
    evalgauge.errors.LogError: x.json, field '[...]': expected `float`, got `str`.
    """
    try:
        return _decoder(kind).decode(data)
    except msgspec.ValidationError as fault:
        # "number out of range" is a fault of the fast reader alone: the standard library reads 1e999 as infinity.
        if "out of range" not in str(fault):
            raise _shape_error(fault, file, record) from fault
    except msgspec.DecodeError:
        pass
    except RecursionError as fault:
        raise LogError(file, f"{NESTED}.", record=record) from fault
    return converted(parsed(data, file=file, record=record), kind, file=file, record=record)


def parsed(data: bytes, *, file: str, record: str = "") -> object:
    """Return JSON text as plain Python values; NaN and Infinity are accepted.

    Raises
    ------
    CutError
        It ends early.
    LogError
        It is no JSON or is nested too deeply.
    """
    try:
        value: object = json.loads(data)
        if b"\\ud" in data or b"\\uD" in data:
            value = _whole_characters(value)
    except json.JSONDecodeError as fault:
        problem = f"is no valid JSON at line {fault.lineno}, column {fault.colno}: {fault.msg}."
        if is_cut(fault):
            raise CutError(file, problem, record=record, hint=CUT_HINT) from fault
        raise LogError(file, problem, record=record) from fault
    except UnicodeDecodeError as fault:
        if fault.reason == "unexpected end of data":
            raise CutError(file, "ends in the middle of a character.", record=record, hint=CUT_HINT) from fault
        problem = f"is no UTF-8 text: byte {fault.start} is {fault.object[fault.start]:#04x}."
        raise LogError(file, problem, record=record) from fault
    except RecursionError as fault:
        raise LogError(file, f"{NESTED}.", record=record) from fault
    except ValueError as fault:
        # Python refuses integers of more than 4,300 digits with a plain ValueError.
        raise LogError(file, f"holds a number that cannot be read: {fault}.", record=record) from fault
    return value


def converted(value: object, kind: type[T], *, file: str, record: str = "") -> T:
    """Return plain values as the type ``kind``.

    Raises
    ------
    LogError
        They have another shape; the field is named.
    """
    try:
        try:
            return msgspec.convert(value, kind)
        except UnicodeEncodeError:
            return msgspec.convert(_whole_characters(value), kind)
    except msgspec.ValidationError as fault:
        raise _shape_error(fault, file, record) from fault
    except RecursionError as fault:
        raise LogError(file, f"{NESTED}.", record=record) from fault


def _whole_characters(value: object) -> object:
    """Return a value with a question mark for each half of a surrogate pair, which JSON can spell and no text holds."""
    if isinstance(value, str):
        return value.encode("utf-8", errors="replace").decode()
    if is_array(value):
        return [_whole_characters(one) for one in value]
    if is_object(value):
        return {str(_whole_characters(key)): _whole_characters(one) for key, one in value.items()}
    return value


def is_cut(fault: json.JSONDecodeError) -> bool:
    """Return whether a text is broken because it ends early, and not in its middle."""
    rest = fault.doc[fault.pos :].strip(_SPACE)
    # What is left is nothing, an open string, or the start of a word or a number.
    return not rest or fault.msg.startswith("Unterminated string") or (len(rest) < 10 and rest.isalnum())


def read_until_cut(data: bytes, array: str) -> Cut:
    """Return what a broken JSON object holds up to where it breaks.

    Parameters
    ----------
    data
        The text; a last character that is cut in two is left out.
    array
        Name of the member that is an array of records: its complete items are returned even if it does not end.

    Examples
    --------
    >>> read_until_cut(b'{"status": "success", "samples": [{"id": 1}, {"id": 2}, {"i', "samples")
    Cut(members={'status': 'success'}, items=[{'id': 1}, {'id': 2}])
    """
    text = data.decode("utf-8", errors="ignore")
    cut = Cut({}, [])
    try:
        for key, start in _members(text, cut.members):
            if key == array and text[start : start + 1] == "[":
                for item in _items(text, start):
                    cut.items.append(item)
    except (ValueError, IndexError, RecursionError):
        # The text ends here: what was complete before it is in `cut`.
        return cut
    return cut


def _members(text: str, members: dict[str, object]) -> Iterator[tuple[str, int]]:
    """Read the members of an object one by one; yield each key and where its value starts before reading the value."""
    place = _after(text, _skip(text, 0), "{")
    while text[place] != "}":
        key, place = _JSON.raw_decode(text, place)
        place = _after(text, _skip(text, place), ":")
        yield str(key), place
        members[str(key)], place = _JSON.raw_decode(text, place)
        place = _next(text, place)


def _items(text: str, place: int) -> Iterator[object]:
    place = _after(text, place, "[")
    while text[place] != "]":
        item, place = _JSON.raw_decode(text, place)
        yield item
        place = _next(text, place)


def _skip(text: str, place: int) -> int:
    while text[place] in _SPACE:
        place += 1
    return place


def _after(text: str, place: int, mark: str) -> int:
    if text[place] != mark:
        raise ValueError(mark)
    return _skip(text, place + 1)


def _next(text: str, place: int) -> int:
    place = _skip(text, place)
    return _skip(text, place + 1) if text[place] == "," else place


def _shape_error(fault: msgspec.ValidationError, file: str, record: str) -> LogError:
    what, _, path = str(fault).partition(" - at `$")
    field = path.rstrip("`").removeprefix(".")
    return LogError(file, f"{what[:1].lower()}{what[1:]}.", record=record, field=field)


@lru_cache(maxsize=64)
def _decoder(kind: type[T]) -> msgspec.json.Decoder[T]:
    return msgspec.json.Decoder(kind)


def text_of(value: Any) -> str:  # noqa: ANN401 (any JSON value)
    """Return a JSON value as compact text: words as they are, the rest as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
