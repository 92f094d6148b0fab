"""The answer to "how good is the best of k" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_best_of
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import Scale, count, interval_bar, percent

if TYPE_CHECKING:
    from evalgauge.questions.best_of import BestOfAnswer

SHOWN = 8
METHODS = {
    "max-t wilson": "max-t Wilson",
    "max-t clopper-pearson": "max-t Clopper-Pearson",
    "clopper-pearson at alpha/k": "Clopper-Pearson at alpha/k",
}

NAIVE = {"no correction": "no correction", "bonferroni": "Bonferroni"}


def best_of_lines(answer: BestOfAnswer) -> list[Line]:
    """Return the best with its interval, what it will score on new cases, what the looks were worth, and the rest."""
    scale = Scale(answer.range)
    lines = [_headline(answer, scale)]
    if scale.ends is not None:
        lines.append(Line(f"  {interval_bar(answer.low, answer.observed, answer.high, scale.ends)}", "picture"))
    lines += [
        Line(
            f"  On cases that did not choose it, the winner is expected at {scale.value(answer.expected)} "
            f"(± {scale.distance(2 * answer.expected_error)} from resampling)."
        ),
        *_ties(answer),
        _looks(answer),
        *_candidates(answer, scale),
        *_naive(answer, scale),
        *(Line(f"  {note}", "quiet") for note in answer.notes),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        *note_lines(answer.ledger),
        Line(
            f"  Method: {METHODS[answer.method]}, critical value {answer.critical:.3f} ± "
            f"{2 * answer.critical_error:.3f}",
            "quiet",
        ),
        Line(f"  Next: {after_best_of(answer)}", "command"),
    ]
    return lines


def _headline(answer: BestOfAnswer, scale: Scale) -> Line:
    return Line(
        f"Best of {answer.looks:,}: {answer.best} with {scale.value(answer.observed)} "
        f"({count(answer.n_cases, 'case')}); true score likely {scale.span(answer.low, answer.high)} "
        f"({percent(answer.confidence)} interval, corrected for the choice)",
        "headline",
    )


def _ties(answer: BestOfAnswer) -> list[Line]:
    if len(answer.tied) == 1:
        return []
    return [Line(f"  TIE at the top: {_names(answer.tied)} have the same score; the first is named.", "warning")]


def _names(names: tuple[str, ...]) -> str:
    rest = len(names) - SHOWN
    return ", ".join(names[:SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")


def _looks(answer: BestOfAnswer) -> Line:
    worth = f"{answer.effective_looks:.3g}"
    return Line(
        f"  {count(answer.looks, 'candidate')} were worth {worth} independent {'look' if worth == '1' else 'looks'}: "
        "they were scored on the same cases."
    )


def _candidates(answer: BestOfAnswer, scale: Scale) -> list[Line]:
    shown = answer.candidates[:SHOWN]
    width = max(len(one.name) for one in shown)
    lines = [
        Line(f"    {one.name:<{width}}  {scale.value(one.estimate)}  best in {100 * one.chosen:.0f} % of resamples")
        for one in shown
    ]
    rest = len(answer.candidates) - len(shown)
    return lines if rest == 0 else [*lines, Line(f"    … {rest:,} more (--json shows all)", "quiet")]


def _naive(answer: BestOfAnswer, scale: Scale) -> list[Line]:
    spans = "; ".join(f"{NAIVE[one.method]} {scale.span(one.low, one.high)}" for one in answer.naive)
    return [
        Line(
            f"  Often reported instead: {spans}; score less the optimism of independent equals "
            f"{scale.value(answer.if_equal)}",
            "quiet",
        )
    ]
