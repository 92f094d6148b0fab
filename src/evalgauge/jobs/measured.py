"""From one arm, or a bare count, to the answer about its score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.jobs.measured_slices import slice_answers, weighted_total
from evalgauge.planning.precision import count_like_these
from evalgauge.questions.measure import Components, MeasureAnswer, PassAtK, Reach, ScoredOnly
from evalgauge.questions.parts import Counts, Ends, NamedInterval, Source
from evalgauge.questions.units import ScoreRange
from evalgauge.rules.missing import honest_interval
from evalgauge.stats.components import reps_floor, variance_components
from evalgauge.stats.passk import mean_pass_k

if TYPE_CHECKING:
    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.measure import MeasureRequest, SliceScore
    from evalgauge.rules.missing import HonestScore
    from evalgauge.stats.results import Interval

# The margin that people ask for most; ``evalgauge plan`` answers for any other.
_USUAL_MARGIN = 0.05
_PLANNED_RULES: dict[str, Literal["wilson", "effective-n wilson t"]] = {
    "wilson": "wilson",
    "effective-n wilson t": "effective-n wilson t",
}
# A count this large would need more memory than the answer is worth; its interval is far below 0.1 points.
_MOST_COUNTED = 50_000_000


def measured_counts(request: MeasureRequest, passed: int, of: int) -> MeasureAnswer:
    """Return the answer for a bare count of passes."""
    if request.logs and not (passed <= of and 0 < of <= _MOST_COUNTED):
        allowed = f"passed/cases with passed from 0 to cases, and from 1 to {_MOST_COUNTED:,} cases"
        raise ArgumentError("counts", f"{passed}/{of}", allowed)
    if not 0 < of <= _MOST_COUNTED:
        raise ArgumentError("of", of, f"a number of cases from 1 to {_MOST_COUNTED:,}")
    if not 0 <= passed <= of:
        raise ArgumentError("passed", passed, f"a count from 0 to the {of:,} cases")
    for option, value in (("by", request.by), ("cluster", request.cluster), ("pass_k", request.pass_k)):
        if value is not None:
            raise ArgumentError(option, value, "given with a log: a bare count has no cases to group or repeat")
    ones = np.ones(of)
    sums = np.zeros(of)
    sums[:passed] = 1
    score = honest_interval(
        sums, ones, ones, confidence=request.confidence, target=request.target, rule=request.rule, pass_fail=True
    )
    counts = Counts(
        planned=of, scored=of, errored=0, by_status={"ok": of}, cases_planned=of, cases_scored=of, cases_partly=0
    )
    source = Source(files=(), framework="", set_name="", arm="", metric="")
    return _answer(request, score, source, counts, 1, is_pass_fail=True, score_range=ScoreRange((0.0, 1.0)))


def measured_arm(request: MeasureRequest, arm: Arm) -> MeasureAnswer:
    """Return the answer for one arm by one metric."""
    sums = arm.sums
    total, squares = arm.totals
    clusters, said = (None, ()) if request.cluster is None else arm.clusters(request.cluster)
    is_pass_fail = arm.is_pass_fail
    score = honest_interval(
        total,
        sums.n_scored,
        sums.n_planned,
        policy=request.missing if arm.score_range is not None else "drop",
        confidence=request.confidence,
        target=request.target,
        rule=request.rule,
        score_range=None if arm.score_range is None else (0.0, 1.0),
        clusters=clusters,
        sums_of_squares=squares,
        pass_fail=is_pass_fail,
    )
    slices, weighted = (), None
    if request.by is not None:
        slices = slice_answers(request, arm, clusters)
    if request.weights is not None:
        weighted = weighted_total(request, arm, clusters)
    scored = sums.n_scored > 0
    reps = sums.n_scored[scored]
    return _answer(
        request,
        score,
        arm.source,
        arm.counts,
        int(reps.max()),
        is_pass_fail=is_pass_fail and arm.metric.higher_is_better is not False,
        score_range=arm.score_range,
        reps_differ=bool((reps != reps[0]).any()),
        components=_components(request, arm),
        pass_at_k=_pass_at_k(request, arm) if request.pass_k is not None else None,
        slices=slices,
        weighted=weighted,
        notes=(*arm.notes, *said),
        beside=arm.beside,
        problems=arm.problems,
    )


def _answer(  # noqa: PLR0913 - the pieces that an answer is made of
    request: MeasureRequest,
    score: HonestScore,
    source: Source,
    counts: Counts,
    n_reps: int,
    *,
    is_pass_fail: bool,
    score_range: ScoreRange | None,
    reps_differ: bool = False,
    components: Components | None = None,
    pass_at_k: PassAtK | None = None,
    slices: tuple[SliceScore, ...] = (),
    weighted: tuple[float, Interval, tuple[str, ...]] | None = None,
    notes: tuple[str, ...] = (),
    problems: tuple[str, ...] = (),
    beside: tuple[str, ...] = (),
) -> MeasureAnswer:
    only = score.scored
    estimate, interval, said = weighted or (score.estimate, score.interval, ())
    return MeasureAnswer(
        source=source,
        estimate=estimate,
        low=interval.low,
        high=interval.high,
        confidence=request.confidence,
        method=interval.method,
        target=request.target,
        alternatives=tuple(_named(one) for one in only.alternatives),
        n_cases=only.n_cases,
        n_runs=counts.scored,
        n_reps=n_reps,
        reps_differ=reps_differ,
        scored=counts.scored,
        errored=counts.errored,
        planned=counts.planned,
        counts=counts,
        missing=score.policy,
        bounds=None if score.bounds is None else Ends(low=score.bounds.low, high=score.bounds.high),
        scored_only=ScoredOnly(estimate=only.estimate, low=only.interval.low, high=only.interval.high),
        components=components,
        pass_at_k=pass_at_k,
        naive=None if only.naive is None else _named(only.naive),
        slices=slices,
        weighted=weighted is not None,
        std_error=only.std_error,
        n_eff=only.n_eff,
        df=only.df,
        range=score_range,
        is_pass_fail=is_pass_fail,
        notes=tuple(dict.fromkeys((*notes, *said, *only.notes))),
        problems=problems,
        beside=beside,
        reach=None if weighted is not None or score_range is None else _reach(request, score),
        request=request,
    )


def _reach(request: MeasureRequest, score: HonestScore) -> Reach | None:
    only = score.scored
    rule = _PLANNED_RULES.get(only.method)
    is_wide = score.interval.half_width > _USUAL_MARGIN
    if rule is None or request.target != "new-cases" or request.cluster is not None or not is_wide:
        return None
    # The score itself is uncertain, and rates near one half need the most cases.
    worst = min(max(0.5, only.interval.low), only.interval.high)
    cases, at_worst = (
        count_like_these(
            rate,
            _USUAL_MARGIN,
            cases=only.n_cases,
            effective_cases=only.n_eff,
            rule=rule,
            confidence=request.confidence,
        )
        for rate in (only.estimate, worst)
    )
    if cases <= only.n_cases:
        return None
    return Reach(margin=_USUAL_MARGIN, cases=cases, cases_at_worst=max(cases, at_worst), worst_rate=worst)


def _components(request: MeasureRequest, arm: Arm) -> Components | None:
    scored = arm.sums.n_scored > 0
    reps = arm.sums.n_scored[scored]
    if reps.size < 2 or reps.max() < 2:
        return None
    total, squares = (part[scored] for part in arm.totals)
    parts = variance_components(reps, total, squares, confidence=request.confidence)
    return Components(
        case_var=parts.case_var,
        run_var=parts.run_var,
        case_sd=parts.case_var**0.5,
        run_sd=parts.run_var**0.5,
        is_truncated=parts.is_truncated,
        run_share=parts.removable_share or 0.0,
        floor_half_width=reps_floor(parts, confidence=request.confidence),
        identical_reps=parts.run_var == 0,
    )


def _pass_at_k(request: MeasureRequest, arm: Arm) -> PassAtK:
    if not arm.is_pass_fail:
        raise ScoreError(f"--pass-k: {arm.metric.name} is no pass or fail score. Choose one that is with --metric.")
    scored = arm.sums.n_scored > 0
    k, most = request.pass_k or 0, int(arm.sums.n_scored.max())
    if not 1 <= k <= most:
        raise ArgumentError("pass_k", k, f"a whole number from 1 to {most:,}, the most runs of any case")
    found = mean_pass_k(
        arm.totals[0][scored],
        arm.sums.n_scored[scored],
        k=k,
        confidence=request.confidence,
        short="leave out",
    )
    return PassAtK(
        k=found.k,
        any_of_k=found.pass_at_k,
        any_interval=Ends(low=found.pass_at_k_interval.low, high=found.pass_at_k_interval.high),
        all_of_k=found.pass_hat_k,
        all_interval=Ends(low=found.pass_hat_k_interval.low, high=found.pass_hat_k_interval.high),
        n_cases=found.n_cases,
        left_out=found.n_left_out,
    )


def _named(interval: Interval) -> NamedInterval:
    return NamedInterval(method=interval.method, low=interval.low, high=interval.high)
