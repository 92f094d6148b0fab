"""What coverage studies are asked, and what they find."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Target: TypeAlias = Literal["new-cases", "these-cases"]
Route: TypeAlias = Literal["listed", "fourier", "drawn"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDesign:
    """The evals that are studied.

    Attributes
    ----------
    n_cases, reps
        Cases of a log, and runs of each case in each arm.
    paired
        Whether two arms run the same cases; else one score.
    target
        What the interval should hold: the mean of new cases like these, or of exactly the cases of its log.
    """

    n_cases: int
    reps: int
    paired: bool = True
    target: Target = "new-cases"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCoverage:
    """What a study found of one rule at one number of reps.

    Attributes
    ----------
    rule, title
        Stable name, and what people call it.
    reps
        Runs of each case.
    coverage
        Share of the logs whose interval holds the truth (of those that get an interval).
    error
        Monte-Carlo error of ``coverage``; 0 where it is exact.
    lower_miss, upper_miss
        Shares of the logs whose interval lies above, and below, the truth.
    miss_error
        Monte-Carlo error of the larger of the two.
    mean_half_width, half_width_error
        Half of the mean width, in shares, and its Monte-Carlo error.
    zero_width
        Share of the logs whose interval has no width.
    refused
        Share of the logs that get no interval.
    exact
        Whether every log there can be was counted.
    route
        How: ``"listed"``, ``"fourier"`` or ``"drawn"``.
    sims
        Logs that were drawn; 0 where it is exact.
    """

    rule: str
    title: str
    reps: int
    coverage: float
    error: float
    lower_miss: float
    upper_miss: float
    miss_error: float
    mean_half_width: float
    half_width_error: float
    zero_width: float
    refused: float
    exact: bool
    route: Route
    sims: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NullChange:
    """The law of the mean change when nothing changed.

    Attributes
    ----------
    reps
        Runs of each case in each arm.
    flips
        Expected number of cases whose mean differs between the two arms.
    sd
        Standard deviation of the change, in shares.
    floor
        The largest change that is noise: a larger one, up or down, has a chance of at most 1 - confidence.
    gain_of_one, gain_of_two
        Chance that the candidate passes at least one, and at least two, more runs than the baseline.
    """

    reps: int
    flips: float
    sd: float
    floor: float
    gain_of_one: float
    gain_of_two: float
