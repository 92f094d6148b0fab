"""``evalgauge verify`` and ``verify gate``."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, TypeVar

from cyclopts import App, Parameter

from evalgauge.cli.output import OutputOptions, show, show_code
from evalgauge.cli.units import as_typed
from evalgauge.questions.verify import VerifyOptions, VerifyRequest
from evalgauge.questions.verify_gate import VerifyGateOptions, VerifyGateRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.questions.verify import VerifyAnswer
    from evalgauge.questions.verify_gate import VerifyGateAnswer

DEFAULTS, GATE_DEFAULTS = VerifyOptions(), VerifyGateOptions()
OUTPUT = OutputOptions()

Answer = TypeVar("Answer")

verify = App(name="verify", help="Say how often the interval you use holds the truth, on evals like yours.")


@verify.default
def verify_rules(
    *,
    options: Annotated[VerifyOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say how often the interval you use holds the truth, on evals like yours.

    Example: evalgauge verify --cases 25 --reps 2,10,50
    """
    request = VerifyRequest(**{field.name: as_typed(getattr(options, field.name)) for field in fields(options)})
    if output.show_code:
        return show_code(request)

    def ask(on_progress: Callable[[int, int], None] | None) -> VerifyAnswer:
        from evalgauge.jobs.verify import verify_answer  # noqa: PLC0415 - numbers are loaded when there is work

        return verify_answer(request, on_progress=on_progress)

    return show((_with_bar(ask, "simulating evals"),), output)


@verify.command(name="gate")
def verify_gate(
    *,
    options: Annotated[VerifyGateOptions, Parameter(name="*")] = GATE_DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say how often your gate fails where nothing changed, and how often it misses a drop.

    Example: evalgauge verify gate --config evalgauge.toml --like run.eval
    """
    request = VerifyGateRequest(**{field.name: as_typed(getattr(options, field.name)) for field in fields(options)})
    if output.show_code:
        return show_code(request)

    def ask(on_progress: Callable[[int, int], None] | None) -> VerifyGateAnswer:
        from evalgauge.jobs.verify_gate import verify_gate_answer  # noqa: PLC0415 - as above

        return verify_gate_answer(request, on_progress=on_progress)

    return show((_with_bar(ask, "running the gate"),), output)


def _with_bar(ask: Callable[[Callable[[int, int], None] | None], Answer], what: str) -> Answer:
    if not sys.stderr.isatty():
        return ask(None)
    from rich.console import Console  # noqa: PLC0415 - only a terminal sees a bar
    from rich.progress import Progress  # noqa: PLC0415 - same

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return ask(advance)
