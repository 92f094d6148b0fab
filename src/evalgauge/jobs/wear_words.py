"""What to do next with a worn set, and what must be said beside its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalgauge.jobs.spending import Spending
    from evalgauge.questions.ledger_parts import Action, NextLook, SetRow, WearCard

_SCORES = frozenset(("score-on-pass", "rounded", "exact"))
# With a quarter of the looks left, those that show a score are worth saving.
_FEW_LEFT = 4


def action_of(row: WearCard | SetRow, spending: NextLook | Spending, *, waits_for: int, saves_scores: bool) -> Action:
    """Return what to do next with a set.

    Parameters
    ----------
    row
        Its looks, optimism, and looks left.
    spending
        What the next look may claim.
    waits_for
        Cases that were drawn and not yet replaced.
    saves_scores
        Whether scores are shown, and few looks are left to show more.
    """
    if waits_for:
        return "finish refresh"
    if spending.cases_shown:
        return "fresh set"
    if spending.refusal or (row.looks and row.optimism > row.tolerance):
        return "refresh"
    return "pass or fail only" if saves_scores else "go on"


def saves_scores(left: int | None, budget: int | None, displays: Iterable[str]) -> bool:
    """Return whether scores are shown of a set that has few looks left."""
    if left is None or budget is None:
        return False
    return _FEW_LEFT * left <= budget and not _SCORES.isdisjoint(displays)


def advice_of(card: WearCard) -> str:
    """Return what to do next, as a sentence."""
    if card.action == "finish refresh":
        return (
            f"Put {card.waits_for:,} new cases in the place of those that were drawn, and tell the ledger with a log "
            "of the refreshed set."
        )
    if card.action == "fresh set":
        return "Results of single cases were shown, so no correction helps: take a fresh set."
    if card.next_look.refusal:
        return f"{card.next_look.refusal} Replace cases at random, or take a fresh set."
    if card.action == "refresh":
        share = round(100 * card.refresh_share)
        fresh = (
            "" if card.fresh_cases is None else f", or take a fresh set: {card.fresh_cases:,} cases would have borne it"
        )
        return f"Stop choosing on this set: replace {share} % of its cases at random{fresh}."
    if card.action == "pass or fail only":
        return "Few looks are left: from here on show pass or fail only, which wears far less."
    return _going_on(card)


def _going_on(card: WearCard) -> str:
    if not card.looks:
        return "Nobody has looked yet. Declare how often you will look before the first look: that is cheapest."
    left = "looks are no problem at this tolerance" if card.left is None else f"{_looks(card.left)} left"
    return f"Go on: {left}. Show only pass or fail where that is enough."


def card_notes(card: WearCard) -> tuple[str, ...]:
    """Return what the figures rest on."""
    return (*_basis(card), *_claims(card), *_records(card))


def _basis(card: WearCard) -> list[str]:
    sources = {
        "given": "as given when the set was registered",
        "shown": "the mean of the scores that were shown",
        "cautious": "the most cautious one: no score was shown and no rate was given",
    }
    notes = [f"The figures take {100 * card.rate:.4g} % for the common rate, {sources[card.rate_source]}."]
    if card.looks > 1:
        notes.append(
            "Optimism is counted for equally good candidates fixed in advance: less for a clear winner, more for "
            "tuning that builds on shown scores."
        )
    if card.looks and card.displays.keys() <= {"pass-fail"} and not card.revealed:
        notes.append(
            "Every look showed pass or fail alone, so its priced claims stay true. The optimism is that of a score "
            "that would be shown now."
        )
    if card.refreshes:
        notes.append(
            f"After {'a refresh' if card.refreshes == 1 else 'refreshes'} the looks count as {card.spent:.3g}, if the "
            "incumbent was scored again. Claims from before and after a refresh hold at their level each on its own."
        )
    if card.correlation is not None:
        notes.append(
            f"The candidates' results correlate at {card.correlation:.2f} over cases, so the looks are worth "
            f"{card.effective_looks:.3g} independent ones."
        )
    return notes


def _claims(card: WearCard) -> list[str]:
    notes: list[str] = []
    if card.branches > 1:
        alpha = 100 * (1 - card.next_look.over_all)
        notes.append(
            f"Looks were taken in {card.branches} copies of this ledger apart from each other. Each spent on its own: "
            f"all claims together may be wrong in up to {card.branches * alpha:.3g} % of cases, not {alpha:.3g} %."
        )
    if card.next_look.scores and card.next_look.confidence is not None:
        notes.append(
            "Scores were shown, so later claims share an error of their own beside that of the pass/fail looks."
        )
    return notes


def _records(card: WearCard) -> list[str]:
    notes: list[str] = []
    if card.voided:
        notes.append(
            f"{_looks(card.voided)} declared void: not counted as wear, but what was shown still counts against claims."
        )
    if card.identity == "id":
        notes.append("The set is known by the ids of its cases alone: renaming them loses it.")
    return notes


def _looks(number: int) -> str:
    return "1 look" if number == 1 else f"{number:,} looks"
