"""Sharing out the blocks of a study among workers, and telling how far it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, TypeVar

from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalgauge.stats.streams import Block

Result = TypeVar("Result")
_MOST_JOBS = 1_024


def mapper(jobs: int) -> Callable[[Callable[[Block], Result], Iterable[Block]], Iterable[Result]] | None:
    """Return what shares out blocks: nothing for one worker, else joblib with the backend that the user configured.

    Parameters
    ----------
    jobs
        Workers. With 1, joblib is used only where the caller loaded it already, so that
        ``joblib.parallel_config(backend="dask")`` around a call is heeded, and a command that needs no workers pays
        nothing for them.

    Raises
    ------
    ArgumentError
        If ``jobs`` is no number of workers.

    Examples
    --------
    >>> mapper(2)(len, ["ab", "c"])
    [2, 1]
    """
    if not 1 <= jobs <= _MOST_JOBS:
        raise ArgumentError("jobs", jobs, f"a whole number of workers from 1 to {_MOST_JOBS:,}")
    if jobs == 1 and "joblib" not in sys.modules:
        return None

    def shared(work: Callable[[Block], Result], study: Iterable[Block]) -> Iterable[Result]:
        import joblib  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs] - only who shares out work needs it

        library: Any = joblib
        # None leaves the number of workers to the user's configuration, and means one without any.
        results: list[Result] = library.Parallel(n_jobs=None if jobs == 1 else jobs)(
            library.delayed(work)(block) for block in study
        )
        return results

    return shared


class Progress:
    """Adds up what is done of a study, and tells it.

    Parameters
    ----------
    total
        How much there is to do.
    tell
        Called with what is done and the total; ``None`` where nobody wants to know.
    """

    def __init__(self, total: int, tell: Callable[[int, int], None] | None) -> None:
        self._total, self._tell, self._done = total, tell, 0

    def add(self, done: int) -> None:
        """Add what was done; no more than the total is ever told."""
        self._done += done
        if self._tell is not None:
            self._tell(min(self._done, self._total), self._total)
