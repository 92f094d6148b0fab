"""The answer to "which design" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_plan_design
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.text.plan import DESIGN_TITLES, RULE_TITLES
from evalgauge.report.words import percent

if TYPE_CHECKING:
    from evalgauge.planning.design_results import DesignRow
    from evalgauge.questions.plan_design import PlanDesignAnswer

SHORT = {"held-reference": "HELD REFERENCE", "paired": "SAME CASES", "independent-arms": "DIFFERENT CASES"}


def design_lines(answer: PlanDesignAnswer) -> list[Line]:
    """Return the recommendation, the three designs, and what each assumes."""
    return [
        Line(f"{SHORT[answer.recommended]}: {answer.reason}", "headline"),
        Line(
            f"  A {answer.direction} from {percent(answer.rate_from)} to {percent(answer.rate_to)}, shown with "
            f"{percent(answer.power)} power{_split(answer)}:"
        ),
        *(line for row in answer.designs for line in _row(row, answer.own)),
        *note_lines(answer.ledger),
        *(Line(f"  {note}", "quiet") for note in answer.notes),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        Line(f"  Next: {after_plan_design(answer)}", "quiet"),
    ]


def _split(answer: PlanDesignAnswer) -> str:
    return "" if answer.slices.count == 1 else f" in each of {answer.slices.count:,} slices"


def _row(row: DesignRow, own: int | None) -> list[Line]:
    width = max(len(title) for title in DESIGN_TITLES.values())
    mine = "" if row.own_power is None else f"; {own:,} give {100 * row.own_power:.1f} %"
    return [
        Line(
            f"    {DESIGN_TITLES[row.design]:<{width}}  {row.cases:>7,} cases, {row.runs:>7,} runs, cost "
            f"{row.cost:>9,.4g}, power {100 * row.power:.1f} %{mine} (handbook {row.handbook_n:,}; "
            f"{RULE_TITLES[row.rule]})"
        ),
        Line(f"      assumes {row.assumes}", "quiet"),
    ]
