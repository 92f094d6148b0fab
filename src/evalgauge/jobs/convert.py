"""Write the scores of any log as a plain table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.formats.writers import write_table
from evalgauge.jobs.reading import asked_table, log_name
from evalgauge.questions.convert import ConvertAnswer, ConvertRequest
from evalgauge.questions.given import request_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.scores.table import ScoreTable


def convert(
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    output: str,
    overwrite: bool = False,
    with_content: bool = False,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> ConvertAnswer:
    """Write the scores of any log as a plain table: one row a case, rep and metric; hashes in place of case texts.

    Parameters
    ----------
    *logs
        Paths, folders, data frames or tables.
    output
        File to write: ``.parquet``, ``.csv`` or ``.jsonl``.
    overwrite
        Replace the file if it exists.
    with_content
        Write what the cases ask and expect as text, beside their hashes.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    ConvertAnswer
        What was written.

    Raises
    ------
    ArgumentError
        When no log is given, the file's ending is unknown, or the file exists and ``overwrite`` is not set.
    LogError
        When a log cannot be read.

    Examples
    --------
    >>> import evalgauge as eg
    >>> table = eg.read("tests/fixtures/inspect/small.eval")  # doctest: +SKIP
    >>> eg.convert(table, output="scores.parquet")  # doctest: +SKIP
    """
    request = request_from(
        ConvertRequest,
        logs=tuple(log_name(log) for log in logs),
        output=output,
        overwrite=overwrite,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        with_content=with_content,
        tolerant=tolerant,
    )
    return convert_answer(request, logs)


def convert_answer(request: ConvertRequest, logs: Sequence[Any] = ()) -> ConvertAnswer:
    """Return what was written for a request; ``logs`` holds the sources themselves where they are no paths."""
    sources = list(logs or request.logs)
    if not sources:
        raise ArgumentError("LOG", "nothing", "one or more logs, tables or folders")
    table = asked_table(sources[0] if len(sources) == 1 else sources, request)
    write_table(table, request.output, overwrite=request.overwrite, with_content=request.with_content)
    return ConvertAnswer(
        output=request.output,
        rows=len(table),
        cases=len(table.cases),
        arms=tuple(dict.fromkeys(run.arm for run in table.runs)),
        sets=tuple(dict.fromkeys(run.set_name for run in table.runs if run.set_name)),
        metrics=tuple(metric.name for metric in table.metrics),
        fields=tuple(table.cases.fields),
        contents=_n_contents(table) if request.with_content else 0,
        problems=tuple(dict.fromkeys(problem.text for problem in table.problems)),
        request=request,
    )


def _n_contents(table: ScoreTable) -> int:
    return 0 if table.cases.contents is None else sum(one is not None for one in table.cases.contents())
