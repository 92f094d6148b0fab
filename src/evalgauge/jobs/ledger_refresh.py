"""Replacing a share of a set's cases: drawn at random by a recorded seed, never picked."""

from __future__ import annotations

import secrets
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evalgauge.errors import ArgumentError, LedgerError
from evalgauge.formats.writers import checked_place, write_beside
from evalgauge.jobs.ledger_access import known_set, matches, open_ledger
from evalgauge.jobs.ledger_sets import set_of_logs
from evalgauge.jobs.reading import log_name
from evalgauge.jobs.wear import basis_of
from evalgauge.ledger.prints import HASH_BYTES, as_hashes, kept_sketches, set_print
from evalgauge.ledger.recognition import equal_hashes
from evalgauge.ledger.state import set_states
from evalgauge.questions.given import request_from
from evalgauge.questions.ledger_looks import RefreshAnswer, RefreshRequest
from evalgauge.reusing.refresh import spent_after_refresh
from evalgauge.scores.identity import CaseView
from evalgauge.stats.checks import is_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.jobs.ledger_access import Recognised
    from evalgauge.ledger.prints import SetPrint
    from evalgauge.ledger.records import Draw, SetState
    from evalgauge.ledger.store import Ledger, Reading, Writing

_SEED_BITS = 32


def ledger_refresh(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - a path, a folder, a data frame or a table
    share: float | str | None = None,
    seed: int | None = None,
    output: str | None = None,
    task: str | None = None,
    ledger: str | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> RefreshAnswer:
    """Replace a share of a set's cases: draw those that go, then tell the ledger of those that came.

    Parameters
    ----------
    *logs
        With ``share``: a log of the set as it is. Without: a log of the refreshed set.
    share
        Share of the cases to replace.
    seed
        Seed of the draw; one at random when left out. It is recorded.
    output
        File for the ids of the cases to replace.
    task
        Which eval set, when the log holds several.
    ledger
        Which ledger; the one in this folder or above it when left out.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    RefreshAnswer
        The cases that go, or what the refresh bought back.

    Raises
    ------
    ArgumentError
        When an option is outside what is allowed.
    LedgerError
        When the cases that left are not those that were drawn.

    References
    ----------
    See ``evalgauge.reusing.refresh``.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_refresh("run.eval", share=0.5)  # doctest: +SKIP
    """
    request = request_from(
        RefreshRequest,
        logs=tuple(log_name(log) for log in logs),
        share=share,
        seed=seed,
        output=output,
        task=task,
        ledger=ledger,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return refresh_answer(request, logs)


def refresh_answer(request: RefreshRequest, logs: Sequence[Any] = ()) -> RefreshAnswer:
    """Return the answer to a request; ``logs`` holds the sources where they are no paths."""
    _check(request)
    ledger = open_ledger(request.ledger)
    table, log_set = set_of_logs(list(logs or request.logs), request, request.task)
    view = CaseView(table.cases)
    found = set_print(view, salt=ledger.salt, name=log_set)
    if request.share is not None:
        return _drawn(request, ledger, view, found)
    return _done(request, ledger, view, found)


def drawn_cases(hashes: NDArray[np.void], n_retired: int, seed: int) -> NDArray[np.void]:
    """Return the hashes of the cases that a seed draws: the same from any order of the cases."""
    order = np.argsort(hashes.view(f"S{HASH_BYTES}"), kind="stable")
    chosen = np.random.default_rng(seed).permutation(order.size)[:n_retired]
    return hashes[order[np.sort(chosen)]]


def _drawn(request: RefreshRequest, ledger: Ledger, view: CaseView, found: SetPrint) -> RefreshAnswer:
    output = None if request.output is None else Path(request.output)
    if output is not None and output.is_file():
        raise ArgumentError("output", request.output, "a file that does not exist yet")
    if output is not None:
        checked_place(output, overwrite=False)
    is_written = False
    try:
        with ledger.writing() as writing:
            draw = _draw(request, writing, view, found, ledger.salt)
            if output is not None:
                # Before the draw is on record: one whose list nobody has could not be followed.
                write_beside(output, lambda part: part.write_text("".join(f"{one}\n" for one in draw.ids), "utf-8"))
                is_written = True
    except LedgerError:
        if output is not None and is_written:
            output.unlink(missing_ok=True)
        raise
    basis = basis_of(draw.state)
    share = draw.n_retired / draw.n_cases
    after = 0.0 if share == 1 else spent_after_refresh(basis.spent, share) if basis.spent > 1 else basis.spent
    return RefreshAnswer(
        set_name=draw.state.name,
        step="drawn",
        share=share,
        seed=draw.seed,
        n_cases=draw.n_cases,
        n_retired=draw.n_retired,
        n_added=0,
        retired=draw.ids,
        spent_before=basis.spent,
        spent_after=after,
        left=basis.left_after(after),
        request=request,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draw:
    """Cases that go: how many of how many, by which seed, and their ids in the log."""

    state: SetState
    seed: int
    n_cases: int
    n_retired: int
    ids: tuple[str, ...]


def _draw(request: RefreshRequest, writing: Writing, view: CaseView, found: SetPrint, salt: bytes) -> _Draw:
    states = set_states(writing.events())
    best = matches(writing, states, view, found, salt=salt).best
    if best is None:
        raise LedgerError("The log's set is not registered, so nothing was worn. Say: evalgauge ledger register LOG")
    state = best.state
    if state.draw is not None:
        raise LedgerError(
            f"{state.name} waits for {state.draw.n_retired:,} new cases already. Give a log of the refreshed set: "
            f"evalgauge ledger refresh LOG; or begin anew: evalgauge ledger void {shlex.quote(state.name)} --reason WHY"
        )
    known = known_set(writing, state)
    in_log, _, n_common = equal_hashes(found.case, known.case)
    if n_common < known.case.size:
        raise LedgerError(
            f"The log holds {n_common:,} of the {known.case.size:,} cases of {state.name}. A draw needs a log with "
            "all of them, as they were registered."
        )
    n_retired = max(1, round(float(request.share or 0) * known.case.size))
    seed = secrets.randbits(_SEED_BITS) if request.seed is None else request.seed
    retired = drawn_cases(known.case, n_retired, seed)
    data = {
        "seed": seed,
        "seed_chosen": request.seed is not None,
        "share": n_retired / known.case.size,
        "n_retired": n_retired,
        "retired": writing.keep(retired.tobytes()),
        "root": state.present.root,
    }
    writing.append("retire", data, subject=state.id)
    going, _, _ = equal_hashes(found.case[in_log], retired)
    ids = tuple(sorted(view.cases.case_id[int(in_log[place])] for place in going))
    return _Draw(state=state, seed=seed, n_cases=known.case.size, n_retired=n_retired, ids=ids)


def _done(request: RefreshRequest, ledger: Ledger, view: CaseView, found: SetPrint) -> RefreshAnswer:
    sketches = kept_sketches(view, found, salt=ledger.salt)
    with ledger.writing() as writing:
        states = set_states(writing.events())
        state, draw = _waiting(writing, states, found, matches(writing, states, view, found, salt=ledger.salt).best)
        known = known_set(writing, state)
        retired = as_hashes(writing.blob(draw.retired))
        stays = np.ones(known.case.size, dtype=np.bool_)
        stays[equal_hashes(retired, known.case)[1]] = False
        here, _, n_kept = equal_hashes(found.case, known.case[stays])
        others = np.setdiff1d(np.arange(len(found)), here)
        still = equal_hashes(found.case[others], retired)[2]
        missing = int(stays.sum()) - n_kept
        if still or missing:
            raise LedgerError(
                f"This is not the refresh that was drawn for {state.name}: {still:,} cases that were to go are still "
                f"there, and {missing:,} that were to stay are gone. Picked cases, such as those that the winner "
                f"failed, bring the bias back. Replace exactly the drawn ones; the seed of the draw is {draw.seed}."
            )
        n_added = others.size
        if not n_added:
            raise LedgerError(f"The log holds no new case. Put {draw.n_retired:,} in the place of those that went.")
        kept = n_kept / len(found)
        before = basis_of(state).spent
        data = {
            "root": found.root,
            "order": found.order,
            "n": len(found),
            "n_added": n_added,
            "hashes": writing.keep(found.kept()),
            "sketches": None if sketches is None else writing.keep(sketches),
            "kept": kept,
        }
        writing.append("add", data, subject=state.id)
        after = set_states(writing.events(subject=state.id))[state.id]
    basis = basis_of(after)
    return RefreshAnswer(
        set_name=state.name,
        step="done",
        share=1 - kept,
        seed=draw.seed,
        n_cases=len(found),
        n_retired=draw.n_retired,
        n_added=n_added,
        retired=(),
        spent_before=before,
        spent_after=basis.spent,
        left=basis.left(),
        request=request,
    )


def _waiting(
    reading: Reading, states: Mapping[str, SetState], found: SetPrint, best: Recognised | None
) -> tuple[SetState, Draw]:
    """Return the set whose drawn cases this log replaces."""
    waiting = [(state, state.draw) for state in states.values() if state.draw is not None]
    shared = [equal_hashes(found.case, known_set(reading, state).case)[2] for state, _ in waiting]
    if waiting and max(shared):
        return waiting[shared.index(max(shared))]
    whole = [pair for pair in waiting if pair[1].share == 1]
    if len(whole) == 1:
        return whole[0]
    if best is not None:
        new, gone = len(found) - best.relation.matched, best.state.present.n - best.relation.matched
        raise LedgerError(
            f"No draw is recorded for {best.state.name}: {gone:,} of its cases are gone and {new:,} are new, and "
            "nobody knows why these. Picked cases bring the bias back. Draw first, with a log of the old set: "
            "evalgauge ledger refresh LOG --share 50%"
        )
    raise LedgerError(
        "No set that waits for new cases is in this log. Begin with a log of the set as it is: evalgauge ledger "
        "refresh LOG --share 50%"
    )


def _check(request: RefreshRequest) -> None:
    if request.share is not None and not 0 < request.share <= 1:
        raise ArgumentError("share", float(request.share), "a share from above 0 to 100 %, such as 50%")
    for option, value in (("seed", request.seed), ("output", request.output)):
        if value is not None and request.share is None:
            raise ArgumentError(option, value, "given with --share, the share of the cases to draw")
    if request.seed is not None and not (is_whole(request.seed, 0) and request.seed < 2**64):
        raise ArgumentError("seed", request.seed, "a whole number from 0 to 2^64 - 1")
