"""Records of a log that are one JSON array, or one JSON value a line, read as far as a cut file goes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from evalgauge.errors import LogError
from evalgauge.formats.json_text import CutError, converted, decoded, read_until_cut
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions, Source

T = TypeVar("T")


@dataclass(slots=True, kw_only=True)
class Records(Generic[T]):
    """The records of a file.

    Attributes
    ----------
    items
        In the order of the file.
    problems
        What could not be read.
    is_cut
        Whether the file ends in the middle of a record.
    """

    items: list[T] = field(default_factory=list[T])
    problems: list[Problem] = field(default_factory=list[Problem])
    is_cut: bool = False


def array_records(path: Path, kind: type[T], *, file: str, tolerant: bool = False) -> Records[T]:
    """Return the records of a JSON array; of one that is cut off those before the cut, and a problem that says so.

    Parameters
    ----------
    path
        The file.
    kind
        What a record is: a msgspec struct.
    file
        What messages call it.
    tolerant
        Read up to the place where the text is no JSON, too.

    Raises
    ------
    LogError
        The text is no JSON or no array of such records, or holds none.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> path = Path(tempfile.mkdtemp(), "x.json")
    >>> _ = path.write_text('[{"score": 1}, {"score": 0.5}, {"sco')
    >>> found = array_records(path, dict[str, float], file="x.json")
    >>> found.items, found.is_cut
    ([{'score': 1.0}, {'score': 0.5}], True)
    """
    data = path.read_bytes()
    try:
        found = Records(items=decoded(data, list[kind], file=file))
    except LogError as fault:
        if not (tolerant or isinstance(fault, CutError)):
            raise
        before = read_until_cut(b'{"records":' + data.removeprefix(b"\xef\xbb\xbf"), "records").items
        found = Records(
            items=[converted(one, kind, file=file, record=f"record {place}") for place, one in enumerate(before, 1)],
            is_cut=True,
        )
        if not found.items:
            raise
        were = counted(len(found.items), "record", "records")
        found.problems.append(Problem(text=f"{fault} {were} before that place could be read.", file=file))
    if not found.items:
        raise LogError(file, "holds no record.", hint="Was the run cut off before its first case?")
    return found


def line_records(source: Source, kind: type[T], options: ReadOptions) -> Records[tuple[int, T]]:
    """Return the records of a file with one JSON value a line, each with the number of its line.

    A last line that ends early is left out and said; any other line that cannot be read is refused by number, or left
    out and said where ``options.tolerant``.

    Raises
    ------
    LogError
        A line cannot be read, or the file holds none.
    """
    file = source.name
    found: Records[tuple[int, T]] = Records()
    skipped: list[int] = []
    total, done = source.path.stat().st_size, 0
    with source.path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            done += len(line)
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if not text.strip():
                continue
            try:
                found.items.append((number, decoded(text, kind, file=file, record=f"line {number}")))
            except LogError as fault:
                if isinstance(fault, CutError) and done >= total and not line.endswith(b"\n"):
                    found.is_cut = True
                    say = f"The last line (line {number}) is cut off and was left out: the run may not have finished."
                    found.problems.append(Problem(text=say, file=file, record=f"line {number}"))
                elif options.tolerant:
                    skipped.append(number)
                else:
                    raise
    options.progress(total, total)
    if skipped:
        lines_are = counted(len(skipped), "line", "lines")
        say = f"Left out: {lines_are} that cannot be read (first: line {skipped[0]})."
        found.problems.append(Problem(text=say, file=file, count=len(skipped)))
    if not found.items:
        raise LogError(file, "holds no complete line.", hint="Was the run cut off before its first case?")
    return found
