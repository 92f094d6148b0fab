"""Two arms for coverage studies: populations of cases, and the product's choice of rule for many logs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.rules.paired_graded import FEWEST_MOVED
from evalgauge.stats.hull import hull_limits
from evalgauge.stats.paired_means import tie_aware_t_limits
from evalgauge.stats.paired_proportions import tango_limits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Limits = tuple[np.ndarray, np.ndarray]

# Spreads are lists of equally likely points, so that the truth of a population is a sum and carries no error.
UNIFORM = (np.arange(300) + 0.5) / 300
NORMAL = special.ndtri(UNIFORM)
SPREAD = 0.05 + 0.9 * UNIFORM


class Population(NamedTuple):
    """Cases that an eval is drawn from: the rate of each kind in both arms, and its share of the cases."""

    base: np.ndarray
    cand: np.ndarray
    share: np.ndarray

    @property
    def change(self) -> float:
        return float(self.share @ (self.cand - self.base))

    def flips(self) -> tuple[float, float]:
        """Return the chance that one run an arm makes a case a win, and a loss."""
        return float(self.share @ ((1 - self.base) * self.cand)), float(self.share @ (self.base * (1 - self.cand)))

    def deltas(self, stream: np.random.Generator, reps: int, size: tuple[int, ...]) -> np.ndarray:
        """Draw logs: the change of each case after its runs were averaged."""
        kind = stream.choice(self.share.size, p=self.share, size=size)
        return (stream.binomial(reps, self.cand[kind]) - stream.binomial(reps, self.base[kind])) / reps


def population(*parts: tuple[float, ArrayLike, ArrayLike]) -> Population:
    """Join kinds of cases, each a share of all and the rates (equally likely points) of its two arms."""
    columns: list[list[np.ndarray]] = [[], [], []]
    for share, base, cand in parts:
        rates = [np.ravel(rate) for rate in np.broadcast_arrays(np.atleast_1d(base), cand)]
        for column, values in zip(columns, (*rates, np.full(rates[0].size, share / rates[0].size)), strict=True):
            column.append(values)
    base, cand, share = (np.concatenate(column) for column in columns)
    return Population(base.astype(float), cand.astype(float), share / share.sum())


def effect(mean: float, sd: float) -> Population:
    """Case rates U(.05,.95) and an effect per case N(mean, sd), cut where the rate would leave 0 to 1."""
    rates = SPREAD[:, None]
    return population((1, rates, np.clip(rates + mean + sd * NORMAL, 0, 1)))


def breaks(share: float, rate: float = 0.98) -> Population:
    """Both arms pass a run with ``rate``; in the candidate a share of the cases fails always."""
    return population((1 - share, rate, rate), (share, rate, 0))


POPULATIONS = {
    "U(.05,.95), +.10 sd .15": effect(0.10, 0.15),
    "U(.05,.95), 0 sd .15": effect(0, 0.15),
    "identical arms": population((1, SPREAD, SPREAD)),
    # The 12 % that move are taken from the 18 % that are neither saturated nor hopeless.
    ".75 at 1, 12 % move +.3": population(
        (0.75, 1, 1), (0.07, 0, 0), (0.06, UNIFORM, UNIFORM), (0.12, UNIFORM, np.minimum(UNIFORM + 0.3, 1))
    ),
    "flips": population((0.833, 1, 1), (0.017, 1, 0), (0.06, 0, 1), (0.09, 0, 0)),
}
CEILING = {
    "both .98": population((1, 0.98, 0.98)),
    ".95 to .98": population((1, 0.95, 0.98)),
    ".9 at 1, Beta(7,3), identical": population((0.9, 1, 1), (0.1, *[special.betaincinv(7, 3, UNIFORM)] * 2)),
    ".98, 2 % mend": population((0.98, 0.98, 0.98), (0.02, 0, 0.98)),
    ".98, 2 % break": breaks(0.02),
    ".98, 5 % break": breaks(0.05),
}


def ordinary_limits(deltas: np.ndarray) -> tuple[Limits, Limits]:
    """Return the interval and the guarded interval that `paired_intervals` chooses for each log without clusters."""
    wins, losses = (deltas == 1).sum(axis=-1), (deltas == -1).sum(axis=-1)
    moved = np.count_nonzero(deltas, axis=-1)
    is_pass_fail, is_blind = moved == wins + losses, (moved < FEWEST_MOVED) | (np.ptp(deltas, axis=-1) <= 1e-12)
    t_low, t_high = (np.clip(end, -1, 1) for end in tie_aware_t_limits(deltas))
    hull_low, hull_high, _ = hull_limits(deltas)
    low, high = np.where(is_blind, hull_low, t_low), np.where(is_blind, hull_high, t_high)
    safe_low, safe_high = np.minimum(low, hull_low), np.maximum(high, hull_high)
    tango_low, tango_high = tango_limits(wins, losses, deltas.shape[-1])
    chosen = np.where(is_pass_fail, tango_low, low), np.where(is_pass_fail, tango_high, high)
    guarded = np.where(is_pass_fail, tango_low, safe_low), np.where(is_pass_fail, tango_high, safe_high)
    return chosen, guarded


def tables(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return wins and losses of every pass/fail log of ``n`` cases."""
    wins, losses = np.divmod(np.arange((n + 1) ** 2), n + 1)
    fits = wins + losses <= n
    return wins[fits], losses[fits]


def chance(wins: np.ndarray, losses: np.ndarray, n: int, win: float, loss: float) -> np.ndarray:
    """Return the trinomial chance of each log."""
    ties, stay = n - wins - losses, max(1 - win - loss, 0.0)
    log = special.gammaln(n + 1) - sum(special.gammaln(count + 1) for count in (wins, losses, ties))
    odds = ((wins, win), (losses, loss), (ties, stay))
    return np.exp(log + sum(special.xlogy(count, share) for count, share in odds))
