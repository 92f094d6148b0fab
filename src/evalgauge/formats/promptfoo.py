"""Reads promptfoo's output files: ``.json`` (version 2 and later) and ``.jsonl``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalgauge.formats.log_guard import reading
from evalgauge.formats.promptfoo_rows import promptfoo_log
from evalgauge.formats.promptfoo_table import table_of_log

if TYPE_CHECKING:
    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

_CLI_FILE = re.compile(rb'\{\s*(?:"evalId"\s*:|"results"\s*:\s*\{\s*"version"\s*:\s*\d+\s*,\s*"timestamp"\s*:)')
_PACKAGE_FILE = re.compile(rb'\{\s*"version"\s*:\s*\d+\s*,\s*"(?:timestamp|results)"\s*:')
_ROW_KEYS = (b'"gradingResult"', b'"namedScores"', b'"promptIdx"', b'"promptId"', b'"testIdx"', b'"latencyMs"')


class PromptfooReader:
    """Reads one output file as one table with a run for each pair of prompt and provider.

    promptfoo numbers no reps: with ``--repeat 3`` each test of the configuration comes three times, as three tests.
    Tests of equal content are one case here, and the times it was run are its reps.
    """

    name: str = "promptfoo"
    title: str = "promptfoo results"

    def claims(self, source: Source) -> bool:
        """Return whether this is an output file of promptfoo."""
        text = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if _CLI_FILE.match(text) is not None:
            return b'"results"' in text
        row_keys = sum(key in text for key in _ROW_KEYS)
        return text.startswith(b"{") and row_keys >= (1 if _PACKAGE_FILE.match(text) else 3)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: metric ``pass`` (all assertions), ``score`` (their weighted mean), ``named/<metric>``.

        Raises
        ------
        LogError
            The file cannot be read, or holds no result.
        """
        with reading(source.name):
            return table_of_log(promptfoo_log(source.path, options), options, file=source.name)


READER = PromptfooReader()
