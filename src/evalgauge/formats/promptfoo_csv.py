"""promptfoo's CSV: one block of columns for each prompt and provider, one row a test and repeat.

It rounds scores to two decimals and holds neither assertions nor metadata; whether a test passed it says exactly.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from evalgauge.errors import LogError
from evalgauge.formats.cells import number_in
from evalgauge.formats.columns import encoded, texts
from evalgauge.formats.json_text import decoded
from evalgauge.formats.promptfoo_rows import Grading, Prompt, PromptfooLog, Row, TestCase
from evalgauge.formats.promptfoo_table import table_of_log
from evalgauge.scores.table import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalgauge.formats.columns import Table
    from evalgauge.formats.protocol import ReadOptions
    from evalgauge.scores.table import ScoreTable

PROMPTFOO = frozenset({"Status", "Score", "Named Scores", "Grader Reason"})
"""Column names that only promptfoo writes together."""

_NUMBERED = re.compile(r" \(\d+\)$")
_ARM = re.compile(r"\[(?P<provider>[^\]]*)\] ?(?P<label>.*)", re.DOTALL)
_REASONS = {"PASS": 0, "FAIL": 1, "ERROR": 2}
_HINT = "Write JSON: promptfoo eval -o results.json; for an eval that was run: promptfoo export eval ID -o results.json"


class _Block(NamedTuple):
    """The columns of a prompt and provider: places of its status, score and named scores."""

    provider: str
    label: str
    status: int
    score: int
    named: int


def table_of_results(table: Table, options: ReadOptions) -> ScoreTable:
    """Return the scores of promptfoo's CSV: ``pass``, ``score`` and ``named/…``.

    Parameters
    ----------
    table
        Its cells, columns of equal names numbered.
    options
        ``words`` are used.

    Raises
    ------
    LogError
        A block is not as promptfoo writes it, or a cell is no status or score.
    """
    names = [_NUMBERED.sub("", name) for name in table.names]
    blocks = list(_blocks(names))
    if not blocks:
        raise LogError(table.file, "has no column such as '[provider] prompt' before a column 'Status'.", hint=_HINT)
    rows = _Cells(table)
    inputs = [place for place, name in enumerate(names[: blocks[0].status - 1]) if name != "Description"]
    log = PromptfooLog(
        rows=[row for number in range(table.n_rows) for row in _rows(rows, number, names, inputs, blocks)],
        prompts=[Prompt(label=one.label, provider=one.provider) for one in blocks],
    )
    if not log.rows:
        raise LogError(table.file, "holds no result.", hint=_HINT)
    text = "promptfoo's CSV rounds scores to two decimals; results.json holds them whole."
    log.problems = [*table.problems, Problem(text=text, file=table.file)]
    # Equal names are how promptfoo writes this table, and nothing to be told.
    log.problems = [one for one in log.problems if not one.text.startswith("Column names that occur twice")]
    return table_of_log(log, options, file=table.file)


def _blocks(names: Sequence[str]) -> Iterator[_Block]:
    starts = [place for place, name in enumerate(names) if name == "Status" and place > 0]
    for start, end in zip(starts, [*starts[1:], len(names) + 1], strict=True):
        arm = _ARM.fullmatch(names[start - 1])
        own = names[start : end - 1]
        if arm is not None and "Score" in own and "Named Scores" in own:
            yield _Block(
                arm["provider"], arm["label"], start, start + own.index("Score"), start + own.index("Named Scores")
            )


class _Cells:
    """The cells of a table by row and column; ``""`` where there is none."""

    def __init__(self, table: Table) -> None:
        self.file = table.file
        words = [encoded(column) for column in table.columns]
        self._values = [[*texts(column), ""] for column in words]
        self._codes = [column.codes for column in words]

    def cell(self, row: int, place: int) -> str:
        return self._values[place][int(self._codes[place][row])]


def _rows(
    cells: _Cells, number: int, names: Sequence[str], inputs: Sequence[int], blocks: Sequence[_Block]
) -> Iterator[Row]:
    variables = {names[place]: cells.cell(number, place) for place in inputs}
    description = cells.cell(number, names.index("Description")) if "Description" in names else ""
    for place, block in enumerate(blocks):
        status = cells.cell(number, block.status)
        if not status:
            continue
        record = f"row {number + 1}"
        if status not in _REASONS:
            what = f"{status!r} is no status of promptfoo's."
            raise LogError(cells.file, what, record=record, field="Status", hint=f"{', '.join(_REASONS)} are. {_HINT}")
        named = cells.cell(number, block.named)
        yield Row(
            prompt_idx=place,
            test_idx=number,
            success=status == "PASS",
            score=_score(cells, number, block),
            named_scores=decoded(named.encode(), dict[str, object], file=cells.file, record=record) if named else {},
            failure_reason=_REASONS[status],
            # Whether anything was asserted is not in the table.
            grading_result=Grading(component_results=[None]),
            test_case=TestCase(vars=variables, description=description or None),
        )


def _score(cells: _Cells, number: int, block: _Block) -> float | None:
    text = cells.cell(number, block.score)
    if not text:
        return None
    score = number_in(text)
    if score is None:
        what = f"{text!r} is no number."
        raise LogError(cells.file, what, record=f"row {number + 1}", field="Score", hint=_HINT)
    return score
