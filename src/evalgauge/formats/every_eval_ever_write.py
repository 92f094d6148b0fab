"""Score tables as Every Eval Ever, schema 0.3: the results of one model with their intervals, and its samples.

The format has no place for a run without a score, nor for the number of a rep. Runs without a score are counted in the
details of a result and have no row; numbers of reps stand in a row's metadata.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from evalgauge.errors import ArgumentError
from evalgauge.formats.every_eval_ever_table import OWN
from evalgauge.formats.json_text import text_of
from evalgauge.formats.writers import checked_place, write_beside
from evalgauge.scores.identity import fingerprints
from evalgauge.scores.table import Status
from evalgauge.scores.units import unit_table, units

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from evalgauge.scores.table import CaseContent, Metric, Run, ScoreTable

SCHEMA = "0.3.0"
_END = "_samples.jsonl"
_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenScore:
    """A score with its interval, as it is written beside the samples.

    Attributes
    ----------
    set_name, metric
        Which score.
    estimate, low, high
        In the units of the samples.
    confidence
        Level of the interval, two-sided.
    method
        Name of its rule.
    n_cases
        Cases that it rests on.
    details
        What else it rests on: reps, planned runs, what a missing score counts for.
    """

    set_name: str
    metric: str
    estimate: float
    low: float
    high: float
    confidence: float
    method: str
    n_cases: int
    details: Mapping[str, str]


def write_every_eval_ever(
    table: ScoreTable,
    scores: Sequence[WrittenScore],
    output: str | Path,
    *,
    overwrite: bool = False,
    with_content: bool = False,
) -> int:
    """Write the scores of one arm, with their intervals, and a row per scored run and metric beside them.

    Parameters
    ----------
    table
        What was read; one arm.
    scores
        The results to write: one per eval set and metric. Rows of other metrics are not written.
    output
        Where to: ``x.json``; the samples become ``x_samples.jsonl``.
    overwrite
        Whether files that are there may be replaced.
    with_content
        Whether to write what the cases ask and expect, as text, beside their hashes.

    Returns
    -------
    int
        How many rows of samples were written. They hold hashes of the cases and their slice fields, and contents
        only where these were asked for.

    Raises
    ------
    ArgumentError
        If the table holds several arms, or a file cannot be written.

    References
    ----------
    Every Eval Ever, ``eval.schema.json`` and ``instance_level_eval.schema.json``, version 0.3.0.
    """
    target = Path(output)
    samples = target.with_name(target.stem + _END)
    for place in (target, samples):
        checked_place(place, overwrite=overwrite)
    arms = list(dict.fromkeys(run.arm for run in table.runs))
    if len(arms) != 1:
        raise ArgumentError("--arm", "nothing", f"one of {', '.join(arms)}", "Every Eval Ever keeps one model a file.")
    ids = _Ids(table)
    rows = b"".join(
        json.dumps(record, ensure_ascii=True).encode() + b"\n"
        for record in _sample_rows(
            table, ids, {(one.set_name, one.metric) for one in scores}, with_content=with_content
        )
    )
    n_rows = rows.count(b"\n")
    results = {
        **_head(table.runs[0], ids),
        "evaluation_results": [_result(one, table, ids) for one in scores],
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": ids.path_in_store(rows),
            "hash_algorithm": "sha256",
            "checksum": hashlib.sha256(rows).hexdigest(),
            "total_rows": n_rows,
        },
    }
    text = json.dumps(results, ensure_ascii=False, indent=2) + "\n"
    write_beside(samples, lambda part: part.write_bytes(rows))
    write_beside(target, lambda part: part.write_text(text, encoding="utf-8"))
    return n_rows


class _Ids:
    """The names by which results and samples point at each other."""

    def __init__(self, table: ScoreTable) -> None:
        run = table.runs[0]
        self.moment = str(int(time.time()))
        self.model = run.arm
        self.collection = run.set_name or Path(run.file).stem or "eval"
        self.evaluation = f"{self.collection}/{_slug(self.model)}/{self.moment}"

    def name(self, set_name: str) -> str:
        return set_name or self.collection

    def result(self, set_name: str, metric: str) -> str:
        return f"{self.name(set_name)}.{metric}"

    def path_in_store(self, rows: bytes) -> str:
        """Return the path that the format's public store gives the samples; the UUID is made of what they hold."""
        made_of = hashlib.sha256(self.evaluation.encode() + rows).digest()[:16]
        developer, _, model = self.model.rpartition("/")
        folder = "/".join(map(_slug, (self.collection, developer or _UNKNOWN, model)))
        return f"data/{folder}/{UUID(bytes=made_of, version=4)}{_END}"


def _slug(text: str) -> str:
    return re.sub(r"[^\w.-]+", "_", text) or _UNKNOWN


def _head(run: Run, ids: _Ids) -> dict[str, object]:
    detail = {name: value for name, value in run.arm_detail.items() if name != "model"}
    return {
        "schema_version": SCHEMA,
        "evaluation_id": ids.evaluation,
        **({"evaluation_timestamp": run.created} if run.created else {}),
        "retrieved_timestamp": ids.moment,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": _UNKNOWN,
            "evaluator_relationship": "other",
        },
        "eval_library": {"name": run.framework, "version": run.framework_version or _UNKNOWN},
        "model_info": {
            "name": run.arm,
            "id": run.arm,
            "additional_details": {
                "deployment_type": _UNKNOWN,
                "model_availability": _UNKNOWN,
                **detail,
            },
        },
    }


def _result(score: WrittenScore, table: ScoreTable, ids: _Ids) -> dict[str, object]:
    metric = next(one for one in table.metrics if one.name == score.metric)
    return {
        "evaluation_result_id": ids.result(score.set_name, score.metric),
        "evaluation_name": ids.name(score.set_name),
        "source_data": {"dataset_name": ids.name(score.set_name), "source_type": "other"},
        "metric_config": {
            "metric_id": score.metric,
            "metric_name": score.metric,
            "lower_is_better": metric.higher_is_better is False,
            "score_type": "binary" if metric.kind == "binary" else "continuous",
            # The format asks for both ends, and has these words for a metric without.
            "min_score": _end(metric.low, 0, "-Infinity", metric),
            "max_score": _end(metric.high, 1, "Infinity", metric),
        },
        "score_details": {
            "score": score.estimate,
            "details": dict(score.details),
            "uncertainty": {
                "confidence_interval": {
                    "lower": score.low,
                    "upper": score.high,
                    "confidence_level": score.confidence,
                    "method": score.method,
                },
                "num_samples": score.n_cases,
            },
        },
    }


def _end(declared: float | None, of_binary: float, otherwise: str, metric: Metric) -> float | str:
    if declared is not None:
        return declared
    return of_binary if metric.kind == "binary" else otherwise


def _sample_rows(
    table: ScoreTable, ids: _Ids, wanted: Collection[tuple[str, str]], *, with_content: bool
) -> Iterator[dict[str, object]]:
    for unit in units(table):
        own = unit_table(table, unit)
        cases = _Written(own, with_content=with_content)
        names = [metric.name for metric in own.metrics]
        for place in range(len(own)):
            metric, score = names[int(own.metric[place])], float(own.score[place])
            if own.status[place] != Status.OK or math.isnan(score) or (unit.set_name, metric) not in wanted:
                continue
            yield {
                "schema_version": SCHEMA,
                "evaluation_id": ids.evaluation,
                "model_id": ids.model,
                "evaluation_name": ids.name(unit.set_name),
                "evaluation_result_id": ids.result(unit.set_name, metric),
                **cases.of(int(own.case[place])),
                "evaluation": {"score": score, "is_correct": score == 1},
                "metadata": cases.metadata(int(own.case[place]), int(own.rep[place])),
            }


class _Written:
    """What a row says about its case: hashes in place of its texts, and its fields."""

    def __init__(self, table: ScoreTable, *, with_content: bool) -> None:
        self._cases = table.cases
        self._is_shown = with_content
        self._prints = fingerprints(table.cases)
        self._contents = [None] * len(table.cases) if table.cases.contents is None else table.cases.contents()

    def of(self, case: int) -> dict[str, object]:
        return {
            "sample_id": self._cases.case_id[case],
            "sample_hash": _sample_hash(self._contents[case]),
            "interaction_type": "single_turn",
            "input": _asked(self._contents[case] if self._is_shown else None),
            "output": {"raw": list[str]()},
            "answer_attribution": list[str](),
        }

    def metadata(self, case: int, rep: int) -> dict[str, str]:
        dup = int(self._cases.dup[case])
        own = {
            "rep": str(rep),
            "case_dup": str(dup) if dup else None,
            "case_fp": self._prints.case_fp[case],
            "input_fp": self._prints.input_fp[case],
        }
        fields = {name: values[case] for name, values in self._cases.fields.items()}
        found = {**fields, **{f"{OWN}{name}": value for name, value in own.items()}}
        return {name: value for name, value in found.items() if value is not None}


def _asked(content: CaseContent | None) -> dict[str, object]:
    if content is None:
        return {"raw": "", "reference": list[str]()}
    asked: dict[str, object] = {"raw": text_of(content.input), "reference": _references(content)}
    return asked if content.choices is None else {**asked, "choices": list(content.choices)}


def _references(content: CaseContent) -> list[str]:
    target = content.target
    several = target if isinstance(target, (list, tuple)) else [] if target is None else [target]
    return [text_of(one) for one in several]


def _sample_hash(content: CaseContent | None) -> str | None:
    """Return the format's own hash of a case whose texts it could hold: input and references."""
    if content is None or not isinstance(content.input, str):
        return None
    text = json.dumps({"raw": content.input, "reference": _references(content)}, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
