"""The wear card and the history of a set as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.questions.ledger_parts import DISPLAY_WORDS
from evalgauge.report.next_ledger import after_status, status_of
from evalgauge.report.text.lines import Line, Tone
from evalgauge.report.words import count, level, percent

if TYPE_CHECKING:
    from evalgauge.questions.ledger_cards import HistoryAnswer, StatusAnswer
    from evalgauge.questions.ledger_parts import LookRow, SetRow, WearCard

TONES: dict[str, Tone] = {
    "go on": "good",
    "pass or fail only": "warning",
    "refresh": "bad",
    "fresh set": "bad",
    "finish refresh": "warning",
}
_BAR = 20


def status_lines(answer: StatusAnswer) -> list[Line]:
    """Return the cards of named sets, or a line per set."""
    lines: list[Line] = []
    if not answer.cards and not answer.sets:
        lines.append(Line(f"{answer.place} knows no set yet", "headline"))
    for card in answer.cards:
        lines += card_lines(card)
    if answer.sets:
        width = max(len(row.name) for row in answer.sets)
        lines.append(Line(f"{count(len(answer.sets), 'set')} in {answer.place}", "headline"))
        lines += [Line(f"  {row.name:<{width}}  {_overview(row)}", TONES[row.action]) for row in answer.sets]
    lines.append(Line(f"  Ledger: {answer.place}, {count(answer.events, 'event')}, head {answer.head}", "quiet"))
    return [*lines, Line(f"  Next: {after_status(answer)}", "command")]


def card_lines(card: WearCard) -> list[Line]:
    """Return how worn a set is, what may still be claimed, what to do, and what the figures rest on."""
    return [
        _headline(card),
        Line(f"  {card.advice}", "plain" if card.action == "go on" else "warning"),
        *_claims(card),
        *_looks(card),
        _budget(card),
        *_adaptive(card),
        *_next_look(card),
        *(Line(f"  {note}", "quiet") for note in card.notes),
    ]


def _headline(card: WearCard) -> Line:
    word = card.action.upper()
    if not card.looks:
        return Line(
            f"{word}: {card.name} is fresh, {count(card.n_cases, 'case')} that nobody has looked at", TONES[card.action]
        )
    flatter = "flatters" if card.looks == 1 else "flatter"
    within = "within" if card.optimism <= card.tolerance else "BEYOND"
    # Looks that the tolerance would still bear are none where the promise is spent.
    left = "no verdict left" if card.next_look.refusal else _left(card)
    return Line(
        f"{word}: {count(card.looks, 'look')} at {card.name} {flatter} the best by {_points(card.optimism)}, {within} "
        f"the {_points(card.tolerance)} tolerated; {left}",
        TONES[card.action],
    )


def _overview(row: SetRow) -> str:
    if not row.looks:
        return f"{row.action.upper()}: fresh, {_left(row)}; {count(row.n_cases, 'case')}"
    return (
        f"{row.action.upper()}: {count(row.looks, 'look')}, {_left(row)}; optimism {_points(row.optimism)} of "
        f"{_points(row.tolerance)}; {count(row.n_cases, 'case')}"
    )


def _left(card: WearCard | SetRow) -> str:
    return "looks are no limit" if card.left is None else f"{count(card.left, 'look')} left"


def _claims(card: WearCard) -> list[Line]:
    lines: list[Line] = []
    for one in card.claims:
        who = f"{one.label} ({'shipped, ' if one.is_shipped else ''}look {one.look})"
        level = f"{percent(one.confidence)} over all looks"
        if one.low is not None and one.score is not None:
            lines.append(
                Line(
                    f"  May still be claimed: {who} has a true rate of {100 * one.low:.1f} % or above, scored "
                    f"{100 * one.score:.1f} % ({level}, Clopper-Pearson)"
                )
            )
        elif one.words:
            claim = one.words.partition(" [")[0]
            says = "is" if claim.startswith(("better", "no worse")) else "keeps to"
            lines.append(Line(f"  May still be claimed: {who} {says} {claim} ({level}); its score is sealed"))
        elif one.score is not None:
            lines.append(
                Line(f"  {who} scored {100 * one.score:.1f} %; nothing is certain after what was shown", "warning")
            )
    return lines


def _looks(card: WearCard) -> list[Line]:
    if not card.looks:
        return []
    shown = ", ".join(f"{n:,} × {DISPLAY_WORDS[display]}" for display, n in card.displays.items())  # type: ignore[index]
    reveals = f"; {count(card.revealed, 'sealed score')} revealed" if card.revealed else ""
    worth = "" if card.effective_looks is None else f", worth about {card.effective_looks:.3g} independent looks"
    return [
        Line(f"  {count(card.candidates, 'different candidate')}{worth}; shown: {shown}{reveals}"),
    ]


def _budget(card: WearCard) -> Line:
    known = "" if card.identity == "content" else ", known by id"
    return Line(
        f"  {count(card.n_cases, 'case')}{known}: one score has a standard error of {_points(card.sigma)}, so "
        f"{_points(card.tolerance)} allow {card.budget_words} {'look' if card.budget_words == '1' else 'looks'}"
    )


def _adaptive(card: WearCard) -> list[Line]:
    if card.looks < 2:
        return []
    found = card.adaptive
    climb = f"evalgauge reuse --cases {card.n_cases} --rate {100 * card.rate:.4g}% --looks {card.looks} --climb"
    rows = (
        ("candidates fixed in advance", _points(found.fixed_in_advance)),
        ("if you keep whatever scores higher", f"simulated by: {climb}"),
        ("a deliberate attack on exact scores", _points(found.attack)),
        ("provable for any use of exact scores", _points(found.provable)),
        ("order of magnitude √(k/n)", _points(found.order_of_magnitude)),
    )
    width = max(len(name) for name, _ in rows)
    return [Line("  What such looks can cost, by how they were used:")] + [
        Line(f"    {name:<{width}}  {value}") for name, value in rows
    ]


def _next_look(card: WearCard) -> list[Line]:
    found, promise = card.next_look, card.promise
    promised = ""
    if promise is not None and promise.looks is not None:
        ships = "1 pass" if promise.ships == 1 else f"{promise.ships or 1:,} passes"
        promised = f" of {promise.looks:,} declared, retiring at {ships}"
    if found.confidence is None or found.z is None:
        return [Line(f"  No further verdict: {found.refusal}", "warning")]
    seen = (
        f", after {found.passes:,} passed and {count(found.scores, 'score')} shown"
        if found.passes or found.scores
        else ""
    )
    return [
        Line(
            f"  The next verdict is look {found.look:,}{promised}{seen}: it claims at {level(found.confidence)} "
            f"({found.z:.2f} standard errors), so that all claims hold at {percent(found.over_all)} together"
        ),
        Line(f"  {rules_out(card.n_cases, found.least_drop)}"),
    ]


def rules_out(n_cases: int, least_drop: float | None) -> str:
    """Return which drop a verdict can rule out at best, as a sentence."""
    if least_drop is None:
        return f"At that level {count(n_cases, 'case')} can rule out no drop: replace all cases, or add some."
    return f"At that level {count(n_cases, 'case')} can rule out a drop of {_points(least_drop)} or more, not of less."


def history_lines(answer: HistoryAnswer) -> list[Line]:
    """Return one line per event, with a bar of the optimism against what is tolerated."""
    bears = "any number of looks" if answer.budget is None else count(answer.budget, "look")
    lines = [
        Line(
            f"{answer.name}: {count(len(answer.rows), 'event')}; {_points(answer.tolerance)} of optimism bear {bears}",
            "headline",
        ),
        Line("  When (UTC)        Event     Name        Looks  Optimism, and what is tolerated (|)"),
    ]
    most = max([answer.tolerance, *(row.optimism for row in answer.rows)])
    lines += [line for row in answer.rows for line in _row(row, answer.tolerance, most)]
    return [*lines, Line(f"  Next: {status_of(answer.name, answer.request)}", "command")]


def _row(row: LookRow, tolerance: float, most: float) -> list[Line]:
    tone: Tone = "warning" if row.optimism > tolerance else "plain"
    at = row.at[:16].replace("T", " ")
    bar = _bar(row.optimism, tolerance, most)
    return [
        Line(f"  {at:<16}  {row.kind:<8}  {row.id}  {row.spent:>5.3g}  {bar} {_points(row.optimism)}", tone),
        Line(f"    {_what(row)}; {row.actor}", "quiet"),
    ]


def _what(row: LookRow) -> str:
    if row.kind != "look":
        return row.note
    shown = DISPLAY_WORDS[row.display]  # type: ignore[index]
    if row.passed is not None:
        shown = "PASS" if row.passed else "no pass"
    elif row.score is not None:
        shown = f"{100 * row.score:.1f} %"
    parts = [
        row.label,
        f"{row.intent}: {shown}",
        row.decision,
        "VOID" if row.is_void else "",
        row.note.partition(" [")[0],
    ]
    return ", ".join(part for part in parts if part)


def _bar(optimism: float, tolerance: float, most: float) -> str:
    cells = ["━"] * round(_BAR * optimism / most)
    cells += ["─"] * (_BAR - len(cells))
    cells[min(_BAR - 1, round(_BAR * tolerance / most))] = "|"
    return "".join(cells)


def _points(share: float) -> str:
    number = f"{100 * share:.1f}".removesuffix(".0")
    return f"{number} point" if number == "1" else f"{number} points"
