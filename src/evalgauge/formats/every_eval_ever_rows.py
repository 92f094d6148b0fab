"""The records of Every Eval Ever, schema 0.3, as far as scores need them."""

from __future__ import annotations

from typing import Any

import msgspec


class Input(msgspec.Struct):
    """What was asked and is expected."""

    raw: Any = None
    reference: Any = None
    choices: list[str] | None = None


class Evaluation(msgspec.Struct):
    """The score of one sample."""

    score: Any = None


class SampleRow(msgspec.Struct):
    """One sample by one metric."""

    evaluation_id: str
    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: Evaluation
    evaluation_result_id: str = ""
    sample_hash: str | None = None
    input: Input = msgspec.field(default_factory=Input)
    error: str | None = None
    metadata: dict[str, Any] | None = None


class MetricConfig(msgspec.Struct):
    """What a metric is; a range may be the words Infinity and -Infinity."""

    lower_is_better: bool | None = None
    metric_id: str | None = None
    metric_name: str | None = None
    min_score: float | str | None = None
    max_score: float | str | None = None
    has_unknown_level: bool | None = None


class ScoreDetails(msgspec.Struct):
    """The total."""

    score: float | None = None


class EvaluationResult(msgspec.Struct):
    """A total that samples belong to."""

    evaluation_name: str
    evaluation_result_id: str = ""
    metric_config: MetricConfig = msgspec.field(default_factory=MetricConfig)
    score_details: ScoreDetails | None = None


class Detailed(msgspec.Struct):
    """Where the samples are."""

    file_path: str = ""
    hash_algorithm: str | None = None
    checksum: str | None = None
    total_rows: int | None = None


class ModelInfo(msgspec.Struct):
    """Who answered."""

    id: str = ""
    name: str = ""
    inference_platform: str | None = None


class Library(msgspec.Struct):
    """What ran the evaluation."""

    name: str = ""
    version: str = ""


class Aggregate(msgspec.Struct):
    """The results of one model."""

    evaluation_id: str
    evaluation_results: list[EvaluationResult] = []
    model_info: ModelInfo = msgspec.field(default_factory=ModelInfo)
    eval_library: Library = msgspec.field(default_factory=Library)
    evaluation_timestamp: str | None = None
    retrieved_timestamp: str | None = None
    detailed_evaluation_results: Detailed | None = None
