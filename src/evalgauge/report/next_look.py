"""What to ask of a log once it has been looked at."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from evalgauge.questions.units import Words
from evalgauge.report.command_line import log_words, option_words, value_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.look_at import LookAtAnswer, SeenScores

_BASELINE = re.compile(
    r"(?<![a-z0-9])(?:baseline|base|control|without(?:_?skill)?|old|previous|before|champion)(?![a-z0-9])",
    re.IGNORECASE,
)
OTHER_LOG = "  (CANDIDATE: your other log)"


def after_look_at(answer: LookAtAnswer) -> list[str]:
    """Return what to ask of a log: its score, a comparison, and what more reps would buy; nothing if none is scored."""
    scored = [(arm, one) for arm in answer.arms for one in arm.scores if one.scored]
    if not scored:
        return []
    request = answer.request
    askable = next((pair for pair in scored if not _unsayable(answer, pair[1])), None)
    if askable is None:
        # No option can name such words; in a table they can be given numbers by hand.
        return [" ".join(["evalgauge convert", *log_words(request.logs), *option_words(request), "-o scores.csv"])]
    arm, scores = askable
    several_metrics = len({one.metric for other in answer.arms for one in other.scores}) > 1
    sets = list(dict.fromkeys(other.set_name for other in answer.arms))
    beside = list(dict.fromkeys(other.arm for other in answer.arms if other.set_name == arm.set_name))
    log = log_words(request.logs)
    reading = option_words(request)
    chosen = [f"--task {shlex.quote(arm.set_name)}"] if len(sets) > 1 and arm.set_name else []
    of_arm = [*chosen, *([f"--arm {shlex.quote(arm.arm)}"] if len(beside) > 1 else [])]
    score = [
        *([f"--metric {shlex.quote(scores.metric)}"] if several_metrics else []),
        *_missing_words(answer, scores),
        *_range_words(answer, scores),
    ]
    fields = [field for field in answer.fields if field.set_name == arm.set_name]
    slices = [field.name for field in fields if field.use == "slice"]
    clusters = sorted((field for field in fields if field.use == "cluster"), key=lambda field: -field.values)
    groups = [
        *(f"--by {shlex.quote(name)}" for name in slices[:1]),
        *(f"--cluster {shlex.quote(field.name)}" for field in clusters[:1]),
    ]
    has_range = score[-1:] != ["none"]
    # A margin in points, and reps, are weighed as shares of a range.
    margin = ["--margin 2pp"] if has_range else []
    words = [["measure", *log, *reading, *of_arm, *score, *groups]]
    if len(beside) > 1:
        arms = shlex.quote(",".join(baseline_first(beside)[:2]))
        words.append(["compare", *log, *reading, "--arms", arms, *chosen, *score, *margin])
    else:
        words.append(["compare", *log, "CANDIDATE", *reading, *chosen, *score, *margin, OTHER_LOG])
    if scores.repeated_cases and arm.rep_kind != "judge" and has_range:
        words.append(["plan reps", *log, *reading, *of_arm, *score])
    return [" ".join(["evalgauge", *one]) for one in words]


def baseline_first(arms: Sequence[str]) -> list[str]:
    """Return arms in their order, but one whose name says that it is the baseline before the others.

    Examples
    --------
    >>> baseline_first(("sonnet with_skill", "sonnet baseline"))
    ['sonnet baseline', 'sonnet with_skill']
    """
    first = next((arm for arm in arms if _BASELINE.search(arm)), None)
    return list(arms) if first is None else [first, *(arm for arm in arms if arm != first)]


def _words_of(answer: LookAtAnswer, scores: SeenScores) -> tuple[str, ...]:
    return next(metric.words for metric in answer.metrics if metric.name == scores.metric)


def _unsayable(answer: LookAtAnswer, scores: SeenScores) -> bool:
    """Return whether a score has words that --words cannot hold: it parts them at commas and equals signs."""
    return not answer.request.words and any(set(",=") & set(word) for word in _words_of(answer, scores))


def guesses_words(answer: LookAtAnswer) -> bool:
    """Return whether what follows gives words numbers that only their user knows."""
    return not answer.request.words and any(" --words " in command for command in after_look_at(answer))


def _missing_words(answer: LookAtAnswer, scores: SeenScores) -> list[str]:
    """Return numbers to fill in for words that have none, none of them 1 for a word that says no."""
    from evalgauge.scores.word_hints import says_no  # noqa: PLC0415 - a plan from numbers alone starts without scores

    words = _words_of(answer, scores)
    if not words or answer.request.words:
        return []
    # Only a log has words; a plan from numbers alone starts without the room that knows them.

    negative = [says_no(word) for word in words]
    # Without a word that says no, any number is a guess that the user changes: the first word is as good as another.
    numbers = [0.0 if no else 1.0 for no in negative] if any(negative) else [1.0, *[0.0] * (len(words) - 1)]
    return ["--words", shlex.quote(value_text(Words(zip(words, numbers, strict=True))))]


def _range_words(answer: LookAtAnswer, scores: SeenScores) -> list[str]:
    metric = next(metric for metric in answer.metrics if metric.name == scores.metric)
    if scores.low is None or scores.high is None or (metric.low is not None and metric.high is not None):
        return []
    if scores.low >= 0 and scores.high <= 1:
        return []
    from evalgauge.scores.range_hints import likely_scale  # noqa: PLC0415 - as above

    scale = likely_scale(scores.low, scores.high)
    return ["--range", "none" if scale is None else f"{scale[0]:g}:{scale[1]:g}"]


def guesses_range(answer: LookAtAnswer) -> bool:
    """Return whether what follows gives scores a range that only their user knows."""
    return any(" --range " in command for command in after_look_at(answer))
