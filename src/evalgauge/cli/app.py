"""The tree of commands, and what a bare file name or count means."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from pathlib import Path

from cyclopts import App, CycloptsError, Parameter

from evalgauge import __version__
from evalgauge.cli.units import option_name, teach_units
from evalgauge.errors import ArgumentError
from evalgauge.questions.units import passed_of_total

# What each is for, with an example; the modules themselves are loaded when they are called.
COMMANDS = {
    "measure": ("Say what a score is, with an interval that is true.", "measure run.eval --by topic"),
    "compare": (
        "Say whether the candidate is really better than the baseline. Exits 0 on any verdict.",
        "compare base.eval candidate.eval --margin 2pp",
    ),
    "convert": (
        "Write the scores of any log as a plain table, with hashes in place of case texts.",
        "convert run.eval -o scores.parquet",
    ),
    "plan": (
        "Say how many cases, reps and slices you need, and what the set you own can show.",
        "plan --rate 90% --margin 5pp --drop 10pp --slices 5 --own 695",
    ),
}
# A lone "-" looks like an option to the parser; this word stands for it until the command reads it.
STDIN_WORD = "stdin:"

HELP = """Honest intervals and verdicts for evals, from the logs you already have.

First steps: evalgauge RUN.eval (a score), evalgauge BASELINE CANDIDATE (a comparison), evalgauge 47/50 (a count).
Logs are files or folders of Inspect AI, lm-evaluation-harness, promptfoo, HELM, SWE-bench, tau-bench and others
(docs/formats.md), and CSV, JSON Lines or Parquet tables.
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
        app.command(f"evalgauge.cli.{name}:{name}", name=name, help=f"{summary}\n\nExample: evalgauge {example}")
    app.register_install_completion_command(add_to_startup=False)  # pyright: ignore[reportUnknownMemberType]
    return app


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code."""
    app = make_app()
    if "-" in arguments and sys.stdin is None:
        raise ArgumentError("-", "no standard input", "a pipe or a file, as in: evalgauge measure - < scores.csv")
    words = with_command([STDIN_WORD if word == "-" else word for word in arguments])
    try:
        result = app(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        cause = error.__cause__
        text = str(cause) if isinstance(cause, ArgumentError) else str(error).strip()
        print(f"evalgauge: {text}", file=sys.stderr)  # noqa: T201 - the text is the output
        return 2
    return result if isinstance(result, int) else 0


def with_command(words: list[str]) -> list[str]:
    """Return the words with the command that bare logs or counts stand for.

    One log or count is measured, two are compared. Anything else that is no command is refused with what was
    perhaps meant.
    """
    if not words or words[0].startswith("-") or words[0] in COMMANDS or words[0] == "--install-completion":
        return words
    bare: list[str] = []
    for word in words:
        if word.startswith("-"):
            break
        bare.append(word)
    for word in bare:
        if not (word == STDIN_WORD or Path(word).exists() or passed_of_total(word)):
            allowed = f"one of {', '.join(COMMANDS)}, a log that exists, or a count such as 47/50"
            is_loop = Path(word).is_symlink()
            hint = "It is a link that leads nowhere." if is_loop else _perhaps(word)
            raise ArgumentError("command or log", word, allowed, hint)
    if len(bare) > 2:
        hint = "For several logs say: evalgauge measure LOG LOG LOG"
        raise ArgumentError("logs", " ".join(bare), "one log (measure) or two (compare)", hint)
    return [("measure", "compare")[len(bare) - 1], *words]


def _perhaps(word: str) -> str:
    folder = Path(word).parent
    beside = folder.iterdir() if folder.is_dir() else ()
    names = [name for one in beside if (name := one.name if folder == Path() else str(one)) != word]
    close = get_close_matches(word, [*COMMANDS, *names], n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(close)}?" if close else "See evalgauge --help."
