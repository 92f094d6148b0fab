"""How good is the best of several candidates on the same cases really?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from evalgauge.errors import ScoreError
from evalgauge.jobs.noted import last_noted
from evalgauge.jobs.reading import log_name
from evalgauge.jobs.score_matrix import score_matrix
from evalgauge.questions.best_of import BestOfAnswer, BestOfRequest, CandidateScore
from evalgauge.questions.given import request_from
from evalgauge.questions.parts import NamedInterval
from evalgauge.questions.units import ScoreRange
from evalgauge.reusing.selection import best_of_k

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.jobs.score_matrix import ScoreMatrix
    from evalgauge.questions.best_of import MissingScores
    from evalgauge.reusing.selection import Selection

# Winners of resamples differ by this much where candidates are far apart; then the expected score is a little low.
_SPREAD = 0.05


def best_of(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables, or one list of them
    metric: str | None = None,
    task: str | None = None,
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
) -> BestOfAnswer:
    """Answer how good the best of several candidates really is, from their scores on the same cases.

    Parameters
    ----------
    *logs
        Paths, folders, data frames or tables, or one list of them; every arm in them is a candidate.
    metric, task
        Which score and which eval set, where the logs hold several.
    score_range
        Lowest and highest possible score; (0, 1) when left out.
    missing
        What a case without a score counts as: ``"fail"`` or ``"drop"``.
    confidence
        Level of every interval, two-sided.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.
    engine
        Address of the engine that holds the logs as tables: ``"sc://host:15002"``, ``"spark://host:7077"``,
        ``"ibis:URL"``.
    ledger, no_ledger
        Which ledger records the looks, where the set is registered; or none.

    Returns
    -------
    BestOfAnswer
        The best candidate, its interval after the choice, its expected score on new cases, ties, effective looks.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed, a log comes twice, or there is one candidate only.
    PairingError
        When the candidates share no case.
    LogError
        When a log cannot be read.
    ScoreError
        When the scores cannot answer.

    References
    ----------
    Romano & Wolf 2005 (max-t); Tsamardinos et al. 2018 (out-of-bag score); see ``evalgauge.reusing.selection``.

    Examples
    --------
    >>> import evalgauge as eg, pandas as pd
    >>> rows = [(f"q{case}", arm, case % step > 0) for case in range(60) for arm, step in (("a", 3), ("b", 4))]
    >>> print(eg.best_of(pd.DataFrame(rows, columns=["case", "arm", "score"])))
    best of 2: b, 75.0 %, 95 % interval 60.6 to 84.2 %, expected 71.6 % on new cases
    """
    if len(logs) == 1 and isinstance(logs[0], (list, tuple)):
        logs = tuple(cast("Sequence[Any]", logs[0]))
    request = request_from(
        BestOfRequest,
        logs=tuple(log_name(log) for log in logs),
        metric=metric,
        task=task,
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
    return best_of_answer(request, logs)


def best_of_answer(request: BestOfRequest, sources: Sequence[Any] = ()) -> BestOfAnswer:
    """Return the answer to a request; ``sources`` holds the logs themselves where they are no paths."""
    one = "For one candidate that was chosen among k say: evalgauge reuse LOG --looks K"
    matrix = score_matrix(request, sources or request.logs, one_arm=one)
    if matrix.lower_is_better:
        name = matrix.arms[0].metric.name
        raise ScoreError(
            f"For {name} lower is better, and the best of several is the highest score. Which arm is first is said by: "
            "evalgauge rank"
        )
    found = best_of_k(matrix.means, confidence=request.confidence, reps=matrix.reps)
    score_range = matrix.arms[0].score_range
    return BestOfAnswer(
        best=matrix.names[found.best],
        tied=tuple(matrix.names[index] for index in found.tied),
        observed=found.observed,
        low=found.interval.low,
        high=found.interval.high,
        symmetric_high=found.symmetric_high,
        method=found.interval.method,
        confidence=request.confidence,
        expected=found.expected,
        expected_error=found.expected_error,
        critical=found.critical,
        critical_error=found.mc_error,
        looks=found.looks,
        effective_looks=found.effective_looks,
        naive=(
            NamedInterval(method="no correction", low=found.naive.low, high=found.naive.high),
            NamedInterval(method="bonferroni", low=found.bonferroni.low, high=found.bonferroni.high),
        ),
        if_equal=found.if_equal,
        candidates=_candidates(matrix, found),
        n_cases=len(matrix.means),
        is_pass_fail=matrix.is_pass_fail,
        range=score_range or ScoreRange((0.0, 1.0)),
        notes=(*matrix.notes, *_notes(matrix)),
        problems=tuple(dict.fromkeys(problem for arm in matrix.arms for problem in arm.problems)),
        ledger=last_noted(request, matrix.arms, display="exact", verb="best-of"),
        request=request,
    )


def _candidates(matrix: ScoreMatrix, found: Selection) -> tuple[CandidateScore, ...]:
    means = matrix.means.mean(axis=0).tolist()
    order = sorted(range(len(means)), key=lambda index: (-means[index], index != found.best, index))
    return tuple(
        CandidateScore(
            name=matrix.names[index],
            estimate=means[index],
            chosen=found.chosen[index],
            source=matrix.arms[index].source,
        )
        for index in order
    )


def _notes(matrix: ScoreMatrix) -> list[str]:
    notes: list[str] = []
    if matrix.is_pass_fail:
        notes.append(
            "The upper end is that of one look: it holds if the top scorer is taken and the candidates were fixed "
            "before the first look."
        )
    means = matrix.means.mean(axis=0)
    if float(means.std()) > _SPREAD:
        notes.append("The candidates are far apart: the expected score may be about a point too low.")
    notes.append("Tuning that built on earlier looks at these cases is not corrected for: evalgauge reuse counts it.")
    return notes
