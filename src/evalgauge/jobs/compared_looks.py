"""A comparison shows scores of two candidates: both looks are recorded, and single cases are shown only on request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from evalgauge.jobs.noted import noted

if TYPE_CHECKING:
    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.compare import CompareAnswer


def with_looks(answer: CompareAnswer, baseline: Arm, candidate: Arm) -> CompareAnswer:
    """Return the answer with what the ledger says beside it, once the looks at both arms are recorded.

    On a registered set the changed cases are left out unless they were asked for: they would show the set itself.
    """
    request = answer.request
    display = "per-case" if request.flips else "exact"
    notes = noted(
        request, (baseline, candidate), display=display, verb="compare --flips" if request.flips else "compare"
    )
    note = notes[1] or notes[0]
    if note is None or note.state not in {"recorded", "known"} or request.flips:
        return replace(answer, ledger=note)
    said = (
        ()
        if not answer.flips
        else (
            (
                "Changed cases are not listed: the set is registered, and seeing its cases would wear it out. --flips "
                "lists them, on record."
            ),
        )
    )
    return replace(answer, flips=(), notes=(*answer.notes, *said), ledger=note)
