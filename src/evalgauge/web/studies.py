"""Studies that take longer than one answer may: run aside, asked about again and again, given up when nobody asks."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from concurrent.futures import Future

    Tell: TypeAlias = Callable[[int, int], None]

Result = TypeVar("Result")
_AT_ONCE, _MOST = 2, 8
_PATIENCE, _KEPT = 10.0, 120.0


class LeftError(BaseException):
    """Nobody asks any more; no job takes this for a fault of its own."""


class BusyError(Exception):
    """As many studies run or wait as the server takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """How far a study is: what is done, and of how much; ``total`` is 0 before it has begun."""

    done: int
    total: int


@dataclass(slots=True)
class _Study(Generic[Result]):
    asked: float
    done: int = 0
    total: int = 0
    ended: float | None = None
    future: Future[Result] = field(init=False)


class Studies(Generic[Result]):
    """Runs studies, two at once, and keeps what they found for the next time it is asked for.

    Parameters
    ----------
    patience
        Seconds after which a study that nobody asked about is given up.
    kept
        Seconds for which its end is kept.

    Examples
    --------
    >>> studies = Studies()
    >>> studies.ask("twice", lambda tell: 2 * 21, wait=5)
    42
    >>> studies.close()
    """

    def __init__(self, *, patience: float = _PATIENCE, kept: float = _KEPT) -> None:
        self._patience, self._kept = patience, kept
        self._workers = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="study")
        self._lock = Lock()
        self._studies: dict[Hashable, _Study[Result]] = {}
        self._is_closed = False

    def ask(self, key: Hashable, work: Callable[[Tell], Result], *, wait: float) -> Result | Waiting:
        """Return what a study found, or how far it is.

        Parameters
        ----------
        key
            The same for the same study.
        work
            Does it; is given a function to tell what is done, and of how much.
        wait
            Seconds to wait for its end.

        Raises
        ------
        BusyError
            If the server has enough to do.
        """
        study = self._asked(key, work)
        try:
            return study.future.result(timeout=wait)
        except TimeoutError:
            return Waiting(done=study.done, total=study.total)
        except LeftError:
            # It was given up while this question was on its way.
            return self.ask(key, work, wait=wait)

    def found(self, key: Hashable) -> Result | None:
        """Return what a study found that has ended; ``None`` while it runs, or when it is forgotten."""
        with self._lock:
            study = self._studies.get(key)
        return study.future.result() if study is not None and study.future.done() else None

    def close(self) -> None:
        """Give up what runs."""
        self._is_closed = True
        self._workers.shutdown(wait=False, cancel_futures=True)

    def _asked(self, key: Hashable, work: Callable[[Tell], Result]) -> _Study[Result]:
        now = time.monotonic()
        with self._lock:
            for name, one in [*self._studies.items()]:
                if self._is_over(one, now):
                    one.future.cancel()
                    del self._studies[name]
            study = self._studies.get(key)
            if study is None:
                if sum(not one.future.done() for one in self._studies.values()) >= _MOST:
                    raise BusyError
                study = _Study[Result](asked=now)
                study.future = self._workers.submit(self._run, study, work)
                self._studies[key] = study
            study.asked = now
        return study

    def _is_over(self, study: _Study[Result], now: float) -> bool:
        if study.ended is not None:
            return now - study.ended > self._kept or study.future.exception() is not None
        # What nobody waits for any more is not begun.
        return not study.future.running() and now - study.asked > self._patience

    def _run(self, study: _Study[Result], work: Callable[[Tell], Result]) -> Result:
        def tell(done: int, total: int) -> None:
            if self._is_closed or time.monotonic() - study.asked > self._patience:
                raise LeftError
            study.done, study.total = done, total

        try:
            return work(tell)
        finally:
            study.ended = time.monotonic()
