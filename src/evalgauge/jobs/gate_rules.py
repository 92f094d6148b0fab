"""The verdict of every rule over the arms that it speaks of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.jobs.gate_parts import change_parts, score_parts
from evalgauge.jobs.gate_reasons import cases_text, needs_text, reason_text
from evalgauge.planning.gate_counts import least_for_rule
from evalgauge.questions.gate import RuleVerdict
from evalgauge.questions.scale import Scale, count, percent
from evalgauge.rules.gate import Claim, Reading, judged
from evalgauge.rules.gate_cases import case_alarms, least_reps
from evalgauge.rules.paired_missing import ArmRuns

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalgauge.jobs.gate_parts import Part, Subject
    from evalgauge.planning.gate_counts import ClaimKind
    from evalgauge.questions.gate import RuleKind, Verdict
    from evalgauge.rules.gate import Errors, Judged


@dataclass(frozen=True, slots=True, kw_only=True)
class Blind:
    """A rule that cannot pass, or cannot fail, with logs of this size.

    Attributes
    ----------
    rule, part
        Which.
    text
        What it cannot do, and what it takes, as a phrase.
    """

    rule: RuleKind
    part: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the rules over one score say.

    Attributes
    ----------
    verdicts
        One per rule and slice.
    blind
        Those that could not have said it.
    """

    verdicts: tuple[RuleVerdict, ...]
    blind: tuple[Blind, ...]


class BareVerdict(NamedTuple):
    """What one rule says, of which part, by which score."""

    rule: RuleKind
    part: str
    metric: str
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Group:
    """One rule over the set, or over all of its slices, which share its error."""

    name: RuleKind
    kind: ClaimKind
    threshold: float
    parts: list[Part]


def rule_verdicts(subject: Subject, errors: Errors, *, is_sealed: bool = False) -> Found:
    """Return what each rule of a subject says, in the order of the options.

    Parameters
    ----------
    subject
        The rules and the arms.
    errors
        Errors that they may make.
    is_sealed
        Whether the verdict stays out of sight unless it is paid for. Which rules are blind then depends on the sizes
        alone: if it depended on the verdict, a refusal would tell it for nothing.
    """
    verdicts: list[RuleVerdict] = []
    blind: list[Blind] = []
    for group in _groups(subject):
        rows, unable = _group(subject, group, errors, is_sealed=is_sealed)
        verdicts += rows
        blind += unable
    if subject.rule.case_rate is not None:
        row, unable = _every_case(subject, subject.rule.case_rate, errors, is_sealed=is_sealed)
        verdicts.append(row)
        blind += unable
    return Found(verdicts=tuple(verdicts), blind=tuple(blind))


def bare_verdicts(subject: Subject, errors: Errors) -> list[BareVerdict]:
    """Return what each rule of a subject says and nothing else, those about the data too; for a great many of them."""
    found: list[BareVerdict] = []
    metric = subject.candidate.metric.name
    for group in _groups(subject):
        problems, judgements = _judged_group(group, subject.options.confidence, errors)
        for part, problem, one in zip(group.parts, problems, judgements, strict=True):
            verdict: Verdict = "inconclusive" if problem else one.verdict
            found.append(BareVerdict(group.name, part.name, metric, verdict))
    rows = policy_verdicts(subject)
    if subject.rule.case_rate is not None:
        rows = [_every_case(subject, subject.rule.case_rate, errors, is_sealed=False)[0], *rows]
    return [*found, *(BareVerdict(row.rule, row.part, metric, row.verdict) for row in rows)]


def _groups(subject: Subject) -> Iterator[_Group]:
    rule = subject.rule
    asked: tuple[tuple[RuleKind, ClaimKind, float | None, str | None], ...] = (
        ("max-drop", "drop", rule.max_drop, None),
        ("min-rate", "rate", rule.min_rate, None),
        ("better-than", "gain", rule.better_than, None),
        ("slice-drop", "drop", rule.slice_drop, rule.by),
        ("slice-rate", "rate", rule.slice_rate, rule.by),
    )
    for name, kind, threshold, by in asked:
        if threshold is None:
            continue
        if kind == "rate" and subject.lower_is_better:
            hint = "Lower is better for it: bound its rise against a baseline with --max-drop."
            raise ArgumentError(
                name.replace("-", "_"), subject.candidate.metric.name, "a score of which more is better", hint
            )
        parts = score_parts(subject, threshold, by) if kind == "rate" else change_parts(subject, kind, threshold, by)
        yield _Group(name=name, kind=kind, threshold=threshold, parts=parts)


def _judged_group(group: _Group, confidence: float, errors: Errors) -> tuple[list[str], tuple[Judged, ...]]:
    """Return why a part cannot be read (``""`` where it can), and what all parts say together."""
    problems = [_problem(part, confidence) for part in group.parts]
    # A slice that cannot answer keeps its share of the error: which slices can is seen only in the data.
    claims = [
        _unread(group.threshold) if problem else part.claim for part, problem in zip(group.parts, problems, strict=True)
    ]
    if len(group.parts) == 1 and problems[0]:
        raise EvalgaugeError(f"--{group.name}: {problems[0]}")
    return problems, judged(claims, errors)


def _group(
    subject: Subject, group: _Group, errors: Errors, *, is_sealed: bool
) -> tuple[list[RuleVerdict], list[Blind]]:
    scale = Scale(subject.candidate.score_range)
    name, kind, threshold, parts = group.name, group.kind, group.threshold, group.parts
    problems, judgements = _judged_group(group, subject.options.confidence, errors)
    rows: list[RuleVerdict] = []
    blind: list[Blind] = []
    can_pass = _possible(parts, problems, errors, best=True)
    can_fail = _possible(parts, problems, errors, best=False)
    for place, (part, found) in enumerate(zip(parts, judgements, strict=True)):
        if problems[place]:
            rows.append(_without_reading(subject, name, part, threshold, problems[place]))
            continue
        rows.append(_row(subject, name, kind, threshold, part, found, scale))
        is_blind = not (can_pass[place] and (can_fail[place] or is_sealed))
        if is_blind and (found.verdict == "inconclusive" or is_sealed):
            level = errors.level(errors.passing / len(parts))
            blind.append(_blind(name, kind, threshold, part, can_pass=can_pass[place], level=level))
    return rows, blind


def _problem(part: Part, confidence: float) -> str:
    try:
        part.claim.at(confidence)
    except EvalgaugeError as error:
        return str(error)
    return ""


def _unread(threshold: float) -> Claim:
    reading = Reading(low=-math.inf, high=math.inf, method="none", may_pass=False)
    return Claim(threshold=threshold, at=lambda _: reading)


def _possible(parts: list[Part], problems: list[str], errors: Errors, *, best: bool) -> list[bool]:
    """Return which parts would pass with the best data in all of them, or fail with the worst."""
    claims = [
        _unread(part.claim.threshold) if problem else part.extremes.best if best else part.extremes.worst
        for part, problem in zip(parts, problems, strict=True)
    ]
    return [found.verdict == ("pass" if best else "fail") for found in judged(claims, errors)]


def _row(
    subject: Subject,
    name: RuleKind,
    kind: ClaimKind,
    threshold: float,
    part: Part,
    found: Judged,
    scale: Scale,
) -> RuleVerdict:
    shown = found
    if subject.lower_is_better and kind != "rate":
        # Judged with gains as rises; shown as the score moved.
        shown = replace(found, reading=replace(found.reading, low=-found.reading.high, high=-found.reading.low))
    cases, needs = None, ""
    if found.verdict == "inconclusive":
        cases = part.decides_at(found.confidence)
        needs = needs_text(cases, part.n_cases, part.n_missing)
    return RuleVerdict(
        rule=name,
        part=part.name,
        metric=subject.candidate.metric.name,
        verdict=found.verdict,
        reason=reason_text(kind, threshold, part.estimate, shown, scale, part.n_cases),
        needs=needs,
        needs_cases=cases,
        threshold=threshold,
        estimate=part.estimate,
        low=shown.reading.low,
        high=shown.reading.high,
        confidence=found.confidence,
        method=found.reading.method,
        n_cases=part.n_cases,
    )


def _without_reading(subject: Subject, name: RuleKind, part: Part, threshold: float, problem: str) -> RuleVerdict:
    return RuleVerdict(
        rule=name,
        part=part.name,
        metric=subject.candidate.metric.name,
        verdict="inconclusive",
        reason=problem,
        threshold=threshold,
        n_cases=part.n_cases,
    )


def _blind(name: RuleKind, kind: ClaimKind, threshold: float, part: Part, *, can_pass: bool, level: float) -> Blind:
    least = least_for_rule(kind, threshold, confidence=level, is_graded=part.is_graded and kind == "drop")
    here = count(part.n_cases, "case")
    if not can_pass:
        best = {"drop": "no case changed", "gain": "every case were won", "rate": "every case passed"}[kind]
        text = f"cannot pass with {here}, even if {best}"
        needed = least.to_pass
    else:
        text, needed = f"cannot fail with {here}, even if every case were lost", least.to_fail
    takes = f": it takes at least {count(needed, 'case')}" if needed is not None and needed > part.n_cases else ""
    return Blind(rule=name, part=part.name, text=f"{text}{takes}")


def _every_case(subject: Subject, rate: float, errors: Errors, *, is_sealed: bool) -> tuple[RuleVerdict, list[Blind]]:
    arm = subject.candidate
    if not arm.is_pass_fail:
        hint = "Choose one with --metric, or judge the mean with --min-rate."
        raise ArgumentError("case_rate", arm.metric.name, "a score that is 0 or 1 in every run", hint)
    sums = np.rint(arm.totals[0])
    runs = ArmRuns(sums=sums, scored=arm.sums.n_scored, planned=arm.sums.n_planned)
    found = case_alarms(runs, rate=rate, error=errors.alarm, policy=subject.options.missing)
    broken = arm.case_names(np.flatnonzero(found.is_broken))
    n, n_blind, n_open = len(arm.sums), int(found.is_blind.sum()), int(found.is_open.sum())
    asked, reps = percent(rate), None
    verdict: Verdict = "inconclusive"
    needs = ""
    if broken:
        verdict = "fail"
        said = f"{len(broken):,} of {count(n, 'case')} shown to pass fewer than {asked} of their runs: "
        reason = (
            f"{said}{cases_text(broken)} (a false alarm on any of them: at most {percent(round(errors.alarm, 4))})."
        )
    elif n_blind or n < 2:
        reps = least_reps(rate, errors.alarm / n)
        reason = (
            f"{n_blind:,} of {count(n, 'case')} have too few reps to be shown below {asked}, if none of them passed."
        )
        if n < 2:
            reason = "One case says nothing about others."
        needs = f"{count(reps, 'rep')} of each case can show one that never passes" if n_blind else ""
    elif n_open:
        reason = f"{n_open:,} of {count(n, 'case')} pass or fail by what their missing runs would have been."
        needs = "score the missing runs"
    else:
        verdict = "pass"
        sight = f"{100 * found.visible_rate:.1f} %" if found.visible_rate is not None else "0 %"
        reason = (
            f"No case of {n:,} is shown to pass fewer than {asked} of its runs; with {count(found.reps, 'rep')} a case "
            f"that truly passes {sight} of them is found with a chance of 80 %."
        )
    row = RuleVerdict(
        rule="case-rate",
        part="",
        metric=arm.metric.name,
        verdict=verdict,
        reason=reason,
        needs=needs,
        needs_reps=reps,
        threshold=rate,
        n_cases=n,
        cases=broken,
    )
    if n_blind and (verdict != "fail" or is_sealed):
        least = count(least_reps(rate, errors.alarm / n), "rep")
        text = f"cannot fail for {n_blind:,} of {count(n, 'case')}: it takes {least} of each"
        return row, [Blind(rule="case-rate", part="", text=text)]
    return row, []


def policy_verdicts(subject: Subject) -> list[RuleVerdict]:
    """Return what the rules about the data say: they never fail, and without them nothing passes."""
    options = subject.options
    arms = [arm for arm in (subject.baseline, subject.candidate) if arm is not None]
    shares: list[tuple[float, str]] = []
    for arm in arms:
        counts = arm.counts
        role = "candidate" if arm is subject.candidate else "baseline"
        done = (counts.scored / counts.planned, counts.cases_scored / counts.cases_planned)
        said = (
            f"{counts.scored:,} of {counts.planned:,} runs and {counts.cases_scored:,} of {counts.cases_planned:,} "
            f"cases are scored in the {role}"
        )
        shares.append((min(done), said))
    least, said = min(shares, key=lambda one: one[0])
    rows = [_policy_row(subject, "min-scored", least, options.min_scored, said, "score what is missing")]
    if subject.pairs is not None:
        pairing = subject.pairs.pairing
        total = max(pairing.n_baseline, pairing.n_candidate)
        said = f"{len(pairing):,} of {total:,} cases have a partner"
        row = _policy_row(subject, "min-overlap", len(pairing) / total, options.min_overlap, said, "run the same cases")
        rows.append(row)
        if options.pairing == "content":
            sure = sum(n for tier, n in pairing.by_counts.items() if tier not in {"near", "id"})
            said = f"{sure:,} of {len(pairing):,} pairs are matched by content"
            rows.append(
                _policy_row(subject, "pairing", sure / len(pairing), 1.0, said, "log what the cases ask on both sides")
            )
    return rows


def _policy_row(subject: Subject, name: RuleKind, share: float, least: float, said: str, way_out: str) -> RuleVerdict:
    is_enough = share >= least - 1e-12
    bound = "all" if least == 1 else f"at least {percent(least)}"
    return RuleVerdict(
        rule=name,
        part="",
        metric=subject.candidate.metric.name,
        verdict="pass" if is_enough else "inconclusive",
        reason=f"{said}, {bound} asked for.",
        needs="" if is_enough else way_out,
        threshold=least,
        estimate=share,
        n_cases=len(subject.candidate.sums),
    )
