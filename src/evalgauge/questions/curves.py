"""How a figure moves along cases or looks: what charts of plans and of reuse draw."""

from dataclasses import dataclass

from evalgauge.planning.results import Design, Direction
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionCurve(ShownInNotebooks):
    """Half-width of the interval by number of cases in one slice.

    Attributes
    ----------
    rate, confidence, rule
        Expected score, level of the interval (corrected for slices), and its rule.
    margin, needed
        The margin that was asked for, a share, and the cases that meet it.
    own, own_half_width
        Cases of the owned set in one slice, and what they give; ``None`` without one.
    n_cases, half_widths
        The curve: numbers of cases, and half-widths in shares.
    """

    rate: float
    confidence: float
    rule: str
    margin: float
    needed: int
    own: int | None
    own_half_width: float | None
    n_cases: tuple[int, ...]
    half_widths: tuple[float, ...]

    def __str__(self) -> str:
        return f"±{100 * self.margin:.3g} points at {100 * self.rate:.4g} % takes {self.needed:,} cases ({self.rule})"


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerLine:
    """Power of one design by number of cases.

    Attributes
    ----------
    design
        Which; numbers of cases are per arm for independent arms.
    safe_n
        Smallest count from which on the power that was asked for is kept.
    n_cases, power
        The curve: numbers of cases, and exact power, a share.
    """

    design: Design
    safe_n: int
    n_cases: tuple[int, ...]
    power: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PowerCurve(ShownInNotebooks):
    """Chance to show a change, by design and number of cases in one slice.

    Attributes
    ----------
    direction, rate_from, rate_to
        The change.
    power, confidence
        The chance that was asked for, and the level of the grading interval (corrected for slices).
    design
        The one that is planned.
    lines
        One a design.
    """

    direction: Direction
    rate_from: float
    rate_to: float
    power: float
    confidence: float
    design: Design
    lines: tuple[PowerLine, ...]

    def __str__(self) -> str:
        cases = ", ".join(f"{one.design} {one.safe_n:,}" for one in self.lines)
        return (
            f"cases for a {self.direction} from {100 * self.rate_from:.4g} to {100 * self.rate_to:.4g} % with "
            f"{100 * self.power:.3g} % power: {cases}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimismCurve(ShownInNotebooks):
    """By how much the best of k equal candidates flatters, by k.

    Attributes
    ----------
    n_cases, rate
        Cases, and the common rate of the candidates, a share.
    tolerance, budget
        Optimism that is still fine, a share, and the looks that it allows; ``None`` where they are no limit.
    now
        Looks that were asked about, and their optimism.
    looks, optimism
        The curve: numbers of looks, and optimism in shares.
    """

    n_cases: int
    rate: float
    tolerance: float
    budget: int | None
    now: tuple[int, float]
    looks: tuple[int, ...]
    optimism: tuple[float, ...]

    def __str__(self) -> str:
        looks, cost = self.now
        return f"the best of {looks:,} equal candidates on {self.n_cases:,} cases flatters by {100 * cost:.3g} points"
