"""Reads trajectories with trials: the result files of τ-bench and τ²-bench, and folders of them."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import digest_of
from evalgauge.formats.protocol import Source
from evalgauge.formats.several import head_of, table_of_each
from evalgauge.formats.tau_bench_rows import SIMULATIONS, first_version, second_version
from evalgauge.formats.tau_bench_table import table_of_trials

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import ScoreTable

MAX_LOOKED_AT = 2_000
"""How many files below a folder are looked at before it is said to hold no results."""
_HEAD_BYTES = 4_096
_ONE = re.compile(rb'\s*\[\s*\{\s*"task_id"\s*:\s*[^,]+,\s*"reward"\s*:')
_TWO = tuple(re.compile(rb'"' + key + rb'"\s*:') for key in (b"git_commit", b"num_trials", b"user_info"))
_INFO = re.compile(rb'\{[^{}\[\]]*"info"\s*:\s*\{')


class TauBenchReader:
    """Reads each result file as one run: a case is a task, a rep a trial."""

    name: str = "tau-bench"
    title: str = "τ-bench results"

    def claims(self, source: Source) -> bool:
        """Return whether this is a list of trials or a file of simulations, or a folder that holds one."""
        if source.is_folder:
            return next(_results_in(source.path, MAX_LOOKED_AT), None) is not None
        return _is_first(source.head) or _is_second(source.head)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: metric ``reward``, a row for each task and trial that was planned.

        Raises
        ------
        LogError
            A file cannot be read, or holds no trial.
        """
        with reading(source.name):
            if not source.is_folder:
                return _table(source, options)
            paths = sorted(_results_in(source.path))
            return table_of_each(source, paths, lambda path: _table(_source(path), options), options)

    def files(self, folder: Path) -> set[Path]:
        """Return the result files in a folder, and the simulations that lie beside them."""
        results = set(_results_in(folder))
        return results | {path for one in results for path in (one.parent / SIMULATIONS).glob("*.json")}


READER = TauBenchReader()


def _table(source: Source, options: ReadOptions) -> ScoreTable:
    trials = second_version(source) if _is_second(source.head) else first_version(source, options)
    return table_of_trials(trials, options.words, digest_of(source.path))


def _results_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    for path in islice(folder.rglob("*.json"), most):
        if path.is_file() and (_is_first(head := head_of(path, _HEAD_BYTES)) or _is_second(head)):
            yield path


def _source(path: Path) -> Source:
    return Source(path=path, head=head_of(path, _HEAD_BYTES), is_folder=False)


def _is_first(head: bytes) -> bool:
    return _ONE.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def _is_second(head: bytes) -> bool:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _INFO.match(text) is not None and all(key.search(text) for key in _TWO)
