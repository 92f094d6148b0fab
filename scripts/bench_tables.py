"""Tables of up to a hundred million rows: counting them against pandas, against SQL by hand, and how it grows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pandas as pd

import evalgauge as eg
from bench_clock import here, interleaved
from bench_rows import Bound, Row

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench_clock import Settings

CHILD = Path(__file__).with_name("bench_table_child.py")
LEAST_OF_PANDAS, MOST_OF_SQL, MOST_MB, MOST_GROWTH = 2.0, 1.3, 1_000.0, 12.0
# Cases, and rows: two arms, the rest are reps.
SHAPES = ((20_000, 10_000_000), (100_000, 10_000_000), (1_000_000, 10_000_000))
GROWTH = ((100_000, 1_000_000), (100_000, 10_000_000), (100_000, 100_000_000))
HELD = 100_000
_SQL = """
SELECT count(*), avg(b - a), stddev_samp(b - a), sum((b > a)::INT), sum((b < a)::INT)
FROM (SELECT "case", avg(score) FILTER (arm = 'base') AS a, avg(score) FILTER (arm = 'new') AS b FROM '{}' GROUP BY 1)
"""
_WHY = (
    "the query itself costs as much as theirs; the rest is a hash of the file, the check of reps, and the sums and "
    "intervals"
)


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    found: list[Row] = []
    for cases, size in SHAPES:
        found.append(_paired(settings, cases, size))
    return [*found, *_grown(settings)]


def _paired(settings: Settings, cases: int, size: int) -> Row:
    path = table(settings.data, cases, size)
    used = interleaved(
        {
            "project": here(lambda: eg.compare(path, arms=("base", "new"), no_ledger=True)),
            "pandas": here(_by_pandas(path)),
            "sql": here(_by_sql(path)),
        },
        min(settings.repeats, 3),
    )
    is_held = cases == HELD
    pandas, sql = used["pandas"] / used["project"], used["project"] / used["sql"]
    return Row(
        job=f"{size:,} rows of Parquet, {cases:,} cases → paired result",
        project=used["project"],
        peer_name="pandas: group, unstack, subtract",
        peer=used["pandas"],
        goal=Bound(text="≤ 1/2 of pandas", measured=pandas, bound=LEAST_OF_PANDAS, side="at least")
        if is_held
        else None,
        limit=Bound(text="≤ 1.3 × SQL by hand", measured=sql, bound=MOST_OF_SQL, side="at most"),
        why=_WHY,
    )


def _grown(settings: Settings) -> list[Row]:
    """Return the growth with the rows, each size in processes of its own."""
    found: list[Row] = []
    before: float | None = None
    for cases, size in GROWTH:
        path = table(settings.data, cases, size)
        words = [sys.executable, str(CHILD), str(path)]
        runs = [
            tuple(map(float, subprocess.run(words, capture_output=True, check=True, text=True).stdout.split()))
            for _ in range(2)
        ]
        seconds, peak = min(run[0] for run in runs), max(run[1] for run in runs)
        job = f"{size:,} rows of Parquet, {cases:,} cases, from a fresh process"
        grows = Bound(
            text="≤ 12 × for 10 × the rows",
            measured=None if before is None else seconds / before,
            bound=MOST_GROWTH,
            side="at most",
        )
        found.append(Row(job=job, project=seconds, limit=None if before is None else grows))
        held = Bound(text="≤ 1 GB resident", measured=peak, bound=MOST_MB, side="at most")
        found.append(Row(job=f"{job}: peak memory", project=peak, unit="MB", limit=held))
        before = seconds
        if size > SHAPES[0][1]:
            path.unlink()
    return found


def table(folder: Path, cases: int, size: int) -> Path:
    """Return a Parquet file of whole-number ids, two arms, numbered reps, and pass or fail; made once."""
    path = folder / f"table-{cases}-{size}.parquet"
    if not path.exists():
        query = f"""
            SELECT i // 2 % {cases} AS "case", CASE i % 2 WHEN 0 THEN 'base' ELSE 'new' END AS arm,
                   (i // {2 * cases})::INTEGER AS rep,
                   (hash(i) % 1000 < 400 + 40 * (i % 2) + hash(i // 2 % {cases}) % 300)::INTEGER AS score
            FROM range({size}) AS rows(i)
        """  # noqa: S608 (numbers of our own)
        with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
            connection.execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def _by_sql(path: Path) -> Callable[[], Any]:
    def run() -> Any:  # noqa: ANN401 (a row of SQL)
        with duckdb.connect() as connection:
            return connection.sql(_SQL.format(path)).fetchall()

    return run


def _by_pandas(path: Path) -> Callable[[], Any]:
    def run() -> Any:  # noqa: ANN401 (figures of pandas)
        frame = pd.read_parquet(path, columns=["case", "arm", "score"])
        wide = frame.groupby(["case", "arm"])["score"].mean().unstack()  # noqa: PD010 (means are there)
        change = wide["new"] - wide["base"]
        return change.mean(), change.std(), (change > 0).sum(), (change < 0).sum()

    return run
