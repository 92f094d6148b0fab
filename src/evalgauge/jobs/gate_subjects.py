"""Which arms the rules of a gate speak of, and the comparison and measurement beside the verdict."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, EvalgaugeError, PairingError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.compare import two_arms
from evalgauge.jobs.compared_arms import compared_paired, compared_unpaired, paired_arms
from evalgauge.jobs.gate_parts import Subject
from evalgauge.jobs.measured import measured_arm
from evalgauge.jobs.reading import asked_table, needs_of, refuse_engine
from evalgauge.questions.compare import CompareRequest
from evalgauge.questions.measure import MeasureRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.gate_settings import GateSettings
    from evalgauge.jobs.reading import Side
    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.gate import GateOptions, RuleOptions
    from evalgauge.questions.measure import MeasureAnswer
    from evalgauge.scores.table import ScoreTable

# Options of a score that comparisons and measurements take as they are.
_SHARED = {field.name for field in fields(MeasureRequest)} & {field.name for field in fields(CompareRequest)} - {
    "of",
    "logs",
}


def subjects_of(settings: GateSettings, sources: list[Any]) -> list[Subject]:
    """Return the arms that each set of rules speaks of.

    Raises
    ------
    ArgumentError
        When the number of logs does not fit the rules.
    PairingError
        When the logs have no case in common.
    ScoreError
        When the scores cannot answer.
    """
    options = settings.options
    if settings.baseline is not None and len(sources) == 1 and not options.arms:
        sources = [settings.baseline, *sources]
    if not sources:
        raise ArgumentError("logs", "nothing", "two logs, baseline first; or the candidate alone, for --min-rate")
    if len(sources) > 2:
        raise ArgumentError("logs", f"{len(sources)} logs", "two logs, baseline first")
    # Looks at any time go through the cases in the order of the log.
    fields = [name for rule in settings.rules for name in (rule.by, rule.cluster)]
    needs = None if options.anytime else needs_of(*fields, engine=options.engine)
    if needs is None:
        refuse_engine(options.engine, "--anytime goes through the cases in the order of the log")
    if len(sources) == 1 and not (len(options.arms) == 2 or len(options.wide_arms) == 2):
        if settings.needs_baseline:
            hint = "Or one log with --arms base,new; or name a blessed baseline in the file of rules."
            raise ArgumentError("logs", "one log", "two logs, baseline first: a rule speaks of a change", hint)
        table = asked_table(sources[0], options, needs=needs)
        return [alone(rule, options, table) for rule in settings.rules]
    if len(sources) == 2:
        # Read once, for all rules.
        sides: tuple[Side, Side] = ("base", "cand")
        sources = [asked_table(source, options, side, needs=needs) for source, side in zip(sources, sides, strict=True)]
    return [_pair(rule, options, sources) for rule in settings.rules]


def alone(rule: RuleOptions, options: GateOptions, table: ScoreTable) -> Subject:
    """Return the subject of a rule where there is one log."""
    name = next(iter(options.arms), None)
    if rule.candidate_metric is not None:
        rule = replace(rule, metric=rule.candidate_metric)
    only, *more = arms_of(table, rule, name, arm_option="arms")
    if more:
        found = "; ".join(f"--arms {arm.source.arm} --task {arm.source.set_name}" for arm in (only, *more))
        raise PairingError(f"The log holds {1 + len(more)} scores and one is judged. Name one: {found}.")
    return Subject(rule=rule, options=options, candidate=only, baseline=None, pairs=None)


def _pair(rule: RuleOptions, options: GateOptions, sources: Sequence[Any]) -> Subject:
    baseline, candidate = two_arms(_compare_request(rule, options), sources, in_order=options.anytime)
    pairs = None if options.unpaired else paired_arms(baseline, candidate, rule.cluster)
    return Subject(rule=rule, options=options, candidate=candidate, baseline=baseline, pairs=pairs)


def _compare_request(rule: RuleOptions, options: GateOptions) -> CompareRequest:
    return CompareRequest(
        **{field.name: getattr(rule, field.name) for field in fields(rule) if field.name in _SHARED},
        margin=rule.max_drop if rule.max_drop is not None else rule.slice_drop,
        candidate_metric=rule.candidate_metric,
        arms=options.arms,
        unpaired=options.unpaired,
        engine=options.engine,
        flips=options.flips,
    )


def answers_beside(subjects: Sequence[Subject]) -> tuple[tuple[CompareAnswer, ...], tuple[MeasureAnswer, ...]]:
    """Return the comparison and the measurement that the rules read, one for each score."""
    comparisons: dict[tuple[object, ...], CompareAnswer] = {}
    scores: dict[tuple[object, ...], MeasureAnswer] = {}
    for subject in subjects:
        rule, key = subject.rule, (subject.candidate.source, subject.rule.by, subject.rule.cluster)
        if subject.baseline is not None and key not in comparisons:
            request = _compare_request(rule, subject.options)
            comparisons[key] = _compared(request, subject.baseline, subject.candidate, subject)
        if key not in scores:
            request_of_score = MeasureRequest(
                **{field.name: getattr(rule, field.name) for field in fields(rule) if field.name in _SHARED}
            )
            # A rule on the change does not need the score; where it has no interval the gate still judges.
            with suppress(EvalgaugeError):
                scores[key] = measured_arm(request_of_score, subject.candidate)
    return tuple(comparisons.values()), tuple(scores.values())


def _compared(request: CompareRequest, baseline: Arm, candidate: Arm, subject: Subject) -> CompareAnswer:
    if subject.pairs is None:
        return compared_unpaired(replace(request, by=None), baseline, candidate)
    return compared_paired(request, baseline, candidate, subject.pairs)
