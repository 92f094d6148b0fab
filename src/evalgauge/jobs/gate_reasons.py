"""Why a rule passed, failed or could not be decided, in one sentence; and what would decide it, in another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.questions.scale import count, percent

if TYPE_CHECKING:
    from evalgauge.planning.gate_counts import ClaimKind
    from evalgauge.questions.gate import Verdict
    from evalgauge.questions.scale import Scale
    from evalgauge.rules.gate import Judged

_NAMES_SHOWN = 6


def asked_text(kind: ClaimKind, threshold: float, scale: Scale) -> str:
    """Return what a rule asks for: ``no worse than 2.0 points``."""
    if kind == "drop":
        return f"no worse than {scale.distance(threshold)}"
    if kind == "rate":
        return f"above {scale.value(threshold)}"
    return f"better by more than {scale.distance(threshold)}" if threshold else "better"


def opposite_text(kind: ClaimKind, threshold: float, scale: Scale) -> str:
    """Return what a failure shows: ``worse by more than 2.0 points``."""
    if kind == "drop":
        return f"worse by more than {scale.distance(threshold)}"
    if kind == "rate":
        return f"below {scale.value(threshold)}"
    return f"better by less than {scale.distance(threshold)}" if threshold else "worse"


def reason_text(kind: ClaimKind, threshold: float, estimate: float, found: Judged, scale: Scale, n_cases: int) -> str:
    """Return why a claim about a change or a score got its verdict, with the interval that was read."""
    reading = found.reading
    rounded = round(found.confidence, 4)
    level = f"({percent(found.confidence if rounded == 1 else rounded)} interval)"
    if kind == "rate":
        span = scale.span(reading.low, reading.high, beside=threshold)
        seen = f"the score is {scale.value(estimate)}, likely {span} {level}"
    else:
        word = "guarded " if kind == "drop" else ""
        line = -threshold if kind == "drop" else threshold
        span = f"{scale.change_span(reading.low, reading.high, beside=line)}{scale.points}"
        seen = f"the change is {scale.change(estimate)}{scale.points}, {word}{span} {level}"
    verdict: Verdict = found.verdict
    if verdict == "pass":
        return f"{asked_text(kind, threshold, scale).capitalize()} is shown: {seen}."
    if verdict == "fail":
        return f"{opposite_text(kind, threshold, scale).capitalize()} is shown: {seen}."
    if not reading.may_pass and n_cases > 1 and kind == "drop":
        few = "are too few to exclude that some break completely and none of them is in the log"
        return f"{count(n_cases, 'case')} {few}: {seen}."
    if not reading.may_pass and reading.low > threshold:
        verb = "is" if n_cases == 1 else "are"
        return f"{count(n_cases, 'case')} {verb} too few to show {asked_text(kind, threshold, scale)}: {seen}."
    return f"Neither {asked_text(kind, threshold, scale)} nor {opposite_text(kind, threshold, scale)} is shown: {seen}."


def needs_text(cases: int | None, n_cases: int, missing: int) -> str:
    """Return what would decide a claim that is open."""
    parts: list[str] = []
    if missing:
        parts.append(f"score the {count(missing, 'missing run')}")
    if cases is not None and cases > n_cases:
        parts.append(f"about {count(cases, 'case')} like these would decide, were new ones to turn out alike")
    elif cases is None:
        parts.append("more cases would hardly decide: the truth seems to lie where the rule draws its line")
    return "; ".join(parts)


def cases_text(broken: tuple[str, ...]) -> str:
    """Return the first names of some cases and how many more there are."""
    more = len(broken) - _NAMES_SHOWN
    return ", ".join(broken[:_NAMES_SHOWN]) + (f" and {more:,} more" if more > 0 else "")
