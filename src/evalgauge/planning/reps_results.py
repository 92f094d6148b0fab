"""What the functions about reps return. No NumPy here: the questions room names these types before any work."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RepsRow:
    """One way to spend runs.

    Attributes
    ----------
    reps, cases
        Runs of each case (and arm), and cases.
    runs, cost
        All runs, and their price with that of the cases.
    half_width
        z·sqrt((s_case² + s_run²/R)/n), the classic form, a share.
    graded_half_width
        Half-width of the interval that will grade; ``None`` for a single case.
    floor_half_width
        z·s_case/√n: what no number of reps goes below with these cases.
    claimed, claim_holds
        The old rule 1/√(nR), and how often the truth would lie within it.
    """

    reps: int
    cases: int
    runs: int
    cost: float
    half_width: float
    graded_half_width: float | None
    floor_half_width: float
    claimed: float
    claim_holds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RepsCount:
    """Cases that reach a margin, or show a change, with so many reps.

    Attributes
    ----------
    reps
        Runs of each case (and arm).
    n
        Cases by the rule that grades, with its t quantile.
    n_classic
        Cases by the normal formula, rounded up.
    runs, cost
        All runs at ``n``, and their price with that of the cases.
    """

    reps: int
    n: int
    n_classic: int
    runs: int
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class BestReps:
    """The number of reps that buys most precision for the price.

    Attributes
    ----------
    exact
        R* before rounding; ``None`` where more reps always pay (free runs, or cases all alike).
    reps
        The best whole number.
    low, high
        Numbers of reps that cost at most 5 % more; ``high`` is ``None`` where there is no end.
    """

    exact: float | None
    reps: int | None
    low: int
    high: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RepsBand:
    """What another number of reps would give on the cases of a log.

    Attributes
    ----------
    reps
        Runs of each case.
    half_width
        The point forecast; ``None`` where the log cannot tell cases from runs.
    low, high
        80 % band; with one rep the ends of what is possible.
    """

    reps: int
    half_width: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RepsGrid:
    """Half-widths by cases and reps.

    Attributes
    ----------
    cases, reps
        Labels of the rows and of the columns.
    half_widths
        One row per number of cases, shares.
    """

    cases: tuple[int, ...]
    reps: tuple[int, ...]
    half_widths: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepsSketch:
    """The range of half-widths before anything is known, near a rate of 50 %.

    Attributes
    ----------
    cases, reps
        The design.
    low, high
        1/√(nR) if all cases are alike, 1/√n if each always passes or always fails.
    """

    cases: int
    reps: int
    low: float
    high: float
