"""Everything about some logs at once: each question is asked by its own job, and what they show is recorded by them."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.jobs.compare import compare_answer
from evalgauge.jobs.measure import measure_each
from evalgauge.jobs.rank import rank_answer
from evalgauge.jobs.reading import asked_table, log_name
from evalgauge.questions.compare import CompareRequest
from evalgauge.questions.given import request_from
from evalgauge.questions.measure import MeasureRequest
from evalgauge.questions.rank import RankRequest
from evalgauge.questions.report import ReportAnswer, ReportRequest
from evalgauge.questions.units import Columns, Names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.ledger_cards import HistoryAnswer
    from evalgauge.questions.ledger_parts import WearCard
    from evalgauge.questions.measure import MeasureAnswer
    from evalgauge.questions.parts import Missing
    from evalgauge.questions.rank import RankAnswer
    from evalgauge.scores.table import ScoreTable

_LEAST_RANKED = 3
# A leaderboard knows no bounds: what is missing counts as the worst score there.
_RANK_MISSING = {"bounds": "fail", "fail": "fail", "drop": "drop"}


def make_report(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    title: str = "",
    margin: float | str | None = None,
    arms: Sequence[str] = (),
    judge_labels: Any = None,  # noqa: ANN401 - a path or a data frame
    flips: bool = False,
    metric: str | None = None,
    task: str | None = None,
    by: str | None = None,
    cluster: str | None = None,
    score_range: Sequence[float] | None = None,
    missing: Missing = "bounds",
    confidence: float | str = 0.95,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> ReportAnswer:
    """Answer everything about some logs at once: scores, comparisons with the first, ranks, missing runs, wear.

    Parameters
    ----------
    *logs
        Paths, folders, data frames or tables, the baseline first; one log may hold all arms.
    title
        Heading; the name of the eval set when left out.
    margin
        The change that matters, a share.
    arms
        Arms of one log, baseline first.
    judge_labels
        Labels of some of the cases, where a judge gave the scores of a single arm.
    flips
        List the changed cases even where the set is registered, on record.
    metric, task, by, cluster, score_range, missing, confidence
        As for ``compare``.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.
    ledger, no_ledger
        Which ledger records the looks, where the set is registered; or none.

    Returns
    -------
    ReportAnswer
        All answers. ``save_report`` writes it as HTML, Markdown or PDF.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed.
    LogError, ScoreError, PairingError
        When a log cannot be read, or cannot answer.
    LedgerError
        When the looks cannot be recorded, or show more than was declared for the set.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.save_report(eg.make_report("base.eval", "candidate.eval"), output="report.html")  # doctest: +SKIP
    """
    request = request_from(
        ReportRequest,
        logs=tuple(log_name(log) for log in logs),
        title=title,
        margin=margin,
        arms=arms,
        judge_labels=None if judge_labels is None else log_name(judge_labels),
        flips=flips,
        metric=metric,
        task=task,
        by=by,
        cluster=cluster,
        score_range=score_range,
        missing=missing,
        confidence=confidence,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    return report_answer(request, logs, judge_labels)


def report_answer(
    request: ReportRequest,
    logs: Sequence[Any] = (),
    judge_labels: Any = None,  # noqa: ANN401 - a path or a data frame
) -> ReportAnswer:
    """Return the answer to a request; ``logs`` and ``judge_labels`` hold the sources where they are no paths."""
    sources = list(logs or request.logs)
    if not sources:
        raise ArgumentError("logs", "no log", "one log or more, the baseline first")
    tables = [asked_table(source, request) for source in sources]
    scores = _scores(request, tables, judge_labels)
    comparisons = _comparisons(request, tables, scores)
    card, history = _wear(request, scores)
    return ReportAnswer(
        title=request.title or next((one.source.set_name for one in scores if one.source.set_name), "Evaluation"),
        scores=scores,
        comparisons=comparisons,
        ranking=_ranking(request, tables, scores),
        card=card,
        history=history,
        made=datetime.now(UTC).isoformat(timespec="minutes"),
        request=request,
    )


def _scores(
    request: ReportRequest,
    tables: list[ScoreTable],
    labels: Any,  # noqa: ANN401 - a path or a data frame
) -> tuple[MeasureAnswer, ...]:
    asked = MeasureRequest(**_shared(request, MeasureRequest), judge_labels=request.judge_labels, logs=request.logs)
    found: list[MeasureAnswer] = []
    for place, table in enumerate(tables):
        own = replace(asked, logs=request.logs[place : place + 1])
        found += measure_each(own, [table], labels)
    if request.judge_labels is not None and len(found) > 1:
        hint = "Labels are of what one arm did: report on it alone."
        raise ArgumentError("judge_labels", f"labels with {len(found)} arms", "labels of the cases of one arm", hint)
    sets = list(dict.fromkeys(one.source.set_name for one in found))
    if len(sets) > 1 and request.task is None and len(tables) == 1:
        raise ArgumentError("task", "nothing", f"one of {', '.join(sets)}", "A report is about one eval set.")
    if request.arms:
        named = {one.source.arm: one for one in found}
        unknown = [arm for arm in request.arms if arm not in named]
        if unknown or len(tables) > 1:
            allowed = f"arms of one log: {', '.join(named)}"
            raise ArgumentError("arms", ",".join(unknown or request.arms), allowed)
        found = [named[arm] for arm in request.arms]
    return tuple(found)


def _comparisons(
    request: ReportRequest, tables: list[ScoreTable], scores: tuple[MeasureAnswer, ...]
) -> tuple[CompareAnswer, ...]:
    if len(scores) < 2:
        return ()
    asked = CompareRequest(**_shared(request, CompareRequest), margin=request.margin, flips=request.flips)
    base = scores[0].source.arm
    if len(tables) == 1:
        return tuple(
            compare_answer(replace(asked, logs=request.logs, arms=Names((base, one.source.arm))), tables)
            for one in scores[1:]
        )
    if len(scores) != len(tables):
        hint = "Give one log for each arm, or all arms in one log."
        raise ArgumentError("logs", f"{len(tables)} logs with {len(scores)} arms", "one arm a log", hint)
    return tuple(
        compare_answer(replace(asked, logs=(request.logs[0], log)), [tables[0], table])
        for log, table in zip(request.logs[1:], tables[1:], strict=True)
    )


def _ranking(request: ReportRequest, tables: list[ScoreTable], scores: tuple[MeasureAnswer, ...]) -> RankAnswer | None:
    if len(scores) < _LEAST_RANKED or request.arms:
        return None
    shared: dict[str, Any] = {**_shared(request, RankRequest), "missing": _RANK_MISSING[request.missing]}
    return rank_answer(RankRequest(**shared, logs=request.logs), tables)


def _wear(request: ReportRequest, scores: tuple[MeasureAnswer, ...]) -> tuple[WearCard | None, HistoryAnswer | None]:
    known = next((one.ledger.set_name for one in scores if one.ledger is not None and one.ledger.set_name), None)
    if known is None:
        return None, None
    from evalgauge.jobs.ledger_cards import history_answer, status_answer  # noqa: PLC0415 - only where a set is known
    from evalgauge.questions.ledger_cards import HistoryRequest, StatusRequest  # noqa: PLC0415 - same

    card = status_answer(StatusRequest(names=(known,), ledger=request.ledger)).cards[0]
    return card, history_answer(HistoryRequest(names=(known,), ledger=request.ledger))


def _shared(request: ReportRequest, kind: type[Any]) -> dict[str, Any]:
    """Return the options that a report and a question have in common; columns are mapped when the logs are read."""
    names = {field.name for field in fields(kind)} - {"logs", "judge_labels", "margin", "flips", "arms"}
    shared: dict[str, Any] = {one.name: getattr(request, one.name) for one in fields(request) if one.name in names}
    return {**shared, "columns": Columns()}
