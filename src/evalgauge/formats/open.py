"""What a user can name, a path, a pattern, a folder, stdin, a data frame or several of them, as one ``ScoreTable``."""

from __future__ import annotations

import atexit
import codecs
import difflib
import glob
import gzip
import os
import shutil
import sys
import tempfile
import zipfile
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from evalgauge.errors import ArgumentError, LogError, UnknownFormatError
from evalgauge.formats.protocol import ReadOptions, Source
from evalgauge.formats.registry import known_formats, table_of_source
from evalgauge.formats.wording import counted
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Problem, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = 8192
_GZIP = b"\x1f\x8b"
_ZIP = b"PK"
_LFS_POINTER = b"version https://git-lfs"
_WAYS_OUT: tuple[tuple[bytes, str, str], ...] = (
    (b"SQLite format 3\0", "is a SQLite database.", "Export the eval first: promptfoo export eval ID -o x.json"),
    (b"ARROW1", "is an Arrow (Feather) file.", "Read it with pyarrow.feather.read_table and give the table to read()."),
    (b"\x80", "looks like a Python pickle, which can run code when it is read.", "Save the frame as Parquet or CSV."),
    (b"\xd0\xcf\x11\xe0", "is an old Excel workbook.", "Save the sheet as CSV."),
    (b"%PDF", "is a PDF document.", "Export the scores as CSV."),
)


def read(source: object, options: ReadOptions | None = None) -> ScoreTable:
    """Return the scores of one log, or of several logs side by side.

    Parameters
    ----------
    source
        A path, a pattern such as ``"runs/*.csv"``, a folder, ``"-"`` for stdin, a data frame (pandas, Polars, Arrow,
        Spark, a relation of DuckDB), a ``ScoreTable``, or a list of these. The bytes of a file tell its format; its
        name decides only where they cannot.
    options
        What a file cannot say itself: roles of columns, numbers of words.

    Returns
    -------
    ScoreTable
        ``problems`` lists what could not be taken as it was. Cases of different logs stay apart.

    Raises
    ------
    LogError
        If a file is missing, empty, damaged or not understood; file, record and field are named.
    ArgumentError
        If the source is something else.

    Examples
    --------
    >>> import polars as pl
    >>> table = read(pl.DataFrame({"id": ["007", "008"], "passed": ["yes", "no"]}))
    >>> table.cases.case_id, table.score.tolist()
    (('007', '008'), [1.0, 0.0])
    """
    chosen = ReadOptions() if options is None else options
    if isinstance(source, ScoreTable):
        return source
    if isinstance(source, (str, os.PathLike)):
        return _read_named(os.fspath(cast("str | os.PathLike[str]", source)), chosen)
    if isinstance(source, (list, tuple)):
        several = cast("Sequence[object]", source)
        if not several:
            raise ArgumentError("source", several, "at least one path or data frame")
        return concatenated([read(one, chosen) for one in several])
    from evalgauge.formats.frames import table_of_frame  # noqa: PLC0415 (loads Narwhals only where a frame comes)

    return table_of_frame(source, chosen)


def _read_named(name: str, options: ReadOptions) -> ScoreTable:
    if name == "-":
        return _read_file(_spooled(sys.stdin.buffer, ""), options, label="-")
    path = Path(name).expanduser()
    if path.is_dir():
        return _read_folder(path, options)
    if path.exists():
        return _read_file(path, options)
    if glob.has_magic(name):
        matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 (the pattern may be absolute)
        if not matches:
            raise LogError(name, "no file matches this pattern.", hint=_whats_there(path.parent))
        return concatenated([_read_named(match, options) for match in matches])
    raise _missing(name, path)


def _read_folder(path: Path, options: ReadOptions) -> ScoreTable:
    table = table_of_source(Source(path=path, head=b"", is_folder=True), options)
    if table is not None:
        return table
    tables: list[ScoreTable] = []
    unread: list[str] = []
    # Beside logs lie settings and lists of cases; a log that is damaged still stops the reading.
    for file in sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file, path)):
        try:
            tables.append(_read_file(file, options))
        except UnknownFormatError:
            unread.append(str(file.relative_to(path)))
    if not tables:
        what = f"holds no log: {', '.join(unread[:5])} cannot be read." if unread else "is an empty folder."
        raise UnknownFormatError(str(path), what, hint=_known())
    joined = concatenated(tables)
    if not unread:
        return joined
    files = counted(len(unread), "file that is", "files that are")
    text = f"Left out: {files} no log: {', '.join(unread[:5])}"
    problem = Problem(text=f"{text}{' …' if len(unread) > 5 else '.'}", file=str(path), count=len(unread))
    return replace(joined, problems=(*joined.problems, problem))


def _read_file(path: Path, options: ReadOptions, *, label: str = "") -> ScoreTable:
    name = label or str(path)
    try:
        with path.open("rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise LogError(name, f"cannot be opened: {error.strerror}.", hint="Check its rights.") from error
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise LogError(name, "is empty.", hint="Was the run cut off before it wrote anything?")
    if head.startswith(_GZIP):
        return _read_file(_unpacked(path, name), options, label=name)
    if head.startswith(_LFS_POINTER):
        raise LogError(name, "is only the pointer of a Git LFS file.", hint="Fetch the file itself: git lfs pull")
    source = Source(path=path, head=head, is_folder=False, label=label)
    table = table_of_source(source, options)
    if table is None:
        raise _unreadable(source)
    return table


def _unreadable(source: Source) -> LogError:
    """Return the refusal of a file that no reader claims, with the way out where it is recognised."""
    for magic, what, way_out in _WAYS_OUT:
        if source.head.startswith(magic):
            return UnknownFormatError(source.name, what, hint=way_out)
    if source.head.startswith(_ZIP):
        if not zipfile.is_zipfile(source.path):
            hint = "Its list of members, which stands at the end, is missing: copy it again."
            return LogError(source.name, "is a zip archive that is cut off.", hint=hint)
        with zipfile.ZipFile(source.path) as archive:
            if "[Content_Types].xml" in archive.namelist():
                return UnknownFormatError(source.name, "is an Excel workbook.", hint="Save the sheet as CSV.")
    return UnknownFormatError(source.name, "is in no format that is known.", hint=_known())


def _missing(name: str, path: Path) -> LogError:
    if not path.parent.is_dir():
        return LogError(name, f"is not there, nor is its folder {str(path.parent)!r}.", hint="Check the path.")
    there = [entry.name for entry in path.parent.iterdir()]
    close = difflib.get_close_matches(path.name, there, n=1)
    if close:
        return LogError(name, "is not there.", hint=f"Did you mean {str(path.parent / close[0])!r}?")
    return LogError(name, "is not there.", hint=_whats_there(path.parent))


def _whats_there(folder: Path) -> str:
    names = sorted(entry.name for entry in folder.iterdir()) if folder.is_dir() else []
    if not names:
        return f"The folder {str(folder)!r} is empty or not there."
    return f"In {str(folder)!r} there are: {', '.join(names[:10])}{' …' if len(names) > 10 else '.'}"


def _known() -> str:
    return f"Read are: {', '.join(known_formats())}; .gz of these; data frames in Python."


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith((".", "__")) for part in file.relative_to(folder).parts)


def _unpacked(path: Path, name: str) -> Path:
    ending = Path(name.removesuffix(".gz")).suffix
    try:
        with gzip.open(path, "rb") as packed:
            return _spooled(cast("BinaryIO", packed), ending)
    except (EOFError, OSError, zlib.error) as error:
        raise LogError(name, f"is a gzip file that is cut off or damaged: {error}.", hint="Copy it again.") from error


def _spooled(stream: BinaryIO, ending: str) -> Path:
    """Return a copy that stays until the interpreter leaves: contents of cases are read when identity is needed."""
    handle, name = tempfile.mkstemp(dir=_spool_folder(), suffix=ending)
    with os.fdopen(handle, "wb") as file:
        shutil.copyfileobj(stream, file)
    return Path(name)


@cache
def _spool_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="evalgauge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
