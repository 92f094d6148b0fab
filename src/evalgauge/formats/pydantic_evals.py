"""Reads pydantic-evals reports, as ``EvaluationReportAdapter.dump_json`` writes them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_text import CutError, converted, decoded, is_object, read_until_cut, text_of
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

_TEXT = rb'"(?:[^"\\]|\\.)*"'
_START = re.compile(
    rb'\{\s*"name"\s*:\s*(?:null|' + _TEXT + rb')\s*,\s*"cases"\s*:\s*\[\s*'
    rb'(?:\]\s*,\s*"failures"|\{\s*"name"\s*:\s*' + _TEXT + rb'\s*,\s*"inputs"\s*:)'
)
# The keys of a report that was written in another order.
_MARKS = (b'"evaluator_failures"', b'"source_case_name"', b'"task_duration"', b'"report_evaluator_failures"')
_REP = re.compile(r".* \[(?P<rep>[0-9]{1,6})/(?P<of>[0-9]{1,6})\]", re.DOTALL)


class Result(msgspec.Struct):
    """What an evaluator returned under one name."""

    value: Any = None


class Failure(msgspec.Struct):
    """An evaluator that raised."""

    name: str = ""


class Case(msgspec.Struct):
    """A run of a case that came to its end."""

    name: str
    inputs: Any = None
    metadata: Any = None
    expected_output: Any = None
    scores: dict[str, Result] = {}
    labels: dict[str, Result] = {}
    assertions: dict[str, Result] = {}
    source_case_name: str | None = None
    evaluator_failures: list[Failure] = []


class Failed(msgspec.Struct):
    """A run in which the task itself raised."""

    name: str
    inputs: Any = None
    metadata: Any = None
    expected_output: Any = None
    source_case_name: str | None = None


class Report(msgspec.Struct):
    """One report: one arm on one dataset."""

    cases: list[Case]
    name: str | None = None
    failures: list[Failed] = []
    dataset_name: str | None = None
    experiment_metadata: dict[str, Any] | None = None


class PydanticEvalsReader:
    """Reads one report as one run; its reps are numbered by the names ``case [1/3]``."""

    name: str = "pydantic-evals"
    title: str = "pydantic-evals report"

    def claims(self, source: Source) -> bool:
        """Return whether the text begins as a report."""
        text = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        if _START.match(text) is not None:
            return True
        return text.startswith(b"{") and b'"cases"' in text and sum(mark in text for mark in _MARKS) > 1

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: one metric for each name of an assertion, score or label.

        Raises
        ------
        LogError
            The file cannot be read, or holds no run.
        """
        with reading(source.name):
            builder = TableBuilder()
            report, is_cut = _report(source, builder, options)
            options.progress(1, 1)
            if not report.cases and not report.failures:
                raise LogError(source.name, "holds no run.", hint="Was the evaluation cut off before its first case?")
            run = builder.add_run(_run(report, source, is_cut=is_cut))
            return _with_rows(builder, run, report, options.words, source.name, is_cut=is_cut)


READER = PydanticEvalsReader()


def _report(source: Source, builder: TableBuilder, options: ReadOptions) -> tuple[Report, bool]:
    data = source.path.read_bytes()
    try:
        return decoded(data, Report, file=source.name), False
    except LogError as fault:
        if not (options.tolerant or isinstance(fault, CutError)):
            raise
        cut = read_until_cut(data, "cases")
        items = [item for item in cut.items if is_object(item)]
        if not items:
            raise
        found = counted(len(items), "run", "runs")
        builder.problem(
            f"{without_advice(fault)} {found} could be read before that place; failed runs, which stand after the "
            "others, are lost.",
            file=source.name,
        )
        cases = [converted(item, Case, file=source.name, record=f"run {place}") for place, item in enumerate(items, 1)]
        name = cut.members.get("name")
        return Report(cases=cases, name=name if isinstance(name, str) else None), True


def _run(report: Report, source: Source, *, is_cut: bool) -> Run:
    totals = {_rep(run)[1] for run in (*report.cases, *report.failures)}
    total = totals.pop() if len(totals) == 1 else None
    return Run(
        run_id=digest_of(source.path),
        set_name=report.dataset_name or "",
        arm=report.name or arm_name(source),
        arm_detail={key: text_of(value) for key, value in (report.experiment_metadata or {}).items()},
        framework="pydantic-evals",
        file=source.name,
        state="partial" if is_cut else "complete",
        rep_source="none" if total is None else "explicit",
        planned_reps=total,
    )


def _rep(run: Case | Failed) -> tuple[int | None, int | None]:
    """Return which rep a run is and of how many, where it says so."""
    found = None if run.source_case_name is None else _REP.fullmatch(run.name)
    return (None, None) if found is None else (int(found["rep"]), int(found["of"]))


def _with_rows(
    builder: TableBuilder, run: int, report: Report, words: Mapping[str, float], file: str, *, is_cut: bool
) -> ScoreTable:
    results = {name for case in report.cases for name in _results(case)}
    whole = [set(_results(case)) for case in report.cases if not case.evaluator_failures]
    everywhere = set[str]().union(*whole[:1]).intersection(*whole)
    records = [_record(case, _scores(case, words, results, everywhere)) for case in report.cases]
    records += [_record(failed, {}) for failed in report.failures]
    totals = {_rep(one)[1] or 0 for one in (*report.cases, *report.failures)}
    planned = max(totals) if len(totals) == 1 else 0
    added = add_records(builder, run, records, file=file, planned_reps=planned, is_cut=is_cut)
    table = builder.build()
    return replace(table, cases=replace(table.cases, fields=added.fields.columns(len(table.cases))))


def _record(run: Case | Failed, scores: Mapping[str, Given]) -> RunRecord:
    name = run.source_case_name or run.name
    is_whole = isinstance(run, Case) and not run.evaluator_failures
    return RunRecord(
        key=name,
        case_id=name,
        rep=_rep(run)[0],
        scores=scores,
        absent=Status.UNSCORED if is_whole else Status.ERROR,
        content=CaseContent(input=cast("Json", run.inputs), target=cast("Json", run.expected_output)),
        fields=run.metadata if is_object(run.metadata) else {},
    )


def _results(case: Case) -> dict[str, Result]:
    return {**case.assertions, **case.scores, **case.labels}


def _scores(
    case: Case, words: Mapping[str, float], results: Collection[str], everywhere: Collection[str]
) -> dict[str, Given]:
    """Return what each evaluator gave, and an error for each result that one owes which raised.

    An evaluator may give results under other names than its own; which ones it owes is read off the cases in which no
    evaluator raised.
    """
    given = {name: Given(score_reading(result.value, words)) for name, result in _results(case).items()}
    if not case.evaluator_failures:
        return given
    broken = Given(status=Status.ERROR)
    owed = [name for name in sorted(everywhere) if name not in given]
    named = [one.name for one in case.evaluator_failures if one.name not in given and (one.name in results or not owed)]
    return given | dict.fromkeys((*owed, *named), broken)
