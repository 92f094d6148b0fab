"""What the functions of this room return."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A two-sided interval, by name.

    Attributes
    ----------
    low, high
        The ends, in the unit of the data (shares for pass rates).
    confidence
        The level asked for, as a share: 0.95.
    method
        The name by which every answer, test and document calls the rule, such as ``"wilson"``.
    """

    low: float
    high: float
    confidence: float
    method: str

    @property
    def width(self) -> float:
        """Distance between the ends."""
        return self.high - self.low

    @property
    def half_width(self) -> float:
        """Half the distance between the ends."""
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"{self.low:.4g} to {self.high:.4g} ({self.confidence:.4g} {self.method})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate with its interval and how it came about.

    Attributes
    ----------
    estimate
        The point estimate, in the unit of the data.
    interval
        Its interval.
    std_error
        Standard error of the estimate; ``nan`` where the rule has none (score and exact intervals).
    df
        Degrees of freedom of the t quantile; ``inf`` where a normal quantile or an exact law is used.
    n_eff
        Number of independent pass/fail cases that would be as informative; ``nan`` where the rule has none.
    """

    estimate: float
    interval: Interval
    std_error: float
    df: float
    n_eff: float
