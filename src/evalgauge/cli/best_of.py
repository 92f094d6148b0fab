"""``evalgauge best-of``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.best_of import BestOfOptions, BestOfRequest

DEFAULTS = BestOfOptions()
OUTPUT = OutputOptions()


def best_of(
    *logs: str,
    options: Annotated[BestOfOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say how good the best of several candidates really is, from their scores on the same cases.

    Parameters
    ----------
    logs
        Logs, tables or folders; every arm in them is a candidate.
    """
    request = request_of(BestOfRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.best_of import best_of_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((best_of_answer(request),), output)
