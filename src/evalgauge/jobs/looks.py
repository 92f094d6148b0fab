"""Recording a look: which set it is at, whether it is a new one, and what is kept of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import msgspec

from evalgauge.errors import LedgerError
from evalgauge.jobs.ledger_access import chosen_set, matches
from evalgauge.jobs.seen import seen
from evalgauge.jobs.spending import next_spending
from evalgauge.jobs.wear import basis_of
from evalgauge.ledger.records import DISPLAYS, LookData
from evalgauge.ledger.seals import sealed, sealed_results
from evalgauge.ledger.state import SET_KINDS, set_states
from evalgauge.questions.ledger_parts import DISPLAY_WORDS
from evalgauge.questions.parts import LedgerNote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.ledger_access import Matches, Recognised
    from evalgauge.jobs.seen import Seen
    from evalgauge.ledger.recognition import Relation
    from evalgauge.ledger.records import Look, SetState
    from evalgauge.ledger.store import Ledger, Writing
    from evalgauge.questions.ledger_parts import Decision, Intent
    from evalgauge.rules.displays import Display


@dataclass(frozen=True, slots=True, kw_only=True)
class Particulars:
    """What is said of a look beside its results.

    Attributes
    ----------
    display, step
        What it shows, and the step of rounded scores.
    intent
        What it is for.
    label
        What to call the candidate; its name in the log when left out.
    rule
        The rule and threshold that were declared for it, in words.
    passed
        The verdict that is shown; ``None`` without one.
    reps
        How many runs of this candidate the look is for; runs that follow belong to it.
    decision, note, parents
        What was decided, what is noted, and looks that it builds on.
    happened
        When the log was made, where it is older than the look.
    sealed
        More of the result, out of sight until a reveal.
    """

    display: Display
    step: float | None = None
    intent: Intent = "explore"
    label: str = ""
    rule: str = ""
    passed: bool | None = None
    reps: int = 1
    decision: Decision | None = None
    note: str = ""
    parents: tuple[str, ...] = ()
    happened: str = ""
    sealed: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A look that is in the ledger.

    Attributes
    ----------
    state
        Its set, this look counted in.
    look
        The look.
    is_new
        Whether it was recorded now; else these very results had been shown before.
    """

    state: SetState
    look: Look
    is_new: bool


def found_in(ledger: Ledger, arm: Arm, *, name: str | None = None) -> tuple[Seen, Matches] | None:
    """Return what a look at an arm is a look at, and which registered set it is of; ``None`` without any set.

    Parameters
    ----------
    ledger
        The ledger.
    arm
        The arm.
    name
        The set, where it cannot be known by its cases.
    """
    with ledger.reading() as reading:
        states = set_states(reading.events(kinds=SET_KINDS))
        if name is not None:
            state = chosen_set(states, name)
            states = {state.id: state}
        if not states:
            return None
        subject = seen(arm, ledger)
        found = matches(reading, states, subject.view, subject.found, salt=ledger.salt, is_named=name is not None)
        return subject, found


def record(ledger: Ledger, subject: Seen, best: Recognised, said: Particulars) -> Recorded:
    """Record one look, all or nothing.

    Results that were shown before, as openly, are no new look; further reps of a look that declared them belong to it.
    """
    with ledger.writing() as writing:
        return record_in(writing, subject, best, lambda _: said, salt=ledger.salt)


def record_in(
    writing: Writing, subject: Seen, best: Recognised, say: Callable[[SetState], Particulars], *, salt: bytes
) -> Recorded:
    """Record one look within an open ledger; ``say`` is asked what to record once nobody else can write.

    Parameters
    ----------
    writing
        The open ledger.
    subject, best
        What is looked at, and the set it is of.
    say
        Given the set as it is now, returns the particulars.
    salt
        The ledger's.
    """
    state = set_states(writing.events(subject=best.state.id))[best.state.id]
    said = say(state)
    if (before := shown_before(state, subject, said)) is not None:
        return Recorded(state=state, look=before, is_new=False)
    data = _look_data(writing, state, subject, best, said, salt)
    event = writing.append("look", msgspec.to_builtins(data), subject=state.id)
    state = set_states(writing.events(subject=state.id))[state.id]
    return Recorded(state=state, look=state.look(event.hash), is_new=True)


def shown_before(state: SetState, subject: Seen, said: Particulars) -> Look | None:
    """Return the look that showed these very results as openly; ``None`` where there is none.

    A verdict is another one under another rule.
    """
    for look in reversed(state.looks):
        is_same = look.data.run == subject.run or not set(subject.sources).isdisjoint(look.data.sources)
        shown = "exact" if look.is_revealed and not more_than(look.display, "exact") else look.display
        is_one_rule = said.display != "pass-fail" or look.data.rule == said.rule
        if is_same and is_one_rule and not look.is_void and not more_than(said.display, shown):
            return look
    return None


def more_than(display: Display, other: Display) -> bool:
    """Return whether a display shows more than another."""
    return DISPLAYS.index(display) > DISPLAYS.index(other)


def note_of(recorded: Recorded, best: Recognised) -> LedgerNote:
    """Return what to say beside an answer whose look was recorded."""
    note = note_of_state(recorded.state, recorded.look, is_new=recorded.is_new)
    return replace(note, known_as=relation_words(best.relation))


def note_of_state(state: SetState, look: Look, *, is_new: bool) -> LedgerNote:
    """Return what to say of a look, and how worn its set is by then."""
    basis = basis_of(state)
    declared = state.promise.looks
    return LedgerNote(
        state="recorded" if is_new else "known",
        set_name=state.name,
        look=look.id,
        display=look.display,
        looks=math.ceil(basis.spent - 1e-9),
        left=basis.left(),
        place=None if declared is None else look.data.place,
        declared=declared,
    )


def relation_words(found: Relation) -> str:
    """Return how a set was known again, in words; ``""`` where nothing about it had changed."""
    parts: list[str] = []
    about = "about " if found.is_estimate else ""
    if found.kind == "subset":
        parts.append(f"a subset, {about}{found.matched:,} of its {found.n_known:,} cases")
    elif found.kind == "superset":
        parts.append(f"a superset, all of its {found.n_known:,} cases and {found.n_new - found.matched:,} more")
    elif found.kind == "overlap":
        more = found.n_new - found.matched
        parts.append(f"in part, {about}{found.matched:,} of its {found.n_known:,} cases and {more:,} others")
    if near := found.by.get("near"):
        parts.append(f"{about}{near:,} by near-equal text (another prompt template)")
    if asked := found.by.get("input"):
        parts.append(f"{asked:,} by what is asked (the expected answer was edited)")
    if found.by.get("id"):
        parts.append("by ids alone")
    if found.is_reordered:
        parts.append("in another order")
    if found.is_renamed:
        parts.append("under another name")
    return ", ".join(parts)


def noted_look(ledger: Ledger, arm: Arm, display: Display, verb: str) -> LedgerNote | None:
    """Record that an arm's scores are about to be shown, where its set is registered, and return what to say of it."""
    found = found_in(ledger, arm)
    if found is None:
        return None
    subject, matched = found
    best = matched.best
    if best is None:
        names = [one.state.name for one in matched.contained]
        return LedgerNote(state="contains", set_name=", ".join(names)) if names else None

    def say(state: SetState) -> Particulars:
        promised = state.promise.display
        if promised is not None and more_than(display, promised):
            raise LedgerError(
                f"{state.name} is declared to show {DISPLAY_WORDS[promised]} at most, and {verb} shows "
                f"{DISPLAY_WORDS[display]}. {_instead(promised)}"
            )
        return Particulars(display=display)

    with ledger.writing() as writing:
        recorded = record_in(writing, subject, best, say, salt=ledger.salt)
    return note_of(recorded, best)


def _look_data(
    writing: Writing, state: SetState, subject: Seen, best: Recognised, said: Particulars, salt: bytes
) -> LookData:
    arm = subject.arm
    scored = int(arm.scored.sum())
    is_open = said.display in {"exact", "per-case"}
    score = subject.score
    if said.display == "rounded" and said.step:
        is_open, score = True, min(1.0, round(score / said.step) * said.step)
    spending = next_spending(state)
    results = writing.keep(sealed_results(subject.results(writing, state), salt=salt))
    found = best.relation
    return LookData(
        root=subject.found.root,
        n=found.n_known,
        n_scored=scored,
        matched=found.matched,
        relation=found.kind,
        by=dict(found.by),
        candidate=subject.candidate,
        label=said.label or arm.source.arm,
        metric=arm.metric.name,
        run=subject.run,
        sources=subject.sources,
        attempts=subject.attempts,
        is_pass_fail=subject.is_pass_fail,
        parents=said.parents,
        intent=said.intent,
        rule=said.rule,
        display=said.display,
        step=said.step,
        reps=said.reps,
        rep_of=_rep_of(state, subject),
        passed=said.passed,
        score=score if is_open else None,
        sealed=None if is_open else sealed({"score": subject.score, **said.sealed}, salt=salt),
        results=results,
        decision=said.decision,
        happened=said.happened,
        place=spending.look,
        log_error=spending.log_error,
        note=said.note,
    )


def _rep_of(state: SetState, subject: Seen) -> str | None:
    """Return the look that these results belong to: one that declared more reps than came, or an attempt before."""
    own = [look for look in state.looks if look.candidate == subject.candidate and not look.is_void]
    for look in own:
        first = look.data.rep_of or look.event.hash
        if not set(subject.attempts).isdisjoint(look.data.attempts):
            return first
        used = 1 + sum(other.data.rep_of == look.event.hash for other in own)
        if used < look.data.reps:
            return look.event.hash
    return None


def _instead(promised: Display) -> str:
    if promised in {"nothing", "pass-fail"}:
        return (
            "Judge the candidate with: evalgauge gate BASELINE CANDIDATE --max-drop 2pp --holdout. To see its score: "
            "evalgauge ledger look LOG, then evalgauge ledger reveal LOOK, an exact look on record."
        )
    return "What was declared is shown by: evalgauge ledger look LOG"
