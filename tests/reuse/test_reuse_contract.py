"""What ``reuse`` and ``best-of`` promise as parts of the whole: a fast start, one set of options, frozen answers."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys

import pytest

import evalgauge as eg
from evalgauge.questions.best_of import BestOfAnswer, BestOfRequest
from evalgauge.questions.reuse import ReuseAnswer, ReuseRequest


@pytest.mark.parametrize("words", [("reuse", "--help"), ("best-of", "--help"), ("reuse", "80/100", "--show-code")])
def test_no_number_library_is_loaded_before_there_is_work(words: tuple[str, ...]) -> None:
    assert _loaded(*words) & {"numpy", "scipy", "duckdb"} == set()


def test_figures_need_no_reader_and_no_slow_part_of_scipy() -> None:
    modules = _loaded("reuse", "80/100", "--looks", "5")
    assert modules & {"scipy.stats", "scipy.optimize", "pandas", "polars"} == set()


def _loaded(*words: str) -> set[str]:
    code = "import sys; from evalgauge.cli import main; code = main(sys.argv[1:]); print(*sys.modules, file=sys.stderr)"
    run = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    assert run.stdout
    return set(run.stderr.split())


@pytest.mark.parametrize("name", ["reuse", "best_of"])
def test_python_and_command_line_ask_with_the_same_options(name: str) -> None:
    request = {"reuse": ReuseRequest, "best_of": BestOfRequest}[name]
    parameters = set(inspect.signature(getattr(eg, name)).parameters)
    assert parameters == {field.name for field in dataclasses.fields(request)}


@pytest.mark.parametrize("kind", [ReuseAnswer, BestOfAnswer])
def test_answers_and_their_parts_are_frozen_and_keyword_only(kind: type) -> None:
    for part in (kind, *(one for one in vars(sys.modules[kind.__module__]).values() if isinstance(one, type))):
        if dataclasses.is_dataclass(part):
            assert part.__dataclass_params__.frozen, part  # type: ignore[attr-defined]
            assert all(field.kw_only for field in dataclasses.fields(part)), part
