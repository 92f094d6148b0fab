"""The answer to "what can this gate see" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_check
from evalgauge.report.text.gate import rule_title
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import Scale, count, percent

if TYPE_CHECKING:
    from evalgauge.questions.gate_check import GateCheckAnswer, RuleCheck

ROWS_SHOWN = 20


def check_lines(answer: GateCheckAnswer) -> list[Line]:
    """Return whether the rules can decide, what each needs and sees, the hard floors, and what to do next."""
    lines = [_headline(answer)]
    scale = Scale(answer.range)
    for row in answer.rules[:ROWS_SHOWN]:
        lines += _rule(row, scale)
    if len(answer.rules) > ROWS_SHOWN:
        lines.append(Line(f"  … {len(answer.rules) - ROWS_SHOWN:,} more rules (--json has all)"))
    margins = " / ".join(f"{100 * float(margin):g}" for margin in answer.hard_floors)
    floors = " / ".join(f"{n:,}" for n in answer.hard_floors.values())
    lines.append(
        Line(
            f"  Hard floor: below {floors} cases no rule can exclude a drop of {margins} points made of a few cases "
            "that break completely."
        )
    )
    lines += note_lines(answer.ledger)
    lines += [Line(f"  {note}", "warning") for note in answer.notes]
    lines.append(
        Line(
            f"  Rules from {answer.rules_from}, two-sided {percent(answer.confidence)}: a pass is read at a one-sided "
            f"error of {percent(round((1 - answer.confidence) / 2, 6))}.",
            "quiet",
        )
    )
    lines.append(Line(f"  Next: {after_check(answer)}", "command"))
    return lines


def _headline(answer: GateCheckAnswer) -> Line:
    reps = f" × {count(answer.n_reps, 'rep')}" if answer.n_reps is not None and answer.n_reps > 1 else ""
    size = f" with {count(answer.n_cases, 'case')}{reps}" if answer.n_cases is not None else ""
    if answer.can_decide is None:
        return Line(f"Least counts of {count(len(answer.rules), 'rule')}", "headline")
    if answer.can_decide:
        return Line(f"THIS GATE CAN DECIDE{size}", "good")
    return Line(f"THIS GATE IS BLIND{size}: a rule below can never pass, or never fail", "bad")


def _rule(row: RuleCheck, scale: Scale) -> list[Line]:
    title = rule_title(row, scale)
    blind = [word for word, can in (("pass", row.can_pass), ("fail", row.can_fail)) if can is False]
    said = f": can never {' or '.join(blind)} with {count(row.n_cases or 0, 'case')}" if blind else ""
    lines = [Line(f"  {title}{said}", "bad" if blind else "plain")]
    if row.rule == "case-rate":
        return lines + _reps(row)
    to_fail = f"; for a fail: {row.least_to_fail:,}" if row.least_to_fail is not None else ""
    to_pass = f"{row.least_to_pass:,}" if row.least_to_pass is not None else "no number is enough"
    floor = f" (hard floor {row.hard_floor:,})" if row.hard_floor is not None else ""
    lines.append(Line(f"    least n for a pass: {to_pass}{floor}{to_fail}"))
    if row.pass_chance is not None:
        word = "nothing changed" if row.hard_floor is not None else "it is as good as expected"
        lines.append(Line(f"    passes with a chance of {_chance(row.pass_chance)} if {word}"))
    if row.fail_chances:
        where = "" if row.hard_floor is not None else " below the floor"
        drops = [f"{100 * float(drop):g}" for drop in row.fail_chances]
        powers = [_chance(power) for power in row.fail_chances.values()]
        parts = ", ".join(f"{drop}-point {power}" for drop, power in zip(drops, powers, strict=True))
        lines.append(Line(f"    power to fail a drop{where}: {parts}"))
    if row.seen_drop is not None:
        seen = f"a drop of {scale.distance(row.seen_drop)}"
        if row.hard_floor is None:
            seen = f"a true score of {scale.value(row.threshold - row.seen_drop)}"
        lines.append(Line(f"    {seen} fails with a chance of 80 %"))
    if row.assumes:
        lines.append(Line(f"    assumes: {row.assumes}", "quiet"))
    return lines


def _reps(row: RuleCheck) -> list[Line]:
    lines: list[Line] = []
    if row.least_reps is not None:
        lines.append(Line(f"    least reps to find a case that never passes: {row.least_reps:,}"))
    if row.fires_at is not None and row.visible_rate is not None:
        sight = f"{100 * row.visible_rate:.1f} %"
        lines.append(
            Line(
                f"    fires where a case passes {row.fires_at:,} or fewer of its runs; one that truly passes {sight} "
                "is found with a chance of 80 %"
            )
        )
    if row.assumes:
        lines.append(Line(f"    assumes: {row.assumes}", "quiet"))
    return lines


def _chance(share: float) -> str:
    number = 100 * share
    if 0 < number < 0.1 or 99.9 < number < 100:
        return "under 0.1 %" if number < 0.1 else "over 99.9 %"
    return f"{number:.1f} %"
