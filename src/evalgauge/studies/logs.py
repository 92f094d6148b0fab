"""Many simulated logs at once, as the arrays that interval rules read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[np.float64]
    Limits: TypeAlias = tuple[Array, Array]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Logs:
    """Logs of one design. A case's value is its mean over reps, or for two arms the change of that mean.

    Attributes
    ----------
    n, reps
        Cases, and runs of each case in each arm.
    paired
        Whether values are changes.
    mean
        Mean value of each log.
    squares
        Squared deviations of the values from that mean, summed; NaN where the logs are known by their means alone.
    whole
        Whether every value is at an end of what is possible, or 0: each case passes or fails (or flips) as a whole.
        False where that is not known.
    values
        Logs × cases; ``None`` where the law of the sums stands for the logs.
    arms
        Mean score of the baseline and of the candidate.
    sizes
        Cases of each cluster, side by side in ``values``; ``None`` where cases are independent.
    truth
        What an interval should hold: one number, or one per log where the target is exactly its cases.
    weights
        Chance of each log; ``None`` where all logs count alike because they were drawn.
    """

    n: int
    reps: int
    paired: bool
    mean: Array
    squares: Array
    whole: NDArray[np.bool_]
    values: Array | None = None
    arms: tuple[Array, Array] | None = None
    sizes: Array | None = None
    truth: float | Array = 0.0
    weights: Array | None = None

    @property
    def case_values(self) -> Array:
        """Values per log and case."""
        if self.values is None:
            raise LookupError("these logs are known by their sums alone")
        return self.values

    @property
    def lowest(self) -> float:
        """Least possible value: 0, or −1 for changes."""
        return -1.0 if self.paired else 0.0


def logs_of(
    values: Array,
    *,
    reps: int,
    paired: bool,
    truth: float | Array,
    weights: Array | None = None,
    sizes: Array | None = None,
    arms: tuple[Array, Array] | None = None,
) -> Logs:
    """Return logs from their values per case.

    Parameters
    ----------
    values
        Logs × cases: case means, or changes of them, shares.
    reps, paired, truth, weights, sizes, arms
        As in :class:`Logs`.

    Examples
    --------
    >>> logs = logs_of(np.array([[1.0, 0.0], [0.5, 0.5]]), reps=2, paired=False, truth=0.5)
    >>> logs.mean.tolist(), logs.squares.tolist(), logs.whole.tolist()
    ([0.5, 0.5], [0.5, 0.0], [True, False])
    """
    mean = values.mean(axis=-1)
    away = values - mean[:, np.newaxis]
    return Logs(
        n=values.shape[-1],
        reps=reps,
        paired=paired,
        mean=mean,
        squares=np.einsum("ij,ij->i", away, away),
        whole=(values == np.rint(values)).all(axis=-1),
        values=values,
        arms=arms,
        sizes=sizes,
        truth=truth,
        weights=weights,
    )
