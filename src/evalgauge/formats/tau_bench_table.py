"""Trials of τ-bench as a ``ScoreTable``."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from evalgauge.formats.planned import check_plan
from evalgauge.formats.score_words import MISSING, score_reading
from evalgauge.formats.wording import counted
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import Run, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.formats.tau_bench_rows import Trials
    from evalgauge.scores.table import ScoreTable


def table_of_trials(trials: Trials, words: Mapping[str, float], run_id: str) -> ScoreTable:
    """Return the table of a result file: a row for each task and trial that was planned, or that another task has."""
    builder = TableBuilder()
    for problem in trials.problems:
        builder.problem(problem.text, file=problem.file)
    found = {(one.task, one.number): one for one in trials.trials}
    again = len(trials.trials) - len(found)
    if again:
        builder.problem("Some trials come twice: the last counts.", file=trials.file, count=again)
    check_plan((trials.planned or 0) * len(trials.contents), len(trials.trials), trials.file)
    numbers = sorted({number for _, number in found} | set(range(trials.planned or 0)))
    run = builder.add_run(_run(trials, numbers, run_id))
    metric = builder.metric_index("reward", low=0.0, high=1.0, higher_is_better=True)
    for (task, content), (rep, number) in product(trials.contents.items(), enumerate(numbers, start=1)):
        one = found.get((task, number))
        reading = MISSING if one is None or one.status == Status.ERROR else score_reading(one.reward, words)
        builder.add(
            run=run,
            case=builder.case_index(task, content=content, fields=trials.fields.get(task)),
            rep=rep,
            metric=metric,
            score=reading.score,
            raw=reading.raw,
            status=Status.NOT_RUN if one is None else one.status,
        )
    absent = len(trials.contents) * len(numbers) - len(found)
    if absent:
        text = f"{counted(absent, 'trial is', 'trials are')} absent: not run."
        builder.problem(text, file=trials.file, count=absent)
    return builder.build()


def _run(trials: Trials, numbers: Sequence[int], run_id: str) -> Run:
    return Run(
        run_id=run_id,
        set_name=trials.set_name,
        arm=trials.arm,
        arm_detail=trials.arm_detail,
        framework="tau-bench",
        file=trials.file,
        state="partial" if trials.is_cut else "complete",
        created=trials.created,
        rep_source="explicit",
        planned_reps=trials.planned or len(numbers),
    )
