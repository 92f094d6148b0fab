"""The plugin in the real pytest, alone and with xdist and pytest-repeat, each time in a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import junitparser
import pytest

import evalgauge as eg
from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.jobs.repeated import refuse_blind_reps, repeated_answer
from evalgauge.rules.gate_reps import reps_verdict

ROOT = Path(__file__).resolve().parents[2]
PLUGIN = "evalgauge.integrations.pytest_plugin"


class Ran(NamedTuple):
    code: int
    out: str


def run(folder: Path, code: str, *options: str) -> Ran:
    """Run pytest over a file with this code."""
    (folder / "test_it.py").write_text(code, encoding="utf-8")
    is_installed = any(one.value == PLUGIN for one in entry_points(group="pytest11"))
    named = () if is_installed else ("-p", PLUGIN)
    words = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:cacheprovider", *named, *options]
    seen = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=os.environ | {"CI": "1"})
    return Ran(seen.returncode, seen.stdout + seen.stderr)


def counted(pattern: str, reps: int, rate: float = 0.9, more: str = "") -> str:
    """Code of a test whose runs pass by a pattern of 0 and 1, and that counts them in a file."""
    return f"""
import itertools, pathlib, pytest
outcomes = itertools.cycle({pattern!r})
@pytest.mark.evalgauge(min_rate={rate}, reps={reps}{more})
def test_answers(evalgauge_record):
    with pathlib.Path("count").open("a") as file:
        file.write("x")
    assert next(outcomes) == "1", "the model said no"
"""


def runs_in(folder: Path) -> int:
    return len((folder / "count").read_text(encoding="utf-8"))


def test_the_project_declares_the_plugin() -> None:
    document = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert document["project"]["entry-points"]["pytest11"] == {"evalgauge": PLUGIN}


def test_a_test_that_always_passes_passes(tmp_path: Path) -> None:
    seen = run(tmp_path, counted("1", 40))
    assert seen.code == 0, seen.out
    assert "1 passed" in seen.out
    # 35 of 40 suffice only if the other five pass: nothing can be settled before 38.
    assert 35 <= runs_in(tmp_path) <= 40


def test_a_test_that_always_fails_stops_early(tmp_path: Path) -> None:
    seen = run(tmp_path, counted("0", 40))
    assert seen.code == 1
    assert "Below 90 % is shown" in seen.out
    assert "the model said no" in seen.out
    assert runs_in(tmp_path) < 20


@pytest.mark.parametrize(("choice", "code"), [("fail", 1), ("pass", 0)])
def test_what_cannot_be_decided_counts_as_was_chosen(tmp_path: Path, choice: str, code: int) -> None:
    seen = run(tmp_path, counted("1111111110", 40), "--evalgauge-on-inconclusive", choice)
    assert seen.code == code, seen.out
    if code:
        assert "Neither above nor below 90 % is shown" in seen.out


def test_junit_shows_the_verdict(tmp_path: Path) -> None:
    run(tmp_path, counted("0", 40), "--junitxml", "out.xml")
    (suite,) = list(junitparser.JUnitXml.fromfile(str(tmp_path / "out.xml")))
    (test,) = list(suite)
    found = {one.get("name"): one.get("value") for one in test._elem.iter("property")}
    assert found["evalgauge.verdict"] == "fail"
    assert int(found["evalgauge.runs"]) == runs_in(tmp_path)
    assert float(found["evalgauge.high"]) < 0.9


def test_the_log_is_one_that_we_read(tmp_path: Path) -> None:
    code = """
import pytest
@pytest.mark.parametrize("case", ["a", "b"])
@pytest.mark.evalgauge(min_rate=0.5, reps=10)
def test_answers(case, evalgauge_record):
    evalgauge_record(0.25 if case == "a" else 0.75, metric="faithfulness")
    assert case == "b"

def test_plain(evalgauge_record):
    evalgauge_record(1.0, metric="faithfulness", case="third")
"""
    seen = run(tmp_path, code, "--evalgauge-log", "runs.jsonl")
    assert seen.code == 1
    table = eg.read(tmp_path / "runs.jsonl")
    assert {metric.name for metric in table.metrics} == {"faithfulness", "pass"}
    answer = eg.measure(tmp_path / "runs.jsonl", metric="pass")
    assert (answer.n_cases, answer.estimate) == (2, 0.5)
    score = eg.measure(tmp_path / "runs.jsonl", metric="faithfulness")
    assert score.n_cases == 3
    assert score.estimate == pytest.approx((0.25 + 0.75 + 1) / 3)
    assert score.n_reps >= 4


REPEATED = """
import pytest
@pytest.mark.parametrize("case", ["x-1", "y"])
@pytest.mark.evalgauge(min_rate=0.5)
def test_answers(case, __pytest_repeat_step_number):
    assert case == "y" or __pytest_repeat_step_number % 10 == 0
"""


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_runs_of_pytest_repeat_are_judged_together(tmp_path: Path, options: tuple[str, ...]) -> None:
    seen = run(tmp_path, REPEATED, "--count", "20", *options, "--evalgauge-log", "runs.jsonl")
    assert seen.code == 1, seen.out
    assert re.search(r"FAIL test_it.py::test_answers\[x-1\]: Below 50 % is shown: 2 of 20 runs passed", seen.out)
    assert re.search(r"PASS test_it.py::test_answers\[y\]: Above 50 % is shown: 20 of 20 runs passed", seen.out)
    assert "18 xfailed" in seen.out
    answer = eg.measure(tmp_path / "runs.jsonl", metric="pass")
    assert (answer.n_cases, answer.n_reps) == (2, 20)
    assert answer.estimate == pytest.approx((0.1 + 1) / 2)


def test_repeated_runs_that_pass_leave_the_session_green(tmp_path: Path) -> None:
    code = REPEATED.replace('["x-1", "y"]', '["y"]')
    seen = run(tmp_path, code, "--count", "20")
    assert seen.code == 0, seen.out
    assert "PASS test_it.py::test_answers[y]" in seen.out


def test_xdist_runs_marked_tests_in_its_workers(tmp_path: Path) -> None:
    code = """
import pytest
@pytest.mark.parametrize("case", range(6))
@pytest.mark.evalgauge(min_rate=0.5, reps=12)
def test_answers(case):
    assert case != 3
"""
    seen = run(tmp_path, code, "-n", "2", "--evalgauge-log", "runs.jsonl")
    assert seen.code == 1
    assert "1 failed, 5 passed" in seen.out
    assert eg.measure(tmp_path / "runs.jsonl", metric="pass").n_cases == 6


def test_fixtures_skips_and_other_tests_work_as_ever(tmp_path: Path) -> None:
    code = """
import pytest
@pytest.fixture
def client(tmp_path):
    return tmp_path

@pytest.mark.evalgauge(min_rate=0.5, reps=12)
def test_with_fixture(client):
    assert client.exists()

@pytest.mark.evalgauge(min_rate=0.5, reps=12)
def test_skipped():
    pytest.skip("no key")

def test_plain():
    assert True

class TestGroup:
    @pytest.mark.evalgauge(min_rate=0.5, reps=12)
    def test_method(self):
        assert self
"""
    seen = run(tmp_path, code, "-W", "error")
    assert seen.code == 0, seen.out
    assert "3 passed, 1 skipped" in seen.out


MARKERS: list[tuple[str, str]] = [
    ("min_rte=0.9, reps=40", "Did you mean min_rate?"),
    ("reps=40", "needs min_rate by name"),
    ("0.9, reps=40", "needs min_rate by name"),
    ("min_rate=90, reps=40", "Did you mean 0.9?"),
    ("min_rate=0.9, reps=0", "a whole number of at least 1"),
    ("min_rate=0.9, reps=34", "34 reps can never pass a min_rate of 90 %: it takes at least 35"),
    ("min_rate=0.02, reps=10", "can never fail a min_rate of 2 %"),
]


@pytest.mark.parametrize(("marker", "text"), MARKERS)
def test_markers_that_cannot_be_meant_are_refused_before_the_run(tmp_path: Path, marker: str, text: str) -> None:
    seen = run(tmp_path, f"import pytest\n@pytest.mark.evalgauge({marker})\ndef test_it():\n    assert False\n")
    assert seen.code == pytest.ExitCode.USAGE_ERROR, seen.out
    assert text in seen.out
    assert "Traceback" not in seen.out


def test_a_blind_marker_can_be_allowed(tmp_path: Path) -> None:
    assert run(tmp_path, counted("1", 10, more=", allow_blind=True")).code == 1


@pytest.mark.parametrize(("reps", "rate"), [(20, 0.5), (40, 0.9), (12, 0.7)])
def test_stopping_early_never_changes_the_verdict(reps: int, rate: float) -> None:
    for passed in range(reps + 1):
        final = reps_verdict(passed, reps, planned=reps, min_rate=rate)
        assert final.is_settled
        for outcomes in ([1] * passed + [0] * (reps - passed), [0] * (reps - passed) + [1] * passed):
            for done in range(reps + 1):
                found = reps_verdict(sum(outcomes[:done]), done, planned=reps, min_rate=rate)
                if found.is_settled:
                    assert found.verdict == final.verdict


def test_numbers_that_cannot_be_are_refused() -> None:
    with pytest.raises(ArgumentError, match="passed of runs of planned"):
        reps_verdict(3, 2, planned=5, min_rate=0.5)
    with pytest.raises(ArgumentError, match="strictly between 0 and 1"):
        reps_verdict(1, 2, planned=5, min_rate=1.0)
    with pytest.raises(EvalgaugeError, match="at least 35"):
        refuse_blind_reps(20, min_rate=0.9, confidence=0.95)
    assert repeated_answer(0, 0, planned=5, min_rate=0.5, confidence=0.95).verdict == "inconclusive"


RERUN = """
from _pytest.runner import runtestprotocol
def pytest_runtest_protocol(item, nextitem):
    for _ in range(3):
        runtestprotocol(item, nextitem=nextitem)
    return True
"""


def test_running_a_failure_again_draws_no_new_verdict(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(RERUN, encoding="utf-8")
    seen = run(tmp_path, counted("0", 20, rate=0.5), "--evalgauge-log", "runs.jsonl", "--junitxml", "out.xml")
    assert seen.code == 1
    assert runs_in(tmp_path) == 15
    assert len((tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()) == 15
    for case in ET.parse(tmp_path / "out.xml").iter("testcase"):  # noqa: S314 - pytest wrote it
        names = [one.get("name") for one in case.iter("property")]
        assert len(names) == len(set(names))


def test_a_run_that_another_plugin_takes_over_is_not_green(tmp_path: Path) -> None:
    code = """
import pytest
class Other:
    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem):
        return True
def pytest_sessionstart(session):
    session.config.pluginmanager.register(Other())
"""
    (tmp_path / "conftest.py").write_text(code, encoding="utf-8")
    seen = run(tmp_path, counted("1", 20, rate=0.5))
    assert seen.code == 1
    assert "nothing was judged" in seen.out


@pytest.mark.parametrize("word", ["skip", "xfail"])
def test_a_test_that_leaves_by_its_own_word_is_not_judged(tmp_path: Path, word: str) -> None:
    code = f"""
import pytest
@pytest.mark.evalgauge(min_rate=0.5, reps=20)
def test_it():
    pytest.{word}("the service is down")
"""
    seen = run(tmp_path, code, "-q")
    assert seen.code == 0
    assert {"skip": "1 skipped", "xfail": "1 xfailed"}[word] in seen.out


def test_the_first_failure_says_where_it_was(tmp_path: Path) -> None:
    seen = run(tmp_path, counted("0", 20, rate=0.5))
    assert re.search(r"test_it\.py:\d+: AssertionError", seen.out)


MISSING_RUNS = """
import pytest
@pytest.fixture
def service(__pytest_repeat_step_number):
    if __pytest_repeat_step_number >= 45:
        raise RuntimeError("no answer")
@pytest.mark.evalgauge(min_rate=0.7)
def test_errors(service): pass
@pytest.mark.evalgauge(min_rate=0.9)
def test_skips(__pytest_repeat_step_number):
    if __pytest_repeat_step_number >= 40:
        pytest.skip("no answer")
@pytest.mark.evalgauge(min_rate=0.7)
def test_fails(__pytest_repeat_step_number):
    assert __pytest_repeat_step_number % 2
@pytest.mark.evalgauge(min_rate=0.9)
def test_holds(): pass
@pytest.mark.skip
@pytest.mark.evalgauge(min_rate=0.9)
def test_left_out(): pass
"""


@pytest.mark.parametrize("options", [(), ("-n", "2")])
def test_repeated_runs_without_a_result_are_missing_and_the_verdict_is_a_test(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    seen = run(tmp_path, MISSING_RUNS, "--count", "50", "--junitxml", "out.xml", *options)
    assert seen.code == 1
    assert "40 of 40 runs passed (of 50 planned: the others have no result and would decide)" in seen.out
    assert "45 of 45 runs passed (of 50 planned: the others have no result and cannot change the verdict)" in seen.out
    cases = ET.parse(tmp_path / "out.xml").iter("testcase")  # noqa: S314 - pytest wrote it
    found = {str(case.get("name")): case for case in cases if "[" not in str(case.get("name"))}
    verdicts = {
        name: next(str(one.get("value")) for one in case.iter("property") if one.get("name") == "evalgauge.verdict")
        for name, case in found.items()
    }
    assert verdicts == {
        "test_errors": "pass",
        "test_skips": "inconclusive",
        "test_fails": "fail",
        "test_holds": "pass",
    }
    failed = {name for name, case in found.items() if case.find("failure") is not None}
    assert failed == {"test_skips", "test_fails"}


@pytest.mark.parametrize(
    ("head", "options", "text"),
    [
        ("", (), "1 rep can never pass a min_rate of 90 %: it takes at least 35"),
        ("", ("--count", "20"), "20 reps can never pass a min_rate of 90 %: it takes at least 35"),
        ("import unittest\nclass TestIt(unittest.TestCase):\n    ", ("--count", "50"), "outside unittest"),
    ],
)
def test_runs_that_could_never_decide_are_refused_before_the_first(
    tmp_path: Path, head: str, options: tuple[str, ...], text: str
) -> None:
    mark = "@pytest.mark.evalgauge(min_rate=0.9)"
    inner = "    def test_it(self): open('ran', 'w')" if head else "def test_it(): open('ran', 'w')"
    seen = run(tmp_path, f"import pytest\n{head}{mark}\n{inner}\ndef test_plain(): pass\n", *options)
    assert seen.code == 4
    assert text in seen.out
    spread = run(tmp_path, (tmp_path / "test_it.py").read_text(encoding="utf-8"), *options, "-n", "1")
    assert spread.code == 1
    assert text in spread.out
    assert not (tmp_path / "ran").exists()
    assert run(tmp_path, (tmp_path / "test_it.py").read_text(encoding="utf-8"), "-k", "test_plain").code == 0
