"""Reads DeepEval test runs: the files in ``DEEPEVAL_RESULTS_FOLDER`` and ``.deepeval/.latest_run_full.json``."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import msgspec

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.arm_names import MAX_VALUE_CHARS
from evalgauge.formats.deepeval_cases import PASS, Test, case_content, case_fields, given_scores, known_cases
from evalgauge.formats.json_text import CutError, converted, decoded, is_object, read_until_cut, text_of
from evalgauge.formats.log_guard import reading
from evalgauge.formats.plain_text import arm_name, digest_of
from evalgauge.formats.run_records import RunRecord, add_records
from evalgauge.formats.wording import counted, without_advice
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import ScoreTable

_TEXT = rb'"(?:[^"\\]|\\.)*"'
_START = re.compile(
    rb'\{\s*(?:"testFile"\s*:\s*(?:null|' + _TEXT + rb')\s*,\s*)?"testCases"\s*:\s*\[\s*'
    rb'(?:\]\s*,\s*"conversationalTestCases"|\{\s*"name"\s*:\s*' + _TEXT + rb'\s*,\s*"input"\s*:)'
)
_CACHE = re.compile(rb'\{\s*"test_cases_lookup_map"')


class TestRun(msgspec.Struct, rename="camel"):
    """One file."""

    test_cases: list[Test] = []
    conversational_test_cases: list[Test] = []
    test_file: str | None = None
    dataset_alias: str | None = None
    dataset_version: str | None = None
    identifier: str | None = None
    hyperparameters: dict[str, Any] | None = None


class DeepEvalReader:
    """Reads one test run as one run; cases without a name of their own are known by what they ask."""

    name: str = "deepeval"
    title: str = "DeepEval test run"

    def claims(self, source: Source) -> bool:
        """Return whether the text begins as a test run, or as DeepEval's cache."""
        text = source.head.lstrip(b"\xef\xbb\xbf \t\r\n")
        return _START.match(text) is not None or _CACHE.match(text) is not None

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores: ``pass`` (the test case), and for each metric its score and ``<metric>/pass``.

        Raises
        ------
        LogError
            The file cannot be read, holds no test case, or is DeepEval's cache.
        """
        if _CACHE.match(source.head.lstrip()):
            hint = "DEEPEVAL_RESULTS_FOLDER=results makes DeepEval write every test run to a file of its own."
            raise UnknownFormatError(source.name, "is DeepEval's cache of answers, and no test run.", hint=hint)
        with reading(source.name):
            builder = TableBuilder()
            run, is_cut = _test_run(source, builder, options)
            options.progress(1, 1)
            tests = [*run.test_cases, *run.conversational_test_cases]
            if not tests:
                raise LogError(source.name, "holds no test case.", hint="Was the run cut off before its first case?")
            builder.metric_index(PASS, low=0.0, high=1.0, higher_is_better=True)
            index = builder.add_run(_run(run, source, is_cut=is_cut))
            return _with_rows(builder, index, tests, options.words, source.name)


READER = DeepEvalReader()


def _test_run(source: Source, builder: TableBuilder, options: ReadOptions) -> tuple[TestRun, bool]:
    data = source.path.read_bytes()
    try:
        return decoded(data, TestRun, file=source.name), False
    except LogError as fault:
        if not (options.tolerant or isinstance(fault, CutError)):
            raise
        items = [item for item in read_until_cut(data, "testCases").items if is_object(item)]
        if not items:
            raise
        found = counted(len(items), "test case", "test cases")
        builder.problem(
            f"{without_advice(fault)} {found} could be read before that place; what the run was made with, which "
            "follows, is lost.",
            file=source.name,
        )
        tests = [converted(item, Test, file=source.name, record=f"case {place}") for place, item in enumerate(items, 1)]
        return TestRun(test_cases=tests), True


def _run(run: TestRun, source: Source, *, is_cut: bool) -> Run:
    detail = {key: text_of(value) for key, value in (run.hyperparameters or {}).items()}
    # What the run was made with names the system; without it the file does.
    named = ", ".join(f"{key}={value[:MAX_VALUE_CHARS]}" for key, value in detail.items())
    return Run(
        run_id=digest_of(source.path),
        set_name=run.dataset_alias or run.test_file or "",
        set_version=run.dataset_version or "",
        arm=run.identifier or named or arm_name(source),
        arm_detail=detail,
        framework="deepeval",
        file=source.name,
        state="partial" if is_cut else "complete",
    )


def _with_rows(
    builder: TableBuilder, run: int, tests: Sequence[Test], words: Mapping[str, float], file: str
) -> ScoreTable:
    known = known_cases(builder, tests, file)
    records = [
        RunRecord(
            key=one.key,
            case_id=one.case_id,
            rep=one.rep,
            scores=given_scores(test, words),
            content=case_content(test),
            fields=case_fields(test),
        )
        for test, one in zip(tests, known, strict=True)
    ]
    added = add_records(builder, run, records, file=file)
    is_numbered = any(one.rep for one in known)
    if added.repeated and not is_numbered:
        builder.problem(
            f"{counted(added.repeated, 'case comes', 'cases come')} up to {added.most_reps} times with one name and "
            "content: read as reps. If they are different cases, give each a name.",
            file=file,
            count=added.repeated,
        )
    table = builder.build()
    source = "explicit" if is_numbered else "inferred" if added.most_reps > 1 else "none"
    return replace(
        table,
        runs=tuple(replace(one, rep_source=source) for one in table.runs),
        cases=replace(table.cases, fields=added.fields.columns(len(table.cases))),
    )
