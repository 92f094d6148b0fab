"""``evalgauge compare``."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated

from cyclopts import Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.cli.units import option_name
from evalgauge.errors import ArgumentError
from evalgauge.questions.compare import CompareOptions, CompareRequest
from evalgauge.questions.holdout import HoldoutRequest

DEFAULTS = CompareOptions()
OUTPUT = OutputOptions()
_PLAIN = CompareRequest()


def compare(
    *logs: str,
    holdout: bool = False,
    options: Annotated[CompareOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say whether the candidate is really better than the baseline. Always exits 0: only a gate judges.

    Parameters
    ----------
    logs
        Baseline, then candidate: logs, tables or folders; or counts such as 45/50 30/80 with --unpaired.
    holdout
        Show pass or no pass alone, on a set that is in the ledger: with --margin a pass is no worse than that, without
        it better. The scores stay sealed.
    """
    request = request_of(CompareRequest, options, logs)
    if holdout:
        return _holdout(request, output)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.compare import compare_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((compare_answer(request),), output)


def _holdout(asked: CompareRequest, output: OutputOptions) -> int:
    names = {field.name for field in fields(HoldoutRequest)}
    for field in fields(CompareRequest):
        if field.name not in names and getattr(asked, field.name) != getattr(_PLAIN, field.name):
            option = f"--{option_name(field.name)}"
            hint = "The level of a holdout is declared with: evalgauge ledger declare --confidence"
            allowed = "left out with --holdout, which shows one bit and records it"
            came = getattr(asked, field.name)
            raise ArgumentError(option, came, allowed, hint if field.name == "confidence" else "")
    request = HoldoutRequest(**{name: getattr(asked, name) for name in names})
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.holdout import holdout_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((holdout_answer(request),), output)
