"""How worn is a holdout: how inflated is the best of k looks, how many looks are left, what may still be claimed?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.counts import Count
from evalgauge.questions.parts import LedgerNote, ReadingOptions, Source
from evalgauge.questions.units import Points, ScoreRange, Share
from evalgauge.reusing.results import Certified, CorrectedInterval, Refresh
from evalgauge.rules.displays import Display
from evalgauge.shown import ShownInNotebooks
from evalgauge.studies.results import Climb


@dataclass(frozen=True, slots=True, kw_only=True)
class ReuseOptions(ReadingOptions):
    """How a set was used.

    Attributes
    ----------
    n_cases
        Number of cases in the set, when no log or count says it.
    rate
        Expected true rate of the candidates, such as 80%. For an observed best score give the count 258/300 instead.
    looks
        How many candidates were scored on the set, the chosen one too.
    tolerance
        Optimism that is still fine.
    correlation
        Correlation of the scores of two candidates over cases, where it is known: correlated looks cost less.
    cap
        Highest confidence of the corrected interval, such as 99.99%; beyond it the interval no longer holds over all
        looks. No cap when left out.
    display
        What each look showed: nothing (candidates fixed in advance), pass-fail, score-on-pass, rounded, exact or
        per-case. With it, what can be certified whatever was tuned.
    passes
        For pass-fail and score-on-pass: how many passes were shown at most.
    retired
        The set was retired on the last of these passes; else looks went on after it.
    step
        For rounded: the step of the scores that were shown.
    refresh
        Share of the cases to replace, such as 50%: how many looks that buys back.
    more_looks
        Looks that are to follow the refresh.
    climb
        Simulate a tuner who keeps whatever scores higher, under every display rule.
    edit
        For the climb: share of the cases whose outcome one edit changes at random.
    metric
        Which score to use, when a log holds several.
    arm
        Which system to use, when a log holds several.
    task
        Which eval set (task) to use, when a log or folder holds several.
    score_range
        Lowest and highest possible score, such as 0:100. Default 0:1.
    confidence
        Level of every interval, two-sided.
    ledger
        The ledger of looks: its file, or postgresql://user@host/database. The one in this folder or above it when left
        out.
    no_ledger
        Record no look; the answer says so.
    """

    n_cases: Count | None = None
    rate: Share | None = None
    looks: Count = Count(1)  # noqa: RUF009 - a Count is an immutable int
    tolerance: Points = Points(0.02)  # noqa: RUF009 - Points are an immutable float
    correlation: Share | None = None
    cap: Share | None = None
    display: Display | None = None
    passes: Count | None = None
    retired: bool = False
    step: Points | None = None
    refresh: Share | None = None
    more_looks: Count = Count(0)  # noqa: RUF009 - same
    climb: bool = False
    edit: Share = Share(0.2)  # noqa: RUF009 - a Share is an immutable float
    metric: str | None = None
    arm: str | None = None
    task: str | None = None
    score_range: ScoreRange | None = None
    confidence: Share = Share(0.95)  # noqa: RUF009 - same
    ledger: str | None = None
    no_ledger: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReuseRequest(ReuseOptions):
    """A question about a set that was looked at several times.

    Attributes
    ----------
    logs
        The log of the chosen candidate, or its count such as 258/300; none with ``n_cases`` and ``rate``.
    """

    verb: ClassVar[str] = "reuse"
    logs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ByMaximum:
    """One figure by the law of the best of k.

    Attributes
    ----------
    binomial
        Exact for one pass or fail a case; ``None`` for graded scores and repeated runs.
    normal
        Exact expected maximum of k normals.
    blom
        Blom's approximation of it.
    """

    binomial: float | None
    normal: float
    blom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedMax:
    """m(k), in standard errors.

    Attributes
    ----------
    normal, blom
        Exact, and Blom's approximation.
    """

    normal: float
    blom: float


@dataclass(frozen=True, slots=True, kw_only=True)
class LookBudget:
    """How many looks stay within the tolerance.

    Attributes
    ----------
    binomial, normal, blom
        By the law of the best of k; ``None`` beyond 1,000,000, or where a law does not apply.
    shown
        In words, as far as the method can tell.
    left
        Looks of the budget that are not used yet, 0 or more; ``None`` beyond what the method can tell.
    """

    binomial: int | None
    normal: int | None
    blom: int | None
    shown: str
    left: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshSet:
    """Cases at which so many looks stay within the tolerance.

    Attributes
    ----------
    blom, normal, binomial
        By the law of the best of k; ``None`` beyond a trillion, or where a law does not apply.
    """

    blom: int | None
    normal: int | None
    binomial: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive:
    """What k looks can cost by how candidates came about, shares; none is the headline, none is a budget.

    Attributes
    ----------
    fixed_in_advance
        Candidates fixed before the first look: sigma·m(k).
    keep_if_higher
        A simulated tuner who keeps whatever scores higher; ``None`` unless the climb was asked for.
    attack
        Somebody who aims at the displayed scores: Φ(√(k/n)) - 1/2.
    provable
        Proved for any use of exact scores: √(k·ln(n + 1)/(2n)).
    order_of_magnitude
        √(k/n).
    """

    fixed_in_advance: float
    keep_if_higher: float | None
    attack: float
    provable: float
    order_of_magnitude: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """Old against fresh cases: does the old set flatter?

    Attributes
    ----------
    difference
        Optimism to detect, a share.
    cases
        Old, and as many fresh, cases that show it with 80 % power; ``None`` where there is no optimism to see.
    reach
        What this set and as many fresh cases show with 80 % power, a share.
    """

    difference: float
    cases: int | None
    reach: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ReuseAnswer(ShownInNotebooks):
    """What the looks at a set cost, what may still be claimed, and what to do next.

    Attributes
    ----------
    source
        Where the score came from; ``None`` without a log.
    n_cases, n_eff
        Cases, and as many pass/fail cases as would be as informative.
    observed
        Score of the chosen candidate, a share.
    is_observed
        Whether it was observed, or is an expected rate.
    rate
        Common rate of the candidates that all figures rest on: the expected one, or the one at which the best of k
        comes out as observed.
    looks, effective_looks
        Candidates, and how many independent ones they are worth at the given correlation.
    tolerance, confidence
        As asked.
    sigma
        Standard error of one score, a share.
    expected_max
        m(k).
    optimism
        Expected excess of the best, shares.
    look_budget, adaptive, interval, fresh_set
        See each.
    point_if_equal
        Worst case if all candidates are equal and independent, at least 0; it is no corrected score and has no
        interval.
    certified
        What holds whatever was tuned on the displays; ``None`` when no display was named or it was void.
    share_to_replace
        Share of the cases that would have to be replaced to be within the tolerance again.
    refresh
        What replacing the named share buys; ``None`` without one.
    audit
        Old against fresh cases.
    climb
        Simulated climbs by display rule; empty unless asked for.
    advice
        What to do next, in words.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the log's set is not registered.
    """

    verb: ClassVar[str] = "reuse"
    source: Source | None
    n_cases: int
    n_eff: float
    observed: float
    is_observed: bool
    rate: float
    looks: int
    effective_looks: float
    tolerance: float
    confidence: float
    sigma: float
    expected_max: ExpectedMax
    optimism: ByMaximum
    look_budget: LookBudget
    adaptive: Adaptive
    interval: CorrectedInterval
    point_if_equal: float
    fresh_set: FreshSet
    certified: Certified | None
    share_to_replace: float
    refresh: Refresh | None
    audit: Audit
    climb: tuple[Climb, ...]
    advice: str = ""
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: ReuseRequest = field(default_factory=ReuseRequest)

    @property
    def cost(self) -> float:
        """Expected excess of the best by the law that fits the scores, a share."""
        return self.optimism.normal if self.optimism.binomial is None else self.optimism.binomial

    @property
    def percent_to_replace(self) -> int:
        """The share to replace as the next whole percent, which is enough."""
        return min(100, int(100 * self.share_to_replace) + 1)

    def __str__(self) -> str:
        return (
            f"{self.looks:,} looks flatter by {100 * self.cost:.1f} points; {100 * self.confidence:g} % interval "
            f"{100 * self.interval.low:.1f} to {100 * self.interval.high:.1f} %; budget {self.look_budget.shown}"
        )
