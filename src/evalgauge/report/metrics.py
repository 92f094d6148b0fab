"""The answer of a gate as flat numbers under the names that trackers and telemetry use.

=====================  ==========================================================================
key                    holds
=====================  ==========================================================================
``mlflow``             name → number, for ``mlflow.log_metrics``
``opentelemetry``      attributes of one ``gen_ai.evaluation.result`` event per rule
``every_eval_ever``    per score ``score_details`` with its ``uncertainty``
=====================  ==========================================================================
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalgauge.questions.gate import GateAnswer, RuleVerdict
    from evalgauge.questions.measure import MeasureAnswer

EVENT = "gen_ai.evaluation.result"
_NOT_IN_NAMES = re.compile(r"[^0-9A-Za-z_\-. /]+")
_VERDICTS = {"pass": 1.0, "inconclusive": 0.5, "fail": 0.0}


def metrics_text(answer: GateAnswer) -> str:
    """Return the numbers as one JSON document; shares are in 0 to 1, what does not exist is left out."""
    document = {
        "mlflow": mlflow_metrics(answer),
        "opentelemetry": [_event(row) for row in answer.rules],
        "every_eval_ever": [_score_details(score) for score in answer.scores],
    }
    return json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def mlflow_metrics(answer: GateAnswer) -> dict[str, float]:
    """Return name → number; the verdict is 1 for pass, 0.5 for inconclusive, 0 for fail."""
    found: dict[str, float] = {"gate/verdict": _VERDICTS[answer.verdict], "gate/outcome": _VERDICTS[answer.outcome]}
    for row in answer.rules:
        name = "/".join(part for part in ("gate", row.metric, row.rule, row.part) if part)
        found[f"{name}/verdict"] = _VERDICTS[row.verdict]
        for key in ("threshold", "estimate", "low", "high", "confidence", "n_cases", "needs_cases", "needs_reps"):
            value = getattr(row, key)
            if value is not None and math.isfinite(value):
                found[f"{name}/{key}"] = value
    for comparison in answer.comparisons:
        name = f"compare/{comparison.candidate.source.metric}"
        for key in ("estimate", "low", "high", "p_value"):
            found[f"{name}/{key}"] = getattr(comparison.difference, key)
    for score in answer.scores:
        for key in ("estimate", "low", "high", "n_cases", "scored", "planned"):
            found[f"score/{score.source.metric}/{key}"] = getattr(score, key)
    return {_NOT_IN_NAMES.sub("_", name): value for name, value in found.items()}


def _event(row: RuleVerdict) -> dict[str, object]:
    name = " ".join(part for part in (row.metric, row.rule, row.part) if part)
    attributes: dict[str, object] = {
        "event.name": EVENT,
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": row.estimate,
        "gen_ai.evaluation.score.label": row.verdict,
        "gen_ai.evaluation.explanation": row.reason,
        "evalgauge.evaluation.score.lower": row.low,
        "evalgauge.evaluation.score.upper": row.high,
        "evalgauge.evaluation.score.confidence_level": row.confidence,
        "evalgauge.evaluation.threshold": row.threshold,
        "evalgauge.evaluation.cases": row.n_cases,
    }
    return {key: value for key, value in attributes.items() if _is_there(value)}


def _score_details(score: MeasureAnswer) -> dict[str, object]:
    uncertainty: dict[str, object] = {
        "confidence_interval": {
            "lower": score.low,
            "upper": score.high,
            "confidence_level": float(score.confidence),
            "method": score.method,
        },
        "num_samples": score.n_cases,
    }
    if math.isfinite(score.std_error):
        uncertainty["standard_error"] = {"value": score.std_error, "method": "over case means"}
    return {
        "evaluation_name": "/".join(part for part in (score.source.set_name, score.source.metric) if part),
        "score_details": {"score": score.estimate, "uncertainty": uncertainty},
    }


def _is_there(value: object) -> bool:
    return value is not None and not (isinstance(value, float) and not math.isfinite(value))
