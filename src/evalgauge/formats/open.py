"""What a user can name, a path, a pattern, a folder, stdin, a data frame or several of them, as one ``ScoreTable``."""

from __future__ import annotations

import atexit
import codecs
import difflib
import errno
import glob
import gzip
import os
import re
import shutil
import stat
import sys
import tempfile
import zipfile
import zlib
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from evalgauge.errors import ArgumentError, LogError, UnknownFormatError
from evalgauge.formats.directions import with_directions
from evalgauge.formats.protocol import ReadOptions, Source
from evalgauge.formats.registry import is_framework_log, known_formats, table_of_source, tables_of_folder
from evalgauge.formats.score_limits import within_limits
from evalgauge.formats.wording import counted, without_advice
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Problem, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = 8192
MOST_NAMED = 50
"""How many files that were left out are named one by one."""
LARGEST_UNPACKED, MOST_TIMES = 2**30, 200
"""A gzip file may unpack to this many bytes, or to this many times its size: what is above fills disks on purpose."""
_BLOCK = 2**20
_GZIP = b"\x1f\x8b"
_ZIP = b"PK"
_LFS_POINTER = b"version https://git-lfs"
_WAYS_OUT: tuple[tuple[bytes, str, str], ...] = (
    (b"SQLite format 3\0", "is a SQLite database, and not promptfoo's.", "Export its scores as CSV or JSON lines."),
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
        return _finished(source)
    if chosen.engine and isinstance(source, (str, os.PathLike)):
        from evalgauge.formats.large_table import engine_table  # noqa: PLC0415 (loaded only where an engine is named)

        return _finished(engine_table(os.fspath(cast("str | os.PathLike[str]", source)), chosen))
    if isinstance(source, (str, os.PathLike)):
        return _finished(_read_named(os.fspath(cast("str | os.PathLike[str]", source)), chosen))
    if isinstance(source, (list, tuple)):
        several = cast("Sequence[object]", source)
        if not several:
            raise ArgumentError("source", several, "at least one path or data frame")
        return concatenated([read(one, chosen) for one in several])
    from evalgauge.formats.frames import table_of_frame  # noqa: PLC0415 (loads Narwhals only where a frame comes)

    return _finished(table_of_frame(source, chosen))


def _finished(table: ScoreTable) -> ScoreTable:
    return with_directions(within_limits(table))


def _read_named(name: str, options: ReadOptions) -> ScoreTable:
    if name == "-":
        if sys.stdin is None:
            raise ArgumentError("-", "no standard input", "a pipe or a file, as in: evalgauge measure - < scores.csv")
        return _read_file(_spooled(sys.stdin.buffer, ""), options, label="-")
    if not name.strip():
        # Path("") is the folder one stands in: an unset variable of the shell is not meant to read it.
        raise ArgumentError("log", name, "the path of a log", "For the logs in this folder write a dot.")
    path = Path(name).expanduser()
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as fault:
        if not glob.has_magic(name):
            raise _unreachable(name, path, fault) from fault
    else:
        if stat.S_ISFIFO(mode):
            return _read_pipe(path, name, options)
        return _read_folder(path, options) if stat.S_ISDIR(mode) else _read_file(path, options)
    matches = sorted(glob.glob(str(path), recursive=True))  # noqa: PTH207 (the pattern may be absolute)
    if not matches:
        raise LogError(name, "no file matches this pattern.", hint=_whats_there(path.parent))
    return concatenated([_read_named(match, options) for match in matches])


def _read_pipe(path: Path, name: str, options: ReadOptions) -> ScoreTable:
    """Read what comes through a pipe with a name, such as the shell's <(command): it comes once."""
    try:
        with path.open("rb") as stream:
            copy = _spooled(stream, path.suffix)
    except OSError as fault:
        raise _unreachable(name, path, fault) from fault
    return _read_file(copy, options, label=name)


def _read_folder(path: Path, options: ReadOptions) -> ScoreTable:
    files, closed = _files_in(path)
    if (large := _large_parts(path, files, options)) is not None:
        return large
    tables, taken = tables_of_folder(Source(path=path, head=b"", is_folder=True), options)
    left = [] if taken is None else [file for file in files if file not in taken]
    unread: list[str] = []
    failed: list[Problem] = []
    logs = {file for file in left if _is_framework_log(file)}
    is_beside = bool(tables or logs)
    for file in left:
        try:
            # Beside the logs of a framework lie lists of cases and totals: such a table is no log unless it is named.
            if is_beside and file not in logs:
                unread.append(str(file.relative_to(path)))
            else:
                tables.append(_read_file(file, options))
        except UnknownFormatError:
            unread.append(str(file.relative_to(path)))
        except LogError as fault:
            if not options.tolerant:
                raise
            failed.append(Problem(text=f"{without_advice(fault)} This file is left out.", file=str(file)))
    if not tables:
        what = f"holds no log: {_listed(unread)} cannot be read." if unread else "is an empty folder."
        raise UnknownFormatError(str(path), what, hint=_known())
    joined = concatenated(tables)
    problems = [*failed, *(Problem(text=text, file=str(path)) for text in closed)]
    if unread:
        files_are = counted(len(unread), "file that is", "files that are")
        text = f"Left out: {files_are} no log: {_listed(unread)}."
        if is_beside:
            text += " A plain table beside the logs of a framework is read if it is named itself."
        problems.append(Problem(text=text, file=str(path), count=len(unread)))
    return replace(joined, problems=(*joined.problems, *problems)) if problems else joined


def _large_parts(folder: Path, files: Sequence[Path], options: ReadOptions) -> ScoreTable | None:
    """Return the scores of a table that Spark or a warehouse wrote in parts, where that is all that a folder holds."""
    parts = [file for file in files if file.name != "_SUCCESS"]
    endings = {file.suffix.lower() for file in parts}
    are_parts = len(endings) == 1 and all(file.name.startswith("part-") for file in parts)
    if not (options.is_counted and are_parts):
        return None
    source = Source(path=folder, head=b"", is_folder=True)
    ending = endings.pop()
    # Each reader, and the engine with it, is loaded only where its parts are.
    if ending == ".parquet":
        from evalgauge.formats.parquet_table import large_parquet  # noqa: PLC0415

        return large_parquet(parts, source, options)
    if ending == ".csv":
        from evalgauge.formats.csv_table import large_csv  # noqa: PLC0415

        return large_csv(parts, source, options)
    if ending in {".json", ".jsonl", ".ndjson"}:
        from evalgauge.formats.jsonl_table import large_jsonl  # noqa: PLC0415

        return large_jsonl(parts, source, options)
    return None


def _files_in(folder: Path) -> tuple[list[Path], list[str]]:
    """Return the files in a folder and below that are not hidden, and what to say of folders that cannot be opened.

    Raises
    ------
    LogError
        If the folder itself cannot be opened.
    """
    files: list[Path] = []
    closed: list[str] = []

    def is_closed(fault: OSError) -> None:
        if Path(fault.filename) == folder:
            raise _unreachable(str(folder), folder, fault)
        reason = _reason(fault)
        closed.append(f"The folder {fault.filename!r} cannot be opened ({reason}): what it holds is left out.")

    for root, below, names in os.walk(folder, onerror=is_closed):
        # What is hidden is no log, and can be large: caches, environments, version control.
        below[:] = [name for name in below if not name.startswith((".", "__"))]
        files += [Path(root, name) for name in names]
    seen = [file for file in files if not _is_hidden(file, folder)]
    closed += [f"The link {str(link)!r} leads to no file and is left out." for link in seen if _leads_nowhere(link)]
    return sorted(file for file in seen if file.is_file()), closed


def _leads_nowhere(path: Path) -> bool:
    return path.is_symlink() and not path.exists()


def _is_framework_log(file: Path) -> bool:
    return is_framework_log(Source(path=file, head=_head(file, str(file)), is_folder=False))


def _head(path: Path, name: str) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(HEAD)
    except OSError as fault:
        raise _unreachable(name, path, fault) from fault


def _read_file(path: Path, options: ReadOptions, *, label: str = "") -> ScoreTable:
    name = label or str(path)
    head = _head(path, name)
    if not head.removeprefix(codecs.BOM_UTF8).strip():
        raise LogError(name, "is empty.", hint="Was the run cut off before it wrote anything?")
    if head.startswith(_GZIP):
        unpacked = _unpacked(path, name)
        if _head(unpacked, name).startswith(_GZIP):
            raise LogError(name, "is a gzip file within a gzip file.", hint="Unpack it once: gunzip")
        return _read_file(unpacked, options, label=name)
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


def _unreachable(name: str, path: Path, fault: OSError | ValueError) -> LogError:
    """Return the refusal of a path that cannot be opened, by the reason that the system gives."""
    number = getattr(fault, "errno", None)
    if number == errno.ELOOP:
        return LogError(name, "is a symbolic link that leads back to itself.", hint="Point it at the log.")
    if number in {errno.EACCES, errno.EPERM}:
        hint = "Give yourself the right to read it and to enter the folders above it."
        return LogError(name, f"cannot be opened: {_reason(fault)}.", hint=hint)
    if number == errno.ENOENT and path.is_symlink():
        return LogError(name, f"is a symbolic link to {str(path.readlink())!r}, which is not there.")
    if number in {errno.ENOENT, errno.ENOTDIR}:
        return _missing(name, path)
    return LogError(name, f"cannot be opened: {_reason(fault)}.", hint="Check the path.")


def _reason(fault: OSError | ValueError) -> str:
    return (getattr(fault, "strerror", None) or str(fault)).lower()


def _missing(name: str, path: Path) -> LogError:
    scheme = re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", name)
    if scheme is not None:
        hint = "Name the path alone." if scheme[0].lower() == "file://" else "Download it first, and name the file."
        return LogError(name, "is an address, and only files are read.", hint=hint)
    if not path.parent.is_dir():
        return LogError(name, f"is not there, nor is its folder {str(path.parent)!r}.", hint="Check the path.")
    by_small_letters = {other.lower(): other for other in _names_in(path.parent)}
    close = difflib.get_close_matches(path.name.lower(), by_small_letters, n=1)
    if close:
        return LogError(name, "is not there.", hint=f"Did you mean {str(path.parent / by_small_letters[close[0]])!r}?")
    return LogError(name, "is not there.", hint=_whats_there(path.parent))


def _whats_there(folder: Path) -> str:
    names = _names_in(folder)
    if not names:
        return f"The folder {str(folder)!r} is empty or cannot be opened."
    return f"In {str(folder)!r} there are: {', '.join(names[:10])}{' …' if len(names) > 10 else '.'}"


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(entry.name for entry in folder.iterdir())
    except OSError:
        return []


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:MOST_NAMED])
    return f"{shown} and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else shown


def _known() -> str:
    return f"Read are: {', '.join(known_formats())}; .gz of these; data frames in Python."


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith((".", "__")) for part in file.relative_to(folder).parts)


def _unpacked(path: Path, name: str) -> Path:
    ending = Path(name.removesuffix(".gz")).suffix
    most = max(LARGEST_UNPACKED, MOST_TIMES * path.stat().st_size)
    try:
        with gzip.open(path, "rb") as packed:
            return _spooled(cast("BinaryIO", packed), ending, most)
    except _TooLargeError as error:
        what = f"unpacks to more than {most >> 20:,} MiB, {MOST_TIMES} times its size: no log is so uniform."
        raise LogError(name, what, hint="Unpack it yourself if you trust it: gunzip") from error
    except (EOFError, OSError, zlib.error) as error:
        raise LogError(name, f"is a gzip file that is cut off or damaged: {error}.", hint="Copy it again.") from error


class _TooLargeError(Exception):
    """A stream gives more than it may."""


def _spooled(stream: BinaryIO, ending: str, most: int | None = None) -> Path:
    """Return a copy that stays until the interpreter leaves: contents of cases are read when identity is needed."""
    handle, name = tempfile.mkstemp(dir=_spool_folder(), suffix=ending)
    with os.fdopen(handle, "wb") as file:
        while block := stream.read(_BLOCK):
            file.write(block)
            if most is not None and file.tell() > most:
                Path(name).unlink()
                raise _TooLargeError
    return Path(name)


@cache
def _spool_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="evalgauge-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
