"""``evalgauge ledger`` and its commands about the ledger and its sets; those about looks are in ``ledger_looks``."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from evalgauge.cli.ledger_looks import add_look_commands
from evalgauge.cli.output import OutputOptions, asked, request_of, show, show_code
from evalgauge.questions.ledger_cards import HistoryRequest, StatusRequest
from evalgauge.questions.ledger_parts import LedgerOptions
from evalgauge.questions.ledger_sets import (
    CheckOptions,
    CheckRequest,
    DeclareOptions,
    DeclareRequest,
    ExportOptions,
    ExportRequest,
    InitRequest,
    MergeRequest,
    RegisterOptions,
    RegisterRequest,
)

PLAIN, REGISTER, DECLARE = LedgerOptions(), RegisterOptions(), DeclareOptions()
CHECK, EXPORT, OUTPUT = CheckOptions(), ExportOptions(), OutputOptions()
EXIT_BROKEN = 1

ledger = App(
    name="ledger",
    help="Keep a record of looks at holdouts that a team can trust, and say how worn each set is.\n\n"
    "Begin with: evalgauge ledger init, then evalgauge ledger register LOG --name NAME",
)


@ledger.command(name="init")
def init(
    *,
    options: Annotated[LedgerOptions, Parameter(name="*")] = PLAIN,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Make a ledger in this folder, or where --ledger says.

    Example: evalgauge ledger init
    """
    request = asked(InitRequest, options)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_sets import init_answer  # noqa: PLC0415 - loaded when there is work

    return show((init_answer(request),), output)


@ledger.command(name="register")
def register(
    *logs: str,
    options: Annotated[RegisterOptions, Parameter(name="*")] = REGISTER,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Register a set, so that every look at it is counted. Hashes of its cases are kept, never their texts.

    Example: evalgauge ledger register run.eval --name support

    Parameters
    ----------
    logs
        One log that holds all cases of the set; its scores are not looked at.
    """
    request = request_of(RegisterRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_sets import register_answer  # noqa: PLC0415 - loaded when there is work

    return show((register_answer(request),), output)


@ledger.command(name="declare")
def declare(
    *names: str,
    options: Annotated[DeclareOptions, Parameter(name="*")] = DECLARE,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Promise, before the first look at a set, how often it is looked at and what is shown.

    Example: evalgauge ledger declare support --looks 12 --ships 1

    Parameters
    ----------
    names
        The set; not needed where there is one only.
    """
    request = asked(DeclareRequest, options, names=names)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_sets import declare_answer  # noqa: PLC0415 - loaded when there is work

    return show((declare_answer(request),), output)


@ledger.command(name="status")
def status(
    *names: str,
    options: Annotated[LedgerOptions, Parameter(name="*")] = PLAIN,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say how worn a set is, how many looks are left, what may be claimed, and what to do next.

    Example: evalgauge ledger status support

    Parameters
    ----------
    names
        Sets; all when left out.
    """
    request = asked(StatusRequest, options, names=names)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_cards import status_answer  # noqa: PLC0415 - loaded when there is work

    return show((status_answer(request),), output)


@ledger.command(name="history")
def history(
    *names: str,
    options: Annotated[LedgerOptions, Parameter(name="*")] = PLAIN,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say what happened to a set, and how its wear grew.

    Example: evalgauge ledger history support

    Parameters
    ----------
    names
        The set; not needed where there is one only.
    """
    request = asked(HistoryRequest, options, names=names)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_cards import history_answer  # noqa: PLC0415 - loaded when there is work

    return show((history_answer(request),), output)


@ledger.command(name="check")
def check(
    *,
    options: Annotated[CheckOptions, Parameter(name="*")] = CHECK,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Compute every hash again and name the first link that does not hold. Exits 0 if all hold, 1 if not.

    Example: evalgauge ledger check
    """
    request = asked(CheckRequest, options)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_files import check_answer  # noqa: PLC0415 - loaded when there is work

    answer = check_answer(request)
    show((answer,), output)
    return 0 if answer.is_whole else EXIT_BROKEN


@ledger.command(name="export")
def export(
    *,
    to: Annotated[str, Parameter(name=["--output", "-o"])],
    options: Annotated[ExportOptions, Parameter(name="*")] = EXPORT,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Write the ledger as JSON Lines, to hand over or to keep beside the code.

    Example: evalgauge ledger export -o ledger.jsonl

    Parameters
    ----------
    to
        File to write.
    """
    request = asked(ExportRequest, options, output=to)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_files import export_answer  # noqa: PLC0415 - loaded when there is work

    return show((export_answer(request),), output)


@ledger.command(name="merge")
def merge(
    *files: str,
    options: Annotated[LedgerOptions, Parameter(name="*")] = PLAIN,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Take in exports of other copies of this ledger. Nothing is lost, and twice is once.

    Example: evalgauge ledger merge ledger.jsonl

    Parameters
    ----------
    files
        Exports. Where there is no ledger yet, the first one becomes it.
    """
    request = asked(MergeRequest, options, files=files)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.ledger_files import merge_answer  # noqa: PLC0415 - loaded when there is work

    return show((merge_answer(request),), output)


add_look_commands(ledger)
