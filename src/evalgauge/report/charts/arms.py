"""Scores of one or several arms with their intervals, a row each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from evalgauge.report.charts.chart import Chart, Column
from evalgauge.report.charts.marks import interval_rows, row_form, row_texts, share_axis
from evalgauge.report.charts.style import around, score_label, vega_lite
from evalgauge.report.words import Scale, count, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.measure import MeasureAnswer, SliceScore

COLUMNS = (
    Column("arm", "Arm or slice"),
    Column("estimate", "Score", "share"),
    Column("low", "From", "share"),
    Column("high", "To", "share"),
    Column("n_cases", "Cases", "count"),
    Column("method", "Rule"),
)
_NAME_LIMIT, _LETTERS = 150, 22


class _Arm(NamedTuple):
    arm: str
    estimate: float
    low: float
    high: float
    n_cases: int
    method: str


def arms_chart(*answers: MeasureAnswer) -> Chart:
    """Return the scores of arms with their intervals; a single arm is followed by its slices.

    Parameters
    ----------
    *answers
        Scores on one scale, in the order in which they are to stand.
    """
    first, scale = answers[0], Scale(answers[0].range)
    arms = _arms(answers)
    level = percent(first.confidence)
    title = _title(answers, scale)
    told = " Whether two arms differ is told by their difference." if len(answers) > 1 else ""
    description = f"{title}. Scores with {level} intervals, {count(len(arms), 'row')}."
    form = row_form((one.arm for one in arms), letters=_LETTERS, limit=_NAME_LIMIT)
    shown = [
        {
            **one._asdict(),
            "place": place,
            "name": form.name(one.arm),
            "label": f"{scale.value(one.estimate)} ({scale.span(one.low, one.high)})",
        }
        for place, one in enumerate(arms)
    ]
    within = None if scale.ends is None else (0.0, 1.0)
    domain = around([end for one in arms for end in (one.low, one.high)], within=within)
    x = share_axis(domain, score_label(scale))
    return Chart(
        kind="arms",
        title=title,
        description=description,
        columns=COLUMNS,
        rows=tuple(one._asdict() for one in arms),
        scale=scale,
        spec=vega_lite(
            title=title,
            subtitle=f"Dot: score. Line: {level} interval.{told}",
            description=description,
            rows=shown,
            layer=[*interval_rows(x), *row_texts("name", "label", form)],
            height=form.height * len(arms),
        ),
    )


def arm_name(answer: MeasureAnswer) -> str:
    """Return what an arm is called; a bare count by what was counted."""
    return answer.source.arm or f"{round(answer.estimate * answer.n_cases):,} of {answer.n_cases:,}"


def _title(answers: Sequence[MeasureAnswer], scale: Scale) -> str:
    best = max(answers, key=lambda one: one.estimate)
    span = scale.span(best.low, best.high)
    if len(answers) > 1:
        ties = sum(one.estimate == best.estimate for one in answers) - 1
        others = f" and {ties:,} more" if ties else ""
        return f"Highest score: {arm_name(best)}{others}, {scale.value(best.estimate)} ({span})"
    what = "true rate" if best.is_pass_fail else "true mean"
    return f"{scale.value(best.estimate)}: {what} likely {span}"


def _arms(answers: Sequence[MeasureAnswer]) -> list[_Arm]:
    arms = [_Arm(arm_name(one), *_numbers(one)) for one in answers]
    if len(answers) == 1:
        arms += [_Arm(part.name, *_numbers(part)) for part in answers[0].slices if not part.problem]
    return arms


def _numbers(one: MeasureAnswer | SliceScore) -> tuple[float, float, float, int, str]:
    return one.estimate, one.low, one.high, one.n_cases, one.method
