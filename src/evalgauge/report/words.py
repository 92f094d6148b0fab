"""How numbers are written for people: units always, no false digits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.questions.scale import Scale, apart, count, decimals, level, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "METHOD_TITLES",
    "Scale",
    "apart",
    "change_bar",
    "count",
    "decimals",
    "df_text",
    "interval_bar",
    "level",
    "listed",
    "method_title",
    "p_text",
    "percent",
    "short_name",
]

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
    "guarded ppi": "prediction-powered (PPI), Wilson and Tango ends by MOVER",
    "mover": "MOVER on effective-n Wilson",
}


def method_title(method: str) -> str:
    """Return what a rule is called in a sentence; a name without a title of its own is good enough to read."""
    return METHOD_TITLES.get(method, method)


def p_text(p_value: float) -> str:
    """Return a p-value: three digits, never ``0.000``."""
    if p_value < 0.0001:
        return "< 0.0001"
    return f"= {p_value:.4f}" if p_value < 0.001 else f"= {p_value:.3f}"


def listed(names: Sequence[str], shown: int = 6) -> str:
    """Return the first names and how many more there are."""
    head = " ".join(names[:shown])
    rest = len(names) - shown
    return f"{head} … {rest:,} more" if rest > 0 else head


def short_name(name: str, most: int) -> str:
    """Return a name of at most so many letters, cut in its middle: names of a family differ at their ends.

    Examples
    --------
    >>> short_name("provider/model-large-2026", 12)
    'provid…-2026'
    """
    tail = most // 2 - 1
    return name if len(name) <= most else f"{name[: most - tail - 1]}…{name[-tail:]}"


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
