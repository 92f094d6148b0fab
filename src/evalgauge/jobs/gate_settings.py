"""Which rules a gate has, from options or from a file, and whether they make sense."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.formats.gate_config import CONFIG_NAME, read_config
from evalgauge.questions.gate import GateOptions, RuleOptions
from evalgauge.rules.gate import errors_of
from evalgauge.rules.looks import look_from_text

if TYPE_CHECKING:
    from evalgauge.formats.gate_config import GateConfig
    from evalgauge.questions.gate import RuleKind
    from evalgauge.rules.gate import Errors

# The rules, by the field that asks for one.
RULE_FIELDS: dict[str, RuleKind] = {
    "max_drop": "max-drop",
    "min_rate": "min-rate",
    "better_than": "better-than",
    "slice_drop": "slice-drop",
    "slice_rate": "slice-rate",
    "case_rate": "case-rate",
}
_NEED_BASELINE = ("max_drop", "better_than", "slice_drop")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSettings:
    """What has to hold, and how it is judged.

    Attributes
    ----------
    options
        The policies, those of a file taken in.
    rules
        One entry per score that is judged.
    rules_from
        The file that the rules were read from, or "the command line".
    baseline
        A baseline that the file names; ``None`` without one.
    notes
        What has to be said about where the rules came from.
    """

    options: GateOptions
    rules: tuple[RuleOptions, ...]
    rules_from: str
    baseline: str | None
    notes: tuple[str, ...] = ()

    @property
    def needs_baseline(self) -> bool:
        """Whether some rule speaks of a change."""
        return any(getattr(rule, name) is not None for rule in self.rules for name in _NEED_BASELINE)

    @property
    def groups(self) -> int:
        """Number of groups of rules, each of which can fail on its own."""
        return sum(getattr(rule, name) is not None for rule in self.rules for name in RULE_FIELDS)

    @property
    def errors(self) -> Errors:
        """What each group of rules may spend, at this look where several are planned."""
        options = self.options
        look = None if options.interim is None else look_from_text(options.interim, options.bounds)
        return errors_of(options.confidence, self.groups, look=look)


def settings_of(asked: GateOptions) -> GateSettings:
    """Return the settings of a question.

    Raises
    ------
    ArgumentError
        When there is no rule, rules come from two places, or a rule cannot be meant.
    LogError
        When the file of rules cannot be read.
    """
    if asked.interim is None and asked.bounds != GateOptions().bounds:
        raise ArgumentError("bounds", asked.bounds, "given with --interim, such as --interim 2/5")
    named = [kind for name, kind in RULE_FIELDS.items() if getattr(asked, name) is not None]
    if named and asked.config is not None:
        came = f"{asked.config} and --{named[0]}"
        raise ArgumentError("config", came, "rules from the file or from options, not both")
    if asked.config is None and (named or not Path(CONFIG_NAME).exists()):
        if not named:
            hint = f"Or write a file of rules to start from: evalgauge gate --init ({CONFIG_NAME})."
            raise ArgumentError("rules", "none", "at least one, such as --max-drop 2pp or --min-rate 90%", hint)
        rules = (_checked(_rule_of(asked), asked),)
        unused = f"{CONFIG_NAME} of this folder was not used: the rules are named on the command line."
        return GateSettings(
            options=asked,
            rules=rules,
            rules_from="the command line",
            baseline=None,
            notes=(unused,) if Path(CONFIG_NAME).exists() else (),
        )
    config = read_config(asked.config or CONFIG_NAME)
    default = GateOptions()
    taken = {name: value for name, value in config.options.items() if getattr(asked, name) == getattr(default, name)}
    options = replace(asked, **taken)
    everywhere = _rule_of(options)
    entries: list[dict[str, Any]] = [dict(rule) for rule in config.rules]
    return GateSettings(
        options=options,
        rules=tuple(_checked(replace(everywhere, **entry), options) for entry in entries),
        rules_from=config.file,
        baseline=config.baseline,
        notes=_unused_baseline(config, asked),
    )


def _unused_baseline(config: GateConfig, asked: GateOptions) -> tuple[str, ...]:
    logs: tuple[str, ...] = getattr(asked, "logs", ())
    if config.baseline is None or len(logs) != 2 or config.baseline in logs:
        return ()
    return (f"{config.baseline}, the baseline of {config.file}, was not used: two logs are named.",)


def _rule_of(asked: GateOptions) -> RuleOptions:
    return RuleOptions(**{field.name: getattr(asked, field.name) for field in fields(RuleOptions)})


def _refuse_looks(rule: RuleOptions, options: GateOptions) -> None:
    """Refuse looks that the rules cannot share their errors over."""
    if options.interim is None and not options.anytime:
        return
    came = "--anytime" if options.anytime else f"--interim {options.interim}"
    if options.anytime and options.interim is not None:
        raise ArgumentError("anytime", f"{came} and --interim {options.interim}", "one of them")
    if options.holdout:
        hint = "The ledger prices the verdicts on a holdout, however many there are."
        raise ArgumentError("holdout", f"--holdout and {came}", "one of them", hint)
    if rule.case_rate is not None:
        raise ArgumentError("case_rate", f"--case-rate and {came}", "one of them", "Judge the cases at the last look.")
    if options.anytime and (options.unpaired or rule.cluster is not None):
        other = "--unpaired" if options.unpaired else "--cluster"
        hint = "Plan the looks: --interim 1/5."
        raise ArgumentError("anytime", f"--anytime and {other}", "pairs of independent cases", hint)


def _checked(rule: RuleOptions, options: GateOptions) -> RuleOptions:
    """Return a rule whose slices have thresholds, or refuse one that cannot be meant."""
    _refuse_looks(rule, options)
    for name in ("max_drop", "slice_drop"):
        value = getattr(rule, name)
        if value is not None and not 0 < value < 1:
            hint = "To ask for a candidate that is better, say --better-than 0pp." if value == 0 else ""
            raise ArgumentError(name, f"{100 * value:g}pp", "above 0pp and below 100pp", hint)
    for name in ("min_rate", "slice_rate", "case_rate"):
        value = getattr(rule, name)
        if value is not None and not 0 < value < 1:
            hint = "No data can show a rate of 100 %." if value == 1 else "Every candidate passes more than 0 %."
            raise ArgumentError(name, f"{100 * value:g}%", "above 0% and below 100%", hint)
    if rule.better_than is not None and rule.better_than >= 1:
        raise ArgumentError("better_than", f"{100 * rule.better_than:g}pp", "from 0pp to below 100pp")
    if rule.score_range is not None and rule.score_range.is_unlimited:
        hint = "Without a range nothing bounds how far a case can break: say it, such as --range 0:100."
        raise ArgumentError("score_range", "none", "the lowest and the highest possible score", hint)
    if all(getattr(rule, name) is None for name in RULE_FIELDS):
        raise ArgumentError("rules", "one without a threshold", f"one of {', '.join(RULE_FIELDS.values())}")
    return _with_slices(rule, options)


def _with_slices(rule: RuleOptions, options: GateOptions) -> RuleOptions:
    if rule.by is None:
        for name in ("slice_drop", "slice_rate"):
            if (value := getattr(rule, name)) is not None:
                came = f"{100 * value:g}{'pp' if name == 'slice_drop' else '%'} without a field"
                raise ArgumentError(name, came, "together with --by, the field of the slices")
        return rule
    drop = rule.slice_drop if rule.slice_drop is not None else rule.max_drop
    rate = rule.slice_rate if rule.slice_rate is not None else rule.min_rate
    if drop is None and rate is None:
        allowed = "together with --max-drop, --min-rate, --slice-drop or --slice-rate"
        raise ArgumentError("by", rule.by, allowed, "Other rules are not split by slices.")
    if drop is not None and options.unpaired:
        hint = "Slices of unpaired arms are not compared: gate each slice's own logs, or pair the cases."
        raise ArgumentError("by", rule.by, "left out with --unpaired", hint)
    return replace(rule, slice_drop=drop, slice_rate=rate)
