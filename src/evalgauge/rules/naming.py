"""The names of the rules for one score: the only list that the command line, the pages and the documents read."""

from __future__ import annotations

from difflib import get_close_matches
from types import MappingProxyType
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping

SCORE_RULES: Mapping[str, str] = MappingProxyType(
    {
        "wilson": "score interval for one pass or fail a case; the default there",
        "clopper-pearson": "exact, never covers less than asked, wider; one pass or fail a case",
        "jeffreys": "equal tails of a Beta(1/2, 1/2) prior; one pass or fail a case",
        "mid-p": "exact with half the chance of the observed count; one pass or fail a case",
        "wilson-cc": "Wilson with a continuity correction of half a case",
        "effective-n wilson t": "Wilson at the effective number of cases or clusters with a Student quantile; the "
        "default for repeated runs, graded scores and clusters",
        "t": "Student's interval over case means; the default for scores without a range",
        "cr2 t": "cluster-robust standard error (CR2) with Satterthwaite degrees of freedom; the default for clustered "
        "scores without a range",
        "within-case t": "exactly these cases: Student's interval over the noise between runs",
        "wald": "estimate ± z standard errors; for comparison only, covers too little near 0 and 1",
    }
)


def rule_name(rule: str, rules: Mapping[str, str] = SCORE_RULES, *, also: str = "auto, ") -> str:
    """Return the stable name of a rule, however it is typed: any case, with spaces, hyphens or underscores.

    Parameters
    ----------
    rule
        The name as typed.
    rules
        Known names with their meanings.
    also
        What else may be said in place of a name, for the refusal.

    Raises
    ------
    ArgumentError
        If there is no such rule; the nearest name is suggested.

    Examples
    --------
    >>> rule_name("Clopper_Pearson")
    'clopper-pearson'
    """
    plain = {_plain(name): name for name in rules}
    found = plain.get(_plain(rule))
    if found is not None:
        return found
    near = get_close_matches(_plain(rule), plain, n=1)
    hint = f"Did you mean {plain[near[0]]!r}?" if near else ""
    raise ArgumentError("rule", rule, also + ", ".join(rules), hint)


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").replace("-", " ").strip()
