"""Tables that count as large however small they are, so that the way of large tables can be tested on small ones."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import duckdb

import evalgauge as eg
from evalgauge.errors import EvalgaugeError
from evalgauge.formats import csv_table, frames, jsonl_table, parquet_table, score_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import pytest

NEVER = 10**12


def large_from(patch: pytest.MonkeyPatch, rows: int, *, engine_rows: int | None = None) -> None:
    """Say from how many rows on a table is large, and from how many on DuckDB counts them."""
    patch.setattr(score_table, "LARGE_ROWS", rows)
    for module in (parquet_table, csv_table, jsonl_table, frames):
        patch.setattr(module, "LARGE_ROWS", rows if engine_rows is None else engine_rows)
    for module in (csv_table, jsonl_table):
        patch.setattr(module, "ENGINE_ABOVE", 0 if (engine_rows or rows) < NEVER else NEVER)


def written_parquet(path: Path, columns: Mapping[str, str], rows: Sequence[Sequence[object]]) -> Path:
    """Write rows to Parquet; ``columns`` says the SQL type of each."""
    with duckdb.connect() as connection:
        fields = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        connection.execute(f"CREATE TABLE rows ({fields})")
        if rows:
            holders = f"({', '.join('?' * len(columns))})"
            cells = [cell for row in rows for cell in row]
            connection.execute(f"INSERT INTO rows VALUES {', '.join([holders] * len(rows))}", cells)  # noqa: S608 (marks alone)
        connection.execute(f"COPY rows TO '{path}' (FORMAT parquet)")
    return path


def written_lines(path: Path, columns: Mapping[str, str], rows: Sequence[Sequence[object]]) -> Path:
    """Write rows as JSON lines; NaN becomes null, as JSON has none."""
    records = [
        {name: None if cell != cell else cell for name, cell in zip(columns, row, strict=True)}  # noqa: PLR0124 (NaN)
        for row in rows
    ]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def answer(question: str, *logs: object, **options: Any) -> str:
    """Return an answer as JSON, or the text of its refusal; what names the log itself is left out."""
    try:
        found = json.loads(eg.to_json(getattr(eg, question)(*logs, no_ledger=True, **options)))
    except EvalgaugeError as refusal:
        text = str(refusal)
        for log in logs:
            text = text.replace(str(log), "LOG")
        return text.replace("data frame", "LOG")
    return json.dumps(_nameless(found), sort_keys=True)


def _nameless(value: object) -> object:
    left_out = {"files", "framework", "logs", "request"}
    if isinstance(value, dict):
        named = cast("dict[str, object]", value)
        return {key: _nameless(one) for key, one in named.items() if key not in left_out}
    return [_nameless(one) for one in cast("list[object]", value)] if isinstance(value, list) else value
