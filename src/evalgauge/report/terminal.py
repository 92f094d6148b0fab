"""Lines on a terminal, with colour where the terminal has it. Colour only repeats what the words say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

if TYPE_CHECKING:
    from evalgauge.report.text.lines import Line

STYLES = {
    "headline": "bold",
    "good": "bold green",
    "bad": "bold red",
    "plain": "",
    "quiet": "dim",
    "command": "dim",
    "warning": "yellow",
}


def print_lines(lines: list[Line], console: Console | None = None) -> None:
    """Print the lines; long ones are left whole when the output is no terminal, so that scripts can read them."""
    console = console or Console(highlight=False)
    for line in lines:
        if not console.is_terminal or line.tone == "command":
            # A command that is to be copied must not be broken into lines.
            console.print(Text(line.text, style=STYLES[line.tone]), soft_wrap=True)
        else:
            words = line.text.lstrip(" ")
            console.print(Padding(Text(words, style=STYLES[line.tone]), (0, 0, 0, len(line.text) - len(words))))
