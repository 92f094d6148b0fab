"""What labels say of the judge behind a score, as text: whether it matters first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.text.lines import Line
from evalgauge.report.words import Scale, count

if TYPE_CHECKING:
    from evalgauge.questions.judge import JudgeCorrection, JudgeErrors
    from evalgauge.questions.measure import MeasureAnswer

# With fewer labels the rule that was made for few is shown as well.
FEW_LABELS = 50


def judge_lines(answer: MeasureAnswer, scale: Scale) -> list[Line]:
    """Return whether the judge's errors matter, how often it errs, and what the labels alone say; nothing without."""
    found = answer.judge
    if found is None:
        return []
    return [_matters(found, scale), _errors(found, scale), _labels_alone(answer, found, scale), *_few(found, scale)]


def _matters(found: JudgeCorrection, scale: Scale) -> Line:
    plain = found.uncorrected_interval
    judged = f"The judge says {scale.value(found.uncorrected)} ({scale.span(plain.low, plain.high)})"
    span = f"{scale.change_span(found.shift_interval.low, found.shift_interval.high)}{scale.points}"
    if found.bias == "not shown":
        return Line(f"  {judged}; no bias is shown: labels move it by {scale.change(found.shift)} ({span}).")
    return Line(
        f"  IT MATTERS: {judged[0].lower()}{judged[1:]} and is {found.bias}: labels move it by "
        f"{scale.change(found.shift)} ({span}).",
        "warning",
    )


def _errors(found: JudgeCorrection, scale: Scale) -> Line:
    head = f"  {count(found.n_labels, 'labelled case')}, {found.n_judged:,} others: "
    if found.passes is None or found.fails is None:
        return Line(f"{head}label and verdict are equal on {scale.value(found.agreement)}.")
    kinds = f"{_kind('passes', found.passes, 'true passes')}, {_kind('fails', found.fails, 'true failures')}"
    return Line(f"{head}the judge {kinds}.")


def _few(found: JudgeCorrection, scale: Scale) -> list[Line]:
    """Return what the rule for small label sets says, where there is one."""
    rules = [one for one in found.alternatives if one.method == "lang-reiczigel" and found.n_labels < FEW_LABELS]
    return [
        Line(f"  By the judge's error rates, for few labels: {scale.span(one.low, one.high)} (Lang-Reiczigel).")
        for one in rules
    ]


def _kind(verb: str, errors: JudgeErrors, kind: str) -> str:
    return f"{verb} {errors.right:,} of {errors.of:,} {kind}" if errors.of else f"met no {kind}"


def _labels_alone(answer: MeasureAnswer, found: JudgeCorrection, scale: Scale) -> Line:
    only = found.labelled_only_interval
    text = f"  The labels alone say {scale.value(found.labelled_only)}, {scale.span(only.low, only.high)}"
    if found.is_by_labels_alone:
        return Line(f"{text}: they are as many as the other cases, so the judge is left out.")
    saved = ((only.high - only.low) - (answer.high - answer.low)) / 2
    if saved <= 0 or scale.is_shown_as_0(saved):
        return Line(f"{text}: no wider, so the judge adds nothing here. Label more cases.", "warning")
    return Line(f"{text}: the judge narrows that by {scale.distance(saved)} a side.")
