"""Reads Every Eval Ever: the rows per sample (``*_samples.jsonl``) with the results that they belong to."""

from __future__ import annotations

import hashlib
import re
from itertools import islice
from typing import TYPE_CHECKING

from evalgauge.errors import UnknownFormatError
from evalgauge.formats.every_eval_ever_rows import Aggregate, SampleRow
from evalgauge.formats.every_eval_ever_table import table_of_rows
from evalgauge.formats.json_records import line_records
from evalgauge.formats.json_text import decoded
from evalgauge.formats.log_guard import reading
from evalgauge.formats.protocol import Source
from evalgauge.formats.several import head_of, table_of_each
from evalgauge.formats.wording import counted
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import ScoreTable

MAX_LOOKED_AT = 2_000
"""How many files below a folder are looked at before it is said to hold no samples."""
_HEAD_BYTES = 8_192
_ROW_KEYS = (b'"evaluation_id"', b'"model_id"', b'"evaluation_name"', b'"sample_id"')
# With a text behind it: the JSON schema of the format holds the same keys.
_TOTALS = tuple(
    re.compile(rb'"' + key + rb'"\s*:\s*' + value)
    for key, value in ((b"evaluation_id", b'"'), (b"retrieved_timestamp", b'"'), (b"source_metadata", rb"\{"))
)
_END = "_samples.jsonl"


class EveryEvalEverReader:
    """Reads a file of samples, the results that name one, or all of a folder."""

    name: str = "every-eval-ever"
    title: str = "Every Eval Ever results"

    def claims(self, source: Source) -> bool:
        """Return whether these are samples or results, or a folder that holds samples."""
        if source.is_folder:
            return next(_samples_in(source.path, MAX_LOOKED_AT), None) is not None
        return _are_samples(source.head) or _are_results(source.head)

    def read(self, source: Source, options: ReadOptions) -> ScoreTable:
        """Return the scores per sample; the results say what each is called and where it may lie.

        Raises
        ------
        LogError
            A file cannot be read, or the results stand there without their samples.
        """
        with reading(source.name):
            if source.is_folder:
                paths = sorted(_samples_in(source.path))
                return table_of_each(source, paths, lambda path: _table(path, _results_of(path), options), options)
            if _are_results(source.head):
                aggregate = _aggregate(source.path)
                samples = _samples_of(source.path, aggregate)
                if samples is None:
                    raise _without_samples(source.name, aggregate)
                return _table(samples, source.path, options)
            return _table(source.path, _results_of(source.path), options, label=source.name)

    def files(self, folder: Path) -> set[Path]:
        """Return the samples in a folder, and the results that go with them."""
        samples = set(_samples_in(folder))
        return samples | {results for path in samples if (results := _results_of(path)) is not None}


READER = EveryEvalEverReader()


def _table(samples: Path, results: Path | None, options: ReadOptions, label: str = "") -> ScoreTable:
    source = Source(path=samples, head=b"", is_folder=False, label=label)
    aggregate = None if results is None else _aggregate(results)
    rows = line_records(source, SampleRow, options)
    problems = list(rows.problems)
    if aggregate is None:
        text = "The results that these samples belong to are not beside them: ranges and directions are not known."
        problems.append(Problem(text=text, file=source.name))
    else:
        problems += _disagreements(aggregate, samples, len(rows.items))
    return table_of_rows(
        [row for _, row in rows.items],
        aggregate,
        options.words,
        file=source.name,
        is_cut=rows.is_cut,
        problems=problems,
    )


def _disagreements(aggregate: Aggregate, samples: Path, n_rows: int) -> Iterator[Problem]:
    detailed = aggregate.detailed_evaluation_results
    if detailed is None:
        return
    if detailed.total_rows is not None and detailed.total_rows != n_rows:
        of = counted(detailed.total_rows, "row", "rows")
        yield Problem(text=f"The results speak of {of}, the samples are {n_rows:,}.", file=str(samples))
    if detailed.checksum and (detailed.hash_algorithm or "sha256") == "sha256":
        with samples.open("rb") as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if found != detailed.checksum.lower():
            yield Problem(text="The samples are not those whose checksum the results hold.", file=str(samples))


def _aggregate(path: Path) -> Aggregate:
    return decoded(path.read_bytes(), Aggregate, file=str(path))


def _samples_of(results: Path, aggregate: Aggregate) -> Path | None:
    detailed = aggregate.detailed_evaluation_results
    named = [results.parent / re.split(r"[/\\]", detailed.file_path)[-1]] if detailed and detailed.file_path else []
    beside = (*named, results.with_name(results.stem + _END))
    return next((path for path in beside if path.is_file()), None)


def _results_of(samples: Path) -> Path | None:
    """Return the results beside samples: those of the same name, or those that name them."""
    if samples.name.endswith(_END):
        named = samples.with_name(samples.name.removesuffix(_END) + ".json")
        if named.is_file() and _are_results(head_of(named, _HEAD_BYTES)):
            return named
    wanted = samples.name.encode()
    beside = (path for path in sorted(samples.parent.glob("*.json")) if _are_results(head_of(path, _HEAD_BYTES)))
    return next((path for path in beside if wanted in path.read_bytes()), None)


def _without_samples(file: str, aggregate: Aggregate) -> UnknownFormatError:
    totals = [
        f"{one.evaluation_name}: {one.score_details.score:g}"
        for one in aggregate.evaluation_results[:3]
        if one.score_details and one.score_details.score is not None
    ]
    detailed = aggregate.detailed_evaluation_results
    wanted = re.split(r"[/\\]", detailed.file_path)[-1] if detailed and detailed.file_path else f"…{_END}"
    listed = f" ({', '.join(totals)})" if totals else ""
    what = f"holds totals only{listed}."
    return UnknownFormatError(file, what, hint=f"An interval needs the scores per sample: put {wanted} beside it.")


def _samples_in(folder: Path, most: int | None = None) -> Iterator[Path]:
    for path in islice(folder.rglob("*.jsonl"), most):
        if path.is_file() and _are_samples(head_of(path, _HEAD_BYTES)):
            yield path


def _are_samples(head: bytes) -> bool:
    first = head.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")[0]
    return first.startswith(b"{") and all(key in first for key in _ROW_KEYS) and b'"evaluation_results"' not in first


def _are_results(head: bytes) -> bool:
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    return text.startswith(b"{") and all(mark.search(text) for mark in _TOTALS)
