"""What has to be said beside the figures about a reused set, and what to do next, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalgauge.questions.reuse import ReuseAnswer

# Thresholdout was proposed for sets of this size; below it its threshold hides everything that matters.
_THRESHOLDOUT_CASES = 10_000


def reuse_advice(answer: ReuseAnswer) -> str:
    """Return what to do next."""
    if answer.request.display == "per-case":
        return "Take a fresh set: the tuner has seen these cases, and no correction can make up for that."
    size = answer.fresh_set.normal if answer.fresh_set.binomial is None else answer.fresh_set.binomial
    if answer.cost <= answer.tolerance:
        left = answer.look_budget.left
        if left == 0:
            return "The tolerance is used up: before the next look replace cases (--refresh) or take a fresh set."
        budget = "looks are no problem at this tolerance" if left is None else f"{left:,} more within the tolerance"
        return f"Go on: {budget}. Fix the candidates before you look, and show only pass or fail."
    borne = "" if size is None else f"; {size:,} cases would have borne so many looks"
    return (
        f"Stop choosing on this set: replace {answer.percent_to_replace} % of the cases at random (--refresh), "
        f"or confirm the winner once on a fresh set{borne}."
    )


def reuse_notes(answer: ReuseAnswer) -> tuple[str, ...]:
    """Return what is assumed and what the figures are not."""
    return (*_assumed(answer), *_interval(answer), *_point(answer), *_displays(answer), *_refresh(answer))


def _assumed(answer: ReuseAnswer) -> list[str]:
    notes: list[str] = []
    if answer.looks > 1:
        notes.append(
            "Optimism is counted for equally good, independent candidates fixed in advance: an upper figure for "
            "correlated ones (neighbours on a sweep), a lower figure for tuning that builds on earlier looks."
        )
    if answer.request.correlation:
        notes.append(
            f"At a correlation of {float(answer.request.correlation):g} the {answer.looks:,} looks are worth "
            f"{answer.effective_looks:.3g} independent ones."
        )
    taken = answer.tolerance * answer.tolerance * answer.n_eff
    notes.append(
        f"√(k/n) is an order of magnitude and never made into a budget: it would allow {taken:.2g} of a look."
        if taken < 1
        else "√(k/n) is an order of magnitude and never made into a budget."
    )
    if answer.is_observed and answer.looks > 1:
        notes.append(
            f"The observed best of {100 * answer.observed:.1f} % is no rate to plug in: {answer.looks:,} equal "
            f"candidates of {100 * answer.rate:.1f} % are expected to have such a best, and the figures rest on that."
        )
    if answer.is_observed and answer.observed == 1:
        notes.append("A perfect score counts as half a failure: a few more cases may show that the rate is lower.")
    if answer.optimism.binomial is None:
        notes.append(
            f"The scores are no single pass or fail a case: sigma comes from the case means ({answer.n_eff:,.0f} "
            "effective cases), and the normal law stands for the best of k."
        )
    return notes


def _interval(answer: ReuseAnswer) -> list[str]:
    found, notes = answer.interval, list[str]()
    if answer.looks == 1:
        return notes
    if found.upper == "plain":
        notes.append(
            "Only the lower end has to pay for the choice, if the top scorer was chosen, all had the same cases, and "
            f"they were fixed in advance; else take the symmetric upper end, {100 * found.symmetric_high:.1f} %."
        )
    if found.method.startswith("clopper"):
        notes.append("Wilson at so high a level is no bound for such a score: the lower end is Clopper-Pearson's.")
    if found.capped:
        notes.append(
            f"The confidence is capped at {100 * found.confidence:g} %: from there on the interval no longer holds "
            f"over all {answer.looks:,} looks."
        )
    return notes


def _point(answer: ReuseAnswer) -> list[str]:
    if answer.looks == 1:
        return []
    return [
        (
            f"{100 * answer.point_if_equal:.1f} % is the worst case, if all candidates are equal and independent: it "
            "is no corrected score and has no interval of its own. With the logs, evalgauge best-of says more."
        )
    ]


def _displays(answer: ReuseAnswer) -> list[str]:
    notes: list[str] = []
    if answer.request.display == "per-case":
        notes.append("Scores of single cases were shown, so counting displays is void: the tuner has seen the cases.")
    if answer.certified is not None:
        notes.append("What was displayed matters more than how often the set was looked at.")
    if answer.climb and answer.n_cases < _THRESHOLDOUT_CASES:
        notes.append(
            f"Thresholdout's threshold is {400 / answer.n_cases**0.5:.1f} points here: it is shown for study, and not "
            f"recommended under {_THRESHOLDOUT_CASES:,} cases."
        )
    return notes


def _refresh(answer: ReuseAnswer) -> list[str]:
    if answer.refresh is None:
        return []
    return [
        (
            "Draw the retired cases at random by a recorded seed, and score the incumbent again: retiring what the "
            "winner failed brings the bias back."
        )
    ]
