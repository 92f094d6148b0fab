"""``evalgauge measure``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.measure import MeasureOptions, MeasureRequest

DEFAULTS = MeasureOptions()
OUTPUT = OutputOptions()


def measure(
    *logs: str,
    options: Annotated[MeasureOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say what a score is, with an interval that is true.

    Example: evalgauge measure run.eval --by topic

    Parameters
    ----------
    logs
        Logs, tables or folders; - for stdin; or a count such as 47/50.
    """
    request = request_of(MeasureRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.measure import measure_each  # noqa: PLC0415 - numbers are loaded when there is work

    return show(measure_each(request), output)
