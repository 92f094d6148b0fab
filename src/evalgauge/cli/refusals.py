"""Refusals in the words of the command line."""

from __future__ import annotations

import shlex
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

from evalgauge.cli.units import STDIN_WORD, option_name
from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.questions.units import Points, Share
from evalgauge.report.command_line import value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cyclopts import App
    from cyclopts.exceptions import UnusedCliTokensError

# Fields that are written without an option's name.
_PLACES = ("logs", "names", "files")


def as_written(error: EvalgaugeError) -> str:
    """Return the text of a refusal; the field of a request that it names is said as the option that was written."""
    if isinstance(error, ArgumentError) and error.argument in _fields():
        came = value_text(error.came) if isinstance(error.came, (Share, Points)) else error.came
        error = ArgumentError(f"--{option_name(error.argument)}", came, error.allowed, error.hint)
    return str(error)


def unused_word(error: UnusedCliTokensError, app: App) -> ArgumentError:
    """Return the refusal of a word that a command has no place for."""
    return _stray_word(app, error.command_chain or (), (error.unused_tokens or [""])[0], error.root_input_tokens or [])


def check_sub_command(app: App, words: list[str]) -> None:
    """Refuse a mistyped sub-command before its options are looked for in the command above it.

    Raises
    ------
    ArgumentError
        If a command that has commands of its own is followed by a word that is none of them.
    """
    if len(words) < 2 or words[0].startswith("-") or words[1].startswith("-"):
        return
    below = _commands(app[words[0]])
    if below and words[1] not in below:
        raise _stray_word(app, words[:1], words[1], words)


def _commands(app: App) -> list[str]:
    return [name for name in app if not name.startswith("-")]


def _stray_word(app: App, chain: Sequence[str], word: str, words: list[str]) -> ArgumentError:
    for part in chain:
        app = app[part]
    below = _commands(app)
    allowed = f"options, or one of {', '.join(below)}" if below else "options alone"
    close = get_close_matches(word, below, n=1)
    before = words[words.index(word) - 2] if word in words[2:] else ""
    if close:
        hint = f"Did you mean {close[0]}?"
    elif before in _repeated_options():
        hint = f"Say the option for each value: {before} {words[words.index(word) - 1]} {before} {word}."
    elif "--like" in words or Path(word).exists():
        hint = f"A pilot log is named by an option: --like {shlex.quote(word)}."
    else:
        hint = f"See evalgauge {' '.join([*chain, '--help'])}."
    return ArgumentError(" ".join(chain), word.replace(STDIN_WORD, "-"), allowed, hint)


def _fields() -> dict[str, Any]:
    """Return the options of every command and what they hold."""
    from evalgauge.questions.every import Request  # noqa: PLC0415 - only a refusal looks at every question

    return {
        field.name: field.type
        for request in get_args(Request)
        for field in fields(request)
        if field.name not in _PLACES
    }


def _repeated_options() -> set[str]:
    return {f"--{option_name(name)}" for name, kind in _fields().items() if get_origin(kind) is tuple}
