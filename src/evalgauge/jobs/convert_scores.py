"""The scores of a table with their intervals, for a file that holds both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.formats.every_eval_ever_write import WrittenScore
from evalgauge.jobs.arms import arms_and_refusals
from evalgauge.jobs.measured import measured_arm
from evalgauge.questions.measure import MeasureRequest

if TYPE_CHECKING:
    from evalgauge.questions.convert import ConvertRequest
    from evalgauge.questions.measure import MeasureAnswer
    from evalgauge.scores.table import ScoreTable


def written_scores(table: ScoreTable, request: ConvertRequest) -> tuple[tuple[WrittenScore, ...], tuple[str, ...]]:
    """Return every score of a table with its interval, and why others cannot be measured.

    Raises
    ------
    ArgumentError
        If the table holds several arms.
    ScoreError
        If nothing can be measured.
    """
    arms = list(dict.fromkeys(run.arm for run in table.runs))
    if len(arms) > 1:
        raise ArgumentError("--arm", "nothing", f"one of {', '.join(arms)}", "Every Eval Ever keeps one model a file.")
    scores: list[WrittenScore] = []
    refusals: list[str] = []
    for metric in table.metrics:
        asked = MeasureRequest(logs=request.logs, metric=metric.name)
        try:
            found, why = arms_and_refusals(table, asked)
        except ScoreError as fault:
            refusals.append(f"Not written: {fault}")
            continue
        scores += [_score(measured_arm(asked, arm)) for arm in found]
        refusals += [f"Not written: {one}" for one in why]
    if not scores:
        raise ScoreError(refusals[0] if refusals else "There is no score to write.")
    return tuple(scores), tuple(refusals)


def _score(answer: MeasureAnswer) -> WrittenScore:
    details = {
        "n_cases": answer.n_cases,
        "n_reps": answer.n_reps,
        "n_runs_scored": answer.scored,
        "n_runs_planned": answer.planned,
        "missing": answer.missing,
        "target": answer.target,
    }
    return WrittenScore(
        set_name=answer.source.set_name,
        metric=answer.source.metric,
        estimate=answer.estimate,
        low=answer.low,
        high=answer.high,
        confidence=answer.confidence,
        method=answer.method,
        n_cases=answer.n_cases,
        details={name: str(value) for name, value in details.items()},
    )
