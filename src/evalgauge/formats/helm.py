"""Reads what HELM leaves for a run: its ``per_instance_stats.json`` and the files beside it, or a folder of runs."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.arm_names import arm_names
from evalgauge.formats.helm_run import NAMES, STATS, helm_run
from evalgauge.formats.helm_table import table_of_run
from evalgauge.formats.log_guard import reading
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalgauge.formats.helm_run import HelmRun
    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

MAX_LOOKED_AT = 20_000
"""How many files below a folder are looked at before it is said to hold no run: suites hold thousands of runs."""
_STATS_KEYS = (b'"instance_id"', b'"train_trial_index"', b'"stats"')


class HelmReader:
    """Reads the folder of one run by any of its files, or all runs below a folder."""

    name: str = "helm"
    title: str = "HELM run"

    def claims(self, source: Source) -> bool:
        """Return whether this is a file of a run, or a folder that holds one."""
        if source.is_folder:
            return next(_runs_in(source.path, MAX_LOOKED_AT), None) is not None
        text = source.head.lstrip()
        if text.startswith(b"[") and all(key in text for key in _STATS_KEYS):
            return True
        # Totals and requests by themselves would pass for tables; the scores per case stand beside them.
        return source.path.name in NAMES and text[:1] in {b"{", b"["} and (source.path.parent / STATS).is_file()

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores per instance: one metric for each statistic that says how good an answer is.

        Raises
        ------
        LogError
            A file of a run cannot be read, or no run holds a score.
        """
        with reading(source.name):
            if source.is_folder:
                paths = sorted(_runs_in(source.path))
            else:
                beside = source.path.parent / STATS
                paths = [beside if source.path.name in NAMES and beside.is_file() else source.path]
            runs: list[HelmRun] = []
            left_out: list[Problem] = []
            for number, path in enumerate(paths, start=1):
                try:
                    runs.append(helm_run(path, tolerant=options.tolerant))
                except LogError as fault:
                    if not options.tolerant or len(paths) == 1:
                        raise
                    left_out.append(Problem(text=f"{fault} This run is left out.", file=str(path)))
                options.progress(number, len(paths))
            names = arm_names([(run.set_name, run.arm_detail) for run in runs])
            tables = [table_of_run(run, arm, options.words) for run, arm in zip(runs, names, strict=True)]
            if not any(table.metrics for table in tables):
                hint = "What they hold is bookkeeping: tokens, costs, log probabilities."
                raise UnknownFormatError(source.name, "no statistic in it says how good an answer is.", hint=hint)
            joined = concatenated(tables)
            return replace(joined, problems=(*left_out, *joined.problems))

    def files(self, folder: Path) -> set[Path]:
        """Return the files of the runs in a folder."""
        runs = {path.parent for path in _runs_in(folder)}
        return {place / name for place in runs for name in NAMES}


READER = HelmReader()


def _runs_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    for path in islice(folder.rglob("*.json"), most):
        if path.name == STATS and path.is_file():
            yield path
