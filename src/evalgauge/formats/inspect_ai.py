"""Reads the logs of Inspect AI: ``.eval`` archives, ``.json`` logs, and folders of them (log folders, eval sets)."""

from __future__ import annotations

import re
import zipfile
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.inspect_log import inspect_log
from evalgauge.formats.inspect_table import table_of_logs
from evalgauge.formats.inspect_zip import ZIP_MARK
from evalgauge.formats.json_text import decoded
from evalgauge.formats.log_guard import reading
from evalgauge.formats.wording import without_advice
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import Path

    from evalgauge.formats.inspect_log import InspectLog
    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

HEAD_BYTES = 8_192
_EVAL_SET = "eval-set.json"
_LISTS = ("logs.json", _EVAL_SET)
MAX_LOOKED_AT = 2_000
"""How many files below a folder are looked at before it is said to hold no Inspect log."""

# "eval" must be the first member that is an object: logs.json of an eval set holds headers one level deeper.
_SPEC = re.compile(rb'\{[^{}\[\]]*"eval"\s*:\s*\{')
_TASK = re.compile(rb'"task"\s*:\s*"')
_RUN = re.compile(rb'"(?:task_id|run_id|dataset)"\s*:')


class PlannedTask(msgspec.Struct):
    """A task that an eval set was to run."""

    name: str = ""
    task_id: str = ""
    model: str = ""


class EvalSet(msgspec.Struct):
    """What Inspect keeps beside the logs of an eval set."""

    tasks: list[PlannedTask] = []


class InspectReader:
    """Reads one log, or a folder of logs as one table with several runs.

    A folder may hold retries: logs of one ``task_id`` are attempts at the same work (``Run.attempt_of``).
    """

    name: str = "inspect"
    title: str = "Inspect AI log"

    def claims(self, source: Source) -> bool:
        """Return whether this is an Inspect log, or a folder that holds one."""
        if source.is_folder:
            return next(_logs_in(source.path, MAX_LOOKED_AT), None) is not None
        return _is_log(source.path, source.head)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores of a log, or of all logs in a folder.

        Raises
        ------
        LogError
            A log cannot be read, or none holds a sample.
        """
        with reading(source.name):
            return _folder_table(source, options) if source.is_folder else _file_table(source, options)

    def files(self, folder: Path) -> set[Path]:
        """Return the logs in a folder, and the lists of logs that Inspect keeps beside them."""
        return {*_logs_in(folder), *(path for name in _LISTS for path in folder.rglob(name))}


READER = InspectReader()


def _file_table(source: Source, options: ReadOptions) -> ScoreTable:
    log = inspect_log(source.path, tolerant=options.tolerant)
    options.progress(1, 1)
    return table_of_logs([log], options, file=source.name)


def _folder_table(source: Source, options: ReadOptions) -> ScoreTable:
    paths = sorted(_logs_in(source.path))
    logs: list[InspectLog] = []
    unread: list[Problem] = []
    for number, path in enumerate(paths, start=1):
        try:
            logs.append(inspect_log(path, with_content=len(paths) > 1, tolerant=options.tolerant))
        except LogError as fault:
            if not options.tolerant:
                raise
            unread.append(Problem(text=f"{without_advice(fault)} This log is left out.", file=str(path)))
        options.progress(number, len(paths))
    unread += _planned_without_a_log(source.path, {log.header.eval.task_id for log in logs})
    return table_of_logs(logs, options, file=source.name, problems=unread)


def _planned_without_a_log(folder: Path, begun: Collection[str]) -> Iterator[Problem]:
    """Yield what an eval set was to run and never began: it has no log whose samples could count as not run."""
    for path in sorted(folder.rglob(_EVAL_SET)):
        try:
            planned = decoded(path.read_bytes(), EvalSet, file=str(path))
        except LogError as fault:
            yield Problem(text=f"{fault} What the eval set was to run is not known.", file=str(path))
            continue
        for task in planned.tasks:
            if task.task_id not in begun:
                of = f" with {task.model}" if task.model else ""
                text = f"The eval set lists the task {task.name}{of}, which has no log here: it was never begun."
                yield Problem(text=text, file=str(path))


def _logs_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    """Yield the logs in a folder and below, looking at ``most`` files."""
    for path in islice(folder.rglob("*"), most):
        suffix = path.suffix.lower()
        # Other programs write .json too, Inspect itself writes logs.json and eval-set.json.
        if (suffix == ".eval" or (suffix == ".json" and _is_json_log(_head(path)))) and path.is_file():
            yield path


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(HEAD_BYTES)
    except OSError:
        return b""


def _is_log(path: Path, head: bytes) -> bool:
    if head.startswith(ZIP_MARK):
        return path.suffix.lower() == ".eval" or _is_log_archive(path)
    # Only Inspect writes .eval: one that is no archive is damaged, and its error should say so.
    return path.suffix.lower() == ".eval" or _is_json_log(head)


def _is_log_archive(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return False
    return bool(names & {"header.json", "_journal/start.json"})


def _is_json_log(head: bytes) -> bool:
    # Only the start of an object is here, so it cannot be parsed: its early keys are looked for.
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _SPEC.match(text) is not None and all(mark.search(text) for mark in (_TASK, _RUN))
