"""What the functions of this room return. No NumPy here: the questions room names these types before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Design: TypeAlias = Literal["held-reference", "paired", "independent-arms"]
Direction: TypeAlias = Literal["drop", "rise"]
Strictness: TypeAlias = Literal["auto", "exact"]
Allocation: TypeAlias = Literal["equal", "traffic"]
Because: TypeAlias = Literal["precision", "assurance", "detection", "min-rate", "max-drop", "clusters", "floor"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicePlan:
    """How a set is split, and the level that each slice is judged at.

    Attributes
    ----------
    count
        Number of slices that are judged; 1 for a set as a whole.
    z
        Critical value of one slice: the two-sided error is shared equally (Bonferroni).
    allocation
        ``"equal"``: every slice gets as many cases. ``"traffic"``: slices get their share of the traffic.
    smallest_share
        Share of the smallest slice.
    confidence
        Two-sided level of one slice, a share.
    """

    count: int
    z: float
    allocation: Allocation
    smallest_share: float
    confidence: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionPlan:
    """Cases for an interval of a given half-width.

    Attributes
    ----------
    per_slice, total
        Cases in one slice, and over all slices.
    half_width
        Half-width of the grading interval at ``per_slice`` cases and the expected rate.
    margin
        The half-width asked for.
    shortcut, shortcut_half_width
        z²p(1 − p)/margin², rounded up, and the half-width that it really gives: for comparison.
    assurance
        Cases in one slice at which the margin is met in this share of all runs, whatever count passes.
    chance
        Share of all runs that meet the margin at ``per_slice`` cases.
    rule
        The interval that sizes and grades.
    rho
        Variance of the case scores relative to pass/fail scores of the same mean; 1 with one rep of pass/fail.
    is_floor
        Whether the floor of 16 cases decides, not the margin.
    """

    per_slice: int
    total: int
    half_width: float
    margin: float
    shortcut: int
    shortcut_half_width: float
    assurance: dict[str, int]
    chance: float | None
    rule: str
    rho: float
    is_floor: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldReferencePlan:
    """Cases that show a rate to differ from a reference that is known without error.

    Attributes
    ----------
    n, raw
        The handbook count, and the same before rounding up.
    power_at_n
        Exact power of the grading rule at ``n``.
    safe_n
        Smallest count from which on the exact power is never below the target.
    total, safe_total
        ``n`` and ``safe_n`` over all slices.
    rule
        The interval that grades.
    """

    n: int
    raw: float
    power_at_n: float
    safe_n: int
    total: int
    safe_total: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndependentArmsPlan:
    """Cases that show two arms on different cases to differ.

    Attributes
    ----------
    per_arm, raw, power_at_n, safe_n
        As in `HeldReferencePlan`, per arm.
    total, safe_total
        Distinct cases of both arms over all slices.
    rule
        The interval that grades.
    """

    per_arm: int
    raw: float
    power_at_n: float
    safe_n: int
    total: int
    safe_total: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedPlan:
    """Cases that show two arms on the same cases to differ.

    Attributes
    ----------
    n, raw, power_at_n, safe_n, total, safe_total, rule
        As in `HeldReferencePlan`; the cases are shared by both arms.
    discordance
        Share of cases that exactly one arm passes.
    assumed
        Whether the discordance is that of arms that fail on unrelated cases, for want of a better one.
    """

    n: int
    raw: float
    discordance: float
    assumed: bool
    power_at_n: float
    safe_n: int
    total: int
    safe_total: int
    rule: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DetectionPlan:
    """Cases that show a change, by design.

    Attributes
    ----------
    direction, change
        What is to be shown, and how large it is, a share.
    rate_from, rate_to
        Rates before and after.
    held_reference, independent_arms, paired
        The three designs.
    """

    direction: Direction
    change: float
    rate_from: float
    rate_to: float
    held_reference: HeldReferencePlan
    independent_arms: IndependentArmsPlan
    paired: PairedPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Prescription:
    """The count to collect.

    Attributes
    ----------
    per_slice, total
        Cases in one slice, and over all slices; for independent arms, per arm.
    because
        What decides: the margin, the assurance, the change to detect, the rate to certify, the drop to rule out,
        clusters, or the floor of 16.
    """

    per_slice: int
    total: int
    because: Because


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSet:
    """What a set that exists can show.

    Attributes
    ----------
    total, per_slice
        Cases over all slices (for independent arms, per arm), and those of the smallest slice.
    half_width
        Half-width of the grading interval in the smallest slice, at the expected rate.
    detectable_drop, detectable_rise
        Smallest change that is found at the power asked for, by the handbook formula; ``None`` where even a change to
        0 or 100 % is not.
    exact_drop
        The same drop by exact power.
    power_at_drop
        Exact power for the change asked about.
    meets_margin, meets_drop
        Whether the margin is met, and whether the power is.
    add
        Cases to add; 0 when both are met.
    """

    total: int
    per_slice: int
    half_width: float
    detectable_drop: float | None
    detectable_rise: float | None
    exact_drop: float | None
    power_at_drop: float
    meets_margin: bool
    meets_drop: bool
    add: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorPlan:
    """Cases that certify a rate to be at least a floor.

    Attributes
    ----------
    floor
        The rate to be certified.
    least
        Fewest cases at which a set that passes wholly is certified; below it the answer can never be pass.
    n, power_at_n
        The handbook count for the expected rate, and the exact chance to be certified there; ``None`` where the
        expected rate is not above the floor.
    safe_n
        Smallest count from which on that chance is never below the target.
    own_chance
        Chance to be certified with the set that is owned.
    own_can_pass
        Whether the set that is owned could be certified at all.
    """

    floor: float
    least: int
    n: int | None
    power_at_n: float | None
    safe_n: int | None
    own_chance: float | None
    own_can_pass: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoWorsePlan:
    """Shared cases that rule out a drop between two arms that are equally good.

    Attributes
    ----------
    max_drop
        The drop that must be ruled out.
    discordance
        Share of cases that exactly one arm passes, as planned for.
    assumed
        Whether that share was assumed: two arms that fail on unrelated cases, the cautious end.
    n, power_at_n
        The handbook count, and the exact chance to pass there.
    safe_n
        Smallest count from which on that chance is never below the target.
    own_chance
        Chance to pass with the set that is owned.
    least
        Fewest shared cases at which a comparison passes in which no case changed.
    least_graded
        The same for graded scores or averaged reps.
    hard_floor
        Fewest cases at which a share ``max_drop`` of total breaks would show at all.
    own_passes_unchanged
        Whether the set that is owned passes if no case changes. A smaller set passes only where gains outweigh losses.
    """

    max_drop: float
    discordance: float
    assumed: bool
    n: int
    power_at_n: float
    safe_n: int
    own_chance: float | None
    least: int
    least_graded: int
    hard_floor: int
    own_passes_unchanged: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverPass:
    """What no data could show with too few cases, before a run.

    Attributes
    ----------
    held_reference
        Fewest cases at which a set that fails wholly (passes wholly, for a rise) shows the change.
    independent_arms
        Fewest cases per arm at which the most different arms show it.
    flips
        Fewest changed cases, all one way, with which a paired comparison shows it.
    flips_exact
        The same by the exact McNemar test.
    """

    held_reference: int
    independent_arms: int
    flips: int
    flips_exact: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterPlan:
    """Counts when cases share a source.

    Attributes
    ----------
    size
        Cases per cluster.
    icc
        Intraclass correlation.
    design_effect
        1 + (size − 1)·ICC.
    precision_clusters, precision_cases
        Clusters in one slice for the margin, by the interval over clusters with its t quantile, and their cases.
    detection_clusters, detection_cases
        The same for the change, by the chosen design.
    total
        Cases over all slices.
    """

    size: int
    icc: float
    design_effect: float
    precision_clusters: int
    precision_cases: int
    detection_clusters: int
    detection_cases: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LookPlan:
    """Bounds for planned looks at one comparison.

    Attributes
    ----------
    kind
        Family of bounds.
    z
        Critical value at each look.
    confidences
        Two-sided level of the interval to read at each look.
    inflation
        By how much the last look needs more cases.
    n
        Cases at the last look, by the chosen design and in one slice.
    """

    kind: str
    z: tuple[float, ...]
    confidences: tuple[float, ...]
    inflation: float
    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LooksPlan:
    """What several looks cost, with and without a plan.

    Attributes
    ----------
    looks
        Number of looks.
    uncorrected_error
        Chance of a false alarm when every look reads the level of a single one.
    bounds
        Bounds that keep the error.
    """

    looks: int
    uncorrected_error: float
    bounds: tuple[LookPlan, ...]
