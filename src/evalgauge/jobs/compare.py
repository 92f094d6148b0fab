"""Is the candidate really better than the baseline?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, EvalgaugeError, PairingError, ScoreError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.compared import compared_counts, compared_rates
from evalgauge.jobs.compared_arms import compared_paired, compared_unpaired
from evalgauge.jobs.compared_looks import with_looks
from evalgauge.jobs.reading import asked_table, counts_of, log_name, needs_of
from evalgauge.questions.compare import CompareRequest
from evalgauge.questions.given import request_from

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.reading import Needs, Side
    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.parts import Missing
    from evalgauge.scores.table import ScoreTable

_SIDES: tuple[Side, Side] = ("base", "cand")


def compare(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    margin: float | str | None = None,
    by: str | None = None,
    cluster: str | None = None,
    metric: str | None = None,
    candidate_metric: str | None = None,
    task: str | None = None,
    arms: Sequence[str] = (),
    unpaired: bool = False,
    flips: bool = False,
    explain_pairing: bool = False,
    missing: Missing = "bounds",
    score_range: Sequence[float] | None = None,
    confidence: float | str = 0.95,
    wins: int | None = None,
    losses: int | None = None,
    of: int | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    engine: str | None = None,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> CompareAnswer:
    """Answer whether the candidate is really better than the baseline.

    Parameters
    ----------
    *logs
        Baseline, then candidate: paths, folders, data frames or tables. One that holds both, with ``arms``. None, with
        ``wins``, ``losses`` and ``of``.
    margin
        The change that matters, a share: 0.02 for two points. With it, equivalent and no worse can be said too.
    by
        Field that splits the cases into slices.
    cluster
        Field that says which cases share a source.
    metric, task
        Which score and which eval set, where the logs hold several.
    candidate_metric
        Name of the score in the candidate, where it has another one there.
    arms
        Names of the baseline and the candidate within one log.
    unpaired
        The logs hold different cases.
    flips
        Keep every changed case in the answer, not only the first ones.
    explain_pairing
        Keep for every case by what it was matched, and why not by something better.
    missing
        What missing scores count as, in both arms alike: ``"bounds"``, ``"fail"`` or ``"drop"``.
    score_range
        Lowest and highest possible score; an empty tuple for a score without limits. (0, 1) when left out.
    confidence
        Level of every interval, two-sided.
    wins, losses, of
        Cases that only the candidate, and only the baseline, passed, of how many.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``; ``{"base:case": "qid"}`` maps one side.
    engine
        Address of the engine that holds the logs as tables: ``"sc://host:15002"``, ``"spark://host:7077"``,
        ``"ibis:URL"``.
    ledger, no_ledger
        Which ledger records the look, where the set is registered; or none.

    Returns
    -------
    CompareAnswer
        Verdict, difference with its interval, guarded interval, claims, changed cases, how cases were matched.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed.
    PairingError
        When the logs have no case in common.
    LogError
        When a log cannot be read.
    ScoreError
        When the scores cannot answer.

    References
    ----------
    Tango 1998; Bonett & Price 2012; Miettinen & Nurminen 1985; see each rule in ``evalgauge.rules``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.compare(wins=22, losses=9, of=240))
    better: +5.4 points, 95 % interval +0.9 to +10.3 (tango)
    """
    request = request_from(
        CompareRequest,
        logs=tuple(log_name(log) for log in logs),
        margin=margin,
        by=by,
        cluster=cluster,
        metric=metric,
        candidate_metric=candidate_metric,
        task=task,
        arms=arms,
        unpaired=unpaired,
        flips=flips,
        explain_pairing=explain_pairing,
        missing=missing,
        score_range=score_range,
        confidence=confidence,
        wins=wins,
        losses=losses,
        of=of,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        engine=engine,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    return compare_answer(request, logs)


def compare_answer(request: CompareRequest, logs: Sequence[Any] = ()) -> CompareAnswer:
    """Return the answer to a request; ``logs`` holds the sources themselves where they are no paths."""
    sources = list(logs or request.logs)
    if (request.wins, request.losses, request.of) != (None, None, None):
        if sources:
            raise ArgumentError("logs", request.logs[0], "either logs or --wins, --losses and --of, not both")
        return compared_counts(request)
    rates = counts_of(sources)
    if rates:
        return compared_rates(request, rates)
    baseline, candidate = two_arms(request, sources)
    if request.unpaired:
        answer = compared_unpaired(request, baseline, candidate)
    else:
        answer = compared_paired(request, baseline, candidate)
    return with_looks(answer, baseline, candidate)


def two_arms(request: CompareRequest, sources: Sequence[Any], *, in_order: bool = False) -> tuple[Arm, Arm]:
    """Return baseline and candidate of a request, from two logs or from one that holds both.

    With ``in_order`` the cases stay in the order of the log, however large it is.
    """
    needs = None if in_order else needs_of(request.by, request.cluster, engine=request.engine)
    if len(sources) == 1:
        return _arms_of_one(request, sources[0], needs)
    if len(sources) != 2:
        came = f"{len(sources)} logs" if sources else "no log"
        raise ArgumentError("logs", came, "two logs, baseline first", "Or one log with --arms base,new.")
    names = request.arms or (None, None)
    if len(names) != 2:
        raise ArgumentError("arms", ",".join(request.arms), "two names, baseline first")
    base, cand = (asked_table(source, request, side, needs=needs) for source, side in zip(sources, _SIDES, strict=True))
    baseline = _side(request, "baseline", base, names[0])
    return baseline, _side(_for_candidate(request), "candidate", cand, names[1])


def _arms_of_one(request: CompareRequest, source: Any, needs: Needs | None) -> tuple[Arm, Arm]:  # noqa: ANN401 - see compare
    table = asked_table(source, request, needs=needs)
    metrics = {metric.name for metric in table.metrics}
    if not request.arms and len(request.wide_arms) == 2:
        request = replace(request, arms=request.wide_arms)
    if not request.wide_arms and len(request.arms) == 2 and metrics.issuperset(request.arms):
        # Two score columns that are named as arms: the table is wide.
        table = asked_table(source, replace(request, wide_arms=request.arms), needs=needs)
    if len(request.arms) != 2:
        names = list(dict.fromkeys(run.arm for run in table.runs))
        if len(names) < 2:
            allowed = "two logs, or one log that holds two arms"
            wide = f"Or --arms with two of its score columns: {', '.join(sorted(metrics))}." if len(metrics) > 1 else ""
            raise ArgumentError("logs", f"one log with one arm ({', '.join(names)})", allowed, wide)
        came = ",".join(request.arms) or "nothing"
        raise ArgumentError("arms", came, f"two of {', '.join(names)}, baseline first, separated by a comma")
    first, second = request.arms
    baseline = _side(request, "log", table, first)
    return baseline, _side(_for_candidate(request), "log", table, second)


def _for_candidate(request: CompareRequest) -> CompareRequest:
    return request if request.candidate_metric is None else replace(request, metric=request.candidate_metric)


def _side(request: CompareRequest, side: str, table: ScoreTable, name: str | None) -> Arm:
    try:
        arms = arms_of(table, request, name, arm_option="arms")
    except ScoreError as error:
        hint = " Where its score has another name, say --candidate-metric." if side == "candidate" else ""
        raise ScoreError(f"The {side}: {error}{hint}") from error
    if len(arms) == 1:
        return arms[0]
    sets = list(dict.fromkeys(arm.source.set_name for arm in arms))
    if len(sets) > 1 and request.task is None:
        raise EvalgaugeError(f"The {side} holds {len(sets)} tasks. Choose one with --task: {', '.join(sets)}.")
    names = ", ".join(dict.fromkeys(arm.source.arm for arm in arms))
    raise PairingError(f"The {side} holds several arms. Name one of each side with --arms BASE,CAND: {names}.")
