"""Write the scores of any log as a plain table."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.formats.every_eval_ever_write import write_every_eval_ever
from evalgauge.formats.writers import write_table
from evalgauge.jobs.convert_scores import written_scores
from evalgauge.jobs.reading import asked_table, log_name, said_problems
from evalgauge.questions.convert import ConvertAnswer, ConvertRequest
from evalgauge.questions.given import request_from
from evalgauge.scores.distinct import distinct_cases
from evalgauge.scores.subset import table_of_arm
from evalgauge.scores.units import units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.scores.table import ScoreTable


def convert(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    output: str,
    overwrite: bool = False,
    with_content: bool = False,
    arm: str | None = None,
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
        File to write: ``.parquet``, ``.csv`` or ``.jsonl``; or ``.json``: Every Eval Ever, the scores of one arm with
        their intervals, and the samples beside them.
    overwrite
        Replace the file if it exists.
    with_content
        Write what the cases ask and expect as text, beside their hashes.
    arm
        Which arm to write, where the logs hold several.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    ConvertAnswer
        What was written.

    Raises
    ------
    ArgumentError
        When no log is given, the file's ending is unknown, the file exists and ``overwrite`` is not set, or the arm is
        not there.
    ScoreError
        When no score can be written with an interval.
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
        arm=arm,
        tolerant=tolerant,
    )
    return convert_answer(request, logs)


def convert_answer(request: ConvertRequest, logs: Sequence[Any] = ()) -> ConvertAnswer:
    """Return what was written for a request; ``logs`` holds the sources themselves where they are no paths."""
    sources = list(logs or request.logs)
    if not sources:
        raise ArgumentError("LOG", "nothing", "one or more logs, tables or folders")
    table = asked_table(sources[0] if len(sources) == 1 else sources, request)
    if request.arm is not None:
        table = _of_arm(table, request.arm)
    notes: tuple[str, ...] = ()
    rows = len(table)
    if Path(request.output).suffix.lower() == ".json":
        scores, notes = written_scores(table, request)
        rows = write_every_eval_ever(
            table, scores, request.output, overwrite=request.overwrite, with_content=request.with_content
        )
        if rows < len(table):
            left = f"{len(table) - rows:,} of {len(table):,} rows have no place in the file: it takes scores alone."
            notes = (*notes, f"{left} Planned and scored runs are counted beside each result.")
    else:
        write_table(table, request.output, overwrite=request.overwrite, with_content=request.with_content)
    return ConvertAnswer(
        output=request.output,
        rows=rows,
        cases=distinct_cases(units(table)),
        arms=tuple(dict.fromkeys(run.arm for run in table.runs)),
        sets=tuple(dict.fromkeys(run.set_name for run in table.runs if run.set_name)),
        metrics=tuple(metric.name for metric in table.metrics),
        fields=tuple(table.cases.fields),
        contents=_n_contents(table) if request.with_content else 0,
        problems=(*notes, *said_problems(table.problems, [run.file for run in table.runs])),
        request=request,
    )


def _n_contents(table: ScoreTable) -> int:
    return 0 if table.cases.contents is None else sum(one is not None for one in table.cases.contents())


def _of_arm(table: ScoreTable, arm: str) -> ScoreTable:
    arms = list(dict.fromkeys(run.arm for run in table.runs))
    if arm not in arms:
        close = get_close_matches(arm, arms, n=1)
        hint = f"Did you mean {close[0]}?" if close else ""
        raise ArgumentError("arm", arm, f"one of {', '.join(arms)}", hint)
    return table_of_arm(table, arm)
