"""Parquet tables, through the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import LogError
from evalgauge.formats.columns import Table
from evalgauge.formats.plain_text import arm_name, digest_of
from evalgauge.formats.score_table import table_of
from evalgauge.formats.typed_columns import columns_of_fetched

if TYPE_CHECKING:
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
