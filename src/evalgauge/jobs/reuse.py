"""How worn is a holdout: what k looks cost, how many are left, what may still be claimed?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalgauge.jobs.reading import log_name
from evalgauge.jobs.reused import answer_of
from evalgauge.jobs.reused_score import reused_score
from evalgauge.questions.given import request_from
from evalgauge.questions.reuse import ReuseRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.jobs.reused import Progress
    from evalgauge.questions.reuse import ReuseAnswer
    from evalgauge.rules.displays import Display


def reuse(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - a path, a data frame, a table, or a count such as "258/300"
    n_cases: int | None = None,
    rate: float | str | None = None,
    looks: int = 1,
    tolerance: float | str = 0.02,
    correlation: float | str | None = None,
    cap: float | str | None = None,
    display: Display | None = None,
    passes: int | None = None,
    retired: bool = False,
    step: float | str | None = None,
    refresh: float | str | None = None,
    more_looks: int = 0,
    climb: bool = False,
    edit: float | str = 0.2,
    metric: str | None = None,
    arm: str | None = None,
    task: str | None = None,
    score_range: Sequence[float] | None = None,
    confidence: float | str = 0.95,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> ReuseAnswer:
    """Answer what k looks at one set cost, how many are left, and what may still be claimed for the best.

    Parameters
    ----------
    *logs
        The log of the chosen candidate, or its count such as ``"258/300"``; none, with ``n_cases`` and ``rate``.
    n_cases, rate
        Number of cases, and expected true rate of the candidates, a share.
    looks
        How many candidates were scored on the set, the chosen one too.
    tolerance
        Optimism that is still fine, a share.
    correlation
        Of the scores of two candidates over cases, where it is known.
    cap
        Highest confidence of the corrected interval, a share.
    display, passes, retired, step
        What each look showed (``"nothing"``, ``"pass-fail"``, ``"score-on-pass"``, ``"rounded"``, ``"exact"`` or
        ``"per-case"``), how many passes at most, whether the set was retired on the last of them, and the step of
        rounded scores.
    refresh, more_looks
        Share of the cases to replace, and looks that are to follow.
    climb, edit
        Simulate a tuner who keeps whatever scores higher; share of the cases that one edit changes.
    metric, arm, task, score_range
        Which score of the log, as for ``measure``.
    confidence
        Level of every interval, two-sided.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.
    ledger, no_ledger
        Which ledger records that the log was looked at, where its set is registered; or none.

    Returns
    -------
    ReuseAnswer
        Optimism, look budget, corrected interval, fresh-set size, what is certified, what a refresh buys; in shares.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed.
    LogError
        When a log cannot be read.
    ScoreError
        When the scores cannot answer.

    References
    ----------
    Blom 1958; Dwork et al. 2015; Blum & Hardt 2015; see each function in ``evalgauge.reusing``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.reuse(n_cases=1000, rate=0.8, looks=10, tolerance=0.02))
    10 looks flatter by 1.9 points; 95 % interval 76.2 to 82.4 %; budget 11
    """
    request = request_from(
        ReuseRequest,
        logs=tuple(log_name(log) for log in logs),
        n_cases=n_cases,
        rate=rate,
        looks=looks,
        tolerance=tolerance,
        correlation=correlation,
        cap=cap,
        display=display,
        passes=passes,
        retired=retired,
        step=step,
        refresh=refresh,
        more_looks=more_looks,
        climb=climb,
        edit=edit,
        metric=metric,
        arm=arm,
        task=task,
        score_range=score_range,
        confidence=confidence,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    return reuse_answer(request, logs)


def reuse_answer(
    request: ReuseRequest, sources: Sequence[Any] = (), *, on_progress: Progress | None = None
) -> ReuseAnswer:
    """Return the answer to a request.

    Parameters
    ----------
    request
        What was asked.
    sources
        The log itself, where it is no path.
    on_progress
        Told how many blocks of the simulated climbs are done, of how many.
    """
    return answer_of(request, reused_score(request, list(sources or request.logs)), on_progress)
