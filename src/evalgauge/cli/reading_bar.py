"""One line that says how far a long read is, on a terminal, gone when the answer comes."""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Generator

_AFTER, _OFTEN = 1.0, 0.1


class ReadingBar:
    """Writes how far a read is, from its second second on.

    Parameters
    ----------
    out
        Where to.
    """

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._began: float | None = None
        self._wrote = 0.0
        self._is_shown = False

    def __call__(self, done: int, total: int) -> None:
        """Take what is done, and of how much."""
        now = time.monotonic()
        self._began = now if self._began is None else self._began
        if done >= total:
            self.clear()
        elif now - self._began > _AFTER and now - self._wrote > _OFTEN:
            self._out.write(f"\rReading: {100 * done // max(total, 1)} %\x1b[K")
            self._out.flush()
            self._wrote, self._is_shown = now, True

    def clear(self) -> None:
        """Take the line away."""
        if self._is_shown:
            self._out.write("\r\x1b[K")
            self._out.flush()
        self._is_shown, self._began = False, None


@contextmanager
def reading_shown() -> Generator[None]:
    """Show how far reads within are, if somebody sits there."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from evalgauge.engine.watching import watched  # noqa: PLC0415 - only a terminal sees it

    bar = ReadingBar(sys.stderr)
    try:
        with watched(bar):
            yield
    finally:
        bar.clear()
