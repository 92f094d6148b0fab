"""Plain tables: which rows are one case."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from evalgauge.formats import ReadOptions, read
from evalgauge.scores.table import Status
from support.read_tables import of_records, rows, texts, written

if TYPE_CHECKING:
    from pathlib import Path


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


def test_promptfoo_csv_is_a_plain_table_where_its_columns_are_named(tmp_path: Path) -> None:
    text = "Description,ticket,[a] p,Status,Score,Named Scores,Grader Reason,[b] p,Status,Score,Named Scores\n"
    path = written(tmp_path, text + "r,t1,x,PASS,1.00,{},ok,y,FAIL,0.00,{}\n" * 2)
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
