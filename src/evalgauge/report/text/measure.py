"""The answer to "what is this score" as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_measure
from evalgauge.report.text.judge import judge_lines
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import Scale, count, df_text, interval_bar, listed, method_title, percent

if TYPE_CHECKING:
    from evalgauge.questions.measure import MeasureAnswer

SLICES_SHOWN = 20
# Counts that differ by more than this factor, over the rates that the interval allows, are both shown.
_FAR_APART = 1.5
TARGET_WORDS = {"new-cases": "new cases like these", "these-cases": "exactly these cases, run again"}


def measure_lines(answer: MeasureAnswer) -> list[Line]:
    """Return the headline, the picture, what it rests on, what misleads, and what to do next."""
    scale = Scale(answer.range)
    lines = [*_headline(answer, scale)]
    if scale.ends is not None:
        lines.append(Line(f"  {interval_bar(answer.low, answer.estimate, answer.high, scale.ends)}", "picture"))
    lines += [
        *judge_lines(answer, scale),
        *_basis(answer),
        *_missing(answer, scale),
        *_naive(answer, scale),
        *_spread(answer, scale),
        *_reach(answer, scale),
        *_pass_at_k(answer),
        *_slices(answer, scale),
    ]
    lines += [Line(f"  {note}", "warning") for note in answer.notes]
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    lines += note_lines(answer.ledger)
    lines.append(Line(f"  Method: {_method(answer)}", "quiet"))
    lines.append(Line(f"  Next: {after_measure(answer)}", "command"))
    return lines


def _headline(answer: MeasureAnswer, scale: Scale) -> list[Line]:
    name = f"{answer.source.arm} on {answer.source.set_name}" if answer.source.set_name else answer.source.arm
    label = f"{name}, {answer.source.metric}: " if answer.source.files else ""
    level = f"({percent(answer.confidence)} interval, {TARGET_WORDS[answer.target]})"
    if answer.is_pass_fail:
        what, true = f"{scale.value(answer.estimate)} pass", "true rate"
        if answer.judge is not None:
            what += " with the judge's errors taken out"
    else:
        what, true = f"mean score {scale.value(answer.estimate)}", "true mean"
    total = " (weighted over slices)" if answer.weighted else ""
    span = scale.span(answer.low, answer.high)
    return [Line(f"{label}{what}{total}, {true} likely {span} {level}", "headline")]


def _basis(answer: MeasureAnswer) -> list[Line]:
    if answer.n_reps > 1:
        reps = f"up to {answer.n_reps:,} reps" if answer.reps_differ else f"{answer.n_reps:,} reps"
        size = f"{count(answer.n_cases, 'case')} × {reps} = {count(answer.n_runs, 'run')}"
    else:
        size = count(answer.n_cases, "case")
    done = f"planned {answer.planned:,}, scored {answer.scored:,}, errored or missing {answer.errored:,}"
    others = {status: n for status, n in answer.counts.by_status.items() if status != "ok"}
    detail = f" ({', '.join(f'{n:,} {status}' for status, n in others.items())})" if others else ""
    return [Line(f"  {size}; {done}{detail}")]


def _missing(answer: MeasureAnswer, scale: Scale) -> list[Line]:
    if answer.errored == 0:
        return []
    if answer.missing == "fail":
        return [Line("  Missing runs count as failed (--missing fail).", "warning")]
    if answer.judge is not None and answer.missing == "bounds":
        return [Line("  The interval holds whether the missing runs fail or pass.", "warning")]
    if answer.missing == "drop" or answer.bounds is None:
        return [Line("  Missing runs are left out: true only if they are missing by chance.", "warning")]
    only = answer.scored_only
    low, high = "If every missing run failed", "if every one passed"
    if not answer.is_pass_fail:
        low, high = "If every missing run had the lowest score", "the highest"
    return [
        Line(
            f"  {low}: {scale.value(answer.bounds.low)}; {high}: {scale.value(answer.bounds.high)}. "
            "The interval spans both.",
            "warning",
        ),
        Line(f"  Scored runs alone would say {scale.value(only.estimate)}, {scale.span(only.low, only.high)}."),
    ]


def _naive(answer: MeasureAnswer, scale: Scale) -> list[Line]:
    naive = answer.naive
    if naive is None:
        return []
    only = answer.scored_only
    short = ((only.high - only.low) - (naive.high - naive.low)) / 2
    if short <= 0 or scale.is_shown_as_0(short):
        return []
    span = scale.span(naive.low, naive.high)
    return [Line(f"  Counting runs as cases would say {span}: too narrow by {scale.distance(short)} a side.")]


def _spread(answer: MeasureAnswer, scale: Scale) -> list[Line]:
    parts = answer.components
    if parts is None:
        return []
    if parts.identical_reps:
        return []
    less_than_0 = " (cases: the estimate fell below 0 and is shown as 0)" if parts.is_truncated else ""
    spread = f"cases {parts.case_sd:.2f}, runs {parts.run_sd:.2f}{less_than_0}"
    has_floor = answer.target == "new-cases" and not scale.is_shown_as_0(parts.floor_half_width)
    floor = f"; no number of reps goes below ±{scale.distance(parts.floor_half_width)}"
    removable = f"More reps can remove at most {100 * parts.run_share:.0f} % of the variance"
    return [Line(f"  Spread: {spread}. {removable}{floor if has_floor else ''}.")]


def _reach(answer: MeasureAnswer, scale: Scale) -> list[Line]:
    if answer.reach is None:
        return []
    reps = f" × {answer.n_reps:,} reps" if answer.n_reps > 1 else ""
    margin = scale.distance(answer.reach.margin).replace(".0 ", " ")
    most = ""
    if answer.reach.cases_at_worst > _FAR_APART * answer.reach.cases:
        worst = scale.value(answer.reach.worst_rate)
        most = f", but {answer.reach.cases_at_worst:,} if the truth is {worst}, which the interval allows"
    return [Line(f"  For ±{margin}: about {count(answer.reach.cases, 'case')}{reps} like these{most}.")]


def _pass_at_k(answer: MeasureAnswer) -> list[Line]:
    found = answer.pass_at_k
    if found is None:
        return []
    scale = Scale(answer.range)
    left_out = f"; {count(found.left_out, 'case')} with fewer runs left out" if found.left_out else ""
    any_span = scale.span(found.any_interval.low, found.any_interval.high)
    all_span = scale.span(found.all_interval.low, found.all_interval.high)
    return [
        Line(f"  pass@{found.k} (at least one of {found.k} runs passes): {scale.value(found.any_of_k)}, {any_span}"),
        Line(
            f"  pass^{found.k} (all {found.k} runs pass): {scale.value(found.all_of_k)}, {all_span}; "
            f"over {count(found.n_cases, 'case')}{left_out}"
        ),
    ]


def _slices(answer: MeasureAnswer, scale: Scale) -> list[Line]:
    if not answer.slices:
        return []
    width = max(len(one.name) for one in answer.slices)
    lines = [
        Line(f"  By {answer.request.by}: each slice with its own interval, and the one that holds for all together")
    ]
    for one in answer.slices[:SLICES_SHOWN]:
        weight = f", weight {percent(one.weight)}" if one.weight is not None else ""
        if one.problem:
            lines.append(Line(f"    {one.name:<{width}}  {scale.value(one.estimate):>8}  no interval: {one.problem}"))
            continue
        together = scale.span(one.simultaneous.low, one.simultaneous.high)
        lines.append(
            Line(
                f"    {one.name:<{width}}  {scale.value(one.estimate):>8}  {scale.span(one.low, one.high)}"
                f"  (together {together}; {count(one.n_cases, 'case')}{weight})"
            )
        )
    if len(answer.slices) > SLICES_SHOWN:
        lines.append(Line(f"    … {len(answer.slices) - SLICES_SHOWN:,} more (--json has all)"))
    return lines


def _method(answer: MeasureAnswer) -> str:
    title = method_title(answer.method)
    if math.isfinite(answer.df):
        title += f", {df_text(answer.df)} df"
    files = listed(answer.source.files, 3)
    return f"{title}; read from {files}" if files else title
