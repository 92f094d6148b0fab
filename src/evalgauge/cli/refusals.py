"""Refusals in the words of the command line."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

from evalgauge.cli.units import option_name
from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.questions.units import Points, Share
from evalgauge.report.command_line import value_text


def as_written(error: EvalgaugeError) -> str:
    """Return the text of a refusal; the field of a request that it names is said as the option that was written."""
    if isinstance(error, ArgumentError) and error.argument in _fields():
        came = value_text(error.came) if isinstance(error.came, (Share, Points)) else error.came
        error = ArgumentError(f"--{option_name(error.argument)}", came, error.allowed, error.hint)
    return str(error)


def _fields() -> set[str]:
    from evalgauge.questions.every import Request  # noqa: PLC0415 - only a refusal looks at every question

    return {field.name for request in get_args(Request) for field in fields(request)} - {"logs"}
