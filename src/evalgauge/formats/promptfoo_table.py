"""promptfoo rows as a ``ScoreTable``: cases by content, reps by order, arms by prompt and provider."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, cast

from evalgauge.formats.arm_names import MAX_VALUE_CHARS
from evalgauge.formats.case_fields import FieldCollector
from evalgauge.formats.json_text import is_array, is_object, text_of
from evalgauge.formats.planned import check_plan
from evalgauge.formats.promptfoo_rows import Response, TestCase, prompt_label, provider_name
from evalgauge.formats.score_words import MISSING, Reading, score_reading
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.canonical import canonical_bytes
from evalgauge.scores.table import CaseContent, Run, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.formats.promptfoo_rows import PromptfooLog, Row
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import Json, ScoreTable

ERROR_REASON = 2
"""promptfoo's failureReason of a run that got no answer; 1 is a failed assertion."""

_VARIABLE = re.compile(r"\s*\{\{\s*(\w+)\s*\}\}\s*")
_AUTO_NAME = re.compile(r"Row #\d+")
# What promptfoo itself adds to the variables of a test while it runs: it differs between the reps of a case.
_RUNTIME_VARS = frozenset({"_conversation", "sessionId", "sessionIds"})


class _Case:
    """A test of the configuration, and every time it was run."""

    def __init__(self, test: TestCase) -> None:
        self.test = test
        self.runs: list[int] = []
        self.metrics = dict.fromkeys(["pass", "score", *(f"named/{name}" for name in _asserted_metrics(test))])

    def repeat(self, of_all: int | None) -> int | None:
        """Return how often the test was to be run: by its own option (since June 2026), else by that of the run."""
        own = (self.test.options or {}).get("repeat")
        return own if isinstance(own, int) else of_all


class _Arm(NamedTuple):
    """A prompt and who answered to it; rows by the number of their test."""

    number: int
    provider: str
    label: str
    prompt_id: str
    rows: dict[int, Row]


def table_of_log(log: PromptfooLog, options: ReadOptions, *, file: str) -> ScoreTable:
    """Return the table of a log.

    Parameters
    ----------
    log
        As it was read.
    options
        ``words`` are used.
    file
        Its name, for ``Run.file`` and the problems.
    """
    builder = TableBuilder()
    for problem in log.problems:
        builder.problem(problem.text, file=problem.file, record=problem.record)
    builder.metric_index("pass", low=0.0, high=1.0, higher_is_better=True)
    builder.metric_index("score", higher_is_better=True)
    rows = _last_of_each(log, builder, file)
    cases, case_of = _cases(rows)
    planned = sum(case.repeat(log.repeat) or 0 for case in cases)
    check_plan(planned, sum(len(case.runs) for case in cases), file)
    _declare_cases(builder, cases)
    arms = _arms(log, rows)
    for arm, name in zip(arms, _arm_names(arms), strict=True):
        run = builder.add_run(_run(log, arm, name, cases, file))
        for test, row in sorted(arm.rows.items()):
            place = case_of[test]
            rep = cases[place].runs.index(test) + 1
            for metric in cases[place].metrics:
                reading = _reading(row, metric, options.words)
                builder.add(
                    run=run,
                    case=place,
                    rep=rep,
                    metric=builder.metric_index(metric),
                    score=reading.score,
                    status=_status(row, reading),
                    raw=reading.raw,
                )
        # What stood where the file cannot be read was perhaps run.
        absent = Status.UNREADABLE if log.is_cut or log.has_gaps else Status.NOT_RUN
        _add_absent(builder, run, arm, cases, log.repeat, absent)
    _say_how_reps_were_found(builder, log, cases, file)
    _say_what_tells_little(builder, rows, cases, case_of, file)
    table = builder.build()
    return replace(table, cases=replace(table.cases, fields=_fields(cases)))


def _last_of_each(log: PromptfooLog, builder: TableBuilder, file: str) -> dict[tuple[int, int], Row]:
    rows = {(row.prompt_idx or 0, row.test_idx or 0): row for row in log.rows}
    again = len(log.rows) - len(rows)
    if again:
        text = "Some results are in the file twice, with one number of prompt and test: the last counts."
        builder.problem(text, file=file, count=again)
    return rows


def _cases(rows: Mapping[tuple[int, int], Row]) -> tuple[list[_Case], dict[int, int]]:
    """Return the cases, and the case of each test number: tests of equal content are one case."""
    cases: list[_Case] = []
    place_of: dict[bytes, int] = {}
    case_of: dict[int, int] = {}
    for (_, test), row in sorted(rows.items(), key=lambda entry: entry[0][1]):
        place = case_of.get(test)
        if place is None:
            content = row.test_case or TestCase()
            place = case_of[test] = place_of.setdefault(_mark(content), len(cases))
            if place == len(cases):
                cases.append(_Case(content))
            cases[place].runs.append(test)
        # A metric that only some answers have (its name may be made at run time) is missing from the others.
        cases[place].metrics.update(dict.fromkeys(f"named/{name}" for name in row.named_scores or {}))
    return cases, case_of


def _mark(test: TestCase) -> bytes:
    parts = [_variables(test), test.assertions, test.description, test.metadata]
    return canonical_bytes(cast("Json", parts))


def _variables(test: TestCase) -> object:
    if not is_object(test.vars):
        return test.vars
    return {name: value for name, value in test.vars.items() if name not in _RUNTIME_VARS}


def _asserted_metrics(test: TestCase) -> list[str]:
    names: list[str] = []
    for assertion in test.assertions or []:
        name = assertion.get("metric") if is_object(assertion) else None
        # A templated name is known only from the answers.
        if isinstance(name, str) and "{{" not in name:
            names.append(name)
    return names


def _declare_cases(builder: TableBuilder, cases: Sequence[_Case]) -> None:
    names = [case.test.description for case in cases]
    own = {name for name in names if isinstance(name, str) and name and not _AUTO_NAME.fullmatch(name)}
    # Descriptions are ids only if each test has one of its own; promptfoo requires none and makes up "Row #1".
    is_named = len(own) == len(cases)
    builder.id_is_row_number = not is_named
    for number, (case, name) in enumerate(zip(cases, names, strict=True), start=1):
        asserted = [_expectation(assertion) for assertion in case.test.assertions or []]
        content = CaseContent(input=cast("Json", _variables(case.test)), target=cast("Json", asserted))
        builder.case_index(str(name) if is_named else str(number), content=content)


def _expectation(assertion: object) -> object:
    """Return what an assertion expects; its weight and its metric's name belong to the scoring."""
    if not is_object(assertion):
        return assertion
    return {key: assertion[key] for key in ("type", "value", "threshold", "assert") if key in assertion}


def _expected_texts(test: TestCase, variables: Mapping[str, object]) -> list[object]:
    """Return the values that the assertions look for; one that is a variable, ``{{queue}}``, is looked up."""
    values = [assertion.get("value") for assertion in test.assertions or [] if is_object(assertion)]
    named = [_VARIABLE.fullmatch(value) if isinstance(value, str) else None for value in values]
    return [variables.get(match[1]) if match else value for value, match in zip(values, named, strict=True)]


def _fields(cases: Sequence[_Case]) -> dict[str, tuple[str | None, ...]]:
    collector = FieldCollector()
    for place, case in enumerate(cases):
        variables = _variables(case.test)
        known = variables if is_object(variables) else {}
        collector.add(place, {**known, **(case.test.metadata or {})}, target=_expected_texts(case.test, known))
    return collector.columns(len(cases))


def _arms(log: PromptfooLog, rows: Mapping[tuple[int, int], Row]) -> list[_Arm]:
    by_prompt: defaultdict[int, dict[int, Row]] = defaultdict(dict)
    for (number, test), row in rows.items():
        by_prompt[number][test] = row
    arms: list[_Arm] = []
    for number, of_prompt in sorted(by_prompt.items()):
        row = next(iter(of_prompt.values()))
        listed = log.prompts[number] if 0 <= number < len(log.prompts) else None
        arms.append(
            _Arm(
                number=number,
                provider=(listed.provider if listed else None) or provider_name(row),
                label=(listed.label or listed.display if listed else None) or prompt_label(row),
                prompt_id=(listed.id if listed else None) or row.prompt_id or "",
                rows=of_prompt,
            )
        )
    return arms


def _arm_names(arms: Sequence[_Arm]) -> list[str]:
    """Return names by what differs: the provider, the prompt, or both."""
    several_providers = len({arm.provider for arm in arms}) > 1
    several_prompts = len({arm.label for arm in arms}) > 1
    names: list[str] = []
    for arm in arms:
        label = " ".join(arm.label.split())
        label = label if len(label) <= MAX_VALUE_CHARS else label[: MAX_VALUE_CHARS - 1] + "…"
        provider = arm.provider or "unnamed"
        if several_prompts:
            names.append(f"{provider}: {label}" if several_providers else label or provider)
        else:
            names.append(provider)
    count = Counter(names)
    # Two prompts may differ only after the place where their labels are cut, two providers only in their settings.
    return [f"{name} #{arm.number + 1}" if count[name] > 1 else name for arm, name in zip(arms, names, strict=True)]


def _run(log: PromptfooLog, arm: _Arm, name: str, cases: Sequence[_Case], file: str) -> Run:
    is_repeated = any(len(case.runs) > 1 for case in cases)
    eval_id = log.eval_id
    if not eval_id:
        digest = hashlib.blake2b(digest_size=8)
        for row in log.rows:
            digest.update(repr((row.prompt_idx, row.test_idx, row.success, row.score, row.vars)).encode())
        eval_id = digest.hexdigest()
    detail = {"provider": arm.provider, "prompt": arm.label, "prompt_id": arm.prompt_id}
    return Run(
        run_id=f"{eval_id}-{arm.number}",
        set_name=log.description,
        arm=name,
        arm_detail={key: value for key, value in detail.items() if value},
        framework="promptfoo",
        framework_version=log.version,
        file=file,
        state="partial" if log.is_cut else "complete",
        created=log.created,
        rep_source="inferred" if is_repeated else "none",
        planned_reps=log.repeat,
    )


def _reading(row: Row, metric: str, words: Mapping[str, float]) -> Reading:
    if _is_error(row):
        # promptfoo writes success: false and score: 0 for a run that got no answer.
        return MISSING
    if metric == "pass":
        return score_reading(row.success, words)
    value = row.score if metric == "score" else (row.named_scores or {}).get(metric.removeprefix("named/"))
    return Reading(None, text_of(value)) if is_object(value) or is_array(value) else score_reading(value, words)


def _is_error(row: Row) -> bool:
    if row.failure_reason is not None:
        return row.failure_reason == ERROR_REASON
    # Before failureReason, only an error left no grading; "error" alone is set by a failed assertion too.
    return bool(row.error) and row.grading_result is None and not row.success


def _status(row: Row, reading: Reading) -> Status:
    if _is_error(row):
        return Status.ERROR
    return Status.UNSCORED if reading == MISSING else Status.OK


def _add_absent(
    builder: TableBuilder, run: int, arm: _Arm, cases: Sequence[_Case], of_all: int | None, status: Status
) -> None:
    """Add a row for each rep that was planned, or that another arm has, and this arm lacks."""
    for place, case in enumerate(cases):
        planned = max(len(case.runs), case.repeat(of_all) or 0)
        present = {rep for rep, test in enumerate(case.runs, start=1) if test in arm.rows}
        for rep in range(1, planned + 1):
            if rep not in present:
                for metric in case.metrics:
                    index = builder.metric_index(metric)
                    builder.add(run=run, case=place, rep=rep, metric=index, score=None, status=status)


def _say_how_reps_were_found(builder: TableBuilder, log: PromptfooLog, cases: Sequence[_Case], file: str) -> None:
    sizes = [len(case.runs) for case in cases]
    if log.repeat is None and not all(case.repeat(None) for case in cases):
        if max(sizes) > 1:
            builder.problem(
                f"Tests of equal content are taken as reps of one case (up to {max(sizes)}); the file does not say how "
                "often each test was to be run.",
                file=file,
            )
        return
    more = sum(size > (case.repeat(log.repeat) or 1) for size, case in zip(sizes, cases, strict=True))
    if more:
        builder.problem(
            f"Some tests of equal content come more often than they were to be repeated ({log.repeat or 1}): the "
            "configuration holds them more than once. They are taken as further reps of one case, because promptfoo "
            "writes both alike; give each test a description of its own to keep them apart.",
            file=file,
            count=more,
        )


def _say_what_tells_little(
    builder: TableBuilder,
    rows: Mapping[tuple[int, int], Row],
    cases: Sequence[_Case],
    case_of: Mapping[int, int],
    file: str,
) -> None:
    cached = sum(isinstance(row.response, Response) and row.response.cached is True for row in rows.values())
    if cached and any(len(case.runs) > 1 for case in cases):
        text = "Answers came from promptfoo's cache: reps of a cached answer are copies. Run again with --no-cache."
        builder.problem(text, file=file, count=cached)
    graded = [(test, row.grading_result) for (_, test), row in rows.items() if row.grading_result is not None]
    checked = {case_of[test] for test, grading in graded if grading.component_results}
    unasserted = sum(not case.test.assertions and place not in checked for place, case in enumerate(cases))
    if unasserted:
        builder.problem("Tests without an assertion always pass.", file=file, count=unasserted)
