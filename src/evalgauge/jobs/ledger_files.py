"""A ledger as a whole: is it untouched, write it to a file, take in another copy."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from evalgauge.errors import ArgumentError, LedgerError
from evalgauge.jobs.ledger_access import open_ledger
from evalgauge.ledger.chain import SHORT
from evalgauge.ledger.places import found_place, new_place
from evalgauge.questions.ledger_sets import (
    Broken,
    CheckAnswer,
    CheckRequest,
    ExportAnswer,
    ExportRequest,
    MergeAnswer,
    MergeRequest,
)

if TYPE_CHECKING:
    from evalgauge.ledger.transfer import Exported, Merged

_LEAST_DIGITS = 8


def ledger_check(*, head: str | None = None, ledger: str | None = None) -> CheckAnswer:
    """Compute every hash of a ledger again, and name the first link that does not hold.

    Parameters
    ----------
    head
        A hash, or its first digits, that was noted before: is it still there?
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    CheckAnswer
        Whether it is whole, and what is wrong.

    Raises
    ------
    LedgerError
        When there is no ledger.

    Examples
    --------
    >>> import evalgauge as eg, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = eg.ledger_init(ledger=f"{folder}/ledger.db").place
    ...     print(eg.ledger_check(ledger=place).is_whole)
    True
    """
    return check_answer(CheckRequest(head=head, ledger=ledger))


def check_answer(request: CheckRequest) -> CheckAnswer:
    """Return the answer to a request."""
    from evalgauge.ledger.checks import checked_chain  # noqa: PLC0415 - the ledger is opened first

    if request.head is not None and len(request.head) < _LEAST_DIGITS:
        raise ArgumentError("head", request.head, f"{_LEAST_DIGITS} digits of a hash or more, as status prints it")
    ledger = open_ledger(request.ledger)
    broken: list[Broken] = []
    try:
        broken += [Broken(where="the file", what=f"{one}.") for one in ledger.damage()]
        with ledger.reading(tolerant=True) as reading:
            found = checked_chain(reading.rows(), reading.blobs(), name=ledger.name, salt=ledger.salt)
            names = reading.hashes()
    except LedgerError as error:
        return CheckAnswer(
            place=ledger.place.shown,
            is_whole=False,
            events=0,
            parts=0,
            merges=0,
            head="",
            broken=(*broken, Broken(where="the file", what=str(error))),
            request=request,
        )
    broken = [*(Broken(where=fault.where, what=fault.what) for fault in found.faults), *broken]
    if request.head is not None and not any(name.startswith(request.head) for name in names):
        broken.append(Broken(where=f"head {request.head}", what="it is not in the chain: events were cut off."))
    return CheckAnswer(
        place=ledger.place.shown,
        is_whole=not broken,
        events=found.events,
        parts=found.parts,
        merges=found.merges,
        head=found.head,
        broken=tuple(broken),
        request=request,
    )


def ledger_export(*, output: str, overwrite: bool = False, ledger: str | None = None) -> ExportAnswer:
    """Write a ledger as JSON Lines, to hand over or to keep beside the code.

    Parameters
    ----------
    output
        File to write.
    overwrite
        Replace the file if it exists.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    ExportAnswer
        What was written.

    Raises
    ------
    ArgumentError
        When the file exists and ``overwrite`` is not set.
    LedgerError
        When there is no ledger.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_export(output="ledger.jsonl")  # doctest: +SKIP
    """
    return export_answer(ExportRequest(output=output, overwrite=overwrite, ledger=ledger))


def export_answer(request: ExportRequest) -> ExportAnswer:
    """Return the answer to a request."""
    from evalgauge.formats.writers import checked_place, write_beside  # noqa: PLC0415 - loaded when there is work
    from evalgauge.ledger.transfer import exported_lines  # noqa: PLC0415 - the database library comes with it

    target = Path(request.output)
    if not request.output:
        raise ArgumentError("output", "nothing", "the file to write, such as ledger.jsonl")
    checked_place(target, overwrite=request.overwrite)
    ledger = open_ledger(request.ledger)
    events = parts = 0

    def write(part: Path) -> None:
        nonlocal events, parts
        with part.open("w", encoding="utf-8") as file:
            for line in exported_lines(ledger):
                file.write(line)
                events += line.startswith('{"event"')
                parts += line.startswith('{"part"')

    # Whole or not at all: a half-written export beside the code would be taken for the ledger.
    write_beside(target, write)
    with ledger.reading() as reading:
        head = reading.head().hash
    return ExportAnswer(output=request.output, events=events, parts=parts, head=head[:SHORT], request=request)


def ledger_merge(*files: str, ledger: str | None = None) -> MergeAnswer:
    """Take in exports of other copies of a ledger. Nothing is lost, and twice is once.

    Parameters
    ----------
    *files
        Exports. Where there is no ledger yet, the first one becomes it.
    ledger
        Which ledger; the one in this folder or above it when left out.

    Returns
    -------
    MergeAnswer
        What was new, and which sets were looked at in both copies.

    Raises
    ------
    ArgumentError
        When no file is given.
    LedgerError
        When a file is no export of this ledger, or a hash in it does not hold.

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.ledger_merge("ledger.jsonl")  # doctest: +SKIP
    """
    return merge_answer(MergeRequest(files=files, ledger=ledger))


def merge_answer(request: MergeRequest) -> MergeAnswer:
    """Return the answer to a request."""
    from evalgauge.ledger.store import opened  # noqa: PLC0415 - the database library is loaded when it is needed
    from evalgauge.ledger.transfer import copied, merged  # noqa: PLC0415 - same

    if not request.files:
        raise ArgumentError("files", "nothing", "one or more exports, made by: evalgauge ledger export -o ledger.jsonl")
    others = [_export(file) for file in request.files]
    place = found_place(request.ledger)
    is_new = place is None or (place.path is not None and not place.path.exists())
    ledger = copied(new_place(request.ledger), others[0]) if place is None or is_new else opened(place)
    found = [merged(ledger, other) for other in (others[1:] if is_new else others)]
    with ledger.reading() as reading:
        names = {event.subject: event.data["name"] for event in reading.events(kinds=("register",))}
        head = reading.head().hash
    return MergeAnswer(
        place=ledger.place.shown,
        is_new=is_new,
        added=sum(one.added for one in found) + (len(others[0].events) if is_new else 0),
        known=sum(one.known for one in found),
        kind=_kind(found, is_new=is_new),
        side_by_side=tuple(dict.fromkeys(names.get(name, name) for one in found for name in one.side_by_side)),
        head=head[:SHORT],
        request=request,
    )


def _kind(found: list[Merged], *, is_new: bool) -> Literal["nothing", "behind", "joined"]:
    kinds = {one.kind for one in found}
    if "joined" in kinds:
        return "joined"
    return "behind" if is_new or "behind" in kinds else "nothing"


def _export(file: str) -> Exported:
    from evalgauge.ledger.transfer import read_export  # noqa: PLC0415 - the database library comes with it

    path = Path(file)
    if not path.is_file():
        raise ArgumentError("files", file, "an export that exists, made by: evalgauge ledger export -o ledger.jsonl")
    # A flipped bit can make the text unreadable; the hash then names where.
    with path.open(encoding="utf-8", errors="surrogateescape") as lines:
        return read_export(lines, file)
