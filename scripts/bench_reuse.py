"""The best of k: the critical value by the covariance route, as a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bench_clock import here, interleaved
from bench_rows import Bound, Row
from evalgauge.stats.multiplier import max_t

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from bench_clock import Settings

CANDIDATES, CASES, DRAWS = 1_000, 10_000, 10_000
# Multipliers at a time, so that the plain product fits into memory.
BLOCK = 1_000
MOST_OF_PRODUCT, MOST_OF_FLOOR = 0.2, 0.3


def score_matrix() -> NDArray[np.int8]:
    """Return pass/fail scores of candidates that agree on about half of what they get wrong."""
    stream = np.random.default_rng(1)
    shared = stream.random((CASES, 1)) < 0.8
    own = stream.random((CASES, CANDIDATES)) < 0.8
    return np.where(stream.random((CASES, CANDIDATES)) < 0.5, shared, own).astype(np.int8)


def plain_product(scores: NDArray[np.int8]) -> float:
    """Return the critical value as the textbook has it: multipliers times studentised scores."""
    stream = np.random.default_rng(2)
    scaled = (scores - scores.mean(axis=0)) / (scores.std(axis=0) * np.sqrt(CASES))
    highest = [(stream.standard_normal((BLOCK, CASES)) @ scaled).max(axis=1) for _ in range(DRAWS // BLOCK)]
    return float(np.quantile(np.concatenate(highest), 0.975))


def rows(settings: Settings) -> list[Row]:
    """Return the row of this part."""
    scores = score_matrix()
    half = np.random.default_rng(3).standard_normal((BLOCK, CASES), dtype=np.float32)
    single = scores.astype(np.float32)

    def product_alone() -> None:
        for _ in range(DRAWS // BLOCK):
            half @ single

    found = interleaved(
        {
            "project": here(lambda: max_t(scores, draws=DRAWS)),
            "product": here(lambda: plain_product(scores)),
            "floor": here(product_alone),
        },
        settings.repeats,
    )
    job = f"critical value of the best of {CANDIDATES:,}, {CASES:,} cases, {DRAWS:,} draws"
    of_product, of_floor = found["project"] / found["product"], found["project"] / found["floor"]
    return [
        Row(
            job=job,
            project=found["project"],
            peer_name="NumPy, multipliers × scores",
            peer=found["product"],
            goal=Bound(text="≤ 1/5 of the product", measured=of_product, bound=MOST_OF_PRODUCT, side="at most"),
            limit=Bound(
                text="≤ 0.3 × its product in single precision", measured=of_floor, bound=MOST_OF_FLOOR, side="at most"
            ),
            why="idle threads of the matrix library wait at full speed while numbers are drawn; .27 with one thread",
        )
    ]
