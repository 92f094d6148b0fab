"""Samples of Every Eval Ever as a ``ScoreTable``."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from evalgauge.formats.aliases import REP, SERIES_REP
from evalgauge.formats.case_fields import field_text, grouping_fields
from evalgauge.formats.every_eval_ever_rows import EvaluationResult, MetricConfig
from evalgauge.formats.json_text import is_array, text_of
from evalgauge.formats.score_words import MISSING, Reading, score_reading
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.table import CaseContent, Run, Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from evalgauge.formats.every_eval_ever_rows import Aggregate, Input, SampleRow
    from evalgauge.scores.table import Json, Problem, RepSource, ScoreTable

OWN = "evalgauge."
"""Put before the names of metadata that ``convert`` writes and that are no field of the case."""
HASH_SCHEME = "every-eval-ever sample_hash"
_UNKNOWN_LEVEL = -1
_REPS = tuple(name for name in REP if name not in SERIES_REP)


class _RunKey(NamedTuple):
    evaluation: str
    set_name: str
    model: str


def table_of_rows(
    rows: Sequence[SampleRow],
    aggregate: Aggregate | None,
    words: Mapping[str, float],
    *,
    file: str,
    is_cut: bool,
    problems: Iterable[Problem],
) -> ScoreTable:
    """Return the table of a file of samples.

    Parameters
    ----------
    rows
        At least one.
    aggregate
        The results that they belong to; ``None`` where these are not there.
    words
        The user's numbers for words.
    file
        What messages call the samples.
    is_cut
        Whether they end early.
    problems
        What was met while reading.
    """
    builder = TableBuilder()
    builder.hash_scheme = HASH_SCHEME
    for problem in problems:
        builder.problem(problem.text, file=problem.file, record=problem.record, count=problem.count)
    metrics = _Metrics(rows, aggregate)
    cases = _CasesOfRows(rows, builder)
    keys = [_RunKey(row.evaluation_id, row.evaluation_name, row.model_id) for row in rows]
    reps, source = _reps(rows, keys, cases.index)
    runs: dict[_RunKey, int] = {}
    for row, key, case, rep in zip(rows, keys, cases.index, reps, strict=True):
        if key not in runs:
            runs[key] = builder.add_run(_run(key, aggregate, file, is_cut=is_cut, rep_source=source))
        config = metrics.config(row)
        reading = _reading(row, config, words)
        builder.add(
            run=runs[key],
            case=case,
            rep=rep,
            metric=metrics.index(row, builder),
            score=reading.score,
            raw=reading.raw,
            status=_status(row, reading),
        )
    if source == "inferred":
        most = max(reps)
        text = f"Samples come up to {most} times by one metric: read as reps, in order; the format numbers none."
        builder.problem(text, file=file)
    table = builder.build()
    return replace(table, cases=replace(table.cases, **cases.columns()))


class _Metrics:
    """What each result is called: its metric where that tells the results of a set apart, else its id."""

    def __init__(self, rows: Sequence[SampleRow], aggregate: Aggregate | None) -> None:
        listed = aggregate.evaluation_results if aggregate else []
        self._by_id = {one.evaluation_result_id: one for one in listed if one.evaluation_result_id}
        self._by_name: defaultdict[str, list[EvaluationResult]] = defaultdict(list)
        for one in listed:
            self._by_name[one.evaluation_name].append(one)
        ids: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for row in rows:
            ids[row.evaluation_name][row.evaluation_result_id] = None
        self._names: dict[tuple[str, str], str] = {}
        for name, of_name in ids.items():
            found = {one: self._metric(name, one) for one in of_name}
            is_clear = len(set(found.values())) == len(found)
            self._names.update({(name, one): found[one] if is_clear else one or "score" for one in of_name})

    def _result(self, name: str, result_id: str) -> EvaluationResult | None:
        if result_id in self._by_id:
            return self._by_id[result_id]
        of_name = self._by_name.get(name, [])
        return of_name[0] if len(of_name) == 1 else None

    def _metric(self, name: str, result_id: str) -> str:
        result = self._result(name, result_id)
        config = result.metric_config if result else MetricConfig()
        return config.metric_name or config.metric_id or "score"

    def config(self, row: SampleRow) -> MetricConfig:
        """Return what is known about the metric of a row."""
        result = self._result(row.evaluation_name, row.evaluation_result_id)
        return result.metric_config if result else MetricConfig()

    def index(self, row: SampleRow, builder: TableBuilder) -> int:
        """Return the metric of a row."""
        config = self.config(row)
        return builder.metric_index(
            self._names[row.evaluation_name, row.evaluation_result_id],
            low=_end(config.min_score),
            high=_end(config.max_score),
            higher_is_better=None if config.lower_is_better is None else not config.lower_is_better,
        )


class _CasesOfRows:
    """The case of each row: an id within its set, and by content where one id has several."""

    def __init__(self, rows: Sequence[SampleRow], builder: TableBuilder) -> None:
        self.index: list[int] = []
        self._metadata: dict[int, Mapping[str, str | None]] = {}
        sets = dict.fromkeys(row.evaluation_name for row in rows)
        copies: defaultdict[str, dict[bytes, int]] = defaultdict(dict)
        for row in rows:
            name = row.sample_id if len(sets) == 1 else f"{row.evaluation_name}/{row.sample_id}"
            own = _own(row)
            mark = msgspec.json.encode([row.input.raw, row.input.reference, row.input.choices, own.get("case_dup")])
            dup = copies[name].setdefault(mark, len(copies[name]))
            case = builder.case_index(
                name, dup=dup, content=_content(row.input), source_hash=row.sample_hash, fields=None
            )
            self.index.append(case)
            if case not in self._metadata:
                self._metadata[case] = {**_plain(row), **{f"{OWN}{key}": value for key, value in own.items()}}

    def columns(self) -> dict[str, object]:
        """Return the columns of ``Cases`` that metadata hold: fields, and fingerprints of withheld contents."""
        several = [self._metadata[case] for case in range(len(self._metadata))]
        names = dict.fromkeys(name for one in several for name in one)
        columns = {name: tuple(one.get(name) for one in several) for name in names}
        prints = {name: columns.pop(f"{OWN}{name}", None) for name in ("case_fp", "input_fp")}
        kept = {name: column for name, column in columns.items() if not name.startswith(OWN)}
        return {"fields": grouping_fields(kept), **prints}


def _own(row: SampleRow) -> dict[str, str | None]:
    metadata = row.metadata or {}
    return {name.removeprefix(OWN): field_text(value) for name, value in metadata.items() if name.startswith(OWN)}


def _plain(row: SampleRow) -> dict[str, str | None]:
    """Return the metadata that can be fields of the case."""
    found = {name: field_text(value) for name, value in (row.metadata or {}).items()}
    return {name: value for name, value in found.items() if not name.startswith(OWN) and name.lower() not in _REPS}


def _content(asked: Input) -> CaseContent | None:
    if not (asked.raw or asked.choices):
        return None
    expected: object = asked.reference
    target = cast("Json", expected[0] if is_array(expected) and len(expected) == 1 else expected)
    return CaseContent(input=asked.raw, choices=tuple(asked.choices) if asked.choices else None, target=target or None)


def _reps(rows: Sequence[SampleRow], keys: Sequence[_RunKey], cases: Sequence[int]) -> tuple[list[int], RepSource]:
    """Return the rep of each row, and where it comes from: metadata if they number the rows, else the order."""
    places = [(key, case, row.evaluation_result_id) for row, key, case in zip(rows, keys, cases, strict=True)]
    for name in (f"{OWN}rep", *_REPS):
        texts = [text_of((row.metadata or {}).get(name, "")) for row in rows]
        if not all(text.isascii() and text.isdigit() and len(text) < 7 for text in texts):
            continue
        first = min(map(int, texts))
        numbers = [int(text) + (first == 0) for text in texts]
        if first in (0, 1) and len(set(zip(places, numbers, strict=True))) == len(rows):
            return numbers, "explicit"
    seen: Counter[object] = Counter()
    found: list[int] = []
    for place in places:
        seen[place] += 1
        found.append(seen[place])
    return found, "inferred" if max(found) > 1 else "none"


def _run(key: _RunKey, aggregate: Aggregate | None, file: str, *, is_cut: bool, rep_source: RepSource) -> Run:
    known = aggregate if aggregate is not None and aggregate.evaluation_id == key.evaluation else None
    detail = {"model": key.model}
    if known:
        library = f"{known.eval_library.name} {known.eval_library.version}".replace("unknown", "").strip()
        detail |= {"platform": known.model_info.inference_platform or "", "library": library}
    return Run(
        run_id=f"{key.evaluation}/{key.set_name}/{key.model}",
        set_name=key.set_name,
        arm=key.model,
        arm_detail={name: value for name, value in detail.items() if value},
        framework="every-eval-ever",
        file=file,
        state="partial" if is_cut else "complete",
        created=(known.evaluation_timestamp or known.retrieved_timestamp or "") if known else "",
        rep_source=rep_source,
    )


def _end(value: float | str | None) -> float | None:
    return float(value) if isinstance(value, (int, float)) and isfinite(value) else None


def _reading(row: SampleRow, config: MetricConfig, words: Mapping[str, float]) -> Reading:
    if row.error:
        return MISSING
    reading = score_reading(row.evaluation.score, words)
    return MISSING if config.has_unknown_level and reading.score == _UNKNOWN_LEVEL else reading


def _status(row: SampleRow, reading: Reading) -> Status:
    if row.error:
        return Status.ERROR
    return Status.UNSCORED if reading == MISSING else Status.OK
