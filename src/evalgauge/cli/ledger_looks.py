"""The commands of ``evalgauge ledger`` about looks."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, asked, request_of, show, show_code
from evalgauge.questions.ledger_afterwards import DecideOptions, DecideRequest, RevealRequest, VoidOptions, VoidRequest
from evalgauge.questions.ledger_looks import (
    ImportOptions,
    ImportRequest,
    LookOptions,
    LookRequest,
    RefreshOptions,
    RefreshRequest,
)
from evalgauge.questions.ledger_parts import LedgerOptions

if TYPE_CHECKING:
    from evalgauge.questions.ledger_looks import ImportAnswer

PLAIN, LOOK, IMPORT, DECIDE = LedgerOptions(), LookOptions(), ImportOptions(), DecideOptions()
VOID, REFRESH, OUTPUT = VoidOptions(), RefreshOptions(), OutputOptions()


def look(
    *logs: str,
    options: Annotated[LookOptions, Parameter(name="*")] = LOOK,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Record a look at a registered set, and show of its score what may be shown.

    Example: evalgauge ledger look run.eval --display nothing

    Parameters
    ----------
    logs
        The log of one candidate.
    """
    request = request_of(LookRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_looks import look_answer  # noqa: PLC0415 - loaded when there is work

    return show((look_answer(request),), output)


def import_logs(
    *logs: str,
    options: Annotated[ImportOptions, Parameter(name="*")] = IMPORT,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Import old logs as looks at the registered sets that they are of. The same results count once.

    Example: evalgauge ledger import logs/ --register

    Parameters
    ----------
    logs
        Folders and logs.
    """
    request = request_of(ImportRequest, options, logs)
    if output.show_code:
        return show_code(request)
    return show((_imported(request),), output)


def decide(
    *names: str,
    options: Annotated[DecideOptions, Parameter(name="*")] = DECIDE,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Record what was decided on a look.

    Example: evalgauge ledger decide 3f2a9c01de ship

    Parameters
    ----------
    names
        The look, then ship, hold or iterate.
    """
    request = asked(DecideRequest, options, names=names)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_afterwards import decide_answer  # noqa: PLC0415 - loaded when there is work

    return show((decide_answer(request),), output)


def reveal(
    *names: str,
    options: Annotated[LedgerOptions, Parameter(name="*")] = PLAIN,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Show sealed scores. Each counts as a look that shows an exact score.

    Example: evalgauge ledger reveal 3f2a9c01de

    Parameters
    ----------
    names
        Looks, by their names or the first digits of them.
    """
    request = asked(RevealRequest, options, names=names)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_afterwards import reveal_answer  # noqa: PLC0415 - loaded when there is work

    return show((reveal_answer(request),), output)


def void(
    *names: str,
    options: Annotated[VoidOptions, Parameter(name="*")] = VOID,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Declare a look void, or the draw of a refresh. It stays in the history.

    Example: evalgauge ledger void 3f2a9c01de --reason "the log was of another model"

    Parameters
    ----------
    names
        The look, or the set whose draw is void.
    """
    request = asked(VoidRequest, options, names=names)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_afterwards import void_answer  # noqa: PLC0415 - loaded when there is work

    return show((void_answer(request),), output)


def refresh(
    *logs: str,
    to: Annotated[str | None, Parameter(name=["--output", "-o"])] = None,
    options: Annotated[RefreshOptions, Parameter(name="*")] = REFRESH,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Replace cases: with --share draw those that go; then give a log of the refreshed set.

    Example: evalgauge ledger refresh run.eval --share 50% -o retired.txt

    Parameters
    ----------
    logs
        With --share a log of the set as it is; without, one of the refreshed set. Its scores are not looked at.
    to
        File for the ids of the cases to replace, one a line.
    """
    request = request_of(RefreshRequest, options, logs, output=to)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_refresh import refresh_answer  # noqa: PLC0415 - loaded when there is work

    return show((refresh_answer(request),), output)


def _imported(request: ImportRequest) -> ImportAnswer:
    from evalgauge.jobs.ledger_import import import_answer  # noqa: PLC0415 - loaded when there is work

    if not sys.stderr.isatty():
        return import_answer(request)
    from rich.console import Console  # noqa: PLC0415 - only a terminal sees a bar
    from rich.progress import Progress  # noqa: PLC0415 - same

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("importing", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        return import_answer(request, on_progress=advance)
