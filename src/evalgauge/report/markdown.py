"""The answer of a gate as GitHub Markdown: for a job's summary, and for one comment on a pull request that stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalgauge.report.text.gate import flipped, has_several_metrics, headline_text, promise_text, rule_title
from evalgauge.report.visible import visible
from evalgauge.report.words import Scale, count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.compare import CompareAnswer
    from evalgauge.questions.gate import GateAnswer, RuleVerdict

MARKER = "<!-- evalgauge:gate -->"
"""First line of the comment, by which the next run finds it and replaces it."""

_ALERTS = {"pass": "TIP", "fail": "CAUTION", "inconclusive": "WARNING"}
_WORDS = {"pass": "✅ pass", "fail": "❌ fail", "inconclusive": "❓ cannot decide"}
_NAMES_SHOWN, _NAME_LETTERS = 50, 120
_LINKS = re.compile(r"@|#(?=\d)|GH-(?=\d)|:(?=//)|\bwww(?=\.)", re.IGNORECASE)
_ROWS_SHOWN = 100
# Longer comments are refused by GitHub; what is cut here are the names of cases.
_MOST_LETTERS = 60_000


def summary_text(answer: GateAnswer) -> str:
    """Return the verdict, the change with its interval, every rule with its reason, and the flipped cases."""
    scale = Scale(answer.range)
    lines = [f"### evalgauge gate: {safe_text(headline_text(answer))}", ""]
    lines += [f"> [!{_ALERTS[answer.verdict]}]", f"> {safe_text(_lead(answer, scale))}", "", *_arms(answer)]
    score = "| score " if has_several_metrics(answer) else ""
    lines += [f"| rule {score}| verdict | why |", f"|---{'|---' if score else ''}|---|---|"]
    for row in _sorted(answer.rules)[:_ROWS_SHOWN]:
        metric = f"| {safe_text(row.metric)} " if score else ""
        why = f"{row.reason} **To decide:** {row.needs}." if row.needs else row.reason
        lines.append(
            f"| {safe_text(rule_title(row, scale))} {metric}| {_WORDS[row.verdict]} | {safe_text(why, bold=True)} |"
        )
    if len(answer.rules) > _ROWS_SHOWN:
        lines.append(f"\n… {len(answer.rules) - _ROWS_SHOWN:,} more rules")
    lines.append("")
    for comparison in answer.comparisons:
        lines += _flips(comparison)
    lines += [f"- {safe_text(note)}" for note in (*answer.notes, *answer.problems)]
    lines += ["", f"<sub>{safe_text(promise_text(answer))}</sub>", ""]
    text = "\n".join(lines)
    if len(text) <= _MOST_LETTERS:
        return text
    whole, _, _ = text[:_MOST_LETTERS].rpartition("\n")
    closed = "\n\n</details>" if whole.count("<details>") > whole.count("</details>") else ""
    return f"{whole}{closed}\n\n… cut here\n"


def comment_text(answer: GateAnswer) -> str:
    """Return the summary with the marker by which the next run finds the comment."""
    return f"{MARKER}\n{summary_text(answer)}"


def _arms(answer: GateAnswer) -> list[str]:
    """Return what was judged: the system, its set and its files."""
    first = next(iter(answer.comparisons), None)
    arms = (("baseline", first.baseline), ("candidate", first.candidate)) if first else ()
    if not arms and answer.scores:
        arms = (("candidate", answer.scores[0]),)
    lines: list[str] = []
    for role, arm in arms:
        source = arm.source
        name = f"{source.arm} on {source.set_name}" if source.set_name else source.arm
        files = " ".join(code_text(file) for file in source.files[:2])
        more = f" … {len(source.files) - 2:,} more" if len(source.files) > 2 else ""
        lines.append(f"- {role}: {safe_text(name)} ({files}{more})")
    return [*lines, ""] if lines else []


def _lead(answer: GateAnswer, scale: Scale) -> str:
    """Return the change with its interval, or the score with its own; of the first score that was judged."""
    if answer.comparisons:
        first = answer.comparisons[0]
        found = first.difference
        span = f"{scale.change_span(found.low, found.high)}{scale.points}"
        arms = f"{scale.value(first.baseline.estimate)} → {scale.value(first.candidate.estimate)}"
        flips = (
            f"; {first.wins:,} won, {first.losses:,} lost, {first.ties:,} unchanged" if first.wins is not None else ""
        )
        # The interval of a single look does not hold for several.
        level = f" ({100 * answer.confidence:g} % interval {span})" if answer.sequential is None else ""
        return f"{scale.change(found.estimate)}{scale.points}{level}, {arms}{flips}"
    if not answer.scores:
        return count(len(answer.rules), "rule")
    score = answer.scores[0]
    if answer.sequential is not None:
        return f"{scale.value(score.estimate)}; {count(score.n_cases, 'case')}"
    return f"{scale.value(score.estimate)}, likely {scale.span(score.low, score.high)}; {count(score.n_cases, 'case')}"


def _sorted(rows: Sequence[RuleVerdict]) -> list[RuleVerdict]:
    return sorted(rows, key=lambda row: ("fail", "inconclusive", "pass").index(row.verdict))


def _flips(comparison: CompareAnswer) -> list[str]:
    names = flipped(comparison)
    if not names:
        return []
    counts = f"{comparison.losses or 0:,} lost, {comparison.wins or 0:,} won"
    lines = ["<details>", f"<summary>Flipped cases: {counts}</summary>", ""]
    for word, cases in names.items():
        total = (comparison.losses if word == "Lost" else comparison.wins) or 0
        more = f" … {total - _NAMES_SHOWN:,} more" if total > _NAMES_SHOWN else ""
        lines.append(f"- {word}: {' '.join(code_text(name) for name in cases[:_NAMES_SHOWN])}{more}")
    return [*lines, "", "</details>", ""]


def code_text(name: str) -> str:
    """Return a name as code: it mentions nobody and is no markup."""
    line = " ".join(name.replace("`", chr(39)).split())
    if len(line) > _NAME_LETTERS:
        line = f"{line[:_NAME_LETTERS]}…"
    return f"`{visible(line) or ' '}`"


def safe_text(words: str, *, bold: bool = False) -> str:
    """Return words that stand for themselves: no markup, no mention, no end of a table's cell."""
    text = words.replace("\\", "\\\\").replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
    for sign in "`[_~$":
        text = text.replace(sign, f"\\{sign}")
    # An empty sign keeps a name, a number and an address from becoming a mention, an issue and a link.
    text = _LINKS.sub(lambda found: f"{found[0]}\u200b", text)
    text = visible(" ".join(text.split()))
    return text if bold else text.replace("*", "\\*")
