"""The tests of a JUnit file as a ``ScoreTable``: a test is a case, ``pass`` is its score."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from evalgauge.errors import LogError, UnknownFormatError
from evalgauge.formats.aliases import is_possible_score, is_score_name
from evalgauge.formats.case_fields import FieldCollector
from evalgauge.formats.cells import number_in
from evalgauge.formats.junit_reps import Repeated, repeats
from evalgauge.formats.score_words import MISSING, Reading, score_reading
from evalgauge.formats.wording import counted
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalgauge.formats.junit_reps import Reps
    from evalgauge.formats.junit_xml import JUnitLog, Test
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import ScoreTable

PASS = "pass"  # noqa: S105 (the name of a metric)
_STATUS = {"passed": Status.OK, "failed": Status.OK, "error": Status.ERROR, "skipped": Status.SKIPPED}
_TEARDOWN = "failed on teardown"
_EXPECTED_FAILURE = "pytest.xfail"
# pytest's message of a failed assertion begins with "assert" or AssertionError, that of pytest.fail with "Failed".
_EXCEPTION = re.compile(r"(?:[A-Za-z_]\w*\.)*(?P<kind>[A-Z]\w*(?:Error|Exception|Timeout))\b")
_SHOWN = 3


def table_of_tests(log: JUnitLog, options: ReadOptions, *, file: str, arm: str, run_id: str) -> ScoreTable:
    """Return the table of a log.

    Parameters
    ----------
    log
        As it was read.
    options
        ``columns["score"]`` names recorded properties that are scores; ``words`` gives their words numbers.
    file, arm, run_id
        What the file and the arm are called, and a hash of the file.

    Raises
    ------
    LogError
        The file is one that promptfoo wrote, or a property that was named is not there.
    """
    if log.root == "promptfoo":
        problem = "is promptfoo's JUnit XML, which hides reps and numbers its tests anew."
        raise UnknownFormatError(file, problem, hint="Write the results themselves: promptfoo eval -o results.json")
    builder = TableBuilder()
    for problem in log.problems:
        builder.problem(problem.text, file=problem.file, record=problem.record)
    tests = _without_teardowns(log.tests)
    properties = _score_properties(tests, options, file)
    builder.metric_index(PASS, low=0.0, high=1.0, higher_is_better=True)
    reps = repeats([((test.suite, test.classname), test.name) for test in tests])
    run = builder.add_run(_run(log, reps, file=file, arm=arm, run_id=run_id))
    fields = _Rows(builder, run, log, properties, options.words).add_all(tests, reps)
    _say_what_was_inferred(builder, tests, reps, file)
    _say_what_is_no_verdict(builder, tests, file)
    _say_what_is_left(builder, log, tests, properties, options, file)
    table = builder.build()
    return replace(table, cases=replace(table.cases, fields=fields.columns(len(table.cases))))


def _without_teardowns(tests: Sequence[Test]) -> list[Test]:
    """Return the tests without the second elements that pytest writes where a test fails and its clean-up too."""
    seen: set[tuple[int, str, str]] = set()
    kept: list[Test] = []
    for test in tests:
        key = (test.suite, test.classname, test.name)
        if key in seen and test.outcome == "error" and test.reason.startswith(_TEARDOWN):
            continue
        seen.add(key)
        kept.append(test)
    return kept


def _score_properties(tests: Sequence[Test], options: ReadOptions, file: str) -> tuple[str, ...]:
    values: defaultdict[str, set[str]] = defaultdict(set)
    for test in tests:
        for name, value in test.properties:
            values[name].add(value)
    asked = options.columns.get("score")
    if asked is None:
        # The name alone does not do: a property may be called label and hold words.
        return tuple(name for name, found in values.items() if is_score_name(name) and _are_numbers(found))
    named = [name.strip() for name in asked.split("|")]
    absent = [name for name in named if name not in values and name != PASS]
    if absent:
        listed = ", ".join(repr(name) for name in (PASS, *values))
        raise LogError(file, f"--map score={absent[0]} names no recorded property.", hint=f"There are: {listed}.")
    return tuple(name for name in named if name != PASS)


def _are_numbers(values: Iterable[str]) -> bool:
    return all(number_in(value) is not None or score_reading(value, {}).score is not None for value in values)


def _run(log: JUnitLog, reps: Reps, *, file: str, arm: str, run_id: str) -> Run:
    totals = set(reps.planned.values())
    # Several suites in one file are parts of one run; --by suite shows them apart.
    name = log.suites[0].name if len(log.suites) == 1 else log.root
    announced = [suite.announced for suite in log.suites if suite.announced is not None]
    is_short = len(announced) == len(log.suites) and sum(announced) > len(log.tests)
    return Run(
        run_id=run_id,
        set_name=name,
        arm=arm,
        arm_detail={key: value for suite in log.suites for key, value in suite.properties.items()},
        framework="junit",
        file=file,
        state="partial" if log.is_cut or is_short else "complete",
        created=min((suite.timestamp for suite in log.suites if suite.timestamp), default=""),
        rep_source="explicit" if totals else "none",
        planned_reps=totals.pop() if len(totals) == 1 and all(reps.of_test) else None,
    )


class _Rows:
    """The rows of a run in the making."""

    def __init__(
        self,
        builder: TableBuilder,
        run: int,
        log: JUnitLog,
        properties: Sequence[str],
        words: Mapping[str, float],
    ) -> None:
        self._builder = builder
        self._run = run
        self._suites = log.suites
        # A rep that is missing from a file which breaks off may have been run.
        self._lost = Status.UNREADABLE if log.is_cut else Status.NOT_RUN
        self._properties = properties
        self._words = words
        self._fields = FieldCollector()
        self._cases: dict[tuple[int, str, str], int] = {}
        self._copies: Counter[str] = Counter()
        self._reps: defaultdict[int, set[int]] = defaultdict(set)

    def add_all(self, tests: Sequence[Test], reps: Reps) -> FieldCollector:
        """Add a row a test and metric, and those of reps that are missing; return the fields of the cases."""
        recorded: defaultdict[tuple[int, str, str], set[str]] = defaultdict(set)
        for test in tests:
            recorded[_family(test)].update(name for name, _ in test.properties)
        metrics = {
            family: (PASS, *(name for name in self._properties if name in names)) for family, names in recorded.items()
        }
        planned: dict[int, tuple[int, tuple[str, ...]]] = {}
        for test, repeated in zip(tests, reps.of_test, strict=True):
            case = self._case(test, repeated)
            rep = repeated.rep if repeated else len(self._reps[case]) + 1
            self._reps[case].add(rep)
            self._add(test, case, rep, metrics[_family(test)])
            if repeated:
                planned[case] = (repeated.of, metrics[_family(test)])
        for case, (of, names) in planned.items():
            for rep in sorted(set(range(1, of + 1)) - self._reps[case]):
                for name in names:
                    metric = self._builder.metric_index(name)
                    self._builder.add(run=self._run, case=case, rep=rep, metric=metric, score=None, status=self._lost)
        return self._fields

    def _case(self, test: Test, repeated: Repeated | None) -> int:
        name = repeated.base if repeated else test.name
        key = (test.suite, test.classname, name)
        case = self._cases.get(key)
        if case is None:
            # Tests of two suites may have one name: they are different cases.
            case_id = f"{test.classname}::{name}" if test.classname else name
            case = self._builder.case_index(case_id, dup=self._copies[case_id])
            self._copies[case_id] += 1
            self._cases[key] = case
        record = {name: value for name, value in test.properties if name not in self._properties}
        record |= {"classname": test.classname, "function": name.partition("[")[0]}
        if len(self._suites) > 1:
            record["suite"] = self._suites[test.suite].name
        self._fields.add(case, record)
        return case

    def _add(self, test: Test, case: int, rep: int, names: Sequence[str]) -> None:
        status = _STATUS[test.outcome]
        recorded = dict(test.properties)
        for name in names:
            read = MISSING
            if name == PASS:
                read = Reading(float(test.outcome == "passed"), None)
            elif name in recorded:
                read = score_reading(recorded[name], self._words)
            self._builder.add(
                run=self._run,
                case=case,
                rep=rep,
                metric=self._builder.metric_index(name),
                score=read.score if status == Status.OK else None,
                status=Status.UNSCORED if status == Status.OK and read == MISSING else status,
                # A recorded number comes as text: only a word is worth keeping.
                raw=None if name == PASS or number_in(read.raw or "") is not None else read.raw,
            )


def _family(test: Test) -> tuple[int, str, str]:
    """Return what the tests of one function share: what one of them records, the others should record too."""
    return test.suite, test.classname, test.name.partition("[")[0]


def _say_what_was_inferred(builder: TableBuilder, tests: Sequence[Test], reps: Reps, file: str) -> None:
    if reps.planned:
        runs = sum(one is not None for one in reps.of_test)
        example = next(test.name for test, one in zip(tests, reps.of_test, strict=True) if one)
        builder.problem(
            f"{counted(runs, 'test is', 'tests are')} read as reps of {counted(len(reps.planned), 'case', 'cases')} by "
            f"the endings of their names, such as {example!r} (pytest-repeat).",
            file=file,
            count=runs,
        )
    if reps.unsure:
        builder.problem(
            f"Some names end like reps, such as {reps.unsure[0]!r}, but not every rep is there: each is "
            "read as a case.",
            file=file,
            count=len(reps.unsure),
        )
    keys = Counter((test.suite, test.classname, test.name) for test in tests)
    again = sum(count - 1 for count in keys.values())
    if again:
        text = f"{counted(again, 'test has', 'tests have')} the name of an earlier one: read as further reps of it."
        builder.problem(text, file=file, count=again)


def _say_what_is_no_verdict(builder: TableBuilder, tests: Sequence[Test], file: str) -> None:
    """Say which outcomes may mean something else than a right or wrong answer."""
    kinds = Counter(
        found["kind"]
        for test in tests
        if test.outcome == "failed" and (found := _EXCEPTION.match(test.reason)) and found["kind"] != "AssertionError"
    )
    if kinds:
        named = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common(_SHOWN))
        builder.problem(
            f"{counted(kinds.total(), 'failure comes', 'failures come')} from an exception that is no assertion "
            f"({named}) and counts as failed. If the system gave no answer there, let the test call pytest.skip: a "
            "skipped test has no score.",
            file=file,
            count=kinds.total(),
        )
    expected = sum(test.outcome == "skipped" and test.reason.startswith(_EXPECTED_FAILURE) for test in tests)
    if expected:
        text = f"{counted(expected, 'test was', 'tests were')} expected to fail (xfail): written as skipped, no score."
        builder.problem(text, file=file, count=expected)
    reruns = sum(test.is_rerun for test in tests)
    if reruns:
        text = (
            f"{counted(reruns, 'test was', 'tests were')} run again after a failure: only the last outcome is in the "
            "file, so the score is that of the best of several runs."
        )
        builder.problem(text, file=file, count=reruns)


def _say_what_is_left(
    builder: TableBuilder,
    log: JUnitLog,
    tests: Sequence[Test],
    properties: Sequence[str],
    options: ReadOptions,
    file: str,
) -> None:
    twice = {name for test in tests for name, n in Counter(name for name, _ in test.properties).items() if n > 1}
    for name in sorted(twice.intersection(properties)):
        builder.problem(f"Some tests record {name!r} more than once: the last value counts.", file=file)
    if "score" not in options.columns:
        unread = sorted(
            name
            for name in dict.fromkeys(name for test in tests for name, _ in test.properties)
            if name not in properties and is_possible_score(name) and _are_shares(tests, name)
        )
        if unread:
            listed = ", ".join(map(repr, unread))
            text = f"Recorded numbers that are no score by their names: {listed}. If one is: --map score={unread[0]}."
            builder.problem(text, file=file, count=len(unread))
    announced = [suite.announced for suite in log.suites if suite.announced is not None]
    if not log.is_cut and len(announced) == len(log.suites) and sum(announced) > len(log.tests):
        text = (
            f"The suite announces {counted(sum(announced), 'test', 'tests')}, and {len(log.tests):,} are in the file."
        )
        builder.problem(text, file=file)


def _are_shares(tests: Sequence[Test], name: str) -> bool:
    values = [number_in(value) for test in tests for one, value in test.properties if one == name]
    known = [value for value in values if value is not None]
    return len(known) == len(values) and any(value != int(value) for value in known)
