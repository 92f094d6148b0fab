"""The answer to "what is in this log" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_look import after_look_at, guesses_range, guesses_words
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, listed

if TYPE_CHECKING:
    from evalgauge.questions.look_at import LookAtAnswer, SeenArm, SeenField, SeenMetric, SeenScores

SHOWN = 20
_NAME_CHARS = 40
_IDENTITY_WORDS = {
    "content": "by content",
    "source hash": "by the framework's own hash of the content",
    "id": "by id alone: the log holds no content",
    "row number": "by row number alone: the log holds neither ids nor content",
}
_REP_WORDS = {
    "judge": "Reps judge one output again: they hold no noise of the system",
    "prompt": "Reps draw other examples for the prompt",
}


def look_at_lines(answer: LookAtAnswer) -> list[Line]:
    """Return what is in the logs, from the whole to the fields, and what to run next."""
    sets = list(dict.fromkeys(arm.set_name for arm in answer.arms if arm.set_name))
    parts = [count(answer.cases, "case"), count(len({arm.arm for arm in answer.arms}), "arm")]
    parts += [count(len(answer.metrics), "metric"), *([count(len(sets), "set")] if len(sets) > 1 else [])]
    framework = ", ".join(dict.fromkeys(arm.framework for arm in answer.arms))
    lines = [Line(f"{', '.join(parts)} ({framework})", "headline")]
    for arm in answer.arms[:SHOWN]:
        lines += _arm(arm)
    lines += _more(len(answer.arms), "arm")
    lines += [Line("  Metrics:"), *(Line(f"    {_metric(one)}") for one in answer.metrics[:SHOWN])]
    lines += _more(len(answer.metrics), "metric")
    lines += _fields(answer)
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    following = after_look_at(answer)
    if not following:
        lines.append(
            Line("  No run has a score, so nothing can be asked: fix the errors and run the eval again.", "bad")
        )
    if guesses_words(answer):
        lines.append(Line("  The numbers behind --words are guesses: say what each word is worth.", "warning"))
    if guesses_range(answer):
        text = "The scale behind --range is a guess from the scores seen: say the lowest and highest possible score."
        lines.append(Line(f"  {text}", "warning"))
    return [*lines, *(Line(f"  Next: {command}", "command") for command in following)]


def _fields(answer: LookAtAnswer) -> list[Line]:
    shown = answer.fields[:SHOWN]
    several = len({field.set_name for field in answer.fields}) > 1
    lines: list[Line] = []
    for set_name in dict.fromkeys(field.set_name for field in shown):
        of_set = f" on {set_name}" if several and set_name else ""
        lines.append(Line(f"  Fields of the cases{of_set}:"))
        lines += [Line(f"    {_field(field)}") for field in shown if field.set_name == set_name]
    return [*lines, *_more(len(answer.fields), "field")]


def _more(total: int, noun: str) -> list[Line]:
    return [Line(f"    … {count(total - SHOWN, noun)} more (--json shows all)", "quiet")] if total > SHOWN else []


def _arm(arm: SeenArm) -> list[Line]:
    name = f"{arm.arm} on {arm.set_name}" if arm.set_name else arm.arm
    known = f"known again {_IDENTITY_WORDS[arm.identity]}"
    if arm.identity == "content" and arm.known_contents < arm.cases:
        known += f" where it is known ({arm.known_contents:,} of them)"
    lines = [Line(f"  {name}: {count(arm.cases, 'case')}, {known}")]
    lines += [Line(f"    {_scores(one)}", "warning" if _is_odd(one) else "plain") for one in arm.scores[:SHOWN]]
    lines += _more(len(arm.scores), "metric")
    states = [state for state in arm.states if state != "complete"]
    if states:
        lines.append(Line(f"    How the run ended: {', '.join(states)}", "warning"))
    if arm.rep_kind in _REP_WORDS:
        lines.append(Line(f"    {_REP_WORDS[arm.rep_kind]}", "warning"))
    for copies, what in ((arm.content_copies, "content"), (arm.id_copies, "id")):
        if copies:
            have = "case has" if copies == 1 else "cases have"
            lines.append(Line(f"    {copies:,} {have} the {what} of an earlier case; all are kept", "warning"))
    lines += [Line(f"    {note}", "warning") for note in arm.notes]
    return [*lines, Line(f"    read from {listed(arm.files, 2)}", "quiet")]


def _is_odd(scores: SeenScores) -> bool:
    return scores.scored < scores.planned or scores.every_rep_identical


def _scores(scores: SeenScores) -> str:
    reps = f"{scores.least_reps:,}"
    if scores.most_reps > scores.least_reps:
        reps = f"{reps} to {scores.most_reps:,}"
    size = f"{count(scores.cases, 'case')} × {reps} {'rep' if reps == '1' else 'reps'}"
    done = f"{count(scores.planned, 'run')}, {scores.scored:,} scored"
    missing = ", ".join(f"{number:,} {word}" for word, number in scores.by_status.items() if word != "ok")
    identical = (
        "; every rep identical: served from a cache, or run at temperature 0?" if scores.every_rep_identical else ""
    )
    return f"{scores.metric}: {size} = {done}{f' ({missing})' if missing else ''}{identical}"


def _metric(metric: SeenMetric) -> str:
    kinds = {"binary": "pass or fail, 0 or 1", "categorical": f"words without a number: {listed(metric.words)}"}
    text = kinds.get(metric.kind, "a number")
    if metric.low is not None and metric.high is not None and metric.kind == "continuous":
        text += f" from {metric.low:g} to {metric.high:g}"
    return f"{metric.name}: {text}{'; lower is better' if metric.higher_is_better is False else ''}"


def _field(field: SeenField) -> str:
    values = ", ".join(f"{_short(value)} {number:,}" for value, number in list(field.most.items())[:4])
    several = f"{field.values:,} values ({values}{', …' if field.values > 4 else ''})"
    uses = {
        "slice": f"{several}: --by {field.name}",
        "cluster": f"{field.values:,} values over {count(field.known, 'case')}: --cluster {field.name}",
        "too few": f"{several}: too few cases to group by",
        "constant": f"always {_short(next(iter(field.most), ''))}",
        "own value each": "another value in each case",
    }
    return f"{field.name}: {uses[field.use]}"


def _short(text: str) -> str:
    return text if len(text) <= _NAME_CHARS else text[: _NAME_CHARS - 1] + "…"
