"""Reads SWE-bench results: the report of a run, the reports of its instances, or a folder of both."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_text import decoded
from evalgauge.formats.log_guard import reading
from evalgauge.formats.several import head_of
from evalgauge.formats.swe_bench_table import InstanceOutcome, Outcomes, table_of_outcomes
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

MAX_LOOKED_AT = 2_000
"""How many files below a folder are looked at before it is said to hold no report."""
_HEAD_BYTES = 2_048
_SUMMARY = re.compile(rb'\s*\{\s*"total_instances"\s*:')
_SUMMARY_KEYS = (b'"submitted_instances"', b'"resolved_instances"')
_INSTANCE = re.compile(rb'\s*\{\s*"[^"]+"\s*:\s*\{\s*"patch_is_None"\s*:')
# What an evaluation leaves beside the report of an instance; an instance without a report failed.
_BESIDE = ("run_instance.log", "test_output.txt", "patch.diff", "eval.sh", "report.json")


class Report(msgspec.Struct):
    """The report of a run, as far as scores need it."""

    total_instances: int
    submitted_ids: list[str] = []
    completed_ids: list[str] = []
    incomplete_ids: list[str] = []
    empty_patch_ids: list[str] = []
    resolved_ids: list[str] = []
    unresolved_ids: list[str] = []
    error_ids: list[str] = []
    infra_failure_ids: list[str] = []
    ambiguous_failure_ids: list[str] = []


class InstanceReport(msgspec.Struct):
    """The report of one instance."""

    resolved: bool | None = None
    tests_status: Any = None


class SweBenchReader:
    """Reads the report of a run, or a folder: reports of runs, and trees ``<run>/<model>/<instance>/report.json``."""

    name: str = "swe-bench"
    title: str = "SWE-bench report"

    def claims(self, source: Source) -> bool:
        """Return whether this is a report, or a folder that holds one."""
        if source.is_folder:
            return next(_reports_in(source.path, MAX_LOOKED_AT), None) is not None
        return _is_summary(source.head) or _is_instance(source.head)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: metric ``resolved`` for every instance of the set that the report names.

        Raises
        ------
        LogError
            A report cannot be read.
        """
        with reading(source.name):
            paths = sorted(_reports_in(source.path)) if source.is_folder else [source.path]
            left_out: list[Problem] = []
            found = _outcomes(paths, options, left_out)
            # The report of a run counts what its tree of instances holds, and the instances without a report too.
            summarised = {(one.model, one.run) for one in found if one.total is not None}
            chosen = [one for one in found if one.total is not None or (one.model, one.run) not in summarised]
            if not chosen:
                raise LogError(source.name, "no report in this folder can be read.", hint=left_out[0].text)
            return concatenated([table_of_outcomes(one, left_out if one is chosen[0] else ()) for one in chosen])

    def files(self, folder: Path) -> set[Path]:
        """Return the reports in a folder, and what an evaluation leaves beside the report of an instance."""
        reports = set(_reports_in(folder))
        instances = {path.parent for path in reports if path.name == "report.json"}
        beside = {path for one in _models(instances) for path in one.glob("*/*") if path.name in _BESIDE}
        return reports | beside


READER = SweBenchReader()


def _outcomes(paths: list[Path], options: ReadOptions, left_out: list[Problem]) -> list[Outcomes]:
    summaries: list[Outcomes] = []
    instances: dict[Path, dict[str, InstanceOutcome]] = {}
    for number, path in enumerate(paths, start=1):
        try:
            if _is_summary(head_of(path, _HEAD_BYTES)):
                summaries.append(_of_summary(path))
            else:
                instances.setdefault(path.parent.parent, {}).update(_of_instance(path))
        except LogError as fault:
            if not options.tolerant or len(paths) == 1:
                raise
            left_out.append(Problem(text=f"{fault} This report is left out.", file=str(path)))
        options.progress(number, len(paths))
    trees = [
        _of_tree(folder, found, alone=paths[0] if len(paths) == 1 else None) for folder, found in instances.items()
    ]
    return [*summaries, *trees]


def _of_summary(path: Path) -> Outcomes:
    report = decoded(path.read_bytes(), Report, file=str(path))
    found: dict[str, InstanceOutcome] = {}
    for ids, outcome in (
        (report.incomplete_ids, InstanceOutcome.NOT_SUBMITTED),
        (report.error_ids, InstanceOutcome.ERROR),
        (report.empty_patch_ids, InstanceOutcome.EMPTY_PATCH),
        (report.unresolved_ids, InstanceOutcome.UNRESOLVED),
        (report.resolved_ids, InstanceOutcome.RESOLVED),
    ):
        found.update(dict.fromkeys(ids, outcome))
    if not found:
        hint = "Reports name them since May 2024; evaluate the predictions again with a newer swebench."
        raise LogError(str(path), "names no instance.", field="resolved_ids", hint=hint)
    model, dot, run = path.stem.rpartition(".")
    outside = sum(one not in found for one in report.submitted_ids)
    return Outcomes(
        file=str(path),
        model=(model if dot else run).replace("__", "/"),
        run=run if dot else "",
        of_instance=found,
        total=report.total_instances,
        submitted=len(report.submitted_ids) - outside if report.submitted_ids else None,
        outside=outside,
        broken_machine=len(report.infra_failure_ids),
        perhaps_broken=len(report.ambiguous_failure_ids),
    )


def _of_instance(path: Path) -> dict[str, InstanceOutcome]:
    data = path.read_bytes()
    if not data.strip():
        return {path.parent.name: InstanceOutcome.ERROR}
    reports = decoded(data, dict[str, InstanceReport], file=str(path))
    return {name: _resolved(one, path) for name, one in reports.items()}


def _resolved(report: InstanceReport, path: Path) -> InstanceOutcome:
    if report.resolved is None:
        raise LogError(str(path), "does not say whether the instance is resolved.", field="resolved")
    return InstanceOutcome.RESOLVED if report.resolved else InstanceOutcome.UNRESOLVED


def _of_tree(folder: Path, found: dict[str, InstanceOutcome], *, alone: Path | None) -> Outcomes:
    if alone is None:
        for place in folder.iterdir():
            # An evaluation that failed left its log and no report.
            if place.is_dir() and place.name not in found and any((place / name).is_file() for name in _BESIDE):
                found[place.name] = InstanceOutcome.ERROR
    place = folder.resolve()
    return Outcomes(
        file=str(alone or folder),
        model=place.name.replace("__", "/"),
        run=place.parent.name,
        of_instance=dict(sorted(found.items())),
    )


def _models(instances: set[Path]) -> set[Path]:
    return {path.parent for path in instances}


def _reports_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    for path in islice(folder.rglob("*.json"), most):
        if path.is_file():
            head = head_of(path, _HEAD_BYTES)
            if _is_summary(head) or (path.name == "report.json" and (not head.strip() or _is_instance(head))):
                yield path


def _is_summary(head: bytes) -> bool:
    return _SUMMARY.match(head) is not None and all(key in head for key in _SUMMARY_KEYS)


def _is_instance(head: bytes) -> bool:
    return _INSTANCE.match(head) is not None
