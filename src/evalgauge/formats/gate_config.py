"""The file with the rules of a gate, ``evalgauge.toml``: how it is read, and the commented one to start from."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from evalgauge.errors import ArgumentError, EvalgaugeError, LogError
from evalgauge.questions.gate import Bounds, PairingPolicy, Verdict
from evalgauge.questions.parts import Missing
from evalgauge.questions.units import (
    columns_from_text,
    names_from_text,
    points_from_text,
    range_from_text,
    share_from_text,
    words_from_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

CONFIG_NAME = "evalgauge.toml"
"""The file that is looked for where no rule is named."""

TEMPLATE = """\
# What has to hold before a candidate ships. Read by: evalgauge gate BASELINE CANDIDATE
# Ask before a run what these rules can see: evalgauge gate --check BASELINE

# A blessed baseline (evalgauge bless LOG -o baseline.json): then gate needs only the candidate.
# baseline = "baseline.json"

# Two-sided level. A pass reads one end, so its error is half of what is left: 2.5 % at 95 %.
confidence = "95%"
# What the data cannot decide is: inconclusive (exit 3), fail (exit 1) or pass (exit 0).
on-inconclusive = "inconclusive"
# Runs without a score: bounds (both ways), fail (as failed), drop (left out).
missing = "bounds"
# Below these shares nothing passes: planned runs that are scored, cases that have a partner.
min-scored = "95%"
min-overlap = "95%"
# Which pairs to accept: any, or content (never by id alone).
pairing = "any"

# Each rule speaks of one score; name it with metric where a log holds several.
[[rule]]
max-drop = "2pp"
# metric = "accuracy"
# by = "topic"
# slice-drop = "10pp"

# [[rule]]
# min-rate = "90%"

# Every case should pass this share of its reps; fails where some case is shown to pass fewer.
# [[rule]]
# case-rate = "80%"
"""


def _word(allowed: Sequence[str]) -> Callable[[str, str], str]:
    def read(text: str, argument: str) -> str:
        if text not in allowed:
            close = get_close_matches(text, allowed, n=1)
            hint = f"Did you mean {close[0]!r}?" if close else ""
            raise ArgumentError(argument, text, f"one of {', '.join(allowed)}", hint)
        return text

    return read


def _text(text: str, _argument: str) -> str:
    return text


# Key of the file → field of the question, and what reads its text.
_SCORE_KEYS: Mapping[str, tuple[str, Callable[[str, str], object]]] = {
    "metric": ("metric", _text),
    "task": ("task", _text),
    "by": ("by", _text),
    "cluster": ("cluster", _text),
    "range": ("score_range", range_from_text),
    "candidate-metric": ("candidate_metric", _text),
}
RULE_KEYS: Mapping[str, tuple[str, Callable[[str, str], object]]] = {
    "max-drop": ("max_drop", points_from_text),
    "min-rate": ("min_rate", share_from_text),
    "better-than": ("better_than", points_from_text),
    "slice-drop": ("slice_drop", points_from_text),
    "slice-rate": ("slice_rate", share_from_text),
    "case-rate": ("case_rate", share_from_text),
    **_SCORE_KEYS,
}
GATE_KEYS: Mapping[str, tuple[str, Callable[[str, str], object]]] = {
    "baseline": ("baseline", _text),
    "confidence": ("confidence", share_from_text),
    "on-inconclusive": ("on_inconclusive", _word(get_args(Verdict))),
    "missing": ("missing", _word(get_args(Missing))),
    "min-scored": ("min_scored", share_from_text),
    "min-overlap": ("min_overlap", share_from_text),
    "pairing": ("pairing", _word(get_args(PairingPolicy))),
    "bounds": ("bounds", _word(get_args(Bounds))),
    "arms": ("arms", names_from_text),
    "map": ("columns", columns_from_text),
    "words": ("words", words_from_text),
    "wide-arms": ("wide_arms", names_from_text),
    "wide-reps": ("wide_reps", names_from_text),
    **_SCORE_KEYS,
}
SWITCHES = {"unpaired": "unpaired", "tolerant": "tolerant", "allow-blind": "allow_blind", "anytime": "anytime"}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig:
    """What a file of rules says.

    Attributes
    ----------
    file
        Where it was read.
    baseline
        The blessed baseline or log that it names, as a path from the file's own folder; ``None`` without one.
    options
        Policies for all rules, by field of the question.
    rules
        Per rule what it sets, by field of the question.
    """

    file: str
    baseline: str | None
    options: Mapping[str, object]
    rules: tuple[Mapping[str, object], ...]


def read_config(path: str | Path) -> GateConfig:
    """Return the rules of a file.

    Raises
    ------
    LogError
        If the file is missing or no TOML, holds a key that is not known (with the one that was perhaps meant), a value
        that is out of range, or no rule.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "evalgauge.toml"
    >>> _ = file.write_text(TEMPLATE)
    >>> read_config(file).rules
    ({'max_drop': 0.02},)
    """
    name = str(path)
    document = _document(Path(path), name)
    rules = document.pop("rule", [])
    if not isinstance(rules, list):
        raise LogError(name, "holds one rule that is no list.", field="rule", hint="Write [[rule]] above each rule.")
    entries = cast("list[object]", rules)
    switches = {key: document.pop(key) for key in tuple(document) if key in SWITCHES}
    options = _read(document, GATE_KEYS, name, "", also=(*SWITCHES, "rule"))
    for key, value in switches.items():
        if not isinstance(value, bool):
            raise LogError(name, f"holds {value!r}, allowed is true or false.", field=key)
        options[SWITCHES[key]] = value
    if not entries:
        raise LogError(name, "holds no rule.", hint='Add [[rule]], and below it max-drop = "2pp".')
    found: list[Mapping[str, object]] = []
    for number, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise LogError(name, "holds a rule that is no table.", field="rule", hint="Write [[rule]] above each rule.")
        found.append(_read(cast("dict[str, object]", entry), RULE_KEYS, name, f"rule {number}"))
    baseline = cast("str | None", options.pop("baseline", None))
    if baseline is not None:
        baseline = str(Path(path).parent / baseline)
    return GateConfig(file=name, baseline=baseline, options=options, rules=tuple(found))


def write_template(path: str | Path) -> Path:
    """Write the commented file to start from; one that is there is never touched.

    Raises
    ------
    ArgumentError
        If the file is there already, or its folder is not.
    """
    target = Path(path)
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError as fault:
        hint = "It is never overwritten: edit it, or name another one with --config."
        raise ArgumentError("--init", str(target), "a file that is not there yet", hint) from fault
    except OSError as fault:
        raise ArgumentError("--init", str(target), f"a file that can be written ({fault.strerror})") from fault
    return target


def _document(path: Path, name: str) -> dict[str, object]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as fault:
        raise LogError(name, "is not there.", hint="Write one to start from: evalgauge gate --init") from fault
    except OSError as fault:
        raise LogError(name, f"cannot be read: {fault.strerror}.") from fault
    except RecursionError as fault:
        raise LogError(
            name, "is nested deeper than rules are.", hint='Rules are text in quotes: max-drop = "2pp".'
        ) from fault
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise LogError(name, f"is no TOML: {fault}.", hint='Values stand in quotes: max-drop = "2pp".') from fault


def _read(
    table: Mapping[str, object],
    keys: Mapping[str, tuple[str, Callable[[str, str], object]]],
    file: str,
    record: str,
    *,
    also: Sequence[str] = (),
) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in table.items():
        if key not in keys:
            known = (*keys, *also)
            # A key with an underscore is the Python name of the option.
            close = get_close_matches(key.replace("_", "-"), known, n=1)
            elsewhere = " It belongs above the first [[rule]]." if key in GATE_KEYS or key in SWITCHES else ""
            elsewhere = " It belongs under a [[rule]]." if key in RULE_KEYS else elsewhere
            hint = f"Did you mean {close[0]!r}?" if close and not elsewhere else f"Known are: {', '.join(known)}."
            raise LogError(file, f"{key!r} is no key here.{elsewhere}", record=record, hint=hint)
        field, parse = keys[key]
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise LogError(file, f"holds {value!r}, allowed is text in quotes.", record=record, field=key)
        try:
            found[field] = parse(value if isinstance(value, str) else repr(value), key)
        except EvalgaugeError as error:
            raise LogError(file, str(error), record=record) from error
    return found
