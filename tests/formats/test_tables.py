"""Plain tables: what a cell says, which column is what, which rows are one case, and what is refused."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalgauge.errors import ArgumentError, LogError, UnknownFormatError
from evalgauge.formats import ReadOptions, Source, read
from evalgauge.formats.cells import cleaned_scores, number_in
from evalgauge.formats.columns import Words, encoded_texts, encoded_values, groups, occurrences
from evalgauge.formats.csv_table import csv_cells, delimiter_of
from evalgauge.formats.plain_text import encoding_of
from evalgauge.formats.records import table_of_records
from evalgauge.formats.score_table import table_of
from evalgauge.scores.table import Status

if TYPE_CHECKING:
    from pathlib import Path

    from evalgauge.formats.columns import Table
    from evalgauge.scores.table import ScoreTable


def written(folder: Path, text: str | bytes, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def texts(table: ScoreTable) -> list[str]:
    return [problem.text for problem in table.problems]


def of_records(records: list[dict[str, Any]], **options: Any) -> ScoreTable:
    return table_of(table_of_records(records, file="t", stem="t", digest="d"), ReadOptions(**options))


def rows(table: ScoreTable) -> list[tuple[str, int, int, str, str, float]]:
    return [
        (
            table.cases.case_id[case],
            int(table.cases.dup[case]),
            rep,
            table.runs[run].arm,
            table.metrics[metric].name,
            score,
        )
        for case, rep, run, metric, score in zip(
            table.case.tolist(),
            table.rep.tolist(),
            table.run.tolist(),
            table.metric.tolist(),
            table.score.tolist(),
            strict=True,
        )
    ]


# Cells


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("1", 1.0),
        ("1.0", 1.0),
        ("0", 0.0),
        ("+.5", 0.5),
        ("85%", 0.85),
        ("85 %", 0.85),
        ("1e5", 1e5),
        ("\u22120.5", -0.5),
        ("73", 73.0),
        ("1,234", None),
        ("0,85", None),
        ("1_000", None),
        ("\u0663", None),
        ("0x10", None),
        ("both", None),
        ("", None),
    ],
)
def test_number_in_a_cell(cell: str, number: float | None) -> None:
    assert number_in(cell) == number


@pytest.mark.parametrize(("cell", "number"), [("0,85", 0.85), ("1,234", 1.234), ("1.234,5", None), ("1,2,3", None)])
def test_decimal_comma_is_read_and_a_thousands_separator_is_not(cell: str, number: float | None) -> None:
    assert number_in(cell, decimal_comma=True) == number


@pytest.mark.parametrize("cell", ["", "  ", "NA", "NaN", "nan", "-", "null", "None", "n/a", "N/A", "#N/A", "<NA>"])
def test_what_says_nothing_is_unscored(cell: str) -> None:
    cells = cleaned_scores(encoded_texts("score", [cell, "1"]))
    assert cells.status.tolist() == [Status.UNSCORED, Status.OK]
    assert math.isnan(cells.score[0])
    assert cells.raw_codes.tolist() == [-1, -1]


@pytest.mark.parametrize(
    ("yes", "no"),
    [
        ("1", "0"),
        ("true", "False"),
        ("YES", "no"),
        ("pass", "fail"),
        ("Passed", "failed"),
        ("correct", "incorrect"),
        ("C", "I"),
        ("Y", "N"),
        ("T", "F"),
    ],
)
def test_pairs_of_words(yes: str, no: str) -> None:
    assert cleaned_scores(encoded_texts("score", [yes, no, yes])).score.tolist() == [1, 0, 1]


def test_inspect_letters_count_only_among_themselves() -> None:
    assert cleaned_scores(encoded_texts("score", ["C", "P", "I", "N"])).score.tolist() == [1, 0.5, 0, 0]
    # Answers to multiple-choice cases: C is the third option, not "correct".
    assert np.isnan(cleaned_scores(encoded_texts("score", ["A", "B", "C", "D"])).score).all()


def test_infinity_is_no_score() -> None:
    cells = cleaned_scores(encoded_texts("score", ["inf", "-Infinity", "1e999", "1"]))
    assert cells.status.tolist() == [Status.INVALID] * 3 + [Status.OK]
    assert cells.infinite == 3
    numbers = cleaned_scores(encoded_values("score", [math.inf, 1.0, -math.inf]))
    assert numbers.status.tolist() == [Status.INVALID, Status.OK, Status.INVALID]
    assert [numbers.raw_values[code] for code in numbers.raw_codes.tolist() if code >= 0] == ["inf", "-inf"]


def test_unknown_words_make_a_categorical_metric_until_they_are_mapped(tmp_path: Path) -> None:
    path = written(tmp_path, "case,score\na,both\nb,left\nc,right\nd,both\n")
    table = read(path)
    assert table.metrics[0].kind == "categorical"
    assert table.metrics[0].words == ("both", "left", "right")
    assert table.raw == ("both", "left", "right", "both")
    assert (table.status == Status.OK).all()
    mapped = read(path, ReadOptions(words={"Both": 0.5, "left": 1, "right": 0}))
    assert mapped.score.tolist() == [0.5, 1, 0, 0.5]
    assert mapped.metrics[0].kind == "continuous"


def test_scores_of_0_to_100_are_read_as_they_are(tmp_path: Path) -> None:
    table = read(written(tmp_path, "case,score\na,85\nb,70.5\n"))
    assert table.score.tolist() == [85, 70.5]
    assert table.metrics[0].kind == "continuous"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_text_and_numbers_give_the_same_scores(values: list[float]) -> None:
    as_text = cleaned_scores(encoded_texts("score", [repr(value) for value in values]))
    as_numbers = cleaned_scores(encoded_values("score", list(values)))
    assert as_text.score.tolist() == as_numbers.score.tolist()
    assert as_text.status.tolist() == as_numbers.status.tolist()


# Columns


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2), st.integers(0, 2)), min_size=1, max_size=40))
def test_groups_and_occurrences_match_a_plain_count(keys: list[tuple[int, int, int]]) -> None:
    group, first = groups(*(np.array([key[part] for key in keys]) for part in range(3)))
    seen: dict[tuple[int, int, int], list[int]] = {}
    for row, key in enumerate(keys):
        seen.setdefault(key, []).append(row)
    assert first.tolist() == [found[0] for found in seen.values()]
    assert group.tolist() == [list(seen).index(key) for key in keys]
    assert occurrences(group).tolist() == [seen[key].index(row) for row, key in enumerate(keys)]


# Which column is what


@pytest.mark.parametrize(
    "header",
    [
        "case,score",
        "Case ID,Passed",
        "sample_id,is_correct",
        "doc_id,acc",
        "test,pass",
        "example_id,feedback.quality",
        "instance_id,resolved",
        "questionId,isCorrect",
        "qid,success",
        "name,reward",
        "id,faithfulness",
        "id,annotation_fit_score",
    ],
)
def test_words_of_the_frameworks(tmp_path: Path, header: str) -> None:
    table = read(written(tmp_path, f"{header}\nq1,1\nq2,0\n"))
    assert table.cases.case_id == ("q1", "q2")
    assert table.score.tolist() == [1, 0]
    assert table.metrics[0].name == header.split(",")[1]
    assert table.problems == ()


def test_long_table_with_everything(tmp_path: Path) -> None:
    text = "id,epoch,model,metric,score,topic\n"
    text += "".join(
        f"q{case},{epoch},{model},{metric},{(case + epoch) % 2},t{case}\n"
        for case in (1, 2)
        for epoch in (1, 2)
        for model in ("base", "new")
        for metric in ("acc", "f1")
    )
    table = read(written(tmp_path, text))
    assert len(table) == 16
    assert table.cases.case_id == ("q1", "q2")
    assert [run.arm for run in table.runs] == ["base", "new"]
    assert {run.rep_source for run in table.runs} == {"explicit"}
    assert [metric.name for metric in table.metrics] == ["acc", "f1"]
    assert table.cases.fields == {"topic": ("t1", "t2")}
    assert ("q2", 0, 2, "new", "f1", 0.0) in rows(table)
    assert table.problems == ()


def test_several_score_columns_are_several_metrics(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,accuracy,score,latency_ms\na,1,0.5,90\nb,0,0.25,80\n"))
    assert [metric.name for metric in table.metrics] == ["accuracy", "score"]
    assert table.score.tolist() == [1, 0, 0.5, 0.25]


def test_wide_arms_and_wide_reps(tmp_path: Path) -> None:
    path = written(tmp_path, "case,base,new\na,1,0\nb,0,1\n")
    arms = read(path, ReadOptions(wide_arms=("base", "new")))
    assert rows(arms) == [
        ("a", 0, 1, "base", "score", 1.0),
        ("b", 0, 1, "base", "score", 0.0),
        ("a", 0, 1, "new", "score", 0.0),
        ("b", 0, 1, "new", "score", 1.0),
    ]
    reps = read(path, ReadOptions(wide_reps=("base", "new")))
    assert reps.rep.tolist() == [1, 1, 2, 2]
    assert [run.arm for run in reps.runs] == ["log"]
    assert reps.runs[0].rep_source == "explicit"


def test_wide_arms_within_two_sets(tmp_path: Path) -> None:
    path = written(tmp_path, "dataset,case,base,new\nx,1,1,0\ny,1,0,1\n")
    table = read(path, ReadOptions(wide_arms=("base", "new")))
    found = {
        (table.runs[run].set_name, table.runs[run].arm): score
        for run, score in zip(table.run.tolist(), table.score.tolist(), strict=True)
    }
    assert found == {("x", "base"): 1, ("x", "new"): 0, ("y", "base"): 0, ("y", "new"): 1}
    assert table.cases.case_id == ("1", "1")


def test_named_columns_win(tmp_path: Path) -> None:
    path = written(tmp_path, "id,number,score,points,kind\na,x,1,0.2,k\nb,y,0,0.4,l\n")
    options = ReadOptions(columns={"case": "number", "score": "points", "topic": "kind", "cluster": "id"})
    table = read(path, options)
    assert table.cases.case_id == ("x", "y")
    assert table.score.tolist() == [0.2, 0.4]
    assert table.cases.fields["topic"] == ("k", "l")
    assert table.cases.fields["cluster"] == ("a", "b")
    both = read(path, ReadOptions(columns={"score": "score|points"}))
    assert [metric.name for metric in both.metrics] == ["score", "points"]


def test_several_number_columns_are_several_metrics_and_said(tmp_path: Path) -> None:
    file = tmp_path / "traits.csv"
    file.write_text("case,warmth,clarity\na,1,0.5\nb,0.5,0.25\n", encoding="utf-8")
    table = read(file)
    assert [metric.name for metric in table.metrics] == ["warmth", "clarity"]
    assert texts(table) == [
        (
            "No column is called a score; each of 2 columns of numbers was taken as one: 'warmth', 'clarity'. "
            "If they are arms or reps of a wide table, name them with --wide-arms or --wide-reps."
        )
    ]


def test_a_known_metric_does_not_hide_an_unknown_one_nor_take_a_slice(tmp_path: Path) -> None:
    table = read(written(tmp_path, "case,faithfulness,math,level\na,1,true,3\nb,0.5,false,1\n"))
    assert [metric.name for metric in table.metrics] == ["faithfulness"]
    assert table.cases.fields == {"math": ("true", "false"), "level": ("3", "1")}
    assert table.problems == ()


def test_unnamed_metrics_are_taken_whether_they_are_shares_or_flags(tmp_path: Path) -> None:
    table = read(written(tmp_path, "case,helpful,tone\na,1,0.5\nb,0,0.25\n"))
    assert [metric.name for metric in table.metrics] == ["helpful", "tone"]


def test_the_only_number_column_is_taken_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,helpful,topic\na,yes,x\nb,no,y\n"))
    assert table.score.tolist() == [1, 0]
    assert texts(table) == [
        (
            "No column is called a score; 'helpful' is the only column of numbers and was taken. "
            "If it is not the score, name the score: --map score=COLUMN."
        )
    ]


def test_two_columns_that_vary_name_the_arm_together(tmp_path: Path) -> None:
    text = "id,model,variant,provider,score\na,m,1,p,1\na,m,2,p,0\nb,m,1,p,1\nb,m,2,p,1\n"
    table = read(written(tmp_path, text))
    assert sorted(run.arm for run in table.runs) == ["1", "2"]
    assert set(table.rep.tolist()) == {1}
    two = read(written(tmp_path, text.replace("b,m,2", "b,n,2")))
    assert sorted(run.arm for run in two.runs) == ["m / 1", "m / 2", "n / 2"]


def test_a_label_beside_a_score_is_a_slice(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,score,label,output\na,1,spam,hello\nb,0,ham,bye\n"))
    assert [metric.name for metric in table.metrics] == ["score"]
    assert table.cases.fields == {"label": ("spam", "ham")}


def test_long_text_is_no_slice_unless_it_is_named(tmp_path: Path) -> None:
    path = written(tmp_path, f"id,score,passage\na,1,{'x' * 200}\nb,0,{'y' * 200}\n")
    assert read(path).cases.fields == {}
    assert read(path, ReadOptions(columns={"part": "passage"})).cases.fields == {"part": ("x" * 200, "y" * 200)}


def test_a_field_that_differs_within_a_case_is_none(tmp_path: Path) -> None:
    path = written(tmp_path, "id,rep,score,topic,worker\na,1,1,,w1\na,2,0,x,w2\n")
    assert read(path).cases.fields == {"topic": ("x",)}
    with pytest.raises(LogError, match=r"row 2, field 'worker': holds two values for case 'a'\. A slice or clu"):
        read(path, ReadOptions(columns={"by": "worker"}))


def test_errors_and_states(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,score,error,status\na,1,,ok\nb,0,Timeout,ok\nc,,,skipped\nd,,,ok\n"))
    assert table.status.tolist() == [Status.OK, Status.ERROR, Status.SKIPPED, Status.UNSCORED]
    assert np.isnan(table.score[1:]).all()
    flags = of_records([{"id": 1, "score": 1, "error": False}, {"id": 2, "score": 0, "error": True}])
    assert flags.status.tolist() == [Status.OK, Status.ERROR]


def test_a_status_of_other_words_is_a_slice_and_the_only_score_is_a_score(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,score,status\na,1,open\nb,0,closed\n"))
    assert table.cases.fields == {"status": ("open", "closed")}
    only = read(written(tmp_path, "id,status\na,passed\nb,failed\n"))
    assert only.score.tolist() == [1, 0]


def test_langsmith_and_alpaca_inputs_stay_together() -> None:
    table = of_records([{"example_id": "a", "inputs.q": "1+1", "inputs.style": "short", "feedback.ok": 1}])
    assert table.cases.contents is not None
    (content,) = table.cases.contents()
    assert content is not None
    assert content.input == {"inputs.q": "1+1", "inputs.style": "short"}
    assert table.cases.fields == {}
    pair = of_records([{"instruction": "add", "input": "1, 1", "score": 1}])
    assert pair.cases.contents is not None
    (content,) = pair.cases.contents()
    assert content is not None
    assert content.input == {"input": "1, 1", "instruction": "add"}


def test_content_target_and_choices() -> None:
    table = of_records(
        [{"id": 1, "input": [{"role": "user", "content": "?"}], "choices": ["a", "b"], "target": "a", "score": 1}]
    )
    assert table.cases.contents is not None
    (content,) = table.cases.contents()
    assert content is not None
    assert content.input == [{"role": "user", "content": "?"}]
    assert content.choices == ("a", "b")
    assert content.target == "a"


def test_phoenix_annotations_become_metrics() -> None:
    table = of_records(
        [
            {"example_id": "e1", "repetition_number": 1, "annotations": [{"name": "fit", "score": 1, "label": "y"}]},
            {"example_id": "e1", "repetition_number": 2, "annotations": [{"name": "fit", "score": None}]},
        ]
    )
    assert [metric.name for metric in table.metrics] == ["annotations.fit"]
    assert table.rep.tolist() == [1, 2]
    assert table.status.tolist() == [Status.OK, Status.UNSCORED]


def test_inspect_frames_name_the_case_in_id() -> None:
    records = [{"sample_id": f"u{n}", "id": "q1", "epoch": n, "score_match": "C"} for n in (1, 2)]
    table = of_records(records)
    assert table.cases.case_id == ("q1",)
    assert table.rep.tolist() == [1, 2]


# Which rows are one case


def test_ids_are_text(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,score\n007,1e0\n7,0\n1e5,1\n100000,0\ncafe\u0301,1\n"))
    assert table.cases.case_id == ("007", "7", "1e5", "100000", "caf\u00e9")
    assert of_records([{"id": 1, "score": 1}]).cases.case_id == of_records([{"id": "1", "score": 1}]).cases.case_id


def test_long_whole_ids_keep_their_digits() -> None:
    ids = [2**60 + 1, 2**60 + 2, None]
    table = of_records([{"id": one, "score": 1} for one in ids[:2]])
    assert table.cases.case_id == (str(2**60 + 1), str(2**60 + 2))


def test_repeats_of_an_id_are_reps_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,score\na,1\nb,0\na,0\nb,1\n"))
    assert rows(table) == [
        ("a", 0, 1, "log", "score", 1.0),
        ("b", 0, 1, "log", "score", 0.0),
        ("a", 0, 2, "log", "score", 0.0),
        ("b", 0, 2, "log", "score", 1.0),
    ]
    assert table.runs[0].rep_source == "inferred"
    way_out = "If they are different cases, name the column that tells them apart: --map case=COLUMN."
    assert texts(table) == [f"2 cases appear 2 times: read as 2 reps each. {way_out}"]
    uneven = read(written(tmp_path, "id,score\na,1\nb,0\na,0\n"))
    assert texts(uneven) == [f"1 of 2 cases appear more than once (up to 2 times): read as reps. {way_out}"]


def test_one_id_with_two_inputs_is_two_cases(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,input,score\n1,x,1\n1,y,0\n1,x,0\n2,z,1\n"))
    assert rows(table) == [
        ("1", 0, 1, "log", "score", 1.0),
        ("1", 1, 1, "log", "score", 0.0),
        ("1", 0, 2, "log", "score", 0.0),
        ("2", 0, 1, "log", "score", 1.0),
    ]
    assert texts(table)[0] == (
        "1 case id stands for rows with different inputs: each different input is read as a case."
    )


def test_an_input_that_differs_by_arm_only_is_one_case(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,arm,prompt,score\n1,a,x?,1\n1,b,Think. x?,0\n"))
    assert table.cases.case_id == ("1",)
    assert texts(table) == ["The input of 1 case differs by arm or rep: by id it is one case."]


def test_a_double_record_is_kept_apart_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,rep,score\na,1,1\na,1,1\na,2,0\n"))
    assert table.cases.case_id == ("a", "a")
    assert table.cases.dup.tolist() == [0, 1]
    assert len(table) == 3
    assert texts(table) == [
        (
            "1 row repeats a case, rep and metric that an earlier row holds (first: row 2): kept apart as separate "
            "cases. Remove what was written twice; number further reps."
        )
    ]


def test_without_an_id_the_input_is_the_identity(tmp_path: Path) -> None:
    even = read(written(tmp_path, "question,score\nx,1\ny,0\nx,0\ny,1\n"))
    assert even.cases.case_id == ("1", "2")
    assert even.cases.id_is_row_number
    assert even.rep.tolist() == [1, 1, 2, 2]
    assert even.runs[0].rep_source == "inferred"
    uneven = read(written(tmp_path, "question,score\nx,1\ny,0\nx,0\n"))
    assert uneven.cases.case_id == ("1", "2", "3")
    assert uneven.rep.tolist() == [1, 1, 1]
    assert texts(uneven) == [
        (
            "1 row holds an input that an earlier row holds, and not every input comes equally often: each row is "
            "read as a case. If they are reps, add a column rep or a case id."
        )
    ]


def test_without_an_id_arms_share_the_case_of_an_input(tmp_path: Path) -> None:
    table = read(written(tmp_path, "model,question,score\na,x,1\na,y,0\nb,y,1\nb,x,0\n"))
    assert table.case.tolist() == [0, 1, 1, 0]
    assert table.rep.tolist() == [1, 1, 1, 1]
    assert table.problems == ()


def test_without_id_and_input_every_row_is_a_case(tmp_path: Path) -> None:
    table = read(written(tmp_path, "passed\n1\n\n0\n\n\n"))
    assert table.cases.case_id == ("1", "2", "3")
    assert table.cases.id_is_row_number
    # A blank line between scores is a missing score; blank lines at the end are none.
    assert table.status.tolist() == [Status.OK, Status.UNSCORED, Status.OK]


def test_rows_as_cases_are_said_where_a_column_may_name_the_case(tmp_path: Path) -> None:
    text = "ticket,queue,score\nrefund?,billing,1\nrefund?,billing,0\nlogin?,account,1\n"
    table = read(written(tmp_path, text))
    assert len(table.cases) == 3
    assert texts(table) == [
        (
            "No column is called an id or an input: each row is read as a case. If several rows are one case, or "
            "the same cases are in another log, name the column: --map case=COLUMN or --map input=COLUMN."
        )
    ]
    named = read(written(tmp_path, text), ReadOptions(columns={"case": "ticket"}))
    assert named.cases.case_id == ("refund?", "login?")
    assert named.rep.tolist() == [1, 2, 1]


def test_promptfoo_csv_needs_its_columns_named(tmp_path: Path) -> None:
    text = "Description,ticket,[a] p,Status,Score,Named Scores,Grader Reason,[b] p,Status,Score,Named Scores\n"
    path = written(tmp_path, text + "r,t1,x,PASS,1.00,{},ok,y,FAIL,0.00,{}\n" * 2)
    with pytest.raises(
        LogError, match=r"is promptfoo's CSV, which rounds scores .* Write JSON: promptfoo eval -o results"
    ):
        read(path)
    table = read(path, ReadOptions(columns={"input": "ticket", "score": "Score|Score (2)"}))
    assert table.rep.tolist() == [1, 2, 1, 2]
    assert table.score.tolist() == [1, 1, 0, 0]


def test_index_column_of_a_frame(tmp_path: Path) -> None:
    ignored = read(written(tmp_path, "Unnamed: 0,id,score\n0,a,1\n1,b,0\n"))
    assert ignored.cases.case_id == ("a", "b")
    assert ignored.cases.fields == {}
    used = read(written(tmp_path, ",score\n4,1\n9,0\n"))
    assert used.cases.case_id == ("4", "9")
    assert used.cases.id_is_row_number


def test_reps_from_0_or_by_name(tmp_path: Path) -> None:
    assert read(written(tmp_path, "id,epoch,score\na,0,1\na,1,0\n")).rep.tolist() == [1, 2]
    assert read(written(tmp_path, "id,trial,score\na,second,1\na,first,0\n")).rep.tolist() == [2, 1]
    # One seed for the whole run numbers no reps.
    assert read(written(tmp_path, "id,seed,score\na,42,1\na,42,0\n")).rep.tolist() == [1, 2]


def test_equal_ids_of_two_sets_are_two_cases(tmp_path: Path) -> None:
    table = read(written(tmp_path, "dataset,id,score\nx,1,1\ny,1,0\n"))
    assert table.cases.case_id == ("1", "1")
    assert [run.set_name for run in table.runs] == ["x", "y"]
    assert table.problems == ()


@given(
    st.lists(
        st.tuples(st.integers(1, 6), st.sampled_from(["0", "1", "0.5", "yes", "", "both"])), min_size=1, max_size=25
    ),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_does_not_matter(pairs: list[tuple[int, str]], random: Any) -> None:
    def content(entries: list[tuple[int, str]]) -> list[tuple[str, str, int]]:
        table = of_records([{"case": str(case), "score": score} for case, score in entries])
        return sorted(
            (table.cases.case_id[case], str(score), status)
            for case, score, status in zip(
                table.case.tolist(), table.score.tolist(), table.status.tolist(), strict=True
            )
        )

    mixed = list(pairs)
    random.shuffle(mixed)
    assert content(pairs) == content(mixed)


# CSV


def source_of(path: Path) -> Source:
    return Source(path=path, head=path.read_bytes()[:8192], is_folder=False)


def cell_lists(table: Table) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for column in table.columns:
        assert isinstance(column, Words)
        values = [*column.values, None]
        found[column.name] = [values[code] for code in column.codes.tolist()]
    return found


@pytest.mark.parametrize(
    "text",
    [
        'id,score,note\na,1,plain\nb,0,"with, comma"\nc,,"two\nlines"\n',
        'id;score;note\na;0,5;"say ""hi"""\nb;1;x\n',
        'id\tscore\tnote\n 007 \t 1 \t "q"\n1e5\t0\t\n',
        "\ufeffid,score,note\r\na,1,x\r\nb,0,y\r\n",
        "id|score|note\na|1|x\n\nb|0|y\n||\nc|1|z\n",
        'id,score,note\na,1,x\n"",,\nb,0,NA\n',
    ],
)
def test_engine_and_csv_module_give_the_same_cells(tmp_path: Path, text: str) -> None:
    source = source_of(written(tmp_path, text))
    by_line, by_engine = csv_cells(source), csv_cells(source, engine_above=0)
    assert cell_lists(by_engine) == cell_lists(by_line)
    assert by_engine.problems == by_line.problems
    assert by_engine.n_rows == by_line.n_rows


CELL = st.text(
    st.characters(
        codec="utf-8", exclude_characters="\0\r\x1c\x1d\x1e\x85\u2028\u2029", exclude_categories=["Cs", "Cc"]
    ),
    max_size=6,
)


@given(st.lists(st.tuples(CELL, CELL), min_size=1, max_size=12))
def test_engine_and_csv_module_agree_on_any_cells(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    quoted = [",".join('"' + cell.replace('"', '""') + '"' for cell in pair) for pair in cells]
    path = written(tmp_path_factory.mktemp("csv"), "id,score\n" + "\n".join(quoted) + "\n")
    source = source_of(path)
    assert cell_lists(csv_cells(source, engine_above=0)) == cell_lists(csv_cells(source))


def test_what_the_engine_cannot_read_the_csv_module_reads(tmp_path: Path) -> None:
    lines = "id,score,x\na,1,y,\nb,0,z\n"
    source = source_of(written(tmp_path, lines))
    assert cell_lists(csv_cells(source, engine_above=0)) == cell_lists(csv_cells(source))


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n0,5;1,5\n", ";"),
        ("a\tb\n1,0\t2\n", "\t"),
        ("a|b\n1|2\n", "|"),
        ("a\n1\n", None),
        ("Dear all, hello.\nThis is a letter.\nIt has, as it were, commas.\nBye\n", None),
    ],
)
def test_delimiter(text: str, delimiter: str | None) -> None:
    assert delimiter_of(text) == delimiter


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = "id;score\nM\u00fcller;0,5\n"
    data = text.encode(encoding)
    path = written(tmp_path, b"\xff\xfe" + data if encoding == "utf-16-le" else data)
    table = read(path)
    assert table.cases.case_id == ("M\u00fcller",)
    assert table.score.tolist() == [0.5]
    said = ["The file is not UTF-8 and was read as Windows-1252: check names with accents, or save it as UTF-8."]
    assert texts(table) == (said if encoding == "cp1252" else [])


def test_one_bad_byte_far_down_decides_the_encoding(tmp_path: Path) -> None:
    path = written(tmp_path, b"id,score\n" + b"a,1\n" * 600_000 + b"\xe9,1\n")
    assert encoding_of(path) == "cp1252"


def test_double_headers_are_numbered(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,accuracy,accuracy,accuracy\na,1,0,0\n"))
    # Two columns of one name may be two arms or two metrics: neither is dropped, and the question asks which.
    assert [metric.name for metric in table.metrics] == ["accuracy", "accuracy (2)", "accuracy (3)"]
    assert texts(table) == ["Column names that occur twice were numbered: accuracy, accuracy."]


def test_blank_rows_are_left_out_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,score\na,1\n,\nb,0\n"))
    assert table.cases.case_id == ("a", "b")
    assert texts(table) == ["1 row is blank and was left out."]


def test_tolerant_leaves_odd_lines_out(tmp_path: Path) -> None:
    path = written(tmp_path, "id,score\na,1\nb\nc,0,9\nd,1\n")
    table = read(path, ReadOptions(tolerant=True))
    assert table.cases.case_id == ("a", "d")
    assert texts(table) == ["Left out: 2 lines with another number of cells than the header (first: line 3)."]


def test_a_cut_last_line_is_left_out_and_said(tmp_path: Path) -> None:
    table = read(written(tmp_path, "id,topic,score\na,x,1\nb,y"))
    assert table.cases.case_id == ("a",)
    assert texts(table) == ["The last line (line 3) is cut off and was left out."]


def test_very_long_cells(tmp_path: Path) -> None:
    table = read(written(tmp_path, f"id,input,score\na,{'x' * 300_000},1\n"))
    assert table.cases.contents is not None
    (content,) = table.cases.contents()
    assert content is not None
    assert content.input == "x" * 300_000


# JSON


def test_json_lines_with_nan_and_nested_keys(tmp_path: Path) -> None:
    lines = '{"id": 1, "scores": {"acc": 1, "f1": NaN}, "metadata": {"topic": "x"}}\n\n'
    lines += '{"id": 2, "scores": {"acc": 0, "f1": 0.5}}\n'
    table = read(written(tmp_path, lines, "log.jsonl"))
    assert [metric.name for metric in table.metrics] == ["scores.acc", "scores.f1"]
    assert table.status.tolist() == [0, 0, Status.UNSCORED, 0]
    assert table.cases.fields == {"topic": ("x", None)}


@pytest.mark.parametrize(
    "document",
    [
        [{"id": "a", "score": 1}, {"id": "b", "score": 0}],
        {"results": [{"id": "a", "score": 1}, {"id": "b", "score": 0}], "config": {"k": 1}},
        {"notes": [{"x": 1}], "results": [{"id": "a", "score": 1}, {"id": "b", "score": 0}]},
    ],
)
def test_json_documents(tmp_path: Path, document: Any) -> None:
    table = read(written(tmp_path, json.dumps(document), "log.json"))
    assert table.cases.case_id == ("a", "b")
    pretty = read(written(tmp_path, json.dumps(document, indent=2), "log.txt"))
    assert pretty.score.tolist() == [1, 0]


def test_json_lines_are_known_without_their_suffix(tmp_path: Path) -> None:
    table = read(written(tmp_path, '{"id": 1, "score": 1}\n{"id": 2, "score": 0}\n', "log.json"))
    assert table.cases.case_id == ("1", "2")
    assert read(written(tmp_path, '{"id": 1, "score": 1}\n', "one.json")).cases.case_id == ("1",)


def test_json_lines_in_utf16(tmp_path: Path) -> None:
    lines = '{"id": "\u00e9", "score": 1}\n{"id": "b", "score": 0}\n'
    assert read(written(tmp_path, lines.encode("utf-16"), "log.jsonl")).cases.case_id == ("\u00e9", "b")


@pytest.mark.parametrize("name", ["log.jsonl", "log.json"])
def test_a_cut_json_file_is_read_as_far_as_it_goes(tmp_path: Path, name: str) -> None:
    records = ['{"id": 1, "score": 1}', '{"id": 2, "score": 0}', '{"id": 3, "sco']
    text = "\n".join(records) if name == "log.jsonl" else '{"results": [' + ", ".join(records)
    table = read(written(tmp_path, text, name))
    assert table.cases.case_id == ("1", "2")
    assert len(table.problems) == 1
    assert "cut off" in table.problems[0].text


def test_tolerant_json_lines(tmp_path: Path) -> None:
    path = written(tmp_path, '{"id": 1, "score": 1}\nTraceback!\n{"id": 2, "score": 0}\n', "log.jsonl")
    table = read(path, ReadOptions(tolerant=True))
    assert table.cases.case_id == ("1", "2")
    assert texts(table) == ["Left out: 1 line that cannot be read as JSON (first: line 2)."]


def test_progress_is_told_to_the_end(tmp_path: Path) -> None:
    path = written(tmp_path, '{"id": 1, "score": 1}\n' * 25_000, "log.jsonl")
    told: list[tuple[int, int]] = []
    read(path, ReadOptions(progress=lambda done, total: told.append((done, total))))
    size = path.stat().st_size
    assert told == [(size * 10 // 25, size), (size * 20 // 25, size), (size, size)]


# Refusals

REFUSED: list[tuple[str, str | bytes, dict[str, Any], type[Exception], str]] = [
    ("empty.csv", "", {}, LogError, ": is empty. Was the run cut off before it wrote anything?"),
    ("bom.csv", "\ufeff\n\n", {}, LogError, ": is empty. Was the run cut off before it wrote anything?"),
    ("head.csv", "case,score\n", {}, LogError, ": holds column names but no rows. Was the run cut off before its"),
    ("bare.csv", "1,2\n3,4\n", {}, LogError, ", line 1: the first line holds numbers, not column names. Add a header"),
    ("short.csv", "a,b\n1,2\n3\n4,5\n", {}, LogError, ", line 3: holds 1 cell, the header has 2. A quote that is"),
    ("long.csv", "a,b\n1,2,3\n", {}, LogError, ", line 2: holds 3 cells, the header has 2."),
    ("noid.csv", "id,score\na,1\n,0\n", {}, LogError, ", row 2, field 'id': 1 row has no case id. Fill the ids in, or"),
    ("norep.csv", "id,rep,score\na,1,1\na,,0\n", {}, LogError, ", row 2, field 'rep': 1 row has no rep number."),
    ("rep.csv", "rep,score\n1,1\n2,0\n", {}, LogError, ": the table numbers its reps, but no column says which case"),
    ("set.csv", "task,score\na,1\nb,0\n", {}, LogError, ", field 'task': may name the case or the eval set, and no"),
    ("none.csv", "case,topic\na,x\nb,y\n", {}, UnknownFormatError, ": no column is recognised as the score. Say which"),
    (
        "map.csv",
        "case,score\na,1\n",
        {"columns": {"case": "cse"}},
        LogError,
        ": --map case=cse names no column. Did you mean 'case'? Columns: 'case', 'score'.",
    ),
    ("arm.csv", "case,base\na,1\n", {"wide_arms": ("bse",)}, LogError, ": --wide-arms bse names no column. Did"),
    (
        "both.csv",
        "case,a,b\nx,1,1\n",
        {"wide_arms": ("a",), "wide_reps": ("b",)},
        ArgumentError,
        "--wide-reps: got 'b', allowed is one of --wide-arms and --wide-reps. A column is an arm or a rep.",
    ),
    (
        "wide.csv",
        "case,a,b\nx,1,1\n",
        {"wide_arms": ("a",), "columns": {"score": "b"}},
        ArgumentError,
        "--map: got 'score=b', allowed is no score column beside --wide-arms. Leave score=… out.",
    ),
    (
        "inf.csv",
        "case,score\na,x\n",
        {"words": {"x": math.inf}},
        ArgumentError,
        "--words: got 'x=inf', allowed is a finite number for a word. A word that is no score is called missing: --",
    ),
    (
        "state.csv",
        "id,score,state\na,1,odd\n",
        {"columns": {"status": "state"}},
        LogError,
        ", field 'state': holds words that are no status: 'odd'. Known are ok, error,",
    ),
    ("deep.json", "[" * 100_000, {}, LogError, ": its JSON is nested deeper than any log needs."),
    ("deep.jsonl", '{"a":' * 100_000, {}, LogError, ", line 1: its JSON is nested deeper than any log needs."),
    ("list.json", "[1, 2]", {}, LogError, ": entry 1 of the list is no record. A list of records is read, or an"),
    ("none.json", "[]", {}, LogError, ": holds no record. Was the run cut off before its first case?"),
    ("keys.json", '{"a": {"b": 1}}', {}, UnknownFormatError, ": holds no list of records; its keys are 'a'. A list of"),
    (
        "two.json",
        '{"a": [{"x": 1}], "b": [{"y": 1}]}',
        {},
        LogError,
        ": holds 2 lists of records: 'a', 'b'. Keep one of them.",
    ),
    ("bad.json", '{"a": tru, "b": 1}', {}, LogError, ": is no valid JSON at line 1, column 7"),
    ("mid.jsonl", '{"id": 1}\n{"id":\n{"id": 2}\n', {}, LogError, ", line 2: ends before its record does. Remove the"),
    (
        "list.jsonl",
        '{"id": 1}\n[1]\n',
        {},
        LogError,
        ", line 2: holds a list, a record in braces is needed. One line a",
    ),
    ("cut.parquet", b"PAR1" + b"\0" * 40, {}, LogError, "The file may be cut off: copy or write it again."),
]


@pytest.mark.parametrize(("name", "content", "options", "kind", "text"), REFUSED, ids=[row[0] for row in REFUSED])
def test_refusals(
    tmp_path: Path, name: str, content: str | bytes, options: dict[str, Any], kind: type[Exception], text: str
) -> None:
    path = written(tmp_path, content, name)
    with pytest.raises(kind) as refusal:
        read(path, ReadOptions(**options))
    shown = str(refusal.value)
    assert text in shown
    if kind is not ArgumentError:
        assert shown.startswith(str(path))
