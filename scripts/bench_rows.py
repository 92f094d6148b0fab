"""What a benchmark found: one row per job, and the table and JSON made of rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

HEADERS = ("job", "project", "peer", "ratio", "goal", "limit", "verdict")
HOLDS = "holds"
NO_GOAL = "shown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """What was asked of one figure.

    Attributes
    ----------
    text
        The demand in words.
    measured
        The figure; ``None`` where it could not be measured.
    bound
        What it is held against.
    side
        Whether the figure must be at least, or at most, the bound.
    lacks
        What was missing where it could not be measured.
    """

    text: str
    measured: float | None
    bound: float
    side: Literal["at least", "at most"]
    lacks: str = ""

    @property
    def is_missed(self) -> bool:
        """Whether the figure was measured and is on the wrong side."""
        if self.measured is None:
            return False
        return self.measured < self.bound if self.side == "at least" else self.measured > self.bound

    @property
    def shown(self) -> str:
        """The demand and the figure."""
        return self.text if self.measured is None else f"{self.text}: {figure(self.measured)}"

    @property
    def fault(self) -> str:
        """Why it is missed, in figures."""
        measured = "nothing" if self.measured is None else figure(self.measured)
        return f"{measured} is {'under' if self.side == 'at least' else 'over'} {self.bound:g} ({self.text})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One job that was measured.

    Attributes
    ----------
    job
        What was done.
    project
        What evalgauge used: least of the repeats; ``None`` where it could not be measured.
    unit
        ``"core-s"``, or ``"MB"`` for peaks of resident memory.
    peer_name, peer
        Another way to the same work, and what that used.
    goal, limit
        What is asked against the peer, and against what the work needs at the least.
    why
        What most of the time goes into, to be said where a demand is missed.
    lacks
        What was missing where something could not be measured.
    """

    job: str
    project: float | None
    unit: Literal["core-s", "MB"] = "core-s"
    peer_name: str = ""
    peer: float | None = None
    goal: Bound | None = None
    limit: Bound | None = None
    why: str = ""
    lacks: str = ""

    @property
    def ratio(self) -> float | None:
        """How many times as much as the project the peer used."""
        return self.peer / self.project if self.peer is not None and self.project else None

    @property
    def verdict(self) -> str:
        """Whether everything asked holds; what is missed, or what could not be measured, is said."""
        asked = [bound for bound in (self.goal, self.limit) if bound is not None]
        missed = [bound.fault for bound in asked if bound.is_missed]
        if missed:
            return f"MISSED: {'; '.join(missed)}{self.why and f': {self.why}'}"
        lacks = self.lacks or next((bound.lacks for bound in asked if bound.measured is None), "")
        if lacks:
            return f"not measured: {lacks}"
        return HOLDS if asked else NO_GOAL


def figure(value: float) -> str:
    """Return a figure with three significant digits, or all digits of a larger whole part."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def document(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the rows for JSON, with ratio and verdict."""
    return [{**asdict(row), "ratio": row.ratio, "verdict": row.verdict} for row in rows]


def markdown(rows: Sequence[Row]) -> str:
    """Return the rows as a table, its columns aligned for a terminal."""
    lines = [HEADERS, *(_cells(row) for row in rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(HEADERS))]
    shown = [" | ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines]
    rule = " | ".join("-" * width for width in widths)
    return "\n".join(f"| {line} |" for line in (shown[0], rule, *shown[1:])) + "\n"


def _cells(row: Row) -> tuple[str, ...]:
    used = "" if row.project is None else f"{figure(row.project)} {row.unit}"
    peer = row.peer_name
    if row.peer is not None:
        peer = f"{figure(row.peer)} {row.unit} ({row.peer_name})"
    return (
        row.job,
        used,
        peer,
        "" if row.ratio is None else f"{figure(row.ratio)} ×",
        "" if row.goal is None else row.goal.shown,
        "" if row.limit is None else row.limit.shown,
        row.verdict,
    )
