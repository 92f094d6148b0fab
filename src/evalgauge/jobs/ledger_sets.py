"""A new ledger, a set in it, and what is promised about the set before the first look."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, LedgerError
from evalgauge.jobs.ledger_access import matches, only_set, open_ledger
from evalgauge.jobs.looks import relation_words
from evalgauge.jobs.reading import asked_table, log_name, said_problems
from evalgauge.jobs.spending import next_spending
from evalgauge.ledger.chain import SHORT
from evalgauge.ledger.places import new_place
from evalgauge.ledger.prints import kept_sketches, set_print
from evalgauge.ledger.records import DISPLAYS
from evalgauge.ledger.state import set_states
from evalgauge.questions.given import request_from
from evalgauge.questions.ledger_parts import Promise
from evalgauge.questions.ledger_sets import (
    DeclareAnswer,
    DeclareRequest,
    InitAnswer,
    InitRequest,
    RegisterAnswer,
    RegisterRequest,
)
from evalgauge.rules.spending import log_transcripts
from evalgauge.rules.verdict import least_drop
from evalgauge.scores.identity import CaseView
from evalgauge.scores.units import unit_table, units
from evalgauge.stats.checks import is_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.ledger.records import SetState
    from evalgauge.ledger.store import Ledger
    from evalgauge.questions.parts import ReadingOptions
    from evalgauge.rules.displays import Display
    from evalgauge.scores.table import ScoreTable

_ID_DIGITS = 16
_MOST_LOOKS = 1_000_000


def ledger_init(*, ledger: str | None = None) -> InitAnswer:
    """Make a ledger: in ``.evalgauge/ledger.db`` of this folder, or where it is said.

    Parameters
    ----------
    ledger
        A file, or ``postgresql://user@host/database``.

    Returns
    -------
    InitAnswer
        Where it is.

    Raises
    ------
    LedgerError
        When there is one already, or the place cannot be written.

    Examples
    --------
    >>> import evalgauge as eg, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     print(len(eg.ledger_init(ledger=f"{folder}/ledger.db").head))
    10
    """
    return init_answer(InitRequest(ledger=ledger))


def init_answer(request: InitRequest) -> InitAnswer:
    """Return the answer to a request."""
    from evalgauge.ledger.store import created  # noqa: PLC0415 - the database library is loaded when it is needed

    made = created(new_place(request.ledger))
    with made.reading() as reading:
        head = reading.head().hash
    return InitAnswer(place=made.place.shown, head=head[:SHORT], request=request)


def ledger_register(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - a path, a folder, a data frame or a table
    name: str = "",
    task: str | None = None,
    rate: float | str | None = None,
    note: str = "",
    ledger: str | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> RegisterAnswer:
    """Register a set, so that every look at it is counted. Hashes of its cases are kept, never their texts.

    Parameters
    ----------
    *logs
        One log that holds all of its cases; its scores are not looked at.
    name
        What to call the set; the task's name in the log when left out.
    task
        Which eval set, when the log holds several.
    rate
        Expected rate of the candidates, a share: the figures rest on it until scores are shown.
    note
        Anything worth keeping.
    ledger
        Which ledger; the one in this folder or above it when left out.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    RegisterAnswer
        The set, and which known sets it shares cases with.

    Raises
    ------
    LedgerError
        When these cases, or this name, are registered already.
    LogError
        When the log cannot be read.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_register("run.eval", name="support")  # doctest: +SKIP
    """
    request = request_from(
        RegisterRequest,
        logs=tuple(log_name(log) for log in logs),
        name=name,
        task=task,
        rate=rate,
        note=note,
        ledger=ledger,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return register_answer(request, logs)


def register_answer(request: RegisterRequest, logs: Sequence[Any] = ()) -> RegisterAnswer:
    """Return the answer to a request; ``logs`` holds the sources where they are no paths."""
    ledger = open_ledger(request.ledger)
    table, log_set = set_of_logs(list(logs or request.logs), request, request.task)
    return registered(ledger, table, request, name=request.name or log_set)


def registered(ledger: Ledger, table: ScoreTable, request: RegisterRequest, *, name: str) -> RegisterAnswer:
    """Register the cases of a table as one set."""
    if not name:
        raise ArgumentError("name", "nothing", "a name: the log has none for its set", "Say --name NAME.")
    log_set = table.runs[0].set_name
    view = CaseView(table.cases)
    found = set_print(view, salt=ledger.salt, name=log_set)
    sketches = kept_sketches(view, found, salt=ledger.salt)
    with ledger.writing() as writing:
        states = set_states(writing.events())
        for state in states.values():
            if state.present.root == found.root:
                raise LedgerError(f"These {len(found):,} cases are registered already, as {state.name}.")
            if state.name == name:
                raise LedgerError(
                    f"Another set is called {name}. Say another --name; or, if its cases were replaced, evalgauge "
                    "ledger refresh LOG"
                )
        related = matches(writing, states, view, found, salt=ledger.salt)
        pairs = [pair for pair in (related.best, *related.others, *related.contained) if pair is not None]
        event = writing.append(
            "register",
            {
                "name": name,
                "log_name": log_set,
                "identity": found.identity,
                "is_generic": found.is_generic,
                "root": found.root,
                "order": found.order,
                "n": len(found),
                "hashes": writing.keep(found.kept()),
                "sketches": None if sketches is None else writing.keep(sketches),
                "rate": None if request.rate is None else float(request.rate),
                "related": {pair.state.id: pair.relation.matched for pair in pairs},
                "note": request.note,
            },
            subject=found.root[:_ID_DIGITS],
        )
    return RegisterAnswer(
        name=name,
        set_id=event.subject,
        n_cases=len(found),
        identity=found.identity,
        is_generic=found.is_generic,
        event=event.hash[:SHORT],
        related=tuple(f"{pair.state.name} ({relation_words(pair.relation)})" for pair in pairs),
        problems=said_problems(table.problems, [run.file for run in table.runs]),
        request=request,
    )


def ledger_declare(
    *names: str,
    looks: int | None = None,
    ships: int | None = None,
    tolerance: float | str = 0.02,
    display: Display | None = None,
    step: float | str | None = None,
    confidence: float | str = 0.95,
    ledger: str | None = None,
) -> DeclareAnswer:
    """Promise, before the first look at a set, how often it is looked at and what is shown.

    Parameters
    ----------
    *names
        The set; not needed where there is one only.
    looks, ships
        At most so many looks, and so many passes (one when left out): each look then pays the same.
    tolerance
        Optimism that is fine, a share.
    display, step
        The most that a look may show, and the step of rounded scores, a share.
    confidence
        Level over all looks, two-sided.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    DeclareAnswer
        The promise, and what each look may claim.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed.
    LedgerError
        When somebody has looked already, or the set is not there.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_declare("support", looks=10, ships=1, display="pass-fail")  # doctest: +SKIP
    """
    request = request_from(
        DeclareRequest,
        names=names,
        looks=looks,
        ships=ships,
        tolerance=tolerance,
        display=display,
        step=step,
        confidence=confidence,
        ledger=ledger,
    )
    return declare_answer(request)


def declare_answer(request: DeclareRequest) -> DeclareAnswer:
    """Return the answer to a request."""
    _check_promise(request)
    ledger = open_ledger(request.ledger)
    ships = (request.ships or 1) if request.looks is not None else None
    # Counted looks are priced for what they show; pass or fail is what a gate shows.
    display: Display | None = request.display or ("pass-fail" if request.looks is not None else None)
    with ledger.writing() as writing:
        state = only_set(set_states(writing.events()), request.names, "declare")
        if shown := _looks_of_phase(state):
            raise LedgerError(
                f"{state.name} was looked at already ({shown:,} look{'s' if shown > 1 else ''}), so a promise about it "
                "comes too late: the open rule applies, which pays more per look. After a refresh a promise can be "
                "made again."
            )
        data = {
            "looks": request.looks,
            "ships": ships,
            "tolerance": float(request.tolerance),
            "display": display,
            "step": None if request.step is None else float(request.step),
            "confidence": float(request.confidence),
        }
        event = writing.append("declare", data, subject=state.id)
        state = set_states(writing.events(subject=state.id))[state.id]
    histories = None
    if request.looks is not None:
        levels = _levels(request, state.present.n)
        histories = log_transcripts(request.looks, display or "pass-fail", passes=ships, retired=True, levels=levels)
    spending = next_spending(state)
    return DeclareAnswer(
        name=state.name,
        n_cases=state.present.n,
        event=event.hash[:SHORT],
        promise=Promise(
            looks=request.looks,
            ships=ships,
            tolerance=request.tolerance,
            display=display,
            step=request.step,
            confidence=request.confidence,
        ),
        log_histories=histories,
        look_confidence=spending.confidence,
        z=spending.z,
        least_drop=(
            None if spending.confidence is None else least_drop(state.present.n, confidence=spending.confidence)
        ),
        request=request,
    )


def set_of_logs(sources: list[Any], request: ReadingOptions, task: str | None) -> tuple[ScoreTable, str]:
    """Return the table of the one set that logs hold, and what they call it.

    Raises
    ------
    ArgumentError
        If there is no log, or several.
    LedgerError
        If it holds several sets and none was named.
    """
    if len(sources) != 1:
        came = f"{len(sources)} logs" if sources else "nothing"
        raise ArgumentError("logs", came, "one log, table or folder that holds the whole set")
    table = asked_table(sources[0], request)
    found = units(table)
    names = list(dict.fromkeys(unit.set_name for unit in found))
    if task is None and len(names) > 1:
        raise LedgerError(f"The log holds {len(names)} sets. Choose one with --task: {', '.join(names)}.")
    chosen = [unit for unit in found if task in (None, unit.set_name)]
    if not chosen:
        raise ArgumentError(
            "task", task, f"one of {', '.join(names)}" if any(names) else "left out: no set has a name here"
        )
    # The arm that was tried on most cases says best what the set is.
    best = max((unit_table(table, unit) for unit in chosen), key=lambda one: len(one.cases))
    return best, best.runs[0].set_name


def _check_promise(request: DeclareRequest) -> None:
    if request.looks is not None and not (is_whole(request.looks, 1) and request.looks <= _MOST_LOOKS):
        raise ArgumentError("looks", request.looks, "a number of looks from 1 to 1,000,000")
    if request.ships is not None:
        if request.looks is None:
            raise ArgumentError("ships", request.ships, "given with --looks, the number of looks")
        if not (is_whole(request.ships, 1) and request.ships <= request.looks):
            raise ArgumentError("ships", request.ships, f"a number of passes from 1 to --looks {request.looks}")
    if not 0 < request.tolerance < 1:
        raise ArgumentError("tolerance", float(request.tolerance), "points above 0 and below 100, such as 2pp (0.02)")
    if not 0 < request.confidence < 1:
        raise ArgumentError("confidence", float(request.confidence), "a share between 0 and 1, such as 95%")
    if request.display not in (None, *DISPLAYS[:-1]):
        hint = "Results of single cases show the set itself: nothing can be promised then."
        raise ArgumentError("display", request.display, ", ".join(DISPLAYS[:-1]), hint)
    if (request.display == "rounded") != (request.step is not None):
        came = "nothing" if request.step is None else float(request.step)
        raise ArgumentError("step", came, "given with --display rounded, and only there: --step 1pp")
    if request.step is not None and not 0 < request.step <= 0.5:
        raise ArgumentError("step", float(request.step), "points from above 0 to 50, such as 1pp (0.01)")


def _looks_of_phase(state: SetState) -> int:
    """Return how many looks showed something since the last refresh."""
    looks = {look.event.hash: look for look in state.looks}
    seen = {name for step in state.phases[-1] for name in step.looks}
    return sum(looks[name].is_shown or looks[name].is_revealed for name in seen)


def _levels(request: DeclareRequest, n: int) -> int:
    return n + 1 if request.step is None else min(n, math.ceil(1 / request.step)) + 1
