"""What can a gate see before anything is run?"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.jobs.compared_arms import paired_arms
from evalgauge.jobs.gate_looks import looked_at
from evalgauge.jobs.gate_parts import Subject, change_parts, score_parts
from evalgauge.jobs.gate_settings import GateSettings, settings_of
from evalgauge.jobs.gate_subjects import alone, subjects_of
from evalgauge.jobs.noted import last_noted
from evalgauge.jobs.reading import asked_table, log_name, refuse_engine
from evalgauge.planning.gate_counts import evenly_spaced, least_for_rule
from evalgauge.planning.gate_sight import drop_sight, graded_drop_sight, rate_sight
from evalgauge.questions.gate_check import GateCheckAnswer, GateCheckRequest, RuleCheck
from evalgauge.questions.given import request_from
from evalgauge.questions.units import ScoreRange
from evalgauge.rules.gate import judged
from evalgauge.rules.gate_cases import edges, least_reps, visible_rate
from evalgauge.rules.looks import look_from_text
from evalgauge.rules.verdict import hard_floor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.jobs.gate_parts import Part
    from evalgauge.planning.gate_counts import ClaimKind
    from evalgauge.planning.gate_sight import Sight
    from evalgauge.questions.gate import RuleKind, RuleOptions
    from evalgauge.rules.gate import Errors

_MARGINS = (0.02, 0.05, 0.1)
# Beyond these counts the chances take longer to compute than they are worth.
_MOST_EXACT, _MOST_SIMULATED = 10_000, 3_000


def gate_check(
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    cases: int | None = None,
    reps: int | None = None,
    rate: float | str | None = None,
    discordance: float | str | None = None,
    **rules: Any,  # noqa: ANN401 - the options of gate
) -> GateCheckAnswer:
    """Answer what the rules of a gate can see before anything is run.

    Parameters
    ----------
    *logs
        A baseline, or two logs, that are like those that will be judged. None, with ``cases``; or neither, for the
        least counts alone.
    cases, reps
        Cases that will be run, and runs of each, where no log tells.
    rate
        Expected pass rate, a share.
    discordance
        Share of cases that turn out differently in two runs of one system.
    **rules
        The options of ``gate``.

    Returns
    -------
    GateCheckAnswer
        Of each rule whether it can pass and fail, from how many cases on, and its chances.

    Raises
    ------
    ArgumentError
        When there is no rule, or an option is unknown or outside what is allowed.
    LogError, ScoreError
        When a log cannot be read, or its scores cannot answer.

    References
    ----------
    The exact laws of the rules that grade: see ``evalgauge.stats.margin_power`` and ``evalgauge.stats.power``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.gate_check(max_drop=0.02, cases=100))
    some rule can never decide (1 rule)
    """
    known = {field.name for field in fields(GateCheckRequest)} - {"logs"}
    for name in rules:
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise ArgumentError("option", name, "an option of gate", f"Did you mean {close[0]}?" if close else "")
    request = request_from(
        GateCheckRequest,
        logs=tuple(log_name(log) for log in logs),
        cases=cases,
        reps=reps,
        rate=rate,
        discordance=discordance,
        **rules,
    )
    return check_answer(request, logs)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """How a rule will be judged, as far as it is known.

    Attributes
    ----------
    n_cases, n_reps
        Cases and runs of each; ``None`` where they are not known.
    rates
        Pass rates of the cases, or the one that all share; ``None`` where it is not known.
    discordance, assumes
        Share of cases that flip between two runs of one system, and where it comes from.
    metric
        The score.
    """

    n_cases: int | None
    n_reps: int
    rates: NDArray[np.float64] | None
    discordance: float | None
    assumes: str
    metric: str


def check_answer(request: GateCheckRequest, logs: Sequence[Any] = ()) -> GateCheckAnswer:
    """Return the answer to a request; ``logs`` holds the sources themselves where they are no paths."""
    _checked(request)
    settings = settings_of(request)
    errors = settings.errors
    sources = list(logs or request.logs)
    if settings.baseline is not None and not sources and request.cases is None:
        sources = [settings.baseline]
    subjects = _subjects(settings, sources)
    rows: list[RuleCheck] = []
    for place, rule in enumerate(settings.rules):
        subject = None if subjects is None else subjects[place]
        rows += _rule_rows(rule, subject, _plan(request, subject), errors)
    decided = [row.can_pass is not False and row.can_fail is not False for row in rows]
    is_known = any(row.can_fail is not None for row in rows)
    plan = _plan(request, None if subjects is None else subjects[0])
    first = None if subjects is None else subjects[0].candidate.score_range
    return GateCheckAnswer(
        can_decide=all(decided) if is_known else None,
        rules=tuple(rows),
        hard_floors={f"{margin:g}": hard_floor(margin, confidence=request.confidence) for margin in _MARGINS},
        confidence=settings.options.confidence,
        rules_from=settings.rules_from,
        n_cases=plan.n_cases,
        n_reps=plan.n_reps if plan.n_cases is not None else None,
        range=first or ScoreRange((0.0, 1.0)),
        notes=(*settings.notes, *_notes(rows, plan)),
        ledger=last_noted(settings.options, looked_at(subjects or ()), display="exact", verb="gate --check"),
        request=request,
    )


def _checked(request: GateCheckRequest) -> None:
    for name in ("cases", "reps"):
        value = getattr(request, name)
        if value is not None and value < 1:
            raise ArgumentError(name, value, "a whole number of at least 1")
    if request.anytime:
        hint = "What it needs depends on the order in which cases turn out; planned looks are checked: --interim 1/5."
        raise ArgumentError("anytime", "--check --anytime", "one of them", hint)
    if request.interim is not None:
        look = look_from_text(request.interim, request.bounds)
        if not look.is_last:
            hint = "What the looks can see together is seen with the cases of the last one."
            raise ArgumentError("interim", request.interim, f"the last look, {look.of}/{look.of}, with --check", hint)
    if request.cases is not None and request.logs:
        raise ArgumentError("cases", request.cases, "left out where a log tells how many cases there are")
    if request.holdout:
        hint = "evalgauge ledger status SET says at which level its next verdict is judged: name it with --confidence."
        raise ArgumentError("holdout", request.holdout, "left out with --check, which shows more than one bit", hint)


def _subjects(settings: GateSettings, sources: list[Any]) -> list[Subject] | None:
    """Return the arms; a baseline alone stands for the candidate as well."""
    options = settings.options
    if not sources:
        return None
    if len(sources) == 1 and not (len(options.arms) == 2 or len(options.wide_arms) == 2):
        if settings.baseline is not None and sources[0] != settings.baseline:
            return subjects_of(settings, sources)
        refuse_engine(options.engine, "a gate is checked by a log of files")
        table = asked_table(sources[0], options)
        found = [alone(rule, options, table) for rule in settings.rules]
        if options.unpaired:
            return [replace(one, baseline=one.candidate) for one in found]
        # A baseline paired with itself has the size and the slices of any run on the same cases.
        return [
            replace(
                one,
                baseline=one.candidate,
                pairs=paired_arms(one.candidate, one.candidate, rule.cluster),
            )
            for one, rule in zip(found, settings.rules, strict=True)
        ]
    return subjects_of(settings, sources)


def _plan(request: GateCheckRequest, subject: Subject | None) -> _Plan:
    rate = request.rate
    if subject is None:
        reps = request.reps or 1
        # One rate stands for all cases: an array of as many as are named may not fit into memory.
        rates = None if rate is None or request.cases is None else np.array([float(rate)])
        flips, assumes = _flips(request, rates, None, reps)
        return _Plan(n_cases=request.cases, n_reps=reps, rates=rates, discordance=flips, assumes=assumes, metric="")
    arm = subject.candidate
    means = (subject.baseline or arm).means
    rates = means[~np.isnan(means)]
    reps = request.reps or int(arm.sums.n_planned.max())
    n_cases = len(arm.sums) if subject.pairs is None else len(subject.pairs.pairing)
    flips, assumes = _flips(request, rates, subject, reps)
    return _Plan(n_cases=n_cases, n_reps=reps, rates=rates, discordance=flips, assumes=assumes, metric=arm.metric.name)


def _flips(
    request: GateCheckRequest, rates: NDArray[np.float64] | None, subject: Subject | None, reps: int
) -> tuple[float | None, str]:
    """Return the share of cases that flip between two runs of one system, and where it comes from."""
    if request.discordance is not None:
        return float(
            request.discordance
        ), f"{100 * request.discordance:g} % of the cases flip between two runs, as said"
    if reps == 1 and subject is not None and subject.pairs is not None and subject.baseline is not None:
        base, cand = subject.baseline, subject.candidate
        if base is not cand:
            share = float((base.means[subject.pairs.base_rows] != cand.means[subject.pairs.cand_rows]).mean())
            return share, f"{100 * share:.3g} % of the cases flip between two runs, as between these logs"
    if rates is None:
        return None, ""
    mean = float(rates.mean())
    share = 2 * mean * (1 - mean)
    said = f"{100 * share:.3g} % of the cases flip between two runs, as if nothing made cases hard or easy (cautious)"
    return share, f"{said}; --discordance says otherwise"


def _rule_rows(rule: RuleOptions, subject: Subject | None, plan: _Plan, errors: Errors) -> list[RuleCheck]:
    rows: list[RuleCheck] = []
    groups: tuple[tuple[RuleKind, ClaimKind, float | None, str | None], ...] = (
        ("max-drop", "drop", rule.max_drop, None),
        ("min-rate", "rate", rule.min_rate, None),
        ("better-than", "gain", rule.better_than, None),
        ("slice-drop", "drop", rule.slice_drop, rule.by),
        ("slice-rate", "rate", rule.slice_rate, rule.by),
    )
    for name, kind, threshold, by in groups:
        if threshold is None:
            continue
        if subject is None:
            rows.append(_row(name, kind, threshold, plan, errors, parts=1))
            continue
        parts = score_parts(subject, threshold, by) if kind == "rate" else change_parts(subject, kind, threshold, by)
        best = judged([part.extremes.best for part in parts], errors)
        worst = judged([part.extremes.worst for part in parts], errors)
        for part, can_pass, can_fail in zip(parts, best, worst, strict=True):
            row = _row(name, kind, threshold, plan, errors, parts=len(parts), part=part)
            rows.append(replace(row, can_pass=can_pass.verdict == "pass", can_fail=can_fail.verdict == "fail"))
    if rule.case_rate is not None:
        rows.append(_case_row(rule.case_rate, plan, errors))
    return rows


def _row(
    name: RuleKind,
    kind: ClaimKind,
    threshold: float,
    plan: _Plan,
    errors: Errors,
    *,
    parts: int,
    part: Part | None = None,
) -> RuleCheck:
    level = errors.level(errors.passing / parts)
    is_graded = plan.n_reps > 1 and kind == "drop"
    least = least_for_rule(kind, threshold, confidence=level, is_graded=is_graded)
    n = plan.n_cases if part is None else part.n_cases
    can_pass = None if n is None else least.to_pass is not None and n >= least.to_pass
    can_fail = None if n is None else least.to_fail is not None and n >= least.to_fail
    # A rule that can say nothing has no chances worth computing.
    sight, assumes = _sight(kind, threshold, plan, n, level) if can_pass or can_fail else (None, "")
    return RuleCheck(
        rule=name,
        part="" if part is None else part.name,
        metric=plan.metric,
        threshold=threshold,
        confidence=level,
        n_cases=n,
        least_to_pass=least.to_pass,
        least_to_fail=least.to_fail,
        hard_floor=hard_floor(threshold, confidence=level) if kind == "drop" else None,
        can_pass=can_pass,
        can_fail=can_fail,
        pass_chance=None if sight is None or plan.rates is None else sight.pass_chance,
        fail_chances={} if sight is None else {f"{drop:g}": chance for drop, chance in sight.fail_chances.items()},
        seen_drop=None if sight is None else sight.seen_drop,
        assumes=assumes,
    )


def _sight(kind: ClaimKind, threshold: float, plan: _Plan, n: int | None, level: float) -> tuple[Sight | None, str]:
    """Return what a rule sees, and what that rests on; nothing where too little is known to say."""
    if n is None or kind == "gain":
        return None, ""
    if kind == "rate":
        expected = None if plan.rates is None else float(plan.rates.mean())
        found = rate_sight(n, threshold, confidence=level, expected=expected)
        said = "one run of each case" if expected is None else f"a good candidate passes {100 * expected:.3g} %"
        return found, said
    if plan.rates is None or plan.discordance is None:
        return None, ""
    if n > (_MOST_EXACT if plan.n_reps == 1 else _MOST_SIMULATED):
        return None, ""
    if plan.n_reps == 1:
        return drop_sight(n, threshold, confidence=level, discordance=min(plan.discordance, 1.0)), plan.assumes
    rates = evenly_spaced(np.sort(plan.rates), n)
    said = f"cases with these rates, {plan.n_reps} reps, and breaks that are complete (300 simulated evals)"
    return graded_drop_sight(rates, plan.n_reps, threshold, confidence=level), said


def _case_row(rate: float, plan: _Plan, errors: Errors) -> RuleCheck:
    n = plan.n_cases
    error = errors.alarm / (n or 1)
    fires_at = int(edges([plan.n_reps], rate, error)[0])
    return RuleCheck(
        rule="case-rate",
        part="",
        metric=plan.metric,
        threshold=rate,
        confidence=1 - 2 * error,
        n_cases=n,
        least_reps=None if n is None else least_reps(rate, error),
        can_pass=None if n is None else n > 1,
        can_fail=None if n is None else fires_at >= 0,
        fires_at=None if n is None or fires_at < 0 else fires_at,
        visible_rate=None if n is None else visible_rate(plan.n_reps, rate, error),
        assumes=f"{plan.n_reps} reps of each case" if n is not None else "",
    )


def _notes(rows: Sequence[RuleCheck], plan: _Plan) -> tuple[str, ...]:
    notes: list[str] = []
    if plan.n_cases is None:
        notes.append("How many cases there will be is not known: name a log, or --cases with --rate.")
    elif plan.rates is None and any(row.rule == "max-drop" for row in rows):
        notes.append("The chances of a rule on a drop depend on the pass rate: name it with --rate, or give a log.")
    most = _MOST_EXACT if plan.n_reps == 1 else _MOST_SIMULATED
    if any(row.hard_floor is not None and row.n_cases is not None and row.n_cases > most for row in rows):
        notes.append(f"The chances of a rule on a drop are not computed for more than {most:,} cases.")
    if len({row.part for row in rows if row.part}) > 1:
        notes.append(
            "Slices share the error (Holm): their least counts are those at which all can pass at once; once some are "
            "decided the others need fewer."
        )
    return tuple(notes)
