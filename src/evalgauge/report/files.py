"""Results as files: never half written, nothing of the user's overwritten unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.formats.writers import checked_place, write_beside

if TYPE_CHECKING:
    from pathlib import Path


def write_new(target: Path, content: bytes, *, overwrite: bool) -> Path:
    """Write a file, and return where.

    Raises
    ------
    ArgumentError
        If the file is there and may not be replaced, or nothing can be written in that place.
    """
    checked_place(target, overwrite=overwrite)
    write_beside(target, lambda part: part.write_bytes(content))
    return target
