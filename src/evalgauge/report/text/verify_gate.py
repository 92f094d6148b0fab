"""The answer to "what does my gate say of nothing, and of a drop" as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.report.next_step import after_verify_gate
from evalgauge.report.text.ledger_looks import note_lines
from evalgauge.report.text.lines import Line
from evalgauge.report.words import count, percent

if TYPE_CHECKING:
    from evalgauge.questions.verify_gate import GateRates, RuleRates, VerifyGateAnswer

ROWS_SHOWN = 20
# Where half of the runs or more are not decided, the set is too small for its rules.
_SELDOM = 0.5
_POLICIES = ("min-scored", "min-overlap", "pairing")


def verify_gate_lines(answer: VerifyGateAnswer) -> list[Line]:
    """Return whether the gate is quiet, what it says at each drop and by which rule, and what was simulated."""
    null, *drops = answer.scenarios
    lines = [
        _headline(answer, null),
        Line(f"  It passes {_share(null.passed)} of them and cannot decide {_share(null.inconclusive)}."),
    ]
    lines += [_drop(answer, one) for one in drops]
    if answer.unkept:
        rules = "; ".join(answer.unkept)
        lines.append(
            Line(f"  The log does not keep these itself, so a failure there is no false alarm: {rules}.", "warning")
        )
    lines += [*_by_rule(answer), *_null_pairs(answer), *_simulated(answer), *note_lines(answer.ledger)]
    lines += [Line(f"  {note}", "warning") for note in answer.notes]
    lines += [Line(f"  Reader: {problem}", "warning") for problem in answer.problems]
    return [*lines, Line(f"  Next: {after_verify_gate(answer)}", "command")]


def _headline(answer: VerifyGateAnswer, null: GateRates) -> Line:
    ends = _ends(null.failed_range.low, null.failed_range.high)
    found = f"the gate fails {_share(null.failed)} of runs in which nothing changed ({ends})"
    if answer.unkept:
        return Line(f"THE LOG BREAKS ITS OWN RULES: {found}", "bad")
    promise = f"; at most {percent(answer.alarm_error)} are promised"
    if not answer.is_quiet:
        return Line(f"NOISY: {found}{promise}", "bad")
    if null.inconclusive >= _SELDOM:
        return Line(f"QUIET, BUT SELDOM DECIDES: {found}{promise}", "warning")
    return Line(f"QUIET: {found}{promise}", "good")


def _drop(answer: VerifyGateAnswer, one: GateRates) -> Line:
    request = answer.request
    is_limit = request.max_drop is not None and abs(one.drop - request.max_drop) < 1e-12
    said = ", the largest allowed" if is_limit else ""
    wrong = ""
    if request.max_drop is not None and one.drop >= request.max_drop - 1e-12:
        wrong = f", wrongly (aimed at: at most {percent(answer.pass_error)})"
    return Line(
        f"  A drop of {100 * one.drop:g} points{said}: fails {_share(one.failed)} "
        f"({_ends(one.failed_range.low, one.failed_range.high)}), cannot decide {_share(one.inconclusive)}, "
        f"passes {_share(one.passed)}{wrong}."
    )


def _simulated(answer: VerifyGateAnswer) -> list[Line]:
    reps = "" if answer.n_reps == 1 else f" × {count(answer.n_reps, 'rep')}"
    log = f"the {count(answer.n_cases, 'case')}{reps} of {', '.join(answer.logs)}"
    lines = [
        Line(f"  Simulated: {answer.sims:,} pairs of runs a line, seed {answer.seed}, of {log}.", "quiet"),
        Line("  A drop is made of cases that break completely.", "quiet"),
    ]
    if answer.discordance is not None:
        lines.append(Line(f"  Two single runs differ on {_share(answer.discordance)} of the cases.", "quiet"))
    return lines


def _by_rule(answer: VerifyGateAnswer) -> list[Line]:
    rules = [rule for rule in answer.scenarios[0].rules if rule.rule not in _POLICIES]
    if len(rules) < 2:
        return []
    last = answer.scenarios[-1]
    titles = [_title(rule) for rule in rules]
    width = max(4, *(len(title) for title in titles))
    heads = f"no change: passes    fails  |  {100 * last.drop:g} points worse: fails"
    lines = [Line(f"  {'Rule':<{width}}  {heads}", narrow="  By rule:")]
    found = {_key(rule): rule for rule in last.rules}
    for title, rule in zip(titles[:ROWS_SHOWN], rules[:ROWS_SHOWN], strict=True):
        failed = found[_key(rule)].failed
        lines.append(
            Line(
                f"  {title:<{width}}  {_share(rule.passed):>17}  {_share(rule.failed):>7}  |  {_share(failed):>21}",
                narrow=f"    {title} passes {_share(rule.passed)}, fails {_share(rule.failed)}; worse {_share(failed)}",
            )
        )
    if len(rules) > ROWS_SHOWN:
        lines.append(Line(f"  … {len(rules) - ROWS_SHOWN:,} more rules (--json has all)"))
    return lines


def _null_pairs(answer: VerifyGateAnswer) -> list[Line]:
    found = answer.null_pairs
    if found is None:
        return []
    ends = _ends(found.alarm_range.low, found.alarm_range.high)
    enough = f"{found.pairs_needed:,} pairs without a failure would show at most {percent(answer.alarm_error)}"
    return [
        Line(
            f"  Real runs of one system: {found.alarms:,} of {count(found.pairs, 'pair')} failed ({ends}), "
            f"{found.passes:,} passed; {enough}. Each log stands in one pair."
        )
    ]


def _title(rule: RuleRates) -> str:
    return " ".join(word for word in (rule.rule, rule.part, f"({rule.metric})" if rule.metric else "") if word)


def _key(rule: RuleRates) -> tuple[str, str, str]:
    return rule.rule, rule.part, rule.metric


def _share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _ends(low: float, high: float) -> str:
    return f"{100 * low:.1f} to {100 * high:.1f} %"
