"""One of several planned looks at growing data: how strict a claim is read so that all looks err no more than one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalgauge.errors import ArgumentError
from evalgauge.stats.group_sequential import MOST_LOOKS, look_bounds

if TYPE_CHECKING:
    from evalgauge.stats.group_sequential import LookBounds

Bounds: TypeAlias = Literal["obrien-fleming", "pocock"]

# Beyond it a level is 100 % in all its digits, which no interval has.
_STRICTEST = 1 - 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One of several equally spaced looks at one comparison.

    Attributes
    ----------
    number, of
        Which look, of how many that were planned.
    bounds
        ``"obrien-fleming"`` (strict early, nearly free at the end) or ``"pocock"`` (alike at every look).
    """

    number: int
    of: int
    bounds: Bounds

    @property
    def is_last(self) -> bool:
        """Whether no look comes after it."""
        return self.number == self.of

    def level(self, confidence: float) -> float:
        """Return the two-sided level to read at this look, so that all of them together keep ``confidence``.

        Examples
        --------
        >>> [round(Look(number=at, of=3, bounds="pocock").level(0.95), 4) for at in (1, 2, 3)]
        [0.9779, 0.9779, 0.9779]
        """
        return min(_bounds(self.of, self.bounds, confidence).confidences[self.number - 1], _STRICTEST)

    def inflation(self, confidence: float) -> float:
        """Return by how much the last look needs more cases than a single look, at a power of 80 %."""
        return _bounds(self.of, self.bounds, confidence).inflation


def look_from_text(text: str, bounds: Bounds) -> Look:
    """Return the look that is meant by ``2/5``.

    Raises
    ------
    ArgumentError
        If it is none of 2 to 20 planned looks.

    Examples
    --------
    >>> look_from_text("2/5", "pocock")
    Look(number=2, of=5, bounds='pocock')
    """
    number, slash, of = text.partition("/")
    allowed = f"a look and how many are planned, such as 2/5, at most {MOST_LOOKS}"
    if not (slash and number.isascii() and number.isdigit() and of.isascii() and of.isdigit() and len(text) < 8):
        raise ArgumentError("interim", text, allowed)
    found = Look(number=int(number), of=int(of), bounds=bounds)
    if not (1 <= found.number <= found.of and 2 <= found.of <= MOST_LOOKS):
        raise ArgumentError("interim", text, allowed)
    return found


@cache
def _bounds(looks: int, kind: Bounds, confidence: float) -> LookBounds:
    return look_bounds(looks, kind, confidence=confidence)
