"""Every pattern of ours reads a long nonsense text in a time that grows with its length and not with its square."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from functools import cache
from typing import Any

import pytest

import evalgauge

LETTERS = 12_000
PARTS = ["1", "a", "A", " ", "\n", "{", "[", '"', "-", "_", "\\", "1.", "1,", "1_", "1-", "a.", "A_", "a ", "[1/", "a,"]
PARTS += ["{ ", "[ ", '{"a":', "data:", "/", ";a", "Error", "x(1)", "1e", "{{ ", "model=", "é", "<!--", "<?"]


@cache
def patterns() -> dict[str, re.Pattern[Any]]:
    found: dict[str, re.Pattern[Any]] = {}
    for module in pkgutil.walk_packages(evalgauge.__path__, "evalgauge."):
        if module.name.endswith(("__main__", "pytest_plugin")):
            continue
        for name, value in vars(importlib.import_module(module.name)).items():
            for place, one in enumerate(value if isinstance(value, tuple) else (value,)):
                if isinstance(one, re.Pattern):
                    found[f"{module.name}.{name}.{place}"] = one
    return found


def test_patterns_are_found() -> None:
    assert len(patterns()) > 50


@pytest.mark.parametrize("part", PARTS)
def test_no_text_takes_a_pattern_long(part: str) -> None:
    text = part * (LETTERS // len(part))
    slow: dict[str, float] = {}
    for name, pattern in patterns().items():
        for words in (text, f"{text}!", "{" + text, f"[ {text}"):
            subject: Any = words.encode() if isinstance(pattern.pattern, bytes) else words
            start = time.process_time()
            pattern.match(subject)
            pattern.fullmatch(subject)
            # Linear time is a thousandth of this; the square of the length is above it.
            if (took := time.process_time() - start) > 0.5:
                slow[name] = took
    assert not slow
