"""Results as files: never half written, nothing of the user's overwritten unasked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalgauge.errors import ArgumentError
from evalgauge.formats.writers import checked_place, move_into_place, write_beside


def write_new(target: Path, content: bytes, *, overwrite: Any) -> Path:  # noqa: ANN401 - what came is looked at
    """Write a file, and return where.

    Raises
    ------
    ArgumentError
        If the file is there and may not be replaced, or nothing can be written in that place.
    """
    check_new(target, overwrite=overwrite)
    write_beside(target, lambda part: part.write_bytes(content))
    return target


def check_new(target: Path, *, overwrite: Any) -> None:  # noqa: ANN401 - what came is looked at
    """Refuse a place where no new file can be written.

    Raises
    ------
    ArgumentError
        If it is there and may not be replaced, or its folder is not.
    """
    if not isinstance(overwrite, bool):
        raise ArgumentError("overwrite", type(overwrite).__name__, "True or False")
    checked_place(target, overwrite=overwrite)


def put_text(path: str, text: str) -> None:
    """Write a file whole, in the place of one that is there; a pipe or a device is written into.

    Raises
    ------
    OSError
        If nothing can be written in that place.
    """
    # A link stays, and what it leads to is replaced.
    target = Path(path).resolve()
    content = text.encode()
    if target.exists() and not target.is_file():
        target.write_bytes(content)
    else:
        move_into_place(target, lambda part: part.write_bytes(content))
