"""Lines on a terminal, with colour where the terminal has it. Colour only repeats what the words say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

if TYPE_CHECKING:
    from evalgauge.report.text.lines import Line

STYLES = {
    "headline": "bold",
    "good": "bold green",
    "bad": "bold red",
    "plain": "",
    "quiet": "dim",
    "warning": "yellow",
}


def print_lines(lines: list[Line], console: Console | None = None) -> None:
    """Print the lines; long ones are left whole when the output is no terminal, so that scripts can read them."""
    console = console or Console(highlight=False)
    for line in lines:
        console.print(Text(line.text, style=STYLES[line.tone]), soft_wrap=not console.is_terminal)
