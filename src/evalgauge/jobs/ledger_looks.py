"""Looks by command: record one, and show of it what may be shown."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError, LedgerError, ScoreError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.ledger_access import chosen_look, open_ledger
from evalgauge.jobs.looks import Particulars, found_in, more_than, note_of, record_in
from evalgauge.jobs.reading import asked_table, log_name
from evalgauge.ledger.state import set_states
from evalgauge.questions.given import request_from
from evalgauge.questions.ledger_looks import LookAnswer, LookRequest
from evalgauge.questions.ledger_parts import DISPLAY_WORDS
from evalgauge.questions.parts import ScoringOptions
from evalgauge.stats.checks import is_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.ledger.records import SetState
    from evalgauge.questions.ledger_looks import ImportOptions, ScoredLog
    from evalgauge.questions.ledger_parts import Decision, Intent
    from evalgauge.rules.displays import Display

_SHOWABLE: tuple[Display, ...] = ("nothing", "rounded", "exact")


def ledger_look(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - a path, a folder, a data frame or a table
    display: Display | None = None,
    step: float | str | None = None,
    intent: Intent = "explore",
    label: str = "",
    reps: int = 1,
    decision: Decision | None = None,
    parent: str | None = None,
    note: str = "",
    metric: str | None = None,
    task: str | None = None,
    arm: str | None = None,
    score_range: Sequence[float] | None = None,
    set_name: str | None = None,
    ledger: str | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> LookAnswer:
    """Record a look at a registered set, and show of its score what may be shown.

    Parameters
    ----------
    *logs
        The log of one candidate.
    display, step
        What to show (``"nothing"``, ``"rounded"`` or ``"exact"``), and the step of rounded scores, a share.
    intent
        ``"explore"``, ``"gate"``, ``"final"`` or ``"audit"``.
    label
        What to call the candidate.
    reps
        How many runs of this candidate the look is for.
    decision
        ``"ship"``, ``"hold"`` or ``"iterate"``.
    parent
        A look that this candidate builds on.
    note
        Anything worth keeping.
    metric, task, arm, score_range
        Which score of the log, as for ``measure``.
    set_name
        The registered set, where it cannot be known by its cases.
    ledger
        Which ledger; the one in this folder or above it when left out.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    LookAnswer
        The look, and the score where it is shown.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed.
    LedgerError
        When the set is not registered, or less was declared for it.
    LogError, ScoreError
        When the log cannot be read, or cannot answer.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_look("run.eval", display="nothing")  # doctest: +SKIP
    """
    request = request_from(
        LookRequest,
        logs=tuple(log_name(log) for log in logs),
        display=display,
        step=step,
        intent=intent,
        label=label,
        reps=reps,
        decision=decision,
        parent=parent,
        note=note,
        metric=metric,
        task=task,
        arm=arm,
        score_range=score_range,
        set_name=set_name,
        ledger=ledger,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return look_answer(request, logs)


def look_answer(request: LookRequest, logs: Sequence[Any] = ()) -> LookAnswer:
    """Return the answer to a request; ``logs`` holds the sources where they are no paths."""
    if not (is_whole(request.reps, 1) and request.reps <= 1000):
        raise ArgumentError("reps", request.reps, "a number of runs of this candidate from 1 to 1,000")
    ledger = open_ledger(request.ledger)
    arm = one_arm(request, list(logs or request.logs))
    found = found_in(ledger, arm, name=request.set_name)
    if found is None or found[1].best is None:
        raise LedgerError(_not_registered(request, arm))
    subject, best = found[0], found[1].best
    with ledger.writing() as writing:
        states = set_states(writing.events())
        parents = () if request.parent is None else (chosen_look(states.values(), request.parent)[1].event.hash,)

        def say(state: SetState) -> Particulars:
            display, step = _display(request, state)
            return Particulars(
                display=display,
                step=step,
                intent=request.intent,
                label=request.label,
                reps=int(request.reps),
                decision=request.decision,
                note=request.note,
                parents=parents,
            )

        recorded = record_in(writing, subject, best, say, salt=ledger.salt)
    note = note_of(recorded, best)
    look = recorded.look
    return LookAnswer(
        set_name=recorded.state.name,
        look=look.id,
        label=look.label,
        is_new=recorded.is_new,
        is_rep=not look.is_new,
        display=look.display,
        score=look.data.score,
        step=look.data.step,
        n_cases=look.data.n,
        n_scored=look.data.n_scored,
        looks=note.looks,
        left=note.left,
        known_as=note.known_as,
        problems=arm.problems,
        request=request,
    )


def one_arm(request: ScoredLog | ImportOptions, sources: list[Any]) -> Arm:
    """Return the one arm that a log holds.

    Raises
    ------
    ArgumentError
        If there is no log, or several.
    ScoreError
        If it holds several arms, or none that can answer.
    """
    if len(sources) != 1:
        came = f"{len(sources)} logs" if sources else "nothing"
        raise ArgumentError(
            "logs", came, "the log of one candidate", "For a folder say: evalgauge ledger import FOLDER"
        )
    asked = scoring_of(request)
    arms = arms_of(asked_table(sources[0], asked), asked, getattr(request, "arm", None))
    if len(arms) == 1:
        return arms[0]
    listed = "; ".join(f"--arm {one.source.arm} --task {one.source.set_name}" for one in arms)
    raise ScoreError(f"The log holds {len(arms)} scores and a look is at one. Name one of: {listed}.")


def scoring_of(request: ScoredLog | ImportOptions) -> ScoringOptions:
    """Return which scores of a log a request is about."""
    return ScoringOptions(
        columns=request.columns,
        words=request.words,
        wide_arms=request.wide_arms,
        wide_reps=request.wide_reps,
        tolerant=request.tolerant,
        metric=request.metric,
        task=getattr(request, "task", None),
        score_range=request.score_range,
    )


def _display(request: LookRequest, state: SetState) -> tuple[Display, float | None]:
    promised, step = state.promise.display, state.promise.step
    display = request.display
    if display is None:
        display = "exact" if promised is None else promised if promised in _SHOWABLE else "nothing"
        return display, step if display == "rounded" else None
    if display not in _SHOWABLE:
        hint = "A verdict is shown by: evalgauge gate BASELINE CANDIDATE --max-drop 2pp --holdout"
        raise ArgumentError("display", display, "nothing, rounded or exact", hint)
    if promised is not None and more_than(display, promised):
        raise LedgerError(
            f"{state.name} is declared to show {DISPLAY_WORDS[promised]} at most. Say --display nothing; evalgauge "
            "ledger reveal LOOK then shows its score, as an exact look on record."
        )
    if display != "rounded":
        if request.step is not None:
            raise ArgumentError("step", float(request.step), "given with --display rounded")
        return display, None
    wanted = step if request.step is None else float(request.step)
    if wanted is None or not 0 < wanted <= 0.5:
        came = "nothing" if wanted is None else wanted
        raise ArgumentError("step", came, "points from above 0 to 50, such as 1pp (0.01)")
    if step is not None and wanted < step:
        raise LedgerError(f"{state.name} is declared to show steps of {100 * step:g} points or more.")
    return display, wanted


def _not_registered(request: LookRequest, arm: Arm) -> str:
    if request.set_name is not None:
        return f"None of the log's cases is one of {request.set_name}. Check the log, or register its set."
    name = arm.source.set_name or "NAME"
    log = request.logs[0] if request.logs else "LOG"
    return (
        "The log's set is not in the ledger: fewer than half of its cases are those of a registered set. Say: "
        f"evalgauge ledger register {shlex.quote(log)} --name {shlex.quote(name)}"
    )
