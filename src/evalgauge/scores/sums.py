"""Per-case sums of one arm and one metric: what intervals are computed from, and what a big-data engine returns.

Sums do not depend on the order of the rows. Scores that are k of R (pass or fail, a grade from 0 to 4 over 4, two
decimals) are summed as whole numbers of 1/R, exactly; other scores are added in sorted order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.scores.table import Status
from evalgauge.scores.word_hints import words_hint

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.scores.table import ScoreTable

_MOST_PARTS = 1_000
# Sums of squares stay whole numbers that float64 holds exactly, with a million scores to a case.
_MOST_UNITS = 40_000
# Scores that are k of R show it early; all of them are then checked against that R without being sorted.
_FIRST_SCORES = 10_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseSums:
    """Sums per case, over its reps, of one arm and one metric.

    Attributes
    ----------
    case
        Indices into the table's cases, ascending; a case is here when a run of it was planned.
    n_planned
        Runs planned per case, int64: scored or not.
    n_scored
        Runs with a score per case, int64.
    total, total_sq
        Sum of the scores and of their squares per case, float64, in units of the score.
    status_counts
        Runs per case and status, int64, shape (n_cases, 8): column ``Status.ERROR`` counts the errored runs.
    parts
        R when every score is a multiple of 1/R, so that sums are exact; 0 when there is no such R up to 1,000.
    judgings
        Most judgings of one output that were averaged into one score; 0 when reps are runs of the system.
    """

    case: NDArray[np.int64]
    n_planned: NDArray[np.int64]
    n_scored: NDArray[np.int64]
    total: NDArray[np.float64]
    total_sq: NDArray[np.float64]
    status_counts: NDArray[np.int64]
    parts: int
    judgings: int = 0

    def __len__(self) -> int:
        return self.case.size

    def __str__(self) -> str:
        return (
            f"{len(self):,} cases, {int(self.n_planned.sum()):,} runs planned, {int(self.n_scored.sum()):,} scored, "
            f"{int(self.status_counts[:, Status.ERROR].sum()):,} errored"
        )

    @property
    def means(self) -> NDArray[np.float64]:
        """Mean score per case; NaN where no run is scored.

        With whole parts a mean is rounded once, so that copying every rep changes no digit of it.
        """
        below = np.where(self.n_scored > 0, self.n_scored, np.nan)
        if self.parts:
            return np.rint(self.total * self.parts) / (below * self.parts)
        return self.total / below


class _Rows(NamedTuple):
    case: NDArray[np.int64]
    score: NDArray[np.float64]
    status: NDArray[np.int64]
    times: NDArray[np.int64] | None = None


def case_sums(table: ScoreTable, *, metric: int, arm: str | None = None) -> CaseSums:
    """Return the sums per case of one arm and one metric.

    Judgings of one output (``Run.rep_kind`` "judge") are averaged first: they are one run of the system.

    Parameters
    ----------
    table
        Any table; with several arms, name one.
    metric
        Index into ``table.metrics``, see ``chosen_metric``.
    arm
        Which arm; ``None`` when the table holds one only.

    Returns
    -------
    CaseSums
        One entry per case of the arm.

    Raises
    ------
    ArgumentError
        When the metric or the arm is not in the table, or several arms are and none is named.
    ScoreError
        When a score is a word without a number.

    Examples
    --------
    >>> from evalgauge.scores.build import TableBuilder
    >>> from evalgauge.scores.table import Run
    >>> builder = TableBuilder()
    >>> run = builder.add_run(Run(run_id="r", set_name="faq", arm="base", framework="table", file="base.csv"))
    >>> case, accuracy = builder.case_index("q1"), builder.metric_index("accuracy")
    >>> for rep, score in enumerate((1.0, 0.0, None), start=1):
    ...     builder.add(run=run, case=case, rep=rep, metric=accuracy, score=score)
    >>> sums = case_sums(builder.build(), metric=accuracy)
    >>> print(sums, sums.means)
    1 cases, 3 runs planned, 2 scored, 0 errored [0.5]
    """
    if not 0 <= metric < len(table.metrics):
        raise ArgumentError("metric", metric, f"an index from 0 to {len(table.metrics) - 1}")
    wanted = (table.metric == metric) & _is_of_arm(table, arm)
    # A slice copies nothing, which matters where all of a million rows are wanted.
    chosen = slice(None) if wanted.all() else wanted
    run = table.run[chosen]
    count = None if table.count is None else table.count[chosen]
    rows = _Rows(table.case[chosen].astype(np.int64), table.score[chosen], table.status[chosen].astype(np.int64), count)
    if np.isnan(rows.score[rows.status == Status.OK]).any():
        raise ScoreError(
            f"metric {table.metrics[metric].name!r}: some scores are words without a number. Say what each is "
            f"worth with {words_hint(table.metrics[metric].words)}."
        )
    is_judged = np.asarray([one.rep_kind == "judge" for one in table.runs], dtype=np.bool_)
    judgings = 0
    if is_judged.any() and (judged := is_judged[run]).any():
        if rows.times is not None:
            # Judgings are averaged one by one.
            run, judged = np.repeat(run, rows.times), np.repeat(judged, rows.times)
            rows = _Rows(
                case=np.repeat(rows.case, rows.times),
                score=np.repeat(rows.score, rows.times),
                status=np.repeat(rows.status, rows.times),
            )
        rows, judgings = _averaged(rows, run, judged)
    return _summed(rows, judgings)


def merged(one: CaseSums, other: CaseSums) -> CaseSums:
    """Return the sums over the runs of both, for sums of the same arm, metric and table that were made in parts.

    Parameters
    ----------
    one, other
        Sums of different runs; a case may be in one or in both.

    Returns
    -------
    CaseSums
        As if all runs had been summed at once: exactly when ``parts`` is not 0, to rounding otherwise.

    Examples
    --------
    >>> import numpy as np
    >>> part = CaseSums(case=np.array([4]), n_planned=np.array([2]), n_scored=np.array([2]), total=np.array([1.0]),
    ...     total_sq=np.array([1.0]), status_counts=np.array([[2, 0, 0, 0, 0, 0, 0, 0]]), parts=1)
    >>> merged(part, part).n_scored.tolist(), merged(part, part).means.tolist()
    ([4], [0.5])
    """
    case = np.union1d(one.case, other.case)
    parts = lcm(one.parts, other.parts)
    parts = parts if parts <= _MOST_PARTS else 0
    at = np.searchsorted(case, one.case), np.searchsorted(case, other.case)

    def added(left: NDArray[np.float64], right: NDArray[np.float64], scale: int) -> NDArray[np.float64]:
        both = np.zeros(case.size), np.zeros(case.size)
        both[0][at[0]], both[1][at[1]] = left, right
        if not scale:
            return both[0] + both[1]
        return (np.rint(both[0] * scale) + np.rint(both[1] * scale)) / scale

    def counted(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
        both = np.zeros((case.size, *left.shape[1:]), dtype=np.int64)
        both[at[0]] += left
        both[at[1]] += right
        return both

    return CaseSums(
        case=case,
        n_planned=counted(one.n_planned, other.n_planned),
        n_scored=counted(one.n_scored, other.n_scored),
        total=added(one.total, other.total, parts),
        total_sq=added(one.total_sq, other.total_sq, parts * parts),
        status_counts=counted(one.status_counts, other.status_counts),
        parts=parts,
        judgings=max(one.judgings, other.judgings),
    )


def _is_of_arm(table: ScoreTable, arm: str | None) -> NDArray[np.bool_]:
    arms = list(dict.fromkeys(run.arm for run in table.runs))
    if arm is None and len(arms) <= 1:
        return np.ones(len(table), dtype=np.bool_)
    if arm not in arms:
        raise ArgumentError("arm", arm, f"one of {', '.join(map(repr, arms))}")
    return np.asarray([run.arm == arm for run in table.runs], dtype=np.bool_)[table.run]


def _averaged(rows: _Rows, run: NDArray[np.int32], judged: NDArray[np.bool_]) -> tuple[_Rows, int]:
    """Return rows with one row per judged output, and the most judgings that went into one."""
    number = run.astype(np.int64) * (int(rows.case.max()) + 1) + rows.case
    outputs, first, member = np.unique(number[judged], return_index=True, return_inverse=True)
    mine = _chosen(rows, judged)
    sums = _summed(_Rows(member.astype(np.int64), mine.score, mine.status), 0)
    scored = sums.n_scored > 0
    # An output that some judge scored is scored; otherwise it has the smallest status, whatever the order of the rows.
    status = np.full(outputs.size, len(Status), dtype=np.int64)
    np.minimum.at(status, member, mine.status)
    rest = _chosen(rows, ~judged)
    joined = _Rows(
        case=np.concatenate([rest.case, mine.case[first]]),
        score=np.concatenate([rest.score, sums.means]),
        status=np.concatenate([rest.status, np.where(scored, int(Status.OK), status)]),
    )
    return joined, int(sums.n_scored.max())


def _chosen(rows: _Rows, wanted: NDArray[np.bool_]) -> _Rows:
    return _Rows(case=rows.case[wanted], score=rows.score[wanted], status=rows.status[wanted])


def _summed(rows: _Rows, judgings: int) -> CaseSums:
    size = int(rows.case.max(initial=-1)) + 1
    planned = _counted(rows.case, rows.times, size)
    case = np.flatnonzero(planned)
    n_planned = planned[case]
    scored = rows.status == Status.OK
    # Column by column: one count of all pairs of case and status would be as wide as there are statuses.
    counts = np.zeros((case.size, len(Status)), dtype=np.int64, order="F")
    if scored.all():
        score, of_case, times = rows.score, rows.case, rows.times
        counts[:, Status.OK] = n_planned
    else:
        score, of_case = rows.score[scored], rows.case[scored]
        times = None if rows.times is None else rows.times[scored]
        for status in np.flatnonzero(np.bincount(rows.status)).tolist():
            own = rows.status == status
            counts[:, status] = _counted(rows.case[own], None if rows.times is None else rows.times[own], size)[case]
    parts = whole_parts(score)
    if parts:
        # Whole numbers add exactly in float64 in any order.
        score = np.rint(score * parts)
        total, total_sq = (score, score * score) if times is None else (score * times, score * score * times)
    else:
        if times is not None:
            score, of_case = np.repeat(score, times), np.repeat(of_case, times)
        order = np.lexsort((score, of_case))
        total, of_case = score[order], of_case[order]
        total_sq = total * total
    unit = parts or 1
    return CaseSums(
        case=case,
        n_planned=n_planned,
        n_scored=counts[:, Status.OK].copy(),
        total=np.bincount(of_case, weights=total, minlength=size)[case] / unit,
        total_sq=np.bincount(of_case, weights=total_sq, minlength=size)[case] / (unit * unit),
        status_counts=counts,
        parts=parts,
        judgings=judgings,
    )


def _counted(case: NDArray[np.int64], count: NDArray[np.int64] | None, size: int) -> NDArray[np.int64]:
    """Return the number of runs per case; whole numbers below 2^53 add exactly as weights."""
    if count is None:
        return np.bincount(case, minlength=size)
    return np.bincount(case, weights=count, minlength=size).astype(np.int64)


def whole_parts(score: NDArray[np.float64]) -> int:
    """Return the least R up to 1,000 such that every score is the float64 nearest to k/R; 0 when there is none.

    Parameters
    ----------
    score
        Scores without NaN.

    Returns
    -------
    int
        1 for pass or fail and for no score at all.

    Examples
    --------
    >>> whole_parts(np.array([0.0, 1.0])), whole_parts(np.array([0.25, 0.5])), whole_parts(np.array([2 ** 0.5]))
    (1, 4, 0)
    """
    if not score.size:
        return 1
    if float(np.abs(score).max()) > _MOST_UNITS:
        return 0
    if _are_whole(score, 1):
        return 1
    parts = _least_parts(np.unique(score[:_FIRST_SCORES]), 2)
    if parts and not _are_whole(score, parts):
        # What the first scores have no multiple of, all of them have no multiple of either.
        parts = _least_parts(np.unique(score), parts + 1)
    return parts if float(np.abs(score).max()) * parts <= _MOST_UNITS else 0


def _least_parts(values: NDArray[np.float64], least: int) -> int:
    """Return the least R from ``least`` on such that every one of the distinct values is k/R; 0 when there is none."""
    span = float(values[-1] - values[0])
    for parts in range(least, _MOST_PARTS + 1):
        # Cheap refusals first: more values than steps, then one value that does not fit.
        if values.size > span * parts + 2 or values[0] != np.rint(values[0] * parts) / parts:
            continue
        if _are_whole(values, parts):
            return parts
    return 0


def _are_whole(score: NDArray[np.float64], parts: int) -> bool:
    return bool((score == np.rint(score * parts) / parts).all())
