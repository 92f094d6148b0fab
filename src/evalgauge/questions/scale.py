"""How numbers of a score are written for people: units always, no false digits.

Sentences in answers and lines of a report are written with the same functions, so that they show the same digits.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalgauge.questions.units import ScoreRange


class Scale:
    """Writes shares as percent, or as score units for a score with other limits or none.

    Parameters
    ----------
    score_range
        The possible range of the score; ``None`` for a score without limits.
    """

    def __init__(self, score_range: ScoreRange | None) -> None:
        self.ends: tuple[str, str] | None = ("0", "100 %")
        self.low, self.factor = 0.0, 1.0
        self.unit = self.points = ""
        if score_range is None:
            self.ends = None
        elif tuple(score_range) == (0.0, 1.0):
            self.factor, self.unit, self.points = 100.0, " %", " points"
        else:
            low, high = score_range
            self.low, self.factor = low, high - low
            self.unit = self.points = f" on {low:g} to {high:g}"
            self.ends = (f"{low:g}", f"{high:g}")
        self.is_percent = self.unit == " %"

    def number(self, share: float) -> str:
        """Return the bare number of a share, without its unit; only a true 0 or 1 is written as an end of the range."""
        number, is_end = self.low + self.factor * share, self.ends is None or share in {0.0, 1.0}
        more = 0
        while not is_end and more < 6 and decimals(number, self.factor, more) in self._end_texts(more):
            more += 1
        return decimals(number, self.factor, more)

    def _end_texts(self, more: int) -> set[str]:
        return {decimals(self.low + self.factor * end, self.factor, more) for end in (0.0, 1.0)}

    def value(self, share: float) -> str:
        """Return a share with its unit: ``66.7 %``."""
        return f"{self.number(share)}{self.unit}"

    def span(self, low: float, high: float, *, beside: float | None = None) -> str:
        """Return an interval with its unit: ``53.9 to 77.4 %``; as many digits as keep its ends apart.

        They are kept apart from ``beside`` as well, a line that they must not seem to touch.
        """
        ends = [self.low + self.factor * share for share in (low, high)]
        line = None if beside is None else self.low + self.factor * beside
        first, last = apart(ends[0], ends[1], self.factor, beside=line)
        return f"{first} to {last}{self.unit}"

    def change(self, delta: float) -> str:
        """Return a signed difference without its unit: ``+5.4``."""
        return signed(decimals(self.factor * delta, self.factor))

    def change_span(self, low: float, high: float, *, beside: float | None = None) -> str:
        """Return an interval of a difference without its unit: ``+0.9 to +10.3``; its digits are those of `span`."""
        line = None if beside is None else self.factor * beside
        first, last = apart(self.factor * low, self.factor * high, self.factor, beside=line)
        return f"{signed(first)} to {signed(last)}"

    def distance(self, delta: float) -> str:
        """Return an unsigned distance with its unit: ``3.4 points``."""
        text = decimals(self.factor * abs(delta), self.factor)
        return f"{text}{self.points}"

    def is_shown_as_0(self, delta: float) -> bool:
        """Return whether a distance is too small to be written."""
        return not decimals(self.factor * abs(delta), self.factor).strip("0.")


def decimals(number: float, scale: float, more: int = 0) -> str:
    """Return a number with one decimal on a scale of 100, and more on a smaller one; halves are rounded up.

    Parameters
    ----------
    number
        What to write.
    scale
        Width of the range that it lies on.
    more
        Decimals beyond the usual ones.
    """
    if not math.isfinite(number):
        return "unknown"
    if abs(number) >= 1e12:
        return f"{number:.6g}"
    places = (1 if scale >= 50 else 2 if scale >= 5 else 3) + more
    # From the shortest decimal form, so that 66.25 is the half that people see and not the float just below or above.
    text = f"{Decimal(repr(number)).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP):f}"
    return text.removeprefix("-") if not text.strip("-0.") else text


def apart(low: float, high: float, scale: float, *, beside: float | None = None) -> tuple[str, str]:
    """Return different numbers as different texts, two of them and a line beside, with up to five decimals more."""
    pair = ("", "")
    for more in range(6):
        pair = decimals(low, scale, more), decimals(high, scale, more)
        touches = beside is not None and beside not in (low, high) and decimals(beside, scale, more) in pair
        if not touches and (pair[0] != pair[1] or low == high):
            break
    return pair


def signed(text: str) -> str:
    """Return a number as text with its sign; zero has none."""
    return text if text.startswith("-") or not text.strip("0.") else f"+{text}"


def percent(share: float) -> str:
    """Return a share as percent: with the digits that it has, up to six, else with four: ``99.95 %``, ``64.17 %``.

    Only a true 0 or 1 is written as 0 % or 100 %.
    """
    number = 100 * share
    text = f"{number:.6g}"
    if abs(float(text) - number) > 1e-12:
        text = next(found for digits in range(4, 18) if float(found := f"{number:.{digits}g}") not in {0.0, 100.0})
    return f"{text} %"


def level(share: float) -> str:
    """Return a level as percent with six digits: ``99.5833 %``; ``above 99.9999 %`` where these would say 100."""
    text = f"{100 * share:.6g}"
    return f"{text} %" if share == 1 or text != "100" else "above 99.9999 %"


def count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 case``, ``1,220 cases``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
