"""promptfoo's CSV: against the output file of the same run, what it rounds, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from evalgauge.errors import LogError
from support.logs import cells, problems, read_log

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures" / "promptfoo"
BLOCK = "Status,Score,Named Scores,Grader Reason"
HEAD = f"Description,ticket,[a] p,{BLOCK},Comment,[b] p,{BLOCK}"


def written(folder: Path, *lines: str, head: str = HEAD) -> Path:
    path = folder / "results.csv"
    path.write_text("\n".join((head, *lines)) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["repeat1", "repeat3", "prompts2"])
def test_passes_are_those_of_the_output_file(name: str) -> None:
    ours, theirs = read_log(FIXTURES / f"{name}.csv"), read_log(FIXTURES / f"{name}.json")
    assert [run.arm for run in ours.runs] == [run.arm for run in theirs.runs]
    assert {metric.name for metric in ours.metrics} == {metric.name for metric in theirs.metrics}
    for run in theirs.runs:
        # The tests stand in the order of the configuration in both.
        for metric in theirs.metrics:
            found, expected = cells(ours, metric.name, run.arm), cells(theirs, metric.name, run.arm)
            assert list(found.values()) == pytest.approx(list(expected.values()), abs=0.005)
            if metric.name != "score":
                assert list(found.values()) == list(expected.values())


def test_repeats_are_reps() -> None:
    table = read_log(FIXTURES / "repeat3.csv")
    assert len(table.cases) == 5
    assert set(table.rep.tolist()) == {1, 2, 3}
    assert table.runs[0].rep_source == "inferred"


def test_what_the_table_does_not_hold_is_said() -> None:
    said = problems(read_log(FIXTURES / "repeat1.csv"))
    assert said == "promptfoo's CSV rounds scores to two decimals; results.json holds them whole."


def test_statuses_and_columns(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        'first,t1,x,PASS,0.75,"{""tone"":0.755}",ok,,y,FAIL,0.00,{},no',
        "second,t2,x,ERROR,0.00,{},,,,,,,",
    )
    table = read_log(path)
    assert table.cases.case_id == ("first", "second")
    assert cells(table, "pass", "a") == {("first", 1): 1.0, ("second", 1): "error"}
    assert cells(table, "pass", "b") == {("first", 1): 0.0, ("second", 1): "not run"}
    # Named scores are written whole.
    assert cells(table, "named/tone", "a")["first", 1] == 0.755
    assert cells(table, "score", "a")["first", 1] == 0.75
    assert table.cases.contents is not None
    content = table.cases.contents()[0]
    assert content is not None
    assert content.input == {"ticket": "t1"}


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (
            "r,t,x,MAYBE,1.00,{},,,,,,,",
            "row 1, field 'Status': 'MAYBE' is no status of promptfoo's. PASS, FAIL",
        ),
        ("r,t,x,PASS,high,{},,,,,,,", "row 1, field 'Score': 'high' is no number."),
        ('r,t,x,PASS,1.00,"{""a"":",,,,,,,', "row 1: is no valid JSON"),
        ("r,t,,,,,,,,,,,", "holds no result."),
    ],
)
def test_refusals(tmp_path: Path, line: str, text: str) -> None:
    with pytest.raises(LogError) as refusal:
        read_log(written(tmp_path, line))
    assert text in str(refusal.value)


def test_a_table_without_an_arm_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "t,x,PASS,1.00,{},", head=f"ticket,answer,{BLOCK}")
    with pytest.raises(LogError, match=r"has no column such as '\[provider\] prompt' before a column 'Status'"):
        read_log(path)
