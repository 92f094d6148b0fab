"""Reducing a large table where it lies: equal rows are counted, and only the counts leave the engine.

A score that is k of R has few values, so that a case with its many reps becomes a few rows. Counts are whole numbers:
they are the same on every engine, whatever the order of the rows, where sums of floating-point numbers would not be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

from evalgauge.errors import LogError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from evalgauge.engine.duck import Fetched, Kind

Cell: TypeAlias = "str | int | float | bool | None"

MOST_ROWS = 40_000_000
"""Counted rows that may leave an engine: each is held in memory here."""
MOST_REP = 62
"""Rep numbers up to this are checked by one bit each in 64."""


class UnsuitedError(Exception):
    """A table has to be read row by row: its text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountQuery:
    """What to count.

    Attributes
    ----------
    keys
        Columns: rows that agree in all of them are counted together.
    case
        The key that names the case.
    spans
        Columns of which the lowest and the highest value are wanted.
    rep
        Column of rep numbers; ``None`` where there is none.
    runs
        The keys that name a run of a case: no rep number may stand twice in it.
    most_rep
        The highest rep number where all of them are whole, from 0 to ``MOST_REP``; ``None`` otherwise.
    """

    keys: tuple[str, ...]
    case: str
    spans: tuple[str, ...] = ()
    rep: str | None = None
    runs: tuple[str, ...] = ()
    most_rep: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """The counted rows.

    Attributes
    ----------
    columns
        The keys, then the lowest values of the spans.
    varying
        Per span where its lowest value is not its highest.
    count
        Rows that were counted, int64.
    reps
        The small rep numbers among the counted rows, a bit each, int64; ``None`` where they are not asked for.
    without_rep
        Rows without a rep number.
    """

    columns: tuple[Fetched, ...]
    varying: Mapping[str, NDArray[np.bool_]]
    count: NDArray[np.int64]
    reps: NDArray[np.int64] | None = None
    without_rep: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseCounts:
    """Counts with one row per case, and one column per kind of row: rows that agree in all keys but the case.

    Attributes
    ----------
    case
        The ids, each once: whole numbers ascending, texts by length and then by character.
    kinds
        The other keys, one entry per kind.
    count
        Rows of each kind, int64, shape (n_kinds, n_cases).
    spans
        The lowest values of the spans per case.
    varying
        Per span whether its lowest value is not its highest.
    """

    case: Fetched
    kinds: tuple[Fetched, ...]
    count: NDArray[np.int64]
    spans: tuple[Fetched, ...]
    varying: Mapping[str, NDArray[np.bool_]]


class CountingSource(Protocol):
    """A table in an engine."""

    @property
    def label(self) -> str:
        """What messages call it."""
        ...

    @property
    def has_bits(self) -> bool:
        """Whether the engine returns small rep numbers as bits."""
        ...

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The columns and what they hold."""
        ...

    def head(self, n_rows: int) -> Sequence[Fetched]:
        """Return some rows of every column that is not nested."""
        ...

    def extremes(self, names: Sequence[str]) -> Sequence[Fetched]:
        """Return the lowest and the highest value of columns, two rows."""
        ...

    def counts(self, query: CountQuery, *, most_rows: int = MOST_ROWS) -> Counts:
        """Count."""
        ...

    def case_counts(self, query: CountQuery, seen: Mapping[str, Sequence[Cell]]) -> CaseCounts | None:
        """Count per case, where keys other than the case hold nothing but the values that were seen.

        ``None`` where they hold more, where that way is not the engine's, or where a row lacks its case or rep or
        stands twice: ``counts`` and ``doubled`` then say what is there.
        """
        ...

    def doubled(self, query: CountQuery) -> int:
        """Return how many rows repeat a case, run and rep."""
        ...


def too_many(label: str, n_rows: int, most: int) -> LogError:
    """Return the refusal of a table that does not get smaller by counting."""
    return LogError(
        label,
        f"has {n_rows:,} different scores of cases, and {most:,} are the most that are read.",
        hint="Round the scores, such as to 2 decimals: equal scores of a case are counted together.",
    )
