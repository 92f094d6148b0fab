"""A request as the words of the command line: what ``Next:`` lines and pages show, so that it can be pasted and run."""

from __future__ import annotations

import math
import shlex
from dataclasses import MISSING, fields
from typing import TYPE_CHECKING, Any

from evalgauge.questions.counts import Number
from evalgauge.questions.units import Columns, Names, Points, ScoreRange, Share, Weights, WholeNumbers, Words

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from evalgauge.questions.every import Request
    from evalgauge.questions.plan import PilotOptions

OPTION_NAMES = {"columns": "map", "score_range": "range", "n_cases": "cases", "set_name": "set"}


_COMMANDS = {"best_of": "best-of", "look_at": "look-at", "gate_check": "gate --check"}
# What a question is about comes first, without an option's name.
_POSITIONAL = ("logs", "names", "files")


def command_of(request: Request) -> str:
    """Return the command line that asks a question.

    Examples
    --------
    >>> from evalgauge.questions.measure import MeasureRequest
    >>> command_of(MeasureRequest(logs=("run.eval",), by="topic"))
    'evalgauge measure run.eval --by topic'
    """
    command = _COMMANDS.get(request.verb, request.verb.replace("_", " "))
    first = next((getattr(request, name) for name in _POSITIONAL if hasattr(request, name)), ())
    return " ".join(["evalgauge", command, *log_words(first), *option_words(request, leave_out=_POSITIONAL)])


def option_words(
    request: Request | PilotOptions,
    *,
    only: Collection[str] | None = None,
    leave_out: Collection[str] = (),
) -> list[str]:
    """Return the options of a request that are not at their defaults, as words of a command line.

    Parameters
    ----------
    request
        What was asked.
    only
        Fields to look at; all when left out.
    leave_out
        Fields that the command does not take, or takes with another value.
    """
    words: list[str] = []
    for field in fields(request):
        if field.name in {"logs", "output", *leave_out} or (only is not None and field.name not in only):
            continue
        value = getattr(request, field.name)
        default = field.default if field.default is not MISSING else field.default_factory()  # type: ignore[misc]
        if value == default:
            continue
        option = f"--{OPTION_NAMES.get(field.name, field.name.replace('_', '-'))}"
        words += [option] if value is True else [option, shlex.quote(value_text(value))]
    return words


def log_words(logs: Iterable[str]) -> list[str]:
    """Return logs as words of a command line; a name that looks like an option is written as a path."""
    return [shlex.quote(f"./{log}" if log.startswith("-") and log != "-" else log) for log in logs]


def value_text(value: object) -> str:
    """Return an option's value as people write it: ``95%``, ``2pp``, ``web=60%,phone=40%``."""
    writer = WRITERS.get(type(value))
    return str(value) if writer is None else writer(value)


def _word_text(number: float) -> str:
    return "missing" if math.isnan(number) else f"{number:.12g}"


WRITERS: dict[type, Callable[[Any], str]] = {
    Number: lambda number: f"{number:.12g}",
    Share: lambda share: f"{100 * share:.12g}%",
    Points: lambda points: f"{100 * points:.12g}pp",
    Weights: lambda weights: ",".join(f"{name}={100 * share:.12g}%" for name, share in weights.items()) or "equal",
    Columns: lambda columns: ",".join(f"{role}={column}" for role, column in columns.items()),
    Words: lambda words: ",".join(f"{word}={_word_text(number)}" for word, number in words.items()),
    ScoreRange: lambda ends: ":".join(f"{end:.12g}" for end in ends) or "none",
    Names: ",".join,
    WholeNumbers: lambda numbers: ",".join(str(number) for number in numbers),
}
