"""How far a long read is, for whoever watches: nobody, unless somebody says so."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Thread
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    Tell: TypeAlias = Callable[[int, int], None]

_OFTEN = 0.2
_WATCHER: ContextVar[Tell | None] = ContextVar("watcher", default=None)


class _Asked(Protocol):
    def query_progress(self) -> float: ...
    def execute(self, query: str, parameters: object = None) -> object: ...


def tell(done: int, total: int) -> None:
    """Tell whoever watches what is done of a read, and of how much."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(done, total)


@contextmanager
def watched(by: Tell) -> Generator[None]:
    """Let a function know how far reads within are.

    Examples
    --------
    >>> seen = []
    >>> with watched(lambda done, total: seen.append(done / total)):
    ...     tell(1, 4)
    >>> tell(2, 4)
    >>> seen
    [0.25]
    """
    before = _WATCHER.set(by)
    try:
        yield
    finally:
        _WATCHER.reset(before)


@contextmanager
def asked_again_and_again(connection: object) -> Generator[None]:
    """Tell whoever watches how far the queries within are, as DuckDB says when it is asked from beside."""
    watcher = _WATCHER.get()
    if watcher is None or not hasattr(connection, "query_progress"):
        yield
        return
    asked: _Asked = connection  # pyright: ignore[reportAssignmentType] - seen to have it just now
    asked.execute("SET enable_progress_bar = true")
    asked.execute("SET enable_progress_bar_print = false")
    is_over = Event()

    def ask() -> None:
        while not is_over.wait(_OFTEN):
            share = asked.query_progress()
            # It is -1 before DuckDB knows.
            if share >= 0:
                watcher(round(share), 100)

    beside = Thread(target=ask, daemon=True)
    beside.start()
    try:
        yield
    finally:
        is_over.set()
        beside.join()
