"""Small tables as the readers see them, and what came of them."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Any

from evalgauge.formats import ReadOptions
from evalgauge.formats.records import table_of_records
from evalgauge.formats.score_table import table_of
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.scores.table import ScoreTable


def written(folder: Path, text: str | bytes, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def texts(table: ScoreTable) -> list[str]:
    return [problem.text for problem in table.problems]


def of_records(records: list[dict[str, Any]], **options: Any) -> ScoreTable:
    return table_of(table_of_records(records, file="t", stem="t", digest="d"), ReadOptions(**options))


def rows(table: ScoreTable) -> list[tuple[str, int, int, str, str, float]]:
    return [
        (
            table.cases.case_id[case],
            int(table.cases.dup[case]),
            rep,
            table.runs[run].arm,
            table.metrics[metric].name,
            score,
        )
        for case, rep, run, metric, score in zip(
            table.case.tolist(),
            table.rep.tolist(),
            table.run.tolist(),
            table.metric.tolist(),
            table.score.tolist(),
            strict=True,
        )
    ]


def cells(table: ScoreTable, metric: str) -> dict[tuple[str, int, int], tuple[float | None, str]]:
    """Return score and status word by case id, number within the id, and rep."""
    found: dict[tuple[str, int, int], tuple[float | None, str]] = {}
    for row in range(len(table)):
        if table.metrics[table.metric[row]].name == metric:
            case, score = int(table.case[row]), float(table.score[row])
            key = (table.cases.case_id[case], int(table.cases.dup[case]), int(table.rep[row]))
            assert key not in found
            found[key] = (None if isnan(score) else score, Status(table.status[row]).name.lower())
    return found
