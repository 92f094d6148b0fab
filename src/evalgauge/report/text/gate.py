"""The answer to "may it ship" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_gate
from evalgauge.report.text.compare import TIER_WORDS
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line, Tone
from evalgauge.report.words import Scale, count, listed, percent

if TYPE_CHECKING:
    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.gate import GateAnswer, RuleVerdict
    from evalgauge.questions.gate_check import RuleCheck

WORDS: dict[str, tuple[str, Tone]] = {
    "pass": ("PASS", "good"),
    "fail": ("FAIL", "bad"),
    "inconclusive": ("CANNOT DECIDE", "warning"),
}
ROWS_SHOWN = 20
_POLICIES = {"min-scored", "min-overlap", "pairing"}


def gate_lines(answer: GateAnswer) -> list[Line]:
    """Return the verdict, each rule's own with its reason and what would decide it, what changed, and what to do."""
    lines = [_headline(answer)]
    rows = sorted(answer.rules, key=lambda row: ("fail", "inconclusive", "pass").index(row.verdict))
    for row in rows[:ROWS_SHOWN]:
        lines += _rule(answer, row)
    if len(rows) > ROWS_SHOWN:
        lines.append(Line(f"  … {len(rows) - ROWS_SHOWN:,} more rules (--json has all)"))
    for comparison in answer.comparisons:
        lines += _changed(comparison)
    lines += [Line(f"  {note}", "warning") for note in answer.notes]
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    lines += note_lines(answer.ledger)
    lines.append(Line(f"  {promise_text(answer)}", "quiet"))
    lines.append(Line(f"  Next: {after_gate(answer)}", "command"))
    return lines


def headline_text(answer: GateAnswer) -> str:
    """Return the verdict in one line: the word, and how many rules say what."""
    word = WORDS[answer.verdict][0]
    if len(answer.rules) == 1:
        one = {"pass": "the rule holds", "fail": "the rule does not hold", "inconclusive": "the rule cannot be decided"}
        return f"{word}: {one[answer.verdict]}{_counted_as(answer)}"
    counts = [(verdict, sum(row.verdict == verdict for row in answer.rules)) for verdict in ("fail", "inconclusive")]
    rules = count(len(answer.rules), "rule")
    said = {"fail": "fail", "inconclusive": "cannot be decided"}
    parts = [f"{n:,} of {rules} {said[verdict]}" for verdict, n in counts if n]
    return f"{word}: {' and '.join(parts) or f'all {rules} hold'}{_counted_as(answer)}"


def _counted_as(answer: GateAnswer) -> str:
    if answer.outcome == answer.verdict:
        return ""
    return f"; counts as {answer.outcome} (--on-inconclusive {answer.on_inconclusive})"


def promise_text(answer: GateAnswer) -> str:
    """Return the errors that the gate keeps to, and its policies."""
    passing, alarm = percent(answer.pass_error), percent(answer.alarm_error)
    level = percent(answer.confidence)
    return (
        f"Rules from {answer.rules_from}, two-sided {level}: a pass is read at a one-sided error of {passing}, alarms "
        f"share {alarm} over all rules; missing runs: {answer.missing}, pairs: {answer.pairing}."
    )


def rule_title(row: RuleVerdict | RuleCheck, scale: Scale) -> str:
    """Return a rule with its threshold and its part: ``max-drop 2.0 points, topic=billing``."""
    if row.rule in {"max-drop", "slice-drop", "better-than"}:
        asked = scale.distance(row.threshold)
    elif row.rule in {"min-rate", "slice-rate"}:
        asked = scale.value(row.threshold)
    else:
        asked = percent(row.threshold)
    return f"{row.rule} {asked}{f', {row.part}' if row.part else ''}"


def has_several_metrics(answer: GateAnswer) -> bool:
    """Return whether a rule has to be told apart by its score."""
    return len({row.metric for row in answer.rules}) > 1


def _headline(answer: GateAnswer) -> Line:
    return Line(headline_text(answer), "headline" if answer.verdict == "inconclusive" else WORDS[answer.verdict][1])


def _rule(answer: GateAnswer, row: RuleVerdict) -> list[Line]:
    word, tone = WORDS[row.verdict]
    if row.verdict == "pass":
        tone = "plain"
    metric = f" ({row.metric})" if has_several_metrics(answer) else ""
    title = rule_title(row, Scale(answer.range))
    lines = [Line(f"  {word.lower()}: {title}{metric}. {row.reason}", tone)]
    if row.needs:
        lines.append(Line(f"    To decide: {row.needs}.", "warning"))
    return lines


def _changed(comparison: CompareAnswer) -> list[Line]:
    pairing = comparison.pairing
    if not comparison.is_paired or comparison.wins is None:
        return [Line("  Different cases on each side: compared without pairing.")]
    changed = f"{count(comparison.wins, 'case')} won, {comparison.losses:,} lost, {comparison.ties:,} unchanged"
    tiers = ", ".join(f"{n:,} {TIER_WORDS.get(tier, tier)}" for tier, n in pairing.by_counts.items())
    lines = [Line(f"  {changed}; matched {tiers}")]
    for side, names in (("baseline", pairing.only_baseline), ("candidate", pairing.only_candidate)):
        if names:
            lines.append(Line(f"  Only in the {side}, not judged: {len(names):,} ({listed(names)})", "warning"))
    for word, names in flipped(comparison).items():
        shown = len(names) if comparison.request.flips else 6
        lines.append(Line(f"  {word}: {listed(names, shown)}"))
    return lines


def flipped(comparison: CompareAnswer) -> dict[str, tuple[str, ...]]:
    """Return the cases that got worse and better, by word; those that the answer keeps."""
    lost = tuple(flip.case for flip in comparison.flips if _is_worse(comparison, flip.change))
    won = tuple(flip.case for flip in comparison.flips if not _is_worse(comparison, flip.change))
    return {word: names for word, names in (("Lost", lost), ("Won", won)) if names}


def _is_worse(comparison: CompareAnswer, change: float) -> bool:
    return (change < 0) != comparison.lower_is_better
