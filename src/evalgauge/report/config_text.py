"""The rules of a gate as the file that keeps them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from evalgauge.formats.gate_config import GATE_KEYS, RULE_KEYS, SWITCHES
from evalgauge.questions.gate import GateOptions
from evalgauge.report.command_line import value_text

if TYPE_CHECKING:
    from collections.abc import Iterable

_PLAIN = GateOptions()
FIELDS_OF_A_FILE = frozenset({*(field for field, _ in {**GATE_KEYS, **RULE_KEYS}.values()), *SWITCHES.values()})
"""Fields of the question that a file of rules holds."""


def config_text(options: GateOptions) -> str:
    """Return the text of an ``evalgauge.toml`` that asks for the same; what is as usual is left out.

    Examples
    --------
    >>> from evalgauge.questions.gate import GateOptions
    >>> print(config_text(GateOptions(max_drop=0.02, confidence=0.9)))
    confidence = "90%"
    <BLANKLINE>
    [[rule]]
    max-drop = "2pp"
    """
    policies = _set(options, ((key, field) for key, (field, _) in GATE_KEYS.items() if key not in RULE_KEYS))
    policies += [f"{key} = true" for key, field in SWITCHES.items() if getattr(options, field)]
    rules = _set(options, ((key, field) for key, (field, _) in RULE_KEYS.items()))
    return "\n".join([*policies, *([""] if policies else []), "[[rule]]", *rules])


def _set(options: GateOptions, keys: Iterable[tuple[str, str]]) -> list[str]:
    lines: list[str] = []
    for key, field in keys:
        value = getattr(options, field, None)
        if value != getattr(_PLAIN, field, None):
            # TOML's basic strings are JSON's.
            lines.append(f"{key} = {json.dumps(value_text(value), ensure_ascii=False)}")
    return lines
