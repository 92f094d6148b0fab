"""One arm on one set by one metric: the cases and sums that a question is answered from, in shares of the range."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.jobs.blessings import blessing_notes
from evalgauge.jobs.reading import said_problems
from evalgauge.questions.parts import Counts, Source
from evalgauge.questions.units import ScoreRange
from evalgauge.scores.range_hints import likely_scale
from evalgauge.scores.sums import CaseSums, case_sums
from evalgauge.scores.table import Status
from evalgauge.scores.units import chosen_metric, unit_table, units

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.questions.parts import ScoringOptions
    from evalgauge.scores.table import Metric, Run, ScoreTable
    from evalgauge.scores.units import Unit

UNNAMED = "(none)"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Arm:
    """One arm, ready to be questioned.

    Attributes
    ----------
    table
        The arm's own table: one logical run.
    beside
        Every arm of the logs on the same set, this one too.
    source
        Where it came from.
    metric
        The score that is used.
    sums
        Sums per planned case.
    score_range
        The possible range; ``None`` for a score without limits.
    notes, problems
        What has to be said with any answer.
    """

    table: ScoreTable
    beside: tuple[str, ...]
    source: Source
    metric: Metric
    sums: CaseSums
    score_range: ScoreRange | None
    notes: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def is_pass_fail(self) -> bool:
        """Whether every score is 0 or 1 (in shares)."""
        total, squares = self.totals
        return self.score_range is not None and bool((total == squares).all())

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Which of the planned cases have a score."""
        return self.sums.n_scored > 0

    @property
    def totals(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Sum and sum of squares of the scores per case, in shares of the range."""
        if self.score_range is None or tuple(self.score_range) == (0.0, 1.0):
            return self.sums.total, self.sums.total_sq
        low, high = self.score_range
        width, n = high - low, self.sums.n_scored
        total = (self.sums.total - n * low) / width
        squares = (self.sums.total_sq - 2 * low * self.sums.total + n * low * low) / (width * width)
        return total, squares

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean score per planned case, in shares of the range; NaN where no run is scored."""
        if self.score_range is None or tuple(self.score_range) == (0.0, 1.0):
            return self.sums.means
        low, high = self.score_range
        return (self.sums.means - low) / (high - low)

    @property
    def counts(self) -> Counts:
        """What became of the planned runs."""
        by_status = self.sums.status_counts.sum(axis=0)
        planned, scored = int(self.sums.n_planned.sum()), int(self.sums.n_scored.sum())
        partly = (self.sums.n_scored > 0) & (self.sums.n_scored < self.sums.n_planned)
        return Counts(
            planned=planned,
            scored=scored,
            errored=planned - scored,
            by_status={
                status.name.lower().replace("_", " "): int(by_status[status]) for status in Status if by_status[status]
            },
            cases_planned=len(self.sums),
            cases_scored=int(self.scored.sum()),
            cases_partly=int(partly.sum()),
        )

    def field(self, name: str, option: str) -> NDArray[np.object_]:
        """Return a per-case field, by planned case; a case without it is ``(none)``.

        Raises
        ------
        ArgumentError
            When no case has the field; the fields that exist are listed.
        """
        fields = self.table.cases.fields
        if name not in fields:
            close = get_close_matches(name, list(fields), n=1)
            hint = f"Did you mean {close[0]}?" if close else ""
            listed = ", ".join(fields) or "this one has none beside the case itself"
            raise ArgumentError(option, name, f"a field of the log: {listed}", hint)
        values = fields[name]
        return np.array([UNNAMED if values[case] is None else values[case] for case in self.sums.case], dtype=object)

    def clusters(self, name: str) -> tuple[NDArray[np.intp], tuple[str, ...]]:
        """Return the cluster of each planned case, and what has to be said; a case without the field stands alone.

        Raises
        ------
        ArgumentError
            When no case has the field; the fields that exist are listed.
        """
        labels = self.field(name, "cluster")
        _, codes = np.unique(labels, return_inverse=True)
        alone = np.flatnonzero(labels == UNNAMED)
        codes[alone] = codes.max() + 1 + np.arange(alone.size)
        if not alone.size:
            return codes, ()
        return codes, (f"{alone.size:,} of {labels.size:,} cases have no {name}: each counts as a cluster of its own.",)

    def case_names(self, rows: Sequence[int] | NDArray[np.intp]) -> tuple[str, ...]:
        """Return the ids of planned cases; a copy of an id carries its number."""
        cases = self.table.cases
        names: list[str] = []
        for row in rows:
            case = int(self.sums.case[row])
            copy = int(cases.dup[case])
            names.append(f"{cases.case_id[case]} #{copy + 1}" if copy else cases.case_id[case])
        return tuple(names)


def arms_of(
    table: ScoreTable, asked: ScoringOptions, arm: str | None = None, *, arm_option: str = "arm"
) -> tuple[Arm, ...]:
    """Return the arms that can answer; see ``arms_and_refusals``."""
    return arms_and_refusals(table, asked, arm, arm_option=arm_option)[0]


def arms_and_refusals(
    table: ScoreTable, asked: ScoringOptions, arm: str | None = None, *, arm_option: str = "arm"
) -> tuple[tuple[Arm, ...], tuple[str, ...]]:
    """Return every arm on every set that was asked for, in the order of the logs, and why others cannot answer.

    Raises
    ------
    ArgumentError
        When the arm or task that was named is not there; those that are get listed.
    ScoreError
        When none can answer: there is no score, several metrics and none named, or scores outside the range.
    """
    found = units(table)
    for option, name, names in (
        ("task", asked.task, [unit.set_name for unit in found]),
        (arm_option, arm, [unit.arm for unit in found]),
    ):
        if name is not None and name not in names:
            close = get_close_matches(name, [one for one in names if one], n=1)
            hint = f"Did you mean {close[0]}?" if close else ""
            listed = ", ".join(dict.fromkeys(one for one in names if one))
            raise ArgumentError(option, name, f"one of {listed}" if listed else "nothing: the log names none", hint)
    chosen = [unit for unit in found if asked.task in (None, unit.set_name) and arm in (None, unit.arm)]
    if not chosen:
        raise ScoreError("no scores: the log holds no run of any case. Check that the eval ran to its end.")
    arms: list[Arm] = []
    refusals: list[str] = []
    for unit in chosen:
        try:
            arms.append(_arm(table, unit, asked, tuple(one.arm for one in found if one.set_name == unit.set_name)))
        except ScoreError as error:
            if len(chosen) == 1:
                raise
            refusals.append(f"{f'{unit.arm} on {unit.set_name}' if unit.set_name else unit.arm}: {error}")
    if not arms:
        names = ", ".join(dict.fromkeys(one.set_name for one in chosen))
        more = f" Choose a task with --task: {names}." if asked.task is None and ", " in names else ""
        raise ScoreError(f"{refusals[0]} The other {len(refusals) - 1} cannot answer either.{more}")
    return tuple(arms), tuple(refusals)


def _arm(table: ScoreTable, unit: Unit, asked: ScoringOptions, beside: tuple[str, ...]) -> Arm:
    own = unit_table(table, unit)
    index = chosen_metric(own, asked.metric)
    metric = own.metrics[index]
    sums = case_sums(own, metric=index)
    # Of several attempts at the same work the last one counts, and so does its end.
    last = {run.attempt_of or run.run_id: run for run in unit.runs}.values()
    notes = [*blessing_notes(unit.runs), *unit.notes, *(_state_note(run) for run in last if run.state != "complete")]
    files = tuple(dict.fromkeys(run.file for run in unit.runs))
    if sums.judgings > 1:
        notes.append(
            f"Up to {sums.judgings} scores a case are re-judgings of one output: judge noise is averaged, and "
            "run-to-run noise of the system was not measured."
        )
    if not (sums.n_scored > 0).any():
        raise ScoreError(
            f"{unit.arm}: none of the {len(sums):,} planned cases has a score for {metric.name!r}. "
            "Fix the errors in the log and run the eval again."
        )
    score_range = _range(own, index, asked.score_range)
    if score_range is None and asked.missing == "fail":
        allowed = "bounds or drop for a score without limits: it has no lowest value to fail with"
        raise ArgumentError("missing", "fail", allowed, "Or say its limits with --range.")
    if metric.higher_is_better is False and asked.missing == "fail":
        allowed = f"bounds or drop for {metric.name!r}, of which less is better: the lowest score is the best one"
        raise ArgumentError("missing", "fail", allowed, "Leave --missing out: the interval spans both ends.")
    return Arm(
        table=own,
        beside=tuple(dict.fromkeys(beside)),
        source=Source(
            files=files,
            framework=own.runs[0].framework,
            set_name=unit.set_name,
            arm=unit.arm,
            metric=metric.name,
        ),
        metric=metric,
        sums=sums,
        score_range=score_range,
        notes=tuple(notes),
        problems=said_problems([problem for problem in own.problems if problem.file in ("", *files)], files),
    )


def _state_note(run: Run) -> str:
    words = {"partial": "stops before its end", "cancelled": "says that its run was cancelled"}
    return f"{run.file} {words.get(run.state, f'says that its run ended in state {run.state!r}')}."


def _range(table: ScoreTable, index: int, asked: ScoreRange | None) -> ScoreRange | None:
    metric = table.metrics[index]
    if asked is not None and len(asked) == 0:
        return None
    if asked is not None:
        low, high = asked
    elif metric.low is not None and metric.high is not None and metric.low < metric.high:
        low, high = metric.low, metric.high
    else:
        low, high = 0.0, 1.0
    scores = table.score[(table.metric == index) & (table.status == Status.OK)]
    least, most = float(scores.min()), float(scores.max())
    if least < low or most > high:
        scale = likely_scale(least, most) or (least, most)
        guess = f"--range {scale[0]:g}:{scale[1]:g}, if that is all"
        raise ScoreError(
            f"metric {metric.name!r}: scores run from {least:g} to {most:g}, outside the range {low:g} to {high:g}. "
            f"Say what the lowest and highest possible scores are, such as {guess}; or --range none for a score "
            "without limits."
        )
    return ScoreRange((low, high))
