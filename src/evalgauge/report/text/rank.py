"""The answer to "which of these arms are better than which" as text: ties first, never a rank that is not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_rank
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import Scale, count, method_title, p_text, percent, short_name

if TYPE_CHECKING:
    from evalgauge.questions.rank import RankAnswer, RankedArm

SHOWN = 20
NAMED = 4
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_LONGEST_NAME = 32


def rank_lines(answer: RankAnswer) -> list[Line]:
    """Return who may be the best, the ranks, the pair at the top, what the choice costs, and what to do next."""
    scale = Scale(answer.range)
    return [
        headline(answer),
        _basis(answer),
        *_table(answer, scale),
        *_top_pair(answer, scale),
        _selection(answer, scale),
        *_missing(answer),
        *(Line(f"  {note}", "quiet") for note in answer.notes),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        *note_lines(answer.ledger),
        Line(f"  Method: {_method(answer)}", "quiet"),
        Line(f"  Next: {after_rank(answer)}", "command"),
    ]


def headline(answer: RankAnswer) -> Line:
    """Return who may be the best."""
    k = len(answer.arms)
    if answer.verdict == "no order":
        return Line(f"NO ORDER: no two of the {k:,} arms are told apart; any may be the best", "headline")
    if answer.verdict == "first":
        others = "the other arm" if k == 2 else f"each of the other {k - 1:,} arms"
        return Line(f"FIRST: {answer.best[0]} is better than {others}", "good")
    names, rest = answer.best[:NAMED], len(answer.best) - NAMED
    more = f" and {rest:,} more" if rest > 0 else ""
    return Line(
        f"TIE at the top: {len(answer.best):,} of {k:,} arms may be the best: {', '.join(names)}{more}", "headline"
    )


def _basis(answer: RankAnswer) -> Line:
    units = f" in {count(answer.n_units, 'cluster')}" if answer.request.cluster is not None else ""
    apart = f"{answer.n_apart:,} of {count(answer.n_pairs, 'pair')} told apart"
    level = percent(answer.confidence)
    return Line(f"  {count(answer.n_cases, 'case')}{units}, the same for all arms; {apart} ({level} together)")


def _table(answer: RankAnswer, scale: Scale) -> list[Line]:
    shown = answer.arms[:SHOWN]
    names = [_short(arm.name) for arm in shown]
    ranks = [_ranks(arm) for arm in shown]
    spans = [scale.span(arm.together.low, arm.together.high) for arm in shown]
    ties = [tied_letters(arm) for arm in shown]
    wide = [max(map(len, column)) for column in (["rank", *ranks], names, ["true score", *spans])]
    head = f"  {'rank':<{wide[0]}}  {'':<{wide[1]}}  {'score':>8}  {'true score':<{wide[2]}}  tied"
    lines = [Line(head.rstrip(), "quiet", narrow="  rank, score, true score, ties")]
    for arm, name, rank, span, tie in zip(shown, names, ranks, spans, ties, strict=True):
        value = scale.value(arm.estimate)
        text = f"  {rank:<{wide[0]}}  {name:<{wide[1]}}  {value:>8}  {span:<{wide[2]}}  {tie}"
        lines.append(Line(text.rstrip(), narrow=f"  {rank}: {name}, {value}, {span}, {tie}"))
    rest = len(answer.arms) - len(shown)
    if rest:
        lines.append(Line(f"  … {rest:,} more (--json shows all)", "quiet"))
    if answer.n_apart:
        lines.append(
            Line("  Arms without a common letter are told apart; ranks and true scores hold for all at once.", "quiet")
        )
    return lines


def _short(name: str) -> str:
    return short_name(name, _LONGEST_NAME)


def _ranks(arm: RankedArm) -> str:
    return f"{arm.best_rank:,}" if arm.best_rank == arm.worst_rank else f"{arm.best_rank:,} to {arm.worst_rank:,}"


def tied_letters(arm: RankedArm) -> str:
    """Return the arm's groups as letters; beyond Z as numbers."""
    return " ".join(_LETTERS[group - 1] if group <= len(_LETTERS) else str(group) for group in arm.groups)


def _top_pair(answer: RankAnswer, scale: Scale) -> list[Line]:
    pair = answer.pairs[0]
    span = scale.change_span(pair.low, pair.high)
    words = f"{scale.change(pair.difference)}{scale.points} ({span} with all pairs in view)"
    told = "better" if pair.verdict == "better" else "not told apart"
    holm = f", Holm over all pairs p {p_text(pair.p_holm)}" if len(answer.arms) > 2 else f", p {p_text(pair.p_value)}"
    return [Line(f"  {_short(pair.first)} against {_short(pair.second)}: {told}, {words}{holm}")]


def _selection(answer: RankAnswer, scale: Scale) -> Line:
    cost = answer.selection
    arms = "both" if cost.looks == 2 else f"all {cost.looks:,}"
    worth = f"; {cost.looks:,} arms were worth {cost.effective_looks:.3g} independent looks" if cost.looks > 2 else ""
    high = scale.distance(cost.optimism)
    return Line(f"  Were {arms} arms equally good, the top score would be about {high} too high{worth}.")


def _missing(answer: RankAnswer) -> list[Line]:
    lines: list[Line] = []
    lacking = [arm for arm in answer.arms if arm.missing]
    if lacking:
        listed = ", ".join(f"{_short(arm.name)} {arm.missing:,}" for arm in lacking[:NAMED])
        lines.append(Line(f"  Cases without a score: {listed}{_rest(len(lacking))}.", "warning"))
    alone = [arm for arm in answer.arms if arm.left_out]
    if alone:
        listed = ", ".join(f"{_short(arm.name)} {arm.left_out:,}" for arm in alone[:NAMED])
        lines.append(Line(f"  Cases that not all arms have, left out: {listed}{_rest(len(alone))}.", "warning"))
    return lines


def _rest(number: int) -> str:
    return f", … {number - NAMED:,} more arms" if number > NAMED else ""


def _method(answer: RankAnswer) -> str:
    pair = "McNemar" if answer.pairs[0].method == "tango" else "paired changes over cases"
    drawn = f" ± {2 * answer.critical_error:.3f}" if answer.critical_error else ""
    title = method_title(answer.method)
    return f"{pair} down a ladder, first critical value {answer.critical:.3f}{drawn}; scores: {title}, max-t"
