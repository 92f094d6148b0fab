"""The answer to "does the interval hold the truth" as text."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_verify
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, percent

if TYPE_CHECKING:
    from evalgauge.questions.verify import VerifyAnswer
    from evalgauge.studies.coverage_results import RuleCoverage

TARGET_WORDS = {"new-cases": "new cases like these", "these-cases": "exactly these cases"}


def verify_lines(answer: VerifyAnswer) -> list[Line]:
    """Return the verdict on the rule in question, every rule by number of reps, and what was simulated."""
    lines = [*_headline(answer), *_scenario(answer)]
    for reps, rules in groupby(answer.rules, key=lambda one: one.reps):
        lines += _table(count(reps, "rep"), list(rules))
    lines += _legend(answer)
    for reps, rules in groupby(answer.missing_rules, key=lambda one: one.reps):
        gone = f"{count(reps, 'rep')}, {100 * answer.missing_share:.3g} % of runs missing"
        lines += _table(gone, list(rules))
    if answer.missing_rules:
        drawn = f"{answer.missing_rules[0].sims:,} evals"
        lines.append(Line(f"  Missing by chance; the truth is what all runs would have shown ({drawn}).", "quiet"))
    lines += _null(answer)
    lines += note_lines(answer.ledger)
    lines += [Line(f"  {note}", "warning") for note in answer.notes]
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    lines.append(Line(f"  Next: {after_verify(answer)}", "command"))
    return lines


def _headline(answer: VerifyAnswer) -> list[Line]:
    asked, better, level = answer.asked, answer.advised, percent(answer.confidence)
    where = f"at {count(asked.reps, 'rep')}"
    found = f"{asked.title} covers {_share(asked.coverage)}"
    if answer.holds:
        return [Line(f"HOLDS: {found} {where}, asked {level}", "good")]
    lines = [Line(f"DOES NOT HOLD: {found}, not {level}, {where}", "bad")]
    if better is not None:
        own = f"the {better.title}: {_share(better.coverage)} on the same evals"
        lines.append(Line(f"  Use {own}" if better.coverage > asked.coverage else f"  {own[0].upper()}{own[1:]}"))
    return lines


def _scenario(answer: VerifyAnswer) -> list[Line]:
    what = "the change of two arms on the same cases" if answer.design == "paired" else "one score"
    lines = [
        Line(f"  {count(answer.n_cases, 'case')}, {what}, {TARGET_WORDS[answer.target]}"),
        Line(f"  Simulated: {answer.cases}"),
    ]
    if answer.log is not None:
        log = answer.log
        lines.append(
            Line(
                f"  The log: {_share(log.rate)} over {count(log.n_cases, 'case')} × {count(log.n_reps, 'rep')}; "
                f"spread of cases {log.case_sd:.2f}, of runs {log.run_sd:.2f}"
            )
        )
    return lines


def _table(head: str, rules: list[RuleCoverage]) -> list[Line]:
    width = max(26, len(head), *(len(one.title) for one in rules))
    columns = "covers          above    below   half-width  no width"
    lines = [Line(f"  {head:<{width}}  {columns}", narrow=f"  {head}:")]
    for one in rules:
        half, error, refused = f"±{100 * one.mean_half_width:.1f}", _error(one), _refused(one)
        lines.append(
            Line(
                f"  {one.title:<{width}}  {_share(one.coverage):>7} {error:<7}{_share(one.lower_miss):>7}  "
                f"{_share(one.upper_miss):>7}  {half:>11}  {_share(one.zero_width):>8}{refused}",
                narrow=f"    {one.title} covers {_share(one.coverage)} ({error}), {half} points{refused}",
            )
        )
    return lines


def _share(share: float) -> str:
    return f"{100 * share:.1f} %" if share == share else "–"  # noqa: PLR0124 - NaN alone differs from itself


def _error(one: RuleCoverage) -> str:
    return "exact" if one.exact else f"±{100 * one.error:.1f}"


def _refused(one: RuleCoverage) -> str:
    return f"  (no interval in {_share(one.refused)} of the evals)" if one.refused > 0 else ""


def _legend(answer: VerifyAnswer) -> list[Line]:
    lines = [
        Line(
            "  Half-widths in points. Above, below: the interval lies above, or below, the truth; half of "
            f"{percent(round(1 - answer.confidence, 12))} each is asked.",
            "quiet",
        )
    ]
    if all(one.exact for one in answer.rules):
        return [*lines, Line("  Every figure is exact: all evals there could be were counted.", "quiet")]
    drawn = f"{answer.sims:,} evals, seed {answer.seed}"
    return [*lines, Line(f"  ± after a share: its Monte-Carlo error (one standard error; {drawn}).", "quiet")]


def _null(answer: VerifyAnswer) -> list[Line]:
    lines: list[Line] = []
    check = answer.same_system
    if check is not None:
        lines.append(
            Line(
                f"  The two logs differ by {100 * check.change:+.1f} points on {count(check.changed, 'case')}; chance "
                f"makes such a change in {_share(check.p_value)} of pairs of runs."
            )
        )
    lines += [
        Line(
            f"  Noise floor at {count(null.reps, 'rep')}: two runs of one system differ by up to "
            f"±{100 * null.floor:.1f} points in {percent(answer.confidence)} of pairs "
            f"({null.flips:.1f} cases change, sd {100 * null.sd:.1f})."
        )
        for null in answer.null_changes
    ]
    return lines
