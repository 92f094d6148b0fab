"""A population like the cases of a log, for ``verify --like``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.jobs.noted import last_noted
from evalgauge.jobs.pilot_arm import pilot_arm
from evalgauge.jobs.reading import log_name
from evalgauge.jobs.verify_cases import Population
from evalgauge.questions.units import WholeNumbers
from evalgauge.questions.verify import SameSystemCheck, StudiedLog
from evalgauge.scores.pairing import paired_cases
from evalgauge.stats.sign_flip import sign_flip_test
from evalgauge.studies.empirical import LogSums, clusters_of_log, points_of_log, points_of_two_logs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.verify import StudyKind, VerifyRequest
    from evalgauge.studies.cases import Cases, RatePoints

    Rows = NDArray[np.intp]

# Exact sign-flip laws are quick up to here; beyond it the t test says the same.
_MOST_CHANGED = 10_000


def log_population(asked: VerifyRequest, sources: Sequence[Any]) -> Population:
    """Return a population like the cases of one log, or of two of the same cases.

    Raises
    ------
    ArgumentError
        If an option contradicts the logs.
    ScoreError
        If the logs show no spread, or share no scored case.
    LedgerError
        If the look cannot be recorded, or shows more than was declared for the set.
    """
    if len(sources) > 2:
        raise ArgumentError("like", f"{len(sources)} logs", "one log, or two of the same cases, baseline first")
    for option in ("rates", "graded", "cluster_size", "icc"):
        if getattr(asked, option):
            raise ArgumentError(
                option, getattr(asked, option), "nothing beside --like: the log says what cases are like"
            )
    return _of_one(asked, sources[0]) if len(sources) == 1 else _of_two(asked, sources)


def _of_one(asked: VerifyRequest, source: Any) -> Population:  # noqa: ANN401 - a path, a frame or a table
    if asked.same_system:
        raise ArgumentError("same_system", True, "two logs of one system", "Name both with --like.")  # noqa: FBT003 - the value that came
    arm = pilot_arm(asked, source, None, purpose="a study")
    rows = np.flatnonzero(arm.scored)
    sums = _sums(arm, rows)
    design = asked.design or "single"
    if design == "single" and (asked.effect or asked.effect_sd):
        raise ArgumentError("effect", asked.effect or asked.effect_sd, "only with --design paired")
    cases = _cases(asked, arm, sums, rows, design)
    is_null = design == "paired" and not (asked.effect or asked.effect_sd)
    words = f"cases like the {rows.size:,} of {log_name(source)}"
    if design == "paired":
        words += ", the same in both arms" if is_null else _effect_words(asked)
    return Population(
        cases=cases,
        words=words,
        n_cases=_n_cases(asked, cases, rows.size),
        reps=asked.reps or WholeNumbers((_usual_reps(sums),)),
        design=design,
        is_null=is_null,
        missing=_missing(arm),
        log=_described((source,), cases, sums, _missing(arm)),
        notes=_notes(sums, asked),
        problems=arm.problems,
        ledger=last_noted(asked, [arm], display="exact", verb="verify"),
    )


def _cases(asked: VerifyRequest, arm: Arm, sums: LogSums, rows: Rows, design: StudyKind) -> Cases:
    if asked.cluster is not None:
        if design == "paired":
            raise ArgumentError(
                "cluster", asked.cluster, "only with --design single", "Leave --cluster or --design out."
            )
        return clusters_of_log(sums, arm.clusters(asked.cluster)[0][rows])
    points = points_of_log(sums)
    if design == "paired" and (asked.effect or asked.effect_sd):
        return points.with_effect(float(asked.effect or 0.0), float(asked.effect_sd or 0.0))
    return points


def _of_two(asked: VerifyRequest, sources: Sequence[Any]) -> Population:
    if asked.design == "single":
        raise ArgumentError("design", "single", "one log with --like", "Two logs are two arms on the same cases.")
    for option in ("effect", "effect_sd", "cluster"):
        if getattr(asked, option):
            raise ArgumentError(option, getattr(asked, option), "nothing beside two logs, which show the change")
    sides = (("base", sources[0]), ("cand", sources[1]))
    arms = [pilot_arm(asked, source, side, purpose="a study") for side, source in sides]  # pyright: ignore[reportArgumentType]
    pairing = paired_cases(arms[0].table.cases, arms[1].table.cases)
    rows = [
        np.searchsorted(arm.sums.case, cases)
        for arm, cases in zip(arms, (pairing.baseline, pairing.candidate), strict=True)
    ]
    both = arms[0].scored[rows[0]] & arms[1].scored[rows[1]]
    if both.sum() < 2:
        raise ScoreError(f"The logs share {both.sum()} scored cases, and a study needs at least two.")
    base, cand = (_sums(arm, row[both]) for arm, row in zip(arms, rows, strict=True))
    pooled = base + cand
    points = points_of_log(pooled) if asked.same_system else points_of_two_logs(base, cand)
    missing = float(np.mean([_missing(arm) for arm in arms]))
    words = f"cases like the {base.reps.size:,} that {log_name(sources[0])} and {log_name(sources[1])} share"
    return Population(
        cases=points,
        words=words + (", one system in both arms" if asked.same_system else ", with the changes between them"),
        n_cases=asked.n_cases or base.reps.size,
        reps=asked.reps or WholeNumbers((_usual_reps(base),)),
        design="paired",
        is_null=asked.same_system,
        missing=missing,
        log=_described(sources, points, base, missing),
        same_system=_same_system(cand.means - base.means) if asked.same_system else None,
        notes=_notes(pooled if asked.same_system else base, asked),
        problems=tuple(dict.fromkeys(problem for arm in arms for problem in arm.problems)),
        ledger=last_noted(asked, arms, display="exact", verb="verify"),
    )


def _sums(arm: Arm, rows: Rows) -> LogSums:
    total, squares = arm.totals
    return LogSums(reps=arm.sums.n_scored[rows], sums=total[rows], squares=squares[rows], is_pass_fail=arm.is_pass_fail)


def _usual_reps(sums: LogSums) -> int:
    return int(np.bincount(sums.reps).argmax())


def _n_cases(asked: VerifyRequest, cases: Cases, found: int) -> int:
    if cases.sizes is None:
        return asked.n_cases or found
    if asked.n_cases not in (None, found):
        raise ArgumentError(
            "n_cases", asked.n_cases, f"the {found:,} cases of the log: its clusters are kept as they are"
        )
    return found


def _missing(arm: Arm) -> float:
    return 1 - float(arm.sums.n_scored.sum()) / float(arm.sums.n_planned.sum())


def _described(sources: Sequence[Any], cases: Cases, sums: LogSums, missing: float) -> StudiedLog:
    points: RatePoints | None = cases.points
    rate = float(sums.means.mean())
    free = int(sums.reps.sum()) - sums.reps.size
    within = float((sums.squares - sums.sums * sums.means).clip(min=0).sum())
    case_var = 0.0
    if points is not None:
        case_var = float(points.share @ np.square(points.base - points.rate))
    return StudiedLog(
        logs=tuple(log_name(source) for source in sources),
        rate=rate,
        n_cases=sums.reps.size,
        n_reps=_usual_reps(sums),
        case_sd=case_var**0.5,
        run_sd=(within / free) ** 0.5 if free else 0.0,
        missing=missing,
    )


def _same_system(deltas: NDArray[np.float64]) -> SameSystemCheck:
    changed = int(np.count_nonzero(deltas))
    p_value = sign_flip_test(deltas).p_value if 0 < changed <= _MOST_CHANGED else 1.0
    return SameSystemCheck(change=float(deltas.mean()), changed=changed, p_value=p_value)


def _effect_words(asked: VerifyRequest) -> str:
    effect, sd = float(asked.effect or 0.0), float(asked.effect_sd or 0.0)
    return f"; the candidate adds {100 * effect:g} points a case (sd {100 * sd:g}, cut at 0 and 100 %)"


def _notes(sums: LogSums, asked: VerifyRequest) -> tuple[str, ...]:
    notes: list[str] = []
    if not sums.has_reps and any(reps > 1 for reps in asked.reps or ()):
        notes.append(
            "The log has one run a case, so it cannot tell cases from runs: each case is taken to score alike in "
            "every run."
        )
    if sums.reps.min() != sums.reps.max():
        notes.append(
            f"The cases of the log have {sums.reps.min()} to {sums.reps.max()} scored runs; simulated cases all have "
            "as many as is said."
        )
    return tuple(notes)
