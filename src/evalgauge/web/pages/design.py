"""A held reference, the same cases for both systems, or different cases for each?"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from evalgauge.questions.plan import PlanRequest
from evalgauge.questions.plan_design import PlanDesignRequest
from evalgauge.web.page import Page, Picture

if TYPE_CHECKING:
    from evalgauge.questions.curves import PowerCurve
    from evalgauge.questions.plan_design import PlanDesignAnswer


def _power(answer: PlanDesignAnswer) -> PowerCurve:
    from evalgauge.jobs.curves import power_curve  # noqa: PLC0415 - numbers are loaded when there is work
    from evalgauge.jobs.plan import plan_answer  # noqa: PLC0415 - same

    known = {field.name for field in fields(PlanRequest)}
    asked = {one.name: getattr(answer.request, one.name) for one in fields(answer.request) if one.name in known}
    # What this page recommends most often is what its picture names.
    return power_curve(plan_answer(PlanRequest(**asked, design="paired")))


DESIGN = Page(
    name="design",
    title="Design",
    asks="Which design shows the change at the least cost?",
    request=PlanDesignRequest,
    job=("plan_design", "design_answer"),
    first=("rate", "drop", "discordance", "cost_case", "cost_run"),
    example={"rate": "90%", "drop": "5pp", "discordance": "10%", "cost_case": "1", "cost_run": "0.05"},
    pictures=(Picture(kind="power", through=_power),),
    about=(
        "Two systems on the same cases differ on few of them; different cases for each carry the spread of both.",
        "Connor 1987; Miettinen and Nurminen 1985; exact power of the interval that grades.",
    ),
)
