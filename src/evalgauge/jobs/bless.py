"""Make a log the baseline that later candidates are judged against."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.formats.blessed import set_hash, write_baseline
from evalgauge.jobs.reading import asked_table, log_name, said_problems
from evalgauge.questions.bless import BlessAnswer, BlessRequest
from evalgauge.questions.given import request_from
from evalgauge.scores.identity import fingerprints
from evalgauge.scores.table import Status
from evalgauge.scores.units import unit_table, units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.scores.table import ScoreTable


def bless(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    output: str,
    arm: str | None = None,
    task: str | None = None,
    note: str = "",
    overwrite: bool = False,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> BlessAnswer:
    """Make a log the baseline: a small file of scores and hashes, without what the cases ask.

    Parameters
    ----------
    *logs
        Paths, folders, data frames or tables of one system on one set; several are taken as further reps.
    output
        File to write, ``baseline.json``. It changes only when somebody blesses again.
    arm, task
        Which system and which eval set, where the logs hold several.
    note
        Why this run is the baseline.
    overwrite
        Replace the baseline that is there.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    BlessAnswer
        What was blessed.

    Raises
    ------
    ArgumentError
        When no log is given, or the file is there and ``overwrite`` is not set.
    LogError, ScoreError
        When a log cannot be read, holds several systems and none is named, or has no score.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.bless("run.eval", output="baseline.json")  # doctest: +SKIP
    """
    request = request_from(
        BlessRequest,
        logs=tuple(log_name(log) for log in logs),
        output=output,
        arm=arm,
        task=task,
        note=note,
        overwrite=overwrite,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return bless_answer(request, logs)


def bless_answer(request: BlessRequest, logs: Sequence[Any] = ()) -> BlessAnswer:
    """Return what was blessed for a request; ``logs`` holds the sources themselves where they are no paths."""
    sources = list(logs or request.logs)
    if not sources:
        raise ArgumentError("LOG", "nothing", "the log of one system on one eval set")
    table = asked_table(sources[0] if len(sources) == 1 else sources, request)
    own, notes = _one_unit(table, request)
    scored = int((own.status == Status.OK).sum())
    if not scored:
        raise ScoreError("The log holds no score, and a baseline without one can judge nothing. Run the eval again.")
    replaced = Path(request.output).exists()
    write_baseline(
        own,
        request.output,
        blessed=datetime.now(UTC).isoformat(timespec="seconds"),
        note=request.note,
        overwrite=request.overwrite,
    )
    prints = fingerprints(own.cases)
    if scored < len(own):
        missing = f"{len(own) - scored:,} of {len(own):,} planned runs have no score in this baseline."
        notes = (*notes, f"{missing} A gate spans what they could have been, and does not pass below --min-scored.")
    return BlessAnswer(
        output=request.output,
        arm=own.runs[0].arm,
        set_name=own.runs[0].set_name,
        cases=len(own.cases),
        rows=len(own),
        scored=scored,
        metrics=tuple(metric.name for metric in own.metrics),
        fields=tuple(own.cases.fields),
        hashed=sum(fp is not None for fp in prints.case_fp),
        set_hash=set_hash(prints.case_fp, own.cases.case_id),
        replaced=replaced,
        notes=notes,
        problems=said_problems(own.problems, [run.file for run in own.runs]),
        request=request,
    )


def _one_unit(table: ScoreTable, request: BlessRequest) -> tuple[ScoreTable, tuple[str, ...]]:
    found = units(table)
    for option, name, names in (
        ("task", request.task, [unit.set_name for unit in found]),
        ("arm", request.arm, [unit.arm for unit in found]),
    ):
        if name is not None and name not in names:
            raise ArgumentError(option, name, f"one of {', '.join(dict.fromkeys(names))}")
    chosen = [unit for unit in found if request.task in (None, unit.set_name) and request.arm in (None, unit.arm)]
    if len(chosen) != 1:
        listed = "; ".join(f"--arm {unit.arm} --task {unit.set_name}" for unit in chosen)
        raise ScoreError(f"A baseline is one system on one set, and the log holds {len(chosen)}. Name one: {listed}.")
    return unit_table(table, chosen[0]), chosen[0].notes
