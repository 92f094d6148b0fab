"""Putting two logs side by side: which case of the candidate is which case of the baseline.

Content comes first, because ids are no identity: every set has a case 1. A pair is made by the first of these tiers
that knows it: equal content, equal input (the label was corrected), the framework's own content hash, near-equal text
(another template), equal id (announced, and only where no content contradicts it).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import eq
from typing import TYPE_CHECKING, Literal, TypeAlias
from zlib import crc32

import numpy as np

from evalgauge.errors import PairingError
from evalgauge.scores.identity import CaseView, case_keys, equal_names, usable_ids
from evalgauge.scores.minhash import near_matches

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.table import Cases

By: TypeAlias = Literal["content", "near", "id"]

TIERS = ("content", "input", "source hash", "near", "id")
_CONTENT, _INPUT, _SOURCE, _NEAR, _ID = range(5)
_BY: dict[str, By] = {"content": "content", "input": "content", "source hash": "content", "near": "near", "id": "id"}
# Enough texts of the set to see its template, however few are left to match.
_MOST_CONTEXT = 5_000
_SHOWN_IDS = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pairing:
    """Which case of the candidate is which case of the baseline.

    Attributes
    ----------
    baseline, candidate
        Indices into the two lists of cases, one entry per pair, in the order of the baseline.
    tier
        Per pair the index into ``TIERS`` of what made it.
    only_baseline, only_candidate
        Indices of the cases that have no partner.
    ids_agree
        Pairs whose ids are equal; fewer than all pairs means that cases were renumbered.
    by
        What made most pairs: ``"content"`` (equal content, input or source hash), ``"near"`` or ``"id"``.
    by_counts
        Pairs per tier, by name, where there are any.
    notes
        Sentences that have to be shown with any result of this pairing.
    refusal
        Why equal ids were not used; ``""`` where they were, or where there are none.
    """

    baseline: NDArray[np.intp]
    candidate: NDArray[np.intp]
    tier: NDArray[np.int8]
    only_baseline: NDArray[np.intp]
    only_candidate: NDArray[np.intp]
    ids_agree: int
    by: By
    by_counts: Mapping[str, int]
    notes: tuple[str, ...] = ()
    refusal: str = ""

    def __len__(self) -> int:
        return self.baseline.size

    def __str__(self) -> str:
        return f"{len(self):,} of {max(self.n_baseline, self.n_candidate):,} cases matched by {self.by}"

    @property
    def n_baseline(self) -> int:
        """Number of cases of the baseline."""
        return self.baseline.size + self.only_baseline.size

    @property
    def n_candidate(self) -> int:
        """Number of cases of the candidate."""
        return self.candidate.size + self.only_candidate.size


def paired_cases(baseline: Cases | CaseView, candidate: Cases | CaseView) -> Pairing:
    """Return which case of the candidate is which case of the baseline.

    Copies of one case are kept apart and paired one to one: those of equal id first, the rest in the order of their
    ids. Cases that both have known, different content are never paired, whatever their ids.

    Parameters
    ----------
    baseline, candidate
        The cases of the two logs. A ``CaseView`` reads contents once for many pairings.

    Returns
    -------
    Pairing
        Pairs, what made them, and the cases without a partner.

    Raises
    ------
    PairingError
        When no case of one log is found in the other.

    Examples
    --------
    >>> from evalgauge.scores.table import CaseContent, Cases
    >>> asked = [CaseContent(input=text) for text in ("Is it hot?", "Is it cold?")]
    >>> one = Cases(case_id=("1", "2"), dup=np.zeros(2, np.int32), contents=lambda: asked)
    >>> two = Cases(case_id=("1", "2"), dup=np.zeros(2, np.int32), contents=lambda: asked[::-1])
    >>> found = paired_cases(one, two)
    >>> print(found, found.candidate.tolist(), found.ids_agree)
    2 of 2 cases matched by content [1, 0] 0
    """
    matching = _Matching(_view(baseline), _view(candidate))
    if not matching.settled_by_source_hash():
        matching.by_content()
        matching.by_near_text()
        matching.by_id()
    return matching.result()


def _view(cases: Cases | CaseView) -> CaseView:
    return cases if isinstance(cases, CaseView) else CaseView(cases)


class _Matching:
    """A pairing in the making: each tier adds pairs among the cases that are left."""

    def __init__(self, one: CaseView, two: CaseView) -> None:
        self.views = (one, two)
        self.one, self.two = one.cases, two.cases
        self.keys = (case_keys(self.one), case_keys(self.two))
        self.partner = np.full(len(self.one), -1, dtype=np.intp)
        self.tier = np.zeros(len(self.one), dtype=np.int8)
        self.taken = np.zeros(len(self.two), dtype=np.bool_)
        self.notes: tuple[str, ...] = ()
        self.refusal = ""
        self.copies = 0

    @property
    def is_done(self) -> bool:
        """Whether one of the logs has no case left."""
        return bool((self.partner >= 0).all() or self.taken.all())

    def settled_by_source_hash(self) -> bool:
        """Return whether the framework's hashes pair every case with every case, so that no content need be read."""
        hashes = self._source_hashes()
        if hashes is None or len(self.one) != len(self.two) or None in hashes[0] or None in hashes[1]:
            return False
        self._add(_SOURCE, *hashes)
        if (self.partner >= 0).all():
            return True
        self.partner[:] = -1
        self.taken[:] = False
        self.copies = 0
        return False

    def by_content(self) -> None:
        """Add the pairs of equal content, of equal input, and of equal source hash."""
        if self.views[0].has_content and self.views[1].has_content:
            one, two = (view.fingerprints for view in self.views)
            self._add(_CONTENT, one.case_fp, two.case_fp)
            self._add(_INPUT, one.input_fp, two.input_fp)
        if hashes := self._source_hashes():
            self._add(_SOURCE, *hashes)

    def by_near_text(self) -> None:
        """Add the pairs whose texts are the same under another template; equal texts of one log count as one."""
        if self.is_done or not self.views[0].has_content or not self.views[1].has_content:
            return
        left, right = (
            _texts(view.fingerprints.texts, free)
            for view, free in zip(self.views, (self.partner < 0, ~self.taken), strict=True)
        )
        if not left.groups or not right.groups:
            return
        found = near_matches(
            tuple(left.groups), tuple(right.groups), baseline_context=left.context, candidate_context=right.context
        )
        self._add(
            _NEAR,
            _match_numbers(len(self.one), left.groups, found.baseline),
            _match_numbers(len(self.two), right.groups, found.candidate),
        )

    def by_id(self) -> None:
        """Add the pairs of equal id whose content is not known on both sides, where the ids can be trusted."""
        if self.is_done:
            return
        ids = usable_ids(*self.views, keys=self.keys, partner=self.partner)
        self.refusal = ids.refusal
        self.notes += ids.notes
        free = (self.partner[ids.one] < 0) & ~self.taken[ids.two]
        self._take(_ID, ids.one[free], ids.two[free])

    def result(self) -> Pairing:
        """Return the pairing, or raise when there is none."""
        baseline = np.flatnonzero(self.partner >= 0)
        if not baseline.size:
            raise PairingError(_no_common_case(self.one, self.two, self.refusal))
        candidate = self.partner[baseline]
        tier = self.tier[baseline]
        counts: list[int] = np.bincount(tier, minlength=len(TIERS)).tolist()
        totals: dict[By, int] = {"content": 0, "near": 0, "id": 0}
        for name, count in zip(TIERS, counts, strict=True):
            totals[_BY[name]] += count
        only = np.flatnonzero(self.partner < 0), np.flatnonzero(~self.taken)
        return Pairing(
            baseline=baseline,
            candidate=candidate,
            tier=tier,
            only_baseline=only[0],
            only_candidate=only[1],
            ids_agree=self._ids_agree(baseline, candidate),
            # On a tie the weaker kind is named.
            by=max(reversed(totals), key=totals.__getitem__),
            by_counts={name: count for name, count in zip(TIERS, counts, strict=True) if count},
            notes=(*self._notes(baseline, candidate, tier), *self.notes),
            refusal=self.refusal,
        )

    def _ids_agree(self, baseline: NDArray[np.intp], candidate: NDArray[np.intp]) -> int:
        by_id = self.tier[baseline] == _ID
        mine = [self.one.case_id[case] for case in _listed(baseline[~by_id])]
        theirs = [self.two.case_id[case] for case in _listed(candidate[~by_id])]
        return int(by_id.sum()) + sum(map(eq, mine, theirs))

    def _notes(self, baseline: NDArray[np.intp], candidate: NDArray[np.intp], tier: NDArray[np.int8]) -> list[str]:
        notes: list[str] = []
        if near := int((tier == _NEAR).sum()):
            notes.append(
                f"{_cases(near)} matched by near-equal text: the same words in the same order, under another template."
            )
        relabelled = tier == _INPUT
        if relabelled.any():
            one, two = (view.fingerprints.target_fp for view in self.views)
            pairs = zip(_listed(baseline[relabelled]), _listed(candidate[relabelled]), strict=True)
            if changed := sum(None not in (one[mine], two[his]) and one[mine] != two[his] for mine, his in pairs):
                notes.append(
                    f"{_cases(changed)} matched by input alone: the expected answer differs between the logs, and a "
                    "changed label can look like a changed system."
                )
        if self.copies:
            notes.append(
                f"{_cases(self.copies)} matched as copies of another case: copies are kept and paired one to one."
            )
        return notes

    def _source_hashes(self) -> tuple[Sequence[str | None], Sequence[str | None]] | None:
        one, two = self.one, self.two
        if one.source_hash is None or two.source_hash is None:
            return None
        if not one.source_hash_scheme or one.source_hash_scheme != two.source_hash_scheme:
            return None
        return one.source_hash, two.source_hash

    def _add(self, tier: int, one: Sequence[Hashable], two: Sequence[Hashable]) -> None:
        """Pair the cases that are left and have the same name; ``None`` is no name."""
        if self.is_done:
            return
        free = np.flatnonzero(self.partner < 0), np.flatnonzero(~self.taken)
        first, second, copies = equal_names(one, two, free=free, keys=self.keys)
        self.copies += copies
        self._take(tier, first, second)

    def _take(self, tier: int, first: NDArray[np.intp], second: NDArray[np.intp]) -> None:
        self.partner[first] = second
        self.tier[first] = tier
        self.taken[second] = True


def _listed(indices: NDArray[np.intp]) -> list[int]:
    return indices.tolist()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Texts:
    """Distinct texts that are left with the cases that hold them, and some other texts of the set."""

    groups: Mapping[str, list[int]]
    context: Sequence[str]


def _texts(texts: Sequence[str | None], free: NDArray[np.bool_]) -> _Texts:
    groups: dict[str, list[int]] = {}
    others: set[str] = set()
    for case, (text, is_free) in enumerate(zip(texts, free.tolist(), strict=True)):
        if text is not None and is_free:
            groups.setdefault(text, []).append(case)
        elif text is not None:
            others.add(text)
    # In the order of a checksum: the order of the log must not change which texts are looked at, and in alphabetical
    # order the first ones would be of one kind.
    context = sorted(others - groups.keys(), key=_checksum)[:_MOST_CONTEXT] if groups else ()
    return _Texts(groups=groups, context=context)


def _checksum(text: str) -> tuple[int, str]:
    return crc32(text.encode("utf-8", "surrogatepass")), text


def _match_numbers(n_cases: int, groups: Mapping[str, list[int]], matched: NDArray[np.intp]) -> list[int | None]:
    """Return per case the number of the match that its text is in."""
    numbers: list[int | None] = [None] * n_cases
    cases = list(groups.values())
    for number, group in enumerate(_listed(matched)):
        for case in cases[group]:
            numbers[case] = number
    return numbers


def _cases(count: int) -> str:
    return "1 case was" if count == 1 else f"{count:,} cases were"


def _first_ids(cases: Cases, at: Sequence[int]) -> str:
    shown = ", ".join(cases.case_id[index] for index in at[:_SHOWN_IDS])
    return shown + (f" and {len(at) - _SHOWN_IDS:,} more" if len(at) > _SHOWN_IDS else "")


def _no_common_case(one: Cases, two: Cases, refusal: str) -> str:
    counts = " and ".join(
        f"the {side} has {len(cases):,} cases" + (f" ({_first_ids(cases, range(len(cases)))})" if len(cases) else "")
        for side, cases in (("baseline", one), ("candidate", two))
    )
    return (
        f"No case is in both logs: {counts}; nothing was matched by content or by id. {refusal}{' ' if refusal else ''}"
        "If the same cases have other names there, say which column holds them: "
        "--map base:case=COLUMN,cand:case=COLUMN. If they are different cases, compare with --unpaired."
    )
