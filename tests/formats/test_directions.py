"""Metrics of which less is better: verdicts turn with them, whatever the log is called."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import evalgauge as eg
from evalgauge.errors import ArgumentError
from evalgauge.formats import read
from evalgauge.formats.directions import is_less_better
from support.read_tables import texts, written

if TYPE_CHECKING:
    from pathlib import Path

N = 60


def of_rate(folder: Path, name: str, bad: int, *, column: str) -> Path:
    lines = "".join(f"c{place},{int(place < bad)}\n" for place in range(N))
    return written(folder, f"id,{column}\n{lines}", f"{name}.csv")


@pytest.mark.parametrize(
    "name",
    [
        *("hallucination", "Hallucination", "toxicity/v1/score", "feedback.toxicity", "scores.Hallucination", "failed"),
        *("is_incorrect", "annotation_hallucination_score", "wer", "word_perplexity,none", "Score: bias"),
        *(
            "outputs.violence.violence_score",
            "outputs.hate_unfairness.hate_unfairness",
            "noise_sensitivity(mode=relevant)",
        ),
    ],
)
def test_names_that_count_what_nobody_wants(name: str) -> None:
    assert is_less_better(name)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "score",
            "passed",
            "Hallucination/pass",
            "hallucination_free",
            "no_failures",
            "faithfulness",
            "refusal",
            "value",
        ),
        *("outputs.violence.violence_result", "bias_check_passed", "acc,none", "", "pass"),
    ],
)
def test_names_that_do_not(name: str) -> None:
    assert not is_less_better(name)


@pytest.mark.parametrize("column", ["hallucination", "failed", "wer", "is_wrong"])
def test_more_of_what_is_not_wanted_is_worse_and_fails_the_gate(tmp_path: Path, column: str) -> None:
    few, many = of_rate(tmp_path, "few", 5, column=column), of_rate(tmp_path, "many", 40, column=column)
    risen, fallen = eg.compare(few, many, margin=0.02), eg.compare(many, few, margin=0.02)
    assert (risen.verdict, fallen.verdict) == ("worse", "better")
    assert risen.difference.estimate == pytest.approx(35 / N)
    assert (risen.wins, risen.losses) == (0, 35)
    assert any(f"Lower is better in {column!r}, as its name says" in problem for problem in risen.problems)
    assert eg.gate(few, many, max_drop=0.1).verdict == "fail"
    assert eg.gate(many, few, max_drop=0.1).verdict == "pass"


def test_a_share_of_failures_is_no_share_that_passes(tmp_path: Path) -> None:
    found = eg.measure(of_rate(tmp_path, "few", 5, column="failed"))
    assert not found.is_pass_fail
    assert found.estimate == pytest.approx(5 / N)


def test_missing_runs_cannot_count_as_the_best_score(tmp_path: Path) -> None:
    path = written(tmp_path, "id,toxicity\na,1\nb,\nc,0\nd,1\n")
    with pytest.raises(ArgumentError, match="bounds or drop for 'toxicity', of which less is better"):
        eg.measure(path, missing="fail")


def test_what_a_log_says_of_its_direction_holds(tmp_path: Path) -> None:
    lines = [json.dumps({"id": f"c{place}", "toxicity": place % 2}) for place in range(4)]
    table = read(written(tmp_path, "\n".join(lines), "log.jsonl"))
    assert [one.higher_is_better for one in table.metrics] == [False]
    again = read(table)
    assert texts(again) == texts(table)
