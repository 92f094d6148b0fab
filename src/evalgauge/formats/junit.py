"""Reads JUnit XML files, as pytest, jest and many others write them: one test is one run of a case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import arm_name, digest_of, head_text

if TYPE_CHECKING:
    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

# A document type is let through here, so that the file is refused as what it is and not as an unknown format.
_ROOT = re.compile(
    r"\ufeff?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--(?:(?!-->).)*-->\s*)*(?:<!DOCTYPE\b.*?)?"
    r"<(?:\w+:)?testsuites?[\s/>]",
    re.DOTALL,
)


class JUnitReader:
    """Reads one file as one run; the reps of pytest-repeat are found by the endings of names."""

    name: str = "junit"
    title: str = "JUnit XML"

    def claims(self, source: Source) -> bool:
        """Return whether the text begins with a suite of tests."""
        if source.is_folder:
            return False
        text = head_text(source.head) or source.head.decode("latin-1")
        return _ROOT.match(text) is not None

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: metric ``pass``, and one metric for each recorded property that is a score.

        Raises
        ------
        LogError
            The file is no sound XML, declares a document type, or holds no test.
        """
        from evalgauge.formats.junit_table import table_of_tests  # noqa: PLC0415 (loaded for files of this format)
        from evalgauge.formats.junit_xml import junit_log  # noqa: PLC0415 (same)

        with reading(source.name):
            log = junit_log(source.path, options, file=source.name)
            return table_of_tests(log, options, file=source.name, arm=arm_name(source), run_id=digest_of(source.path))


READER = JUnitReader()
