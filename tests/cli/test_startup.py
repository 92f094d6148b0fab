"""What the command line loads before it has work to do: a fast start is a promise, and one import breaks it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {"numpy", "scipy", "duckdb", "narwhals", "msgspec", "joblib"}
# Runs the command line as `python -m evalgauge` does, then tells which modules the process holds.
PROBE = """
import json, runpy, sys
sys.argv[0] = "evalgauge"
try:
    runpy.run_module("evalgauge", run_name="__main__", alter_sys=True)
except SystemExit as end:
    code = end.code
print(json.dumps([code or 0, sorted(sys.modules)]), file=sys.stderr)
"""


def loaded(*words: str) -> set[str]:
    """Return the modules that a command line loads in a process of its own."""
    run = subprocess.run([sys.executable, "-c", PROBE, *words], capture_output=True, text=True, check=True)
    code, modules = json.loads(run.stderr.splitlines()[-1])
    assert code == 0, run.stderr
    assert run.stdout
    return set(modules)


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("--version",),
        ("measure", "--help"),
        ("compare", "--help"),
        ("look-at", "--help"),
        ("plan", "--help"),
        ("plan", "design", "--help"),
        ("plan", "reps", "--help"),
        ("verify", "--help"),
        ("verify", "--show-code"),
        ("compare", "a.csv", "b.csv", "--show-code"),
    ],
    ids=" ".join,
)
def test_no_number_library_is_loaded_before_there_is_work(words: tuple[str, ...]) -> None:
    assert loaded(*words) & HEAVY == set()


def test_the_probe_sees_what_a_command_loads() -> None:
    assert "numpy" in loaded("measure", "47/50")


@pytest.mark.parametrize("words", [("measure", "47/50"), ("compare", "--wins", "22", "--losses", "9", "--of", "240")])
def test_a_count_needs_no_reader_and_no_slow_part_of_scipy(words: tuple[str, ...]) -> None:
    modules = loaded(*words)
    assert modules & {"scipy.stats", "scipy.optimize", "pandas", "polars", "pyarrow"} == set()


def test_a_study_of_written_rates_loads_no_reader_and_no_worker() -> None:
    modules = loaded("verify", "--reps", "2", "--rule", "per_case_wald")
    assert modules & {"scipy.stats", "duckdb", "narwhals", "msgspec", "joblib", "pandas"} == set()


def test_import_alone_loads_no_numbers() -> None:
    code = "import evalgauge, sys; evalgauge.__version__; dir(evalgauge); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(run.stdout.split()) & HEAVY == set()
