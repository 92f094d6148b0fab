"""Several candidates on the cases that all of them were tried on: one column of scores each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError, PairingError, ScoreError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.reading import asked_table, log_name, needs_of
from evalgauge.questions.parts import ScoringOptions
from evalgauge.scores.identity import CaseView
from evalgauge.scores.pairing import paired_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.best_of import BestOfOptions

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreMatrix:
    """Scores of several candidates on shared cases.

    Attributes
    ----------
    arms, names
        The candidates, and what each is called.
    means
        Shape (n cases, k candidates): mean score, a share.
    reps
        Runs behind each mean; ``None`` unless every run of every candidate passes or fails.
    clusters
        Cluster of each case, where a field was named.
    missing, left_out
        Per candidate: shared cases without a score of its own, and cases that not all candidates have.
    is_pass_fail
        Whether every mean is 0 or 1.
    lower_is_better
        Whether the log says that a low score is a good one.
    notes
        What has to be said.
    """

    arms: tuple[Arm, ...]
    names: tuple[str, ...]
    means: Array
    reps: NDArray[np.int64] | None
    clusters: NDArray[np.intp] | None
    missing: tuple[int, ...]
    left_out: tuple[int, ...]
    is_pass_fail: bool
    lower_is_better: bool
    notes: tuple[str, ...]


def score_matrix(
    request: BestOfOptions, sources: Sequence[Any], *, cluster: str | None = None, one_arm: str = ""
) -> ScoreMatrix:
    """Return the candidates of all logs on their shared cases.

    Parameters
    ----------
    request
        How to read the logs, and what a missing score counts as.
    sources
        The logs.
    cluster
        Field that says which cases share a source.
    one_arm
        What to say to somebody who has one candidate only.

    Raises
    ------
    ArgumentError
        If a log is named twice, there are fewer than two candidates, or no case has the cluster field.
    PairingError
        If the candidates share no case.
    ScoreError
        If the scores have different ranges, or none, or nothing is left.
    """
    _check_once(sources)
    arms = [arm for source in sources for arm in _arms(request, source, cluster)]
    if len(arms) < 2:
        came = "no log" if not arms else f"one candidate ({arms[0].source.arm})"
        raise ArgumentError("logs", came, "two candidates or more", one_arm if arms else "")
    _check_ranges(arms)
    labels = _names(arms)
    rows, notes = _shared_rows(arms, labels)
    means = np.column_stack([arm.means[row] for arm, row in zip(arms, rows, strict=True)])
    reps = np.column_stack([arm.sums.n_scored[row] for arm, row in zip(arms, rows, strict=True)])
    missing = np.isnan(means).sum(axis=0)
    lower_is_better = arms[0].metric.higher_is_better is False
    clusters, said_of_clusters = (None, ()) if cluster is None else arms[0].clusters(cluster)
    clusters = None if clusters is None else clusters[rows[0]]
    kept, said = _without_holes(request, means)
    worst = 1.0 if lower_is_better else 0.0
    means, reps = np.where(np.isnan(means), worst, means)[kept], np.maximum(reps, 1)[kept]
    is_repeated = all(arm.is_pass_fail for arm in arms) and not said
    return ScoreMatrix(
        arms=tuple(arms),
        names=labels,
        means=np.clip(means, 0.0, 1.0),
        reps=reps if is_repeated else None,
        clusters=None if clusters is None else clusters[kept],
        missing=tuple(missing.tolist()),
        left_out=tuple(len(arm.sums) - rows[0].size for arm in arms),
        is_pass_fail=bool(((means == 0) | (means == 1)).all()),
        lower_is_better=lower_is_better,
        notes=tuple(
            dict.fromkeys(
                (
                    *(note for arm in arms for note in arm.notes),
                    *notes,
                    *said,
                    *said_of_clusters,
                    *_copies(means, labels),
                )
            )
        ),
    )


def _check_once(sources: Sequence[Any]) -> None:
    """Refuse a log that is named twice, in whichever way."""
    logs = [
        Path(log_name(source)).resolve() if isinstance(source, (str, PurePath)) else id(source) for source in sources
    ]
    for source, log in zip(sources, logs, strict=True):
        if logs.count(log) > 1:
            came = f"{log_name(source)} {logs.count(log)} times"
            raise ArgumentError("logs", came, "each log once: a copy is no candidate")


def _arms(request: BestOfOptions, source: Any, cluster: str | None) -> tuple[Arm, ...]:  # noqa: ANN401 - a path, a data frame or a table
    asked = ScoringOptions(
        columns=request.columns,
        words=request.words,
        wide_arms=request.wide_arms,
        wide_reps=request.wide_reps,
        tolerant=request.tolerant,
        metric=request.metric,
        task=request.task,
        score_range=request.score_range,
    )
    table = asked_table(source, asked, needs=needs_of(cluster, engine=request.engine))
    arms = arms_of(table, asked)
    sets = list(dict.fromkeys(arm.source.set_name for arm in arms))
    if len(sets) > 1:
        name = log_name(source)
        raise ScoreError(f"{name} holds {len(sets)} tasks. Choose one with --task: {', '.join(sets)}.")
    return arms


def _check_ranges(arms: Sequence[Arm]) -> None:
    ranges = {arm.score_range for arm in arms}
    if None in ranges:
        raise ScoreError(
            "A score without limits has no shares to compare. Say the lowest and highest possible score with --range, "
            "such as --range 0:100."
        )
    if len(ranges) > 1:
        listed = ", ".join(sorted({f"{low:g} to {high:g}" for low, high in filter(None, ranges)}))
        raise ScoreError(f"The candidates have different score ranges ({listed}). Say one for all with --range.")


def _names(arms: Sequence[Arm]) -> tuple[str, ...]:
    """Return the arm's name where no other has it, else the file's, else a number."""
    named = [arm.source.arm for arm in arms]
    files = [PurePath(arm.source.files[0]).name if arm.source.files else "" for arm in arms]
    labels = [
        arm if named.count(arm) == 1 else f"{arm} ({file})" if file else arm
        for arm, file in zip(named, files, strict=True)
    ]
    return tuple(
        label if labels.count(label) == 1 else f"{label} #{index}" for index, label in enumerate(labels, start=1)
    )


def _shared_rows(arms: Sequence[Arm], names: Sequence[str]) -> tuple[list[NDArray[np.intp]], list[str]]:
    """Return per candidate the rows of the cases that all of them planned, in one order."""
    first = arms[0]
    view, size = CaseView(first.table.cases), len(first.table.cases)
    partners = np.full((len(arms), size), -1, dtype=np.intp)
    partners[0, first.sums.case] = np.arange(len(first.sums))
    notes: list[str] = []
    for index, arm in enumerate(arms[1:], start=1):
        try:
            pairing = paired_cases(view, arm.table.cases)
        except PairingError as error:
            raise PairingError(
                f"{names[0]} and {names[index]} have no case in common: "
                f"{_some(first)}; {_some(arm)}. Candidates are compared on the same cases: check the logs, or say "
                "which column holds the case with --map case=COLUMN."
            ) from error
        rows = np.full(len(arm.table.cases), -1, dtype=np.intp)
        rows[arm.sums.case] = np.arange(len(arm.sums))
        partners[index, pairing.baseline] = rows[pairing.candidate]
        notes += pairing.notes
    shared = np.flatnonzero((partners >= 0).all(axis=0))
    most = max(len(arm.sums) for arm in arms)
    if shared.size < 2:
        raise PairingError(
            f"Only {shared.size} of up to {most:,} cases are shared by all {len(arms)} candidates: too few. Leave out "
            "the log whose cases differ."
        )
    if shared.size < most:
        notes.append(
            f"{shared.size:,} of up to {most:,} cases are shared by all {len(arms)} candidates; only they count."
        )
    return [row[shared] for row in partners], list(dict.fromkeys(notes))


def _some(arm: Arm) -> str:
    names = arm.case_names(range(min(3, len(arm.sums))))
    return f"{', '.join(names)} …" if len(arm.sums) > 3 else ", ".join(names)


def _without_holes(request: BestOfOptions, means: Array) -> tuple[NDArray[np.bool_], tuple[str, ...]]:
    """Return the cases that count: all, where a missing score counts as the worst one, or those without a hole."""
    holes = np.isnan(means)
    cases = int(holes.any(axis=1).sum())
    if not cases or request.missing == "fail":
        said = (
            f"{int(holes.sum()):,} missing scores on {cases:,} cases count as failed (--missing drop leaves them out)."
        )
        return np.ones(len(means), dtype=np.bool_), (said,) if cases else ()
    kept = np.logical_not(holes.any(axis=1))
    if int(kept.sum()) < 2:
        raise ScoreError("Fewer than 2 cases have a score from every candidate. Run the missing ones first.")
    said = f"{cases:,} cases without a score from every candidate are left out: true only if they are so by chance."
    return kept, (said,)


def _copies(means: Array, names: Sequence[str]) -> tuple[str, ...]:
    seen: dict[bytes, list[str]] = {}
    for name, column in zip(names, np.ascontiguousarray(means.T), strict=True):
        seen.setdefault(column.tobytes(), []).append(name)
    return tuple(f"The same score on every case: {', '.join(group)}." for group in seen.values() if len(group) > 1)
