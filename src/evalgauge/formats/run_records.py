"""Runs with named scores as rows of a table: what the readers of several frameworks have in common.

Such a framework logs one record a run, which holds the scores that its evaluators gave. Which scores were to be given
is not written down, so it is read off the records: what some rep of a case has, its other reps should have too, and
what every case has, a case that failed should have.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from evalgauge.formats.case_fields import FieldCollector
from evalgauge.formats.planned import check_plan
from evalgauge.formats.score_words import MISSING, Reading
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from evalgauge.scores.build import TableBuilder
    from evalgauge.scores.table import CaseContent, Json

UNNAMED = "score"
"""The metric of a log in which every run failed before it was scored."""


class Given(NamedTuple):
    """What an evaluator gave: a reading, or the reason why there is none."""

    reading: Reading = MISSING
    status: Status = Status.OK


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """One run of a case.

    Attributes
    ----------
    key
        Equal for the runs of one case.
    case_id
        What the case is called.
    rep
        Its number where the log numbers reps, 1-based; ``None`` where the order counts.
    scores
        By metric.
    absent
        What it means that a score which was to be given is not there.
    content, fields
        Of the case.
    """

    key: Hashable
    case_id: str
    rep: int | None = None
    scores: Mapping[str, Given] = field(default_factory=dict[str, Given])
    absent: Status = Status.UNSCORED
    content: CaseContent | None = None
    fields: Mapping[str, object] = field(default_factory=dict[str, object])


class Added(NamedTuple):
    """What was added.

    Attributes
    ----------
    fields
        The fields of the cases.
    most_reps
        Most reps of a case.
    repeated
        How many cases have several reps.
    """

    fields: FieldCollector
    most_reps: int
    repeated: int


def add_records(
    builder: TableBuilder,
    run: int,
    records: Sequence[RunRecord],
    *,
    file: str,
    planned_reps: int = 0,
    is_cut: bool = False,
) -> Added:
    """Add a row for every record and metric that was to be scored, and for every rep that is missing.

    Parameters
    ----------
    builder
        Takes the rows; metrics are declared in the order in which they appear.
    run
        Index of the run.
    records
        The runs.
    file
        What problems call the log.
    planned_reps
        How often each case was to be run; 0 where that is not known.
    is_cut
        Whether the file breaks off, so that reps which are missing may have been run.

    Raises
    ------
    LogError
        If far more runs are planned than there are.
    """
    cases = _Cases(builder)
    placed = [cases.place(record) for record in records]
    check_plan(planned_reps * len({case for case, _ in placed}), len(records), file)
    metrics = _metrics(records, [case for case, _ in placed])
    seen: defaultdict[int, set[int]] = defaultdict(set)
    for record, (case, rep) in zip(records, placed, strict=True):
        seen[case].add(rep)
        for name in metrics[case]:
            given = record.scores.get(name)
            if given is None:
                given = Given(status=record.absent)
            is_scored = given.status == Status.OK
            builder.add(
                run=run,
                case=case,
                rep=rep,
                metric=builder.metric_index(name),
                score=given.reading.score if is_scored else None,
                status=Status.UNSCORED if is_scored and given.reading == MISSING else given.status,
                raw=given.reading.raw,
            )
    if cases.clashing:
        runs = counted(cases.clashing, "run has", "runs have")
        text = f"{runs} the case and the rep of an earlier one: read as a case of its own each."
        builder.problem(text, file=file, count=cases.clashing)
    lost = Status.UNREADABLE if is_cut else Status.NOT_RUN
    for case, reps in seen.items():
        for rep in sorted(set(range(1, planned_reps + 1)) - reps):
            for name in metrics[case]:
                index = builder.metric_index(name)
                builder.add(run=run, case=case, rep=rep, metric=index, score=None, status=lost)
    return Added(
        cases.fields,
        most_reps=max((max(reps) for reps in seen.values()), default=0),
        repeated=sum(len(reps) > 1 for reps in seen.values()),
    )


class _Cases:
    """The cases in the making."""

    def __init__(self, builder: TableBuilder) -> None:
        self._builder = builder
        self._of_key: dict[Hashable, int] = {}
        self._reps: defaultdict[int, set[int]] = defaultdict(set)
        self._copies: Counter[str] = Counter()
        self.fields = FieldCollector()
        self.clashing = 0

    def place(self, record: RunRecord) -> tuple[int, int]:
        """Return the case and the rep of a record."""
        case = self._of_key.get(record.key)
        rep = record.rep if record.rep is not None else len(self._reps[case]) + 1 if case is not None else 1
        if case is not None and rep in self._reps[case]:
            self.clashing += 1
            case = self._new(record)
        elif case is None:
            case = self._of_key[record.key] = self._new(record)
        self._reps[case].add(rep)
        self.fields.add(case, record.fields, _target(record))
        return case, rep

    def _new(self, record: RunRecord) -> int:
        dup = self._copies[record.case_id]
        self._copies[record.case_id] += 1
        return self._builder.case_index(record.case_id, dup=dup, content=record.content)


def _target(record: RunRecord) -> Json:
    return None if record.content is None else record.content.target


def _metrics(records: Sequence[RunRecord], case_of: Sequence[int]) -> dict[int, tuple[str, ...]]:
    own: dict[int, dict[str, None]] = {}
    for record, case in zip(records, case_of, strict=True):
        own.setdefault(case, {}).update(dict.fromkeys(record.scores))
    scored = [names for names in own.values() if names]
    # Where every run failed no metric has a name, and the runs are still to be seen.
    everywhere = [name for name in scored[0] if all(name in names for names in scored)] if scored else [UNNAMED]
    return {case: tuple(names or everywhere) for case, names in own.items()}
