"""What the rules for two arms return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.results import Interval

if TYPE_CHECKING:
    from collections.abc import Iterator


class PValues(Mapping[str, float]):
    """P-values by the name of their test, in the order of importance; it cannot be changed.

    Examples
    --------
    >>> PValues({"dual": 0.02, "exact": 0.03})
    PValues({'dual': 0.02, 'exact': 0.03})
    """

    __slots__ = ("_pairs",)

    def __init__(self, pairs: Mapping[str, float]) -> None:
        self._pairs = tuple(pairs.items())

    def __getitem__(self, name: str) -> float:
        for key, p_value in self._pairs:
            if key == name:
                return p_value
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._pairs)

    def __len__(self) -> int:
        return len(self._pairs)

    def __repr__(self) -> str:
        return f"PValues({dict(self._pairs)!r})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two readings of a difference candidate − baseline, and what other rules would have said.

    Attributes
    ----------
    estimate
        Difference of the mean scores, in the unit of the score.
    interval
        The interval that "better" and "worse" rest on.
    guarded
        The interval that stays true when a few cases break or mend completely; "no worse" rests on it.
    guarded_equivalence
        The guarded rule at 2·confidence − 1, both of whose ends "equivalent" rests on (two one-sided tests).
    alternatives
        Intervals of other rules, by name, each where it is defined.
    p_value
        The p-value that agrees with ``interval``.
    p_values
        P-values by name; ``"dual"`` is ``p_value``.
    n_eff
        Effective number of pass/fail cases behind the guarded interval; ``nan`` where the rule has none.
    df
        Degrees of freedom of ``interval`` (of the arm with fewer, where it combines two); infinite for score intervals.
    notes
        Plain sentences on what limits the answer.
    """

    estimate: float
    interval: Interval
    guarded: Interval
    guarded_equivalence: Interval
    alternatives: tuple[Interval, ...]
    p_value: float
    p_values: PValues
    n_eff: float
    df: float
    notes: tuple[str, ...]

    def named(self, method: str) -> Interval:
        """Return the interval of a rule by its name.

        Parameters
        ----------
        method
            Name of the rule, such as ``"newcombe"``.

        Raises
        ------
        ArgumentError
            If the rule is not defined for these data; the names that are get listed.
        """
        known = {interval.method: interval for interval in (*self.alternatives, self.guarded, self.interval)}
        if method not in known:
            raise ArgumentError("method", method, f"one of {', '.join(sorted(known))} for these data")
        return known[method]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The ends of a comparison at one level, without the rest of its answer: what a gate reads at many levels.

    Attributes
    ----------
    interval, guarded, least_margin
        As in `PairedAnswer`.
    """

    interval: Interval
    guarded: Interval
    least_margin: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedAnswer(Comparison):
    """The change on the same cases.

    Attributes
    ----------
    wins, losses, ties
        Cases whose score rose, fell, stayed.
    n_cases
        Shared cases.
    least_margin
        Smallest margin, in the unit of the score, at which "no worse" and "equivalent" may be said: cases that break
        completely could make up a smaller share and be absent from the log. 0 where ``guarded`` itself is that wide
        (pass/fail changes), and where the score has no range.
    """

    wins: int
    losses: int
    ties: int
    n_cases: int
    least_margin: float

    @property
    def n_moved(self) -> int:
        """Cases whose score changed."""
        return self.wins + self.losses

    def __str__(self) -> str:
        return (
            f"{self.estimate:+.4g} ({self.interval}), {self.wins} won, {self.losses} lost, {self.ties} unchanged, "
            f"p = {self.p_value:.3g}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpairedAnswer(Comparison):
    """The difference between arms on different cases.

    Attributes
    ----------
    base_estimate, cand_estimate
        Mean score of each arm.
    n_base, n_cand
        Cases of each arm.
    """

    base_estimate: float
    cand_estimate: float
    n_base: int
    n_cand: int

    def __str__(self) -> str:
        return (
            f"{self.estimate:+.4g} ({self.interval}), {self.base_estimate:.4g} of {self.n_base} cases to "
            f"{self.cand_estimate:.4g} of {self.n_cand}, p = {self.p_value:.3g}"
        )


def equivalence_level(confidence: float) -> float:
    """Return the level of the interval that two one-sided tests read: 2·confidence − 1.

    Parameters
    ----------
    confidence
        Two-sided level of the comparison, a share above 0.5.

    Raises
    ------
    ArgumentError
        If the level is not between 0.5 and 1.

    Examples
    --------
    >>> equivalence_level(0.95)
    0.9
    """
    if checked_confidence(confidence) <= 0.5:
        raise ArgumentError("confidence", confidence, "a share above 0.5 and below 1, such as 0.95")
    return round(2 * confidence - 1, 12)


def moved_scale(interval: Interval, span: float) -> Interval:
    """Return an interval in shares of the score's range, in the unit of the score.

    Parameters
    ----------
    interval
        Ends as shares of the range.
    span
        Width of the range.

    Examples
    --------
    >>> print(moved_scale(Interval(low=-0.1, high=0.2, confidence=0.95, method="hull"), 5.0))
    -0.5 to 1 (0.95 hull)
    """
    return Interval(
        low=interval.low * span, high=interval.high * span, confidence=interval.confidence, method=interval.method
    )
