"""Whatever is written is read back equal: every fixture, several logs together, and the same log twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.formats import read, write_table
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.concat import concatenated
from evalgauge.scores.table import Run, ScoreTable, Status
from formats.test_writers import SUFFIXES, described

if TYPE_CHECKING:
    from pathlib import Path

LOGS = (
    ("inspect",),
    ("inspect/eval-set",),
    ("inspect/small.eval",),
    ("inspect/multi-score.eval",),
    ("lm-eval",),
    ("lm-eval/base",),
    ("lm-eval-042",),
    ("promptfoo",),
    ("promptfoo/errors.json",),
    ("inspect/triage-base.eval", "inspect/triage-cand.eval"),
    ("inspect/small.eval", "inspect/small.json"),
    ("inspect/small.eval", "inspect/small.eval"),
    ("promptfoo/errors.json", "promptfoo/errors.jsonl"),
    ("lm-eval/base", "lm-eval/cand", "lm-eval/base"),
    ("inspect/multi-score.eval", "lm-eval/base", "promptfoo/echo.json"),
)


def grouped(table: ScoreTable) -> tuple[list[int], list[int]]:
    """Return which rows are of one run and of one case, numbered by their first rows."""
    runs = {run: row for row, run in reversed(list(enumerate(table.run.tolist())))}
    cases = {case: row for row, case in reversed(list(enumerate(table.case.tolist())))}
    return [runs[run] for run in table.run.tolist()], [cases[case] for case in table.case.tolist()]


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("names", LOGS, ids=" ".join)
def test_logs_of_all_frameworks(fixtures: Path, tmp_path: Path, names: tuple[str, ...], suffix: str) -> None:
    before = read([fixtures / name for name in names])
    after = read(write_table(before, tmp_path / f"x{suffix}"))
    assert described(after) == described(before)
    assert grouped(after) == grouped(before)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_converted_log_is_converted_again(fixtures: Path, tmp_path: Path, suffix: str) -> None:
    once = write_table(read(fixtures / "inspect"), tmp_path / f"once{suffix}")
    again = write_table(read([once, once]), tmp_path / f"again{suffix}")
    assert described(read(again)) == described(read([once, once]))


def log(run_ids: list[str], rows: list[tuple[int, str, int]]) -> ScoreTable:
    builder = TableBuilder()
    metric = builder.metric_index("m")
    runs = [
        builder.add_run(Run(run_id=run_id, set_name="s", arm="a", framework="table", file="f")) for run_id in run_ids
    ]
    for number, (run, case_id, dup) in enumerate(rows):
        case = builder.case_index(case_id, dup=dup)
        builder.add(run=runs[run % len(runs)], case=case, rep=number + 1, metric=metric, score=1.0, status=Status.OK)
    return builder.build()


IDS = st.sampled_from(["r", "r ", "q", "q-2"])
LOG = st.builds(
    log,
    st.lists(IDS, min_size=1, max_size=3),
    st.lists(st.tuples(st.integers(0, 2), IDS, st.integers(0, 1)), min_size=1, max_size=6),
)


@given(st.lists(LOG, min_size=1, max_size=3), st.sampled_from(SUFFIXES))
def test_runs_and_cases_with_equal_names_stay_apart(
    tmp_path_factory: pytest.TempPathFactory, logs: list[ScoreTable], suffix: str
) -> None:
    before = concatenated(logs)
    after = read(write_table(before, tmp_path_factory.mktemp("w") / f"x{suffix}"))
    assert grouped(after) == grouped(before)
    assert after.rep.tolist() == before.rep.tolist()


def test_numbers_of_runs_and_cases_are_written_only_where_names_do_not_tell(tmp_path: Path, fixtures: Path) -> None:
    plain = write_table(read(fixtures / "inspect" / "small.eval"), tmp_path / "a.csv").read_text().splitlines()[0]
    joined = write_table(read(fixtures / "inspect"), tmp_path / "b.csv").read_text().splitlines()[0]
    assert "run_number" not in plain
    assert "case_number" not in plain
    assert {"run_number", "case_number"} < set(joined.split(","))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_names_that_few_text_files_hold(tmp_path: Path, suffix: str) -> None:
    builder = TableBuilder()
    run = builder.add_run(Run(run_id="r", set_name="\x01", arm="a\x02\nb", framework="table", file="f"))
    builder.add(
        run=run, case=builder.case_index("half \ud83d pair"), rep=1, metric=builder.metric_index("m"), score=1.0
    )
    after = read(write_table(builder.build(), tmp_path / f"x{suffix}"))
    assert after.cases.case_id == ("half ? pair",)
    assert (after.runs[0].set_name, after.runs[0].arm) == ("\x01", "a\x02\nb")
