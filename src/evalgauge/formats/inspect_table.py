"""Inspect logs as a ``ScoreTable``: metrics, planned runs, and what became of each."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from evalgauge.errors import LogError
from evalgauge.formats.arm_names import arm_names
from evalgauge.formats.case_fields import FieldCollector
from evalgauge.formats.inspect_arms import arm_detail
from evalgauge.formats.inspect_content import case_contents, content_mark
from evalgauge.formats.inspect_shape import Sample, SampleWithContent, Scored
from evalgauge.formats.json_text import is_array, is_object, text_of
from evalgauge.formats.planned import check_plan
from evalgauge.formats.score_words import Reading, score_reading
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from evalgauge.formats.inspect_log import InspectLog
    from evalgauge.formats.inspect_shape import Header
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import Problem, ScoreTable

STATES = {"success": "complete", "started": "partial", "cancelled": "cancelled", "error": "error"}
MAX_FILLED_KEYS = 64
"""A scorer with more keys than this has keys of its own for each sample: absent ones are no missing scores."""

MetricKey = tuple[str, str]
"""Scorer and key; the key is ``""`` for a score that is a single value."""


def table_of_logs(
    logs: Sequence[InspectLog], options: ReadOptions, *, file: str, problems: Sequence[Problem] = ()
) -> ScoreTable:
    """Return the table of one or more logs.

    Parameters
    ----------
    logs
        As they were read; with content when there are several.
    options
        ``words`` are used.
    file
        What the user named, for the error.
    problems
        What was already found.

    Raises
    ------
    LogError
        No log holds a sample or a plan of samples.
    """
    assembly = _Assembly(options)
    for problem in problems:
        assembly.problem(problem.text, file=problem.file, record=problem.record)
    usable = [log for log in logs if _is_usable(log, assembly)]
    if not usable:
        hint = "Inspect wrote it without samples (--no-log-samples, or a header alone): run it again with them."
        raise LogError(file, "holds no samples, so there are no scores to read.", hint=hint)
    details = [(log.header.eval.task, arm_detail(log.header)) for log in usable]
    sets = {set_name for set_name, _ in details}
    for log, (_, detail), arm in zip(usable, details, arm_names(details), strict=True):
        assembly.add(log, _run(log, arm, detail), several_sets=len(sets) > 1)
    return assembly.table()


class _Assembly:
    """The table while it is put together."""

    def __init__(self, options: ReadOptions) -> None:
        self._words = options.words
        self._tolerant = options.tolerant
        self._builder = TableBuilder()
        self.problem = self._builder.problem
        self._fields = FieldCollector()
        self._marks: dict[str, list[bytes]] = {}
        self._where: list[tuple[Path, str, int] | None] = []
        self._set_of: list[str] = []
        self._conflicts = 0

    def add(self, log: InspectLog, run: Run, *, several_sets: bool) -> None:
        """Add the rows of a log."""
        for problem in log.problems:
            self.problem(problem.text, file=problem.file, record=problem.record)
        index = self._builder.add_run(run)
        samples = _last_of_each(log, self)
        planned = _planned_ids(log)
        prefix = f"{run.set_name}/" if several_sets else ""
        met = [*planned, *(case_id for case_id, _ in samples), *sorted(case_id for case_id, _ in log.unread)]
        cases = self._cases(log, met, samples, prefix)
        old_name = _old_scorer(log.header)
        scored = {key: dict(_leaves(sample, old_name)) for key, sample in samples.items()}
        metrics = {key: self._builder.metric_index(_name(key)) for key in _metric_keys(log.header, scored)}
        sparse = _sparse_scorers(metrics, self, run.file)
        counts: Counter[str] = Counter()
        for (case_id, epoch), sample in samples.items():
            case = cases[case_id]
            self._fields.add(case, sample.metadata or {}, target=sample.target)
            leaves = scored[case_id, epoch]
            for key, metric in metrics.items():
                if key[0] in sparse and key not in leaves:
                    continue
                value = leaves.get(key)
                reading = _reading(value, self._words)
                status = _status(sample, reading)
                counts["infinite"] += isinstance(value, float) and math.isinf(value)
                counts["scored in spite of an error"] += status == Status.OK and sample.error is not None
                self._builder.add(
                    run=index, case=case, rep=epoch, metric=metric, score=reading.score, status=status, raw=reading.raw
                )
        self._add_absent(log, index, cases, set(samples), metrics, planned)
        self._say(counts, run.file)

    def table(self) -> ScoreTable:
        """Return the table."""
        if self._fields.varying:
            names = ", ".join(sorted(self._fields.varying))
            self.problem(f"Metadata that changes between the runs of a case is no slice and is left out: {names}.")
        if self._conflicts:
            self.problem(
                "Samples of one set and id differ in input or target between logs; they are kept as different cases.",
                count=self._conflicts,
            )
        table = self._builder.build()
        fields = self._fields.columns(len(table.cases))
        if len(set(self._set_of)) > 1:
            fields.setdefault("task", tuple(self._set_of))
        where, tolerant = tuple(self._where), self._tolerant
        contents = partial(case_contents, where, tolerant=tolerant)
        return replace(table, cases=replace(table.cases, fields=fields, contents=contents))

    def _cases(
        self, log: InspectLog, ids: Sequence[str], samples: Mapping[tuple[str, int], Sample], prefix: str
    ) -> dict[str, int]:
        """Return the case of each sample id; equal ids are one case unless their contents are known to differ."""
        first: dict[str, Sample] = {}
        for (case_id, _), sample in samples.items():
            first.setdefault(case_id, sample)
        cases: dict[str, int] = {}
        for case_id in dict.fromkeys(ids):
            sample = first.get(case_id)
            name = prefix + case_id
            case = self._builder.case_index(name, dup=self._dup(name, sample))
            if case == len(self._where):
                self._where.append(None)
                self._set_of.append(log.header.eval.task)
            if sample is not None and self._where[case] is None:
                self._where[case] = (log.path, case_id, sample.epoch)
            cases[case_id] = case
        return cases

    def _dup(self, name: str, sample: Sample | None) -> int:
        if not isinstance(sample, SampleWithContent):
            return 0
        marks = self._marks.setdefault(name, [])
        mark = hashlib.blake2b(content_mark(sample), digest_size=16).digest()
        if mark not in marks:
            self._conflicts += bool(marks)
            marks.append(mark)
        return marks.index(mark)

    def _add_absent(
        self,
        log: InspectLog,
        run: int,
        cases: Mapping[str, int],
        present: set[tuple[str, int]],
        metrics: Mapping[MetricKey, int],
        planned: Sequence[str],
    ) -> None:
        """Add a row for each planned run that is not in the log."""
        results = log.header.results
        stops = (results.early_stopping.early_stops if results and results.early_stopping else None) or []
        stopped = {(str(stop.id), stop.epoch) for stop in stops}
        # What stood behind a cut was perhaps run: only a whole log tells what was not.
        absent = Status.UNREADABLE if log.is_cut else Status.NOT_RUN
        epochs = log.header.eval.config.epochs or 1
        case_ids = dict.fromkeys([*planned, *cases])
        check_plan(epochs * len(case_ids), len(present), log.path.name)
        for case_id in case_ids:
            for epoch in range(1, epochs + 1):
                if (case_id, epoch) in present:
                    continue
                status = Status.SKIPPED if (case_id, epoch) in stopped else absent
                status = Status.UNREADABLE if (case_id, epoch) in log.unread else status
                for metric in metrics.values():
                    self._builder.add(run=run, case=cases[case_id], rep=epoch, metric=metric, score=None, status=status)

    def _say(self, counts: Counter[str], file: str) -> None:
        if counts["infinite"]:
            self.problem("Infinite scores are taken as missing.", file=file, count=counts["infinite"])
        if counts["scored in spite of an error"]:
            self.problem(
                "Runs that ended in an error after they were scored count with their score, as they do for Inspect.",
                file=file,
                count=counts["scored in spite of an error"],
            )


def _is_usable(log: InspectLog, assembly: _Assembly) -> bool:
    """Return whether a log gives rows; one without samples may still have its reductions or its plan."""
    if not log.samples:
        log.samples = list(_reduced_samples(log.header))
        if log.samples:
            text = (
                "The log holds no samples; its scores come from its reductions, which know no errors and no metadata."
            )
            assembly.problem(text, file=str(log.path))
    if log.samples or log.unread:
        return True
    if (log.header.status != "success" or log.is_cut) and log.header.eval.dataset.sample_ids:
        return True
    assembly.problem("The log holds no samples and is left out.", file=str(log.path))
    return False


def _reduced_samples(header: Header) -> Iterator[Sample]:
    """Yield samples from the reductions: with one epoch a reduced score is the score."""
    if (header.eval.config.epochs or 1) > 1:
        return
    samples: dict[str, Sample] = {}
    reductions = header.reductions or (header.results.sample_reductions if header.results else None) or []
    for reduction in reductions:
        for one in reduction.samples or []:
            if one.sample_id is not None:
                sample = samples.setdefault(str(one.sample_id), Sample(id=one.sample_id, scores={}))
                scores = sample.scores or {}
                sample.scores = {**scores, reduction.scorer: Scored(value=one.value)}
    yield from samples.values()


def _run(log: InspectLog, arm: str, detail: Mapping[str, str]) -> Run:
    spec = log.header.eval
    state = STATES.get(log.header.status, "partial")
    version = spec.task_version
    ids = spec.dataset.sample_ids
    return Run(
        # Logs from before eval_id: one invocation may run several tasks.
        run_id=spec.eval_id or "-".join(part for part in (spec.run_id, spec.task_id) if part) or log.path.stem,
        set_name=spec.task,
        set_version="" if version is None else str(version),
        arm=arm,
        arm_detail=detail,
        framework="inspect",
        framework_version=(spec.packages or {}).get("inspect_ai", ""),
        file=str(log.path),
        state="partial" if log.is_cut and state == "complete" else state,
        attempt_of=spec.task_id,
        created=spec.created,
        rep_source="explicit",
        planned_cases=None if ids is None else len(set(map(str, ids))),
        planned_reps=spec.config.epochs or 1,
    )


def _planned_ids(log: InspectLog) -> list[str]:
    # dataset.samples counts the whole set even when --limit ran a part of it: only the ids say what was planned.
    return [str(sample_id) for sample_id in log.header.eval.dataset.sample_ids or []]


def _last_of_each(log: InspectLog, assembly: _Assembly) -> dict[tuple[str, int], Sample]:
    samples = {(str(sample.id), sample.epoch): sample for sample in log.samples}
    again = len(log.samples) - len(samples)
    if again:
        text = (
            "Some runs are in the log twice (run again after an interruption): the last counts, as it does for Inspect."
        )
        assembly.problem(text, file=str(log.path), count=again)
    return samples


def _leaves(sample: Sample, old_name: str) -> Iterator[tuple[MetricKey, object]]:
    scores = sample.scores if sample.scores is not None else {old_name: sample.score}
    for scorer, score in scores.items():
        value = None if score is None else score.value
        if is_object(value):
            yield from (((scorer, str(key)), leaf) for key, leaf in value.items())
        elif is_array(value):
            yield from (((scorer, str(place)), leaf) for place, leaf in enumerate(value))
        elif score is not None:
            yield (scorer, ""), value


def _reading(value: object, words: Mapping[str, float]) -> Reading:
    # Inspect allows no list inside a score: such a leaf is kept as its text, so that it is seen and not counted.
    return Reading(None, text_of(value)) if is_object(value) or is_array(value) else score_reading(value, words)


def _status(sample: Sample, reading: Reading) -> Status:
    if sample.invalidation is not None:
        return Status.INVALID
    if reading.score is not None or reading.raw is not None:
        return Status.OK
    if sample.error is not None:
        text = sample.error.get("message", "") if is_object(sample.error) else sample.error
        return Status.CANCELLED if str(text).startswith("CancelledError") else Status.ERROR
    return Status.UNSCORED if sample.limit is None else Status.LIMIT


def _metric_keys(header: Header, scored: Mapping[tuple[str, int], Mapping[MetricKey, object]]) -> list[MetricKey]:
    """Return the metrics that some sample has; where none has any, those that the log declares."""
    seen = dict.fromkeys(key for leaves in scored.values() for key in leaves)
    if seen:
        # A scorer that gave nothing once and an object otherwise has no value of its own.
        parts = {scorer for scorer, key in seen if key}
        empty = {key for key in seen if not key[1] and key[0] in parts and _is_always_missing(key, scored)}
        return [key for key in seen if key not in empty]
    declared: list[MetricKey] = []
    for scorer in header.eval.scorers or (header.results.scores if header.results else None) or []:
        keys = [key for key in scorer.metrics if "*" not in key] if is_object(scorer.metrics) else []
        # In results, unlike in the spec, "metrics" are the names of totals.
        declared += [(scorer.name, key) for key in keys] if keys and header.eval.scorers else [(scorer.name, "")]
    return declared or [(_old_scorer(header), "")]


def _is_always_missing(key: MetricKey, scored: Mapping[tuple[str, int], Mapping[MetricKey, object]]) -> bool:
    values = [leaves[key] for leaves in scored.values() if key in leaves]
    return all(value is None or (isinstance(value, float) and math.isnan(value)) for value in values)


def _sparse_scorers(metrics: Mapping[MetricKey, int], assembly: _Assembly, file: str) -> set[str]:
    sizes = Counter(scorer for scorer, _ in metrics)
    sparse = {scorer for scorer, size in sizes.items() if size > MAX_FILLED_KEYS}
    for scorer in sorted(sparse):
        text = f"Scorer {scorer!r} has {sizes[scorer]} keys: a key that a sample lacks is not counted as missing there."
        assembly.problem(text, file=file)
    return sparse


def _old_scorer(header: Header) -> str:
    """Return the name of the only scorer, for logs whose samples have one unnamed ``score``."""
    results = header.results
    if results is not None and results.scorer is not None:
        return results.scorer if isinstance(results.scorer, str) else results.scorer.name or "score"
    names = (results.scores if results else None) or header.eval.scorers or []
    return names[0].name if names else "score"


def _name(key: MetricKey) -> str:
    return f"{key[0]}/{key[1]}" if key[1] else key[0]
