"""What is in a log: set, arms, metrics, reps, statuses, copies, and fields that can be slices or clusters."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.jobs.reading import asked_table, log_name, said_problems
from evalgauge.questions.given import request_from
from evalgauge.questions.look_at import (
    FieldUse,
    Identity,
    LookAtAnswer,
    LookAtRequest,
    SeenArm,
    SeenField,
    SeenMetric,
    SeenScores,
)
from evalgauge.scores.distinct import distinct_cases
from evalgauge.scores.identity import fingerprints
from evalgauge.scores.table import Status
from evalgauge.scores.units import unit_table, units

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.identity import Fingerprints
    from evalgauge.scores.table import Cases, ScoreTable
    from evalgauge.scores.units import Unit

_MOST_SLICES = 20
_LEAST_PER_SLICE = 5
_LEAST_CLUSTERS = 5
_MOST_VALUES = 10
_USE_ORDER: tuple[FieldUse, ...] = ("slice", "cluster", "too few", "constant", "own value each")


def look_at(
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> LookAtAnswer:
    """Say what logs hold: sets, arms, metrics, reps, statuses, copies, and fields to slice or cluster by.

    Parameters
    ----------
    *logs
        Paths, folders, data frames or tables; several are looked at together.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    LookAtAnswer
        Every arm on every set with its scores by metric, the metrics, and the fields of the cases.

    Raises
    ------
    ArgumentError
        When no log is given.
    LogError
        When a log cannot be read.

    Examples
    --------
    >>> import pandas as pd
    >>> import evalgauge as eg
    >>> print(eg.look_at(pd.DataFrame({"case": ["a", "b"], "passed": [True, False]})))
    2 cases, arms: data frame; metrics: passed
    """
    request = request_from(
        LookAtRequest,
        logs=tuple(log_name(log) for log in logs),
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return look_at_answer(request, logs)


def look_at_answer(request: LookAtRequest, logs: Sequence[Any] = ()) -> LookAtAnswer:
    """Return the answer to a request; ``logs`` holds the sources themselves where they are no paths."""
    sources = list(logs or request.logs)
    if not sources:
        raise ArgumentError("LOG", "nothing", "one or more logs, tables or folders")
    table = asked_table(sources[0] if len(sources) == 1 else sources, request)
    found = units(table)
    return LookAtAnswer(
        rows=len(table),
        cases=distinct_cases(found),
        arms=tuple(_arm(table, unit) for unit in found),
        metrics=tuple(
            SeenMetric(
                name=one.name,
                kind=one.kind,
                low=one.low,
                high=one.high,
                higher_is_better=one.higher_is_better,
                words=one.words,
            )
            for one in table.metrics
        ),
        fields=_fields(found),
        problems=said_problems(table.problems, [run.file for run in table.runs]),
        request=request,
    )


def _arm(table: ScoreTable, unit: Unit) -> SeenArm:
    own = unit_table(table, unit)
    last = unit.runs[-1]
    known = fingerprints(own.cases)
    return SeenArm(
        arm=unit.arm,
        set_name=unit.set_name,
        detail=dict(last.arm_detail),
        framework=last.framework,
        files=tuple(dict.fromkeys(run.file for run in unit.runs)),
        states=tuple(dict.fromkeys(run.state for run in unit.runs)),
        created=next((run.created for run in unit.runs if run.created), ""),
        rep_source=last.rep_source,
        rep_kind=last.rep_kind,
        cases=len(own.cases),
        identity=_identity(own.cases, known),
        known_contents=sum(pair != (None, None) for pair in zip(known.case_fp, known.input_fp, strict=True)),
        content_copies=_copies(known.case_fp),
        id_copies=_copies(own.cases.case_id),
        scores=tuple(_scores(own, index) for index in range(len(own.metrics))),
        notes=unit.notes,
    )


def _identity(cases: Cases, known: Fingerprints) -> Identity:
    if any(one is not None for one in (*known.case_fp, *known.input_fp)):
        return "content"
    if cases.source_hash is not None and any(one is not None for one in cases.source_hash):
        return "source hash"
    return "row number" if cases.id_is_row_number else "id"


def _copies(names: Sequence[str | None]) -> int:
    return sum(count - 1 for name, count in Counter(names).items() if name is not None)


def _scores(own: ScoreTable, index: int) -> SeenScores:
    is_mine = own.metric == index
    rows = is_mine & (own.status == Status.OK)
    scores = own.score[rows]
    scores = scores[~np.isnan(scores)]
    per_case = np.bincount(own.case[is_mine])
    per_case = per_case[per_case > 0]
    by_status = np.bincount(own.status[is_mine], minlength=len(Status))
    repeated, is_identical = _repeated(own, rows)
    return SeenScores(
        metric=own.metrics[index].name,
        cases=per_case.size,
        planned=int(is_mine.sum()),
        scored=int(rows.sum()),
        least_reps=int(per_case.min()),
        most_reps=int(per_case.max()),
        by_status={
            status.name.lower().replace("_", " "): int(by_status[status]) for status in Status if by_status[status]
        },
        low=float(scores.min()) if scores.size else None,
        high=float(scores.max()) if scores.size else None,
        repeated_cases=repeated,
        every_rep_identical=is_identical,
    )


def _repeated(own: ScoreTable, rows: NDArray[np.bool_]) -> tuple[int, bool]:
    """Return how many cases have several scored reps, and whether the reps of each have one score or word."""
    where = np.flatnonzero(rows)
    case, score = own.case[where], own.score[where]
    if own.raw is not None and np.isnan(score).any():
        # Words without a number differ or agree as words.
        _, code = np.unique([str(own.raw[row]) for row in where.tolist()], return_inverse=True)
        score = code.astype(np.float64)
    lowest, highest = np.full(len(own.cases), np.inf), np.full(len(own.cases), -np.inf)
    np.minimum.at(lowest, case, score)
    np.maximum.at(highest, case, score)
    several = np.bincount(case, minlength=len(own.cases)) > 1
    return int(several.sum()), bool(several.any() and (lowest[several] == highest[several]).all())


def _fields(found: Sequence[Unit]) -> tuple[SeenField, ...]:
    # Arms of one set have its cases in common: the one with most of them speaks for all.
    largest: dict[str, Cases] = {}
    for unit in found:
        if len(unit.cases) > len(largest.get(unit.set_name, ())):
            largest[unit.set_name] = unit.cases
    fields = [
        _field(set_name, name, column) for set_name, cases in largest.items() for name, column in cases.fields.items()
    ]
    order = list(largest)
    known = (field for field in fields if field.known)
    return tuple(sorted(known, key=lambda field: (order.index(field.set_name), _USE_ORDER.index(field.use))))


def _field(set_name: str, name: str, column: Sequence[str | None]) -> SeenField:
    counts = Counter(value for value in column if value is not None)
    return SeenField(
        set_name=set_name,
        name=name,
        values=len(counts),
        known=counts.total(),
        most=dict(counts.most_common(_MOST_VALUES)),
        use=_use(counts),
    )


def _use(counts: Counter[str]) -> FieldUse:
    known = counts.total()
    if len(counts) <= 1:
        return "constant"
    # A slice with a case or two says nothing of its own; two at least must be larger.
    if len(counts) <= _MOST_SLICES and counts.most_common(2)[1][1] >= _LEAST_PER_SLICE <= known / len(counts):
        return "slice"
    if len(counts) == known:
        return "own value each"
    # A source that hardly any case shares with another groups nothing.
    shared = sum(number for number in counts.values() if number > 1)
    return "cluster" if len(counts) >= _LEAST_CLUSTERS and 2 * shared >= known else "too few"
