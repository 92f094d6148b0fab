"""lm-evaluation-harness rows as a ``ScoreTable``: filters, runs appended to one file, planned documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from evalgauge.errors import LogError
from evalgauge.formats.arm_names import arm_names
from evalgauge.formats.case_fields import FieldCollector, LazyFields
from evalgauge.formats.json_text import is_object
from evalgauge.formats.lm_eval_layout import file_runs, row_layout
from evalgauge.formats.lm_eval_rows import documents
from evalgauge.formats.planned import check_plan
from evalgauge.formats.score_words import score_reading
from evalgauge.scores.build import inferred_metrics
from evalgauge.scores.table import CaseContent, Cases, Metric, Problem, Run, ScoreTable, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from evalgauge.formats.case_fields import Columns
    from evalgauge.formats.lm_eval_layout import Layout, SamplesFile
    from evalgauge.formats.lm_eval_rows import Value
    from evalgauge.scores.table import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class _Block:
    """Rows of the table that go together, in columns."""

    run: NDArray[np.int32]
    case: NDArray[np.int32]
    metric: NDArray[np.int32]
    score: NDArray[np.float64]
    status: NDArray[np.int8]
    raw: list[str | None] | None = None


class _Added(NamedTuple):
    """The first run of a file as it was added: its cases and filters row by row, and per filter its metrics."""

    one: SamplesFile
    run: int
    cases: NDArray[np.int32]
    filter: NDArray[np.intp]
    metrics: list[list[int]]


def table_of_files(files: Sequence[SamplesFile], *, words: Mapping[str, float], file: str) -> ScoreTable:
    """Return the table of one or more samples files.

    Parameters
    ----------
    files
        As they were read.
    words
        The user's numbers for words.
    file
        What the user named, for the error.

    Raises
    ------
    LogError
        No file holds a score per document.
    """
    assembly = _Assembly(files, words)
    if not assembly.blocks:
        hint = "Metrics such as bleu and mcc exist for the whole set only; --log_samples logs no score per document."
        raise LogError(file, "holds no metric with one score for each document.", hint=hint)
    return assembly.table()


class _Assembly:
    """The table while it is put together."""

    def __init__(self, files: Sequence[SamplesFile], words: Mapping[str, float]) -> None:
        self._words = words
        self._several_sets = len({one.facts.set_name for one in files}) > 1
        self._by_id: dict[str, dict[int | str, int]] = {}
        self._other_cases: dict[tuple[str, int | str, str | None], int] = {}
        self._names: list[str] = []
        self._dups: list[int] = []
        self._taken: set[str] = set()
        self._hashes: list[str | None] = []
        self._sets: list[str] = []
        self._sources: list[tuple[Path, list[int], NDArray[np.int32]]] = []
        self._metrics: dict[str, Metric] = {}
        self._runs: list[Run] = []
        self._problems: list[Problem] = []
        self.blocks: list[_Block] = []
        arms = arm_names([(one.facts.set_name, {"model": one.facts.arm, **one.facts.arm_detail}) for one in files])
        # Documents that a file lacks may be in the next one, so they are looked for when all are known.
        lacking = [self._add(one, arm) for one, arm in zip(files, arms, strict=True)]
        for added in lacking:
            self._add_lacking(added)

    def _say(self, text: str, file: Path | str, count: int = 1) -> None:
        self._problems.append(Problem(text=text, file=str(file), count=count))

    def _add(self, one: SamplesFile, arm: str) -> _Added:
        rows, facts = one.rows, one.facts
        self._problems.extend(rows.problems)
        cases = self._cases(one)
        layout = row_layout(rows, cases, facts.filters)
        runs = int(layout.run.max()) + 1
        first_run = len(self._runs)
        metrics: list[list[int]] = []
        block_start = len(self.blocks)
        for name, values in rows.values.items():
            ids = [self._metric(f"{name},{label}", facts.higher_is_better.get(name)) for label in layout.names]
            metrics.append(ids)
            score, status, raw = self._scores(values, one.path)
            self.blocks.append(
                _Block(
                    run=(layout.run + first_run).astype(np.int32),
                    case=cases,
                    metric=np.asarray(ids, dtype=np.int32)[layout.filter],
                    score=score,
                    status=status,
                    raw=raw,
                )
            )
        scores = np.concatenate([np.empty(0), *(block.score for block in self.blocks[block_start:])])
        self._runs += file_runs(one, arm, runs, scores)
        self._say_what_rows_are(one, layout, runs)
        first = layout.run == 0
        by_filter = [[ids[label] for ids in metrics] for label in range(len(layout.names))]
        return _Added(one, first_run, cases[first], layout.filter[first], by_filter)

    def _cases(self, one: SamplesFile) -> NDArray[np.int32]:
        """Return the case of each row: a document of the set, told by its number and its hash."""
        rows = one.rows
        by_id = self._by_id.setdefault(one.facts.set_name, {})
        start = len(self._names)
        new = [doc_id for doc_id in dict.fromkeys(rows.doc_ids) if doc_id not in by_id]
        by_id.update(zip(new, range(start, start + len(new)), strict=True))
        cases = np.fromiter(map(by_id.__getitem__, rows.doc_ids), dtype=np.int32, count=len(rows.doc_ids))
        # Of the rows about one document the first is to win: written backwards, it is written last.
        first = np.zeros(start + len(new), dtype=np.intp)
        first[cases[::-1]] = np.arange(cases.size - 1, -1, -1)
        new_first: list[int] = first[start:].tolist()
        self._new_cases(one.facts.set_name, new, [rows.doc_hashes[row] for row in new_first])
        listed: list[int] = cases.tolist()
        if len(new) < len(listed) and list(map(self._hashes.__getitem__, listed)) != rows.doc_hashes:
            self._split_by_hash(one, listed)
            cases = np.asarray(listed, dtype=np.int32)
        self._sources.append((one.path, rows.lines, cases))
        return cases

    def _split_by_hash(self, one: SamplesFile, cases: list[int]) -> None:
        """Give rows whose document is not that of their case a case of their own, in place."""
        again = 0
        for place, case in enumerate(cases):
            doc_hash = one.rows.doc_hashes[place]
            if doc_hash == self._hashes[case]:
                continue
            key = (one.facts.set_name, one.rows.doc_ids[place], doc_hash)
            if key not in self._other_cases:
                again += 1
                self._other_cases[key] = len(self._names)
                self._new_cases(one.facts.set_name, [key[1]], [doc_hash])
            cases[place] = self._other_cases[key]
        if again:
            text = "Documents with one doc_id differ in their doc_hash; they are kept as different cases."
            self._say(text, one.path, again)

    def _new_cases(self, set_name: str, doc_ids: Sequence[int | str], doc_hashes: Sequence[str | None]) -> None:
        names = list(map(str, doc_ids))
        if self._several_sets:
            names = [f"{set_name}/{name}" for name in names]
        before = len(self._taken)
        self._taken.update(names)
        if len(self._taken) == before + len(names):
            self._dups += [0] * len(names)
        else:
            counts = Counter(self._names)
            for name in names:
                self._dups.append(counts[name])
                counts[name] += 1
        self._names += names
        self._hashes += doc_hashes
        self._sets += [set_name] * len(names)

    def _metric(self, name: str, higher_is_better: bool | None) -> int:  # noqa: FBT001 (a fact, no switch)
        if name not in self._metrics:
            self._metrics[name] = Metric(name=name, kind="continuous", higher_is_better=higher_is_better)
        return list(self._metrics).index(name)

    def _scores(
        self, values: list[Value], path: Path
    ) -> tuple[NDArray[np.float64], NDArray[np.int8], list[str | None] | None]:
        raw: list[str | None] | None = None
        if str in set(map(type, values)):
            readings = [score_reading(value, self._words) if isinstance(value, str) else None for value in values]
            raw = [reading.raw if reading else None for reading in readings]
            values = [reading.score if reading else value for reading, value in zip(readings, values, strict=True)]
        # Missing values, which are None, become NaN.
        score = np.array(values, dtype=np.float64)
        infinite = int(np.isinf(score).sum())
        if infinite:
            self._say("Infinite scores are taken as missing.", path, infinite)
            score[np.isinf(score)] = np.nan
        scored = np.isfinite(score)
        if raw is not None:
            # A word without a number is a score of a categorical metric, and no missing one.
            scored |= np.array([word is not None for word in raw])
        return score, np.where(scored, Status.OK, Status.UNSCORED).astype(np.int8), raw

    def _add_lacking(self, added: _Added) -> None:
        """Add a row for each planned document that is not in the file, or not under one of its filters."""
        in_file = _mask(added.cases, len(self._names))
        absent = self._absent(added, int(in_file.sum()))
        lost = Status.UNREADABLE if _has_lost(added.one) else Status.NOT_RUN
        unfiltered = 0
        for label, metrics in enumerate(added.metrics):
            under_label = _mask(added.cases[added.filter == label], in_file.size)
            elsewhere = np.flatnonzero(in_file & ~under_label)
            unfiltered += elsewhere.size
            found = np.concatenate([absent, elsewhere]).astype(np.int32)
            for metric in metrics if found.size else []:
                self.blocks.append(
                    _Block(
                        run=np.full(found.size, added.run, dtype=np.int32),
                        case=found,
                        metric=np.full(found.size, metric, dtype=np.int32),
                        score=np.full(found.size, np.nan),
                        status=np.repeat([lost, Status.NOT_RUN], [absent.size, elsewhere.size]).astype(np.int8),
                    )
                )
        if unfiltered:
            text = "Some documents have a row under one filter and none under another; there they count as not run."
            self._say(text, added.one.path, unfiltered)

    def _absent(self, added: _Added, present: int) -> NDArray[np.int32]:
        """Return the cases of planned documents that the file lacks."""
        one = added.one
        effective = one.facts.effective
        if effective is None or present >= effective:
            return np.empty(0, dtype=np.int32)
        check_plan(effective, present, one.path.name)
        numbers = {doc_id for doc_id in one.rows.doc_ids if isinstance(doc_id, int)}
        text = f"{effective - present:,} of {effective:,} planned documents are not in the file"
        if len(numbers) < present or max(numbers) >= effective:
            # With --samples the numbers are those of the whole split: which ones were asked for is not recorded.
            self._say(f"{text}; which ones is not known.", one.path)
            return np.empty(0, dtype=np.int32)
        self._say(f"{text}; they count as {'unreadable' if _has_lost(one) else 'not run'}.", one.path)
        return self._planned_cases(one.facts.set_name, sorted(set(range(effective)) - numbers))

    def _planned_cases(self, set_name: str, numbers: Sequence[int]) -> NDArray[np.int32]:
        """Return the cases of documents that a file lacks; another file may have them."""
        known = self._by_id[set_name]
        new = [number for number in numbers if number not in known]
        known.update(zip(new, range(len(self._names), len(self._names) + len(new)), strict=True))
        self._new_cases(set_name, new, [None] * len(new))
        return np.asarray([known[number] for number in numbers], dtype=np.int32)

    def _say_what_rows_are(self, one: SamplesFile, layout: Layout, runs: int) -> None:
        facts = one.facts
        for name in sorted(one.rows.not_per_case):
            text = f"Metric {name!r} is left out: it exists for the whole set only, not for a document."
            self._say(text, one.path)
        if facts.repeats > 1:
            text = f"Each document was asked {facts.repeats} times, but lm-eval logs one score per filter: no reps."
            self._say(text, one.path)
        if facts.original and facts.effective and facts.effective < facts.original:
            text = (
                f"Only {facts.effective:,} of {facts.original:,} documents were to be run; --limit takes the first "
                "ones, which are no random sample of the set."
            )
            self._say(text, one.path)
        if runs > 1:
            text = f"The file holds {runs} runs, one appended to the other: they are attempts, and the last counts."
            self._say(text, one.path)
        if len(layout.names) > 1 and not any(one.rows.filters):
            text = (
                f"Rows name no filter (lm-eval before 0.4.7) and each document has {len(layout.names)}: they were told "
                f"apart by their order, as {', '.join(layout.names)}."
            )
            self._say(text, one.path)

    def table(self) -> ScoreTable:
        """Return the table."""
        score = np.concatenate([block.score for block in self.blocks])
        status = np.concatenate([block.status for block in self.blocks])
        metric = np.concatenate([block.metric for block in self.blocks])
        raw: list[str | None] | None = None
        if any(block.raw is not None for block in self.blocks):
            raw = [word for block in self.blocks for word in block.raw or [None] * block.score.size]
        return ScoreTable(
            runs=tuple(self._runs),
            metrics=inferred_metrics(tuple(self._metrics.values()), metric, score, status, raw),
            cases=Cases(
                case_id=tuple(self._names),
                dup=np.asarray(self._dups, dtype=np.int32),
                fields=LazyFields(self._fields),
                contents=self._contents,
                source_hash=tuple(self._hashes) if any(self._hashes) else None,
                source_hash_scheme="lm-eval doc_hash" if any(self._hashes) else "",
            ),
            run=np.concatenate([block.run for block in self.blocks]),
            case=np.concatenate([block.case for block in self.blocks]),
            rep=np.ones(score.size, dtype=np.int32),
            metric=metric,
            score=score,
            status=status,
            raw=None if raw is None else tuple(raw),
            problems=tuple(self._problems),
        )

    def _documents(self) -> Iterator[tuple[int, Mapping[str, object]]]:
        """Yield each case once, with the first row that is about it."""
        seen: set[int] = set()
        for path, lines, cases in self._sources:
            found, first = np.unique(cases, return_index=True)
            pairs: list[tuple[int, int]] = list(zip(first.tolist(), found.tolist(), strict=True))
            wanted = {lines[place]: case for place, case in pairs if case not in seen}
            seen.update(wanted.values())
            yield from documents(path, wanted)

    def _fields(self) -> Columns:
        collector = FieldCollector()
        for case, row in self._documents():
            doc = row.get("doc")
            if is_object(doc):
                collector.add(case, doc, target=row.get("target"))
        columns = collector.columns(len(self._names))
        if self._several_sets:
            columns.setdefault("task", tuple(self._sets))
        return columns

    def _contents(self) -> list[CaseContent | None]:
        contents: list[CaseContent | None] = [None] * len(self._names)
        for case, row in self._documents():
            contents[case] = CaseContent(input=cast("Json", row.get("doc")), target=cast("Json", row.get("target")))
        return contents


def _has_lost(one: SamplesFile) -> bool:
    """Return whether rows of a file could not be read, so that what it lacks was perhaps run."""
    return one.rows.is_cut or one.rows.has_gaps


def _mask(cases: NDArray[np.int32], size: int) -> NDArray[np.bool_]:
    mask = np.zeros(size, dtype=np.bool_)
    mask[cases] = True
    return mask
