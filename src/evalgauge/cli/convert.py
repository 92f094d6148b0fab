"""``evalgauge convert``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.questions.convert import ConvertOptions, ConvertRequest

DEFAULTS = ConvertOptions()
OUTPUT = OutputOptions()


def convert(
    *logs: str,
    to: Annotated[str, Parameter(name=["--output", "-o"])],
    options: Annotated[ConvertOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Write the scores of any log as a plain table: one row a case, rep and metric; no case texts.

    Parameters
    ----------
    logs
        Logs, tables or folders; - for stdin.
    to
        File to write: .parquet, .csv, .jsonl, or .json for Every Eval Ever with intervals.
    """
    request = request_of(ConvertRequest, options, logs, output=to)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.convert import convert_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((convert_answer(request),), output)
