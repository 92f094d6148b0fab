"""Which design shows a change with the least effort?"""

from dataclasses import dataclass, field
from typing import ClassVar

from evalgauge.planning.design_results import DesignRow
from evalgauge.planning.results import Design, Direction, SlicePlan
from evalgauge.questions.counts import Number
from evalgauge.questions.parts import LedgerNote
from evalgauge.questions.plan import ChangeOptions, Pilot
from evalgauge.shown import ShownInNotebooks


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDesignOptions(ChangeOptions):
    """How to choose a design.

    Attributes
    ----------
    cost_case
        Price of making one case, in any currency.
    cost_run
        Price of running one case once, in the same currency.
    """

    cost_case: Number = Number(1.0)  # noqa: RUF009 - a Number is an immutable float
    cost_run: Number = Number(0.0)  # noqa: RUF009 - a Number is an immutable float


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDesignRequest(PlanDesignOptions):
    """A question about designs."""

    verb: ClassVar[str] = "plan_design"
    logs: ClassVar[tuple[str, ...]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanDesignAnswer(ShownInNotebooks):
    """Three designs side by side.

    Attributes
    ----------
    direction, change, rate_from, rate_to
        What is to be shown.
    power, confidence
        How surely, and at which two-sided level.
    designs
        Held reference, paired, independent arms, each at its safe count.
    recommended, reason
        The one to take, and why, in words.
    slices
        How the set is split.
    own
        Cases that are owned; ``None`` if none were named.
    pilot
        What was taken from a log; ``None`` without one.
    notes, problems
        Plain sentences.
    ledger
        What the ledger of looks says; ``None`` where the pilot log's set is not registered.
    """

    verb: ClassVar[str] = "plan_design"
    direction: Direction
    change: float
    rate_from: float
    rate_to: float
    power: float
    confidence: float
    designs: tuple[DesignRow, ...]
    recommended: Design
    reason: str
    slices: SlicePlan
    own: int | None
    pilot: Pilot | None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None
    request: PlanDesignRequest = field(default_factory=PlanDesignRequest)

    def __str__(self) -> str:
        counts = ", ".join(f"{row.design} {row.cases:,} cases" for row in self.designs)
        return f"take {self.recommended}: {counts}"
