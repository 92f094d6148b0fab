"""Metrics of which less is better, where the log does not say so: known by what they count."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from evalgauge.formats.aliases import plain_name
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from evalgauge.scores.table import Metric, ScoreTable

# Each counts what nobody wants. Words that some tools turn round (refusal, relevance of noise, distance) are not here.
_UNWANTED = frozenset({
    *("hallucination", "hallucinations", "hallucinated", "toxicity", "toxic", "harmfulness", "harmful"),
    *("maliciousness", "malicious", "harm"),
    *("bias", "unsafe", "violation", "violations", "noise_sensitivity", "failed", "failure", "failures", "fails"),
    *("incorrect", "wrong", "mistake", "mistakes", "error_rate", "failure_rate", "hallucination_rate"),
    *("toxicity_rate", "wer", "cer", "ter", "word_error_rate", "character_error_rate", "perplexity", "ppl"),
    *("word_perplexity", "byte_perplexity", "bits_per_byte", "nll", "brier", "brier_score", "mae", "mse", "rmse"),
    *("violence", "self_harm", "sexual", "hate_unfairness", "hate_speech", "pii_leaked", "stereotype", "stereotypes"),
    *("mean_absolute_error", "mean_squared_error", "edit_distance", "attack_success", "attack_success_rate", "asr"),
})  # fmt: skip
_FRAME = re.compile(r"^(?:annotation|feedback|scores?|metrics?|eval|gpt|is|has|was)_|_(?:score|value|flag)$")
_SETTING = re.compile(r"[_ ]*[(\[][^()\[\]]*[)\]]$")
_PARTS = re.compile(r"[./:|,]")
_NO_NAME = re.compile(r"score|value|v\d+|none|mean|")


def is_less_better(name: str) -> bool:
    """Return whether a metric's name says that it counts what is not wanted.

    Examples
    --------
    >>> is_less_better("toxicity/v1/score"), is_less_better("feedback.hallucination"), is_less_better("is_wrong")
    (True, True, True)
    >>> is_less_better("Hallucination/pass"), is_less_better("no hallucination"), is_less_better("failed tests passed")
    (False, False, False)
    """
    plain = _SETTING.sub("", plain_name(name))
    parts = [part for part in _PARTS.split(plain) if not _NO_NAME.fullmatch(part)]
    if not parts:
        return False
    word = parts[-1].strip("_")
    while (bare := _FRAME.sub("", word)) != word:
        word = bare
    return word in _UNWANTED


def with_directions(table: ScoreTable) -> ScoreTable:
    """Return the table with "lower is better" said of the metrics whose names say it, and of nothing that a log says.

    Each is named in ``problems``: a verdict turns with it.
    """
    found = [one for one in table.metrics if one.higher_is_better is None and is_less_better(one.name)]
    if not found:
        return table
    file = table.runs[0].file if table.runs else ""
    return replace(
        table,
        metrics=tuple(replace(one, higher_is_better=False) if one in found else one for one in table.metrics),
        problems=(*table.problems, *(_said(one, file) for one in found)),
    )


def _said(metric: Metric, file: str) -> Problem:
    text = f"Lower is better in {metric.name!r}, as its name says. If more of it is better, give it another name."
    return Problem(text=text, file=file)
