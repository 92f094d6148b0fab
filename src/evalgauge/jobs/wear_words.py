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


def action_of(
    row: WearCard | SetRow, spending: NextLook | Spending, *, waits_for: int, budget: int | None, shows: bool
) -> Action:
    """Return what to do next with a set.

    Parameters
    ----------
    row
        Its looks, optimism, and looks left.
    spending
        What the next look may claim.
    waits_for
        Cases that were drawn and not yet replaced.
    budget
        Looks within the tolerance; ``None`` where they are no problem.
    shows
        Whether scores were shown. Verdicts alone pay for themselves, however many candidates they turn down.
    """
    if waits_for:
        return "finish refresh"
    if spending.cases_shown:
        return "fresh set"
    is_worn = row.looks > 0 and row.optimism > row.tolerance
    if spending.refusal or (is_worn and shows):
        return "refresh"
    is_last = row.looks > 0 and row.left == 0
    return "pass or fail only" if is_worn or is_last or (shows and _few(row.left, budget)) else "go on"


def shows_scores(displays: Iterable[str], revealed: int) -> bool:
    """Return whether a score of a set was ever shown."""
    return revealed > 0 or not _SCORES.isdisjoint(displays)


def _few(left: int | None, budget: int | None) -> bool:
    return left is not None and budget is not None and _FEW_LEFT * left <= budget


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
        return _verdicts_only(card)
    return _going_on(card)


def _verdicts_only(card: WearCard) -> str:
    if card.optimism > card.tolerance:
        share = round(100 * card.refresh_share)
        return (
            f"Go on with pass or fail alone: such verdicts stay true. Replace {share} % of the cases at random before "
            "a score is shown again."
        )
    if card.left == 0:
        return (
            "One more look that shows a score is beyond the tolerance: show pass or fail only, or replace cases first."
        )
    return "Few looks are left: from here on show pass or fail only, which wears far less."


def _going_on(card: WearCard) -> str:
    if not card.looks and card.promise is not None:
        return "Nobody has looked yet. What was declared holds from the first look on."
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
