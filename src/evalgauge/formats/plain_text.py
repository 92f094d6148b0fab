"""Text files as bytes: which encoding, text or binary, and what a table that came of a file is called."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.formats.protocol import Source

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_BLOCK = 1 << 20
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f\x1b")


def encoding_of(path: Path) -> str:
    """Return ``utf-8-sig``, ``utf-16``, or ``cp1252`` where the bytes are neither.

    The whole file is looked at: one name with an accent, a million rows down, decides.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    with path.open("rb") as file:
        block = file.read(_BLOCK)
        if block.startswith(_UTF16):
            return "utf-16"
        try:
            while block:
                decoder.decode(block)
                block = file.read(_BLOCK)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return "cp1252"
    return "utf-8-sig"


def head_text(head: bytes) -> str | None:
    """Return the first bytes of a file as text, or ``None`` if the file is binary."""
    if head.startswith(_UTF16):
        return head[: len(head) // 2 * 2].decode("utf-16", errors="replace")
    if set(head) & _CONTROL:
        return None
    try:
        # Not final: the head may end within a character.
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return head.decode("cp1252", errors="replace")


def digest_of(path: Path) -> str:
    """Return the first 16 hex digits of a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def digest_of_all(files: Sequence[Path]) -> str:
    """Return a hash of files that are one table: that of the file itself where there is one."""
    digests = [digest_of(file) for file in files]
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()[:16]


def arm_name(source: Source) -> str:
    """Return what an arm is called that no column names: the file name without its endings."""
    name = Path(source.name).name
    for ending in (".gz", ".csv", ".tsv", ".txt", ".jsonl", ".ndjson", ".json", ".parquet", ".xml", ".junit"):
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
    return "stdin" if name == "-" else name
