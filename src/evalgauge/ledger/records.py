"""What is known of a set and of a look at it: the records that a ledger's events are read into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import msgspec

from evalgauge.ledger.chain import SHORT, Event
from evalgauge.rules.displays import Display  # noqa: TC001 - msgspec reads the annotations at run time

Intent: TypeAlias = Literal["explore", "gate", "final", "audit"]
Decision: TypeAlias = Literal["ship", "hold", "iterate"]
# From what says least to what says most.
DISPLAYS: tuple[Display, ...] = ("nothing", "pass-fail", "score-on-pass", "rounded", "exact", "per-case")
SCORES_SHOWN: frozenset[Display] = frozenset(("score-on-pass", "rounded", "exact"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """What was promised before the first look.

    Attributes
    ----------
    looks, ships
        At most so many looks, and so many passes; ``None`` for an open number.
    tolerance
        Optimism that is fine, a share.
    display
        The most that a look may show.
    step
        Step of rounded scores.
    confidence
        Two-sided level over all looks at the set.
    """

    looks: int | None = None
    ships: int | None = None
    tolerance: float = 0.02
    display: Display | None = None
    step: float | None = None
    confidence: float = 0.95

    @property
    def is_counted(self) -> bool:
        """Whether looks and passes are fixed, so that every look spends the same."""
        return self.looks is not None


class LookData(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The particulars of a look.

    Attributes
    ----------
    root, n, n_scored, matched, relation, by
        Merkle root of the log's cases, cases of the set, cases with a score, and how the set was known again.
    candidate, label, metric
        Fingerprint and name of the candidate, and the score that was used.
    run, sources, attempts
        Fingerprints of the results, of the logs, and of the work that they are attempts at.
    is_pass_fail
        Whether every case passes or fails once.
    parents, intent, rule, display, step, reps, rep_of, decision, note, happened
        What was said of it, see ``Particulars``; the look that it is a rep of.
    passed, score, sealed, results
        Verdict and score that were shown, what is sealed, and the digest of the sealed results by case.
    place, log_error
        Its place among the looks at the set, and the logarithm of the error that it may spend; ``None`` for none.
    """

    root: str
    n: int
    n_scored: int
    matched: int
    relation: str
    by: dict[str, int]
    candidate: str
    label: str
    metric: str
    run: str
    sources: tuple[str, ...]
    attempts: tuple[str, ...]
    is_pass_fail: bool
    parents: tuple[str, ...]
    intent: Intent
    rule: str
    display: Display
    step: float | None
    reps: int
    rep_of: str | None
    passed: bool | None
    score: float | None
    sealed: str | None
    results: str
    decision: Decision | None
    happened: str
    note: str
    place: int
    log_error: float | None


class Look(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One look as it was recorded.

    Attributes
    ----------
    event, data
        The event that recorded it, and its particulars.
    is_new
        Whether it counts as a look of its own: not a rep that was declared with an earlier one.
    is_void, reason
        Whether it was declared void, and why.
    is_revealed
        Whether its sealed score was shown later.
    decision
        What was decided on it.
    """

    event: Event
    data: LookData
    is_new: bool = True
    is_void: bool = False
    reason: str = ""
    is_revealed: bool = False
    decision: Decision | None = None

    @property
    def id(self) -> str:
        """Short name of the look."""
        return self.event.hash[:SHORT]

    @property
    def display(self) -> Display:
        """What it showed at the time."""
        return self.data.display

    @property
    def passed(self) -> bool | None:
        """The verdict that was shown, where one was."""
        return self.data.passed

    @property
    def is_shown(self) -> bool:
        """Whether anything of it was seen."""
        return self.display != "nothing"

    @property
    def candidate(self) -> str:
        """Fingerprint of the candidate."""
        return self.data.candidate

    @property
    def label(self) -> str:
        """What the candidate is called."""
        return self.data.label


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """The cases of a set from one event on.

    Attributes
    ----------
    root, order, n
        Merkle root, hash of the order, and number of cases.
    hashes, sketches
        Digests of what is kept of them; no sketches where there are no texts.
    kept
        Share of the looks' effect that stays after the cases of this version came: 1 for the first.
    """

    root: str
    order: str
    n: int
    hashes: str
    sketches: str | None
    kept: float = 1.0


class Step(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What moved the wear of a set.

    Attributes
    ----------
    kind
        A ``"look"``, a ``"reveal"`` of sealed scores, or a ``"refresh"``.
    looks
        Hashes of the looks concerned.
    kept
        For a refresh, the share of cases that stayed.
    """

    kind: Literal["look", "reveal", "refresh"]
    looks: tuple[str, ...] = ()
    kept: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """Cases that were drawn to be replaced, and that are not replaced yet.

    Attributes
    ----------
    event
        The event that recorded the draw.
    seed, share, retired
        Seed, share of the cases, digest of the hashes that go.
    n_retired
        How many go.
    """

    event: Event
    seed: int
    share: float
    retired: str
    n_retired: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SetState:
    """One registered set.

    Attributes
    ----------
    id, name, log_name
        Its name for good, the name that people use, and what its first log called it.
    identity, is_generic
        What its cases are known by.
    rate
        Expected rate that was given with it; ``None`` without.
    versions
        Its cases over time, the present ones last.
    declared
        What was promised; ``None`` for an open set.
    looks
        All looks, in time.
    steps
        Looks, reveals and refreshes in time.
    phases
        Looks and reveals since every case was replaced for the last time, the present phase last. Each refresh begins
        a phase: what was promised ends with the phase before it.
    recent, counted
        Looks since every case was replaced for the last time; and those of them that showed something and count as
        looks of their own, none that was voided.
    draw
        A refresh that was begun.
    registered
        The event.
    """

    id: str
    name: str
    log_name: str
    identity: str
    is_generic: bool
    rate: float | None
    versions: tuple[Version, ...]
    declared: Declared | None
    looks: tuple[Look, ...]
    steps: tuple[Step, ...]
    phases: tuple[tuple[Step, ...], ...]
    recent: tuple[Look, ...]
    counted: tuple[Look, ...]
    draw: Draw | None
    registered: Event

    @property
    def present(self) -> Version:
        """The present cases."""
        return self.versions[-1]

    @property
    def promise(self) -> Declared:
        """What was declared, or the defaults of an open set."""
        return self.declared or Declared()

    def look(self, name: str) -> Look:
        """Return a look by the hash of its event."""
        return next(look for look in self.looks if look.event.hash == name)

    @property
    def candidates(self) -> int:
        """How many different candidates were looked at."""
        return len({look.candidate for look in self.counted})
