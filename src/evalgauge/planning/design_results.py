"""What the design chooser returns. No NumPy here: the questions room names this type before any work."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalgauge.planning.results import Design


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignRow:
    """One design, priced.

    Attributes
    ----------
    design
        Its name.
    cases, runs, cost
        Distinct cases, runs, and their price, at the safe count; of all slices together.
    n
        The safe count of one slice (per arm for independent arms) that they follow from.
    handbook_n
        Count of the handbook formula.
    power
        Exact power at ``n``.
    own_power
        Exact power with the set that is owned, in its smallest slice.
    assumes
        What has to be true, in words.
    rule
        The interval that grades.
    """

    design: Design
    cases: int
    runs: int
    cost: float
    n: int
    handbook_n: int
    power: float
    own_power: float | None
    assumes: str
    rule: str
