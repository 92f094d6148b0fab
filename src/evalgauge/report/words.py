"""How numbers are written for people: units always, no false digits."""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalgauge.questions.units import ScoreRange

METHOD_TITLES = {
    "wilson": "Wilson score",
    "clopper-pearson": "Clopper-Pearson exact",
    "clopper-pearson at the effective n": "Clopper-Pearson at the effective n",
    "effective-n wilson t": "effective-n Wilson with t",
    "clustered effective-n wilson t": "effective-n Wilson with t over clusters",
    "tango": "Tango paired score",
    "tie-aware t": "tie-aware t over cases",
    "hull": "guarded hull of effective-n Wilson and MOVER",
    "miettinen-nurminen": "Miettinen-Nurminen score",
    "mover": "MOVER on effective-n Wilson",
}


def method_title(method: str) -> str:
    """Return what a rule is called in a sentence; a name without a title of its own is good enough to read."""
    return METHOD_TITLES.get(method, method)


class Scale:
    """Writes shares as percent, or as score units for a score with other limits or none.

    Parameters
    ----------
    score_range
        The possible range of the score; ``None`` for a score without limits.
    """

    def __init__(self, score_range: ScoreRange | None) -> None:
        self.ends: tuple[str, str] | None = ("0", "100 %")
        self._low, self._factor = 0.0, 1.0
        self.unit = self.points = ""
        if score_range is None:
            self.ends = None
        elif tuple(score_range) == (0.0, 1.0):
            self._factor, self.unit, self.points = 100.0, " %", " points"
        else:
            low, high = score_range
            self._low, self._factor = low, high - low
            self.unit = self.points = f" on {low:g} to {high:g}"
            self.ends = (f"{low:g}", f"{high:g}")
        self.is_percent = self.unit == " %"

    def number(self, share: float) -> str:
        """Return the bare number of a share, without its unit; only a true 0 or 1 is written as an end of the range."""
        number, is_end = self._low + self._factor * share, self.ends is None or share in {0.0, 1.0}
        more = 0
        while not is_end and more < 6 and decimals(number, self._factor, more) in self._end_texts(more):
            more += 1
        return decimals(number, self._factor, more)

    def _end_texts(self, more: int) -> set[str]:
        return {decimals(self._low + self._factor * end, self._factor, more) for end in (0.0, 1.0)}

    def value(self, share: float) -> str:
        """Return a share with its unit: ``66.7 %``."""
        return f"{self.number(share)}{self.unit}"

    def span(self, low: float, high: float) -> str:
        """Return an interval with its unit: ``53.9 to 77.4 %``; as many digits as keep its ends apart."""
        ends = [self._low + self._factor * share for share in (low, high)]
        first, last = apart(ends[0], ends[1], self._factor)
        return f"{first} to {last}{self.unit}"

    def change(self, delta: float) -> str:
        """Return a signed difference without its unit: ``+5.4``."""
        return signed(decimals(self._factor * delta, self._factor))

    def change_span(self, low: float, high: float) -> str:
        """Return an interval of a difference without its unit: ``+0.9 to +10.3``."""
        first, last = apart(self._factor * low, self._factor * high, self._factor)
        return f"{signed(first)} to {signed(last)}"

    def distance(self, delta: float) -> str:
        """Return an unsigned distance with its unit: ``3.4 points``."""
        text = decimals(self._factor * abs(delta), self._factor)
        return f"{text}{self.points}"

    def is_shown_as_0(self, delta: float) -> bool:
        """Return whether a distance is too small to be written."""
        return not decimals(self._factor * abs(delta), self._factor).strip("0.")


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


def apart(low: float, high: float, scale: float) -> tuple[str, str]:
    """Return two different numbers as two different texts, with up to five decimals more than usual."""
    pair = decimals(low, scale), decimals(high, scale)
    for more in range(1, 6):
        if pair[0] != pair[1] or low == high:
            break
        pair = decimals(low, scale, more), decimals(high, scale, more)
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


def p_text(p_value: float) -> str:
    """Return a p-value: three digits, never ``0.000``."""
    if p_value < 0.0001:
        return "< 0.0001"
    return f"= {p_value:.4f}" if p_value < 0.001 else f"= {p_value:.3f}"


def count(number: int, noun: str) -> str:
    """Return a number with its noun: ``1 case``, ``1,220 cases``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: Sequence[str], shown: int = 6) -> str:
    """Return the first names and how many more there are."""
    head = " ".join(names[:shown])
    rest = len(names) - shown
    return f"{head} … {rest:,} more" if rest > 0 else head


def df_text(df: float) -> str:
    """Return degrees of freedom: one decimal below 100, whole above."""
    return f"{df:,.0f}" if df >= 100 or df == int(df) else f"{df:.1f}"


def interval_bar(low: float, estimate: float, high: float, ends: tuple[str, str], width: int = 40) -> str:
    """Return a small picture of an interval, ``0 ───[━━●━]── 100 %``; ``ends`` names the ends of the range."""
    cells = ["─"] * width

    def at(share: float) -> int:
        return min(width - 1, max(0, round(share * (width - 1))))

    start, middle, end = at(low), at(estimate), at(high)
    for cell in range(start, end + 1):
        cells[cell] = "━"
    cells[start], cells[end] = "[", "]"
    cells[middle] = "●"
    return f"{ends[0]} {''.join(cells)} {ends[1]}"


def change_bar(low: float, estimate: float, high: float, width: int = 41) -> str:
    """Return a small picture of a difference around 0; the scale is given by the larger end."""
    reach = max(abs(low), abs(high), 1e-9)
    reach = next((step for step in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0) if reach <= step), reach)
    middle_cell = width // 2
    cells = ["─"] * width
    cells[middle_cell] = "┼"

    def at(delta: float) -> int:
        return min(width - 1, max(0, round(middle_cell + delta / reach * middle_cell)))

    for cell in range(at(low), at(high) + 1):
        cells[cell] = "╋" if cell == middle_cell else "━"
    cells[at(low)], cells[at(high)] = "[", "]"
    cells[at(estimate)] = "●"
    return f"{-100 * reach:g} " + "".join(cells) + f" +{100 * reach:g} points"
