"""lighteval details: scores against the rows as pyarrow reads them, corpus metrics, models and tasks, refusals."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from evalgauge.errors import LogError
from evalgauge.formats.lighteval import READER
from evalgauge.formats.parquet_table import READER as PLAIN
from support.logs import cells, problems, read_log, source

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "lighteval"
DETAILS = {path.name.split("-")[0].removeprefix("details_"): path for path in FIXTURES.rglob("*.parquet")}


def doc(number: int | str | None, **more: Any) -> dict[str, Any]:
    return {
        "query": f"Question {number}?",
        "choices": ["yes", "no"],
        "gold_index": 1,
        "id": None if number is None else str(number),
        "task_name": "quiz",
        "specific": None,
        "num_samples": 1,
        **more,
    }


def written(
    folder: Path,
    docs: list[dict[str, Any]],
    metrics: list[Any],
    name: str = "details_quiz|5_2026-01-02T03-04-05.6.parquet",
) -> Path:
    rows = {"doc": docs, "metric": metrics, "model_response": [{"text": ["x"]}] * len(docs)}
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(rows), folder / name)
    return folder / name


@pytest.mark.parametrize(("task", "metric"), [("triage", "acc"), ("rewrite", "em"), ("rewrite", "f1")])
def test_scores_are_those_of_the_rows(task: str, metric: str) -> None:
    rows = pq.read_table(DETAILS[task]).to_pylist()
    by_hand = {(row["doc"]["id"], 1): row["metric"][metric] for row in rows}
    expected = {key: "unscored" if score is None else score for key, score in by_hand.items()}
    assert cells(read_log(DETAILS[task]), metric) == expected
    assert len(expected) in {5, 8}


def test_a_metric_of_the_whole_task_is_named_and_left_out() -> None:
    table = read_log(DETAILS["rewrite"])
    assert "bleu" not in {metric.name for metric in table.metrics}
    assert problems(table) == "Not read: bleu: scores of the whole task, which no document has."


def test_columns_of_a_choice() -> None:
    table = read_log(DETAILS["triage"])
    run = table.runs[0]
    rows = pq.read_table(DETAILS["triage"]).to_pylist()
    assert (run.arm, run.set_name, run.framework) == ("demo/small-1", "triage-0", "lighteval")
    assert run.created == DETAILS["triage"].parent.name
    assert table.cases.fields["topic"] == tuple(row["doc"]["specific"]["topic"] for row in rows)
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert content.input == rows[0]["doc"]["query"]
    assert content.choices == tuple(rows[0]["doc"]["choices"])
    assert content.target == [rows[0]["doc"]["choices"][rows[0]["doc"]["gold_index"]]]


def test_an_open_question_has_answers_and_no_choices() -> None:
    contents = read_log(DETAILS["rewrite"]).cases.contents
    content = contents()[0] if contents else None
    assert content is not None
    assert content.choices is None
    assert content.target == [str(content.input).removeprefix("Rewrite: ")]


def test_the_folder_that_lighteval_saves_is_one_table() -> None:
    table = read_log(FIXTURES)
    assert {run.set_name for run in table.runs} == {"triage-0", "rewrite-0"}
    assert "Left out" not in problems(table)


def test_task_and_date_come_from_the_name_and_else_from_the_documents(tmp_path: Path) -> None:
    named = read_log(written(tmp_path / "details" / "org" / "m" / "2026-01-02T03-04-05.6", [doc(1)], [{"acc": 1}]))
    run = named.runs[0]
    assert (run.set_name, run.arm, run.created) == ("quiz|5", "org/m", "2026-01-02T03-04-05.6")
    other = read_log(written(tmp_path, [doc(1)], [{"acc": 1}], "mine.parquet")).runs[0]
    assert (other.set_name, other.arm, other.created) == ("quiz", "mine", "")


def test_several_right_answers(tmp_path: Path) -> None:
    contents = read_log(written(tmp_path, [doc(1, gold_index=[0, 1])], [{"acc": 1}])).cases.contents
    content = contents()[0] if contents else None
    assert content is not None
    assert content.target == ["yes", "no"]


def test_documents_without_ids_are_numbered_and_equal_ids_are_kept_apart(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [doc(None), doc(None)], [{"acc": 1}, {"acc": 0}]))
    assert table.cases.id_is_row_number
    assert cells(table, "acc") == {("1", 1): 1.0, ("2", 1): 0.0}
    table = read_log(written(tmp_path, [doc(7), doc(7)], [{"acc": 1}, {"acc": 0}]))
    assert (table.cases.case_id, table.cases.dup.tolist()) == (("7", "7"), [0, 1])


def test_answers_under_one_score_are_said(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [doc(1, num_samples=4)], [{"pass@k": 0.5}]))
    assert problems(table) == (
        "1 document has several answers and one score over them: the spread between answers is not known."
    )


def test_without_a_score_per_document_it_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [doc(1)], [{"bleu": ["a", "b"]}])
    with pytest.raises(LogError, match="field 'metric': no metric has a score per document"):
        read_log(path)
    written(tmp_path, [doc(1)], [{"acc": 1}], "details_other|0_2026-01-02T03-04-05.6.parquet")
    assert "This file is left out." in problems(read_log(tmp_path, tolerant=True))


def test_documents_of_another_shape_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, [doc(1, query=3)], [{"acc": 1}])
    with pytest.raises(LogError, match="row 1, field 'query': expected `str`, got `int`"):
        read_log(path)


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    # Its schema, which stands at the end, is lost: it is no more than a Parquet table that is cut off.
    path = tmp_path / "details_x.parquet"
    path.write_bytes(DETAILS["triage"].read_bytes()[:-100])
    with pytest.raises(LogError, match=r"details_x.parquet: cannot be read"):
        read_log(path)


def test_claims_by_the_schema(tmp_path: Path) -> None:
    assert READER.claims(source(DETAILS["triage"]))
    renamed = shutil.copy(DETAILS["triage"], tmp_path / "x.bin")
    assert READER.claims(source(renamed))
    plain = tmp_path / "scores.parquet"
    pq.write_table(pa.table({"case": ["a"], "score": [1]}), plain)
    assert not READER.claims(source(plain))
    assert PLAIN.claims(source(plain))
