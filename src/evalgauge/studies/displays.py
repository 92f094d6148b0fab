"""What a holdout shows of a candidate, and when a tuner keeps one: the display rules that are studied."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError
from evalgauge.studies.results import RULES

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.studies.results import DisplayRule

Whole: TypeAlias = NDArray[np.int64]
Flags: TypeAlias = NDArray[np.bool_]
# One-sided 1 %.
GATE_Z = 2.33


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One edit in many climbs at once.

    Attributes
    ----------
    n
        Cases of the holdout.
    before, after
        Passes of the incumbent and of the candidate.
    wins, losses
        Cases that only the candidate, and only the incumbent, passes.
    train
        Passes of the candidate on as many training cases; only thresholdout looks at them.
    """

    n: int
    before: Whole
    after: Whole
    wins: Whole
    losses: Whole
    train: Whole | None = None


class Display:
    """A display rule with what it remembers of each climb.

    Parameters
    ----------
    rule
        ``"exact"`` score, ``"rounded"`` to the step, ``"ladder"`` (only gains beyond the step are shown),
        ``"free-ladder"`` (gains beyond their own standard error), ``"thresholdout"`` (the training score unless it is
        far off), or ``"pass-fail"`` (paired z against the incumbent of 2.33 or more).
    n
        Cases of the holdout.
    step
        Step of rounding and of the ladder, a share.
    stream
        Noise of thresholdout.

    Raises
    ------
    ArgumentError
        If the rule is unknown or the step is not above 0.

    References
    ----------
    Blum and Hardt 2015 (Ladder, parameter-free Ladder); Dwork et al. 2015, Science 349, 636-638 (Thresholdout).
    """

    def __init__(self, rule: DisplayRule, *, n: int, step: float, stream: np.random.Generator) -> None:
        if rule not in RULES:
            raise ArgumentError("display rule", rule, ", ".join(RULES))
        if not 0 < step < 1:
            raise ArgumentError("step", step, "points above 0, such as 1pp (0.01)")
        self.rule, self.n, self.step, self._stream = rule, n, step, stream
        keeps: dict[DisplayRule, Callable[[Move], Flags]] = {
            "exact": self._exact,
            "rounded": self._rounded,
            "ladder": self._ladder,
            "free-ladder": self._free_ladder,
            "thresholdout": self._thresholdout,
            "pass-fail": self._gate,
        }
        self._keeps = keeps[rule]
        self._shown: NDArray[np.float64] = np.empty(0)
        self._gap: NDArray[np.float64] = np.empty(0)

    @property
    def needs_training(self) -> bool:
        """Whether the rule compares with training cases."""
        return self.rule == "thresholdout"

    def start(self, passes: Whole, train: Whole | None = None) -> None:
        """Show the first candidate of each climb."""
        self._shown = self._rounds(passes)
        if train is not None:
            self._gap = self._stream.laplace(0.0, 2 / math.sqrt(self.n), passes.shape)
            self._shown = self._noisy(train, passes)

    def keeps(self, move: Move) -> Flags:
        """Return in which climbs the candidate looks better, so that a tuner keeps it."""
        return self._keeps(move)

    def _rounds(self, passes: Whole) -> NDArray[np.float64]:
        return np.floor(passes / self.n / self.step + 0.5) * self.step

    @staticmethod
    def _exact(move: Move) -> Flags:
        return move.after > move.before

    def _rounded(self, move: Move) -> Flags:
        return self._rounds(move.after) > self._rounds(move.before) + self.step / 2

    def _ladder(self, move: Move) -> Flags:
        kept = move.after / self.n > self._shown + self.step
        self._shown = np.where(kept, self._rounds(move.after), self._shown)
        return kept

    @staticmethod
    def _free_ladder(move: Move) -> Flags:
        changed, gain = move.wins + move.losses, move.wins - move.losses
        sd = np.sqrt(np.maximum(changed - gain * gain / move.n, 0.0))
        return gain > sd

    @staticmethod
    def _gate(move: Move) -> Flags:
        changed, gain = move.wins + move.losses, move.wins - move.losses
        return (changed > 0) & (gain >= GATE_Z * np.sqrt(changed))

    def _thresholdout(self, move: Move) -> Flags:
        train = move.after if move.train is None else move.train
        shown = self._noisy(train, move.after)
        kept = shown > self._shown
        self._shown = np.where(kept, shown, self._shown)
        return kept

    def _noisy(self, train: Whole, passes: Whole) -> NDArray[np.float64]:
        unit = 1 / math.sqrt(self.n)
        gap = np.abs(train - passes) / self.n
        far = gap > 4 * unit + self._gap + self._stream.laplace(0.0, 4 * unit, passes.shape)
        self._gap = np.where(far, self._stream.laplace(0.0, 2 * unit, passes.shape), self._gap)
        return np.where(far, passes / self.n + self._stream.laplace(0.0, unit, passes.shape), train / self.n)
