"""The chosen candidate's score, from a count, a log, or an expected rate: what the figures about reuse rest on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.noted import last_noted
from evalgauge.jobs.reading import asked_table
from evalgauge.questions.parts import ScoringOptions
from evalgauge.questions.units import passed_of_total
from evalgauge.reusing.checks import checked_between, checked_cases
from evalgauge.reusing.interval import corrected_interval, corrected_mean_interval
from evalgauge.stats.means import effective_n_wilson

if TYPE_CHECKING:
    from evalgauge.questions.parts import LedgerNote, Source
    from evalgauge.questions.reuse import ReuseRequest
    from evalgauge.reusing.results import CorrectedInterval

Array: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReusedScore:
    """A score on a reused set.

    Attributes
    ----------
    n_cases, n_eff
        Cases, and as many pass/fail cases as would be as informative.
    rate
        The score, a share.
    is_observed
        Whether it was observed, or is an expected rate.
    is_pass_fail
        Whether every case passes or fails once.
    means, reps
        Mean per case and runs behind it, where the scores are graded or repeated.
    source, notes, problems
        Where it came from and what must be said.
    ledger
        What the ledger says of the look; ``None`` where the log's set is not registered.
    """

    n_cases: int
    n_eff: float
    rate: float
    is_observed: bool
    is_pass_fail: bool = True
    means: Array | None = None
    reps: NDArray[np.int64] | None = None
    source: Source | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None

    def interval(self, request: ReuseRequest) -> CorrectedInterval:
        """Return the interval that holds after the choice."""
        if self.means is None:
            return corrected_interval(
                self.rate * self.n_cases,
                self.n_cases,
                request.looks,
                confidence=request.confidence,
                correlation=request.correlation,
                cap=request.cap,
            )
        return corrected_mean_interval(
            self.means,
            request.looks,
            confidence=request.confidence,
            reps=self.reps,
            correlation=request.correlation,
            cap=request.cap,
        )


def reused_score(request: ReuseRequest, sources: list[Any]) -> ReusedScore:
    """Return the score that a request is about.

    Raises
    ------
    ArgumentError
        If it names no score, or two, or one that is out of range.
    ScoreError
        If the log cannot answer.
    LedgerError
        If the look cannot be recorded, or shows more than was declared for the set.
    """
    if len(sources) > 1:
        hint = "To choose the best of several logs say: evalgauge best-of LOG LOG LOG"
        raise ArgumentError("logs", f"{len(sources)} logs", "the log of the chosen candidate", hint)
    if not sources:
        if request.n_cases is None or request.rate is None:
            allowed = "--cases with --rate, a count such as 258/300, or the log of the chosen candidate"
            raise ArgumentError("n_cases" if request.n_cases is None else "rate", "nothing", allowed)
        n, rate = checked_cases(request.n_cases, "n_cases"), checked_between(request.rate)
        return ReusedScore(n_cases=n, n_eff=float(n), rate=rate, is_observed=False)
    for option, value in (("n_cases", request.n_cases), ("rate", request.rate)):
        if value is not None:
            raise ArgumentError(option, value, "given without a log or count, which say it themselves")
    (source,) = sources
    counted = passed_of_total(source) if isinstance(source, str) else None
    if counted is None:
        return _from_log(request, source)
    passed, of = counted
    n = checked_cases(of)
    if passed > n:
        raise ArgumentError("count", f"{passed}/{of}", "no more passes than cases")
    return ReusedScore(n_cases=n, n_eff=float(n), rate=passed / n, is_observed=True)


def _from_log(request: ReuseRequest, source: Any) -> ReusedScore:  # noqa: ANN401 - a path, a data frame or a table
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
    arm, *others = arms_of(asked_table(source, asked), asked, request.arm)
    if others:
        arms = (arm, *others)
        tasks = [f" --task {one.source.set_name}" if one.source.set_name else "" for one in arms]
        found = "; ".join(f"--arm {one.source.arm}{task}" for one, task in zip(arms, tasks, strict=True))
        raise ScoreError(f"The log holds {len(arms)} scores and one is asked for. Name one of: {found}.")
    if arm.score_range is None:
        raise ScoreError(
            "Optimism is counted in shares of the score's range, and this score has none. Say it with --range, such as "
            "--range 0:100."
        )
    scored = arm.scored
    checked_cases(int(scored.sum()))
    means = np.clip(arm.means[scored], 0.0, 1.0)
    reps = arm.sums.n_scored[scored]
    notes = list(arm.notes)
    if missing := arm.counts.errored:
        notes.append(f"{missing:,} of {arm.counts.planned:,} planned runs have no score and are left out here.")
    is_single = arm.is_pass_fail and bool(((means == 0) | (means == 1)).all())
    own_reps = reps if arm.is_pass_fail else None
    n_eff = float(means.size) if is_single else effective_n_wilson(means, reps=own_reps).n_eff
    return ReusedScore(
        n_cases=means.size,
        n_eff=n_eff,
        rate=float(means.mean()),
        is_observed=True,
        is_pass_fail=is_single,
        means=None if is_single else means,
        reps=None if is_single else own_reps,
        source=arm.source,
        notes=tuple(notes),
        problems=arm.problems,
        ledger=last_noted(request, [arm], display="exact", verb="reuse"),
    )
