"""The answer to "how worn is this set" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalgauge.report.next_step import after_reuse
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import apart, count, method_title, percent

if TYPE_CHECKING:
    from evalgauge.questions.reuse import ReuseAnswer

RULE_WORDS = {
    "exact": "every score shown",
    "rounded": "scores shown in steps of a point",
    "ladder": "Ladder, steps of a point",
    "free-ladder": "Ladder without a step",
    "thresholdout": "Thresholdout",
    "pass-fail": "pass or fail only (z ≥ 2.33)",
}
DISPLAY_WORDS = {
    "nothing": "nothing",
    "pass-fail": "pass or fail",
    "score-on-pass": "the score of each pass",
    "rounded": "rounded scores",
    "exact": "every score",
}


def reuse_lines(answer: ReuseAnswer) -> list[Line]:
    """Return what the looks cost, what may still be claimed, what to do next, and what the figures rest on."""
    is_fine = answer.cost <= answer.tolerance
    return [
        _headline(answer, is_fine=is_fine),
        *_claim(answer),
        Line(f"  {answer.advice}", "plain" if is_fine else "warning"),
        *_figures(answer),
        *_adaptive(answer),
        *_certified(answer),
        *_refresh(answer),
        *_climb(answer),
        *note_lines(answer.ledger),
        *(Line(f"  {note}", "quiet") for note in answer.notes),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        Line(f"  Method: {method_title(answer.interval.method)}", "quiet"),
        Line(f"  Next: {after_reuse(answer)}", "command"),
    ]


def _headline(answer: ReuseAnswer, *, is_fine: bool) -> Line:
    allowed = f"allow {answer.look_budget.shown} {'look' if answer.look_budget.shown == '1' else 'looks'}"
    if answer.looks == 1:
        text = f"One look at {count(answer.n_cases, 'case')} costs nothing; {points(answer.tolerance)} {allowed}."
        return Line(text, "headline")
    within = "within" if is_fine else "BEYOND"
    text = (
        f"{count(answer.looks, 'look')} at {count(answer.n_cases, 'case')} flatter the best by "
        f"{points(answer.cost)}: {within} the {points(answer.tolerance)} tolerated, which {allowed}."
    )
    return Line(text, "headline" if is_fine else "bad")


def _claim(answer: ReuseAnswer) -> list[Line]:
    found = answer.interval
    what = "the chosen one" if answer.is_observed else f"an observed {percent(answer.observed)}"
    first = f"  Still to be claimed after {count(answer.looks, 'look')}: {ends(found.low, found.high)} for {what}"
    lines = [f"{first} ({percent(answer.confidence)} interval)"]
    if answer.looks > 1:
        lines.append(f"    One look would have said {ends(found.plain_low, found.plain_high)}.")
    return [Line(line) for line in lines]


def _figures(answer: ReuseAnswer) -> list[Line]:
    cost, budget, fresh = answer.optimism, answer.look_budget, answer.fresh_set
    rows = [f"  One score: standard error {100 * answer.sigma:.2f} points at {100 * answer.rate:.4g} %"]
    allowed = ", ".join(f"{_budget(one)} {name}" for name, one in _laws(answer, budget))
    if answer.looks > 1:
        best = answer.expected_max
        rows[0] += f"; expected best of {answer.looks:,}: {best.normal:.4f} of them (Blom {best.blom:.4f})"
        costs = ", ".join(f"{100 * one:.2f} {name}" for name, one in _laws(answer, cost) if one is not None)
        rows.append(f"  Optimism, points: {costs}")
        sizes = ", ".join(f"{_cases(one)} {name}" for name, one in _laws(answer, fresh))
        rows.append(f"  Fresh set for {answer.looks:,} looks within {points(answer.tolerance)}: {sizes}")
    rows.append(f"  Looks within {points(answer.tolerance)}: {allowed}")
    if answer.audit.cases is not None:
        rows.append(
            f"  Old against fresh cases: {answer.audit.cases:,} of each show {points(answer.audit.difference)} "
            f"(80 % power); {answer.n_cases:,} show {points(answer.audit.reach)}"
        )
    return [Line(row) for row in rows]


def _laws(answer: ReuseAnswer, found: object) -> list[tuple[str, Any]]:
    names = ["binomial", "normal", "blom"] if answer.optimism.binomial is not None else ["normal", "blom"]
    return [("Blom" if name == "blom" else name, getattr(found, name)) for name in names]


def _budget(looks: int | None) -> str:
    return f"{looks:,}" if looks is not None and looks <= 1000 else "more than 1,000"


def _cases(cases: int | None) -> str:
    return "more than a trillion" if cases is None else f"{cases:,}"


def _adaptive(answer: ReuseAnswer) -> list[Line]:
    if answer.looks == 1:
        return []
    found = answer.adaptive
    climbed = "see --climb" if found.keep_if_higher is None else points(found.keep_if_higher)
    rows = (
        ("candidates fixed in advance", points(found.fixed_in_advance)),
        ("if you keep whatever scores higher", climbed),
        ("a deliberate attack on exact scores", points(found.attack)),
        ("provable for any use of exact scores", points(found.provable)),
        ("order of magnitude √(k/n)", points(found.order_of_magnitude)),
    )
    width = max(len(name) for name, _ in rows)
    return [Line(f"  {answer.looks:,} looks, by how they were used:")] + [
        Line(f"    {name:<{width}}  {value}") for name, value in rows
    ]


def _certified(answer: ReuseAnswer) -> list[Line]:
    found, asked = answer.certified, answer.request
    if found is None or asked.display is None:
        return []
    shown = DISPLAY_WORDS[asked.display]
    if asked.passes is not None:
        end = ", retired on the last" if asked.retired else ", looks went on"
        shown += f", at most {asked.passes:,} {'pass' if asked.passes == 1 else 'passes'}{end}"
    below = [points(answer.observed - low) for low in (found.low, found.fixed_low, found.naive_low)]
    rows = (
        f"  Certified, whatever was tuned on what was shown: at least {percent_of(found.low)}, {below[0]} lower",
        f"    shown: {shown} (ln K {found.log_transcripts:.3f}, z {found.z:.4f})",
        f"    candidates fixed in advance: {below[1]} lower; a single look: {below[2]}",
    )
    return [Line(row) for row in rows]


def _refresh(answer: ReuseAnswer) -> list[Line]:
    found = answer.refresh
    if found is None:
        return []
    more = ""
    if found.more_looks:
        more = f"; {count(found.more_looks, 'look')} later about {points(found.optimism_with_more)}"
    return [
        Line(
            f"  Replacing {percent(found.share)} of the cases buys back {found.bought_back:.1f} looks "
            f"({found.spent:.2f} stay spent): optimism {points(found.optimism_before)} → "
            f"{points(found.optimism_after)}{more}"
        )
    ]


def _climb(answer: ReuseAnswer) -> list[Line]:
    if not answer.climb:
        return []
    width = max(len(words) for words in RULE_WORDS.values())
    head = f"  Simulated climb, {answer.climb[0].climbs:,} times: each edit redraws {percent(answer.request.edit)} of"
    return [
        Line(f"{head} the cases, and is kept if it looks better"),
        *(
            Line(f"    {RULE_WORDS[one.rule]:<{width}}  {100 * one.bias:5.2f} ± {200 * one.mc_error:.2f} points")
            for one in answer.climb
        ),
    ]


def points(share: float) -> str:
    """Return a distance between shares in points, one decimal where it has more: ``1.9 points``, ``2 points``."""
    number = f"{100 * share:.1f}".removesuffix(".0")
    if number == "0" and share > 0:
        return "less than 0.1 points"
    return f"{number} point" if number == "1" else f"{number} points"


def percent_of(share: float) -> str:
    """Return a share as percent with one decimal."""
    return f"{100 * share:.1f} %"


def ends(low: float, high: float) -> str:
    """Return an interval as percent, with as many digits as keep its ends apart."""
    return "{} to {} %".format(*apart(100 * low, 100 * high, 100))
