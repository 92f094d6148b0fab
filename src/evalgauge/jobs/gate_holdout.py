"""The rules of a gate, judged on a holdout: one bit is shown, priced by all that was shown before."""

from __future__ import annotations

import hashlib
from dataclasses import fields
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.jobs.gate_judged import blind_text, judged_rules
from evalgauge.jobs.gate_settings import RULE_FIELDS
from evalgauge.jobs.holdout import Judged, judged_on_holdout
from evalgauge.jobs.looks import note_of_state
from evalgauge.questions.gate import GateAnswer, GateOptions, RuleVerdict
from evalgauge.questions.scale import level
from evalgauge.questions.units import ScoreRange
from evalgauge.rules.gate import errors_of, gate_verdict
from evalgauge.rules.verdict import least_drop

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.gate_parts import Subject
    from evalgauge.jobs.gate_rules import Blind
    from evalgauge.jobs.gate_settings import GateSettings
    from evalgauge.questions.gate import GateRequest

_PLAIN = GateOptions()
_DIGITS = 6


def holdout_gate(request: GateRequest, settings: GateSettings, subjects: Sequence[Subject]) -> GateAnswer:
    """Return pass or fail of all rules together on a registered set; the scores stay sealed.

    Raises
    ------
    ArgumentError
        If an option contradicts a verdict of one bit.
    EvalgaugeError
        If a rule can say nothing with so few cases at what is left of the error.
    LedgerError
        If the set is not registered, or nothing can be claimed on it any more.
    """
    for name in ("confidence", "flips", "no_ledger", "on_inconclusive"):
        if getattr(request, name) != getattr(_PLAIN, name):
            hint = "The level of a holdout is declared with: evalgauge ledger declare --confidence"
            allowed = "left out with --holdout, which shows one bit and records it"
            raise ArgumentError(name, getattr(request, name), allowed, hint if name == "confidence" else "")

    def judge(confidence: float) -> Judged:
        rows, blind = judged_rules(subjects, errors_of(confidence, settings.groups), is_sealed=True)
        if blind and not settings.options.allow_blind:
            price = (
                f"This look would be judged at {level(confidence)}, so that all looks hold together; replacing "
                "all cases begins anew (evalgauge ledger refresh LOG --share 100% -o retired.txt)."
            )
            raise EvalgaugeError(f"{price}{_at_best(subjects, blind, confidence)} {blind_text(blind)}")
        kept = {f"{row.rule} {row.part} {row.metric}".strip(): row.estimate for row in rows}
        return Judged(passed=gate_verdict([row.verdict for row in rows]) == "pass", sealed={"estimates": kept})

    first, options = subjects[0], settings.options
    words = rules_words(settings)
    found = judged_on_holdout(first.candidate, judge, rule=words, baseline=first.baseline, ledger=options.ledger)
    n_cases, place = found.look.data.n, found.look.data.place
    said = "All rules hold" if found.passed else "Not all rules are shown to hold"
    again = "" if found.is_new else " The same results were judged before, and nothing new was spent."
    over_all = found.state.promise.confidence
    row = RuleVerdict(
        rule="holdout",
        part="",
        metric=first.candidate.metric.name,
        verdict="pass" if found.passed else "fail",
        reason=(
            f"{said} on {found.state.name} ({words.partition(' [')[0]}), judged at {level(found.confidence)} as "
            f"look {place:,}, so that all looks together hold at {100 * over_all:g} %.{again}"
        ),
        threshold=over_all,
        confidence=found.confidence,
        n_cases=n_cases,
    )
    return GateAnswer(
        verdict=row.verdict,
        outcome=row.verdict,
        rules=(row,),
        comparisons=(),
        scores=(),
        confidence=found.confidence,
        pass_error=(1 - found.confidence) / 2,
        alarm_error=1 - found.confidence,
        rules_from=settings.rules_from,
        missing=options.missing,
        pairing="unpaired" if options.unpaired else options.pairing,
        min_scored=options.min_scored,
        min_overlap=options.min_overlap,
        on_inconclusive=options.on_inconclusive,
        range=first.candidate.score_range or ScoreRange((0.0, 1.0)),
        notes=(*settings.notes, "The scores stay sealed in the ledger: this bit is all that is shown."),
        ledger=note_of_state(found.state, found.look, is_new=found.is_new),
        request=request,
    )


def _at_best(subjects: Sequence[Subject], blind: Sequence[Blind], confidence: float) -> str:
    """Return which drop the cases can still rule out, where a rule asks for less; ``""`` where none does."""
    pairs = subjects[0].pairs
    if pairs is None or not any(one.rule == "max-drop" and not one.part for one in blind):
        return ""
    drop = least_drop(len(pairs.pairing), confidence=confidence)
    return "" if drop is None else f" At that level the cases can rule out a drop of {100 * drop:g} points at best."


def rules_words(settings: GateSettings) -> str:
    """Return the rules in words, with a print of everything that they depend on: judging twice is judging once."""
    words = [
        f"{name.replace('_', '-')} {100 * getattr(rule, name):g}{' %' if 'rate' in name else ' points'}"
        for rule in settings.rules
        for name in RULE_FIELDS
        if getattr(rule, name) is not None
    ]
    judged = [(field.name, getattr(settings.options, field.name)) for field in fields(GateOptions)]
    kept = [pair for pair in judged if pair[0] not in {"config", "ledger"}]
    digest = hashlib.sha256(repr((settings.rules, kept)).encode()).hexdigest()
    return f"{', '.join(words)} [rules {digest[:_DIGITS]}]"
