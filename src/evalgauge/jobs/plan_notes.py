"""What has to be said beside the counts of a plan, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.planning.detection import MOST_EXACT
from evalgauge.planning.precision import FLOOR, expected_half_width

if TYPE_CHECKING:
    from evalgauge.questions.plan import PlanAnswer


def plan_notes(answer: PlanAnswer) -> tuple[str, ...]:
    """Return what is assumed, what decides, and what can never be shown."""
    return (
        *_level(answer),
        *_precision(answer),
        *_detection(answer),
        *_limits(answer),
        *_clusters(answer),
        *_pilot(answer),
    )


def _level(answer: PlanAnswer) -> list[str]:
    error, slices = 100 * (1 - answer.confidence), answer.slices
    if slices.count == 1:
        return []
    split = "equal slices"
    if slices.allocation == "traffic":
        split = f"the smallest slice is {100 * slices.smallest_share:.3g} % of the traffic"
    return [
        (
            f"A two-sided error of {error:.3g} % is shared over {slices.count:,} slices (Bonferroni, cautious: z = "
            f"{slices.z:.3f}; verdicts by Holm need no more cases); {split}."
        )
    ]


def _precision(answer: PlanAnswer) -> list[str]:
    found, notes = answer.precision, list[str]()
    if found.is_floor:
        level = answer.slices.confidence
        perfect, less = (2 * expected_half_width(n, 1.0, confidence=level) for n in (FLOOR, FLOOR - 1))
        here = 2 * expected_half_width(FLOOR, answer.rate, confidence=level)
        notes.append(
            f"{FLOOR} cases are a floor, never a recommendation: {FLOOR} perfect scores leave a window of "
            f"{100 * perfect:.1f} points ({FLOOR - 1} leave {100 * less:.1f}), and at {100 * answer.rate:.4g} % the "
            f"window is {100 * here:.1f} points wide."
        )
    if found.shortcut_half_width > found.margin * (1 + 1e-12):
        notes.append(
            f"The shortcut z²p(1 − p)/m² says {found.shortcut:,}: too few, ±{100 * found.shortcut_half_width:.3g} "
            "points."
        )
    if found.chance is not None and answer.request.assurance is None and found.chance < 0.995:
        notes.append(
            f"{found.per_slice:,} cases meet the margin in {100 * found.chance:.0f} % of all runs, because the score "
            f"decides the width; {_assured(found.assurance['0.8'], found.assurance['0.9'])}."
        )
    return notes


def _assured(four_of_five: int, nine_of_ten: int) -> str:
    if four_of_five == nine_of_ten:
        return f"{nine_of_ten:,} do in nine of ten"
    return f"{four_of_five:,} in four of five, {nine_of_ten:,} in nine of ten"


def _detection(answer: PlanAnswer) -> list[str]:
    found, notes = answer.detection, list[str]()
    counts = (found.held_reference.n, found.independent_arms.per_arm, found.paired.n)
    if max(counts) > MOST_EXACT:
        notes.append(
            f"Beyond {MOST_EXACT:,} cases the handbook count stands for the safe one: its teeth are too small."
        )
    held, paired, arms = found.held_reference, found.paired, found.independent_arms
    powers = (held.power_at_n, paired.power_at_n, arms.power_at_n)
    notes.append(
        f"Handbooks say {held.n:,}, {paired.n:,} and {arms.per_arm:,}, with a true power of {100 * min(powers):.1f} to "
        f"{100 * max(powers):.1f} %; the safe counts keep {100 * answer.power:g} % at every larger count too."
    )
    if found.paired.assumed:
        notes.append(
            f"Shared cases: exactly one system is taken to pass on {100 * found.paired.discordance:.3g} % of them, the "
            "cautious end. Name --discordance, or two pilot logs (--like A --like B): they usually need fewer."
        )
    if answer.design == "held-reference":
        notes.append(
            f"The reference of {100 * answer.rate:.4g} % counts as known without error. Was it measured too? --design "
            "paired or independent-arms."
        )
    if answer.design == "independent-arms":
        notes.append("Counts of the prescription and of the owned set are per arm.")
    return notes


def _limits(answer: PlanAnswer) -> list[str]:
    notes, never, own = list[str](), answer.never, answer.own
    mine = None if own is None else own.per_slice
    word = "can never" if answer.slices.count == 1 else "a slice can never"
    least = {"held-reference": never.held_reference, "independent-arms": never.independent_arms, "paired": never.flips}
    if mine is not None and mine < least[answer.design]:
        what = "changed cases, all one way," if answer.design == "paired" else "cases"
        notes.append(
            f"{mine:,} {'case' if mine == 1 else 'cases'} {word} show a change, whatever the data: at least "
            f"{least[answer.design]:,} {what} are needed."
        )
    floor, no_worse = answer.floor, answer.no_worse
    if floor is not None:
        notes.append(
            f"Fewer than {floor.least:,} cases {word} certify a rate above {100 * floor.floor:.4g} %, even if all pass."
        )
        if floor.n is None:
            notes.append(
                f"At an expected {100 * answer.rate:.4g} % no number of cases certifies a rate above "
                f"{100 * floor.floor:.4g} %."
            )
    if no_worse is not None:
        if no_worse.assumed:
            notes.append(
                f"For the gate two equally good systems are assumed to fail on unrelated cases, so that they differ on "
                f"{100 * no_worse.discordance:.3g} % of them: the cautious end. Name --discordance, or two pilot logs "
                "with --like, and the count usually falls."
            )
        notes.append(
            f"With fewer than {no_worse.least:,} shared cases a candidate that changes none of them does not pass a "
            f"gate on a drop of {100 * no_worse.max_drop:.3g} points ({no_worse.least_graded:,} for graded scores or "
            f"averaged reps): only clear gains would. Below {no_worse.hard_floor:,} no rule could see so many total "
            "breaks."
        )
    return notes


def _clusters(answer: PlanAnswer) -> list[str]:
    found = answer.clusters
    if found is None:
        return []
    few = ""
    if max(found.precision_clusters, found.detection_clusters) < 10:
        few = " Fewer than 10 clusters: the interval leans on its assumptions; take more."
    return [
        (
            f"Cases come in clusters of {found.size} with a correlation of {found.icc:.2g}: the variance is "
            f"{found.design_effect:.3g} times that of unrelated cases.{few}"
        )
    ]


def _pilot(answer: PlanAnswer) -> list[str]:
    pilot = answer.pilot
    if pilot is None:
        return []
    reps = f" × {pilot.n_reps} reps" if pilot.n_reps > 1 else ""
    notes = [f"From the pilot log: {pilot.n_cases:,} cases{reps}, mean {100 * pilot.rate:.1f} %."]
    if pilot.discordance is not None:
        planned = answer.detection.paired.discordance
        less = planned - pilot.discordance > 1e-9
        more = (
            f"; {100 * planned:.3g} % are planned for, because a change of {100 * answer.detection.change:.3g} points "
            "needs at least so many"
        )
        notes.append(
            f"In the pilot exactly one system passed on {100 * pilot.discordance:.3g} % of the shared cases"
            f"{more if less else ''}."
        )
    if answer.precision.rule == "effective-n wilson t":
        notes.append(
            f"Its scores are no single pass or fail a case: the margin is planned with their spread (relative variance "
            f"{answer.precision.rho:.2f}) and the same reps; changes are planned as for one pass or fail a case, which "
            "is the cautious end. evalgauge plan reps weighs reps."
        )
    return notes
