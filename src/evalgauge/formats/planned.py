"""How many runs a log may say were planned: each that is missing is a row of the table."""

from __future__ import annotations

from evalgauge.errors import LogError

MOST_NUMBER = 2**31 - 1
"""The largest number of a rep, or of a copy of a case."""
_ALWAYS, _TIMES = 1_000_000, 100


def check_plan(planned: int, found: int, file: str) -> None:
    """Refuse a log that plans far more runs than it holds: a damaged number would fill the memory.

    Parameters
    ----------
    planned
        Runs, all cases and reps together.
    found
        Runs in the log.
    file
        What the refusal calls the log.

    Raises
    ------
    LogError
        If more than a million runs are planned and more than a hundred times those that are there.

    Examples
    --------
    >>> check_plan(500_000, 3, "run.json")
    >>> check_plan(2**63, 3, "run.json")
    Traceback (most recent call last):
    evalgauge.errors.LogError: run.json: plans 9,223,372,036,854,775,808 runs and holds 3: no eval lacks so many...
    """
    if planned > max(_ALWAYS, _TIMES * found):
        text = f"plans {planned:,} runs and holds {found:,}: no eval lacks so many."
        raise LogError(file, text, hint="Is the file damaged, or its number of repeats?")
