"""``evalgauge report``."""

from __future__ import annotations

import sys
import webbrowser
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show
from evalgauge.errors import ArgumentError
from evalgauge.questions.report import ReportOptions, ReportRequest

DEFAULTS = ReportOptions()
OUTPUT = OutputOptions()


def report(
    *logs: str,
    to: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    overwrite: bool = False,
    open_it: Annotated[bool, Parameter(name="--open")] = False,
    options: Annotated[ReportOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Write everything about some logs into one file: verdicts, charts, slices, changed cases, missing runs, wear.

    Parameters
    ----------
    logs
        Logs, tables or folders, the baseline first; one log may hold all arms.
    to
        File to write: .html (one file that needs nothing else), .md or .pdf. Left out: the verdicts are printed.
    overwrite
        Replace the output file if it exists.
    open_it
        Open the report when it is written.
    """
    request = request_of(ReportRequest, options, logs)
    if open_it and to is None:
        raise ArgumentError("--open", "no file", "given with -o report.html")
    if output.show_code:
        return _show_code(request, to, overwrite=overwrite)
    from evalgauge.report.page.save import place_of, save_report  # noqa: PLC0415 - loaded when there is work

    if to is not None:
        place_of(to, overwrite=overwrite)
    from evalgauge.jobs.report import report_answer  # noqa: PLC0415 - numbers are loaded when there is work

    answer = report_answer(request)
    if to is None or output.json:
        if to is not None:
            save_report(answer, output=to, overwrite=overwrite)
        return show((answer,), output)
    written = save_report(answer, output=to, overwrite=overwrite)
    _say(answer.title, written)
    if open_it:
        webbrowser.open(Path(written).resolve().as_uri())
    return 0


def _say(title: str, written: Path) -> None:
    from evalgauge.report.terminal import print_lines  # noqa: PLC0415 - one renderer is needed at a time
    from evalgauge.report.text.lines import Line  # noqa: PLC0415 - same

    size = max(1, round(written.stat().st_size / 1000))
    print_lines([Line(f"Wrote {written}: {title} ({size:,} kB, one file that needs nothing else)", "headline")])


def _show_code(request: ReportRequest, to: str | None, *, overwrite: bool) -> int:
    from evalgauge.report.code import call_of  # noqa: PLC0415 - only this option needs it

    more = ", overwrite=True" if overwrite else ""
    call = call_of(request) if to is None else f"eg.save_report({call_of(request)}, output={to!r}{more})"
    sys.stdout.write(f"import evalgauge as eg\n\nprint({call})\n")
    return 0
