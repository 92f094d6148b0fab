"""A blessed baseline: a small JSON file with the scores of one arm on one set, hashes in place of what the cases ask.

It is read like any log. It is written only when somebody blesses a log, so that the baseline never moves by itself.
"""

from __future__ import annotations

import hashlib
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias, cast

import msgspec
import numpy as np

from evalgauge.errors import ArgumentError, LogError
from evalgauge.formats.json_text import decoded
from evalgauge.formats.plain_text import digest_of
from evalgauge.formats.planned import MOST_NUMBER
from evalgauge.formats.writers import checked_place, write_beside
from evalgauge.scores.build import inferred_metrics
from evalgauge.scores.identity import fingerprints
from evalgauge.scores.table import Cases, Metric, Run, ScoreTable, Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.formats.protocol import ReadOptions, Source
    from evalgauge.scores.table import RepKind, RepSource

VERSION = 1
BLESSED, NOTE, FROM, SET_HASH = "blessed", "blessed_note", "blessed_from", "set_hash"
"""Keys of ``Run.arm_detail`` that say when, why and from what a baseline was blessed, and which set it holds."""

_HEAD = re.compile(rb'\s*\{\s*"evalgauge_baseline"\s*:')


Small: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=MOST_NUMBER)]


class _Run(msgspec.Struct, kw_only=True):
    run_id: str
    set_name: str
    set_version: str
    arm: str
    framework: str
    framework_version: str
    state: str
    created: str
    rep_source: str
    rep_kind: str


class _Metric(msgspec.Struct, kw_only=True):
    name: str
    low: float | None = None
    high: float | None = None
    higher_is_better: bool | None = None


class _Cases(msgspec.Struct, kw_only=True):
    id: list[str]
    dup: list[Small]
    case_fp: list[str | None]
    input_fp: list[str | None]
    fields: dict[str, list[str | None]]
    source_hash: list[str | None] | None = None
    source_hash_scheme: str = ""
    id_is_row_number: bool = False


class _Rows(msgspec.Struct, kw_only=True):
    case: list[Small]
    rep: list[Small]
    metric: list[Small]
    score: list[float | None]
    status: list[str]


class _Baseline(msgspec.Struct, kw_only=True):
    evalgauge_baseline: int
    blessed: str
    note: str
    set_hash: str
    files: list[str]
    run: _Run
    metrics: list[_Metric]
    cases: _Cases
    rows: _Rows


def write_baseline(
    table: ScoreTable, output: str | Path, *, blessed: str, note: str = "", overwrite: bool = False
) -> Path:
    r"""Write the scores of one arm on one set as a baseline.

    Parameters
    ----------
    table
        One logical run.
    output
        File to write, ``.json``.
    blessed
        When, as an ISO time.
    note
        Why, in the words of who blesses it.
    overwrite
        Whether a baseline that is there may be replaced.

    Returns
    -------
    Path
        The file. It holds hashes, ids, slice fields and scores; no prompt, answer or argument of the system.

    Raises
    ------
    ArgumentError
        If the file is no ``.json``, is there already, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from evalgauge.formats import read
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "run.csv").write_text("case,score\nq1,1\nq2,0\n")
    >>> written = write_baseline(read(folder / "run.csv"), folder / "baseline.json", blessed="2025-07-07")
    >>> print(read(written))
    2 cases, 2 rows (2 scored), arms: run; metrics: score
    """
    target = Path(output)
    checked_place(target, overwrite=overwrite)
    if target.suffix.lower() != ".json":
        raise ArgumentError("output", str(target), "a file that ends in .json")
    text = msgspec.json.encode(_document(table, blessed, note)) + b"\n"
    write_beside(target, lambda part: part.write_bytes(text))
    return target


def set_hash(case_fps: Sequence[str | None], ids: Sequence[str]) -> str:
    """Return one hash of a set: of what its cases ask where that is known, else of their ids; the order is no part."""
    names = sorted(fp if fp is not None else f"id:{case_id}" for fp, case_id in zip(case_fps, ids, strict=True))
    return hashlib.blake2b("\n".join(names).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _document(table: ScoreTable, blessed: str, note: str) -> _Baseline:
    run, cases = table.runs[0], table.cases
    prints = fingerprints(cases)
    scores: list[float] = table.score.tolist()
    statuses: list[int] = table.status.tolist()
    return _Baseline(
        evalgauge_baseline=VERSION,
        blessed=blessed,
        note=note,
        set_hash=set_hash(prints.case_fp, cases.case_id),
        files=[Path(one.file).name for one in table.runs],
        run=_Run(**{name: str(getattr(run, name)) for name in _Run.__struct_fields__}),
        metrics=[
            _Metric(name=one.name, low=one.low, high=one.high, higher_is_better=one.higher_is_better)
            for one in table.metrics
        ],
        cases=_Cases(
            id=list(cases.case_id),
            dup=cases.dup.tolist(),
            case_fp=list(prints.case_fp),
            input_fp=list(prints.input_fp),
            fields={name: list(values) for name, values in cases.fields.items()},
            source_hash=None if cases.source_hash is None else list(cases.source_hash),
            source_hash_scheme=cases.source_hash_scheme,
            id_is_row_number=cases.id_is_row_number,
        ),
        rows=_Rows(
            case=table.case.tolist(),
            rep=table.rep.tolist(),
            metric=table.metric.tolist(),
            score=[score if math.isfinite(score) else None for score in scores],
            status=[Status(status).name.lower() for status in statuses],
        ),
    )


class BlessedReader:
    """Reads a blessed baseline."""

    name: str = "baseline"
    title: str = "blessed baseline"

    def claims(self, source: Source) -> bool:
        """Return whether the file starts as a baseline does."""
        return _HEAD.match(source.head) is not None

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return its scores.

        Raises
        ------
        LogError
            If the file was cut, edited into something else, or written by a newer version.
        """
        del options
        try:
            found = decoded(source.path.read_bytes(), _Baseline, file=source.name)
        except LogError as fault:
            hint = "A baseline is not edited by hand: bless the log again."
            reason = str(fault).removeprefix(f"{source.name}: ").rstrip(".")
            raise LogError(source.name, f"is no whole baseline: {reason}.", hint=hint) from fault
        if found.evalgauge_baseline > VERSION:
            raise LogError(source.name, "was written by a newer evalgauge.", hint="Update evalgauge.")
        return _table(found, source)


READER = BlessedReader()


def _table(found: _Baseline, source: Source) -> ScoreTable:
    rows, cases = found.rows, found.cases
    lengths = {len(getattr(rows, field)) for field in rows.__struct_fields__}
    sizes = {len(cases.id), len(cases.dup), len(cases.case_fp), len(cases.input_fp)}
    sizes |= {len(values) for values in cases.fields.values()}
    numbers = (*rows.case, -1) if rows.case else (-1,)
    if len(lengths) > 1 or len(sizes) > 1 or max(numbers) >= len(cases.id) or min((0, *rows.case)) < 0:
        raise LogError(source.name, "holds columns of different lengths.", hint="Bless the log again.")
    if set(rows.metric) - set(range(len(found.metrics))):
        raise LogError(source.name, "names a metric that it does not hold.", hint="Bless the log again.")
    try:
        status = np.asarray([Status[word.upper()] for word in rows.status], dtype=np.int8)
    except KeyError as fault:
        raise LogError(source.name, f"holds the status {fault}.", hint="Bless the log again.") from fault
    score = np.asarray([math.nan if one is None else one for one in rows.score], dtype=np.float64)
    score = np.where(status == Status.OK, score, np.nan)
    metric = np.asarray(rows.metric, dtype=np.int32)
    of = found.run
    run = Run(
        run_id=of.run_id or digest_of(source.path),
        set_name=of.set_name,
        set_version=of.set_version,
        arm=of.arm,
        framework=of.framework,
        framework_version=of.framework_version,
        file=source.name,
        state=of.state,
        created=of.created,
        rep_source=cast("RepSource", of.rep_source),
        rep_kind=cast("RepKind", of.rep_kind),
        arm_detail={
            BLESSED: found.blessed,
            NOTE: found.note,
            FROM: ", ".join(found.files),
            SET_HASH: found.set_hash,
        },
    )
    declared = tuple(
        Metric(name=one.name, kind="continuous", low=one.low, high=one.high, higher_is_better=one.higher_is_better)
        for one in found.metrics
    )
    return ScoreTable(
        runs=(run,),
        metrics=inferred_metrics(declared, metric, score, status, None),
        cases=Cases(
            case_id=tuple(cases.id),
            dup=np.asarray(cases.dup, dtype=np.int32),
            fields={name: tuple(values) for name, values in cases.fields.items()},
            source_hash=None if cases.source_hash is None else tuple(cases.source_hash),
            source_hash_scheme=cases.source_hash_scheme,
            case_fp=tuple(cases.case_fp),
            input_fp=tuple(cases.input_fp),
            id_is_row_number=cases.id_is_row_number,
        ),
        run=np.zeros(len(rows.case), dtype=np.int32),
        case=np.asarray(rows.case, dtype=np.int32),
        rep=np.asarray(rows.rep, dtype=np.int32),
        metric=metric,
        score=score,
        status=status,
    )
