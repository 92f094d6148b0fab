"""``evalgauge plan``, ``plan design`` and ``plan reps``."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, TypeVar

from cyclopts import App, Parameter

from evalgauge.cli.output import OutputOptions, request_of, show, show_code
from evalgauge.cli.units import as_typed
from evalgauge.questions.plan import PlanOptions, PlanRequest
from evalgauge.questions.plan_design import PlanDesignOptions, PlanDesignRequest
from evalgauge.questions.plan_reps import PlanRepsOptions, PlanRepsRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.questions.plan import PilotOptions

Request = TypeVar("Request")
DEFAULTS, DESIGN_DEFAULTS, REPS_DEFAULTS = PlanOptions(), PlanDesignOptions(), PlanRepsOptions()
OUTPUT = OutputOptions()

plan = App(name="plan", help="Say how many cases, reps and slices you need, and what the set you own can show.")


@plan.default
def plan_set(
    *,
    options: Annotated[PlanOptions, Parameter(name="*")] = DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Say how many cases and slices you need, and what the set you own can show.

    Example: evalgauge plan --rate 90% --margin 5pp --drop 10pp --slices 5 --own 695
    """
    request = _request(PlanRequest, options)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.plan import plan_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((plan_answer(request),), output)


@plan.command(name="design")
def plan_design(
    *,
    options: Annotated[PlanDesignOptions, Parameter(name="*")] = DESIGN_DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Put three designs side by side: a held reference, the same cases for both systems, different cases for each.

    Example: evalgauge plan design --rate 90% --drop 5pp --discordance 10% --cost-case 1 --cost-run 0.05
    """
    request = _request(PlanDesignRequest, options)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.plan_design import design_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((design_answer(request),), output)


@plan.command(name="reps")
def plan_reps(
    *logs: str,
    options: Annotated[PlanRepsOptions, Parameter(name="*")] = REPS_DEFAULTS,
    output: Annotated[OutputOptions, Parameter(name="*")] = OUTPUT,
) -> int:
    """Weigh more cases against more reps.

    Example: evalgauge plan reps --case-sd 0.4 --run-sd 0.3 --budget 400

    Parameters
    ----------
    logs
        A pilot log to take the spread from, or two of the same cases for a change; - for stdin.
    """
    request = request_of(PlanRepsRequest, options, logs)
    if output.show_code:
        return show_code(request)
    from evalgauge.jobs.plan_reps import reps_answer  # noqa: PLC0415 - numbers are loaded when there is work

    return show((reps_answer(request),), output)


def _request(kind: Callable[..., Request], options: PilotOptions) -> Request:
    return kind(**{field.name: as_typed(getattr(options, field.name)) for field in fields(options)})
