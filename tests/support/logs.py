"""Logs of frameworks as the readers see them, and what came of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evalgauge.formats import ReadOptions, read
from evalgauge.formats.protocol import Source
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.scores.table import ScoreTable


def source(path: Path) -> Source:
    is_folder = path.is_dir()
    return Source(path=path, head=b"" if is_folder else path.read_bytes()[:8192], is_folder=is_folder)


def read_log(path: Path, **options: Any) -> ScoreTable:
    """Read as a user does: the registry chooses the reader."""
    return read(path, ReadOptions(**options))


def cells(table: ScoreTable, metric: str, arm: str | None = None) -> dict[tuple[str, int], float | str]:
    """Return the score, or the word for the status of a run without one, by case id and rep."""
    found: dict[tuple[str, int], float | str] = {}
    for place in range(len(table)):
        if table.metrics[table.metric[place]].name != metric or arm not in (None, table.runs[table.run[place]].arm):
            continue
        key = (table.cases.case_id[table.case[place]], int(table.rep[place]))
        assert key not in found, key
        score, status = float(table.score[place]), Status(table.status[place])
        assert math.isnan(score) or status == Status.OK
        found[key] = status.name.lower().replace("_", " ") if math.isnan(score) else score
    return found


def problems(table: ScoreTable) -> str:
    return "\n".join(problem.text for problem in table.problems)
