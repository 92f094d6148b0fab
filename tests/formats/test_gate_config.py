"""The file of rules: what it may say, and what it is refused for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from evalgauge.errors import ArgumentError, LogError
from evalgauge.formats.gate_config import GATE_KEYS, RULE_KEYS, TEMPLATE, read_config, write_template

if TYPE_CHECKING:
    from pathlib import Path


def config(folder: Path, text: str) -> Path:
    path = folder / "evalgauge.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_template_is_a_gate_as_it_stands(tmp_path: Path) -> None:
    found = read_config(write_template(tmp_path / "evalgauge.toml"))
    assert found.rules == ({"max_drop": 0.02},)
    assert found.baseline is None
    assert found.options["confidence"] == 0.95


def test_every_commented_line_of_the_template_can_be_switched_on(tmp_path: Path) -> None:
    text = re.sub(r"^# (\[\[rule\]\]|[a-z-]+ = )", r"\1", TEMPLATE, flags=re.MULTILINE)
    found = read_config(config(tmp_path, text))
    assert found.baseline == str(tmp_path / "baseline.json")
    assert found.rules == (
        {"max_drop": 0.02, "metric": "accuracy", "by": "topic", "slice_drop": 0.1},
        {"min_rate": 0.9},
        {"case_rate": 0.8},
    )


def test_a_template_never_overwrites(tmp_path: Path) -> None:
    mine = config(tmp_path, "mine")
    with pytest.raises(ArgumentError, match="never overwritten"):
        write_template(mine)
    assert mine.read_text(encoding="utf-8") == "mine"
    with pytest.raises(ArgumentError, match="can be written"):
        write_template(tmp_path / "no" / "evalgauge.toml")


REFUSALS: list[tuple[str, str]] = [
    ("", r"holds no rule\. Add"),
    ("[[rule]]\n", "a threshold|max-drop"),
    ('[[rule]]\nmax-drp = "2pp"', "rule 1: 'max-drp' is no key here. Did you mean 'max-drop'?"),
    ('[[rule]]\nmax_drop = "2pp"', "Did you mean 'max-drop'?"),
    ('[[rule]]\nmax-drop = "2pp"\n[[rule]]\nmin-rte = "90%"', "rule 2: 'min-rte' is no key here"),
    ('confidnce = "95%"\n[[rule]]\nmax-drop = "2pp"', "Did you mean 'confidence'?"),
    ('[[rules]]\nmax-drop = "2pp"', "Did you mean 'rule'?"),
    ('[[rule]]\nmax-drop = "2pp"\nmissing = "drop"', "It belongs above the first"),
    ('max-drop = "2pp"\n[[rule]]\nmin-rate = "90%"', "It belongs under a"),
    ("[[rule]]\nmax-drop = 2", r"Did you mean 2pp \(0.02\)"),
    ('[[rule]]\nmax-drop = "two"', "a number of points"),
    ("[[rule]]\nmax-drop = true", "allowed is text in quotes"),
    ('missing = "bound"\n[[rule]]\nmax-drop = "2pp"', "Did you mean 'bounds'?"),
    ('unpaired = "yes"\n[[rule]]\nmax-drop = "2pp"', "true or false"),
    ('[rule]\nmax-drop = "2pp"', r"Write \[\[rule\]\] above each rule"),
    ("rule = [1]", r"Write \[\[rule\]\] above each rule"),
    ("[[rule]\nmax-drop = 2pp", "is no TOML"),
    ("a = " + "[" * 3_000, "is nested deeper than rules are"),
]


@pytest.mark.parametrize(("text", "message"), REFUSALS)
def test_refusals_name_the_key_and_the_one_that_was_meant(tmp_path: Path, text: str, message: str) -> None:
    if text == "[[rule]]\n":
        assert read_config(config(tmp_path, text)).rules == ({},)
        return
    with pytest.raises(LogError, match=message.replace("?", r"\?") if "\\" not in message else message):
        read_config(config(tmp_path, text))


def test_a_missing_file_says_how_to_write_one(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="evalgauge gate --init"):
        read_config(tmp_path / "evalgauge.toml")


def test_numbers_may_stand_without_quotes(tmp_path: Path) -> None:
    found = read_config(config(tmp_path, "confidence = 0.9\n[[rule]]\nmax-drop = 0.02\nrange = '0:100'"))
    assert found.options["confidence"] == 0.9
    assert found.rules == ({"max_drop": 0.02, "score_range": (0.0, 100.0)},)


def test_every_key_is_an_option_of_the_gate() -> None:
    from dataclasses import fields  # noqa: PLC0415

    from evalgauge.questions.gate import GateOptions, RuleOptions  # noqa: PLC0415

    names = {field.name for field in fields(GateOptions)}
    assert {field for field, _ in GATE_KEYS.values()} - {"baseline"} <= names
    assert {field for field, _ in RULE_KEYS.values()} <= {field.name for field in fields(RuleOptions)}
