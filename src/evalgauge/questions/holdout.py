"""May this candidate pass a holdout?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.questions.parts import Missing, ReadingOptions
from evalgauge.questions.units import Names, Points, ScoreRange
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutRequest(ReadingOptions):
    """A question that shows one bit of a registered set.

    Attributes
    ----------
    logs
        Baseline, then candidate; or one log that holds both, with ``arms``.
    margin
        It passes where it is shown to be no worse than this; left out, where it is shown to be better.
    cluster, metric, candidate_metric, task, arms, missing, score_range
        As for a comparison.
    ledger
        Which ledger; the one in this folder or above it when left out.
    """

    verb: ClassVar[str] = "holdout"
    logs: tuple[str, ...] = ()
    margin: Points | None = None
    cluster: str | None = None
    metric: str | None = None
    candidate_metric: str | None = None
    task: str | None = None
    arms: Names = Names()  # noqa: RUF009 - Names is an immutable tuple
    missing: Missing = "bounds"
    score_range: ScoreRange | None = None
    ledger: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldoutAnswer(ShownInNotebooks):
    """Pass or no pass; everything else stays sealed in the ledger.

    Attributes
    ----------
    set_name, n_cases
        The holdout.
    passed, rule
        The verdict, and what had to be shown for a pass.
    baseline, candidate
        The two systems.
    look, is_new, place
        The look, whether these results were judged now, and which look it is at the holdout.
    confidence, over_all
        Two-sided level of this look, and over all looks, shares.
    looks_left
        Declared looks that are left; ``None`` in an open set.
    next_refusal
        Why there can be no further verdict; ``""`` while there can.
    """

    verb: ClassVar[str] = "holdout"
    set_name: str
    n_cases: int
    passed: bool
    rule: str
    baseline: str
    candidate: str
    look: str
    is_new: bool
    place: int
    confidence: float | None
    over_all: float
    looks_left: int | None
    next_refusal: str
    request: HoldoutRequest = field(default_factory=HoldoutRequest)

    def __str__(self) -> str:
        return f"{'pass' if self.passed else 'no pass'}: {self.candidate} on {self.set_name}, look {self.place:,}"
