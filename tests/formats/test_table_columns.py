"""Plain tables: which column is what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from evalgauge.errors import LogError
from evalgauge.formats import ReadOptions, read
from evalgauge.scores.table import Status
from support.read_tables import of_records, rows, texts, written

if TYPE_CHECKING:
    from pathlib import Path


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


def test_arms_with_long_names_are_arms(tmp_path: Path) -> None:
    prompts = ("You are brief. " * 20, "You are kind. " * 20)
    rows = "".join(f"q{n},{prompt},{n % 2}\n" for n in range(6) for prompt in prompts)
    table = read(written(tmp_path, f"case,system,score\n{rows}"))
    assert [run.arm for run in table.runs] == [prompt.strip() for prompt in prompts]
    # What a system said of each case names no system.
    rows = "".join(f"q{n},{f'Answer {n}. ' * 20},{n % 2}\n" for n in range(6))
    table = read(written(tmp_path, f"case,agent,score\n{rows}", "said.csv"))
    assert [run.arm for run in table.runs] == ["said"]


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


def test_several_named_scores_are_the_metrics_whatever_a_column_is_called() -> None:
    table = of_records(
        [{"case": "x", "metric": "cm", "a": 1, "b": 0}, {"case": "y", "metric": "kg", "a": 0, "b": 0.5}],
        columns={"score": "a|b"},
    )
    assert [metric.name for metric in table.metrics] == ["a", "b"]
    assert set(table.metric.tolist()) == {0, 1}
