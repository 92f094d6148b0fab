"""Cells that are no plain score: words for runs without one, numbers in other forms, and numbers beyond counting."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, read
from evalgauge.formats.score_words import MISSING, score_reading
from evalgauge.scores.build import TableBuilder
from evalgauge.scores.sums import case_sums
from evalgauge.scores.table import Run, Status

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.scores.table import ScoreTable

E, S, C, L, U, N = Status.ERROR, Status.SKIPPED, Status.CANCELLED, Status.LIMIT, Status.UNSCORED, Status.NOT_RUN


def table_of(folder: Path, text: str, **options: Any) -> ScoreTable:
    path = folder / "x.csv"
    path.write_text(text, encoding="utf-8")
    return read(path, ReadOptions(**options))


@pytest.mark.parametrize(
    ("word", "status"),
    [
        *((word, E) for word in ("error", "ERROR", "errored", "exception", "crashed", "failed to run", "rate_limit")),
        *(
            (word, E)
            for word in ("Rate limited", "RateLimitError", "rate-limit exceeded", "error: 429 Too Many Requests")
        ),
        *((word, L) for word in ("timeout", "timed out", "Timed_Out", "TimeoutError: 60 s")),
        *((word, S) for word in ("skipped", "skip")),
        *((word, C) for word in ("cancelled", "canceled", "CancelledError", "aborted")),
        *((word, U) for word in ("unscored", "not scored")),
        *((word, N) for word in ("not run", "not_run", "pending")),
    ],
)
def test_words_for_runs_without_a_score_are_no_labels(tmp_path: Path, word: str, status: Status) -> None:
    table = table_of(tmp_path, f"case,score\na,1\nb,{word}\nc,0\nd,{word}\n")
    assert table.status.tolist() == [0, status, 0, status]
    assert table.metrics[0].kind == "binary"
    (problem,) = table.problems
    assert problem.count == 2
    assert problem.text.startswith(
        f"In column 'score', 2 cells say what became of the run and hold no score ({word!r}: 2): such runs count as "
        "not scored. If one of these words is a score, give its number: --words "
    )
    frame = read(pl.DataFrame({"case": ["a", "b"], "score": ["1", word]}))
    assert frame.status.tolist() == [0, status]


def test_a_failing_test_is_no_error(tmp_path: Path) -> None:
    table = table_of(tmp_path, "case,score\na,pass\nb,fail\nc,FAILED\nd,error\n")
    assert table.score[:3].tolist() == [1, 0, 0]
    assert table.status.tolist() == [0, 0, 0, E]


def test_the_user_may_give_such_a_word_a_number(tmp_path: Path) -> None:
    table = table_of(tmp_path, "case,score\na,1\nb,error\n", words={"error": 0.0})
    assert (table.score.tolist(), table.problems) == ([1, 0], ())


def test_a_column_of_outcomes_called_status_is_the_score(tmp_path: Path) -> None:
    assert table_of(tmp_path, "case,status\na,pass\nb,error\nc,fail\n").status.tolist() == [0, E, 0]
    # Which runs came to their end says nothing about how good they were.
    with pytest.raises(LogError, match="no column is recognised as the score"):
        table_of(tmp_path, "case,status\na,success\nb,error\n")


@pytest.mark.parametrize("text", ["case,score\na,1\nb,dunno\nc,-1\nd,N/A?\n", "case,score\na,1\nb,-1\nc,-1.0\nd,-1\n"])
def test_words_that_are_called_missing_are_not_scored(tmp_path: Path, text: str) -> None:
    words = {"dunno": math.nan, "-1": math.nan, "n/a?": math.nan, "-1.0": math.nan}
    table = table_of(tmp_path, text, words=words)
    assert table.status.tolist() == [0, U, U, U]
    assert table.metrics[0].kind == "binary"


def test_a_number_that_is_called_missing_is_so_in_typed_columns_too() -> None:
    table = read(pl.DataFrame({"case": ["a", "b"], "score": [0.5, -1.0]}), ReadOptions(words={"-1": math.nan}))
    assert table.status.tolist() == [0, U]


def test_words_that_are_called_missing_in_logs_of_frameworks() -> None:
    assert score_reading("dunno", {"dunno": math.nan}) == MISSING


@pytest.mark.parametrize(
    ("cells", "scores"),
    [
        (["0,5", "1", "0,25"], [0.5, 1, 0.25]),
        (["-0,5", "12,75", "n/a"], [-0.5, 12.75, None]),
        (["50,5%", "0,5 %", "timeout"], [0.505, 0.005, None]),
        (["1,234", "0,5", "2"], [1.234, 0.5, 2]),
    ],
)
def test_decimal_commas_are_read_where_nothing_else_can_be_meant(
    tmp_path: Path, cells: list[str], scores: list[float | None]
) -> None:
    text = "case,score\n" + "".join(f'{place},"{cell}"\n' for place, cell in enumerate(cells))
    for table in (table_of(tmp_path, text), read(pl.DataFrame({"case": ["a", "b", "c"], "score": cells}))):
        read_scores = [None if math.isnan(score) else score for score in table.score.tolist()]
        assert read_scores == pytest.approx(scores)


@pytest.mark.parametrize(
    ("text", "cell", "row"),
    [
        ('case,score\na,0.5\nb,"1,234"\n', "1,234", 2),
        ('case,score\na,"0,5"\nb,0.7\n', "0,5", 1),
        ('case,score\na,"1,234"\nb,"2,500"\n', "1,234", 1),
        ('case,score\na,"1,234.5"\nb,2\n', "1,234.5", 1),
        ("case;score\na;2,5\nb;1.234,5\n", "1.234,5", 2),
        ("case;score\na;2,5\nb;1.234\n", "1.234", 2),
        ("case;score\na;2\nb;1 234\n", "1 234", 2),
    ],
)
def test_numbers_that_can_be_read_in_two_ways_are_refused(tmp_path: Path, text: str, cell: str, row: int) -> None:
    with pytest.raises(LogError) as refusal:
        table_of(tmp_path, text)
    assert str(refusal.value).endswith(
        f"x.csv, row {row}, field 'score': {cell!r} is a number whose marks can be read in more than one way. Write "
        "the scores with a point before decimals and nothing between thousands, such as 0.5 and 1234.5."
    )
    given = dict.fromkeys((cell, "2,500"), 0.5)
    assert table_of(tmp_path, text, words=given).score.tolist()[row - 1] == 0.5


def test_labels_with_commas_stay_labels(tmp_path: Path) -> None:
    table = table_of(tmp_path, 'case,score\na,"1,2"\nb,"A,B"\n')
    assert table.metrics[0].kind == "categorical"


@pytest.mark.parametrize("score", ["1e308", "-1e308", "1e21", "2e20"])
def test_scores_beyond_counting_are_refused(tmp_path: Path, score: str) -> None:
    text = f"case,score\na,1\nb,{score}\n"
    way_out = f"Divide all scores by one number; if it marks a missing score, say so: --words {float(score):g}=missing"
    with pytest.raises(LogError) as refusal:
        table_of(tmp_path, text)
    assert str(refusal.value).endswith(
        f"x.csv, case 'b', field 'score': the score is {float(score):g}, the largest allowed is 1e+20 in size: beside "
        f"larger ones the other scores are lost in rounding. {way_out}"
    )
    frame = pl.DataFrame({"case": ["a"], "score": [float(score)]})
    builder = TableBuilder()
    run = builder.add_run(Run(run_id="r", set_name="", arm="a", framework="table", file="mine"))
    builder.add(run=run, case=builder.case_index("b"), rep=1, metric=builder.metric_index("m"), score=float(score))
    for source in (frame, builder.build(), [frame, frame]):
        with pytest.raises(LogError, match="the largest allowed is"):
            read(source)
    assert table_of(tmp_path, text, words={f"{float(score):g}": math.nan}).status.tolist() == [0, U]


def test_the_largest_scores_are_counted_without_a_warning(tmp_path: Path) -> None:
    table = table_of(tmp_path, "case,score\na,1e20\nb,-1e20\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sums = case_sums(table, metric=0)
    assert sums.total_sq.tolist() == pytest.approx([1e40, 1e40])
