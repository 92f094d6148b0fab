"""``evalgauge bless``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.bless import BlessOptions, BlessRequest

DEFAULTS = BlessOptions()
OUTPUT = OutputOptions()


def bless(
    *logs: str,
    to: Annotated[str, Parameter(name=["--output", "-o"])],
    options: Annotated[BlessOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Make a log the baseline: a small file of scores and hashes, without what the cases ask.

    Parameters
    ----------
    logs
        The log, table or folder of one system on one eval set; - for stdin.
    to
        File to write: baseline.json.
    """
    request = request_of(BlessRequest, options, logs, output=to)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.bless import bless_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((bless_answer(request),), output)
