"""Leaderboards: all pairs of many arms, and the whole board, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from bench_clock import here, interleaved
from bench_reuse import CANDIDATES, CASES, score_matrix
from bench_rows import Bound, Row
from evalgauge.rules.ranking import ranked_pairs, ranking
from evalgauge.stats.all_pairs import all_pairs

if TYPE_CHECKING:
    from bench_clock import Settings

PAIRS = CANDIDATES * (CANDIDATES - 1) // 2
# The loop is timed on so many pairs and scaled to all of them: all would take minutes a round.
LOOPED = 500
LEAST_OF_LOOP, MOST_OF_PRODUCT, MOST_SECONDS = 500.0, 2.0, 2.0


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    whole = score_matrix()
    scores = whole.astype(np.float64)
    single = whole.astype(np.float32)
    columns = np.ascontiguousarray(scores.T)

    def loop() -> None:
        for other in range(1, LOOPED + 1):
            stats.ttest_rel(columns[0], columns[other])

    def board() -> None:
        found = ranking(scores)
        ranked_pairs(found, found.order[:20])

    found = interleaved(
        {
            "pairs": here(lambda: all_pairs(whole)),
            "loop": here(loop),
            "product": here(lambda: single.T @ single),
            "board": here(board),
        },
        settings.repeats,
    )
    looped = found["loop"] * PAIRS / LOOPED
    size = f"{CANDIDATES:,} arms, {CASES:,} cases"
    peer = f"scipy.stats.ttest_rel in a loop, scaled from {LOOPED} pairs"
    return [
        Row(
            job=f"statistics of all {PAIRS:,} pairs of {size}",
            project=found["pairs"],
            peer_name=peer,
            peer=looped,
            goal=Bound(
                text="≥ 500 × less than the loop",
                measured=looped / found["pairs"],
                bound=LEAST_OF_LOOP,
                side="at least",
            ),
            limit=Bound(
                text="≤ 2 × one product in single precision",
                measured=found["pairs"] / found["product"],
                bound=MOST_OF_PRODUCT,
                side="at most",
            ),
            why="the scores are checked to be 0 or 1 and made single, and half a million pairs are put together",
        ),
        Row(
            job=f"leaderboard of {size}: ranks, groups, intervals, Holm",
            project=found["board"],
            peer_name=peer,
            peer=looped,
            limit=Bound(text="≤ 2 core-s after reading", measured=found["board"], bound=MOST_SECONDS, side="at most"),
        ),
    ]
