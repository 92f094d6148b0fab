"""The errors that evalgauge raises on purpose.

Every text says four things: which argument or file, what came, what is allowed, and what to do next.

The tree::

    EvalgaugeError
    ├── ArgumentError      an argument is outside what is allowed (also a ValueError)
    ├── LogError           a log cannot be read: file, record and field are named
    │   └── UnknownFormatError   no reader knows the file
    ├── ScoreError         the scores cannot answer the question (no case scored, two metrics and none named)
    ├── PairingError       two logs cannot be put side by side
    ├── LedgerError        the record of looks cannot be read or written, or does not allow what was asked
    └── MissingExtraError  an optional part is not installed; the text holds the line that installs it
"""

from __future__ import annotations

from reprlib import Repr

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 160
_SHORT.maxdict = _SHORT.maxlist = _SHORT.maxtuple = 12


def _shown(came: object) -> str:
    """Return what came on one line, however long or strange it is."""
    try:
        return " ".join(_SHORT.repr(came).split())
    except Exception:  # noqa: BLE001 - a value that cannot be shown (a number of 5,000 digits) is still refused in words
        return f"a value of type {type(came).__name__}"


class EvalgaugeError(Exception):
    """Base class: the command line prints the text alone and leaves with exit code 2."""


class ArgumentError(EvalgaugeError, ValueError):
    """An argument is outside what is allowed.

    Parameters
    ----------
    argument
        Name of the argument as the caller knows it.
    came
        What was given.
    allowed
        What would have been fine, as a phrase: "a share from 0 to 1".
    hint
        What to do next, as a sentence; empty when ``allowed`` already says it.
    """

    def __init__(self, argument: str, came: object, allowed: str, hint: str = "") -> None:
        self.argument = argument
        self.came = came
        self.allowed = allowed
        self.hint = hint
        text = f"{argument}: got {_shown(came)}, allowed is {allowed}."
        super().__init__(f"{text} {hint}" if hint else text)


class LogError(EvalgaugeError):
    """A log cannot be read.

    Parameters
    ----------
    file
        The file (and member, for an archive) that was read.
    problem
        What is wrong, as a sentence without the file name.
    record
        Line, sample or row, where it is known.
    field
        Column or key, where it is known.
    hint
        What to do next.
    """

    def __init__(self, file: str, problem: str, *, record: str = "", field: str = "", hint: str = "") -> None:
        self.file = file
        self.problem = problem
        self.record = record
        self.field = field
        self.hint = hint
        where = ", ".join(part for part in (file, record, field and f"field {field!r}") if part)
        text = f"{where}: {problem}"
        super().__init__(f"{text} {hint}" if hint else text)


class UnknownFormatError(LogError):
    """No reader knows the file."""


class ScoreError(EvalgaugeError):
    """The scores that were read cannot answer the question."""


class PairingError(EvalgaugeError):
    """Two logs cannot be put side by side."""


class LedgerError(EvalgaugeError):
    """The record of looks cannot be read or written, or does not allow what was asked."""


class MissingExtraError(EvalgaugeError):
    """An optional part is not installed."""
