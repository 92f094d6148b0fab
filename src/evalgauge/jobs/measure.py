"""What is this score, with an interval that is true?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.jobs.arms import arms_and_refusals
from evalgauge.jobs.judge_labels import check_judge_options, corrected_answer
from evalgauge.jobs.measured import measured_arm, measured_counts
from evalgauge.jobs.noted import noted
from evalgauge.jobs.reading import asked_table, counts_of, log_name, needs_of, refuse_engine
from evalgauge.questions.given import request_from
from evalgauge.questions.measure import MeasureAnswer, MeasureRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.questions.parts import Missing, Target


def measure(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    metric: str | None = None,
    arm: str | None = None,
    task: str | None = None,
    by: str | None = None,
    weights: Mapping[str, float] | str | None = None,
    cluster: str | None = None,
    score_range: Sequence[float] | None = None,
    rule: str = "auto",
    target: Target = "new-cases",
    missing: Missing = "bounds",
    pass_k: int | None = None,
    confidence: float | str = 0.95,
    passed: int | None = None,
    of: int | None = None,
    judge_labels: Any = None,  # noqa: ANN401 - a path or a data frame
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    engine: str | None = None,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> MeasureAnswer:
    """Answer what a score is, with an interval that is true.

    Parameters
    ----------
    *logs
        Paths, folders, data frames or tables; several are read side by side. None, with ``passed`` and ``of``.
    metric, arm, task
        Which score, which system and which eval set, where the logs hold several.
    by
        Field that splits the cases into slices.
    weights
        Share of each slice in the total; an empty mapping gives every slice the same weight.
    cluster
        Field that says which cases share a source.
    score_range
        Lowest and highest possible score; an empty tuple for a score without limits. (0, 1) when left out.
    rule
        Interval rule by name; ``"auto"`` lets the data choose.
    target
        ``"new-cases"`` like these, or exactly ``"these-cases"``.
    missing
        What missing scores count as: ``"bounds"``, ``"fail"`` or ``"drop"``.
    pass_k
        Report pass@k and pass^k for this k.
    confidence
        Level of every interval, two-sided.
    passed, of
        Number of cases passed, of how many.
    judge_labels
        Labels of some of the cases, where a judge gave the scores: a path or a data frame with case and label (0 or 1).
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.
    engine
        Address of the engine that holds the logs as tables: ``"sc://host:15002"``, ``"spark://host:7077"``,
        ``"ibis:URL"``.
    ledger, no_ledger
        Which ledger records the look, where the set is registered; or none.

    Returns
    -------
    MeasureAnswer
        Estimate and interval in shares, and all that they rest on.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed.
    LogError
        When a log cannot be read.
    ScoreError
        When the scores cannot answer: several arms or metrics and none named, nothing scored.

    References
    ----------
    Wilson 1927; Miller 2024, arXiv:2411.00640; see each rule in ``evalgauge.rules``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.measure(passed=47, of=50))
    94.0 %, 95 % interval 83.8 to 97.9 %, 50 cases (wilson)
    """
    request = request_from(
        MeasureRequest,
        logs=tuple(log_name(log) for log in logs),
        metric=metric,
        arm=arm,
        task=task,
        by=by,
        weights=weights,
        cluster=cluster,
        score_range=score_range,
        rule=rule,
        target=target,
        missing=missing,
        pass_k=pass_k,
        confidence=confidence,
        passed=passed,
        of=of,
        judge_labels=None if judge_labels is None else log_name(judge_labels),
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        engine=engine,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    answers = measure_each(request, logs, judge_labels)
    if len(answers) == 1:
        return answers[0]
    found = "; ".join(f"arm={one.source.arm!r}, task={one.source.set_name!r}" for one in answers)
    raise ScoreError(f"The logs hold {len(answers)} scores and one is asked for. Name one of: {found}.")


def measure_each(
    request: MeasureRequest,
    logs: Sequence[Any] = (),
    judge_labels: Any = None,  # noqa: ANN401 - a path or a data frame
) -> tuple[MeasureAnswer, ...]:
    """Return one answer per arm and eval set of the logs.

    ``logs`` and ``judge_labels`` hold the sources where they are no paths.
    """
    sources = list(logs or request.logs)
    labels = request.judge_labels if judge_labels is None else judge_labels
    if request.passed is not None or request.of is not None:
        if sources:
            raise ArgumentError("logs", request.logs[0], "either logs or --passed and --of, not both")
        if request.passed is None or request.of is None:
            option = "of" if request.of is None else "passed"
            raise ArgumentError(option, "nothing", "a count; --passed and --of go together")
        _no_labels(request, "counts")
        return (measured_counts(request, request.passed, request.of),)
    counts = counts_of(sources)
    if counts:
        _no_labels(request, "counts")
        return tuple(measured_counts(request, *count) for count in counts)
    if not sources:
        raise ArgumentError("logs", "nothing", "a log, a table, a folder, or a count such as 47/50")
    # A judge's labels are set beside single runs.
    needs = None if labels is not None else needs_of(request.by, request.cluster, engine=request.engine)
    if needs is None:
        refuse_engine(request.engine, "labels of a judge are set beside single runs")
    table = asked_table(sources[0] if len(sources) == 1 else sources, request, needs=needs)
    arms, refusals = arms_and_refusals(table, request, request.arm)
    answers = [measured_arm(request, arm) for arm in arms]
    if labels is not None:
        check_judge_options(request)
        if len(arms) > 1:
            _no_labels(request, f"{len(arms)} scores", "Name one arm and task with --arm and --task.")
        pairs = zip(arms, answers, strict=True)
        answers = [corrected_answer(request, arm, answer, labels) for arm, answer in pairs]
    # What is shown is recorded before it is shown.
    notes = noted(request, arms, display="exact", verb="measure")
    answers = [replace(answer, ledger=note) for answer, note in zip(answers, notes, strict=True)]
    # What could not be measured is said once, beside what could.
    answers[0] = replace(answers[0], problems=(*answers[0].problems, *(f"Not measured: {why}" for why in refusals)))
    return tuple(answers)


def _no_labels(request: MeasureRequest, came: str, hint: str = "") -> None:
    if request.judge_labels is not None:
        raise ArgumentError("judge_labels", f"labels with {came}", "labels of the cases of one log", hint)
