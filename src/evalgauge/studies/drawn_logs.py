"""Simulated logs, drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.studies.logs import Logs, logs_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from evalgauge.studies.cases import Cases
    from evalgauge.studies.exact_logs import OutcomeLaw

    Array: TypeAlias = NDArray[np.float64]

_BUCKETS = 4_096


def draw_lattice(stream: np.random.Generator, size: int, *, law: OutcomeLaw, n: int, with_arms: bool) -> Logs:
    """Draw logs of n cases from the law of what one case shows.

    Parameters
    ----------
    stream
        Where the randomness comes from.
    size
        Logs.
    law
        What one case shows.
    n
        Cases of a log.
    with_arms
        Whether the mean of each arm is needed; the change alone has a shorter law.
    """
    if with_arms and law.cand is not None:
        picks = picked(stream.random((size, n)), law.masses)
        arms = tuple((passes / law.reps)[picks] for passes in (law.base, law.cand))
        return logs_of(
            arms[1] - arms[0],
            reps=law.reps,
            paired=True,
            truth=law.truth,
            arms=(arms[0].mean(axis=-1), arms[1].mean(axis=-1)),
        )
    steps, masses = law.by_step()
    picks = picked(stream.random((size, n)), masses)
    return logs_of((steps / law.reps)[picks], reps=law.reps, paired=law.paired, truth=law.truth)


def picked(uniform: Array, masses: Array) -> NDArray[np.intp]:
    """Return which of the outcomes each uniform number stands for.

    A table says where to start looking, so that most numbers need one look, whatever the number of outcomes.

    Parameters
    ----------
    uniform
        Numbers from 0 to below 1, any shape.
    masses
        Chance of each outcome.

    Examples
    --------
    >>> picked(np.array([0.1, 0.25, 0.9]), np.array([0.25, 0.5, 0.25])).tolist()
    [0, 1, 2]
    """
    ends = np.cumsum(masses)
    # No number may fall beyond the last outcome by rounding.
    ends[-1] = 1.0
    guide = np.searchsorted(ends, np.arange(_BUCKETS) / _BUCKETS, side="right")
    picks = guide[(uniform * _BUCKETS).astype(np.int32)]
    short = uniform >= ends[picks]
    picks[short] = np.searchsorted(ends, uniform[short], side="right")
    return picks


def draw_cases(
    stream: np.random.Generator, size: int, *, cases: Cases, n: int, reps: int, paired: bool, these_cases: bool
) -> Logs:
    """Draw cases first and then their runs, so that the truth of exactly these cases is known.

    Parameters
    ----------
    stream, size, n
        As in :func:`draw_lattice`.
    cases
        The population.
    reps, paired
        Runs of a case in each arm, and whether there are two.
    these_cases
        Whether the truth is that of each log's own cases.
    """
    base, cand = cases.draw(stream, (size, n))
    first = cases.run(stream, base, reps)
    if not paired:
        truth = base.mean(axis=-1) if these_cases else cases.rate
        sizes = None if cases.sizes is None else np.asarray(cases.sizes, dtype=np.float64)
        return logs_of(first, reps=reps, paired=False, truth=truth, sizes=sizes)
    second = cases.run(stream, cand, reps)
    return logs_of(
        second - first,
        reps=reps,
        paired=True,
        truth=(cand - base).mean(axis=-1) if these_cases else cases.change,
        arms=(first.mean(axis=-1), second.mean(axis=-1)),
    )
