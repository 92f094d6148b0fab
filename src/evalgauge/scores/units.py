"""From the runs of a table to units: all that one arm did on one set, as one run.

Several logs of one arm on one set are either attempts at the same work (a retry replaces what it did again) or further
reps. Which it was is said in a note.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ScoreError
from evalgauge.scores.codes import renumbered
from evalgauge.scores.identity import case_keys, fingerprints
from evalgauge.scores.subset import cases_at
from evalgauge.scores.table import Cases, Run, ScoreTable, Status
from evalgauge.scores.word_hints import words_hint

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.identity import CaseKey, Fingerprints

# A run of a case with one of these came to an end; with any other it was broken off or never begun.
_FINISHED = (Status.OK, Status.UNSCORED, Status.LIMIT, Status.INVALID)
_MOST_NAMED = 30


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unit:
    """All that one arm did on one set.

    Attributes
    ----------
    set_name, arm
        What it is.
    runs
        The logs it was read from, the oldest first.
    rows
        Indices of its rows in the table, without those that a later attempt replaced.
    run, case, rep
        Per row the index into ``runs``, the index into ``cases``, and the rep, counted on over further logs; int32.
    cases
        Its cases, joined over its logs.
    notes
        Sentences that have to be shown with any result of this unit.
    """

    set_name: str
    arm: str
    runs: tuple[Run, ...]
    rows: NDArray[np.intp]
    run: NDArray[np.int32]
    case: NDArray[np.int32]
    rep: NDArray[np.int32]
    cases: Cases
    notes: tuple[str, ...] = ()


def units(table: ScoreTable) -> tuple[Unit, ...]:
    """Return the units of a table: its runs grouped by set and arm, in the order in which they are declared.

    Runs with one ``attempt_of`` (or one ``run_id``: a log read twice) are attempts at the same work. For each case
    and rep the last attempt that finished counts, or the last one when none did. Other runs of the same arm and set
    are further reps. Cases of several logs are joined where id and number are equal and no known content differs,
    and where the content is equal.

    Parameters
    ----------
    table
        One or several logs.

    Returns
    -------
    tuple of Unit
        One per set and arm.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> builder = TableBuilder()
    >>> for name in ("monday", "tuesday"):
    ...     run = builder.add_run(Run(run_id=name, set_name="faq", arm="base", framework="table", file=name + ".csv"))
    ...     builder.add(run=run, case=builder.case_index("q1"), rep=1, metric=builder.metric_index("ok"), score=1.0)
    >>> unit, = units(builder.build())
    >>> unit.rep.tolist(), unit.notes
    ([1, 2], ('base on faq: 2 logs were taken as further reps of the same cases (monday.csv, tuesday.csv).',))
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for index, run in enumerate(table.runs):
        groups.setdefault((run.set_name, run.arm), []).append(index)
    cases = table.cases
    if cases.contents is not None and len(table.runs) > 1:
        # One reading serves all units.
        cases = replace(cases, contents=cache(cases.contents))
    known = cache(lambda: fingerprints(cases))
    return tuple(_unit(table, cases, runs, known) for runs in groups.values())


def unit_table(table: ScoreTable, unit: Unit) -> ScoreTable:
    """Return the rows of a unit as a table with one run.

    Only where reps are judgings the logs stay apart, because each log judged outputs of its own.

    Parameters
    ----------
    table
        The table that the unit was found in.
    unit
        One of ``units(table)``.

    Returns
    -------
    ScoreTable
        Its cases and its rows, the metrics that it was scored by, and the problems of ``table``.
    """
    rows = unit.rows
    # Another set of the same log may have other metrics: only those that this unit was scored by are its own.
    used, metric = renumbered(table.metric[rows], len(table.metrics))
    is_judged = any(run.rep_kind == "judge" for run in unit.runs)
    at: list[int] = [] if table.raw is None else rows.tolist()
    kept: list[int] = used.tolist()
    return ScoreTable(
        runs=unit.runs if is_judged else (_one_run(unit),),
        metrics=tuple(table.metrics[index] for index in kept),
        cases=unit.cases,
        run=unit.run if is_judged else np.zeros_like(unit.run),
        case=unit.case,
        rep=unit.rep,
        metric=metric.astype(np.int32),
        score=table.score[rows],
        status=table.status[rows],
        raw=None if table.raw is None else tuple(table.raw[row] for row in at),
        problems=table.problems,
        count=None if table.count is None else table.count[rows],
    )


def chosen_metric(table: ScoreTable, name: str | None = None) -> int:
    """Return the index of the metric that a question is about.

    Parameters
    ----------
    table
        Any table.
    name
        As the user wrote it: in any case, and without the part after a comma or slash where that leaves one metric
        (``acc`` for ``acc,none``). ``None``: the only one.

    Returns
    -------
    int
        Index into ``table.metrics``.

    Raises
    ------
    ScoreError
        When there is no metric, several and none named, none of that name, or one whose scores are words.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> builder = TableBuilder()
    >>> _ = builder.metric_index("acc,none"), builder.metric_index("f1,none")
    >>> chosen_metric(builder.build(), "F1")
    1
    """
    names = [metric.name for metric in table.metrics]
    if not names:
        raise ScoreError("The log holds no metric: nothing was scored. Map the score column with --map score=COLUMN.")
    if name is None:
        found = list(range(len(names)))
        problem = f"The log holds {len(names):,} metrics and none is named."
    else:
        found = _metrics_named(names, name)
        close = get_close_matches(name, names, n=1)
        hint = f" Did you mean {close[0]!r}?" if close and not found else ""
        problem = f"metric {name!r}: {f'{len(found)} metrics' if found else 'no metric'} of that name.{hint}"
    if len(found) != 1:
        choice = [names[index] for index in found or range(len(names))]
        listed = ", ".join(map(repr, choice[:_MOST_NAMED]))
        listed += f" and {len(choice) - _MOST_NAMED:,} more" if len(choice) > _MOST_NAMED else ""
        raise ScoreError(f"{problem} Choose one of {listed}, such as --metric {choice[0]!r}.{_if_arms(table, choice)}")
    metric = table.metrics[found[0]]
    if metric.kind == "categorical":
        words = ", ".join(map(repr, metric.words)) or "none seen"
        raise ScoreError(
            f"metric {metric.name!r}: some scores are words without a number ({words}). Say what each is worth with "
            f"{words_hint(metric.words)}."
        )
    return found[0]


def _if_arms(table: ScoreTable, names: Sequence[str]) -> str:
    """Return what else columns without the names of scores may be: the systems of a wide table."""
    if not any("--wide-arms" in problem.text for problem in table.problems) or any("," in name for name in names[:2]):
        return ""
    return f" If they are systems and no metrics, compare two of them with --arms {shlex.quote(','.join(names[:2]))}."


def _metrics_named(names: Sequence[str], name: str) -> list[int]:
    """Return the metrics that a name can mean: by the strictest reading that finds any."""
    wanted = name.casefold()
    readings = (
        [index for index, one in enumerate(names) if one == name],
        [index for index, one in enumerate(names) if one.casefold() == wanted],
        [index for index, one in enumerate(names) if one.casefold().partition(",")[0] == wanted],
        [index for index, one in enumerate(names) if one.casefold().partition("/")[0] == wanted],
    )
    return next(filter(None, readings), readings[-1])


def _unit(table: ScoreTable, cases: Cases, runs: list[int], known: Callable[[], Fingerprints]) -> Unit:
    runs = sorted(runs, key=lambda index: (table.runs[index].created, index))
    members = tuple(table.runs[index] for index in runs)
    place = np.full(len(table.runs), -1, dtype=np.int64)
    place[runs] = np.arange(len(runs))
    run = place[table.run]
    rows = np.flatnonzero(run >= 0)
    # A slice copies nothing, which matters where a table of a million rows holds one unit.
    own = slice(None) if rows.size == len(table) else rows
    run = run[own]
    joined, case = _joined(cases, table.case[own], run, known)
    rep = table.rep[own].astype(np.int64)
    notes: tuple[str, ...] = ()
    if len(runs) > 1:
        work = _work(members)
        kept = _last_attempts(work[run], run, case, rep, table.status[rows])
        rows, run, case, rep = rows[kept], run[kept], case[kept], rep[kept]
        most = np.zeros(len(runs), dtype=np.int64)
        last = rep if table.count is None else rep + table.count[rows] - 1
        np.maximum.at(most, work[run], last)
        rep = rep + (np.cumsum(most) - most)[work[run]]
        notes = _notes(members, work, work[run], case, int((~kept).sum()))
    return Unit(
        set_name=members[0].set_name,
        arm=members[0].arm,
        runs=members,
        rows=rows,
        run=run.astype(np.int32),
        case=case.astype(np.int32),
        rep=rep.astype(np.int32),
        cases=_without_set_name(joined, members[0].set_name),
        notes=notes,
    )


def _without_set_name(cases: Cases, set_name: str) -> Cases:
    """Return the cases by their own ids, where the table put the set's name before them to tell its sets apart."""
    prefix = f"{set_name}/"
    if not set_name or not all(case_id.startswith(prefix) for case_id in cases.case_id):
        return cases
    return replace(cases, case_id=tuple(case_id.removeprefix(prefix) for case_id in cases.case_id))


def _work(runs: Sequence[Run]) -> NDArray[np.int64]:
    """Return per run the number of the work that it is an attempt at."""
    numbers: dict[str, int] = {}
    return np.asarray([numbers.setdefault(run.attempt_of or run.run_id, len(numbers)) for run in runs], dtype=np.int64)


def _last_attempts(
    work: NDArray[np.int64],
    run: NDArray[np.int64],
    case: NDArray[np.int64],
    rep: NDArray[np.int64],
    status: NDArray[np.int8],
) -> NDArray[np.bool_]:
    """Return which rows no other attempt replaces: all rows of a case and rep come from one attempt."""
    number = (work * (case.max(initial=0) + 1) + case) * (rep.max(initial=0) + 1) + rep
    groups, index = np.unique(number, return_inverse=True)
    n_runs = int(run.max(initial=0)) + 1
    worth = np.isin(status, _FINISHED) * n_runs + run
    best = np.zeros(groups.size, dtype=np.int64)
    np.maximum.at(best, index, worth)
    return (best % n_runs)[index] == run


def _notes(
    runs: Sequence[Run], work: NDArray[np.int64], of_row: NDArray[np.int64], case: NDArray[np.int64], replaced: int
) -> tuple[str, ...]:
    label = f"{runs[0].arm} on {runs[0].set_name or 'the set'}"
    notes: list[str] = []
    n_works = int(work.max()) + 1
    if n_works < len(runs):
        repeated = [run.file for run, number in zip(runs, work.tolist(), strict=True) if (work == number).sum() > 1]
        later = (
            "1 score of an earlier attempt was replaced by a later one."
            if replaced == 1
            else f"{replaced:,} scores of earlier attempts were replaced by later ones."
        )
        again = f"{repeated[0]} was named {len(repeated)} times and counts once."
        several = f"{len(repeated)} logs are attempts at the same work ({', '.join(repeated)}); {later}"
        notes.append(f"{label}: {again if len(set(repeated)) == 1 else several}")
    if n_works > 1:
        files = ", ".join(run.file for run in runs)
        is_shared = np.unique(of_row * (case.max(initial=0) + 1) + case).size > np.unique(case).size
        taken = "taken as further reps of the same cases" if is_shared else "joined: they hold different cases"
        notes.append(f"{label}: {len(runs)} logs were {taken} ({files}).")
    return tuple(notes)


def _one_run(unit: Unit) -> Run:
    """Return the run that stands for a unit: what its logs agree on, and what the last of them says otherwise."""
    last = unit.runs[-1]
    if len(unit.runs) == 1:
        return last
    states = {run.state for run in unit.runs}
    return replace(
        last,
        run_id="+".join(dict.fromkeys(run.run_id for run in unit.runs)),
        file=", ".join(dict.fromkeys(run.file for run in unit.runs)),
        state=states.pop() if len(states) == 1 else "partial",
        # What each log planned is no plan for all of them; the planned runs are the rows.
        planned_cases=None,
        planned_reps=None,
    )


class _Joining:
    """The cases of several logs on their way into one list."""

    def __init__(self, cases: Cases, known: Callable[[], Fingerprints]) -> None:
        self.cases = cases
        self.known = known
        self.keys = case_keys(cases)
        self.first: list[int] = []
        self.joined: dict[int, int] = {}
        self.by_key: dict[CaseKey, list[int]] = {}
        self.by_content: dict[str | None, list[int]] = {}
        self.n_filed = 0

    def add_log(self, own: Sequence[int]) -> None:
        """Join the cases of one more log: by key where no content differs, then by content, else as new cases."""
        used = {self.joined[case] for case in own if case in self.joined}
        left = [case for case in own if case not in self.joined]
        if self.first:
            left = [case for case in left if not self._joins(case, self.by_key.get(self.keys[case], ()), used)]
            left = [case for case in left if not self._joins(case, self._alike(case), used)]
        for case in left:
            self.joined[case] = len(self.first)
            self.by_key.setdefault(self.keys[case], []).append(len(self.first))
            self.first.append(case)

    def _joins(self, case: int, candidates: Sequence[int], used: set[int]) -> bool:
        for place in candidates:
            if place not in used and not self._differ(case, self.first[place]):
                self.joined[case] = place
                used.add(place)
                return True
        return False

    def _differ(self, one: int, other: int) -> bool:
        return None not in (prints := (self._print(one), self._print(other))) and prints[0] != prints[1]

    def _alike(self, case: int) -> Sequence[int]:
        for place in range(self.n_filed, len(self.first)):
            self.by_content.setdefault(self._print(self.first[place]), []).append(place)
        self.n_filed = len(self.first)
        name = self._print(case)
        return () if name is None else self.by_content.get(name, ())

    def _print(self, case: int) -> str | None:
        return self.known().case_fp[case]


def _joined(
    cases: Cases, case: NDArray[np.int32], run: NDArray[np.int64], known: Callable[[], Fingerprints]
) -> tuple[Cases, NDArray[np.int64]]:
    """Return the cases of a unit, and per row the index into them."""
    used, index = renumbered(case, len(cases))
    if run.size and run.max() > run.min():
        joining = _Joining(cases, known)
        for one in np.unique(run).tolist():
            joining.add_log(np.unique(case[run == one]).tolist())
        index = np.asarray([joining.joined[one] for one in used.tolist()], dtype=np.int64)[index]
        used = np.asarray(joining.first, dtype=np.int32)
    elif used.size == len(cases):
        return cases, index
    return cases_at(cases, used.tolist()), index
