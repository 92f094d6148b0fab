"""How a reader makes a ``ScoreTable``: it declares runs, cases and metrics, adds rows, and builds once."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ScoreError
from evalgauge.scores.table import CaseContent, Cases, Metric, Problem, Run, ScoreTable, Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


class TableBuilder:
    """Collect rows; ``build`` checks them and infers what kind each metric is.

    Examples
    --------
    >>> builder = TableBuilder()
    >>> run = builder.add_run(Run(run_id="r", set_name="faq", arm="base", framework="table", file="base.csv"))
    >>> accuracy = builder.metric_index("accuracy")
    >>> case = builder.case_index("q1", content=CaseContent(input="2+2?", target="4"))
    >>> builder.add(run=run, case=case, rep=1, metric=accuracy, score=1.0)
    >>> print(builder.build())
    1 cases, 1 rows (1 scored), arms: base; metrics: accuracy
    """

    def __init__(self) -> None:
        self._runs: list[Run] = []
        self._metrics: dict[str, Metric] = {}
        self._metric_index: dict[str, int] = {}
        self._case_index: dict[tuple[str, int], int] = {}
        self._contents: list[CaseContent | None] = []
        self._hashes: list[str | None] = []
        self._fields: list[Mapping[str, str | None]] = []
        self._rows: tuple[list[int], list[int], list[int], list[int], list[float], list[int], list[str | None]]
        self._rows = ([], [], [], [], [], [], [])
        self._problems: list[Problem] = []
        self.hash_scheme = ""
        self.id_is_row_number = False

    def add_run(self, run: Run) -> int:
        """Declare a run and return its index."""
        self._runs.append(run)
        return len(self._runs) - 1

    def metric_index(
        self,
        name: str,
        *,
        low: float | None = None,
        high: float | None = None,
        higher_is_better: bool | None = None,
    ) -> int:
        """Return the index of a metric, declaring it at its first use."""
        index = self._metric_index.get(name)
        if index is None:
            index = self._metric_index[name] = len(self._metric_index)
            # "continuous" is a start value: build() infers the kind from all the scores.
            self._metrics[name] = Metric(
                name=name, kind="continuous", low=low, high=high, higher_is_better=higher_is_better
            )
        return index

    def case_index(
        self,
        case_id: str,
        *,
        dup: int = 0,
        content: CaseContent | None = None,
        source_hash: str | None = None,
        fields: Mapping[str, str | None] | None = None,
    ) -> int:
        """Return the index of a case, declaring it at its first use; later contents and fields are not looked at."""
        key = (case_id, dup)
        index = self._case_index.get(key)
        if index is None:
            index = self._case_index[key] = len(self._case_index)
            self._contents.append(content)
            self._hashes.append(source_hash)
            self._fields.append(fields or {})
        return index

    def add(
        self,
        *,
        run: int,
        case: int,
        rep: int,
        metric: int,
        score: float | None,
        status: Status = Status.OK,
        raw: str | None = None,
    ) -> None:
        """Add one row. A missing or NaN score with ``Status.OK`` and no ``raw`` word becomes ``Status.UNSCORED``."""
        value = math.nan if score is None else float(score)
        if status == Status.OK and not math.isfinite(value) and raw is None:
            status = Status.UNSCORED
        if status != Status.OK or not math.isfinite(value):
            value = math.nan
        for column, entry in zip(self._rows, (run, case, rep, metric, value, int(status), raw), strict=True):
            column.append(entry)  # type: ignore[arg-type]

    def problem(self, text: str, *, file: str = "", record: str = "", count: int = 1) -> None:
        """Record something that could not be taken as it was."""
        self._problems.append(Problem(text=text, file=file, record=record, count=count))

    def build(self) -> ScoreTable:
        """Return the table; the kinds of the metrics are inferred from the scores that are there."""
        run, case, rep, metric, score, status, raw = self._rows
        scores = np.asarray(score, dtype=np.float64)
        statuses = np.asarray(status, dtype=np.int8)
        metrics = np.asarray(metric, dtype=np.int32)
        contents = tuple(self._contents)
        keys = tuple(self._case_index)
        return ScoreTable(
            runs=tuple(self._runs),
            metrics=inferred_metrics(tuple(self._metrics.values()), metrics, scores, statuses, raw),
            cases=Cases(
                case_id=tuple(case_id for case_id, _ in keys),
                dup=np.asarray([dup for _, dup in keys], dtype=np.int32),
                fields=_columns(self._fields),
                contents=(lambda: contents) if any(content is not None for content in contents) else None,
                source_hash=tuple(self._hashes) if self.hash_scheme else None,
                source_hash_scheme=self.hash_scheme,
                id_is_row_number=self.id_is_row_number,
            ),
            run=np.asarray(run, dtype=np.int32),
            case=np.asarray(case, dtype=np.int32),
            rep=_reps(rep),
            metric=metrics,
            score=scores,
            status=statuses,
            raw=tuple(raw) if any(word is not None for word in raw) else None,
            problems=tuple(self._problems),
        )


def _reps(numbers: list[int]) -> NDArray[np.int32]:
    try:
        return np.asarray(numbers, dtype=np.int32)
    except OverflowError as fault:
        limit = np.iinfo(np.int32).max
        far = next(number for number in numbers if not -limit <= number <= limit)
        # A number of thousands of digits cannot be written.
        digits = int(far.bit_length() * math.log10(2)) + 1
        raise ScoreError(
            f"A rep has a number of {digits:,} digits; up to {limit:,} can be read. Is the log damaged?"
        ) from fault


def inferred_metrics(
    declared: tuple[Metric, ...],
    metric: NDArray[np.int32],
    score: NDArray[np.float64],
    status: NDArray[np.int8],
    raw: Sequence[str | None] | None,
) -> tuple[Metric, ...]:
    """Return the metrics with their kinds.

    Binary only if every scored value is 0 or 1; categorical if some row holds a word that has no number.
    """
    found: list[Metric] = []
    # Sorted once: a table may have a metric in each of 100,000 columns.
    order = np.argsort(metric, kind="stable")
    ends = np.searchsorted(metric[order], np.arange(len(declared) + 1))
    for one, start, end in zip(declared, ends[:-1], ends[1:], strict=True):
        rows = order[start:end]
        rows = rows[status[rows] == Status.OK]
        values = score[rows]
        if np.isnan(values).any():
            where: list[int] = rows[np.isnan(values)].tolist()
            words = Counter(str(raw[row]) for row in where) if raw is not None else Counter[str]()
            found.append(replace(one, kind="categorical", words=tuple(word for word, _ in words.most_common())))
        elif values.size and bool(((values == 0) | (values == 1)).all()):
            found.append(replace(one, kind="binary"))
        else:
            found.append(one)
    return tuple(found)


def _columns(records: Sequence[Mapping[str, str | None]]) -> dict[str, tuple[str | None, ...]]:
    names: dict[str, None] = {}
    for record in records:
        names.update(dict.fromkeys(record))
    return {name: tuple(record.get(name) for record in records) for name in names}
