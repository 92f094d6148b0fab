"""What has to be said where a baseline is a blessed file: how old it is, and whether its set has changed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from evalgauge.formats.blessed import BLESSED, FROM, NOTE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.scores.pairing import Pairing
    from evalgauge.scores.table import Run

STALE_DAYS = 90
"""A baseline older than this is called old: systems, judges and sets drift."""


def is_blessed(runs: Sequence[Run]) -> bool:
    """Return whether scores were read from a blessed baseline."""
    return any(run.arm_detail.get(BLESSED) for run in runs)


def blessing_notes(runs: Sequence[Run]) -> tuple[str, ...]:
    """Return when, from what and why a baseline was blessed, and whether that is long ago."""
    notes: list[str] = []
    for run in runs:
        when = run.arm_detail.get(BLESSED, "")
        if not when:
            continue
        note = f" ({run.arm_detail[NOTE]})" if run.arm_detail.get(NOTE) else ""
        text = f"{run.file} was blessed on {when[:10]} from {run.arm_detail.get(FROM) or 'a table'}{note}"
        days = _age(when)
        if days is not None and days >= 1:
            text += f", {days:,} days ago" if days > 1 else ", a day ago"
        old = (
            f" That is more than {STALE_DAYS} days: bless a fresh run."
            if days is not None and days > STALE_DAYS
            else ""
        )
        notes.append(f"{text}.{old}")
    return tuple(notes)


def changed_set_note(pairing: Pairing) -> str:
    """Return how the set has changed since the baseline was blessed; ``""`` where it has not."""
    parts = [
        (pairing.only_baseline.size, "gone"),
        (pairing.only_candidate.size, "new"),
        (pairing.by_counts.get("input", 0), "with another expected answer or other choices"),
    ]
    said = [f"{n:,} {word}" for n, word in parts if n]
    return f"The set has changed since the baseline was blessed: cases {', '.join(said)}." if said else ""


def _age(when: str) -> int | None:
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return (datetime.now(UTC) - moment).days
