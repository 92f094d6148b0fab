"""Which of several arms on the same cases are better than which, and who shares a rank?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from evalgauge.jobs.noted import last_noted
from evalgauge.jobs.reading import log_name
from evalgauge.jobs.score_matrix import score_matrix
from evalgauge.questions.given import request_from
from evalgauge.questions.parts import Ends
from evalgauge.questions.rank import PairVerdict, RankAnswer, RankedArm, RankRequest
from evalgauge.questions.units import ScoreRange
from evalgauge.reusing.selection import selection_cost
from evalgauge.rules.ranking import MOST_COMPARED, ranked_pairs, ranking

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.jobs.score_matrix import ScoreMatrix
    from evalgauge.questions.best_of import MissingScores
    from evalgauge.questions.rank import Standing
    from evalgauge.reusing.results import SelectionCost
    from evalgauge.rules.ranking import Ranking


def rank(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables, or one list of them
    metric: str | None = None,
    task: str | None = None,
    cluster: str | None = None,
    score_range: Sequence[float] | None = None,
    missing: MissingScores = "fail",
    confidence: float | str = 0.95,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    engine: str | None = None,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> RankAnswer:
    """Answer which of several arms are better than which, from their scores on the same cases.

    Parameters
    ----------
    *logs
        Paths, folders, data frames or tables, or one list of them; every arm in them is ranked.
    metric, task
        Which score and which eval set, where the logs hold several.
    cluster
        Field that says which cases share a source.
    score_range
        Lowest and highest possible score; (0, 1) when left out.
    missing
        What a case without a score counts as: ``"fail"`` or ``"drop"``.
    confidence
        Chance that all ranks hold together, and level of every interval, two-sided.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.
    engine
        Address of the engine that holds the logs as tables: ``"sc://host:15002"``, ``"spark://host:7077"``,
        ``"ibis:URL"``.
    ledger, no_ledger
        Which ledger records the looks, where the set is registered; or none.

    Returns
    -------
    RankAnswer
        Who may be the best, the ranks that each arm may have, tied groups, pairs, and what the choice costs.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed, a log comes twice, or there is one arm only.
    PairingError
        When the arms share no case.
    LogError
        When a log cannot be read.
    ScoreError
        When the scores cannot answer.

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm 2024, Review of Economic Studies 91, 476-518; see ``evalgauge.rules.ranking``.

    Examples
    --------
    >>> import evalgauge as eg, pandas as pd
    >>> steps = {"a": 10, "b": 9, "c": 2}
    >>> rows = [(f"q{case}", arm, case % step > 0) for case in range(200) for arm, step in steps.items()]
    >>> print(eg.rank(pd.DataFrame(rows, columns=["case", "arm", "score"])))
    tie of 3: a, b; 2 of 3 pairs told apart, 200 cases
    """
    if len(logs) == 1 and isinstance(logs[0], (list, tuple)):
        logs = tuple(cast("Sequence[Any]", logs[0]))
    request = request_from(
        RankRequest,
        logs=tuple(log_name(log) for log in logs),
        metric=metric,
        task=task,
        cluster=cluster,
        score_range=score_range,
        missing=missing,
        confidence=confidence,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        engine=engine,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    return rank_answer(request, logs)


def rank_answer(request: RankRequest, sources: Sequence[Any] = ()) -> RankAnswer:
    """Return the answer to a request; ``sources`` holds the logs themselves where they are no paths."""
    hint = "For one arm say: evalgauge measure LOG"
    matrix = score_matrix(request, sources or request.logs, cluster=request.cluster, one_arm=hint)
    means = 1 - matrix.means if matrix.lower_is_better else matrix.means
    found = ranking(means, confidence=request.confidence, clusters=matrix.clusters, reps=matrix.reps)
    listed = found.order[:MOST_COMPARED]
    names = tuple(matrix.names[arm] for arm in found.order)
    return RankAnswer(
        verdict=_standing(found),
        best=tuple(matrix.names[arm] for arm in found.order if found.sets.best[arm] == 1),
        arms=_arms(matrix, found),
        groups=tuple(names[first : last + 1] for first, last in found.groups),
        pairs=_pairs(matrix, found, listed),
        pairs_of=len(listed),
        n_pairs=found.n_pairs,
        n_apart=found.n_shown,
        selection=_selection(found),
        critical=found.sets.critical,
        critical_error=found.sets.mc_error,
        confidence=request.confidence,
        method=found.method,
        n_cases=len(means),
        n_units=found.pairs.n_units,
        is_pass_fail=matrix.is_pass_fail,
        range=matrix.arms[0].score_range or ScoreRange((0.0, 1.0)),
        lower_is_better=matrix.lower_is_better,
        notes=(*matrix.notes, *_notes(matrix, len(listed))),
        problems=tuple(dict.fromkeys(problem for arm in matrix.arms for problem in arm.problems)),
        ledger=last_noted(request, matrix.arms, display="exact", verb="rank"),
        request=request,
    )


def _standing(found: Ranking) -> Standing:
    if not found.n_shown:
        return "no order"
    return "first" if int((found.sets.best == 1).sum()) == 1 else "tie"


def _arms(matrix: ScoreMatrix, found: Ranking) -> tuple[RankedArm, ...]:
    groups = found.groups
    # By score alone, equal scores share a rank; means of equal cases may differ by rounding.
    scores = np.round(found.means, 12)
    arms: list[RankedArm] = []
    for place, arm in enumerate(found.order):
        own, together = (_oriented(matrix, *ends[:, arm].tolist()) for ends in (found.own, found.together))
        arms.append(
            RankedArm(
                name=matrix.names[arm],
                rank=1 + int((scores > scores[arm]).sum()),
                best_rank=int(found.sets.best[arm]),
                worst_rank=int(found.sets.worst[arm]),
                estimate=float(1 - found.means[arm] if matrix.lower_is_better else found.means[arm]),
                low=own[0],
                high=own[1],
                together=Ends(low=together[0], high=together[1]),
                groups=tuple(number for number, (first, last) in enumerate(groups, start=1) if first <= place <= last),
                missing=matrix.missing[arm],
                left_out=matrix.left_out[arm],
                source=matrix.arms[arm].source,
            )
        )
    return tuple(arms)


def _oriented(matrix: ScoreMatrix, low: float, high: float) -> tuple[float, float]:
    return (1 - high, 1 - low) if matrix.lower_is_better else (low, high)


def _pairs(matrix: ScoreMatrix, found: Ranking, listed: tuple[int, ...]) -> tuple[PairVerdict, ...]:
    sign = -1 if matrix.lower_is_better else 1
    return tuple(
        PairVerdict(
            first=matrix.names[pair.first],
            second=matrix.names[pair.second],
            difference=sign * pair.difference,
            low=sign * (pair.interval.low if sign == 1 else pair.interval.high),
            high=sign * (pair.interval.high if sign == 1 else pair.interval.low),
            method=pair.interval.method,
            p_value=pair.p_value,
            p_holm=pair.adjusted,
            verdict="better" if pair.is_shown else "tied",
        )
        for pair in ranked_pairs(found, listed)
    )


def _selection(found: Ranking) -> SelectionCost:
    rate = float(found.means.mean())
    variance = float(np.diag(found.pairs.covariance).mean())
    cases = found.pairs.n_cases if found.is_pass_fail or variance == 0 else max(1.0, rate * (1 - rate) / variance)
    return selection_cost(
        rate,
        cases,
        len(found.means),
        expected_max=found.largest.expected_max,
        std_error=variance**0.5,
        is_pass_fail=found.is_pass_fail,
    )


def _notes(matrix: ScoreMatrix, listed: int) -> list[str]:
    notes: list[str] = []
    if matrix.lower_is_better:
        notes.append(f"Lower is better for {matrix.arms[0].metric.name}: the lowest score is ranked first.")
    if len({arm.metric.name for arm in matrix.arms}) > 1:
        names = ", ".join(dict.fromkeys(arm.metric.name for arm in matrix.arms))
        notes.append(f"The arms are scored by metrics of different names ({names}); they are taken as one.")
    if len(matrix.names) > listed:
        notes.append(f"Pairs are listed among the first {listed:,} arms; ranks and groups rest on all pairs.")
    return notes
