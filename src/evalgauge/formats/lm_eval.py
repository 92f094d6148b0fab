"""Reads what lm-evaluation-harness logs with ``--log_samples``: a samples file, or a folder of them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.lm_eval_layout import SamplesFile
from evalgauge.formats.lm_eval_results import DATED, TaskFacts, task_facts
from evalgauge.formats.lm_eval_rows import sample_rows
from evalgauge.formats.lm_eval_table import table_of_files
from evalgauge.formats.log_guard import reading
from evalgauge.formats.wording import counted, without_advice
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

MAX_LOOKED_AT = 2_000
"""How many files below a folder are looked at before it is said to hold no samples file."""

_ROW = re.compile(rb'\s*(?:\[\s*)?\{\s*"doc_id"\s*:\s*(?:\d+|"[^"]*")\s*,\s*"doc"\s*:')
_TOTALS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
_HEAD_BYTES = 512
_MOST_NAMED = 5


class LmEvalReader:
    """Reads one samples file, or all samples files of a folder as one table with a run for each."""

    name: str = "lm-eval"
    title: str = "lm-evaluation-harness samples"

    def claims(self, source: Source) -> bool:
        """Return whether this is a samples file, a results file beside one, or a folder that holds one."""
        if source.is_folder:
            return next(_samples_in(source.path, MAX_LOOKED_AT), None) is not None
        return _ROW.match(source.head) is not None or _is_results(source)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores per document.

        Raises
        ------
        LogError
            A file cannot be read, or no metric has a score per document.
        """
        with reading(source.name):
            paths = _sample_paths(source)
            files: list[SamplesFile] = []
            left_out: list[Problem] = []
            for path in paths:
                try:
                    files.append(_samples_file(path, options))
                except LogError as fault:
                    if not options.tolerant or len(paths) == 1:
                        raise
                    left_out.append(Problem(text=f"{without_advice(fault)} This file is left out.", file=str(path)))
            table = table_of_files(files, words=options.words, file=source.name)
            absent = [] if paths == [source.path] else _absent_tasks(files)
            return replace(table, problems=(*left_out, *absent, *table.problems))

    def files(self, folder: Path) -> set[Path]:
        """Return the samples files in a folder, and the results files that belong to one of them."""
        samples = set(_samples_in(folder))
        folders = {path.parent for path in samples}
        beside = {path for one in folders for path in one.glob("results*.json")}
        return samples | beside


READER = LmEvalReader()


def _absent_tasks(files: Iterable[SamplesFile]) -> list[Problem]:
    """Return what has to be said of tasks that a results file lists and whose samples are not here."""
    found: dict[str, set[str]] = {}
    listed: dict[str, tuple[str, ...]] = {}
    for one in files:
        found.setdefault(one.facts.results, set()).add(one.facts.set_name)
        listed[one.facts.results] = one.facts.tasks
    problems: list[Problem] = []
    for results, tasks in listed.items():
        absent = [task for task in tasks if task not in found[results]]
        if absent:
            more = len(absent) - _MOST_NAMED
            names = ", ".join(absent[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
            tasks_are = counted(len(absent), "task", "tasks")
            text = f"{Path(results).name} lists {tasks_are} without a samples file here: {names}."
            problems.append(Problem(text=text, count=len(absent)))
    return problems


def _samples_file(path: Path, options: ReadOptions) -> SamplesFile:
    rows = sample_rows(path, options)
    try:
        facts = task_facts(path)
    except LogError as fault:
        if not options.tolerant:
            raise
        rows.problems.append(Problem(text=f"{without_advice(fault)} The rows are read without it.", file=fault.file))
        facts = TaskFacts(set_name=path.stem, arm=path.resolve().parent.name or "unnamed")
    return SamplesFile(path, facts, rows)


def _sample_paths(source: Source) -> list[Path]:
    if source.is_folder:
        return sorted(_samples_in(source.path))
    if not _is_results(source):
        return [source.path]
    dated = DATED.search(source.path.name)
    beside = [
        path
        for path in sorted(_samples_in(source.path.parent))
        if path.parent == source.path.parent and (dated is None or path.name.endswith(f"{dated[0]}l"))
    ]
    if not beside:
        hint = "Run lm_eval with --log_samples and give the samples_*.jsonl file or its folder."
        what = "holds totals only, and there is no samples file of the same run beside it."
        raise UnknownFormatError(source.name, what, hint=hint)
    return beside


def _samples_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    for path in islice(folder.rglob("*"), most):
        if path.suffix.lower() == ".jsonl" and path.is_file() and _ROW.match(_head(path)):
            yield path


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except OSError:
        return b""


def _is_results(source: Source) -> bool:
    named = source.path.name.startswith("results") and source.suffix == ".json"
    return named and _TOTALS.match(source.head) is not None and b"_stderr," in source.head
