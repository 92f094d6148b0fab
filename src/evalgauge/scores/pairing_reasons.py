"""Why each case was matched as it was: by which tier, and what kept a better tier from matching it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalgauge.scores.identity import case_keys
from evalgauge.scores.pairing import TIERS

if TYPE_CHECKING:
    from evalgauge.scores.identity import CaseView
    from evalgauge.scores.pairing import Pairing

_CONTENT, _INPUT, _SOURCE, _NEAR, _ID = TIERS
_SIDES = ("baseline", "candidate")


@dataclass(frozen=True, slots=True, kw_only=True)
class PairReason:
    """One case, or a pair of cases, and why it is matched so.

    Attributes
    ----------
    baseline, candidate
        Indices into the two lists of cases; ``None`` where the case has no partner.
    tier
        One of ``TIERS``; ``""`` where the case has no partner.
    reason
        What kept a better tier from matching it; ``""`` for the best tier.
    """

    baseline: int | None
    candidate: int | None
    tier: str
    reason: str


def pair_reasons(baseline: CaseView, candidate: CaseView, pairing: Pairing) -> tuple[PairReason, ...]:
    """Return for every case by which tier it was matched, and why not by a better one.

    Parameters
    ----------
    baseline, candidate
        The two views that were paired: their contents are not read again.
    pairing
        What ``paired_cases`` made of them.

    Returns
    -------
    tuple of PairReason
        The pairs in the order of the baseline, then the cases of the baseline without a partner, then those of the
        candidate.

    Examples
    --------
    >>> import numpy as np
    >>> from evalgauge.scores.identity import CaseView
    >>> from evalgauge.scores.pairing import paired_cases
    >>> from evalgauge.scores.table import CaseContent, Cases
    >>> def view(*targets):
    ...     asked = [CaseContent(input=f"How much is {n} + 1?", target=target) for n, target in enumerate(targets)]
    ...     return CaseView(Cases(case_id=("a", "b")[: len(asked)], dup=np.zeros(len(asked), np.int32),
    ...                           contents=lambda: asked))
    >>> one, two = view("1", "2"), view("1", "3")
    >>> for found in pair_reasons(one, two, paired_cases(one, two)): print(f"{found.tier}: {found.reason}.")
    content: .
    input: the expected answer differs.
    """
    reasons = _Reasons((baseline, candidate), pairing)
    tiers: list[int] = pairing.tier.tolist()
    pairs = zip(pairing.baseline.tolist(), pairing.candidate.tolist(), tiers, strict=True)
    found = [
        PairReason(baseline=one, candidate=two, tier=TIERS[tier], reason=reasons.of_pair(one, two, TIERS[tier]))
        for one, two, tier in pairs
    ]
    left, right = pairing.only_baseline.tolist(), pairing.only_candidate.tolist()
    found += [PairReason(baseline=case, candidate=None, tier="", reason=reasons.of_single(case, 0)) for case in left]
    found += [PairReason(baseline=None, candidate=case, tier="", reason=reasons.of_single(case, 1)) for case in right]
    return tuple(found)


class _Reasons:
    def __init__(self, views: tuple[CaseView, CaseView], pairing: Pairing) -> None:
        self._prints = tuple(view.fingerprints for view in views)
        self._refusal = pairing.refusal
        self._keys = tuple(case_keys(view.cases) for view in views)
        self._place = tuple({key: place for place, key in enumerate(keys)} for keys in self._keys)
        self._contents = tuple(set(prints.case_fp) | set(prints.input_fp) for prints in self._prints)

    def of_pair(self, one: int, two: int, tier: str) -> str:
        if tier == _CONTENT:
            return ""
        if tier == _INPUT:
            return self._why_not_equal(one, two)
        if tier == _NEAR:
            return "the inputs are not equal: words or a template around them differ"
        unknown = self._unknown(one, two)
        if tier == _ID or unknown:
            return unknown or "contents are known and no two of them are alike"
        if self._prints[0].case_fp[one] == self._prints[1].case_fp[two]:
            return "the contents are equal too, but need not be read: the framework's hashes pair every case"
        return "the contents that are logged differ; the framework's hash of the case does not"

    def of_single(self, case: int, side: int) -> str:
        other = 1 - side
        prints = self._prints[side]
        there = f"in the {_SIDES[other]}"
        known = {prints.case_fp[case], prints.input_fp[case]} - {None}
        if known & self._contents[other]:
            return f"its content is {there} too, but less often, and each copy there has a partner"
        twin = self._place[other].get(self._keys[side][case])
        if twin is not None:
            if known and self._is_known(twin, other):
                return f"the case of its id {there} has another content"
            return self._refusal or f"the case of its id {there} has another partner"
        if known:
            return f"nothing {there} has its content or nearly its text, and no case there has its id"
        return f"its content is not known, and no case {there} has its id"

    def _why_not_equal(self, one: int, two: int) -> str:
        targets = self._prints[0].target_fp[one], self._prints[1].target_fp[two]
        if targets[0] == targets[1]:
            return "the choices are in another order"
        if None in targets:
            side = _SIDES[targets.index(None)]
            return f"the expected answer is not known in the {side}"
        return "the expected answer differs"

    def _unknown(self, one: int, two: int) -> str:
        missing = [side for side, case in enumerate((one, two)) if not self._is_known(case, side)]
        if len(missing) == 2:
            return "its content is in neither log"
        return f"its content is not in the {_SIDES[missing[0]]}" if missing else ""

    def _is_known(self, case: int, side: int) -> bool:
        prints = self._prints[side]
        return prints.case_fp[case] is not None or prints.input_fp[case] is not None
