"""``evalgauge measure``."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.errors import EvalgaugeError
from evalgauge.questions.measure import MeasureOptions, MeasureRequest
from evalgauge.questions.units import passed_of_total

DEFAULTS = MeasureOptions()
OUTPUT = OutputOptions()


def measure(
    *logs: str,
    options: Annotated[MeasureOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say what a score is, with an interval that is true.

    Parameters
    ----------
    logs
        Logs, tables or folders; - for stdin; or a count such as 47/50.
    """
    request = request_of(MeasureRequest, options, logs)
    if output.show_code:
        return show_code(*questions(request))
    from evalgauge.jobs.measure import measure_each  # noqa: PLC0415 - numbers are loaded when there is work

    return show(measure_each(request), output)


def questions(request: MeasureRequest) -> tuple[MeasureRequest, ...]:
    """Return one request per score that the logs hold, since Python answers one at a time."""
    if all(passed_of_total(log) for log in request.logs):
        return tuple(replace(request, logs=(log,)) for log in request.logs) or (request,)
    from evalgauge.jobs.measure import measure_each  # noqa: PLC0415 - only logs have to be looked into

    try:
        answers = measure_each(request)
    except EvalgaugeError:
        # The code of a question that is refused is still its code.
        return (request,)
    if len(answers) == 1:
        return (request,)
    return tuple(replace(request, arm=one.source.arm, task=one.source.set_name or None) for one in answers)
