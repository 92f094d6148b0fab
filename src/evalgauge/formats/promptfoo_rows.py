"""The rows of a promptfoo output file, in one form for all versions.

``.json`` files hold an object whose ``results`` are an object (CLI) or the rows themselves (Node package); ``.jsonl``
files hold rows only. Rows of version 2 may lack the numbers of prompt and test, which then come from its table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from evalgauge.errors import LogError
from evalgauge.formats.json_text import CutError, converted, decoded, is_object, read_until_cut
from evalgauge.formats.wording import counted, without_advice
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions


class Provider(msgspec.Struct):
    """What answered."""

    id: str | None = None
    label: str | None = None


class Prompt(msgspec.Struct):
    """A prompt; ``provider`` is there in the list of prompts, which is a list of prompt and provider pairs."""

    raw: Any = None
    label: str | None = None
    display: str | None = None
    id: str | None = None
    provider: str | None = None


class Response(msgspec.Struct):
    """The part of an answer that says whether it is a new one."""

    cached: bool | None = None


class Grading(msgspec.Struct, rename="camel"):
    """The part of a grading that says whether anything was checked."""

    component_results: list[Any] | None = None


class TestCase(msgspec.Struct):
    """A test of the configuration."""

    vars: Any = None
    description: Any = None
    metadata: dict[str, Any] | None = None
    options: dict[str, Any] | None = None
    assertions: list[Any] | None = msgspec.field(default=None, name="assert")


class Row(msgspec.Struct, rename="camel"):
    """One answer to one test."""

    prompt_idx: int | None = None
    test_idx: int | None = None
    success: bool | None = None
    score: Any = None
    named_scores: dict[str, Any] | None = None
    failure_reason: int | None = None
    error: Any = None
    grading_result: Grading | None = None
    response: Response | str | None = None
    provider: Provider | str | None = None
    prompt: Prompt | str | None = None
    prompt_id: str | None = None
    vars: Any = None
    test_case: TestCase | None = None


class Output(msgspec.Struct, rename="camel"):
    """One cell of the table of version 2."""

    passed: bool | None = msgspec.field(default=None, name="pass")
    score: Any = None
    named_scores: dict[str, Any] | None = None
    failure_reason: int | None = None
    error: Any = None
    grading_result: Grading | None = None


class TableRow(msgspec.Struct, rename="camel"):
    """One test in the table of version 2."""

    outputs: list[Output]
    vars: list[Any] = []
    test: TestCase | None = None
    test_idx: int | None = None


class TableHead(msgspec.Struct):
    """The names of the columns of that table."""

    prompts: list[Prompt] = []
    vars: list[str] = []


class Table(msgspec.Struct):
    """The table of version 2."""

    head: TableHead
    body: list[TableRow]


class Summary(msgspec.Struct):
    """What the CLI keeps under ``results``."""

    results: list[Row] | None = None
    prompts: list[Prompt] | None = None
    table: Table | None = None
    timestamp: str | None = None


class Config(msgspec.Struct):
    """The part of the configuration that names the set."""

    description: str | None = None


class Meta(msgspec.Struct, rename="camel"):
    """Who wrote the file."""

    promptfoo_version: str | None = None


class Runtime(msgspec.Struct):
    """How it was run."""

    repeat: int | None = None


class OutputFile(msgspec.Struct, rename="camel"):
    """A ``.json`` file."""

    results: Summary | list[Row]
    eval_id: str | None = None
    config: Config | None = None
    metadata: Meta | None = None
    runtime_options: Runtime | None = None
    prompts: list[Prompt] | None = None
    table: Table | None = None
    timestamp: str | None = None


@dataclass(slots=True, kw_only=True)
class PromptfooLog:
    """A file that was read.

    Attributes
    ----------
    rows
        Each with ``prompt_idx``, ``test_idx`` and ``test_case``.
    prompts
        The arms by number, as far as the file lists them.
    description, eval_id, version, created
        Of the run, ``""`` where unknown.
    repeat
        How often each test was to be run; ``None`` where the file does not say.
    problems
        What could not be taken as it was.
    is_cut
        Whether the file ends early.
    has_gaps
        Whether rows were left out because they cannot be read.
    """

    rows: list[Row]
    prompts: list[Prompt] = field(default_factory=list[Prompt])
    description: str = ""
    eval_id: str = ""
    version: str = ""
    created: str = ""
    repeat: int | None = None
    problems: list[Problem] = field(default_factory=list[Problem])
    is_cut: bool = False
    has_gaps: bool = False


def promptfoo_log(path: Path, options: ReadOptions) -> PromptfooLog:
    """Return the rows of a file.

    Raises
    ------
    LogError
        It cannot be read, or holds no row.
    """
    data = path.read_bytes()
    log = _lines(path, data, options) if path.suffix.lower() == ".jsonl" else _object(path, data, options)
    if not log.rows:
        raise LogError(str(path), "holds no results.", hint="promptfoo eval -o results.json writes them.")
    number_rows(log.rows)
    return log


def _lines(path: Path, data: bytes, options: ReadOptions) -> PromptfooLog:
    file = str(path)
    log = PromptfooLog(rows=[])
    lines = data.split(b"\n")
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        record = f"line {number}"
        try:
            log.rows.append(decoded(line, Row, file=file, record=record))
        except LogError as fault:
            if isinstance(fault, CutError) and number == len(lines):
                log.is_cut = True
                found = counted(len(log.rows), "row", "rows")
                text = f"The file ends in the middle of a row; {found} before it could be read."
                log.problems.append(Problem(text=text, file=file, record=record))
            elif options.tolerant:
                text = f"{without_advice(fault)} This row is left out."
                log.problems.append(Problem(text=text, file=file, record=record))
                log.has_gaps = True
            else:
                raise
        options.progress(number, len(lines))
    return log


def _object(path: Path, data: bytes, options: ReadOptions) -> PromptfooLog:
    file = str(path)
    try:
        whole = decoded(data, OutputFile, file=file)
    except LogError as fault:
        if not (options.tolerant or isinstance(fault, CutError)):
            raise
        return _rest(path, data, fault)
    options.progress(1, 1)
    return log_of(whole)


def log_of(whole: OutputFile) -> PromptfooLog:
    """Return what an output file holds, in the one form of all versions."""
    summary = whole.results
    if isinstance(summary, list):
        summary = Summary(results=summary, prompts=whole.prompts, table=whole.table, timestamp=whole.timestamp)
    rows = summary.results or []
    table = summary.table
    if table is not None and (not rows or rows[0].prompt_idx is None or rows[0].test_idx is None):
        rows = _table_rows(table)
    return PromptfooLog(
        rows=rows,
        prompts=summary.prompts or (table.head.prompts if table else None) or [],
        description=(whole.config.description if whole.config else None) or "",
        eval_id=whole.eval_id or "",
        version=(whole.metadata.promptfoo_version if whole.metadata else None) or "",
        created=summary.timestamp or "",
        repeat=whole.runtime_options.repeat if whole.runtime_options else None,
    )


def _rest(path: Path, data: bytes, fault: LogError) -> PromptfooLog:
    """Return the rows that stand before the place where the file breaks; the configuration stands after them."""
    file = str(path)
    # The Node package writes the rows under "results", the CLI writes there an object that holds them.
    cut = read_until_cut(data, "results")
    start = data.find(b"{", data.find(b'"results"') + 1)
    if not cut.items and start >= 0:
        cut = read_until_cut(data[start:], "results")
    items = [item for item in cut.items if is_object(item)]
    if not items:
        raise fault
    prompts = cut.members.get("prompts")
    log = PromptfooLog(
        rows=[converted(item, Row, file=file, record=f"result {number}") for number, item in enumerate(items, 1)],
        prompts=[] if prompts is None else converted(prompts, list[Prompt], file=file, record="prompts"),
        is_cut=True,
    )
    found = counted(len(log.rows), "result", "results")
    text = (
        f"{without_advice(fault)} {found} could be read before that place; the configuration, which follows, is lost."
    )
    log.problems.append(Problem(text=text, file=file))
    return log


def _table_rows(table: Table) -> list[Row]:
    return [
        Row(
            prompt_idx=place,
            test_idx=number if row.test_idx is None else row.test_idx,
            success=output.passed,
            score=output.score,
            named_scores=output.named_scores,
            failure_reason=output.failure_reason,
            error=output.error,
            grading_result=output.grading_result,
            test_case=row.test or TestCase(vars=dict(zip(table.head.vars, row.vars, strict=False))),
        )
        for number, row in enumerate(table.body)
        for place, output in enumerate(row.outputs)
    ]


def number_rows(rows: list[Row]) -> None:
    """Give numbers to rows without: prompts by who answered to what, tests by their order within a prompt."""
    prompts: dict[tuple[str, str], int] = {}
    tests: dict[int, int] = {}
    for row in rows:
        if row.prompt_idx is None:
            row.prompt_idx = prompts.setdefault((provider_name(row), prompt_label(row)), len(prompts))
        if row.test_idx is None:
            row.test_idx = tests.get(row.prompt_idx, 0)
            tests[row.prompt_idx] = row.test_idx + 1
        if row.test_case is None:
            row.test_case = TestCase(vars=row.vars)


def provider_name(row: Row) -> str:
    """Return the label of a row's provider, or its id where it has no label."""
    provider = row.provider
    if provider is None or isinstance(provider, str):
        return provider or ""
    return provider.label or provider.id or ""


def prompt_label(row: Row) -> str:
    """Return the template of a row's prompt as promptfoo labels it; the text itself differs from test to test."""
    prompt = row.prompt
    return "" if prompt is None or isinstance(prompt, str) else prompt.label or prompt.display or ""
