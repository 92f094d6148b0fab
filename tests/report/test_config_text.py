"""Rules as a file: what was written is read back as the same rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evalgauge.formats.gate_config import read_config
from evalgauge.questions.gate import GateOptions
from evalgauge.report.config_text import config_text

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "options",
    [
        {"max_drop": 0.02},
        {"max_drop": 0.02, "min_rate": 0.9, "by": 'a "topic"', "slice_drop": 0.1, "confidence": 0.9},
        {"case_rate": 0.8, "missing": "fail", "allow_blind": True, "min_scored": 0.5, "metric": "ü\\n"},
        {
            "better_than": 0.0,
            "unpaired": True,
            "columns": {"case": "id"},
            "wide_arms": ("a", "b"),
            "score_range": (0, 10),
        },
    ],
)
def test_a_file_says_what_the_options_say(options: dict[str, Any], tmp_path: Path) -> None:
    asked = GateOptions(**options)
    path = tmp_path / "evalgauge.toml"
    path.write_text(config_text(asked), "utf-8")
    found = read_config(path)
    told = {**found.options, **found.rules[0]}
    assert GateOptions(**told) == asked
    assert len(found.rules) == 1
