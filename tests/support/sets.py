"""Eval sets with texts, and logs of candidates on them, as users have them."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

_WORDS = [
    f"{stem}{ending}"
    for stem in ("ba", "co", "di", "fu", "ga", "ho", "ki")
    for ending in ("lt", "mp", "nd", "rk", "st")
]
_WORDS += [f"{one}{two}" for one in ("pre", "un", "over", "out") for two in _WORDS]


def asked_texts(n: int, seed: int, words: int = 18) -> list[str]:
    """Return what a set asks: so many different texts."""
    draw = random.Random(seed)  # noqa: S311 - test data
    return [" ".join(draw.choices(_WORDS, k=words)) + f" {seed}-{number}" for number in range(n)]


def log_of(
    path: Path,
    texts: Sequence[str],
    passes: Callable[[int], bool],
    *,
    arm: str = "base",
    ids: Sequence[str] | None = None,
    template: str = "{}",
    name: str = "",
) -> Path:
    """Write a log of one candidate: JSON Lines with an input a case."""
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            row = {"case": ids[number] if ids else f"q{number}", "input": template.format(text), "target": "yes"}
            row |= {"arm": arm, "score": int(passes(number))}
            if name:
                row["set"] = name
            file.write(json.dumps(row) + "\n")
    return path


def coin(share: float, seed: int, n: int = 100_000) -> Callable[[int], bool]:
    """Return a candidate that passes this share of the cases, by a seed."""
    draw = random.Random(seed)  # noqa: S311 - test data
    results = [draw.random() < share for _ in range(n)]
    return results.__getitem__
