"""The answer to "more cases or more reps" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_plan_reps
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.text.plan import points
from evalgauge.report.words import count, percent

if TYPE_CHECKING:
    from evalgauge.questions.plan_reps import PlanRepsAnswer


def reps_lines(answer: PlanRepsAnswer) -> list[Line]:
    """Return the advice, the ways to spend, what no reps can remove, and what the old rule would claim."""
    return [
        headline(answer),
        *_spread(answer),
        *_rows(answer),
        *_counts(answer),
        *_bands(answer),
        *_grid(answer),
        *note_lines(answer.ledger),
        *(Line(f"  {note}", "quiet") for note in answer.notes),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        Line(f"  Next: {after_plan_reps(answer)}", "command"),
    ]


def headline(answer: PlanRepsAnswer) -> Line:
    """Return the advice."""
    sketch, best = answer.sketch, answer.best
    if sketch is not None:
        return Line(
            f"SKETCH: {count(sketch.cases, 'case')} × {count(sketch.reps, 'rep')} give ±{100 * sketch.low:.0f} to "
            f"±{100 * sketch.high:.0f} points, before anything is known",
            "headline",
        )
    if answer.is_too_few:
        return Line("TOO FEW REPS TO TELL: the log cannot say what more of them would buy", "warning")
    if best is None or best.reps is None:
        return Line("MORE REPS always pay here: either they are free, or all cases are alike", "headline")
    band = f"{best.low} to {best.high}" if best.high is not None else f"{best.low} or more"
    near = f"; {band} cost at most 5 % more" if band != f"{best.reps} to {best.reps}" else ""
    if best.reps == 1:
        return Line(f"CASES FIRST: one rep each buys most for the price{near}", "headline")
    return Line(f"{best.reps} REPS a case buy most for the price (R* = {best.exact:.3g}){near}", "headline")


def _spread(answer: PlanRepsAnswer) -> list[Line]:
    if answer.case_sd is None or answer.run_sd is None:
        return []
    between = "true changes of cases" if answer.kind == "paired change" else "cases"
    runs = "runs of both arms together" if answer.kind == "paired change" else "runs"
    turn = ""
    if answer.crossover is not None:
        turn = (
            f"; run noise outweighs it up to {answer.crossover:.3g} {'rep' if answer.crossover == 1 else 'reps'}"
            if answer.crossover >= 1
            else ("; run noise is smaller already with one rep")
        )
    return [Line(f"  Spread: {between} {answer.case_sd:.3g}, {runs} {answer.run_sd:.3g}{turn}.")]


def _rows(answer: PlanRepsAnswer) -> list[Line]:
    if not answer.rows:
        return []
    head = "  reps  cases    runs      cost   half-width  graded  no reps below  old rule (and holds)"
    lines = [Line(head, narrow="  Half-width in points, by reps and cases:")]
    for row in answer.rows:
        graded = "–" if row.graded_half_width is None else f"±{100 * row.graded_half_width:.1f}"
        width, floor = f"±{100 * row.half_width:.1f}", f"±{100 * row.floor_half_width:.1f}"
        claimed = f"±{100 * row.claimed:.1f} ({100 * row.claim_holds:.0f} %)"
        lines.append(
            Line(
                f"  {row.reps:>4}  {row.cases:>5,}  {row.runs:>6,}  {row.cost:>8,.6g}   {width:>10}  {graded:>6}  "
                f"{floor:>13}  {claimed}",
                narrow=(
                    f"  {count(row.reps, 'rep')} × {count(row.cases, 'case')}: {width}, graded {graded}, cost "
                    f"{row.cost:,.6g}; no reps below {floor}; old rule claims {claimed}"
                ),
            )
        )
    return lines


def _counts(answer: PlanRepsAnswer) -> list[Line]:
    if not answer.counts:
        return []
    asked = answer.request
    if asked.drop is not None:
        goal = f"a change of {points(asked.drop)} with {percent(answer.power)} power"
    else:
        goal = f"±{points(asked.margin or 0.0)}"
    lines = [
        Line(f"  For {goal}:"),
        Line("  reps  cases (by formula)    runs      cost", narrow="  (by formula in brackets)"),
    ]
    lines += [
        Line(
            f"  {one.reps:>4}  {one.n:>5,} ({one.n_classic:,})  {one.runs:>14,}  {one.cost:>8,.6g}",
            narrow=(
                f"  {count(one.reps, 'rep')}: {count(one.n, 'case')} ({one.n_classic:,}), {count(one.runs, 'run')}, "
                f"cost {one.cost:,.6g}"
            ),
        )
        for one in answer.counts
    ]
    return lines


def _bands(answer: PlanRepsAnswer) -> list[Line]:
    if not answer.bands or answer.pilot is None:
        return []
    lines = [Line(f"  On these {answer.pilot.n_cases:,} cases, as bands (80 %; with one rep, what is possible):")]
    for band in answer.bands:
        middle = "" if band.half_width is None else f" (±{100 * band.half_width:.1f})"
        reps = f"{band.reps:>3} {'rep: ' if band.reps == 1 else 'reps:'}"
        lines.append(Line(f"    {reps} ±{100 * band.low:.1f} to ±{100 * band.high:.1f} points{middle}"))
    if answer.removable_low is not None and answer.removable_high is not None:
        middle, end = ("", "") if answer.removable is None else (f"{100 * answer.removable:.0f} % (", ")")
        lines.append(
            Line(
                f"  More reps can remove at most {middle}{100 * answer.removable_low:.0f} to "
                f"{100 * answer.removable_high:.0f} %{end} of the variance of this log's mean."
            )
        )
    return lines


def _grid(answer: PlanRepsAnswer) -> list[Line]:
    grid = answer.grid
    if grid is None:
        return []
    head = "".join(f"{reps:>7}" for reps in grid.reps)
    title = "  Half-width in points by cases (down) and reps (across):"
    lines = [
        Line(title, narrow="  Half-width in points by cases; in brackets the reps:"),
        Line(f"  {'':>6}{head}", narrow=""),
    ]
    for cases, widths in zip(grid.cases, grid.half_widths, strict=True):
        cells = "".join(f"{100 * width:>7.1f}" for width in widths)
        listed = ", ".join(f"{100 * width:.1f} ({reps})" for reps, width in zip(grid.reps, widths, strict=True))
        lines.append(Line(f"  {cases:>6,}{cells}", narrow=f"  {count(cases, 'case')}: {listed}"))
    return lines
