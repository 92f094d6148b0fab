"""Ranks hold for all arms at once, whatever the true order: seeded studies, all arms equal among them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from evalgauge.rules.ranking import ranking

pytestmark = pytest.mark.slow

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """One kind of leaderboard: k arms on n cases, how their luck correlates, how good they are, how they are scored."""

    k: int
    n: int
    correlation: float
    truth: str
    scored: str = "pass-fail"

    @property
    def runs(self) -> int:
        """Leaderboards that are drawn; fewer where each takes long."""
        return 1_000 if self.k <= 10 else 250

    @property
    def rates(self) -> np.ndarray:
        """True mean score of each arm."""
        if self.truth == "equal":
            return np.full(self.k, 0.8)
        if self.truth == "spread":
            return np.linspace(0.6, 0.9, self.k)
        if self.truth == "near the top":
            return np.full(self.k, 0.97)
        # Two levels: ties inside each, and a gap between them.
        return np.where(np.arange(self.k) < self.k // 2, 0.85, 0.7)

    def drawn(self, stream: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
        """Return scores of one run, and clusters."""
        clusters = None
        shape = (self.n, self.k)
        common = stream.random((self.n, 1))
        if self.scored == "clusters":
            clusters = np.arange(self.n) // 5
            common = common[clusters]
        is_shared = stream.random(shape) < math.sqrt(self.correlation)
        if self.scored == "clusters":
            # A cluster moves each arm in its own way, so that its cases err together in every difference.
            whole = stream.random((self.n, self.k))[clusters]
            luck = np.where(is_shared, whole, stream.random(shape))
            return (luck < self.rates).astype(float), clusters
        luck = np.where(is_shared, common, stream.random(shape))
        if self.scored == "graded":
            # Mean of the rate and a skew law on 0 to 1 with the same mean.
            return np.where(luck < self.rates, stream.beta(9, 1, shape), stream.beta(1, 9, shape)), None
        if self.scored == "reps":
            return (luck < self.rates) * 0.5 + (stream.random(shape) < self.rates) * 0.5, None
        return (luck < self.rates).astype(float), None


BOARDS = [
    Board(k=2, n=100, correlation=0.5, truth="equal"),
    Board(k=5, n=50, correlation=0.5, truth="equal"),
    Board(k=5, n=200, correlation=0.9, truth="equal"),
    Board(k=5, n=200, correlation=0.0, truth="spread"),
    Board(k=10, n=100, correlation=0.5, truth="equal"),
    Board(k=10, n=100, correlation=0.5, truth="near the top"),
    Board(k=10, n=400, correlation=0.5, truth="two levels"),
    Board(k=10, n=1_000, correlation=0.5, truth="spread"),
    Board(k=40, n=200, correlation=0.5, truth="equal"),
    Board(k=40, n=500, correlation=0.9, truth="two levels"),
    Board(k=5, n=100, correlation=0.5, truth="equal", scored="graded"),
    Board(k=5, n=100, correlation=0.5, truth="equal", scored="reps"),
    Board(k=25, n=100, correlation=0.5, truth="equal", scored="graded"),
    Board(k=25, n=200, correlation=0.5, truth="two levels", scored="reps"),
    Board(k=5, n=300, correlation=0.3, truth="equal", scored="clusters"),
    Board(k=25, n=300, correlation=0.3, truth="equal", scored="clusters"),
]


@pytest.mark.parametrize("board", BOARDS, ids=str)
def test_ranks_of_all_arms_hold_together(board: Board) -> None:
    stream = np.random.default_rng([board.k, board.n, int(10 * board.correlation), len(board.truth), len(board.scored)])
    rates = board.rates
    is_no_better = rates[:, None] <= rates
    held = together = shown = 0
    for run in range(board.runs):
        scores, clusters = board.drawn(stream)
        found = ranking(scores, clusters=clusters, confidence=CONFIDENCE, seed=run)
        # A rank is wrong exactly where an arm is shown to be better than one that is as good.
        held += not (found.sets.shown & is_no_better).any()
        together += bool(((found.together[0] <= rates) & (rates <= found.together[1])).all())
        shown += found.n_shown
        best, worst = 1 + (rates > rates[:, None]).sum(axis=1), board.k - (rates < rates[:, None]).sum(axis=1)
        if not (found.sets.shown & is_no_better).any():
            assert (found.sets.best <= best).all()
            assert (found.sets.worst >= worst).all()
    error = math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / board.runs)
    assert held / board.runs > CONFIDENCE - 4 * error
    if board.scored != "graded":
        # Graded scores here have another mean than their rate.
        assert together / board.runs > CONFIDENCE - 4 * error
    if board.truth == "two levels":
        assert shown > 0
