"""Tables that platforms export: known by their columns, and which of these play which role.

A plain table is read by the names of its columns. The tables of a platform hold columns whose names say something else
than they mean there (an ``id`` of the run, not of the case), so they are recognised first. What the user maps wins.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.formats.cells import is_score_like
from evalgauge.formats.columns import Words, encoded, encoded_values, texts
from evalgauge.formats.plain_presets import PLAIN_PRESETS
from evalgauge.formats.preset import Preset
from evalgauge.formats.record_cells import alone, laid_out, parsed, with_records_laid_out

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.formats.columns import Column, Table
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import Json

NamedRoles: TypeAlias = "dict[str, tuple[Column, ...]]"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A table with the roles that its platform gives its columns.

    Attributes
    ----------
    table
        Without the columns that belong to the run.
    roles
        Columns by role, as far as the user has not named another one.
    framework
        Name of the platform; ``"table"`` for any other table.
    """

    table: Table
    roles: NamedRoles
    framework: str = "table"


def prepared(table: Table, options: ReadOptions) -> Prepared:
    """Return a table with the roles of the platform that it comes from, or as it is."""
    asked = {name.strip() for value in options.columns.values() for name in (value, *re.split("[|,]", value))}
    asked |= {*options.wide_arms, *options.wide_reps}
    table = with_records_laid_out(table, asked)
    preset = next((one for one in (*_PRESETS, *PLAIN_PRESETS) if one.fits(table.names)), None)
    if preset is None:
        return Prepared(table=table, roles={})
    if preset.prepare is not None:
        table = preset.prepare(table)
    known = {role.strip().lower() for role in options.columns}
    roles: NamedRoles = {}
    for role, names in preset.roles.items():
        columns = _first_of(table, names)
        if columns and role not in known:
            roles[role] = _joined(role, columns)
    taken = {column.name for columns in roles.values() for column in columns} | asked
    if "score" not in known and not (options.wide_arms or options.wide_reps):
        scores = [column for column in table.columns if column.name not in taken and _is_score(preset, column)]
        roles |= {"score": tuple(scores)} if scores else {}
        taken |= {column.name for column in scores}
    dropped = re.compile(preset.dropped)
    columns = tuple(column for column in table.columns if column.name in taken or not dropped.fullmatch(column.name))
    return Prepared(table=replace(table, columns=columns), roles=roles, framework=preset.framework)


def _first_of(table: Table, names: Sequence[str]) -> tuple[Column, ...]:
    for name in names:
        bare = name.rstrip(".")
        found = tuple(column for column in table.columns if column.name == bare and not column.is_empty)
        if not found and name.endswith("."):
            found = tuple(one for one in table.columns if one.name.startswith(name) and not one.is_empty)
        if found:
            return found
    return ()


def _joined(role: str, columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the columns of a role; several columns of a target become one record, as those of an input do later."""
    if len(columns) == 1 or role != "target":
        return columns
    words = [encoded(column) for column in columns]
    leaves = [column.name.partition(".")[2] for column in columns]
    rows = zip(*(_cells(one) for one in words), strict=True)
    records: list[Json] = [dict(zip(leaves, row, strict=True)) for row in rows]
    return (encoded_values(role, records),)


def _cells(column: Words) -> list[Json]:
    values: list[Json] = [*column.values, None]
    return [values[code] for code in column.codes.tolist()]


def _is_score(preset: Preset, column: Column) -> bool:
    if re.fullmatch(preset.scores, column.name, re.DOTALL):
        return not column.is_empty
    is_dropped = re.fullmatch(preset.dropped, column.name) is not None
    return preset.are_rest_scores and not is_dropped and is_score_like(column)


def _with_expectations_apart(table: Table) -> Table:
    """Return MLflow's table with other names for what was expected, which is named there like the scores."""
    expected: set[str] = set()
    for text in texts(encoded(table.column("assessments"))):
        for found in _ASSESSMENT.finditer(text):
            if found["kind"] == "expectation":
                expected.add(f"{found['name']}/value")
    expected -= {"expected_response/value"}
    columns = tuple(
        replace(column, name=column.name.removesuffix("/value")) if column.name in expected else column
        for column in table.columns
    )
    return replace(table, columns=columns)


def _with_roots_only(table: Table) -> Table:
    """Return Braintrust's events without the spans below: the scorers and the task are rows of their own there."""
    own, root = (encoded(table.column(name)) for name in ("span_id", "root_span_id"))
    place = {text: code for code, text in enumerate(texts(root))}
    same = np.asarray([place.get(text, -2) for text in texts(own)] + [-3], dtype=np.int64)
    return _rows(table, same[own.codes] == root.codes)


def _rows(table: Table, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Table:
    if chosen.all() or not chosen.any():
        return table
    columns: list[Column] = []
    for column in table.columns:
        if isinstance(column, Words):
            columns.append(replace(column, codes=column.codes[chosen]))
        else:
            missing = None if column.missing is None else column.missing[chosen]
            columns.append(replace(column, numbers=column.numbers[chosen], missing=missing))
    return replace(table, columns=tuple(columns), n_rows=int(chosen.sum()))


def _of_phoenix(table: Table) -> Table:
    """Return Phoenix's table with records in place of their JSON text, and labels in place of absent scores.

    Its CSV holds inputs and metadata as JSON text, and an evaluator that gives labels has an empty column of scores.
    """
    columns: list[Column] = []
    for column in table.columns:
        name = column.name
        if isinstance(column, Words) and name in {"input", "reference_output", "metadata"}:
            read = replace(
                column, values=[parsed(value) if isinstance(value, str) else value for value in column.values]
            )
            columns += _members(read) if name == "metadata" else [read]
        elif column.is_empty and name.endswith("_score") and f"{name[:-6]}_label" in table.names:
            columns.append(replace(table.column(f"{name[:-6]}_label"), name=name))
        else:
            columns.append(column)
    return replace(table, columns=tuple(columns))


def _members(column: Words) -> list[Column]:
    """Return the members of a column of records as columns."""
    records = [value if isinstance(value, dict) else {} for value in _cells(column)]
    names = dict.fromkeys(name for record in records for name in record)
    return [encoded_values(f"metadata.{name}", [record.get(name) for record in records]) for name in names]


def _of_langfuse_traces(table: Table) -> Table:
    """Return Langfuse's table of traces with its scores known as such: each is a list, under the name of the score."""
    columns: list[Column] = []
    for column in table.columns:
        is_own = column.name in _TRACE_COLUMNS
        single = column if is_own else alone(column)
        columns.append(single if single is column else replace(single, name=f"scores.{column.name}"))
    return laid_out(replace(table, columns=tuple(columns)), ("input", "metadata"))


def _of_langfuse_experiment(table: Table) -> Table:
    """Return Langfuse's table of an experiment with its records in place of their JSON text."""
    return laid_out(table, ("Input", "Expected Output", "Metadata"))


def _of_langfuse_scores(table: Table) -> Table:
    """Return Langfuse's table of scores with the label in place of the number that stands beside a label."""
    if "stringValue" not in table.names:
        return table
    kind, value, label = (_cells(encoded(table.column(name))) for name in ("dataType", "value", "stringValue"))
    scores = [
        two if one == "CATEGORICAL" and two is not None else own
        for one, own, two in zip(kind, value, label, strict=True)
    ]
    columns = [encoded_values("value", scores) if one.name == "value" else one for one in table.columns]
    return replace(table, columns=tuple(columns))


_TRACE_COLUMNS = frozenset({
    *("id", "timestamp", "name", "userId", "sessionId", "release", "version", "environment", "tags", "bookmarked"),
    *("public", "input", "output", "metadata", "comments", "level", "usage", "latency", "observationCount"),
    *("inputCost", "outputCost", "totalCost", "inputTokens", "outputTokens", "totalTokens", "htmlPath", "projectId"),
})  # fmt: skip
_ASSESSMENT = re.compile(
    r"""['"]assessment_name['"]:\s*['"](?P<name>[^'"]+)['"].*?['"](?P<kind>feedback|expectation)['"]:\s*\{""", re.DOTALL
)

_PRESETS = (
    Preset(
        framework="phoenix",
        needs=frozenset({"example_id", "repetition_number", "reference_output"}),
        roles={
            "case": ("example_id",),
            "rep": ("repetition_number",),
            "input": ("input",),
            "target": ("reference_output",),
            "error": ("error",),
        },
        scores=r"annotation_.+_score",
        dropped=r"annotation_.+|output|latency_ms|start_time|end_time|trace_id|(?:prompt|completion)_token_count",
        prepare=_of_phoenix,
    ),
    Preset(
        framework="langsmith",
        needs=frozenset({"example_id", "execution_time"}),
        roles={
            "case": ("example_id",),
            "input": ("inputs.", "input."),
            "target": ("reference.", "reference_outputs.", "outputs_expected."),
            "error": ("error",),
        },
        scores=r"feedback\..+",
        dropped=r"id|execution_time|outputs?\..+|start_time|end_time|latency",
    ),
    Preset(
        framework="mlflow",
        needs=frozenset({"trace_id", "request", "response", "assessments"}),
        roles={"input": ("request",), "target": ("expected_response/value",)},
        scores=r".+/value",
        dropped=r"trace_id|trace|client_request_id|request_time|execution_duration|response|trace_metadata|spans"
        r"|assessments|tags",
        prepare=_with_expectations_apart,
    ),
    Preset(
        framework="mlflow",
        needs=frozenset({"inputs"}),
        has=r".+/(?:v[0-9]+/)?score",
        roles={"input": ("inputs",), "target": ("ground_truth", "targets", "target")},
        scores=r".+/score",
        dropped=r"outputs?|predictions?|token_count|latency|.+/justification",
    ),
    Preset(
        framework="weave",
        needs=frozenset({"row_digest", "input", "evaluation", "trial"}),
        roles={"case": ("row_digest",), "input": ("input",), "arm": ("evaluation",), "rep": ("trial",)},
        scores=r"scores\..+",
    ),
    Preset(
        framework="braintrust",
        needs=frozenset({"span_id", "root_span_id", "input"}),
        has=r"scores\..+",
        roles={
            "case": ("origin.id", "dataset_record_id"),
            "input": ("input.",),
            "target": ("expected.",),
            "error": ("error.",),
        },
        scores=r"scores\..+",
        dropped=r"id|_xact_id|created|span_.+|root_span_id|project_id|experiment_id|output|metrics\..+|context\..+"
        r"|span_attributes\..+|origin\..+|is_root|log_id|org_id|_pagination_key|dataset_record_id",
        prepare=_with_roots_only,
    ),
    Preset(
        framework="braintrust",
        needs=frozenset({"input", "output", "expected"}),
        has=r"scores\..+",
        roles={"input": ("input.",), "target": ("expected.",), "error": ("error.",)},
        scores=r"scores\..+",
        dropped=r"id|output|created|metrics\..+|exc_info|origin|classifications",
    ),
    Preset(
        framework="langfuse",
        needs=frozenset({"trace_id", "output"}),
        has=r"evaluations\..+",
        roles={
            "case": ("item.id",),
            "input": ("item.input.",),
            "target": ("item.expected_output.", "item.expectedOutput."),
        },
        scores=r"evaluations\..+",
        dropped=r"trace_id|output|dataset_run_id|experiment_id|item\.(?!metadata).+",
    ),
    Preset(
        framework="langfuse",
        needs=frozenset({"id", "timestamp", "bookmarked", "input"}),
        roles={"input": ("input",)},
        scores=r"scores\..+",
        dropped=f"(?:{'|'.join(sorted(_TRACE_COLUMNS - {'input', 'metadata'}))})(?:\\..+)?",
        prepare=_of_langfuse_traces,
    ),
    Preset(
        framework="langfuse",
        needs=frozenset({"Dataset Item ID", "Trace ID"}),
        has=r"Score: .+",
        roles={
            "case": ("Dataset Item ID",),
            "input": ("Input",),
            "target": ("Expected Output",),
            "error": ("Error",),
        },
        scores=r"Score: .+",
        dropped=r"Run At|Trace ID|Observation ID|Trace Output|Latency \(s\)|Total Cost",
        prepare=_of_langfuse_experiment,
    ),
    Preset(
        framework="langfuse",
        needs=frozenset({"traceId", "name", "value", "dataType"}),
        roles={"case": ("traceId",), "metric": ("name",)},
        scores=r"value",
        dropped=r"id|projectId|environment|source|comment|dataType|stringValue|observationId|sessionId|datasetRunId|timestamp"
        r"|createdAt|updatedAt|traceName|userId|traceUserId|traceTags|authorUserId.*|configId|queueId|trace\..+|metadata.*",
        prepare=_of_langfuse_scores,
    ),
    Preset(
        framework="ragas",
        needs=frozenset({"user_input", "response"}),
        roles={"input": ("user_input",), "target": ("reference",)},
        are_rest_scores=True,
        dropped=r"response|retrieved_contexts|reference_contexts|retrieved_context_ids|reference_context_ids|rubrics?"
        r"|multi_responses|reference_tool_calls|reference_topics|persona_name|query_style|query_length|synthesizer_name",
    ),
)
