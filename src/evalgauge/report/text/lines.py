"""A line of text and how much it matters; the terminal decides on colour."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Tone: TypeAlias = Literal["headline", "good", "bad", "plain", "quiet", "command", "picture", "warning"]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an answer.

    Attributes
    ----------
    text
        The words, indented as they should be seen.
    tone
        What it is: the headline, a warning, a command to copy, a picture. Colour only repeats what the words say.
    narrow
        For a row of a table: what stands in its place on a terminal that the table does not fit; empty to leave it
        out. Other lines are broken into several.
    """

    text: str
    tone: Tone = "plain"
    narrow: str | None = None


def plain_text(lines: list[Line]) -> str:
    """Return the lines as one text without colour."""
    return "\n".join(line.text for line in lines) + "\n"
