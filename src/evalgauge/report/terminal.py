"""Lines on a terminal, with colour where the terminal has it. Colour only repeats what the words say."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from evalgauge.report.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalgauge.report.text.lines import Line

STYLES = {
    "headline": "bold",
    "good": "bold green",
    "bad": "bold red",
    "plain": "",
    "quiet": "dim",
    "command": "dim",
    "picture": "",
    "warning": "yellow",
}


# What a terminal without Unicode gets in place of the signs that the answers use.
PLAIN_SIGNS = str.maketrans(
    {"→": "->", "─": "-", "━": "=", "●": "o", "┼": "+", "╋": "#", "×": "x", "±": "+-", "−": "-", "…": "...", "–": "-"}
    | {"√": "sqrt", "²": "2", "·": "*", "←": "<-", "≤": "<=", "≥": ">="}
)

# Blanks that no row ends at, and a sign of no script that stands for them while rows are made.
_UNITS = re.compile(r"(?<=[\d.]) (?=%|(?:points?|cases?|reps?|runs?)\b)")
_GLUE = "\ue000"


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Let the command line decide what a closed pipe means; Rich would end the process with exit code 1."""
        raise BrokenPipeError


def answer_console() -> Console:
    """Return the console that answers and help are printed on."""
    return _Console(highlight=False)


def print_lines(lines: list[Line], console: Console | None = None) -> None:
    """Print the lines; long ones are left whole when the output is no terminal, so that scripts can read them.

    On a terminal a picture that does not fit is left out, and a command that is to be copied is never broken.
    """
    console = console or answer_console()
    is_unicode = console.encoding.startswith("utf")
    for line in _fitting(lines, console.width) if console.is_terminal else lines:
        text = visible(line.text if is_unicode else line.text.translate(PLAIN_SIGNS))
        style = STYLES[line.tone]
        if not console.is_terminal or line.tone == "command":
            console.print(Text(text, style=style), soft_wrap=True)
        elif line.tone != "picture" or len(text) <= console.width:
            for row in _wrapped(text, console):
                console.print(Text(row, style=style), soft_wrap=True)


def _wrapped(text: str, console: Console) -> Iterator[str]:
    """Yield the rows of a line that is broken between words, never between a number and its unit."""
    words = text.lstrip(" ")
    indent = " " * (len(text) - len(words))
    glued = Text(_UNITS.sub(_GLUE, words))
    for row in glued.wrap(console, max(1, console.width - len(indent))):
        yield indent + row.plain.rstrip().replace(_GLUE, " ")


def _fitting(lines: list[Line], width: int) -> Iterator[Line]:
    """Yield the lines, with the narrow form of every table of which a row does not fit."""
    for is_table, rows in groupby(lines, lambda line: line.narrow is not None):
        several = list(rows)
        is_wide = is_table and any(len(line.text) > width for line in several)
        for line in several:
            if not is_wide:
                yield line
            elif line.narrow:
                yield replace(line, text=line.narrow)
