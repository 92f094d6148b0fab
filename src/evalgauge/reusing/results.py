"""What the functions of this room return. No NumPy here: the questions room names these types before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Upper: TypeAlias = Literal["plain", "symmetric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaptiveFigures:
    """What k looks can cost, by how the candidates came about; none of them is a budget.

    Attributes
    ----------
    fixed_in_advance
        All candidates were fixed before the first look: sigma·m(k).
    attack
        Somebody aims at the displayed exact scores: Φ(√(k/n)) - 1/2.
    provable
        What is proved for any use of exact scores: √(k·ln(n + 1)/(2n)).
    order_of_magnitude
        √(k/n), the order in which adaptive error grows; neither a bound nor an attack.
    """

    fixed_in_advance: float
    attack: float
    provable: float
    order_of_magnitude: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedInterval:
    """The interval of a selected score.

    Attributes
    ----------
    low, high
        The interval, shares.
    symmetric_high
        The upper end when both ends are corrected, for candidates that differ in their cases or were not fixed.
    plain_low, plain_high
        What one single look would have allowed.
    confidence
        Level at which the lower end was taken, so that it holds for whichever of k was chosen.
    capped
        Whether a cap on that level was binding.
    method
        Rule of the lower end.
    upper
        Which upper end ``high`` is.
    """

    low: float
    high: float
    symmetric_high: float
    plain_low: float
    plain_high: float
    confidence: float
    capped: bool
    method: str
    upper: Upper


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A lower bound that holds whatever was done with the displays.

    Attributes
    ----------
    log_transcripts
        ln K: the natural logarithm of the number of histories that could have been displayed.
    z
        Normal quantile of the two-sided level 1 - alpha/K.
    low
        Clopper-Pearson lower end at that level, a share; 0 where no number of cases certifies anything.
    fixed_low
        The same if all candidates had been fixed in advance (K = k).
    naive_low
        The same for one single look (K = 1).
    """

    log_transcripts: float
    z: float
    low: float
    fixed_low: float
    naive_low: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh:
    """What replacing a random share of the cases does.

    Attributes
    ----------
    share
        Share that is replaced.
    spent
        Looks that still count as spent.
    bought_back
        Looks that no longer do.
    optimism_before, optimism_after
        Expected optimism of the incumbent before and after, shares (scored again on the refreshed set).
    more_looks, optimism_with_more
        Further looks and the optimism after them; approximate, up to .06 sigma low.
    """

    share: float
    spent: float
    bought_back: float
    optimism_before: float
    optimism_after: float
    more_looks: int
    optimism_with_more: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionCost:
    """What it costs to name the best of several arms on the cases that chose it.

    Attributes
    ----------
    looks, effective_looks
        Arms, and how many independent ones they were worth.
    optimism
        Expected excess of the best score over the common rate if all arms were equally good, their errors as correlated
        as they are; a share.
    if_independent
        The same for as many independent arms.
    """

    looks: int
    effective_looks: float
    optimism: float
    if_independent: float
