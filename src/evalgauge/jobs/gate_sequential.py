"""Looks at growing logs: how they share the errors of a gate, and what that costs in cases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalgauge.jobs.gate_rules import rule_verdicts
from evalgauge.questions.gate import Sequential
from evalgauge.questions.scale import count, percent
from evalgauge.rules.gate import errors_of, gate_verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.gate_parts import Subject
    from evalgauge.jobs.gate_settings import GateSettings
    from evalgauge.questions.gate import RuleVerdict

_NAMES = {"obrien-fleming": "O'Brien-Fleming", "pocock": "Pocock"}


def sequential_of(
    settings: GateSettings, subjects: Sequence[Subject], rows: Sequence[RuleVerdict]
) -> tuple[Sequential | None, tuple[str, ...]]:
    """Return how the looks share the errors, and the sentences that say so with the price."""
    row = next((one for one in rows if one.low is not None), None)
    if row is None:
        return None, ()
    if settings.options.anytime:
        return _anytime(settings, subjects[0], row)
    look = settings.errors.look
    if look is None:
        return None, ()
    confidence = settings.options.confidence
    price = look.inflation(confidence)
    is_open = gate_verdict([one.verdict for one in rows]) == "inconclusive" and not look.is_last
    due = round(row.n_cases * (look.number + 1) / look.number) if is_open else None
    said = (
        f"Look {look.number} of {look.of} at equally spaced numbers of cases ({_NAMES[look.bounds]} bounds): intervals "
        f"are stricter, so that all looks together keep {percent(confidence)}. Price: the last look needs "
        f"{100 * (price - 1):.2g} % more cases than a single one would (80 % power)."
    )
    notes = [said, *([f"Go on: look {look.number + 1} is due at about {count(due, 'case')}."] if due else [])]
    found = Sequential(bounds=look.bounds, look=look.number, looks=look.of, price=price, next_cases=due)
    return found, tuple(notes)


def _anytime(settings: GateSettings, subject: Subject, row: RuleVerdict) -> tuple[Sequential, tuple[str, ...]]:
    plain = replace(subject, options=replace(subject.options, anytime=False))
    single = rule_verdicts(plain, errors_of(settings.options.confidence, settings.groups)).verdicts[0]
    price = 1.0
    if row.low is not None and row.high is not None and single.low is not None and single.high is not None:
        price = max(1.0, ((row.high - row.low) / (single.high - single.low)) ** 2)
    said = (
        "Intervals hold after any number of cases, in the order of the log, which must not depend on the scores "
        f"(betting confidence sequence). Price: with {count(row.n_cases, 'case')} as wide as a single look at about "
        f"{count(round(row.n_cases / price), 'case')}."
    )
    return Sequential(bounds="anytime", look=None, looks=None, price=price), (said,)
