"""Reads the JSON that Phoenix offers of an experiment: ``/v1/experiments/ID/json``. Its CSV is read as a table."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_text import CutError, converted, decoded, is_object, read_until_cut
from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import arm_name, digest_of
from evalgauge.formats.run_records import Given, RunRecord, add_records
from evalgauge.formats.score_words import score_reading
from evalgauge.formats.wording import counted, without_advice
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import CaseContent, Run, Status

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import Json, ScoreTable

_START = re.compile(rb'\[\s*\{\s*"example_id"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"repetition_number"\s*:')


class Annotation(msgspec.Struct):
    """What an evaluator said of a run."""

    name: str
    label: str | None = None
    score: Any = None
    error: str | None = None


class ExperimentRun(msgspec.Struct):
    """One repetition of an example."""

    example_id: str
    repetition_number: int = 1
    input: Any = None
    reference_output: Any = None
    metadata: Any = None
    error: str | None = None
    annotations: list[Annotation] = []


class PhoenixReader:
    """Reads one experiment as one run."""

    name: str = "phoenix"
    title: str = "Phoenix experiment"

    def claims(self, source: Source) -> bool:
        """Return whether the text begins as the list of an experiment's runs."""
        return _START.match(source.head.lstrip(b"\xef\xbb\xbf \t\r\n")) is not None

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: one metric for each evaluator, by its scores, or by its labels where it gives no score.

        Raises
        ------
        LogError
            The file cannot be read.
        """
        with reading(source.name):
            builder = TableBuilder()
            runs, is_cut = _runs(source, builder, options)
            options.progress(1, 1)
            most = max(run.repetition_number for run in runs)
            index = builder.add_run(
                Run(
                    run_id=digest_of(source.path),
                    set_name="",
                    arm=arm_name(source),
                    framework="phoenix",
                    file=source.name,
                    state="partial" if is_cut else "complete",
                    rep_source="explicit" if most > 1 else "none",
                    planned_reps=most,
                )
            )
            scored = {one.name for run in runs for one in run.annotations if one.score is not None}
            records = [_record(run, scored, options.words) for run in runs]
            added = add_records(builder, index, records, file=source.name, planned_reps=most, is_cut=is_cut)
            table = builder.build()
            return replace(table, cases=replace(table.cases, fields=added.fields.columns(len(table.cases))))


READER = PhoenixReader()


def _runs(source: Source, builder: TableBuilder, options: ReadOptions) -> tuple[list[ExperimentRun], bool]:
    data = source.path.read_bytes()
    try:
        return decoded(data, list[ExperimentRun], file=source.name), False
    except LogError as fault:
        if not (options.tolerant or isinstance(fault, CutError)):
            raise
        items = [item for item in read_until_cut(b'{"runs":' + data.lstrip(), "runs").items if is_object(item)]
        if not items:
            raise
        found = counted(len(items), "run", "runs")
        builder.problem(f"{without_advice(fault)} {found} could be read before that place.", file=source.name)
        return [
            converted(item, ExperimentRun, file=source.name, record=f"run {place}")
            for place, item in enumerate(items, 1)
        ], True


def _record(run: ExperimentRun, scored: Collection[str], words: Mapping[str, float]) -> RunRecord:
    is_error = bool(run.error)
    return RunRecord(
        key=run.example_id,
        case_id=run.example_id,
        rep=run.repetition_number,
        scores={one.name: _given(one, scored, words, is_error=is_error) for one in run.annotations},
        absent=Status.ERROR if is_error else Status.UNSCORED,
        content=CaseContent(input=cast("Json", run.input), target=cast("Json", run.reference_output)),
        fields=run.metadata if is_object(run.metadata) else {},
    )


def _given(one: Annotation, scored: Collection[str], words: Mapping[str, float], *, is_error: bool) -> Given:
    # Evaluators are run on the empty answer of a failed run too, and find it wrong.
    if is_error or one.error:
        return Given(status=Status.ERROR)
    return Given(score_reading(one.score if one.name in scored else one.label, words))
