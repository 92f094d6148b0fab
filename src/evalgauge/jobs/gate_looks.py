"""A gate shows scores and changed cases: the looks are recorded, and single cases are shown only on request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalgauge.jobs.noted import last_noted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.gate_parts import Subject
    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.gate import GateOptions
    from evalgauge.questions.parts import LedgerNote


def with_looks(
    options: GateOptions, subjects: Sequence[Subject], comparisons: tuple[CompareAnswer, ...]
) -> tuple[tuple[CompareAnswer, ...], tuple[str, ...], LedgerNote | None]:
    """Return what may be shown of the comparisons, what must be said, and what the ledger says.

    On a registered set the changed cases are left out unless they were asked for: they would show the set itself.
    """
    display = "per-case" if options.flips else "exact"
    note = last_noted(options, looked_at(subjects), display=display, verb="gate")
    if note is None:
        return comparisons, (), None
    if note.state not in {"recorded", "known"} or options.flips or not any(one.flips for one in comparisons):
        return comparisons, (), note
    said = "Changed cases are not listed: the set is registered, and seeing its cases would wear it out (--flips does)."
    return tuple(replace(one, flips=()) for one in comparisons), (said,), note


def looked_at(subjects: Sequence[Subject]) -> list[Arm]:
    """Return the arms that rules speak of; rules over one score look at it once."""
    arms = [arm for subject in subjects for arm in (subject.baseline, subject.candidate) if arm is not None]
    return list({(arm.source, arm.metric.name): arm for arm in arms}.values())
