"""What a look is at: one arm's results on one set, as a ledger knows them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.jobs.ledger_access import known_set
from evalgauge.ledger.chain import canonical_json
from evalgauge.ledger.prints import set_print
from evalgauge.ledger.recognition import equal_hashes
from evalgauge.scores.identity import CaseView

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.ledger.prints import SetPrint
    from evalgauge.ledger.records import SetState
    from evalgauge.ledger.store import Ledger, Reading

_DIGITS = 12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seen:
    """One arm's results, as far as a ledger keeps them.

    Attributes
    ----------
    arm, view, found
        The arm, its cases, and their print.
    candidate
        Fingerprint of the system: its name and whatever tells it from others.
    run
        Fingerprint of these very results: showing them twice is one look.
    sources
        Fingerprints of the logs: a copy under another name is the same log.
    attempts
        Fingerprints of the work that the logs are attempts at: a retry is no further look.
    """

    arm: Arm
    view: CaseView
    found: SetPrint
    candidate: str
    run: str
    sources: tuple[str, ...]
    attempts: tuple[str, ...]

    @property
    def score(self) -> float:
        """Mean over the scored cases, a share."""
        return float(np.nanmean(self.arm.means))

    @property
    def is_pass_fail(self) -> bool:
        """Whether every case passes or fails once."""
        means = self.arm.means[self.arm.scored]
        return self.arm.is_pass_fail and bool(((means == 0) | (means == 1)).all())

    def results(self, reading: Reading, state: SetState) -> NDArray[np.float64]:
        """Return the mean result of each of the set's present cases; NaN where the log has none."""
        by_case = np.full(len(self.found), np.nan)
        by_case[self.arm.sums.case] = self.arm.means
        known = known_set(reading, state)
        left, right, _ = equal_hashes(self.found.case, known.case)
        aligned = np.full(known.case.size, np.nan)
        aligned[right] = by_case[left]
        return aligned


def seen(arm: Arm, ledger: Ledger, *, view: CaseView | None = None) -> Seen:
    """Return what a look at this arm is a look at.

    Parameters
    ----------
    arm
        The arm.
    ledger
        Its salt makes the prints.
    view
        The arm's cases, where they were read before.
    """
    view = view or CaseView(arm.table.cases)
    found = set_print(view, salt=ledger.salt, name=arm.source.set_name)
    details = sorted({(run.arm, *sorted(run.arm_detail.items())) for run in arm.table.runs}, key=repr)
    candidate = _print(ledger, "candidate", canonical_json(details))
    sums = arm.sums
    order = np.argsort(found.case[sums.case].view("S16"), kind="stable")
    results = hashlib.blake2b(digest_size=16)
    for column in (found.case[sums.case], np.round(arm.means, _DIGITS), sums.n_scored.astype("<i8")):
        results.update(np.ascontiguousarray(column[order]).tobytes())
    logs = sorted({run.run_id for run in arm.table.runs})
    works = sorted({run.attempt_of for run in arm.table.runs if run.attempt_of})
    what = f"{arm.source.arm}\n{arm.metric.name}"
    return Seen(
        arm=arm,
        view=view,
        found=found,
        candidate=candidate,
        run=_print(ledger, "run", f"{candidate}\n{arm.metric.name}\n{results.hexdigest()}"),
        sources=tuple(_print(ledger, "log", f"{log}\n{what}") for log in logs),
        attempts=tuple(_print(ledger, "attempt", f"{work}\n{what}") for work in works),
    )


def _print(ledger: Ledger, kind: str, text: str) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=16, key=ledger.salt, person=kind.encode()).hexdigest()
