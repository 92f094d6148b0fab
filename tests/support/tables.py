"""Small tables on disk, as users have them."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path


def written(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    """Write a CSV file and return its path."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def reps_table(path: Path, passes: Mapping[str, str]) -> Path:
    """Write one row a rep from strings of 0 and 1 by case id."""
    rows = [(case, rep, score) for case, scores in passes.items() for rep, score in enumerate(scores, start=1)]
    return written(path, ("case", "rep", "score"), rows)


def paired_tables(folder: Path, *, both: int, only_base: int, only_cand: int, neither: int) -> tuple[Path, Path]:
    """Write two pass/fail logs with this 2 by 2 table of cases."""
    outcomes = [(1, 1)] * both + [(1, 0)] * only_base + [(0, 1)] * only_cand + [(0, 0)] * neither
    base = written(folder / "base.csv", ("case", "score"), [(f"q{i}", a) for i, (a, _) in enumerate(outcomes)])
    cand = written(folder / "cand.csv", ("case", "score"), [(f"q{i}", b) for i, (_, b) in enumerate(outcomes)])
    return base, cand
