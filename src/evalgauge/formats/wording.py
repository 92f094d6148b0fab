"""Counts in sentences."""

from __future__ import annotations


def counted(count: int, one: str, several: str) -> str:
    """Return a count with the words that agree with it.

    Examples
    --------
    >>> counted(1, "row is", "rows are"), counted(12_000, "row is", "rows are")
    ('1 row is', '12,000 rows are')
    """
    return f"{count:,} {one if count == 1 else several}"
