"""Results as files: never half written, nothing of the user's overwritten unasked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.formats.writers import checked_place, write_beside

if TYPE_CHECKING:
    from pathlib import Path


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
