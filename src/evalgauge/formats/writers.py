"""Score tables as files: Parquet, CSV or JSON lines, in the columns that ``read`` takes back without loss."""

from __future__ import annotations

import csv
import errno
import json
import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.formats.converted import (
    CASE_NUMBER_COLUMN,
    COLUMNS,
    CONTENT_COLUMNS,
    FIELD_PREFIX,
    HASH_COLUMNS,
    METRIC_COLUMNS,
    RESERVED,
    ROW_NUMBER_COLUMN,
    RUN_COLUMNS,
    RUN_NUMBER_COLUMN,
)
from evalgauge.scores.identity import fingerprints
from evalgauge.scores.table import Run, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.table import ScoreTable

    Arrays = dict[str, NDArray[np.generic]]


def write_table(table: ScoreTable, output: str | Path, *, overwrite: bool = False, with_content: bool = False) -> Path:
    r"""Write every row of a score table to a file that any tool reads and that ``read`` takes back without loss.

    Parameters
    ----------
    table
        What was read.
    output
        Where to; the ending says the format: ``.parquet``, ``.csv`` or ``.jsonl``.
    overwrite
        Whether a file that is there may be replaced.
    with_content
        Whether to write what the cases ask and expect, as text, beside their hashes.

    Returns
    -------
    Path
        The file. It is written beside its place and then moved there, so that it is never half-written. It holds
        hashes of the cases and their slice fields, and their contents only where that was asked for.

    Raises
    ------
    ArgumentError
        If the ending is another one, the file is there already, or it cannot be written: there is no such folder, no
        right to write in it, or no room on the disk.

    Examples
    --------
    >>> import tempfile
    >>> from evalgauge.formats import read
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "base.csv").write_text("case,score\nq1,1\nq2,0\n")
    >>> written = write_table(read(folder / "base.csv"), folder / "base.parquet")
    >>> print(read(written))
    2 cases, 2 rows (2 scored), arms: base; metrics: score
    """
    target = Path(output)
    checked_place(target, overwrite=overwrite)
    write = _WRITERS.get(target.suffix.lower())
    if write is None:
        hint = "A table is written to a file, not to a pipe." if str(target) == "-" else ""
        raise ArgumentError("output", str(target), "a file that ends in .parquet, .csv, .jsonl or .json", hint)
    columns = _columns(table) | (_contents(table) if with_content else {})
    write_beside(target, lambda part: write(columns, part))
    return target


def checked_place(target: Path, *, overwrite: bool) -> None:
    """Refuse a place where no file can be written.

    Raises
    ------
    ArgumentError
        If it is a folder, a file is there and may not be replaced, or its folder is not there.
    """
    came = str(target)
    with _saying_why(target):
        if target.is_dir():
            hint = f"This is a folder: add a file name, such as {target / 'scores.parquet'}"
            raise ArgumentError("output", came, "the name of a file", hint)
        if target.exists() and not overwrite:
            hint = "Choose another name, or replace the file: --overwrite (overwrite=True)."
            raise ArgumentError("output", came, "a file that is not there yet", hint)
        if not target.parent.is_dir():
            hint = f"Make the folder first: {target.parent}"
            raise ArgumentError("output", came, "a file in a folder that exists", hint)


def write_beside(target: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a file beside the target and move it there, so that no reader sees half of it.

    Raises
    ------
    ArgumentError
        If the system lets nothing be written there.
    """
    with _saying_why(target):
        move_into_place(target, write)


def move_into_place(target: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a file beside the target and move it there; see ``write_beside``.

    Raises
    ------
    OSError
        If the system lets nothing be written there.
    """
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=".evalgauge-", suffix=target.suffix)
    os.close(handle)
    part = Path(name)
    try:
        write(part)
        # mkstemp keeps others out; a result file gets the rights that any new file of the user gets.
        mask = os.umask(0)
        os.umask(mask)
        part.chmod(0o666 & ~mask)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _saying_why(target: Path) -> Generator[None]:
    try:
        yield
    except OSError as fault:
        raise _unwritable(target, fault) from fault


def _unwritable(target: Path, fault: OSError) -> ArgumentError:
    """Return the refusal of a place where the system lets nothing be written."""
    if fault.errno in {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}:
        allowed, hint = "a file on a disk with room for it", "Make room, or write to another disk."
    elif fault.errno in {errno.EACCES, errno.EPERM, errno.EROFS}:
        allowed = "a file that may be written"
        hint = f"Choose another folder, or give yourself the right to write in {str(target.parent)!r}."
    else:
        allowed, hint = "a file that can be written", "Choose another place."
    reason = (fault.strerror or str(fault)).rstrip(".")
    return ArgumentError("output", str(target), f"{allowed} (the system says: {reason})", hint)


def _columns(table: ScoreTable) -> Arrays:
    runs, cases, metrics = table.runs, table.cases, table.metrics
    prints = fingerprints(cases)
    per_run = {name: [getattr(run, name) for run in runs] for name in ("run_id", "set_name", "set_version", "arm")}
    columns: Arrays = {name: _objects(values)[table.run] for name, values in per_run.items()}
    columns["case_id"] = _objects(cases.case_id)[table.case]
    columns["case_fp"] = _objects(prints.case_fp)[table.case]
    columns["input_fp"] = _objects(prints.input_fp)[table.case]
    columns["case_dup"] = cases.dup[table.case]
    columns["rep"] = table.rep
    columns["rep_source"] = _objects([run.rep_source for run in runs])[table.run]
    columns["rep_kind"] = _objects([run.rep_kind for run in runs])[table.run]
    columns["metric"] = _objects([metric.name for metric in metrics])[table.metric]
    columns["score"] = table.score
    columns["raw"] = _objects(table.raw or [None] * len(table))
    columns["status"] = _objects([status.name.lower() for status in Status])[table.status]
    return {name: columns[name] for name in COLUMNS} | _numbers(table) | _extras(table) | _fields(table)


def _numbers(table: ScoreTable) -> Arrays:
    """Return the numbers of runs and cases where what names them would not put the same rows together again."""
    # Cells are read without the blanks around them.
    names = [tuple(map(str.strip, (run.run_id, run.set_name, run.set_version, run.arm))) for run in table.runs]
    ids = zip(map(str.strip, table.cases.case_id), table.cases.dup.tolist(), strict=True)
    log, of_id = _places([name[:3] for name in names]), _places(list(ids))
    n_cases = max(len(table.cases), 1)
    run, case = np.divmod(np.unique(table.run.astype(np.int64) * n_cases + table.case), n_cases)
    columns: Arrays = {}
    used: list[int] = np.unique(run).tolist()
    if len({names[one] for one in used}) < len(used):
        columns[RUN_NUMBER_COLUMN] = table.run
    # Rows are read as one case if they agree in log and id: that must be so for the rows of a case, and for no others.
    named = log[run] * n_cases + of_id[case]
    pairs = np.unique(np.unique(named, return_inverse=True)[1] * n_cases + case)
    if not np.unique(named).size == pairs.size == np.unique(case).size:
        columns[CASE_NUMBER_COLUMN] = table.case
    return columns


def _places(names: Sequence[Hashable]) -> NDArray[np.int64]:
    place: dict[Hashable, int] = {}
    return np.asarray([place.setdefault(name, len(place)) for name in names], dtype=np.int64)


def _extras(table: ScoreTable) -> Arrays:
    """Return the columns that are needed only where a log says more than a plain table does."""
    columns: Arrays = {}
    usual = Run(run_id="", set_name="", arm="", framework="table", file="")
    for name, attribute in RUN_COLUMNS.items():
        values = [getattr(run, attribute) for run in table.runs]
        if any(value != getattr(usual, attribute) for value in values):
            cells = [json.dumps(value, sort_keys=True) if isinstance(value, dict) else value for value in values]
            columns[name] = _objects([_text(cell) for cell in cells])[table.run]
    for name, attribute in METRIC_COLUMNS.items():
        values = [getattr(metric, attribute) for metric in table.metrics]
        if any(value is not None for value in values):
            columns[name] = _objects([_text(value) for value in values])[table.metric]
    cases = table.cases
    if cases.source_hash is not None:
        columns[HASH_COLUMNS[0]] = _objects(cases.source_hash)[table.case]
        columns[HASH_COLUMNS[1]] = _objects([cases.source_hash_scheme] * len(table))
    if cases.id_is_row_number:
        columns[ROW_NUMBER_COLUMN] = _objects(["true"] * len(table))
    return columns


def _fields(table: ScoreTable) -> Arrays:
    return {
        str(_whole(f"{FIELD_PREFIX}{name}" if name in RESERVED or name.startswith(FIELD_PREFIX) else name)): (
            _objects(values)[table.case]
        )
        for name, values in table.cases.fields.items()
    }


def _contents(table: ScoreTable) -> Arrays:
    if table.cases.contents is None:
        return {}
    found = table.cases.contents()
    parts = [
        [None if one is None else one.input for one in found],
        [None if one is None or one.choices is None else list(one.choices) for one in found],
        [None if one is None else one.target for one in found],
    ]
    return {
        name: _objects([_json(value) for value in values])[table.case]
        for name, values in zip(CONTENT_COLUMNS, parts, strict=True)
    }


def _json(value: object) -> str | None:
    return None if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None or value == "" else str(value)


def _objects(values: Sequence[object]) -> NDArray[np.object_]:
    array = np.empty(len(values), dtype=np.object_)
    array[:] = [_whole(value) for value in values]
    return array


def _whole(value: object) -> object:
    # JSON can spell half of a surrogate pair, which no UTF-8 file can hold.
    if isinstance(value, str) and not value.isascii():
        return value.encode("utf-8", errors="replace").decode()
    return value


def _write_parquet(columns: Arrays, path: Path) -> None:
    from evalgauge.engine import duck  # noqa: PLC0415 (the engine is loaded only where it is needed)

    duck.write_parquet(columns, path)


def _write_csv(columns: Arrays, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(_rows(columns))


def _write_jsonl(columns: Arrays, path: Path) -> None:
    import msgspec  # noqa: PLC0415 (not every command writes JSON)

    encoder = msgspec.json.Encoder()
    with path.open("wb") as file:
        for row in _rows(columns):
            file.write(encoder.encode(dict(zip(columns, row, strict=True))) + b"\n")


def _rows(columns: Mapping[str, NDArray[np.generic]]) -> zip[tuple[object, ...]]:
    lists: list[list[object]] = []
    for name, array in columns.items():
        cells: list[object] = array.tolist()
        lists.append([None if cell != cell else cell for cell in cells] if name == "score" else cells)  # noqa: PLR0124 (NaN)
    return zip(*lists, strict=True)


_WRITERS: dict[str, Callable[[Arrays, Path], None]] = {
    ".parquet": _write_parquet,
    ".csv": _write_csv,
    ".jsonl": _write_jsonl,
}
