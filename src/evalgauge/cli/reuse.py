"""``evalgauge reuse``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.reuse import ReuseOptions, ReuseRequest

if TYPE_CHECKING:
    from evalgauge.questions.reuse import ReuseAnswer

DEFAULTS = ReuseOptions()
OUTPUT = OutputOptions()


def reuse(
    *logs: str,
    options: Annotated[ReuseOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say what the looks at a set cost, how many are left, and what may still be claimed.

    Parameters
    ----------
    logs
        The log of the chosen candidate, or its count such as 258/300; - for stdin; none with --cases and --rate.
    """
    request = request_of(ReuseRequest, options, logs)
    if output.show_code:
        return show_code(request)
    return show((_answer(request),), output)


def _answer(request: ReuseRequest) -> ReuseAnswer:
    from evalgauge.jobs.reuse import reuse_answer  # noqa: PLC0415 - numbers are loaded when there is work

    if not (request.climb and sys.stderr.isatty()):
        return reuse_answer(request)
    from rich.console import Console  # noqa: PLC0415 - only a terminal sees a bar
    from rich.progress import Progress  # noqa: PLC0415 - same

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("climbing", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return reuse_answer(request, on_progress=advance)
