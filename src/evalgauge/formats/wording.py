"""Counts in sentences."""

from __future__ import annotations

from evalgauge.errors import LogError


def counted(count: int, one: str, several: str) -> str:
    """Return a count with the words that agree with it.

    Examples
    --------
    >>> counted(1, "row is", "rows are"), counted(12_000, "row is", "rows are")
    ('1 row is', '12,000 rows are')
    """
    return f"{count:,} {one if count == 1 else several}"


def without_advice(fault: LogError) -> str:
    """Return what is wrong without what to do about it: for a fault that was read around.

    Examples
    --------
    >>> without_advice(LogError("run.eval", "is damaged.", record="line 3", hint="Copy it again."))
    'run.eval, line 3: is damaged.'
    """
    return str(LogError(fault.file, fault.problem, record=fault.record, field=fault.field))
