"""What the events of a ledger say about each set: its cases, what was declared, who looked, what was shown."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import msgspec

from evalgauge.ledger.chain import SHORT, Event
from evalgauge.rules.displays import Display  # noqa: TC001 - msgspec reads the annotations at run time

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


Intent: TypeAlias = Literal["explore", "gate", "final", "audit"]
Decision: TypeAlias = Literal["ship", "hold", "iterate"]
# From what says least to what says most.
DISPLAYS: tuple[Display, ...] = ("nothing", "pass-fail", "score-on-pass", "rounded", "exact", "per-case")
SET_KINDS = ("register", "declare", "retire", "add", "void")
"""Events that say what the sets are, without the looks at them."""
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


_LOOKS = msgspec.json.Decoder(LookData)


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


@dataclass(slots=True)
class _Draft:
    """A set while its events are read."""

    registered: Event
    versions: list[Version]
    declared: Declared | None = None
    looks: dict[str, Look] = field(default_factory=dict[str, Look])
    steps: list[Step] = field(default_factory=list[Step])
    draw: Draw | None = None

    def finished(self) -> SetState:
        data = self.registered.data
        phases = phases_of(self.steps)
        recent = tuple(
            self.looks[name] for phase in phases for step in phase if step.kind == "look" for name in step.looks
        )
        return SetState(
            id=self.registered.subject,
            name=data["name"],
            log_name=data["log_name"],
            identity=data["identity"],
            is_generic=data["is_generic"],
            rate=data["rate"],
            versions=tuple(self.versions),
            declared=self.declared,
            looks=tuple(self.looks.values()),
            steps=tuple(self.steps),
            phases=phases,
            recent=recent,
            counted=tuple(look for look in recent if look.is_new and look.is_shown and not look.is_void),
            draw=self.draw,
            registered=self.registered,
        )


def set_states(events: Iterable[Event]) -> dict[str, SetState]:
    """Return every registered set by its id.

    Events are read in the order of their times, which is the same in every copy of a ledger, however it was merged.

    Parameters
    ----------
    events
        All of them, or those of one set.
    """
    drafts: dict[str, _Draft] = {}
    for event in in_time(events):
        if event.kind == "register":
            # Two copies of a ledger may have registered the same cases; the first one named them.
            drafts.setdefault(event.subject, _Draft(registered=event, versions=[version_of(event.data)]))
        elif (draft := drafts.get(event.subject)) is not None and event.kind in _READERS:
            _READERS[event.kind](draft, event)
    return {name: draft.finished() for name, draft in drafts.items()}


def in_time(events: Iterable[Event]) -> list[Event]:
    """Return events in the order of their times; an event is always later than all that it follows."""
    return sorted(events, key=lambda event: (event.at, event.hash))


def version_of(data: Mapping[str, Any]) -> Version:
    """Return the cases that an event brought."""
    return Version(
        root=data["root"],
        order=data["order"],
        n=data["n"],
        hashes=data["hashes"],
        sketches=data["sketches"],
        kept=data.get("kept", 1.0),
    )


def phases_of(steps: Iterable[Step]) -> tuple[tuple[Step, ...], ...]:
    """Return the looks and reveals of each phase since every case was replaced for the last time."""
    phases: list[list[Step]] = [[]]
    for step in steps:
        if step.kind != "refresh":
            phases[-1].append(step)
        elif step.kept == 0:
            phases = [[]]
        else:
            phases.append([])
    return tuple(tuple(phase) for phase in phases)


def _declare(draft: _Draft, event: Event) -> None:
    # A promise that came after a look is none: two copies may have gone on without knowing of each other.
    seen = (look for step in phases_of(draft.steps)[-1] for look in step.looks)
    if not any(draft.looks[look].is_shown or draft.looks[look].is_revealed for look in seen):
        draft.declared = Declared(**event.data)


def _look(draft: _Draft, event: Event) -> None:
    data = _LOOKS.decode(event.raw)
    draft.looks[event.hash] = Look(event=event, data=data, is_new=data.rep_of is None, decision=data.decision)
    draft.steps.append(Step(kind="look", looks=(event.hash,)))


def _decide(draft: _Draft, event: Event) -> None:
    if (look := draft.looks.get(event.data["look"])) is not None:
        draft.looks[look.event.hash] = msgspec.structs.replace(look, decision=event.data["decision"])


def _reveal(draft: _Draft, event: Event) -> None:
    fresh = tuple(name for name in event.data["looks"] if name in draft.looks and not draft.looks[name].is_revealed)
    for name in fresh:
        draft.looks[name] = msgspec.structs.replace(draft.looks[name], is_revealed=True)
    draft.steps.append(Step(kind="reveal", looks=fresh))


def _void(draft: _Draft, event: Event) -> None:
    if (look := draft.looks.get(event.data["target"])) is not None:
        draft.looks[look.event.hash] = msgspec.structs.replace(look, is_void=True, reason=event.data["reason"])
    if draft.draw is not None and draft.draw.event.hash == event.data["target"]:
        draft.draw = None


def _retire(draft: _Draft, event: Event) -> None:
    data = event.data
    draft.draw = Draw(
        event=event,
        seed=data["seed"],
        share=data["share"],
        retired=data["retired"],
        n_retired=data["n_retired"],
    )


def _add(draft: _Draft, event: Event) -> None:
    draft.versions.append(version_of(event.data))
    draft.steps.append(Step(kind="refresh", kept=event.data["kept"]))
    draft.draw = None
    if event.data["kept"] == 0:
        # Nothing of the old set is left: what was promised for it ends with it.
        draft.declared = None
    elif draft.declared is not None:
        # What may be shown stays; the counted looks were those of the phase that ends here.
        draft.declared = replace(draft.declared, looks=None, ships=None)


_READERS = {
    "declare": _declare,
    "look": _look,
    "decision": _decide,
    "reveal": _reveal,
    "void": _void,
    "retire": _retire,
    "add": _add,
}
