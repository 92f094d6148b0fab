"""``evalgauge verify``."""

from __future__ import annotations

import sys
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, show, show_code
from evalgauge.cli.units import as_typed
from evalgauge.questions.verify import VerifyOptions, VerifyRequest

if TYPE_CHECKING:
    from evalgauge.questions.verify import VerifyAnswer

DEFAULTS = VerifyOptions()
OUTPUT = OutputOptions()


def verify(
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
    return show((_answer(request),), output)


def _answer(request: VerifyRequest) -> VerifyAnswer:
    from evalgauge.jobs.verify import verify_answer  # noqa: PLC0415 - numbers are loaded when there is work

    if not sys.stderr.isatty():
        return verify_answer(request)
    from rich.console import Console  # noqa: PLC0415 - only a terminal sees a bar
    from rich.progress import Progress  # noqa: PLC0415 - same

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("simulating evals", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return verify_answer(request, on_progress=advance)
