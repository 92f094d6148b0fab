"""The tree of commands, and what a bare file name or count means."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, Parameter
from cyclopts.exceptions import UnusedCliTokensError

from evalgauge import __version__
from evalgauge.cli.reading_bar import reading_shown
from evalgauge.cli.refusals import check_sub_command, unused_word
from evalgauge.cli.units import STDIN_WORD, option_name, teach_units
from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.questions.units import passed_of_total

if TYPE_CHECKING:
    from rich.console import Console

# What each is for, with an example; the modules themselves are loaded when they are called.
COMMANDS = {
    "measure": ("Say what a score is, with an interval that is true.", "measure run.eval --by topic"),
    "compare": (
        "Say whether the candidate is really better than the baseline. Exits 0 on any verdict.",
        "compare base.eval candidate.eval --margin 2pp",
    ),
    "gate": (
        "Say whether the candidate may ship: pass (0), fail (1), or not decided (3) and what would decide it.",
        "gate base.eval candidate.eval --max-drop 2pp",
    ),
    "bless": (
        "Make a log the baseline of a gate: a small file of scores and hashes, without what the cases ask.",
        "bless run.eval -o baseline.json",
    ),
    "convert": (
        "Write the scores of any log as a plain table, with hashes in place of case texts.",
        "convert run.eval -o scores.parquet",
    ),
    "look-at": (
        "Say what is in a log: arms, metrics, reps, missing runs, fields, and what to ask next.",
        "look-at run.eval",
    ),
    "plan": (
        "Say how many cases, reps and slices you need, and what the set you own can show.",
        "plan --rate 90% --margin 5pp --drop 10pp --slices 5 --own 695",
    ),
    "reuse": (
        "Say what the looks at a set cost, how many are left, and what may still be claimed.",
        "reuse --cases 1000 --rate 80% --looks 10 --tolerance 2pp",
    ),
    "best-of": (
        "Say how good the best of several candidates really is, from their scores on the same cases.",
        "best-of a.eval b.eval c.eval",
    ),
    "rank": (
        "Say which of several arms are better than which, and who shares a rank, from their scores on the same cases.",
        "rank a.eval b.eval c.eval",
    ),
    "verify": (
        "Say how often the interval you use holds the truth, on evals like yours.",
        "verify --cases 25 --reps 2,10,50",
    ),
    "report": (
        "Write everything about some logs into one file: verdicts, charts, slices, changed cases, missing runs, wear.",
        "report base.eval candidate.eval --margin 2pp -o report.html",
    ),
    "plot": (
        "Draw the answer to a question as SVG, PNG or PDF, with the numbers behind it as CSV.",
        "plot arms base.eval candidate.eval -o arms.svg",
    ),
    "serve": (
        "Serve the calculators and the views of logs as web pages on this machine.",
        "serve logs/ --open",
    ),
    "ledger": (
        "Keep a record of looks at holdouts that a team can trust, and say how worn each set is.",
        "ledger status",
    ),
}
# Commands that live elsewhere than in a module of this room.
_HOMES = {"serve": "evalgauge.web.command:serve"}
_BEFORE_COMMANDS = {"--help", "-h", "--version", "--install-completion"}

HELP = """Honest intervals and verdicts for evals, from the logs you already have.

First steps: evalgauge RUN.eval (a score), evalgauge BASELINE CANDIDATE (a comparison), evalgauge 47/50 (a count).
Logs are files or folders of Inspect AI, lm-evaluation-harness, promptfoo, DeepEval, pydantic-evals, Phoenix, pytest
(JUnit XML), HELM, SWE-bench, tau-bench and others, and CSV, JSON or Parquet tables. What is in one: evalgauge look-at
LOG.
"""


def make_app() -> App:
    """Return the command line; each command's module is loaded when it is called."""
    teach_units()
    app = App(
        name="evalgauge",
        help=HELP,
        version=__version__,
        default_parameter=Parameter(negative=(), name_transform=option_name, show_default=False),
        result_action="return_value",
    )
    for name, (summary, example) in COMMANDS.items():
        home = name.replace("-", "_")
        app.command(
            _HOMES.get(name, f"evalgauge.cli.{home}:{home}"),
            name=name,
            help=f"{summary}\n\nExample: evalgauge {example}",
        )
    app.register_install_completion_command(add_to_startup=False)  # pyright: ignore[reportUnknownMemberType]
    return app


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    if sys.stdout is None:
        raise EvalgaugeError("the standard output is closed: there is nowhere to write the answer.")
    app = make_app()
    words = with_command([STDIN_WORD if word == "-" else word for word in arguments])
    check_sub_command(app, words)
    try:
        with reading_shown():
            result = app(words, exit_on_error=False, print_error=False, console=_help_console(words))
    except UnusedCliTokensError as error:
        raise unused_word(error, app) from error
    except CycloptsError as error:
        cause = error.__cause__
        raise (
            cause if isinstance(cause, ArgumentError) else EvalgaugeError(str(error).strip().replace(STDIN_WORD, "-"))
        ) from error
    return result if isinstance(result, int) else 0


def _help_console(words: list[str]) -> Console | None:
    """Return where help is printed; the parser's own console would end the process when a pipe is closed."""
    if words and not _BEFORE_COMMANDS.intersection(words):
        return None
    from evalgauge.report.terminal import answer_console  # noqa: PLC0415 - only help needs it here

    return answer_console()


def with_command(words: list[str]) -> list[str]:
    """Return the words with the command that bare logs or counts stand for.

    One log or count is measured, two are compared. Anything else that is no command is refused with what was
    perhaps meant.
    """
    if words and words[0].startswith("-") and words[0] not in _BEFORE_COMMANDS:
        example = f"evalgauge {next((word for word in words if word in COMMANDS), 'measure LOG')} {words[0]}"
        raise ArgumentError("command", words[0], f"one of {', '.join(COMMANDS)} first, then options", f"Say: {example}")
    if not words or words[0] in COMMANDS or words[0] in _BEFORE_COMMANDS:
        return words
    bare: list[str] = []
    for word in words:
        if word.startswith("-"):
            break
        bare.append(word)
    for word in bare:
        if not (word == STDIN_WORD or (word.strip() and Path(word).exists()) or passed_of_total(word)):
            allowed = f"one of {', '.join(COMMANDS)}, a log that exists, or a count such as 47/50"
            is_loop = Path(word).is_symlink()
            hint = "It is a link that leads nowhere." if is_loop else _perhaps(word)
            raise ArgumentError("command or log", word, allowed, hint)
    if len(bare) > 2:
        hint = "For several logs say: evalgauge measure LOG LOG LOG, or evalgauge rank LOG LOG LOG"
        raise ArgumentError("logs", " ".join(bare), "one log (measure) or two (compare)", hint)
    return [("measure", "compare")[len(bare) - 1], *words]


def _perhaps(word: str) -> str:
    folder = Path(word).parent
    beside = folder.iterdir() if folder.is_dir() else ()
    names = [name for one in beside if (name := one.name if folder == Path() else str(one)) != word]
    close = get_close_matches(word, [*COMMANDS, *names], n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(close)}?" if close else "See evalgauge --help."
