"""pytest plugin: a test that is run several times and has to pass often enough, and scores recorded from tests.

``@pytest.mark.evalgauge(min_rate=0.9, reps=50)`` runs a test up to 50 times and lets it pass, fail, or stay undecided
as one test. Without ``reps`` the runs are those that pytest-repeat makes (``--count 50``), judged together at the end
and reported as one more test.
"""

from __future__ import annotations

import json
import unittest
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from evalgauge.errors import EvalgaugeError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from evalgauge.jobs.repeated import RepeatedAnswer

MARKER = "evalgauge"
_HELP = (
    "evalgauge(min_rate, reps=None, confidence=0.95, allow_blind=False): run the test up to reps times; it passes "
    "where its true pass rate is shown to lie above min_rate, and fails where it is shown to lie below."
)
_STEP = "__pytest_repeat_step_number"
_PREFIX = "evalgauge."


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a marker asks for."""

    min_rate: float
    reps: int | None
    confidence: float
    allow_blind: bool


@dataclass(slots=True)
class Runs:
    """The runs of one test so far: outcomes, recorded scores, and what the first failure said."""

    outcomes: list[bool] = field(default_factory=list[bool])
    scores: list[tuple[int, str, str, float]] = field(default_factory=list[tuple[int, str, str, float]])
    first_failure: str = ""
    is_inside: bool = False
    is_logged: bool = False


_RUNS = pytest.StashKey[Runs]()
_STATE = pytest.StashKey["Session"]()
_REFUSED = pytest.StashKey[str]()
# Outcomes that are the test's own word about itself, no result of a run.
_NO_RESULT = (pytest.skip.Exception, pytest.xfail.Exception, pytest.exit.Exception)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("evalgauge", "repeated tests and recorded scores")
    group.addoption("--evalgauge-log", metavar="FILE", help="write every run and recorded score here, as JSON Lines")
    group.addoption(
        "--evalgauge-on-inconclusive",
        choices=("fail", "pass"),
        default="fail",
        help="what a test counts as where its runs cannot decide (default: fail)",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and start to collect."""
    config.addinivalue_line("markers", _HELP)
    state = Session(config)
    config.stash[_STATE] = state
    config.pluginmanager.register(state, "evalgauge-session")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse markers that cannot be meant before anything runs; tests that were deselected are gone by now."""
    for item in items:
        try:
            asked = asked_of(item)
            if asked is not None:
                _refuse_unable(item, asked)
        except EvalgaugeError as error:
            if not hasattr(config, "workerinput"):
                raise pytest.UsageError(f"{item.nodeid}: {error}") from error
            # A worker of pytest-xdist that ends here takes the session down without a word.
            item.stash[_REFUSED] = str(error)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test whose marker was refused in a process that cannot refuse the session."""
    if _REFUSED in item.stash:
        pytest.fail(item.stash[_REFUSED], pytrace=False)


def _refuse_unable(item: pytest.Item, asked: Asked) -> None:
    owner = getattr(item, "cls", None)
    if not isinstance(item, pytest.Function) or (owner is not None and issubclass(owner, unittest.TestCase)):
        raise EvalgaugeError("the marker evalgauge repeats test functions; write this test as one, outside unittest.")
    if asked.allow_blind:
        return
    from evalgauge.jobs.repeated import refuse_blind_reps  # noqa: PLC0415 - only marked tests need numbers

    planned = asked.reps or _count(item)
    try:
        refuse_blind_reps(planned, min_rate=asked.min_rate, confidence=asked.confidence)
    except EvalgaugeError as error:
        way = "" if asked.reps else " Say reps=… in the marker, or run it with pytest-repeat: --count …."
        raise EvalgaugeError(f"{error}{way}") from error


def asked_of(item: pytest.Item) -> Asked | None:
    """Return what the marker of a test asks for.

    Raises
    ------
    EvalgaugeError
        If it holds what the marker does not know, or no floor.
    """
    marker = item.get_closest_marker(MARKER)
    if marker is None:
        return None
    known = ("min_rate", "reps", "confidence", "allow_blind")
    for name in marker.kwargs:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            hint = f" Did you mean {close[0]}?" if close else ""
            raise EvalgaugeError(f"the marker evalgauge has no {name!r}; it has {', '.join(known)}.{hint}")
    if marker.args or "min_rate" not in marker.kwargs:
        raise EvalgaugeError("the marker evalgauge needs min_rate by name, such as min_rate=0.9.")
    given = cast("dict[str, Any]", marker.kwargs)
    reps, rate, level = given.get("reps"), given["min_rate"], given.get("confidence", 0.95)
    if reps is not None and (isinstance(reps, bool) or not isinstance(reps, int) or reps < 1):
        raise EvalgaugeError(f"reps: got {reps!r}, allowed is a whole number of at least 1.")
    for name, share in (("min_rate", rate), ("confidence", level)):
        if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
            hint = f" Did you mean {share / 100:g}?" if isinstance(share, (int, float)) and 1 < share < 100 else ""
            raise EvalgaugeError(f"{name}: got {share!r}, allowed is a share between 0 and 1.{hint}")
    return Asked(min_rate=rate, reps=reps, confidence=level, allow_blind=bool(given.get("allow_blind", False)))


def runs_of(item: pytest.Item) -> Runs:
    """Return what a test has done so far."""
    if _RUNS not in item.stash:
        item.stash[_RUNS] = Runs()
    return item.stash[_RUNS]


@pytest.fixture
def evalgauge_record(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Record a score of this run: ``evalgauge_record(0.8, metric="faithfulness", case="q17")``."""
    item = cast("pytest.Item", request.node)

    def record(score: float, *, metric: str = "score", case: str = "") -> None:
        runs = runs_of(item)
        runs.scores.append((_rep(item, runs), case or case_of(item), metric, float(score)))

    return record


def _judge_reps(item: pytest.Function, asked: Asked, reps: int) -> None:
    """Run a test as often as its marker says, stop once the verdict can no longer change, and fail where it fails."""
    from evalgauge.jobs.repeated import repeated_answer  # noqa: PLC0415 - only marked tests need numbers

    runs = runs_of(item)

    def so_far() -> RepeatedAnswer:
        return repeated_answer(
            sum(runs.outcomes),
            len(runs.outcomes),
            planned=reps,
            min_rate=asked.min_rate,
            confidence=asked.confidence,
        )

    # A plugin that runs failures again finds the verdict of the runs that were made: it is no new draw.
    answer = so_far()
    runs.is_inside = True
    try:
        while not (runs.outcomes and answer.is_settled):
            runs.outcomes.append(_run_once(item, runs))
            answer = so_far()
    finally:
        runs.is_inside = False
    names = {name for name, _ in properties_of(answer)}
    item.user_properties[:] = [one for one in item.user_properties if one[0] not in names]
    item.user_properties.extend(properties_of(answer))
    if counts_as(answer, item.config) == "fail":
        first = f"\nThe first run that failed:\n{runs.first_failure}" if runs.first_failure else ""
        pytest.fail(f"{answer.reason}{first}", pytrace=False)


def _run_once(item: pytest.Function, runs: Runs) -> bool:
    try:
        item.ihook.pytest_pyfunc_call(pyfuncitem=item)
    except (Exception, pytest.fail.Exception) as error:
        if isinstance(error, _NO_RESULT):
            raise
        if not runs.first_failure:
            seen = pytest.ExceptionInfo[BaseException].from_exception(error)
            runs.first_failure = str(item.repr_failure(seen))
        return False
    return True


def _rep(item: pytest.Item, runs: Runs) -> int:
    return len(runs.outcomes) + 1 if runs.is_inside else _step(item) + 1


def _step(item: pytest.Item) -> int:
    spec = getattr(item, "callspec", None)
    return int(spec.params.get(_STEP, 0)) if spec is not None else 0


def _count(item: pytest.Item) -> int:
    """Return how often pytest-repeat runs a test."""
    spec = getattr(item, "callspec", None)
    if spec is None or _STEP not in spec.params:
        return 1
    repeat = item.get_closest_marker("repeat")
    total = cast("int", repeat.args[0] if repeat is not None else item.config.getoption("count", 1))
    return int(total)


def case_of(item: pytest.Item) -> str:
    """Return the id of a test without the number that pytest-repeat gives to its runs."""
    spec = getattr(item, "callspec", None)
    if spec is None or _STEP not in spec.params:
        return item.nodeid
    # pytest-repeat numbers its runs "3-20": the third of twenty.
    number = [str(spec.params[_STEP] + 1), str(_count(item))]
    head, _, tail = item.nodeid.rpartition("[")
    parts = tail.removesuffix("]").split("-")
    for place in reversed(range(len(parts) - 1)):
        if parts[place : place + 2] == number:
            del parts[place : place + 2]
            break
    return f"{head}[{'-'.join(parts)}]" if parts else head


def properties_of(answer: RepeatedAnswer) -> list[tuple[str, object]]:
    """Return an answer as properties of a test, which JUnit XML shows."""
    names = ("verdict", "passed", "runs", "planned", "min_rate", "confidence", "low", "high")
    return [(f"{_PREFIX}{name}", getattr(answer, name)) for name in names]


def counts_as(answer: RepeatedAnswer, config: pytest.Config) -> str:
    """Return pass or fail, after what was chosen for runs that cannot decide."""
    if answer.verdict == "inconclusive":
        return str(config.getoption("--evalgauge-on-inconclusive"))
    return answer.verdict


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Take the runs along with the report; one failing run of a test that is judged over all runs fails nothing yet."""
    report = yield
    asked = asked_of(item) if _REFUSED not in item.stash else None
    is_single = asked is not None and asked.reps is None
    if is_single and (report.skipped if call.when == "call" else call.when == "setup" and not report.passed):
        _take_along(report, item, asked, passed=None, is_error=report.failed)
    if call.when == "call" and not report.skipped:
        _take_scores_along(report, item, asked)
        if is_single:
            _take_along(report, item, asked, passed=report.passed)
            if report.failed:
                report.outcome = "skipped"
                report.wasxfail = "one run of several, judged over all of them"
        elif asked is not None and report.passed and not runs_of(item).outcomes:
            report.outcome = "failed"
            report.longrepr = f"Another plugin ran this test once, not up to {asked.reps} times: nothing was judged."
    return report


def _take_scores_along(report: pytest.TestReport, item: pytest.Item, asked: Asked | None) -> None:
    """Add the recorded scores, and the outcomes of a marked test, to a report; each of them once."""
    runs = runs_of(item)
    rows = [(case, rep, metric, score) for rep, case, metric, score in runs.scores]
    runs.scores.clear()
    if asked is not None and not runs.is_logged:
        outcomes = runs.outcomes or [report.passed]
        first = 1 if runs.outcomes else _step(item) + 1
        rows += [(case_of(item), first + at, "pass", float(one)) for at, one in enumerate(outcomes)]
        runs.is_logged = True
    if rows:
        report.user_properties.append((f"{_PREFIX}log", json.dumps(rows)))


def _take_along(
    report: pytest.TestReport, item: pytest.Item, asked: Asked | None, *, passed: bool | None, is_error: bool = False
) -> None:
    """Add one run to a report: whether it passed, or that it has no result."""
    if asked is None:
        return
    judged = {
        "case": case_of(item),
        "min_rate": asked.min_rate,
        "confidence": asked.confidence,
        "planned": _count(item),
        "passed": passed,
        "is_error": is_error,
    }
    report.user_properties.append((f"{_PREFIX}judged", json.dumps(judged)))


class Session:
    """What is known of the whole session, in the one process that reports it."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._rows: list[tuple[str, int, str, float]] = []
        self._judged: dict[str, list[dict[str, Any]]] = {}
        self._answers: dict[str, RepeatedAnswer] = {}

    @property
    def _is_worker(self) -> bool:
        return hasattr(self._config, "workerinput")

    # This object is registered after the plugins that run coroutines as tests, so its turn comes before theirs.
    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> bool | None:
        """Run a marked test as often as its marker says."""
        asked = asked_of(pyfuncitem)
        # The inner calls are for the plugins that know how to run this function.
        if asked is None or asked.reps is None or runs_of(pyfuncitem).is_inside:
            return None
        _judge_reps(pyfuncitem, asked, asked.reps)
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the runs, also those of other processes."""
        for name, value in report.user_properties:
            if name == f"{_PREFIX}log":
                self._rows += [(case, rep, metric, score) for case, rep, metric, score in json.loads(str(value))]
            elif name == f"{_PREFIX}judged":
                run = json.loads(str(value))
                self._judged.setdefault(run["case"], []).append(run)

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Judge the tests whose runs came one by one, and write the log."""
        if self._is_worker:
            return
        for case, runs in self._judged.items():
            if any(run["passed"] is not None or run["is_error"] for run in runs):
                self._answers[case] = _answer_of(runs)
        failed = [case for case, answer in self._answers.items() if counts_as(answer, self._config) == "fail"]
        for case, answer in self._answers.items():
            self._report(case, answer, is_failed=case in failed)
        if failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        path = self._config.getoption("--evalgauge-log")
        if path:
            lines = [
                json.dumps({"case": case, "rep": rep, "metric": metric, "score": score})
                for case, rep, metric, score in sorted(self._rows, key=lambda row: (row[0], row[2], row[1]))
            ]
            Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def _report(self, case: str, answer: RepeatedAnswer, *, is_failed: bool) -> None:
        """Report the verdict over all runs as a test of its own, so that JUnit XML and counts hold it."""
        file, _, name = case.partition("::")
        for when in ("setup", "call", "teardown"):
            is_verdict = is_failed and when == "call"
            report = pytest.TestReport(
                nodeid=case,
                location=(file, None, name),
                keywords={},
                outcome="failed" if is_verdict else "passed",
                longrepr=answer.reason if is_verdict else None,
                when=when,
                user_properties=properties_of(answer),
            )
            self._config.hook.pytest_runtest_logreport(report=report)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the verdict of every test that was judged over all its runs."""
        if not self._answers:
            return
        terminalreporter.section("evalgauge: tests judged over all their runs")
        for case, answer in self._answers.items():
            word = {"pass": "PASS", "fail": "FAIL"}.get(answer.verdict, "CANNOT DECIDE")
            terminalreporter.line(f"{word} {case}: {answer.reason}")


def _answer_of(runs: list[dict[str, Any]]) -> RepeatedAnswer:
    from evalgauge.jobs.repeated import repeated_answer  # noqa: PLC0415 - only marked tests need numbers

    results = [run["passed"] for run in runs if run["passed"] is not None]
    return repeated_answer(
        sum(results),
        len(results),
        planned=max(len(runs), runs[0]["planned"]),
        min_rate=runs[0]["min_rate"],
        confidence=runs[0]["confidence"],
        is_over=True,
    )
