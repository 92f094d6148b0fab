r"""Hashes of a case's content, the bytes that they are made over, and the plain text that near matching reads.

``canonical_bytes`` is a small encoder of our own, so that a fingerprint depends on no JSON library and no version of
one. Every value starts with a tag, and everything of variable length says its length, so two different values never
have the same bytes:

======  ====================================================================================================
``n``   null
``t f`` true, false (never equal to 1 and 0: a log that says ``true`` asks for a truth value)
``i``   a whole number, in decimals, closed by ``;`` — also 1.0, because JavaScript writes 1.0 as 1
``d``   any other number, by ``repr``, closed by ``;``
``s``   text: length in bytes, ``:``, UTF-8
``h``   a ``data:`` URL: 16 bytes of BLAKE2b over its payload without white space (an image is its content)
``l``   a list: count, ``:``, the values in order
``m``   a mapping: count, ``:``, the (key, value) pairs in the order of their bytes
``c``   a chat: count, ``:``, then per message the role, the parts of its content, and its tool calls
======  ====================================================================================================

Text is put into Unicode form NFC; every run of white space (CRLF and LF alike) becomes one space, and the ends are
stripped. Chat messages keep the role, the content and the tool calls, because frameworks add random ids, sources and
model names to each run. A chat of one user message is the same content as its bare text.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from evalgauge.scores.table import CaseContent, Json

_ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_TEXT_PARTS = frozenset({"text", "input_text", "output_text"})
# Fields that frameworks add to a part of a message or to a tool call, and that differ between runs or versions.
_NOISE = frozenset({"id", "call_id", "internal", "detail", "citations", "parse_error", "view"})
# A text may well begin with "data: 3, 4": only a media type makes it a URL.
_DATA_URL = re.compile(r"data:[\w.+-]+/[\w.+-]+(?:;[\w=.+-]+)*,")


def normal_text(text: str) -> str:
    r"""Return text in the form in which two texts are compared.

    Parameters
    ----------
    text
        Any text.

    Returns
    -------
    str
        In Unicode form NFC, with every run of white space made one space and the ends stripped.

    Examples
    --------
    >>> normal_text("  Is this\r\n\r\nan insult? ")
    'Is this an insult?'
    """
    return " ".join((text if text.isascii() else unicodedata.normalize("NFC", text)).split())


def canonical_bytes(value: Json) -> bytes:
    r"""Return the bytes that stand for a content: equal for equal contents, different for different ones.

    Parameters
    ----------
    value
        Text, a number, a truth value, null, a list, a mapping, or a chat (a list of messages with a role).

    Returns
    -------
    bytes
        See the module for the form.

    Raises
    ------
    TypeError
        When the value is no JSON value.

    Examples
    --------
    >>> canonical_bytes({"b": 1.0, "a": "x\r\ny"}) == canonical_bytes({"a": " x y", "b": 1})
    True
    >>> canonical_bytes(["ab", "c"]) == canonical_bytes(["a", "bc"])
    False
    """
    if isinstance(value, str):
        return _text_bytes(value)
    if value is None or isinstance(value, bool):
        return b"n" if value is None else b"t" if value else b"f"
    if isinstance(value, int | float):
        return _number_bytes(value)
    if isinstance(value, Mapping):
        pairs = sorted(_text_bytes(str(key)) + canonical_bytes(entry) for key, entry in value.items())
        return b"m%d:%b" % (len(pairs), b"".join(pairs))
    if is_chat(value):
        return _chat_bytes(value)
    if isinstance(value, Sequence):  # pyright: ignore[reportUnnecessaryIsInstance] # foreign readers are not checked
        return b"l%d:%b" % (len(value), b"".join(map(canonical_bytes, value)))
    msg = f"a content holds text, numbers, truth values, null, lists and mappings, not {type(value).__name__}"
    raise TypeError(msg)


def plain_text(value: Json) -> str:
    """Return the words of a content, for near matching: without roles, names of variables, and images.

    Parameters
    ----------
    value
        As in ``canonical_bytes``.

    Returns
    -------
    str
        Normal text, the parts joined by spaces; a mapping in the order of its keys.

    Examples
    --------
    >>> plain_text([{"role": "system", "content": "Be brief."}, {"role": "user", "content": "2+2?"}])
    'Be brief. 2+2?'
    """
    if isinstance(value, str):
        return "" if _DATA_URL.match(value) else normal_text(value)
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, int | float):
        return _number_bytes(value)[1:-1].decode()
    if isinstance(value, Mapping):
        parts = [plain_text(value[key]) for key in sorted(value, key=str)]
    elif is_chat(value):
        parts = [_message_text(message) for message in value]
    else:
        parts = [plain_text(entry) for entry in value]
    return " ".join(part for part in parts if part)


def case_fingerprint(content: CaseContent | None) -> str | None:
    """Return the hash of input, choices and target; ``None`` when there is nothing to hash."""
    if content is None or (_is_empty(content.input) and not content.choices and content.target is None):
        return None
    return _hash(b"case", content.input, content.choices, content.target)


def input_fingerprint(content: CaseContent | None) -> str | None:
    """Return the hash of what is asked: a corrected label and shuffled choices keep it.

    The choices belong to the question: sets ask "Which of these is true?" many times over.
    """
    if content is None or (_is_empty(content.input) and not content.choices):
        return None
    choices = None if content.choices is None else sorted(content.choices)
    return _hash(b"input", content.input, choices)


def target_fingerprint(content: CaseContent | None) -> str | None:
    """Return the hash of the expected answer alone; ``None`` when there is none."""
    if content is None or content.target is None:
        return None
    return _hash(b"target", content.target)


def _hash(kind: bytes, *values: object) -> str:
    # The kind goes in first, so that a case without target never has the hash of its bare input.
    digest = hashlib.blake2b(digest_size=16, person=kind)
    for value in values:
        digest.update(canonical_bytes(value))  # type: ignore[arg-type]
    return digest.hexdigest()


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str | list | tuple | dict) and not value)


def is_chat(value: Json) -> TypeGuard[Sequence[Mapping[str, Json]]]:
    """Return whether a value is a list of chat messages.

    Every entry must have one of the roles that chat interfaces know and a content or tool calls: a record of
    variables that happens to have a ``role`` stays a record, and none of its fields is left out.
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or not value:
        return False
    return all(
        isinstance(message, Mapping)
        and isinstance(role := message.get("role"), str)
        and role in _ROLES
        and ("content" in message or "tool_calls" in message)
        for message in value
    )


def _is_list(value: Json) -> TypeGuard[Sequence[Json]]:
    return isinstance(value, Sequence) and not isinstance(value, str) and len(value) > 0


def _text_bytes(text: str) -> bytes:
    if url := _DATA_URL.match(text):
        payload = "".join(text[url.end() :].split())
        return b"h" + hashlib.blake2b(payload.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    # JSON can spell half a surrogate pair; such a text is still a text.
    data = normal_text(text).encode("utf-8", "surrogatepass")
    return b"s%d:%b" % (len(data), data)


def _number_bytes(number: float) -> bytes:
    if isinstance(number, int) or number.is_integer():
        return b"i%d;" % int(number)
    # A data frame brings its own kind of float, with another repr.
    return b"d%b;" % repr(float(number)).encode()


def _chat_bytes(messages: Sequence[Mapping[str, Json]]) -> bytes:
    if len(messages) == 1 and messages[0]["role"] == "user" and not messages[0].get("tool_calls"):
        parts = _parts(messages[0].get("content"))
        if len(parts) == 1 and isinstance(parts[0], str):
            return _text_bytes(parts[0])
    coded: list[bytes] = []
    for message in messages:
        calls = message.get("tool_calls")
        coded += [
            canonical_bytes(message["role"]),
            canonical_bytes(_parts(message.get("content"))),
            canonical_bytes([_without_noise(call) for call in calls] if _is_list(calls) else None),
        ]
    return b"c%d:%b" % (len(messages), b"".join(coded))


def _parts(content: Json) -> list[Json]:
    """Return the parts of a message, text parts as bare text."""
    if content is None:
        return []
    if isinstance(content, str) or not isinstance(content, Sequence):
        return [content]
    return [_bare_part(part) for part in content]


def _bare_part(part: Json) -> Json:
    if isinstance(part, Mapping) and part.get("type") in _TEXT_PARTS:
        return part.get("text")
    return _without_noise(part)


def _without_noise(value: Json) -> Json:
    """Return a part without ids, and without fields that are null in one version of a framework and absent in another.

    Only its own fields are looked at: the arguments of a tool call may hold an ``id`` that is content.
    """
    if isinstance(value, Mapping):
        return {key: entry for key, entry in value.items() if key not in _NOISE and entry is not None}
    return value


def _message_text(message: Mapping[str, Json]) -> str:
    texts = [plain_text(part) for part in _parts(message.get("content")) if isinstance(part, str)]
    return " ".join(text for text in texts if text)
