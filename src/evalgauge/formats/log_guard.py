"""The last net under a reader: a log that breaks it in a way nobody foresaw is an error text, not a traceback."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from evalgauge.errors import EvalgaugeError, LogError

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def reading(file: str) -> Generator[None]:
    """Turn whatever is raised inside into a ``LogError`` about ``file``; errors raised on purpose pass.

    Examples
    --------
    >>> with reading("run.eval"):
    ...     {}["header"]
    Traceback (most recent call last):
    ...
    evalgauge.errors.LogError: run.eval: cannot be read (KeyError: 'header'). ...
    """
    try:
        yield
    except EvalgaugeError:
        raise
    except OSError as fault:
        raise LogError(file, f"cannot be opened: {fault.strerror or fault}.") from fault
    except Exception as fault:
        # Libraries explain themselves over several lines.
        problem = f"cannot be read ({type(fault).__name__}: {' '.join(str(fault).split())})."
        hint = "Its form is not what the framework writes; please report it with the framework's version."
        raise LogError(file, problem, hint=hint) from fault
