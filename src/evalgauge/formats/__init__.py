"""Readers and writers by format: a log becomes a ``ScoreTable``."""

from __future__ import annotations

from evalgauge.formats.open import read
from evalgauge.formats.protocol import Reader, ReadOptions, Source
from evalgauge.formats.writers import write_table

__all__ = ["ReadOptions", "Reader", "Source", "read", "write_table"]
