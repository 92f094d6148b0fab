"""Details of lighteval as a ``ScoreTable``."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.case_fields import FieldCollector
from evalgauge.formats.json_text import converted
from evalgauge.formats.plain_text import digest_of
from evalgauge.formats.score_words import score_reading
from evalgauge.formats.typed_columns import json_of
from evalgauge.formats.wording import counted
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import CaseContent, Run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.formats.protocol import Source
    from evalgauge.scores.table import Json, ScoreTable


class Doc(msgspec.Struct):
    """What was asked."""

    query: str = ""
    choices: list[str] | None = None
    gold_index: int | list[int] | None = None
    id: str | int | None = None
    task_name: str | None = None
    specific: dict[str, object] | None = None
    num_samples: int | None = None


class _Row(NamedTuple):
    doc: Doc
    metric: Mapping[str, Json]


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """A file of details that was read.

    Attributes
    ----------
    file, run_id
        Its name, and a hash of what it holds.
    model, task, created
        Who answered, on what, and when.
    rows
        A document and its metrics each.
    """

    file: str
    run_id: str
    model: str
    task: str
    created: str
    rows: Sequence[_Row]


def details_of(source: Source, *, task: str, created: str, model: str) -> Details:
    """Return the documents and metrics of a file; answers, which are most of it, are not read.

    Raises
    ------
    LogError
        The file is damaged, holds no row, or its columns have another shape.
    """
    from evalgauge.engine import duck  # noqa: PLC0415 (the engine is loaded only where it is needed)

    columns = {
        one.name: one.values.tolist()
        for one in duck.parquet_columns(source.path, label=source.name, only=("doc", "metric"))
    }
    rows = [
        _Row(
            converted(json_of(doc), Doc, file=source.name, record=f"row {number}"),
            metric if isinstance(metric := json_of(one), dict) else {},
        )
        for number, (doc, one) in enumerate(zip(columns["doc"], columns["metric"], strict=True), start=1)
    ]
    if not rows:
        raise LogError(source.name, "holds no document.", hint="Was the task run with a limit of 0?")
    return Details(
        file=source.name,
        run_id=digest_of(source.path),
        model=model,
        task=task or rows[0].doc.task_name or "",
        created=created,
        rows=rows,
    )


def table_of_details(details: Details, words: Mapping[str, float]) -> ScoreTable:
    """Return the table of a file.

    Raises
    ------
    LogError
        No metric has a score per document.
    """
    builder = TableBuilder()
    run = builder.add_run(
        Run(
            run_id=details.run_id,
            set_name=details.task,
            arm=details.model,
            arm_detail={"model": details.model},
            framework="lighteval",
            file=details.file,
            created=details.created,
        )
    )
    metrics = _metrics(details, builder)
    collector = FieldCollector()
    seen: Counter[str] = Counter()
    for number, row in enumerate(details.rows, start=1):
        name = str(row.doc.id) if row.doc.id not in (None, "") else str(number)
        content = _content(row.doc)
        case = builder.case_index(name, dup=seen[name], content=content)
        seen[name] += 1
        collector.add(case, row.doc.specific or {}, target=content.target)
        for metric in metrics:
            reading = score_reading(row.metric.get(metric), words)
            index = builder.metric_index(metric)
            builder.add(run=run, case=case, rep=1, metric=index, score=reading.score, raw=reading.raw)
    _say_what_was_reduced(builder, details)
    builder.id_is_row_number = all(row.doc.id in (None, "") for row in details.rows)
    table = builder.build()
    return replace(table, cases=replace(table.cases, fields=collector.columns(len(table.cases))))


def _metrics(details: Details, builder: TableBuilder) -> list[str]:
    """Return the metrics with a score per document; others hold what is reduced over the whole task."""
    names = dict.fromkeys(name for row in details.rows for name in row.metric)
    parts = [name for name in names if any(isinstance(row.metric.get(name), (list, dict)) for row in details.rows)]
    kept = [name for name in names if name not in parts]
    if parts:
        text = f"Not read: {', '.join(parts)}: scores of the whole task, which no document has."
        builder.problem(text, file=details.file, count=len(parts))
    if not kept:
        raise LogError(details.file, "no metric has a score per document.", field="metric")
    return kept


def _content(doc: Doc) -> CaseContent:
    choices = doc.choices or []
    gold = [doc.gold_index] if isinstance(doc.gold_index, int) else doc.gold_index or []
    # An open question lists its right answers where others list their options.
    return CaseContent(
        input=doc.query,
        choices=tuple(choices) if len(choices) > 1 else None,
        target=[choices[place] for place in gold if 0 <= place < len(choices)],
    )


def _say_what_was_reduced(builder: TableBuilder, details: Details) -> None:
    sampled = sum((row.doc.num_samples or 1) > 1 for row in details.rows)
    if sampled:
        docs_have = counted(sampled, "document has", "documents have")
        text = f"{docs_have} several answers and one score over them: the spread between answers is not known."
        builder.problem(text, file=details.file, count=sampled)
