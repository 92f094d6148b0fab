"""The law of what one pass/fail case shows, and every log that n such cases can make, with its chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.stats.binomial import pass_chances
from evalgauge.stats.lattice import (
    multinomial_chances,
    multisets,
    n_multisets,
    pair_shape,
    pair_sum_law,
    sum_law,
)
from evalgauge.studies.logs import Logs, logs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.studies.cases import RatePoints
    from evalgauge.studies.interval_rules import Reads

    Array: TypeAlias = NDArray[np.float64]
    Whole: TypeAlias = NDArray[np.int64]

ExactRoute: TypeAlias = Literal["listed", "fourier"]
# Up to so many logs, and cases in them, all are graded one by one.
_MOST_LISTED, _MOST_LISTED_CELLS = 40_000, 4_000_000
# Up to so many pairs of sums their joint law is taken, in some 50 MB.
_MOST_PAIRS = 2_000_000
_MOST_SUMS = 4_000_000
# An outcome with a smaller chance is never seen.
_NEVER = 1e-18


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OutcomeLaw:
    """What one case shows.

    Attributes
    ----------
    base, cand
        Passes in each arm of each outcome; ``cand`` is ``None`` for one score.
    masses
        Chance of each outcome; adds up to 1.
    reps
        Runs of a case in each arm.
    truth
        Mean of the case's value: its score, or its change.
    """

    base: Whole
    cand: Whole | None
    masses: Array
    reps: int
    truth: float

    @property
    def paired(self) -> bool:
        """Whether there are two arms."""
        return self.cand is not None

    @property
    def steps(self) -> Whole:
        """Value of each outcome in passes."""
        return self.base if self.cand is None else self.cand - self.base

    def by_step(self) -> tuple[Whole, Array]:
        """Return the values in passes that can be seen, and their chances."""
        least = -self.reps if self.paired else 0
        masses = np.bincount(self.steps - least, weights=self.masses)
        seen = np.flatnonzero(masses > _NEVER)
        return seen + least, masses[seen] / masses[seen].sum()


def outcome_law(points: RatePoints, reps: int, *, paired: bool) -> OutcomeLaw:
    """Return the law of what one case of a population shows.

    Parameters
    ----------
    points
        The population.
    reps
        Runs in each arm.
    paired
        Whether both arms run the case, independently given its rates.

    Examples
    --------
    >>> from evalgauge.studies.cases import RatePoints
    >>> half = RatePoints(base=np.array([0.5]), cand=np.array([0.5]), share=np.ones(1))
    >>> outcome_law(half, 1, paired=True).by_step()[1].tolist()
    [0.25, 0.5, 0.25]
    """
    if not paired:
        masses = points.share @ pass_chances(reps, points.base)
        seen = np.flatnonzero(masses > _NEVER)
        return OutcomeLaw(base=seen, cand=None, masses=masses[seen] / masses.sum(), reps=reps, truth=points.rate)
    # A grid of points holds each baseline rate many times: what its candidates show is summed first.
    rates, where = np.unique(points.base, return_inverse=True)
    order = np.argsort(where, kind="stable")
    shown = points.share[order, np.newaxis] * pass_chances(reps, points.cand[order])
    starts = np.searchsorted(where[order], np.arange(rates.size))
    joint = pass_chances(reps, rates).T @ np.add.reduceat(shown, starts, axis=0)
    one, two = np.nonzero(joint > _NEVER)
    return OutcomeLaw(base=one, cand=two, masses=joint[one, two] / joint.sum(), reps=reps, truth=points.change)


def exact_logs(law: OutcomeLaw, n: int, reads: Reads) -> tuple[Logs | None, ExactRoute]:
    """Return every log of n cases with its chance, as far as a rule reads it; nothing where there are too many.

    Parameters
    ----------
    law
        What one case shows.
    n
        Cases.
    reads
        What the rule needs to know of a log.

    Examples
    --------
    >>> from evalgauge.studies.cases import RatePoints
    >>> half = RatePoints(base=np.array([0.5]), cand=np.array([0.5]), share=np.ones(1))
    >>> logs, route = exact_logs(outcome_law(half, 1, paired=False), 2, "mean")
    >>> logs.mean.tolist(), logs.weights.round(6).tolist(), route
    ([0.0, 0.5, 1.0], [0.25, 0.5, 0.25], 'fourier')
    """
    if reads == "mean":
        return _by_sum(law, n), "fourier"
    if reads == "arms":
        return _by_arms(law, n), "fourier"
    steps, masses = law.by_step()
    if reads == "squares":
        return _by_sums_of_squares(law, n, steps, masses), "fourier"
    logs = n_multisets(n, steps.size)
    is_listed = logs <= _MOST_LISTED and logs * n <= _MOST_LISTED_CELLS
    return (_listed(law, n, steps, masses) if is_listed else None), "listed"


def _listed(law: OutcomeLaw, n: int, steps: Whole, masses: Array) -> Logs:
    counts = multisets(n, steps.size)
    values = np.repeat(np.tile(steps / law.reps, len(counts)), counts.ravel()).reshape(len(counts), n)
    chances = multinomial_chances(counts, masses)
    return logs_of(values, reps=law.reps, paired=law.paired, truth=law.truth, weights=chances)


def _by_sum(law: OutcomeLaw, n: int) -> Logs | None:
    steps, masses = law.by_step()
    first, last = int(steps.min()), int(steps.max())
    if n * (last - first) > _MOST_SUMS:
        return None
    table = np.zeros(last - first + 1)
    table[steps - first] = masses
    chances = sum_law(table, n)
    seen = np.flatnonzero(chances > 0)
    return Logs(
        n=n,
        reps=law.reps,
        paired=law.paired,
        mean=(seen + n * first) / (n * law.reps),
        squares=np.full(seen.size, np.nan),
        whole=np.zeros(seen.size, dtype=np.bool_),
        truth=law.truth,
        weights=chances[seen],
    )


def _by_arms(law: OutcomeLaw, n: int) -> Logs | None:
    base, cand = law.base, law.cand
    if cand is None or np.prod(pair_shape(base, cand, n)) > _MOST_PAIRS:
        return None
    one, two, chances = pair_sum_law(base, cand, law.masses, n)
    arms = one / (n * law.reps), two / (n * law.reps)
    return Logs(
        n=n,
        reps=law.reps,
        paired=True,
        mean=(two - one) / (n * law.reps),
        squares=np.full(one.size, np.nan),
        whole=np.zeros(one.size, dtype=np.bool_),
        arms=arms,
        truth=law.truth,
        weights=chances,
    )


def _by_sums_of_squares(law: OutcomeLaw, n: int, steps: Whole, masses: Array) -> Logs | None:
    least = -law.reps if law.paired else 0
    # k and k² are odd or even together, so (k² - k)/2 is whole and halves the table.
    first, second = steps - least, (steps * steps - steps) // 2
    if np.prod(pair_shape(first, second, n)) > _MOST_PAIRS:
        return None
    one, two, chances = pair_sum_law(first, second, masses, n)
    total = one + n * least
    squares = 2 * two + total
    # Rounding can put a speck of mass on sums that no log has.
    possible = n * squares >= total * total
    total, squares, chances = total[possible], squares[possible], chances[possible]
    scale = float(n * law.reps * law.reps)
    return Logs(
        n=n,
        reps=law.reps,
        paired=law.paired,
        mean=total / (n * law.reps),
        squares=(n * squares - total * total) / scale,
        # k² reaches R·|k| only where every case passes or fails as a whole; read for one score alone.
        whole=squares == law.reps * total,
        truth=law.truth,
        weights=chances,
    )
