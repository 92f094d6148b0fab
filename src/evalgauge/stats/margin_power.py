"""Exact chances of Tango's interval at a margin: how often it lies wholly below, and wholly above, a difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import special  # pyright: ignore[reportMissingTypeStubs]  # SciPy ships no stubs for its packages

from evalgauge.errors import ArgumentError
from evalgauge.stats.binomial import likely_counts
from evalgauge.stats.paired_proportions import tango_statistic
from evalgauge.stats.quantiles import normal_quantile

if TYPE_CHECKING:
    from numpy.typing import NDArray


class MarginChances(NamedTuple):
    """Chances of an interval: that it lies wholly below a difference, and wholly above it."""

    below: float
    above: float


def margin_chances(n: int, win: float, loss: float, *, difference: float, confidence: float = 0.95) -> MarginChances:
    """Answer "how often will n shared cases show a change below, or above, this difference?", exactly.

    Parameters
    ----------
    n
        Shared cases, at least 1.
    win, loss
        Shares of cases that only the candidate, and only the baseline, passes.
    difference
        The margin: −0.02 for "no worse than two points".
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If the shares are negative or add up to more than 1, or the difference is not strictly between −1 and 1.

    References
    ----------
    Tango 1998, Statistics in Medicine 17, 891-908; the chances are sums over the trinomial law of wins and losses.

    Examples
    --------
    >>> found = margin_chances(312, 0.025, 0.075, difference=0.0)
    >>> round(found.below, 4)
    0.8262
    """
    if min(win, loss) < 0 or win + loss > 1 + 1e-12:
        raise ArgumentError("win, loss", (win, loss), "shares of cases that add up to at most 1")
    wins, losses = (_window(n, share) for share in (win, loss))
    won, lost = (part.ravel() for part in np.meshgrid(wins, losses, indexing="ij"))
    fits = won + lost <= n
    won, lost = won[fits], lost[fits]
    ties = n - won - lost
    log = special.gammaln(n + 1) - sum(special.gammaln(count + 1) for count in (won, lost, ties))
    shares = ((won, win), (lost, loss), (ties, max(1 - win - loss, 0.0)))
    chance = np.exp(log + sum(special.xlogy(count, share) for count, share in shares))
    statistic = tango_statistic(won, lost, n, difference=difference)
    z = normal_quantile(confidence)
    return MarginChances(
        below=float(chance[statistic < -z].sum()),
        above=float(chance[statistic > z].sum()),
    )


def _window(n: int, share: float) -> NDArray[np.float64]:
    first, chances = likely_counts(n, share)
    return np.arange(first, first + chances.size, dtype=np.float64)
