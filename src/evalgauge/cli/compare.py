"""``evalgauge compare``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.compare import CompareOptions, CompareRequest

DEFAULTS = CompareOptions()
OUTPUT = OutputOptions()


def compare(
    *logs: str,
    options: Annotated[CompareOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say whether the candidate is really better than the baseline. Always exits 0: only a gate judges.

    Parameters
    ----------
    logs
        Baseline, then candidate: logs, tables or folders; or counts such as 45/50 30/80 with --unpaired.
    """
    request = request_of(CompareRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.compare import compare_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((compare_answer(request),), output)
