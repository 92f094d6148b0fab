"""Logs of Inspect AI made by hand, and what our reader makes of a log."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

from evalgauge.formats.inspect_ai import READER
from evalgauge.formats.protocol import ReadOptions, Source
from evalgauge.scores.table import ScoreTable, Status

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
EXPECTED: dict[str, Any] = json.loads((FIXTURES / "expected" / "inspect.json").read_text(encoding="utf-8"))
INSPECT = FIXTURES / "inspect"


def source(path: Path) -> Source:
    is_folder = path.is_dir()
    return Source(path=path, head=b"" if is_folder else path.read_bytes()[:8192], is_folder=is_folder)


def read(path: Path, **options: Any) -> ScoreTable:
    return READER.read(source(path), ReadOptions(**options))


def rows(table: ScoreTable) -> dict[tuple[str, int, str], tuple[float | None, Status, str | None]]:
    found = {}
    for place in range(len(table)):
        score = float(table.score[place])
        key = (
            table.cases.case_id[table.case[place]],
            int(table.rep[place]),
            table.metrics[table.metric[place]].name,
        )
        raw = table.raw[place] if table.raw else None
        found[key] = (None if score != score else score, Status(table.status[place]), raw)  # noqa: PLR0124 (NaN)
    return found


def statuses(table: ScoreTable) -> dict[str, int]:
    return dict(Counter(Status(value).name for value in table.status))


def log(samples: list[dict[str, Any]], **header: Any) -> dict[str, Any]:
    spec = {
        "task": "faq",
        "task_id": "T1",
        "run_id": "R1",
        "eval_id": "E1",
        "created": "2026-01-02T03:04:05+00:00",
        "model": "m/a",
        "dataset": {"samples": len(samples)},
        "config": {"epochs": 1},
    }
    spec.update(header.pop("spec", {}))
    return {"version": 2, "status": "success", "eval": spec, **header, "samples": samples}


def sample(sample_id: int | str, value: Any = "C", epoch: int = 1, **more: Any) -> dict[str, Any]:
    scores = {} if value is None else {"match": {"value": value}}
    return {"id": sample_id, "epoch": epoch, "input": f"q{sample_id}", "target": "a", "scores": scores, **more}


def write(path: Path, content: dict[str, Any]) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def write_archive(path: Path, members: dict[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content if isinstance(content, (str, bytes)) else json.dumps(content))
    return path
