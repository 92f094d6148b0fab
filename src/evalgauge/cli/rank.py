"""``evalgauge rank``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.rank import RankOptions, RankRequest

DEFAULTS = RankOptions()
OUTPUT = OutputOptions()


def rank(
    *logs: str,
    options: Annotated[RankOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say which of several arms are better than which, and who shares a rank, from their scores on the same cases.

    Parameters
    ----------
    logs
        Logs, tables or folders; every arm in them is ranked.
    """
    request = request_of(RankRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.rank import rank_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((rank_answer(request),), output)
