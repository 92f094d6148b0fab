"""The verb ``plan reps``: more cases or more reps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.jobs.plan_change import listed, named, read_pilot
from evalgauge.planning.checks import checked_count, checked_points, checked_power
from evalgauge.planning.reps import (
    USUAL_REPS,
    best_reps,
    budget_rows,
    reps_counts,
    reps_grid,
    reps_row,
    reps_sketch,
)
from evalgauge.planning.spread import Spread, pass_fail_rate
from evalgauge.questions.given import request_from
from evalgauge.questions.plan_reps import PlanRepsAnswer, PlanRepsRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.jobs.plan_pilot import Piloted
    from evalgauge.planning.reps_results import RepsCount, RepsRow

SKETCH_CASES, SKETCH_REPS = 25, 2


def plan_reps(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, data frames or tables
    case_sd: float | None = None,
    run_sd: float | None = None,
    change_sd: float | None = None,
    run_sd_candidate: float | None = None,
    rate: float | None = None,
    cases: int | None = None,
    reps: int | None = None,
    budget: float | None = None,
    margin: float | None = None,
    drop: float | None = None,
    cost_case: float = 0.0,
    cost_run: float = 1.0,
    power: float = 0.8,
    confidence: float = 0.95,
    metric: str | None = None,
    task: str | None = None,
    arm: str | None = None,
    cluster: str | None = None,
    score_range: Sequence[float] | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> PlanRepsAnswer:
    """Answer "more cases or more reps?": what runs buy, and what no number of reps can remove.

    Parameters
    ----------
    logs
        A pilot log to take the spread from, or two of the same cases for a change.
    case_sd, run_sd
        Standard deviations between the true rates of cases, and between the runs of one case, shares.
    change_sd, run_sd_candidate
        For two arms on the same cases: standard deviation of the true change, and of the candidate's runs.
    rate
        Expected mean score.
    cases, reps
        A design to look at.
    budget
        What may be spent, in the unit of the prices (runs, when no price is given).
    margin, drop
        Half-width to reach; for two arms the mean change to show.
    cost_case, cost_run
        Price of a case and of a run.
    power, confidence
        Chance to show the change; two-sided level.
    metric, task, arm, cluster, score_range, columns, words, wide_arms, wide_reps, tolerant
        How to read the logs, as in ``measure``.
    ledger, no_ledger
        Which ledger records that a pilot log was looked at, where its set is registered; or none.

    Returns
    -------
    PlanRepsAnswer
        Ways to spend, counts by reps, the best number of reps, and from a log its forecasts as bands.

    Raises
    ------
    ArgumentError
        If an option is out of range or two of them contradict each other; the text says what to do.

    References
    ----------
    Miller 2024, arXiv:2411.00640; Cochran 1977, section 10.6.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.plan_reps(cases=25, reps=2))
    sketch: 25 cases × 2 reps give ±14 to ±20 points
    """
    sources = listed(logs)
    request = request_from(
        PlanRepsRequest,
        logs=named(sources),
        case_sd=case_sd,
        run_sd=run_sd,
        change_sd=change_sd,
        run_sd_candidate=run_sd_candidate,
        rate=rate,
        cases=cases,
        reps=reps,
        budget=budget,
        margin=margin,
        drop=drop,
        cost_case=cost_case,
        cost_run=cost_run,
        power=power,
        confidence=confidence,
        metric=metric,
        task=task,
        arm=arm,
        cluster=cluster,
        score_range=score_range,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    return reps_answer(request, sources)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """The spread that a plan rests on; ``None`` where nothing is known, or a log cannot tell."""

    spread: Spread | None
    cases: int | None


def reps_answer(request: PlanRepsRequest, sources: Sequence[Any] = ()) -> PlanRepsAnswer:
    """Return the answer to a request; ``sources`` holds the pilot logs themselves where they are no paths."""
    _checked(request)
    found = read_pilot(request, sources or request.logs)
    basis = _from_log(request, found) if found is not None else _from_options(request)
    spread = basis.spread
    is_paired = (spread is not None and spread.arms == 2) or (found is not None and found.change is not None)
    pilot = None if found is None or is_paired else found.spread
    is_sketch = found is None and spread is None
    rows = _rows(request, basis)
    return PlanRepsAnswer(
        kind="paired change" if is_paired else "sketch" if is_sketch else "one score",
        case_sd=None if spread is None else spread.case_var**0.5,
        run_sd=None if spread is None else spread.run_var**0.5,
        rate=None if spread is None or is_paired else spread.rate,
        confidence=request.confidence,
        power=request.power,
        crossover=None if spread is None or spread.case_var == 0 else spread.run_var / spread.case_var,
        rows=rows,
        counts=_counts(request, spread),
        best=None if spread is None else best_reps(spread, cost_case=request.cost_case, cost_run=request.cost_run),
        grid=None if spread is None else reps_grid(spread, confidence=request.confidence),
        bands=() if pilot is None else pilot.bands,
        removable=None if pilot is None else pilot.removable,
        removable_low=None if pilot is None else pilot.removable_low,
        removable_high=None if pilot is None else pilot.removable_high,
        is_too_few=(found is not None and spread is None) or (pilot is not None and pilot.is_too_few),
        sketch=reps_sketch(request.cases or SKETCH_CASES, request.reps or SKETCH_REPS) if is_sketch else None,
        pilot=None if found is None else found.pilot,
        notes=_notes(request, basis, found, has_rows=bool(rows)),
        problems=() if found is None else found.problems,
        ledger=None if found is None else found.ledger,
        request=request,
    )


def _checked(request: PlanRepsRequest) -> None:
    for argument in ("cases", "reps"):
        value = getattr(request, argument)
        if value is not None:
            checked_count(value, argument, what=argument)
    for argument in ("margin", "drop"):
        value = getattr(request, argument)
        if value is not None:
            checked_points(value, argument)
    checked_power(request.power)
    for argument in ("case_sd", "run_sd", "change_sd", "run_sd_candidate"):
        value = getattr(request, argument)
        if value is not None and not 0 <= value <= 1:
            hint = f"Did you mean {value / 100:g}?" if 1 < value <= 100 else ""
            raise ArgumentError(argument, value, "a standard deviation in shares, from 0 to 1", hint)


def _from_options(request: PlanRepsRequest) -> _Basis:
    given = [request.case_sd, request.run_sd, request.change_sd, request.run_sd_candidate]
    if all(value is None for value in given):
        if request.margin is not None or request.drop is not None or request.budget is not None:
            hint = "For example --case-sd 0.4 --run-sd 0.3, or a pilot log: evalgauge plan reps LOG."
            raise ArgumentError("case_sd", "nothing", "the spread between cases and between runs", hint)
        return _Basis(spread=None, cases=request.cases)
    if request.run_sd is None:
        raise ArgumentError("run_sd", "nothing", "the standard deviation of the runs of one case, such as 0.3")
    if request.change_sd is not None:
        if request.case_sd is not None:
            allowed = "case_sd for one score, or change_sd for a change, not both"
            raise ArgumentError("change_sd", request.change_sd, allowed)
        other = request.run_sd if request.run_sd_candidate is None else request.run_sd_candidate
        spread = Spread(case_var=request.change_sd**2, run_var=request.run_sd**2 + other**2, arms=2)
        return _Basis(spread=spread, cases=request.cases)
    if request.case_sd is None or request.run_sd_candidate is not None:
        missing = "case_sd" if request.case_sd is None and request.run_sd_candidate is None else "change_sd"
        allowed = "the standard deviation between cases, such as 0.4"
        if missing == "change_sd":
            allowed = "the standard deviation of the true change per case, beside run_sd_candidate"
        raise ArgumentError(missing, "nothing", allowed)
    case_var, run_var = request.case_sd**2, request.run_sd**2
    rate = request.rate if request.rate is not None else pass_fail_rate(case_var, run_var)
    spread = Spread(case_var=case_var, run_var=run_var, rate=0.5 if rate is None else rate)
    return _Basis(spread=spread, cases=request.cases)


def _from_log(request: PlanRepsRequest, found: Piloted) -> _Basis:
    if any(value is not None for value in (request.case_sd, request.run_sd, request.change_sd, request.rate)):
        raise ArgumentError("logs", request.logs[0], "a pilot log, or the spread and the rate, not both")
    change = found.change
    if change is not None:
        cases = request.cases or change.n_cases
        if change.run_var is None or change.change_var + change.run_var == 0:
            return _Basis(spread=None, cases=cases)
        return _Basis(spread=Spread(case_var=change.change_var, run_var=change.run_var, arms=2), cases=cases)
    cases, spread = request.cases or found.pilot.n_cases, found.spread
    if spread is None:
        raise ArgumentError("logs", request.logs[0], "a log whose scores vary", "Add cases, or harder ones.")
    if spread.n_reps == 1:
        return _Basis(spread=None, cases=cases)
    # Moments of few cases can add up to a little more than the rate allows.
    most = spread.rate * (1 - spread.rate) / (spread.case_var + spread.run_var)
    return _Basis(
        spread=Spread(
            case_var=spread.case_var,
            run_var=spread.run_var,
            rate=spread.rate,
            graded_share=min(1 - 1 / spread.n_cases, most),
        ),
        cases=cases,
    )


def _rows(request: PlanRepsRequest, basis: _Basis) -> tuple[RepsRow, ...]:
    spread = basis.spread
    if spread is None:
        return ()
    reps = sorted({*USUAL_REPS, *(() if request.reps is None else (request.reps,))})
    if request.budget is not None:
        return budget_rows(
            request.budget,
            spread,
            reps=reps,
            confidence=request.confidence,
            cost_case=request.cost_case,
            cost_run=request.cost_run,
        )
    if basis.cases is None:
        return ()
    return tuple(
        reps_row(
            basis.cases,
            count,
            spread,
            confidence=request.confidence,
            cost_case=request.cost_case,
            cost_run=request.cost_run,
        )
        for count in reps
    )


def _counts(request: PlanRepsRequest, spread: Spread | None) -> tuple[RepsCount, ...]:
    if spread is None or (request.margin is None and request.drop is None):
        return ()
    if request.drop is not None and spread.arms == 1:
        hint = "For one score name --margin; for a change --change-sd with --run-sd, or two pilot logs."
        raise ArgumentError("drop", request.drop, "the spread of a change between two arms", hint)
    return reps_counts(
        spread,
        margin=request.margin,
        change=request.drop,
        power=request.power,
        reps=sorted({*USUAL_REPS, *(() if request.reps is None else (request.reps,))}),
        confidence=request.confidence,
        cost_case=request.cost_case,
        cost_run=request.cost_run,
    )


def _notes(request: PlanRepsRequest, basis: _Basis, found: Piloted | None, *, has_rows: bool) -> tuple[str, ...]:
    spread, notes = basis.spread, ["Reps help only while run noise (s_run²/R) is larger than case spread (s_case²)."]
    if found is None and spread is None:
        notes.append(
            "A sketch, near a rate of 50 %: the lower end if all cases are alike, the upper if each always passes or "
            "always fails. A pilot log, or --case-sd and --run-sd, makes it a plan."
        )
    if found is not None and (spread is None or (found.spread is not None and found.spread.is_too_few)):
        notes.append(
            "Too few reps to tell: this log cannot say how much of its spread is run noise. Run some 20 cases five "
            "times and plan again."
        )
    if spread is not None and found is None and spread.arms == 1 and request.rate is None:
        notes.append(
            f"The grading interval is asked at a mean of {100 * spread.rate:.3g} %, that of pass/fail scores with this "
            "spread; name --rate for another."
        )
    if spread is not None and request.cost_case == 0:
        notes.append("Cases count as free here: with a price for making one (--cost-case), more reps can pay.")
    if has_rows:
        notes.append(
            "1/√(runs), the old rule, takes runs for cases; beside it stands how often the truth would lie within it."
        )
    return tuple(notes)
