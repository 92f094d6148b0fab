"""What the events of a ledger say about each set: its cases, what was declared, who looked, what was shown."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from evalgauge.ledger.records import Declared, Draw, Look, LookData, SetState, Step, Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalgauge.ledger.chain import Event

SET_KINDS = ("register", "declare", "retire", "add", "void")
"""Events that say what the sets are, without the looks at them."""
_LOOKS = msgspec.json.Decoder(LookData)


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
