"""After each answer one command that is worth running next."""

from __future__ import annotations

import shlex
from dataclasses import fields
from typing import TYPE_CHECKING

from evalgauge.questions.plan_design import PlanDesignRequest
from evalgauge.report.command_line import log_words, option_words, value_text

if TYPE_CHECKING:
    from evalgauge.planning.results import Design
    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.convert import ConvertAnswer
    from evalgauge.questions.measure import MeasureAnswer
    from evalgauge.questions.plan import ChangeOptions, PlanAnswer
    from evalgauge.questions.plan_design import PlanDesignAnswer
    from evalgauge.questions.plan_reps import PlanRepsAnswer


# Options of a score that a comparison takes too.
SHARED = (
    *("columns", "words", "wide_reps", "tolerant", "metric", "task", "by", "cluster", "score_range", "missing"),
    "confidence",
)


def after_measure(answer: MeasureAnswer) -> str:
    """Return what to run after a score: what other reps would buy, where there are reps; else a comparison."""
    request = answer.request
    if not answer.source.files:
        counted = request.logs[0] if request.logs else f"{request.passed}/{request.of}"
        return " ".join(["evalgauge compare", counted, "K/N --unpaired", *option_words(request, only=("confidence",))])
    log = _own_log(answer)
    others = [arm for arm in answer.beside if arm != answer.source.arm]
    if others and len(request.logs) == 1:
        arms = shlex.quote(",".join((answer.source.arm, others[0])))
        task = [f"--task {shlex.quote(answer.source.set_name)}"] if answer.source.set_name else []
        shared = option_words(request, only=(*SHARED, "wide_arms"), leave_out=("task",))
        return " ".join(["evalgauge compare", *log_words(request.logs), "--arms", arms, *task, *shared, "--margin 2pp"])
    if answer.n_reps > 1 and answer.range is not None:
        pilot = option_words(request, only=("metric", "columns", "words", "wide_reps", "score_range"))
        return " ".join(["evalgauge plan reps", *log, *pilot])
    shared = option_words(request, only=SHARED, leave_out=("task",))
    return " ".join(["evalgauge compare", *log, "CANDIDATE", *shared, "--margin 2pp"])


def _own_log(answer: MeasureAnswer) -> list[str]:
    """Return the words that name what this answer measured, and nothing else that its logs hold."""
    request, source = answer.request, answer.source
    if len(source.files) == 1:
        return [*log_words(source.files), *option_words(request, only=("task", "arm"))]
    chosen = [f"--task {shlex.quote(source.set_name)}"] if source.set_name else []
    if len(answer.beside) > 1:
        chosen.append(f"--arm {shlex.quote(source.arm)}")
    return [*log_words(request.logs), *chosen]


def after_compare(answer: CompareAnswer) -> str:
    """Return what to run after a verdict: the claim with a margin, the cases that would decide, or what changed."""
    request = answer.request
    words = ["evalgauge compare", *log_words(request.logs)]
    if request.margin is None:
        return " ".join([*words, *option_words(request), "--margin 2pp"])
    if answer.verdict == "inconclusive" and answer.is_paired and answer.is_pass_fail and len(request.logs) == 2:
        drop = f"--design paired --drop {value_text(request.margin)}"
        pilot = option_words(request, only=("metric", "task", "columns", "words", "wide_reps"))
        return " ".join(["evalgauge plan", *_likes(request.logs), *pilot, drop])
    if not request.flips and answer.pairing.by not in {"counts", "none"}:
        return " ".join([*words, *option_words(request), "--flips"])
    return " ".join([*words, *option_words(request), "--json"])


def after_convert(answer: ConvertAnswer) -> str:
    """Return what to run after a conversion: the main job on the new file."""
    chosen = ["--metric", shlex.quote(answer.metrics[0])] if len(answer.metrics) > 1 else []
    return " ".join(["evalgauge measure", *log_words([answer.output]), *chosen])


def after_plan(answer: PlanAnswer) -> str:
    """Return what to run after a plan: the designs side by side; once one was chosen, the comparison it is for."""
    request = answer.request
    if answer.design != "held-reference":
        return _planned_comparison(request, answer.design)
    known = {field.name for field in fields(PlanDesignRequest)} - {"like"}
    return " ".join(["evalgauge plan design", *option_words(request, only=known), *_likes(request.like)])


def after_plan_design(answer: PlanDesignAnswer) -> str:
    """Return what to run after a choice of design: the comparison that it is for, once its cases have run."""
    return _planned_comparison(answer.request, answer.recommended)


def _planned_comparison(asked: ChangeOptions, design: Design) -> str:
    unpaired = ["--unpaired"] if design == "independent-arms" else []
    shared = option_words(asked, only=("confidence", "by", "columns", "words", "metric", "task", "cluster"))
    drop = getattr(asked, "max_drop", None)
    margin = [] if drop is None else ["--margin", value_text(drop)]
    command = " ".join(["evalgauge compare BASELINE CANDIDATE", *unpaired, *shared, *margin])
    return f"run both systems on such cases, then {command}"


def after_plan_reps(answer: PlanRepsAnswer) -> str:
    """Return what to run after a question about reps: the counts for a margin or a change, or the plan of a set."""
    asked = answer.request
    if answer.sketch is not None:
        return "evalgauge plan reps --case-sd 0.4 --run-sd 0.3 --margin 5pp   (your own spread)"
    if answer.counts or answer.is_too_few:
        return " ".join(["evalgauge plan", *_likes(asked.logs)])
    words = ["evalgauge plan reps", *(shlex.quote(log) for log in asked.logs)]
    for name in ("case_sd", "run_sd", "change_sd", "run_sd_candidate"):
        value = getattr(asked, name)
        if value is not None:
            words += [f"--{name.replace('_', '-')}", f"{value:g}"]
    goal = "--drop 5pp" if answer.kind == "paired change" else "--margin 5pp"
    return " ".join([*words, goal])


def _likes(logs: tuple[str, ...]) -> list[str]:
    return [word for log in logs for word in ("--like", shlex.quote(log))]
