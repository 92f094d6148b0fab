"""How many cases a rule of a gate needs: at least, before it can pass or fail at all, and to decide as things stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

import numpy as np

from evalgauge.rules.gate_claims import EXACT_BELOW
from evalgauge.rules.verdict import least_n_for_no_worse
from evalgauge.stats.paired_proportions import tango_limits
from evalgauge.stats.proportion import clopper_pearson_limits, wilson_limits
from evalgauge.stats.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)
ClaimKind: TypeAlias = Literal["drop", "gain", "rate"]

MOST_CASES = 200_000
"""Beyond this many cases a count that decides is not looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeastForRule:
    """The fewest cases with which a rule can say anything.

    Attributes
    ----------
    to_pass
        Fewest cases with which the best data pass: no case changed, or every case passed; for graded changes the hard
        floor. ``None`` where none do.
    to_fail
        Fewest cases with which the worst data fail: every case lost. ``None`` where none do.
    """

    to_pass: int | None
    to_fail: int | None


def least_for_rule(
    kind: ClaimKind, threshold: float, *, confidence: float = 0.95, is_graded: bool = False
) -> LeastForRule:
    """Answer "from how many cases on can this rule pass, and fail, at all?".

    Parameters
    ----------
    kind
        ``"drop"``: no worse by more than the threshold; ``"gain"``: better by more; ``"rate"``: a rate above it.
    threshold
        A share.
    confidence
        Two-sided level of the rule.
    is_graded
        Whether changes are graded or averaged over reps.

    References
    ----------
    The grading intervals at their extreme tables: Tango 1998, Wilson 1927, Clopper and Pearson 1934.

    Examples
    --------
    >>> least_for_rule("rate", 0.9), least_for_rule("drop", 0.02).to_pass
    (LeastForRule(to_pass=35, to_fail=2), 189)
    """
    z = normal_quantile(confidence)

    def can_pass(n: int) -> bool:
        if kind == "gain":
            return n > 1 and float(tango_limits(n, 0, n, confidence=confidence)[0]) > threshold
        exact = float(clopper_pearson_limits(n, n, confidence=confidence)[0]) if threshold < EXACT_BELOW else 1.0
        return n > 1 and min(exact, float(wilson_limits(1.0, n, z)[0])) > threshold

    def can_fail(n: int) -> bool:
        if kind == "rate":
            exact = float(clopper_pearson_limits(0, n, confidence=confidence)[1])
            return max(exact, float(wilson_limits(0.0, n, z)[1])) < threshold
        limit = -threshold if kind == "drop" else threshold
        return float(tango_limits(0, n, n, confidence=confidence)[1]) < limit

    if kind == "drop":
        least = least_n_for_no_worse(threshold, confidence=confidence)
        to_pass: int | None = least.hard_floor if is_graded else least.unchanged
    else:
        to_pass = _first(can_pass)
    return LeastForRule(to_pass=to_pass, to_fail=_first(can_fail))


def count_that_decides(
    cases: NDArray[np.float64],
    is_decided: Callable[[NDArray[np.float64], NDArray[np.int64]], bool],
    *,
    clusters: NDArray[np.intp] | None = None,
) -> int | None:
    """Answer "how many cases like these would decide, if new ones spread as these do?".

    Larger and smaller logs of the same shape are made by taking evenly spaced ones of the sorted cases (or clusters).

    Parameters
    ----------
    cases
        Change or score of each case.
    is_decided
        Whether the rule decides on such cases; called with their values and their cluster numbers.
    clusters
        One number per case; ``None`` where cases are independent.

    Returns
    -------
    int or None
        Cases in all; ``None`` where not even 200,000 decide.

    Examples
    --------
    >>> from evalgauge.rules.paired import paired_limits
    >>> changes = np.repeat([1.0, 0.0, -1.0], [3, 94, 3])
    >>> count_that_decides(changes, lambda deltas, _: paired_limits(deltas).guarded.low > -0.02)
    631
    """
    codes = np.arange(cases.size) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    sizes = np.bincount(codes)
    order = np.argsort(np.bincount(codes, weights=cases) / sizes, kind="stable")
    members: list[NDArray[np.intp]] = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
    usual = cases.size / sizes.size

    def decides(groups: int) -> bool:
        chosen = evenly_spaced(order, groups)
        if usual == 1:
            return is_decided(cases[chosen], np.arange(groups))
        picks: list[int] = chosen.tolist()
        taken = [members[group] for group in picks]
        labels = np.repeat(np.arange(groups), [part.size for part in taken])
        return is_decided(cases[np.concatenate(taken)], labels)

    most = max(1, int(MOST_CASES / usual))
    high = max(2, sizes.size)
    while not decides(high):
        if high >= most:
            return None
        high = min(2 * high, most)
    low = high // 2
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        low, high = (low, middle) if decides(middle) else (middle, high)
    return round(high * usual)


def evenly_spaced(values: NDArray[Scalar], n: int) -> NDArray[Scalar]:
    """Return n of the values, evenly spaced over their order: more than there are repeats them.

    Parameters
    ----------
    values
        Anything in a row.
    n
        How many to take.

    Examples
    --------
    >>> evenly_spaced(np.array([1, 2, 3]), 6).tolist(), evenly_spaced(np.array([1, 2, 3, 4]), 2).tolist()
    ([1, 1, 2, 2, 3, 3], [2, 4])
    """
    return values[((np.arange(n) + 0.5) * values.size / n).astype(np.int64)]


def _first(is_possible: Callable[[int], bool]) -> int | None:
    """Return the first count at which something is possible, for what stays possible from there on."""
    high = 1
    while not is_possible(high):
        if high > MOST_CASES:
            return None
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_possible(middle) else (middle, high)
    return high
