"""The answer to "is the candidate better" as text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_compare
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line, Tone
from evalgauge.report.words import Scale, change_bar, count, listed, method_title, p_text, percent

if TYPE_CHECKING:
    from evalgauge.questions.compare import CompareAnswer, Flip, SliceDifference

SLICES_SHOWN = 20
TIER_WORDS = {
    "content": "by content",
    "input": "by input (the expected answer was edited)",
    "source hash": "by the framework's own content hash",
    "near": "by near-equal content (the prompt template changed)",
    "id": "by id alone",
}


def compare_lines(answer: CompareAnswer) -> list[Line]:
    """Return the verdict, the picture, wins and losses, what misleads, and what to do next."""
    scale = Scale(answer.range)
    lines = [headline(answer, scale)]
    if scale.is_percent:
        bar = change_bar(answer.difference.low, answer.difference.estimate, answer.difference.high)
        lines.append(Line(f"  {bar}", "picture"))
    lines += [
        *_arms(answer),
        *_pairs(answer),
        *_explained(answer),
        *_margin(answer, scale),
        *_missing(answer, scale),
        *_unpaired(answer),
        *_flips(answer, scale),
        *_slices(answer, scale),
    ]
    lines += [Line(f"  {note}", "warning") for note in answer.notes]
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    lines += note_lines(answer.ledger)
    lines.append(Line(f"  Method: {_method(answer)}", "quiet"))
    lines.append(Line(f"  Next: {after_compare(answer)}", "command"))
    return lines


def headline(answer: CompareAnswer, scale: Scale) -> Line:
    """Return the verdict and the change."""
    margin = scale.distance(answer.margin) if answer.margin is not None else ""
    words: dict[str, tuple[str, Tone]] = {
        "better": ("BETTER", "good"),
        "worse": ("WORSE", "bad"),
        "equivalent": (f"EQUIVALENT (within {margin})", "good"),
        "no worse": (f"NO WORSE (than {margin})", "good"),
        "inconclusive": ("CANNOT DECIDE", "warning"),
    }
    word, tone = words[answer.verdict]
    within = f", but within your {margin} margin" if answer.within_margin else ""
    found = answer.difference
    span = scale.change_span(found.low, found.high)
    arms = ""
    if math.isfinite(answer.baseline.estimate):
        arms = f", {scale.value(answer.baseline.estimate)} → {scale.value(answer.candidate.estimate)}"
    return Line(
        f"{word}: {scale.change(found.estimate)}{scale.points} ({percent(answer.confidence)} interval {span})"
        f"{within}{arms}",
        tone,
    )


def _arms(answer: CompareAnswer) -> list[Line]:
    lines: list[Line] = []
    for role, arm in (("baseline", answer.baseline), ("candidate", answer.candidate)):
        if not arm.source.files:
            continue
        name = f"{arm.source.arm} on {arm.source.set_name}" if arm.source.set_name else arm.source.arm
        reps = f" × {count(arm.n_reps, 'rep')}" if arm.n_reps > 1 else ""
        missing = ""
        if arm.counts is not None and arm.counts.errored:
            missing = f"; {arm.counts.errored:,} of {arm.counts.planned:,} runs without a score"
        files = listed(arm.source.files, 2)
        lines.append(
            Line(f"  {role}: {name}, {arm.source.metric} ({files}), {count(arm.n_cases, 'case')}{reps}{missing}")
        )
    return lines


def _pairs(answer: CompareAnswer) -> list[Line]:
    pairing = answer.pairing
    if not answer.is_paired or answer.wins is None:
        return [Line("  Different cases on each side: compared without pairing.")]
    changed = f"{count(answer.wins, 'case')} won, {answer.losses:,} lost, {answer.ties:,} unchanged"
    if pairing.by == "counts":
        return [Line(f"  {changed}")]
    total = pairing.matched + max(len(pairing.only_baseline), len(pairing.only_candidate))
    tiers = ", ".join(
        f"{n:,} {TIER_WORDS.get(tier, tier)}" if len(pairing.by_counts) > 1 else TIER_WORDS.get(tier, tier)
        for tier, n in pairing.by_counts.items()
    )
    lines = [Line(f"  {changed}; {pairing.matched:,} of {total:,} matched {tiers}")]
    for side, names in (("baseline", pairing.only_baseline), ("candidate", pairing.only_candidate)):
        if names:
            lines.append(Line(f"  Only in the {side}, not compared: {len(names):,} ({listed(names)})", "warning"))
    return lines


def _explained(answer: CompareAnswer) -> list[Line]:
    """Return every case under what it was matched by, cases with one explanation together."""
    if not answer.request.explain_pairing:
        return []
    if not answer.pairing.explained:
        return [Line("  No pairing to explain: the cases were not put side by side.")]
    groups: dict[tuple[str, str], list[str]] = {}
    for one in answer.pairing.explained:
        if one.tier:
            title = TIER_WORDS[one.tier]
        else:
            title = f"no partner, only in the {'candidate' if one.baseline is None else 'baseline'}"
        same = one.baseline == one.candidate
        name = f"{one.baseline}" if same else " → ".join(case for case in (one.baseline, one.candidate) if case)
        groups.setdefault((title, one.reason), []).append(name)
    lines = [Line("  Pairing, case by case, and what kept a better match from being made:")]
    for (title, reason), names in groups.items():
        why = f"; {reason}" if reason else ""
        lines.append(Line(f"    {title}, {count(len(names), 'case')}{why}: {', '.join(names)}"))
    return lines


def _margin(answer: CompareAnswer, scale: Scale) -> list[Line]:
    found, guarded = answer.difference, answer.guarded
    lines: list[Line] = []
    if (guarded.low, guarded.high) != (found.low, found.high):
        span = scale.change_span(guarded.low, guarded.high)
        lines.append(
            Line(f"  Guarded against a few cases that break completely: {span}{scale.points} ({guarded.method})")
        )
    if answer.margin is None:
        return lines
    margin = scale.distance(answer.margin)
    if not answer.claims.no_worse and answer.verdict == "inconclusive":
        lines.append(
            Line(
                f"  No worse than {margin}: not shown, guarded low is {scale.change(guarded.low)}{scale.points}. "
                f"One-sided error of this claim: {percent((1 - answer.confidence) / 2)}."
            )
        )
    if answer.least_n is not None and answer.pairing.matched < answer.least_n and not answer.claims.no_worse:
        lines.append(
            Line(
                f"  Two systems that score alike need {answer.least_n:,} cases before no worse can be said at this "
                "margin.",
                "warning",
            )
        )
    return lines


def _missing(answer: CompareAnswer, scale: Scale) -> list[Line]:
    if answer.bounds is None or answer.scored_only is None:
        return []
    low, high = scale.change(answer.bounds.low), scale.change(answer.bounds.high)
    only = scale.change_span(answer.scored_only.low, answer.scored_only.high)
    return [
        Line(
            f"  Missing runs could move the change from {low} to {high}{scale.points}; the interval spans both. "
            f"Scored runs alone would say {only}.",
            "warning",
        )
    ]


def _unpaired(answer: CompareAnswer) -> list[Line]:
    p_value = answer.unpaired_p_value
    if p_value is None:
        return []
    alpha = 1 - answer.confidence
    if answer.difference.p_value < alpha <= p_value:
        return [Line(f"  Treating the arms as unrelated would miss it (p {p_text(p_value)}).")]
    if p_value < alpha <= answer.difference.p_value:
        return [Line(f"  Treating the arms as unrelated would see a change that is not shown (p {p_text(p_value)}).")]
    return []


def _flips(answer: CompareAnswer, scale: Scale) -> list[Line]:
    lost = [flip for flip in answer.flips if (flip.change < 0) != answer.lower_is_better]
    won = [flip for flip in answer.flips if (flip.change > 0) != answer.lower_is_better]
    if not answer.request.flips:
        if not lost:
            return []
        names, total, shown = [flip.case for flip in lost], answer.losses or 0, 6
        more = f" … {total - shown:,} more (--flips shows all)" if total > shown else ""
        return [Line(f"  Lost: {' '.join(names[:shown])}{more}")]
    lines: list[Line] = []
    for title, flips in (("Lost", lost), ("Won", won)):
        lines += [Line(f"  {title}:")] if flips else []
        lines += [Line(f"    {_flip(flip, scale)}") for flip in flips]
    return lines


def _flip(flip: Flip, scale: Scale) -> str:
    return f"{flip.case}  {scale.value(flip.baseline)} → {scale.value(flip.candidate)}"


def _slices(answer: CompareAnswer, scale: Scale) -> list[Line]:
    if not answer.slices:
        return []
    width = max(len(one.name) for one in answer.slices)
    lines = [
        Line(f"  By {answer.request.by}: change with its own interval; verdicts hold for all slices together (Holm)")
    ]
    lines += [Line(f"    {one.name:<{width}}  {_slice(one, scale)}") for one in answer.slices[:SLICES_SHOWN]]
    if len(answer.slices) > SLICES_SHOWN:
        lines.append(Line(f"    … {len(answer.slices) - SLICES_SHOWN:,} more (--json has all)"))
    return lines


def _slice(one: SliceDifference, scale: Scale) -> str:
    span = scale.change_span(one.low, one.high)
    word = {"better": "better", "worse": "worse"}.get(one.verdict, "cannot decide")
    counts = f"{count(one.n_cases, 'case')}, {one.wins:,} won, {one.losses:,} lost"
    return f"{scale.change(one.estimate):>6}{scale.points}  {span}  {word} ({counts})"


def _method(answer: CompareAnswer) -> str:
    found = answer.difference
    exact = found.p_values.get("exact")
    extra = f" (exact {p_text(exact).removeprefix('= ')})" if exact is not None else ""
    return f"{method_title(found.method)}; p {p_text(found.p_value)}{extra}"
