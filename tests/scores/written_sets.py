"""Sets of texts like real ones: articles, and insults with copies under one long template."""

from __future__ import annotations

import numpy as np

_PARTS = ("ka", "lo", "mi", "ne", "ru", "sto", "ta", "vel", "win", "zo", "bra", "del", "fin", "gor", "hum", "jas")


def words(count: int, *, seed: int) -> list[str]:
    """Return words as uneven in use as those of a language."""
    random = np.random.default_rng(seed)
    drawn = np.minimum(random.zipf(1.3, count), 3_000)
    return [_PARTS[rank % 16] + _PARTS[rank // 16 % 16] + _PARTS[rank // 256 % 16] for rank in drawn.tolist()]


def articles(count: int, *, seed: int = 5) -> list[str]:
    """Return texts of 30 to 120 words."""
    lengths = np.random.default_rng(seed).integers(30, 120, count).tolist()
    return [" ".join(words(length, seed=1_000 * seed + at)) for at, length in enumerate(lengths)]


def insults() -> list[str]:
    """Return 814 texts, 799 of them distinct, that share their first 1,024 characters."""
    template = ("You are an expert in political rhetoric. Say whether the post is an insult. " * 14)[:1_017] + " Text: "
    distinct = [" ".join(words(12 + at % 30, seed=at)) for at in range(799)]
    texts = [*distinct, *distinct[:13], *distinct[100:101] * 2]
    return [template + text for text in texts]


def retold(text: str, template: int, number: int) -> str:
    """Return a text as another version of an eval asks it."""
    return (
        text,
        f"Item {number}. Below is a news article.\n\n{text}\n\nDoes it describe something new?",
        f"Read, then judge. {text.upper()}",
    )[template]
