"""AlpacaEval annotations: wins as AlpacaEval counts them, ties, instructions as cases, and what is refused."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from evalgauge.errors import LogError
from evalgauge.formats.alpaca_eval import READER
from evalgauge.scores.pairing import paired_cases
from evalgauge.scores.table import Status
from support.logs import cells, problems, read_log, source

if TYPE_CHECKING:
    from pathlib import Path

METRIC = "preference/gpt-judge"


def row(instruction: str, worth: float | None, **more: Any) -> dict[str, Any]:
    base = {
        "instruction": instruction,
        "output_1": "a",
        "generator_1": "davinci",
        "dataset": "vicuna",
        "output_2": "b",
        "generator_2": "mine",
        "annotator": "gpt-judge",
        "preference": worth,
    }
    return {key: value for key, value in {**base, **more}.items() if value is not ...}


def written(folder: Path, rows: list[dict[str, Any]], name: str = "annotations.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("preference", "win"),
    [
        (1, 0.0),
        (2, 1.0),
        (2.0, 1.0),
        (1.25, 0.25),
        (0, 0.5),
        (1.5, 0.5),
        (None, "unscored"),
        (math.nan, "unscored"),
    ],
)
def test_preferences(tmp_path: Path, preference: float | None, win: float | str) -> None:
    table = read_log(written(tmp_path, [row("q", preference)]))
    assert cells(table, METRIC) == {("1", 1): win}


def test_columns(tmp_path: Path) -> None:
    table = read_log(written(tmp_path, [row("first", 1), row("second", 2, dataset="koala")]))
    run = table.runs[0]
    assert (run.set_name, run.arm, run.framework) == ("alpaca_eval", "mine", "alpaca-eval")
    assert run.arm_detail == {"model": "mine", "baseline": "davinci", "annotator": "gpt-judge"}
    assert table.cases.fields == {"dataset": ("vicuna", "koala")}
    assert table.cases.id_is_row_number
    assert table.cases.contents is not None
    assert [content.input for content in table.cases.contents() if content] == ["first", "second"]
    metric = table.metrics[0]
    assert (metric.low, metric.high, metric.higher_is_better) == (0.0, 1.0, True)


def test_annotators_share_cases_and_are_metrics_of_their_own(tmp_path: Path) -> None:
    rows = [row("q", 1), row("q", 2, annotator="other"), row("r", 2)]
    table = read_log(written(tmp_path, rows))
    assert len(table.cases) == 2
    assert cells(table, METRIC) == {("1", 1): 0.0, ("2", 1): 1.0}
    assert cells(table, "preference/other") == {("1", 1): 1.0}


def test_an_instruction_that_stands_twice_is_two_cases(tmp_path: Path) -> None:
    assert cells(read_log(written(tmp_path, [row("q", 1), row("q", 2)])), METRIC) == {("1", 1): 0.0, ("2", 1): 1.0}


def test_a_cut_file_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = written(tmp_path, [row("q", 1), row("r", 2), row("s", 2)])
    path.write_bytes(path.read_bytes()[:-20])
    table = read_log(path)
    assert cells(table, METRIC) == {("1", 1): 0.0, ("2", 1): 1.0}
    assert table.runs[0].state == "partial"
    assert "2 records before that place could be read" in problems(table)


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([row("q", 1), row("r", 3)], "annotations.json, record 2, field 'preference': 3 is no preference."),
        ([row("q", 1, generator_2=...)], "object missing required field `generator_2`"),
        ([row("q", 1, preference=...)], "object missing required field `preference`"),
    ],
)
def test_refusals(tmp_path: Path, rows: list[dict[str, Any]], text: str) -> None:
    with pytest.raises(LogError) as refusal:
        read_log(written(tmp_path, rows))
    assert text in str(refusal.value)


def test_claims_by_bytes(tmp_path: Path) -> None:
    assert READER.claims(source(written(tmp_path, [row("q", 1)])))
    # What a model answered, before anybody compared it, is no log.
    assert not READER.claims(source(written(tmp_path, [{"instruction": "q", "output": "a", "generator": "m"}])))
    assert not READER.claims(source(written(tmp_path, [{"id": 1, "score": 1}])))
    assert not READER.claims(source(tmp_path))


def test_real_annotations_equal_a_hand_count_and_pair_by_instruction(real_logs: Path) -> None:
    tables = []
    for name, wins, ties, missing in (("alpaca-7b", 205, 16, 0), ("alpaca-7b-neft", 495, 0, 2)):
        path = real_logs / "alpaca-eval" / f"{name}.gpt4.annotations.json"
        table = read_log(path)
        records = json.loads(path.read_text(encoding="utf-8"))
        assert len(table) == len(records) == 805
        for place, record in enumerate(records):
            preference = record["preference"]
            expected = {None: np.nan, 0: 0.5}.get(preference, (preference or 0) - 1)
            np.testing.assert_equal(table.score[place], expected)
        assert (table.score == 1).sum() == wins
        assert (table.score == 0.5).sum() == ties
        assert (table.status == Status.UNSCORED).sum() == missing
        tables.append(table)
    assert tables[0].cases.case_id == tables[1].cases.case_id
    paired = paired_cases(*(table.cases for table in tables))
    assert (paired.by, paired.by_counts["content"]) == ("content", 805)
