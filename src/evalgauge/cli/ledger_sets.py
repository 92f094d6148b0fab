"""The commands of ``evalgauge ledger`` about the ledger and its sets."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, asked, request_of, show, show_code
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
