"""Logs as they must never break a reader: damaged bytes, and well-formed files whose values are not what they were."""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from copy import deepcopy
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        0,
        -1,
        1e300,
        -1e300,
        float("nan"),
        float("inf"),
        10**30,
        2**63,
        "",
        " ",
        "NaN",
        "C",
        "9" * 400,
    ),
    *("\ud800", "\x00", "é" * 50, [], {}, [[]], [None], {"": None}, {"a": {"b": [1]}}, [1, "x", None, {}], -0.0, 1.5),
)
TOKENS = (
    b"null",
    b"NaN",
    b"1e999",
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b",",
    b"\\u0000",
    b"\xff",
    b"\x00",
    b"\n",
    b"-",
    b"0" * 50,
)


def damaged(data: bytes, random: Random) -> bytes:
    """Return data that were changed in a few places, as bytes or as values."""
    for _ in range(random.choice((1, 1, 2, 5))):
        change = random.choice((_values, _values, _values, _flipped, _cut, _dropped, _doubled, _inserted))
        data = change(data, random)
    return data


def _place(data: bytes, random: Random) -> int:
    return random.randrange(len(data) + 1)


def _flipped(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 4, 32))):
        if changed:
            changed[random.randrange(len(changed))] = random.randrange(256)
    return bytes(changed)


def _cut(data: bytes, random: Random) -> bytes:
    return data[: _place(data, random)]


def _dropped(data: bytes, random: Random) -> bytes:
    start = _place(data, random)
    return data[:start] + data[start + random.choice((1, 8, 100, 5_000)) :]


def _doubled(data: bytes, random: Random) -> bytes:
    start = _place(data, random)
    piece = data[start : start + random.choice((1, 8, 100, 5_000))]
    return data[:start] + piece * random.choice((2, 3, 50)) + data[start + len(piece) :]


def _inserted(data: bytes, random: Random) -> bytes:
    start = _place(data, random)
    return data[:start] + random.choice(TOKENS) * random.choice((1, 1, 3, 2_000)) + data[start:]


def _values(data: bytes, random: Random) -> bytes:
    """Return a file of the same kind in which values are missing, doubled or others."""
    if data.startswith(b"PK"):
        return _in_archive(data, random)
    try:
        return _dumped(_changed(json.loads(data), random))
    except (ValueError, RecursionError):
        pass
    lines = data.split(b"\n")
    place = random.randrange(len(lines))
    try:
        lines[place] = _dumped(_changed(json.loads(lines[place]), random))
    except (ValueError, RecursionError):
        cells = lines[place].split(b",")
        cells[random.randrange(len(cells))] = str(random.choice(ODD)).encode(errors="replace")
        lines[place] = b",".join(cells)
    return b"\n".join(lines)


def _in_archive(data: bytes, random: Random) -> bytes:
    out = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w") as copy:
            members = {name: archive.read(name) for name in archive.namelist()}
            chosen = random.choice(sorted(members))
            for name, content in members.items():
                copy.writestr(name, _values(content, random) if name == chosen else content)
    except (zipfile.BadZipFile, RuntimeError, OSError, ValueError, EOFError, IndexError, zlib.error):
        # A flipped bit makes a member look encrypted, or packed by an unknown method.
        return _flipped(data, random)
    return out.getvalue()


def _dumped(value: object) -> bytes:
    return json.dumps(value).encode(errors="surrogatepass")


def _changed(document: Any, random: Random) -> Any:
    """Return a document in which one value was changed, its place chosen by a walk from the top."""
    document = deepcopy(document)
    parent, key, node = None, None, document
    while isinstance(node, (dict, list)) and node and (parent is None or random.random() < 0.8):
        parent = node
        key = random.choice(sorted(node)) if isinstance(node, dict) else random.randrange(len(node))
        node = node[key]
    if parent is None:
        return random.choice(ODD)
    act = random.choice(("replace", "replace", "remove", "double", "rename", "deepen"))
    if act == "remove":
        del parent[key]
    elif act == "double" and isinstance(parent, list):
        parent.extend([deepcopy(node)] * random.choice((1, 3, 40)))
    elif act == "rename" and isinstance(parent, dict):
        parent[random.choice(("", "id", "score", str(key) * 2))] = parent.pop(key)
    elif act == "deepen":
        for _ in range(random.choice((1, 20, 400))):
            node = random.choice(([node], {"a": node}))
        parent[key] = node
    else:
        parent[key] = deepcopy(random.choice(ODD))
    return document
