"""What a terminal shows: everything that was said, on lines that fit, and tables whole or as sentences."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

import evalgauge as eg
from evalgauge.report.terminal import print_lines
from evalgauge.report.text import answer_lines
from evalgauge.report.text.lines import Line

if TYPE_CHECKING:
    from evalgauge.questions.every import Answer


def shown(lines: list[Line], width: int) -> list[str]:
    out = StringIO()
    print_lines(lines, Console(file=out, width=width, force_terminal=True, color_system=None, highlight=False))
    return [line.rstrip() for line in out.getvalue().splitlines()]


TABLE = [
    Line("reps  cases", narrow="Cases by reps:"),
    Line("   1     400", narrow="1 rep: 400 cases"),
    Line("a rule", narrow=""),
]


def test_a_table_changes_as_a_whole() -> None:
    assert shown(TABLE, 12) == ["reps  cases", "   1     400", "a rule"]
    # The head alone would still fit.
    assert shown(TABLE, 11) == ["Cases by", "reps:", "1 rep:", "400 cases"]


def test_scripts_get_the_table_whole() -> None:
    out = StringIO()
    print_lines(TABLE, Console(file=out, width=11))
    assert out.getvalue().splitlines() == [line.text for line in TABLE]


@pytest.mark.parametrize("width", [40, 60, 90])
@pytest.mark.parametrize(
    "answer",
    [
        eg.plan_reps(case_sd=0.4, run_sd=0.3, budget=400),
        eg.plan_reps(case_sd=0.4, run_sd=0.3, margin=0.05),
        eg.plan_reps(change_sd=0.2, run_sd=0.3, drop=0.05),
    ],
    ids=["budget", "margin", "drop"],
)
def test_reps_are_readable_on_every_width(answer: Answer, width: int) -> None:
    lines = [line for line in answer_lines(answer) if line.tone != "command"]
    seen = shown(lines, width)
    assert max(map(len, seen)) <= width
    text = " ".join(" ".join(seen).split())
    rows = [line for line in lines if line.narrow is not None]
    is_wide = {" ".join(line.text.split()) in text for line in rows[-7:]}
    assert len(is_wide) == 1
    if width == 40:
        assert "1 reps" not in text
        assert "100 cases: 9.8 (1), 8.9 (2)" in text or answer.kind == "paired change"


def test_one_rep_is_no_reps() -> None:
    import pandas as pd  # noqa: PLC0415 - one test needs it

    frame = pd.DataFrame(
        {
            "case": [f"q{i // 5}" for i in range(100)],
            "rep": [i % 5 for i in range(100)],
            "score": [i % 3 for i in range(100)],
        }
    )
    text = "\n".join(line.text for line in answer_lines(eg.plan_reps(frame, score_range=(0, 2))))
    assert "  1 rep:  ±" in text
    assert "1 reps" not in text


@pytest.mark.parametrize("width", range(13, 40))
def test_no_row_ends_between_a_number_and_its_unit(width: int) -> None:
    line = Line("  Its rate is 75.6 %, 3.4 points below that of 1,220 cases of the other arm, each with 3 reps.")
    rows = shown([line], width)
    assert max(map(len, rows)) <= width
    assert all(row.startswith("  ") for row in rows)
    assert not [row for row in rows if row[-1].isdigit()]
    assert " ".join(" ".join(rows).split()) == line.text.strip()
