"""Where the rules of a report come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evalgauge.questions.report import ReportAnswer

# By a word that the names of methods hold.
_SOURCES = {
    "wilson": "Wilson 1927 (score interval)",
    "clopper": "Clopper and Pearson 1934",
    "clustered": "Liang and Zeger 1986 (clusters)",
    "tango": "Tango 1998 (paired proportions)",
    "tie-aware": "Student 1908, over the cases",
    "hull": "Zou and Donner 2008 (MOVER)",
    "mover": "Zou and Donner 2008 (MOVER)",
    "miettinen": "Miettinen and Nurminen 1985",
    "ppi": "Angelopoulos et al. 2023 (prediction-powered inference)",
}
_RANKS = "Mogstad, Romano, Shaikh and Wilhelm 2024 (ranks)"
_SLICES = "Holm 1979 (slices)"


def sources_of(answer: ReportAnswer) -> str:
    """Return the sources of the rules that a report used, each once."""
    methods = {one.method for one in answer.scores}
    methods |= {one.difference.method for one in answer.comparisons} | {
        one.guarded.method for one in answer.comparisons
    }
    found = [text for word, text in _SOURCES.items() if any(word in method for method in methods)]
    if answer.ranking is not None:
        found.append(_RANKS)
    if any(one.slices for one in answer.comparisons):
        found.append(_SLICES)
    return "; ".join(dict.fromkeys(found))
