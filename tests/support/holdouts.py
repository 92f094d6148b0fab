"""A registered set and what its ledger says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from support.sets import asked_texts

if TYPE_CHECKING:
    from support.command import Command

N = 200
TEXTS = asked_texts(N, seed=1)


def card(command: Command) -> dict[str, Any]:
    return command.json("ledger", "status", "support")["cards"][0]


def rows(command: Command) -> list[dict[str, Any]]:
    return command.json("ledger", "history", "support")["rows"]
