"""What all rules of a gate say together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.jobs.gate_rules import policy_verdicts, rule_verdicts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.jobs.gate_parts import Subject
    from evalgauge.jobs.gate_rules import Blind
    from evalgauge.questions.gate import RuleVerdict
    from evalgauge.rules.gate import Errors


def judged_rules(
    subjects: Sequence[Subject], errors: Errors, *, is_sealed: bool = False
) -> tuple[tuple[RuleVerdict, ...], list[Blind]]:
    """Return what each rule says at these errors, and the rules that can say nothing with so few cases."""
    verdicts: list[RuleVerdict] = []
    blind: list[Blind] = []
    for subject in subjects:
        found = rule_verdicts(subject, errors, is_sealed=is_sealed)
        verdicts += [*found.verdicts, *policy_verdicts(subject)]
        blind += found.blind
    # Two rules over one score say the same about its runs.
    return tuple(dict.fromkeys(verdicts)), blind


def blind_text(blind: Sequence[Blind]) -> str:
    """Return why a gate is refused: the rules that say nothing with so few cases, and the ways out."""
    parts = [f"--{one.rule}{f' in {one.part}' if one.part else ''} {one.text}" for one in blind[:5]]
    more = f"; and {len(blind) - 5} more" if len(blind) > 5 else ""
    return (
        f"This gate cannot decide with these logs: {'; '.join(parts)}{more}. Add cases or reps, ask for less "
        "(evalgauge gate --check says what can be seen), or see the verdict anyway with --allow-blind."
    )
