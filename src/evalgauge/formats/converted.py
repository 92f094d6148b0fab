"""The project's own long table: its columns, and how a file that holds them is read back without loss.

One row is one (run, arm, set, case, rep, metric). Of the contents of cases it holds only hashes, so that a converted
log can be shared without giving the eval set away; the texts themselves are in it where the user asked for them.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import numpy as np

from evalgauge.errors import LogError
from evalgauge.formats.cells import cleaned_scores
from evalgauge.formats.columns import encoded, filled_codes, groups, texts
from evalgauge.formats.planned import MOST_NUMBER
from evalgauge.scores.build import inferred_metrics
from evalgauge.scores.table import CaseContent, Cases, Metric, Run, ScoreTable, Status

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from evalgauge.formats.columns import Column, Table
    from evalgauge.scores.table import Json, RepKind, RepSource

COLUMNS = (
    *("run_id", "set_name", "set_version", "arm", "case_id", "case_fp", "input_fp", "case_dup"),
    *("rep", "rep_source", "rep_kind", "metric", "score", "raw", "status"),
)
"""Always written, in this order."""

RUN_COLUMNS = {
    "run_framework": "framework",
    "run_framework_version": "framework_version",
    "run_state": "state",
    "run_attempt_of": "attempt_of",
    "run_created": "created",
    "run_planned_cases": "planned_cases",
    "run_planned_reps": "planned_reps",
    "arm_detail": "arm_detail",
}
"""Column → attribute of ``Run``; written where some run does not have the default."""

METRIC_COLUMNS = {"metric_low": "low", "metric_high": "high", "metric_higher_is_better": "higher_is_better"}
"""Column → attribute of ``Metric``; written where some metric declares it."""

HASH_COLUMNS = ("source_hash", "source_hash_scheme")
ROW_NUMBER_COLUMN = "case_id_is_row_number"
RUN_NUMBER_COLUMN, CASE_NUMBER_COLUMN = "run_number", "case_number"
"""Which rows belong to one run, and to one case; written where ids do not tell, or where two runs share a case."""
CONTENT_COLUMNS = ("content_input", "content_choices", "content_target")
"""What a case asks, its choices and what it expects, as JSON text; written only where the user asks for it."""
FIELD_PREFIX = "field."
"""Put before a field whose name is one of the columns above."""

RESERVED = frozenset({
    *(*COLUMNS, *RUN_COLUMNS, *METRIC_COLUMNS, *HASH_COLUMNS),
    *(ROW_NUMBER_COLUMN, RUN_NUMBER_COLUMN, CASE_NUMBER_COLUMN, *CONTENT_COLUMNS),
})  # fmt: skip
_NEEDED = frozenset({"run_id", "set_name", "arm", "case_id", "case_dup", "rep", "metric", "score", "status"})


def is_converted(table: Table) -> bool:
    """Return whether a table has the columns that ``write_table`` writes."""
    return set(table.names) >= _NEEDED


def table_of_converted(table: Table) -> ScoreTable:
    """Return the score table that was written.

    Raises
    ------
    LogError
        If a number or a status is not one of those that are written.
    """
    return _Converted(table).score_table()


def _small(text: str) -> int:
    number = int(text)
    if not 0 <= number <= MOST_NUMBER:
        raise ValueError(text)
    return number


class _Converted:
    def __init__(self, table: Table) -> None:
        self._table = table
        of_set = self._codes("run_id"), self._codes("set_name"), self._codes("set_version")
        self._run, self._run_first = self._numbered(RUN_NUMBER_COLUMN, *of_set, self._codes("arm"))
        # Arms of one log share its cases; the cases of two logs are never merged here, that is for pairing to say.
        by_id = *of_set, self._codes("case_id"), self._codes("case_dup")
        self._case, self._case_first = self._numbered(CASE_NUMBER_COLUMN, *by_id)
        self._metric, self._metric_first = groups(self._codes("metric"))

    def score_table(self) -> ScoreTable:
        metric = self._metric.astype(np.int32)
        score = cleaned_scores(self._table.column("score")).score
        status = self._statuses()
        score = np.where(status == Status.OK, score, np.nan)
        raw = self._row_texts("raw")
        rep = self._whole("rep")
        self._refuse_doubles(rep)
        return ScoreTable(
            runs=tuple(self._runs()),
            metrics=inferred_metrics(tuple(self._metrics()), metric, score, status, raw),
            cases=self._cases(),
            run=self._run.astype(np.int32),
            case=self._case.astype(np.int32),
            rep=rep.astype(np.int32),
            metric=metric,
            score=score,
            status=status,
            raw=raw,
            problems=self._table.problems,
        )

    def _column(self, name: str) -> Column | None:
        return self._table.column(name) if name in self._table.names else None

    def _codes(self, name: str) -> NDArray[np.int64]:
        return filled_codes(self._column(name), self._table.n_rows, "")[0]

    def _numbered(self, column: str, *codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return groups(self._codes(column)) if self._column(column) is not None else groups(*codes)

    def _at(self, name: str, rows: NDArray[np.int64]) -> list[str]:
        codes, names = filled_codes(self._column(name), self._table.n_rows, "")
        return [names[code] for code in codes[rows].tolist()]

    def _optional(self, name: str, rows: NDArray[np.int64]) -> tuple[str | None, ...] | None:
        column = self._column(name)
        if column is None or column.is_empty:
            return None
        return tuple(text or None for text in self._at(name, rows))

    def _row_texts(self, name: str) -> tuple[str | None, ...] | None:
        column = self._column(name)
        if column is None or column.is_empty:
            return None
        words = encoded(column)
        values = [*texts(words), None]
        return tuple(map(values.__getitem__, words.codes.tolist()))

    def _whole(self, name: str) -> NDArray[np.int64]:
        codes, names = filled_codes(self._column(name), self._table.n_rows, "")
        return np.asarray([self._read(_small, text, name, "a whole number") for text in names], dtype=np.int64)[codes]

    def _statuses(self) -> NDArray[np.int8]:
        codes, names = filled_codes(self._table.column("status"), self._table.n_rows, "")
        allowed = "one of " + ", ".join(status.name.lower() for status in Status)
        numbers = [self._read(lambda text: Status[text.upper()], text, "status", allowed) for text in names]
        return np.asarray(numbers, dtype=np.int8)[codes]

    def _read(self, how: Callable[[str], int], text: str, name: str, allowed: str) -> int:
        try:
            return int(how(text))
        except (KeyError, ValueError):
            raise LogError(
                self._table.file,
                f"holds {text!r}, allowed is {allowed}.",
                field=name,
                hint="The columns are those of `evalgauge convert`; rename them if this is another kind of table.",
            ) from None

    def _refuse_doubles(self, rep: NDArray[np.int64]) -> None:
        _, first = groups(self._run, self._case, rep, self._metric)
        if first.size == self._table.n_rows:
            return
        row = int(np.setdiff1d(np.arange(self._table.n_rows), first)[0])
        raise LogError(
            self._table.file,
            "holds a run, case, rep and metric that an earlier row holds.",
            record=f"row {row + 1}",
            hint="Every row of a converted log is written once; remove the copy.",
        )

    def _runs(self) -> list[Run]:
        first = self._run_first
        needed = ("run_id", "set_name", "set_version", "arm", "rep_source", "rep_kind", *RUN_COLUMNS)
        by_name = {name: self._at(name, first) for name in needed}
        return [self._one_run({name: values[place] for name, values in by_name.items()}) for place in range(first.size)]

    def _one_run(self, text: dict[str, str]) -> Run:
        detail = cast("dict[str, object]", json.loads(text["arm_detail"] or "{}"))
        return Run(
            run_id=text["run_id"],
            set_name=text["set_name"],
            set_version=text["set_version"],
            arm=text["arm"],
            framework=text["run_framework"] or "table",
            framework_version=text["run_framework_version"],
            file=self._table.file,
            state=text["run_state"] or "complete",
            attempt_of=text["run_attempt_of"],
            created=text["run_created"],
            rep_source=cast("RepSource", text["rep_source"] or "none"),
            rep_kind=cast("RepKind", text["rep_kind"] or "run"),
            planned_cases=int(text["run_planned_cases"]) if text["run_planned_cases"] else None,
            planned_reps=int(text["run_planned_reps"]) if text["run_planned_reps"] else None,
            arm_detail={key: str(value) for key, value in detail.items()},
        )

    def _metrics(self) -> list[Metric]:
        first = self._metric_first
        low, high, better = (self._at(name, first) for name in METRIC_COLUMNS)
        return [
            Metric(
                name=name,
                kind="continuous",
                low=float(low[place]) if low[place] else None,
                high=float(high[place]) if high[place] else None,
                higher_is_better=better[place].lower() == "true" if better[place] else None,
            )
            for place, name in enumerate(self._at("metric", first))
        ]

    def _cases(self) -> Cases:
        first = self._case_first
        fields: dict[str, tuple[str | None, ...]] = {}
        for name in self._table.names:
            if name not in RESERVED:
                values = self._optional(name, first)
                fields[name.removeprefix(FIELD_PREFIX)] = values or (None,) * first.size
        is_row_number = self._at(ROW_NUMBER_COLUMN, first)
        return Cases(
            case_id=tuple(self._at("case_id", first)),
            dup=self._whole("case_dup")[first].astype(np.int32),
            fields=fields,
            contents=self._contents(),
            source_hash=self._optional("source_hash", first),
            source_hash_scheme=next(iter(self._at("source_hash_scheme", first)), ""),
            case_fp=self._optional("case_fp", first),
            input_fp=self._optional("input_fp", first),
            id_is_row_number=any(text.lower() == "true" for text in is_row_number),
        )

    def _contents(self) -> Callable[[], Sequence[CaseContent | None]] | None:
        if all(self._column(name) is None for name in CONTENT_COLUMNS):
            return None
        columns = [self._optional(name, self._case_first) for name in CONTENT_COLUMNS]

        def contents() -> Sequence[CaseContent | None]:
            parts = [column or (None,) * self._case_first.size for column in columns]
            return tuple(self._content(*cells) for cells in zip(*parts, strict=True))

        return contents

    def _content(self, asked: str | None, choices: str | None, target: str | None) -> CaseContent | None:
        if asked is choices is target is None:
            return None
        several = self._value(choices)
        return CaseContent(
            input=self._value(asked),
            choices=tuple(str(one) for one in several) if isinstance(several, list) else None,
            target=self._value(target),
        )

    def _value(self, text: str | None) -> Json:
        try:
            return None if text is None else cast("Json", json.loads(text))
        except (ValueError, RecursionError):
            hint = "The columns are those of `evalgauge convert --with-content`; rename them if they are others."
            problem = f"holds a content that is no JSON: {text[:40]!r}." if text else "holds no JSON."
            raise LogError(self._table.file, problem, hint=hint) from None
