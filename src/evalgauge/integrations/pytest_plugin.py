"""pytest plugin: a test that is run several times and has to pass often enough, and scores recorded from tests.

``@pytest.mark.evalgauge(min_rate=0.9, reps=50)`` runs a test up to 50 times and lets it pass, fail, or stay undecided
as one test. Without ``reps`` the runs are those that pytest-repeat makes (``--count 50``), judged together at the end.
"""

from __future__ import annotations

import json
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


_RUNS = pytest.StashKey[Runs]()
_STATE = pytest.StashKey["Session"]()


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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse markers that cannot be meant before anything runs."""
    for item in items:
        try:
            asked = asked_of(item)
            if asked is not None and asked.reps is not None and not asked.allow_blind:
                from evalgauge.jobs.repeated import refuse_blind_reps  # noqa: PLC0415 - only marked tests need numbers

                refuse_blind_reps(asked.reps, min_rate=asked.min_rate, confidence=asked.confidence)
        except EvalgaugeError as error:
            raise pytest.UsageError(f"{item.nodeid}: {error}") from error


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


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run a marked test as often as its marker says, and stop once the verdict can no longer change."""
    asked = asked_of(pyfuncitem)
    if asked is None or asked.reps is None:
        return None
    runs = runs_of(pyfuncitem)
    if runs.is_inside:
        # The inner call is for the plugins that know how to run this function.
        return None
    from evalgauge.jobs.repeated import repeated_answer  # noqa: PLC0415 - only marked tests need numbers

    runs.is_inside = True
    try:
        while True:
            runs.outcomes.append(_run_once(pyfuncitem, runs))
            answer = repeated_answer(
                sum(runs.outcomes),
                len(runs.outcomes),
                planned=asked.reps,
                min_rate=asked.min_rate,
                confidence=asked.confidence,
            )
            if answer.is_settled:
                break
    finally:
        runs.is_inside = False
    pyfuncitem.user_properties.extend(properties_of(answer))
    if counts_as(answer, pyfuncitem.config) == "fail":
        first = f"\nThe first run that failed:\n{runs.first_failure}" if runs.first_failure else ""
        pytest.fail(f"{answer.reason}{first}", pytrace=False)
    return True


def _run_once(item: pytest.Function, runs: Runs) -> bool:
    try:
        item.ihook.pytest_pyfunc_call(pyfuncitem=item)
    except (Exception, pytest.fail.Exception) as error:
        if isinstance(error, pytest.exit.Exception):
            raise
        runs.first_failure = runs.first_failure or f"{type(error).__name__}: {error}"
        return False
    return True


def _rep(item: pytest.Item, runs: Runs) -> int:
    return len(runs.outcomes) + 1 if runs.is_inside else _step(item) + 1


def _step(item: pytest.Item) -> int:
    spec = getattr(item, "callspec", None)
    return int(spec.params.get(_STEP, 0)) if spec is not None else 0


def case_of(item: pytest.Item) -> str:
    """Return the id of a test without the number that pytest-repeat gives to its runs."""
    spec = getattr(item, "callspec", None)
    if spec is None or _STEP not in spec.params:
        return item.nodeid
    # pytest-repeat numbers its runs "3-20": the third of twenty.
    repeat = item.get_closest_marker("repeat")
    total = repeat.args[0] if repeat is not None else item.config.getoption("count", 1)
    number = [str(spec.params[_STEP] + 1), str(total)]
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
    if call.when != "call" or report.skipped:
        return report
    runs, asked = runs_of(item), asked_of(item)
    rows = [(case, rep, metric, score) for rep, case, metric, score in runs.scores]
    if asked is not None:
        outcomes = runs.outcomes or [report.passed]
        first = 1 if runs.outcomes else _step(item) + 1
        rows += [(case_of(item), first + at, "pass", float(one)) for at, one in enumerate(outcomes)]
    if rows:
        report.user_properties.append((f"{_PREFIX}log", json.dumps(rows)))
    if asked is not None and asked.reps is None:
        judged = {"case": case_of(item), "min_rate": asked.min_rate, "confidence": asked.confidence}
        report.user_properties.append((f"{_PREFIX}judged", json.dumps(judged | {"passed": report.passed})))
        if report.failed:
            report.outcome = "skipped"
            report.wasxfail = "one run of several, judged over all of them"
    return report


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

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collect the runs, also those of other processes."""
        if report.when != "call":
            return
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
            from evalgauge.jobs.repeated import repeated_answer  # noqa: PLC0415 - only marked tests need numbers

            self._answers[case] = repeated_answer(
                sum(run["passed"] for run in runs),
                len(runs),
                planned=len(runs),
                min_rate=runs[0]["min_rate"],
                confidence=runs[0]["confidence"],
            )
        failed = [case for case, answer in self._answers.items() if counts_as(answer, self._config) == "fail"]
        if failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        path = self._config.getoption("--evalgauge-log")
        if path:
            lines = [
                json.dumps({"case": case, "rep": rep, "metric": metric, "score": score})
                for case, rep, metric, score in sorted(self._rows, key=lambda row: (row[0], row[2], row[1]))
            ]
            Path(path).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the verdict of every test that was judged over all its runs."""
        if not self._answers:
            return
        terminalreporter.section("evalgauge: tests judged over all their runs")
        for case, answer in self._answers.items():
            word = {"pass": "PASS", "fail": "FAIL"}.get(answer.verdict, "CANNOT DECIDE")
            terminalreporter.line(f"{word} {case}: {answer.reason}")
