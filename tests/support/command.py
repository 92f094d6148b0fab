"""Runs the command line inside the test process and gives back what a user sees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from evalgauge.cli import main

if TYPE_CHECKING:
    import pytest


class Seen(NamedTuple):
    """Exit code and both streams of one command."""

    code: int
    out: str
    err: str


class Command:
    """Run a command; ``json`` adds ``--json`` and parses the answer."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: object) -> Seen:
        code = main([str(word) for word in words])
        seen = self._capsys.readouterr()
        assert "Traceback" not in seen.err
        return Seen(code, seen.out, seen.err)

    def json(self, *words: object) -> dict[str, Any]:
        seen = self(*words, "--json")
        assert seen.code == 0, seen.err
        return json.loads(seen.out)

    def refusal(self, *words: object) -> str:
        seen = self(*words)
        assert seen.code == 2, seen.out
        assert seen.out == ""
        return seen.err
