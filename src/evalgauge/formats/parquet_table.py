"""Parquet tables, through the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.engine.counts import UnsuitedError
from evalgauge.errors import LogError
from evalgauge.formats.columns import Table
from evalgauge.formats.large_table import Origin, counted_table
from evalgauge.formats.plain_text import arm_name, digest_of, digest_of_all
from evalgauge.formats.score_table import LARGE_ROWS, table_of
from evalgauge.formats.typed_columns import columns_of_fetched

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

_MAGIC = b"PAR1"


class ParquetReader:
    """Reads Parquet."""

    name = "parquet"
    title = "Parquet table"

    def claims(self, source: Source) -> bool:
        """Return whether the file starts as every Parquet file does."""
        return source.head.startswith(_MAGIC)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores, or raise ``LogError``."""
        from evalgauge.engine import duck  # noqa: PLC0415 (the engine is loaded only where it is needed)

        if options.is_counted and (large := large_parquet([source.path], source, options)) is not None:
            return large
        columns = columns_of_fetched(duck.parquet_columns(source.path, label=source.name))
        if not columns:
            raise LogError(source.name, "holds no columns.")
        table = Table(
            file=source.name,
            columns=columns,
            n_rows=len(columns[0]),
            stem=arm_name(source),
            digest=digest_of(source.path),
        )
        return table_of(table, options)


READER = ParquetReader()


def large_parquet(files: Sequence[Path], source: Source, options: ReadOptions) -> ScoreTable | None:
    """Return the scores of Parquet files that are one large table, or ``None`` where they are to be read row by row."""
    from evalgauge.engine.duck_counts import parquet_rows  # noqa: PLC0415 (loaded only where it is needed)

    with parquet_rows(files, label=source.name) as rows:
        if rows.n_rows < LARGE_ROWS:
            return None
        origin = Origin(file=source.name, stem=arm_name(source), digest=digest_of_all(files))
        try:
            return counted_table(rows, origin, options)
        except UnsuitedError:
            return None
