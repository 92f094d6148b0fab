"""``evalgauge look-at``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.look_at import LookAtRequest
from evalgauge.questions.parts import ReadingOptions

DEFAULTS = ReadingOptions()
OUTPUT = OutputOptions()


def look_at(
    *logs: str,
    options: Annotated[ReadingOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say what is in a log and what can be asked of it.

    Parameters
    ----------
    logs
        Logs, tables or folders; - for stdin.
    """
    request = request_of(LookAtRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.look_at import look_at_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((look_at_answer(request),), output)
