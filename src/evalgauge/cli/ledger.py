"""``evalgauge ledger``: its commands; the modules of all but status and history are loaded when they are called."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from evalgauge.cli.output import OutputOptions, asked, show, show_code
from evalgauge.questions.ledger_cards import HistoryRequest, StatusRequest
from evalgauge.questions.ledger_parts import LedgerOptions

PLAIN, OUTPUT = LedgerOptions(), OutputOptions()
# Where each is, what it is for, and an example.
COMMANDS = {
    "init": (
        "ledger_sets:init",
        "Make a ledger in this folder, or where --ledger says.",
        "evalgauge ledger init",
    ),
    "register": (
        "ledger_sets:register",
        "Register a set, so that every look at it is counted. Hashes of its cases are kept, never their texts.",
        "evalgauge ledger register run.eval --name support",
    ),
    "declare": (
        "ledger_sets:declare",
        "Promise, before the first look at a set, how often it is looked at and what is shown.",
        "evalgauge ledger declare support --looks 12 --ships 1",
    ),
    "look": (
        "ledger_looks:look",
        "Record a look at a registered set, and show of its score what may be shown.",
        "evalgauge ledger look run.eval --display nothing",
    ),
    "import": (
        "ledger_looks:import_logs",
        "Import old logs as looks at the registered sets that they are of. The same results count once.",
        "evalgauge ledger import logs/ --register",
    ),
    "decide": (
        "ledger_looks:decide",
        "Record what was decided on a look.",
        "evalgauge ledger decide 3f2a9c01de ship",
    ),
    "reveal": (
        "ledger_looks:reveal",
        "Show sealed scores. Each counts as a look that shows an exact score.",
        "evalgauge ledger reveal 3f2a9c01de",
    ),
    "void": (
        "ledger_looks:void",
        "Declare a look void, or the draw of a refresh. It stays in the history.",
        'evalgauge ledger void 3f2a9c01de --reason "the log was of another model"',
    ),
    "refresh": (
        "ledger_looks:refresh",
        "Replace cases: with --share draw those that go; then give a log of the refreshed set.",
        "evalgauge ledger refresh run.eval --share 50% -o retired.txt",
    ),
    "check": (
        "ledger_sets:check",
        "Compute every hash again and name the first link that does not hold. Exits 0 if all hold, 1 if not.",
        "evalgauge ledger check",
    ),
    "export": (
        "ledger_sets:export",
        "Write the ledger as JSON Lines, to hand over or to keep beside the code.",
        "evalgauge ledger export -o ledger.jsonl",
    ),
    "merge": (
        "ledger_sets:merge",
        "Take in exports of other copies of this ledger. Nothing is lost, and twice is once.",
        "evalgauge ledger merge ledger.jsonl",
    ),
}

ledger = App(
    name="ledger",
    help="Keep a record of looks at holdouts that a team can trust, and say how worn each set is.\n\n"
    "Begin with: evalgauge ledger init, then evalgauge ledger register LOG --name NAME",
)
for name, (home, summary, example) in COMMANDS.items():
    ledger.command(f"evalgauge.cli.{home}", name=name, help=f"{summary}\n\nExample: {example}")


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
