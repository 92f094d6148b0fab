"""The answer to "how many cases, and what can mine show" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_plan
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, percent

if TYPE_CHECKING:
    from evalgauge.questions.plan import PlanAnswer

RULE_TITLES = {
    "wilson": "Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "effective-n wilson t": "effective-n Wilson with t",
    "tango": "Tango",
    "exact": "exact McNemar",
    "miettinen-nurminen": "Miettinen-Nurminen",
    "fisher": "Fisher",
}
DESIGN_TITLES = {
    "held-reference": "one system against a held reference",
    "paired": "two systems on the same cases",
    "independent-arms": "two systems on different cases",
}
REASONS = {
    "precision": "the margin decides",
    "assurance": "the assured margin decides",
    "detection": "the change to show decides",
    "min-rate": "the rate to certify decides",
    "max-drop": "the drop to rule out decides",
    "clusters": "the clusters decide",
    "floor": "the floor of 16 decides",
}


def plan_lines(answer: PlanAnswer) -> list[Line]:
    """Return the count to collect, what the owned set shows, where the counts come from, and what is assumed."""
    return [
        _headline(answer),
        *_own(answer),
        *_precision(answer),
        *_detection(answer),
        *_floor(answer),
        *_no_worse(answer),
        *_clusters(answer),
        *_looks(answer),
        *note_lines(answer.ledger),
        *(Line(f"  {note}", "quiet") for note in answer.notes),
        _method(answer),
        *(Line(f"  Reader: {problem}", "warning") for problem in answer.problems),
        Line(f"  Next: {after_plan(answer)}", "command"),
    ]


def _headline(answer: PlanAnswer) -> Line:
    need, own = answer.prescribed, answer.own
    arms = " per arm" if answer.design == "independent-arms" else ""
    each = ""
    if answer.slices.count > 1:
        where = "in each of" if answer.slices.allocation == "equal" else "in the smallest of"
        each = f" ({need.per_slice:,} {where} {answer.slices.count:,} slices)"
    reps = _reps(answer)
    text = f"You need {count(need.total, 'case')}{reps}{arms}{each}; {REASONS[need.because]}."
    if own is None:
        return Line(text, "headline")
    if own.add == 0:
        return Line(f"{text} Your {own.total:,} are ENOUGH: add 0.", "good")
    return Line(f"{text} You own {own.total:,}: ADD {own.add:,}.", "bad")


def _reps(answer: PlanAnswer) -> str:
    """Return the reps that a margin is planned for: as many as the pilot log has. Changes are planned for one."""
    pilot = answer.pilot
    is_margin = answer.prescribed.because in {"precision", "floor", "assurance"}
    if pilot is None or pilot.n_reps == 1 or answer.precision.rule != "effective-n wilson t" or not is_margin:
        return ""
    return f" × {pilot.n_reps:,} reps"


def _own(answer: PlanAnswer) -> list[Line]:
    own, found = answer.own, answer.detection
    if own is None:
        return []
    where = " a slice" if answer.slices.count > 1 else ""
    seen = own.detectable_drop if found.direction == "drop" else own.detectable_rise
    sees = (
        f"sees no {found.direction} of any size" if seen is None else f"sees a {100 * seen:.3g}-point {found.direction}"
    )
    return [
        Line(
            f"  Your {own.per_slice:,}{where}: ±{points(own.half_width)} (asked ±{points(answer.precision.margin)}: "
            f"{_yes(is_met=own.meets_margin)}); {sees} (asked {points(found.change)}: {_yes(is_met=own.meets_drop)}, "
            f"power {percent(round(own.power_at_drop, 2))})"
        )
    ]


def _precision(answer: PlanAnswer) -> list[Line]:
    found = answer.precision
    where = " a slice" if answer.slices.count > 1 else ""
    assured = ""
    asked = answer.request.assurance
    if asked is not None and f"{asked:g}" in found.assurance:
        assured = f"; {found.assurance[f'{asked:g}']:,} to keep it in {percent(asked)} of all runs"
    return [
        Line(
            f"  Margin ±{points(found.margin)} at {percent(answer.rate)}: {count(found.per_slice, 'case')}{where} "
            f"(±{100 * found.half_width:.2f}, {RULE_TITLES[found.rule]}){assured}"
        )
    ]


def _detection(answer: PlanAnswer) -> list[Line]:
    found = answer.detection
    where = " a slice" if answer.slices.count > 1 else ""
    held, paired, arms = found.held_reference, found.paired, found.independent_arms
    rows = (
        ("held-reference", count(held.safe_n, "case")),
        ("paired", count(paired.safe_n, "shared case")),
        ("independent-arms", f"{count(arms.safe_n, 'case')} per arm"),
    )
    width = max(len(title) for title in DESIGN_TITLES.values())
    lines = [
        Line(
            f"  A {found.direction} from {percent(found.rate_from)} to {percent(found.rate_to)}, shown with "
            f"{percent(answer.power)} power{where}:"
        )
    ]
    for design, text in rows:
        planned = "  ← planned" if design == answer.design else ""
        lines.append(Line(f"    {DESIGN_TITLES[design]:<{width}}  {text:<20}{planned}".rstrip()))
    return lines


def _method(answer: PlanAnswer) -> Line:
    found = answer.detection
    rules = dict.fromkeys(
        (answer.precision.rule, found.held_reference.rule, found.paired.rule, found.independent_arms.rule)
    )
    names = [RULE_TITLES[rule] for rule in rules]
    return Line(
        f"  Method: exact power of {', '.join(names[:-1])} and {names[-1]}, two-sided at {percent(answer.confidence)}",
        "quiet",
    )


def _floor(answer: PlanAnswer) -> list[Line]:
    found = answer.floor
    if found is None or found.safe_n is None:
        return []
    own = "" if found.own_chance is None else f"; yours would be with a chance of {100 * found.own_chance:.1f} %"
    return [
        Line(
            f"  Certified above {percent(found.floor)}: from {count(found.safe_n, 'case')} with "
            f"{percent(answer.power)} power, from {found.least:,} at all{own}"
        )
    ]


def _no_worse(answer: PlanAnswer) -> list[Line]:
    found = answer.no_worse
    if found is None:
        return []
    where = " a slice" if answer.slices.count > 1 else ""
    own = "" if found.own_chance is None else f"; yours would pass with a chance of {100 * found.own_chance:.1f} %"
    return [
        Line(
            f"  A drop of {points(found.max_drop)} ruled out, if both are equally good: "
            f"{found.safe_n:,} shared cases{where} with {percent(answer.power)} power; {found.least:,} at the very "
            f"least, if none changes{own}"
        )
    ]


def _clusters(answer: PlanAnswer) -> list[Line]:
    found = answer.clusters
    if found is None:
        return []
    return [
        Line(
            f"  In clusters of {found.size}: {found.precision_clusters:,} clusters ({found.precision_cases:,} cases) "
            f"for the margin, {found.detection_clusters:,} ({found.detection_cases:,}) for the change"
        )
    ]


def _looks(answer: PlanAnswer) -> list[Line]:
    found = answer.looks
    if found is None:
        return []
    lines = [
        Line(
            f"  {found.looks} looks at the usual level raise a false alarm in {100 * found.uncorrected_error:.1f} % of "
            "all runs. Bounds that keep the error, look by look:"
        )
    ]
    for bound in found.bounds:
        levels = ", ".join(f"{one:.3f}" for one in bound.z)
        lines.append(Line(f"    {bound.kind:<15}  z {levels}; {bound.n:,} cases at the last look"))
    return lines


def points(share: float) -> str:
    """Return a distance between shares in points: ``6.66 points``, ``1 point``."""
    number = f"{100 * share:.3g}"
    return f"{number} point" if number == "1" else f"{number} points"


def _yes(*, is_met: bool) -> str:
    return "yes" if is_met else "no"
