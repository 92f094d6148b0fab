"""What every public function and answer promises."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import evalgauge as eg
from evalgauge.questions.bless import BlessAnswer, BlessRequest
from evalgauge.questions.compare import CompareAnswer, CompareRequest
from evalgauge.questions.convert import ConvertAnswer, ConvertRequest
from evalgauge.questions.gate import GateAnswer, GateRequest
from evalgauge.questions.look_at import LookAtAnswer, LookAtRequest
from evalgauge.questions.measure import MeasureAnswer, MeasureRequest
from evalgauge.questions.rank import RankAnswer, RankRequest
from evalgauge.questions.report import ReportRequest
from evalgauge.questions.verify import VerifyAnswer, VerifyRequest

if TYPE_CHECKING:
    from collections.abc import Iterator

FUNCTIONS = [name for name in eg.__all__ if callable(getattr(eg, name))]
REQUESTS = {
    "measure": MeasureRequest,
    "compare": CompareRequest,
    "convert": ConvertRequest,
    "look_at": LookAtRequest,
    "verify": VerifyRequest,
    "gate": GateRequest,
    "bless": BlessRequest,
    "rank": RankRequest,
    "make_report": ReportRequest,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_options_are_keyword_only(name: str) -> None:
    for parameter in list(inspect.signature(getattr(eg, name)).parameters.values())[1:]:
        assert parameter.kind in {inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD}, parameter.name


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_are_complete(name: str) -> None:
    text = inspect.getdoc(getattr(eg, name)) or ""
    for section in ("Parameters", "Returns", "Examples"):
        assert f"{section}\n---" in text, section
    for parameter in inspect.signature(getattr(eg, name)).parameters:
        assert parameter in text, parameter


@pytest.mark.parametrize("name", sorted(REQUESTS))
def test_python_and_command_line_ask_with_the_same_options(name: str) -> None:
    parameters = set(inspect.signature(getattr(eg, name)).parameters)
    # A callback is for programs alone.
    assert parameters - {"on_progress"} == {field.name for field in dataclasses.fields(REQUESTS[name])}


def parts_of(kind: type) -> Iterator[type]:
    yield kind
    module = sys.modules[kind.__module__]
    for other in vars(module).values():
        if dataclasses.is_dataclass(other) and isinstance(other, type):
            yield other


@pytest.mark.parametrize(
    "kind",
    [MeasureAnswer, CompareAnswer, ConvertAnswer, LookAtAnswer, VerifyAnswer, GateAnswer, BlessAnswer, RankAnswer],
)
def test_answers_are_frozen_and_keyword_only(kind: type) -> None:
    for part in parts_of(kind):
        assert part.__dataclass_params__.frozen, part  # type: ignore[attr-defined]
        assert all(field.kw_only for field in dataclasses.fields(part)), part
        assert "Attributes\n" in (inspect.getdoc(part) or "") or len(dataclasses.fields(part)) < 3, part


@pytest.mark.parametrize(
    "answer", [eg.measure(passed=47, of=50), eg.compare(wins=22, losses=9, of=240)], ids=["m", "c"]
)
def test_answers_show_themselves(answer: MeasureAnswer | CompareAnswer) -> None:
    assert "\n" not in str(answer)
    html = answer._repr_html_()
    assert html.startswith("<div")
    assert "95 %" in html
    bundle = answer._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html"}


def test_html_shows_markup_in_names_as_text(tmp_path: pytest.TempPathFactory) -> None:
    log = tmp_path / "<b>run.csv"  # type: ignore[operator]
    log.write_text("case,score\nq1,1\nq2,0\n", encoding="utf-8")
    assert "<b>" not in eg.measure(log)._repr_html_()


def test_unknown_names_are_refused_with_those_that_exist() -> None:
    with pytest.raises(AttributeError, match="measure"):
        _ = eg.mesure  # type: ignore[attr-defined]


def test_every_module_imports_with_the_run_time_dependencies_alone() -> None:
    code = (
        "import sys, pkgutil, importlib\n"
        "for name in ('pandas', 'polars', 'pyarrow', 'statsmodels', 'hypothesis', 'pytest'): sys.modules[name] = None\n"
        "import evalgauge\n"
        "for found in pkgutil.walk_packages(evalgauge.__path__, 'evalgauge.'):\n"
        # The plugin is loaded by pytest itself, and by nothing else.
        "    if not found.name.endswith(('__main__', 'pytest_plugin')): importlib.import_module(found.name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
