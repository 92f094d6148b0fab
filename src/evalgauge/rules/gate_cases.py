"""Every case on its own: which of them are shown to pass too few of their reps, all together at one error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_whole
from evalgauge.stats.power import reference_edge, reference_power

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evalgauge.rules.missing import MissingPolicy
    from evalgauge.rules.paired_missing import ArmRuns

    Flags: TypeAlias = NDArray[np.bool_]
    Counts: TypeAlias = NDArray[np.int64]

# Chance that is asked of a rule before it is said to see something.
_USUAL_POWER = 0.8
_HALVINGS = 40
_MOST_REPS = 10_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseAlarms:
    """What a rule over the reps of every case found.

    Attributes
    ----------
    is_broken
        Per case whether it is shown to pass less often than it should.
    is_open
        Per case whether its missing runs decide.
    is_blind
        Per case whether its reps are too few to show anything, were all of them failures.
    fires_at
        The most passes with which a case that was run as often as most is shown to be broken, at the first step of the
        procedure; −1 where none are few enough.
    visible_rate
        True pass rate below which such a case is found with a chance of 80 %; ``None`` where it never is.
    reps
        How often most cases were run.
    """

    is_broken: Flags
    is_open: Flags
    is_blind: Flags
    fires_at: int
    visible_rate: float | None
    reps: int


def case_alarms(runs: ArmRuns, *, rate: float, error: float, policy: MissingPolicy = "bounds") -> CaseAlarms:
    """Answer "which cases pass less than this share of their runs?", at one error for all cases together.

    A case is shown to be broken where the exact upper bound of its pass rate lies below ``rate``. The bounds are taken
    at the error shared by Holm's procedure over the cases. A plain count ("8 of 10 must pass") has no such share: of
    fifty healthy cases that pass 90 % of their runs, some one fails it in 97 % of all evals.

    Parameters
    ----------
    runs
        Passed, scored and planned runs of each case; scores are 0 or 1.
    rate
        Share of its runs that every case should pass, strictly between 0 and 1.
    error
        One-sided chance of any false alarm over all cases, a share.
    policy
        What a missing run counts as; with ``"bounds"`` a case is broken only where it is so whatever they were.

    Raises
    ------
    ArgumentError
        If ``rate`` is not strictly between 0 and 1, or a count is impossible.

    References
    ----------
    Clopper and Pearson 1934, Biometrika 26, 404-413; Holm 1979.

    Examples
    --------
    >>> from evalgauge.rules.paired_missing import ArmRuns
    >>> passed = [10] * 49 + [0]
    >>> found = case_alarms(ArmRuns(sums=passed, scored=[10] * 50, planned=[10] * 50), rate=0.8, error=0.05)
    >>> int(found.is_broken.sum()), found.fires_at
    (1, 3)
    """
    if not 0 < rate < 1:
        raise ArgumentError("rate", rate, "a share strictly between 0 and 1, such as 0.8")
    size = np.asarray(runs.scored).size
    scored = checked_whole(runs.scored, "scored", least=0, size=size)
    planned = checked_whole(runs.planned, "planned", least=1, size=size)
    passed = checked_whole(runs.sums, "sums", least=0, size=size)
    tried = scored if policy == "drop" else planned
    most = passed + (planned - scored) if policy == "bounds" else passed
    is_broken = _below(most, tried, rate, error)
    first = edges(tried, rate, error / size)
    usual = int(np.bincount(tried).argmax())
    return CaseAlarms(
        is_broken=is_broken,
        is_open=~is_broken & _below(passed, tried, rate, error),
        is_blind=first < 0,
        fires_at=int(edges(np.array([usual]), rate, error / size)[0]),
        visible_rate=visible_rate(usual, rate, error / size),
        reps=usual,
    )


def _below(passed: Counts, tried: Counts, rate: float, error: float) -> Flags:
    found = np.zeros(passed.size, dtype=np.bool_)
    while not found.all():
        more = (passed <= edges(tried, rate, error / int((~found).sum()))) & ~found
        if not more.any():
            break
        found |= more
    return found


def edges(reps: ArrayLike, rate: float, error: float) -> Counts:
    """Return the most passes of so many reps with which a case is shown to lie below a rate; −1 where none are.

    Parameters
    ----------
    reps
        Runs of each case, 0 or more; one dimension.
    rate
        The rate to lie below, a share.
    error
        One-sided error of one case, a share.

    Examples
    --------
    >>> edges([3, 10], 0.8, 0.05 / 50).tolist()
    [-1, 3]
    """
    tried = np.asarray(reps, dtype=np.int64)
    different, place = np.unique(tried, return_inverse=True)
    found = reference_edge(np.maximum(different, 1), rate, confidence=1 - 2 * error, rule="clopper-pearson")
    return np.where(different == 0, -1, found)[place]


def least_reps(rate: float, error: float) -> int:
    """Return the fewest reps with which a case that never passes is shown to lie below a rate.

    Parameters
    ----------
    rate
        The rate to lie below, a share strictly between 0 and 1.
    error
        One-sided error of one case, a share.

    Examples
    --------
    >>> least_reps(0.8, 0.05 / 50)
    5
    """
    return next(reps for reps in range(1, _MOST_REPS) if (1 - rate) ** reps < error)


def visible_rate(reps: int, rate: float, error: float) -> float | None:
    """Return the true pass rate below which a case is shown to lie below ``rate`` with a chance of 80 %.

    Parameters
    ----------
    reps
        Runs of the case.
    rate
        The rate to lie below, a share.
    error
        One-sided error of one case, a share.

    Examples
    --------
    >>> round(visible_rate(10, 0.8, 0.05 / 50), 3)
    0.239
    >>> visible_rate(3, 0.8, 0.05 / 50) is None
    True
    """
    level = 1 - 2 * error

    def power(true: float) -> float:
        return float(reference_power(reps, rate, true, confidence=level, rule="clopper-pearson"))

    if reps < 1 or power(0.0) < _USUAL_POWER:
        return None
    low, high = 0.0, rate
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if power(middle) >= _USUAL_POWER else (low, middle)
    return low
