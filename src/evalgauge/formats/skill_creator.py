"""Reads what skill-creator leaves: ``benchmark.json``, or the tree of gradings that it is made of.

The tree is preferred where both are there: the benchmark drops runs without a grading, and gives one without a summary
the pass rate 0. Pass rates are counted anew from the expectations, since graders round them.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING

from evalgauge.errors import LogError
from evalgauge.formats.json_text import decoded
from evalgauge.formats.log_guard import reading
from evalgauge.formats.several import head_of
from evalgauge.formats.skill_creator_table import Benchmark, EvalInfo, Graded, Grading, table_of_gradings
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

MAX_LOOKED_AT = 2_000
"""How many files below a folder are looked at before it is said to hold no grading."""
_HEAD_BYTES = 2_048
_GRADING = re.compile(rb'\s*\{\s*"(?:expectations"\s*:\s*\[|summary"\s*:\s*\{)')
_BENCHMARK = re.compile(rb'\{\s*"metadata"\s*:\s*\{')
_BENCHMARK_KEYS = (rb'"skill_name"\s*:', rb'"(?:evals_run|runs_per_configuration|executor_model)"\s*:')
_BESIDE = ("benchmark.md", "eval_metadata.json", "*/eval_metadata.json", "timing.json", "*/*/run-*/timing.json")
_RUN = re.compile(r"run-(\d+)")
_NUMBERED = re.compile(r"eval-(\d+)")


class SkillCreatorReader:
    """Reads a benchmark, a grading, or a folder of them: one run for each configuration."""

    name: str = "skill-creator"
    title: str = "skill-creator benchmark"

    def claims(self, source: Source) -> bool:
        """Return whether this is a benchmark or a grading, or a folder that holds one."""
        if source.is_folder:
            return next(_logs_in(source.path, MAX_LOOKED_AT), None) is not None
        return _is_benchmark(source.head) or _is_grading(source.path, source.head)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: metric ``pass_rate``, the share of expectations that a run met.

        Raises
        ------
        LogError
            A file cannot be read, or none holds a run.
        """
        with reading(source.name):
            paths = sorted(_logs_in(source.path)) if source.is_folder else [source.path]
            problems: list[Problem] = []
            found = _Found(paths, options, problems)
            tables = found.tables(problems)
            if not tables:
                raise LogError(source.name, "holds no run.", hint="Run the benchmark again, or give its folder.")
            return concatenated(tables)

    def files(self, folder: Path) -> set[Path]:
        """Return the benchmarks and gradings in a folder, and the files that go with a run or an eval."""
        logs = set(_logs_in(folder))
        roots = {place for log in logs for place in log.parents[:4] if place.is_relative_to(folder)}
        return logs | {path for root in roots for pattern in _BESIDE for path in root.glob(pattern)}


READER = SkillCreatorReader()


class _Found:
    """The gradings by tree, and the benchmarks that no tree stands beside."""

    def __init__(self, paths: Sequence[Path], options: ReadOptions, problems: list[Problem]) -> None:
        self.benchmarks: dict[Path, Benchmark] = {}
        self.trees: dict[Path, list[Graded]] = {}
        for number, path in enumerate(paths, start=1):
            try:
                if path.name == "grading.json" or not _is_benchmark(head_of(path, _HEAD_BYTES)):
                    self._take_grading(path)
                else:
                    self.benchmarks[path] = decoded(path.read_bytes(), Benchmark, file=str(path))
            except LogError as fault:
                if not options.tolerant or len(paths) == 1:
                    raise
                problems.append(Problem(text=f"{fault} This file is left out.", file=str(path)))
            options.progress(number, len(paths))
        for root, gradings in self.trees.items():
            if len(paths) > 1:
                gradings.extend(_ungraded(root, gradings))

    def _take_grading(self, path: Path) -> None:
        one = _graded(path, decoded(path.read_bytes(), Grading, file=str(path)))
        root = path.parents[3] if one.has_run_folder else path.parents[2]
        self.trees.setdefault(root, []).append(one)

    def tables(self, problems: list[Problem]) -> list[ScoreTable]:
        """Return a table for each tree and for each benchmark without one, arms told apart where there are several."""
        made_of = {root.parent if root.name == "runs" else root for root in self.trees}
        alone = {path: one for path, one in self.benchmarks.items() if path.parent not in made_of}
        beside = {path.parent: one for path, one in self.benchmarks.items() if path.parent in made_of}
        roots = [*self.trees, *alone]
        tables: list[ScoreTable] = []
        for root in roots:
            place = root.parent if root.name == "runs" or root in alone else root
            benchmark = alone.get(root) or beside.get(place) or Benchmark()
            gradings = self.trees.get(root) or benchmark.gradings()
            if gradings:
                of = place.name if len(roots) > 1 else ""
                tables.append(table_of_gradings(gradings, benchmark.metadata, file=str(root), of=of, problems=problems))
                problems = []
        return tables


def _graded(path: Path, grading: Grading) -> Graded:
    place = path.resolve()
    numbered = _RUN.fullmatch(place.parent.name)
    configuration = place.parents[1] if numbered else place.parent
    info = _info(configuration.parent)
    return Graded(
        eval_id=_eval_id(configuration.parent, info),
        configuration=configuration.name,
        run_number=int(numbered[1]) if numbered else 1,
        has_run_folder=numbered is not None,
        grading=grading,
        info=info,
    )


def _ungraded(root: Path, gradings: Sequence[Graded]) -> Iterator[Graded]:
    """Yield the runs whose folder holds no grading: they were planned."""
    known = {(one.eval_id, one.configuration, one.run_number) for one in gradings}
    evals = {one.eval_id for one in gradings}
    for place in sorted(root.glob("*/*/run-*")):
        numbered = _RUN.fullmatch(place.name)
        if numbered is None or not place.is_dir():
            continue
        info = _info(place.parents[1])
        key = (_eval_id(place.parents[1], info), place.parent.name, int(numbered[1]))
        if key not in known and (key[0] in evals or _NUMBERED.fullmatch(place.parents[1].name)):
            yield Graded(
                eval_id=key[0], configuration=key[1], run_number=key[2], has_run_folder=True, grading=None, info=info
            )


def _info(folder: Path) -> EvalInfo:
    path = folder / "eval_metadata.json"
    return decoded(path.read_bytes(), EvalInfo, file=str(path)) if path.is_file() else EvalInfo()


def _eval_id(folder: Path, info: EvalInfo) -> str:
    if info.eval_id is not None:
        return str(info.eval_id)
    numbered = _NUMBERED.fullmatch(folder.name)
    return numbered[1] if numbered else folder.name


def _logs_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    for path in islice(folder.rglob("*.json"), most):
        if path.is_file():
            head = head_of(path, _HEAD_BYTES)
            if _is_benchmark(head) or _is_grading(path, head):
                yield path


def _is_benchmark(head: bytes) -> bool:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return _BENCHMARK.match(text) is not None and all(re.search(key, text) for key in _BENCHMARK_KEYS)


def _is_grading(path: Path, head: bytes) -> bool:
    return path.name == "grading.json" and _GRADING.match(head) is not None
