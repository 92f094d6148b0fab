"""Old logs as looks: each run in a folder is one, the same results once."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from evalgauge.errors import ArgumentError, EvalgaugeError, UnknownFormatError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.ledger_access import open_ledger
from evalgauge.jobs.ledger_looks import scoring_of
from evalgauge.jobs.ledger_sets import registered
from evalgauge.jobs.looks import Particulars, found_in, record
from evalgauge.jobs.reading import asked_table, log_name
from evalgauge.ledger.records import DISPLAYS
from evalgauge.questions.given import request_from
from evalgauge.questions.ledger_looks import ImportAnswer, ImportedSet, ImportRequest
from evalgauge.questions.ledger_sets import RegisterRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalgauge.jobs.arms import Arm
    from evalgauge.ledger.store import Ledger
    from evalgauge.rules.displays import Display


@dataclass(slots=True)
class _Tally:
    """What was found so far, by set."""

    added: Counter[str]
    known: Counter[str]
    strangers: Counter[str]
    examples: dict[str, str]
    unread: list[str]


def ledger_import(  # noqa: PLR0913 - the options of one question, all keyword-only
    *logs: Any,  # noqa: ANN401 - paths, folders, data frames or tables
    display: Display = "exact",
    metric: str | None = None,
    score_range: Sequence[float] | None = None,
    register: bool = False,
    ledger: str | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
) -> ImportAnswer:
    """Import old logs as looks at the registered sets that they are of. The same results count once.

    Parameters
    ----------
    *logs
        Folders and logs.
    display
        What was seen of them.
    metric, score_range
        Which score, as for ``measure``.
    register
        Register sets that the ledger does not know yet.
    ledger
        Which ledger; the one in this folder or above it when left out.
    columns, words, wide_arms, wide_reps, tolerant
        As for ``read``.

    Returns
    -------
    ImportAnswer
        Looks by set, and files that could not be read.

    Raises
    ------
    ArgumentError
        When no log is given.
    LedgerError
        When there is no ledger, or it cannot be written.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_import("logs", register=True)  # doctest: +SKIP
    """
    request = request_from(
        ImportRequest,
        logs=tuple(log_name(log) for log in logs),
        display=display,
        metric=metric,
        score_range=score_range,
        register=register,
        ledger=ledger,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
    )
    return import_answer(request, logs)


def import_answer(
    request: ImportRequest, logs: Sequence[Any] = (), *, on_progress: Callable[[int, int], None] | None = None
) -> ImportAnswer:
    """Return the answer to a request.

    Parameters
    ----------
    request
        What was asked.
    logs
        The sources, where they are no paths.
    on_progress
        Told how many files are done, of how many.
    """
    if request.display not in DISPLAYS:
        raise ArgumentError("display", request.display, ", ".join(DISPLAYS))
    named = list(logs or request.logs)
    if not named:
        raise ArgumentError("logs", "nothing", "a folder of old logs, or logs")
    ledger = open_ledger(request.ledger)
    sources = [source for one in named for source in _sources(one)]
    tally = _Tally(added=Counter(), known=Counter(), strangers=Counter(), examples={}, unread=[])
    for done, (source, is_named) in enumerate(sources):
        if on_progress is not None:
            on_progress(done, len(sources))
        try:
            _import_one(ledger, request, source, tally)
        except EvalgaugeError as error:
            if is_named:
                raise
            # Beside logs lie other files; what is a log and cannot be read is said.
            if not isinstance(error, UnknownFormatError):
                tally.unread.append(_with_name(error, source))
    if on_progress is not None:
        on_progress(len(sources), len(sources))
    known_sets = dict.fromkeys([*tally.added, *tally.known])
    return ImportAnswer(
        added=tally.added.total(),
        known=tally.known.total(),
        sets=(
            *(_imported(tally, name, is_registered=True) for name in known_sets),
            *(_imported(tally, name, is_registered=False) for name in tally.strangers),
        ),
        unread=tuple(tally.unread),
        request=request,
    )


def _import_one(ledger: Ledger, request: ImportRequest, source: Any, tally: _Tally) -> None:  # noqa: ANN401 - see read
    asked = scoring_of(request)
    for arm in arms_of(asked_table(source, asked), asked):
        found = found_in(ledger, arm)
        if (found is None or found[1].best is None) and request.register:
            _register(ledger, request, arm, source)
            found = found_in(ledger, arm)
        if found is None or found[1].best is None:
            name = arm.source.set_name or log_name(source)
            tally.strangers[name] += 1
            tally.examples.setdefault(name, log_name(source))
            continue
        happened = next((run.created for run in arm.table.runs if run.created), "")
        said = Particulars(display=request.display, happened=happened, note="imported")
        done = record(ledger, found[0], found[1].best, said)
        counter = tally.added if done.is_new else tally.known
        counter[done.state.name] += 1
        tally.examples.setdefault(done.state.name, log_name(source))


def _register(ledger: Ledger, request: ImportRequest, arm: Arm, source: Any) -> None:  # noqa: ANN401 - see read
    name = arm.source.set_name or Path(log_name(source)).stem
    asked = RegisterRequest(
        columns=request.columns,
        words=request.words,
        wide_arms=request.wide_arms,
        wide_reps=request.wide_reps,
        tolerant=request.tolerant,
    )
    with ledger.reading() as reading:
        taken = {event.data["name"] for event in reading.events(kinds=("register",))}
    names = (name if number == 1 else f"{name}-{number}" for number in range(1, len(taken) + 2))
    registered(ledger, arm.table, asked, name=next(one for one in names if one not in taken))


def _sources(source: Any) -> list[tuple[Any, bool]]:  # noqa: ANN401 - see read
    """Return each file of a folder on its own: two runs of one candidate are two looks, not reps of one."""
    if not isinstance(source, (str, os.PathLike)):
        return [(source, True)]
    folder = Path(cast("str | os.PathLike[str]", source)).expanduser()
    if not folder.is_dir():
        return [(source, True)]
    files = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    )
    return [(str(file), False) for file in files]


def _with_name(error: EvalgaugeError, source: Any) -> str:  # noqa: ANN401 - see read
    name = log_name(source)
    return str(error) if name in str(error) else f"{name}: {error}"


def _imported(tally: _Tally, name: str, *, is_registered: bool) -> ImportedSet:
    return ImportedSet(
        name=name,
        is_registered=is_registered,
        added=tally.added[name] if is_registered else tally.strangers[name],
        known=tally.known[name],
        example=tally.examples[name],
    )
