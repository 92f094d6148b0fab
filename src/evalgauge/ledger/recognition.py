"""Knowing a set when it comes back under another name, in another order, re-templated, shortened or extended."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.scores.minhash import similar_sketches

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from evalgauge.ledger.prints import SetPrint
    from evalgauge.scores.minhash import Sketches

Kind: TypeAlias = Literal["same", "subset", "superset", "overlap"]
LEAST_SHARE = 0.5
"""Share of a log's cases that must be those of a known set."""
_LEAST_OF_IDS = 0.8
# Standard errors within which an extrapolated count is taken for all cases.
_NEAR_ERRORS = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """What a log's set is to a set that the ledger knows.

    Attributes
    ----------
    kind
        ``"same"`` cases, a ``"subset"`` or ``"superset"`` of them, or an ``"overlap"``.
    matched, n_new, n_known
        Cases in both, in the log, and in the known set.
    by
        How many were known by ``content``, by ``input`` (the expected answer was edited), by ``near`` text (another
        template), or by ``id``.
    is_reordered, is_renamed
        Whether the log lists them in another order, or calls the set by another name.
    is_estimate
        Whether ``matched`` was extrapolated from a sample of the known cases.
    """

    kind: Kind
    matched: int
    n_new: int
    n_known: int
    by: Mapping[str, int]
    is_reordered: bool
    is_renamed: bool
    is_estimate: bool = False

    @property
    def share(self) -> float:
        """Share of the log's cases that are those of the known set."""
        return self.matched / self.n_new

    @property
    def likeness(self) -> float:
        """Cases in both over cases in either."""
        return self.matched / (self.n_new + self.n_known - self.matched)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KnownSet:
    """The cases of a set as the ledger keeps them.

    Attributes
    ----------
    case, asked
        As in ``SetPrint``.
    identity, root, order, name, is_generic
        Same.
    """

    case: NDArray[np.void]
    asked: NDArray[np.void]
    identity: str
    root: str
    order: str
    name: str
    is_generic: bool


def relation(new: SetPrint, known: KnownSet, *, is_named: bool = False) -> Relation | None:
    """Return what a log's set is to a known one by equal hashes; ``None`` where no case is in both.

    Parameters
    ----------
    new, known
        Prints under one salt.
    is_named
        Whether somebody said that it is this set. Without it, mere numbers are no identity where the set has no name.
    """
    if new.identity != known.identity:
        return None
    left, right, exact = equal_hashes(new.case, known.case)
    asked = 0
    if new.identity == "content" and exact < min(len(new), known.case.size):
        free = np.setdiff1d(np.arange(len(new)), left), np.setdiff1d(np.arange(known.case.size), right)
        one, two = (_known(side[at]) for side, at in zip((new.asked, known.asked), free, strict=True))
        asked = equal_hashes(one, two)[2]
    by = {"content" if new.identity == "content" else "id": exact, "input": asked}
    if new.is_generic and not is_named:
        agree = exact >= _LEAST_OF_IDS * max(len(new), known.case.size)
        if not (new.name and agree and len(new) == known.case.size):
            return None
    return _named(new, known, by)


def near_relation(new: SetPrint, known: KnownSet, texts: Sketches, kept: Sketches) -> Relation | None:
    """Return the same where texts count that are near-equal: the same cases under another template.

    Parameters
    ----------
    texts, kept
        Sketches of all the log's texts, and those that the ledger kept (of a large set, a sample).
    """
    found = similar_sketches(texts, kept)
    sample, n_known = kept.n_shingles.size, known.case.size
    matched = min(np.unique(found.baseline).size, np.unique(found.candidate).size)
    is_estimate = sample < n_known
    if is_estimate:
        matched = _extrapolated(matched, sample, n_known, most=min(len(new), n_known))
    exact = relation(new, known)
    by = dict(exact.by) if exact else {}
    by["near"] = max(0, min(matched, len(new), n_known) - sum(by.values()))
    return _named(new, known, by, is_estimate=is_estimate and by["near"] > 0)


def _extrapolated(matched: int, sample: int, n_known: int, *, most: int) -> int:
    """Return how many of all cases match when so many of a random sample do; near the most possible, that many."""
    share = matched / sample
    error = n_known * math.sqrt(share * (1 - share) / sample * (1 - sample / n_known))
    found = round(share * n_known)
    return most if abs(most - found) <= _NEAR_ERRORS * error else found


def equal_hashes(one: NDArray[np.void], two: NDArray[np.void]) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
    """Return the places of equal hashes on either side, and how many pairs they make: copies pair one to one.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = (np.array([text.ljust(16).encode() for text in texts]).view("V16") for texts in ("xxy", "xz"))
    >>> [found.tolist() for found in equal_hashes(a, b)[:2]], equal_hashes(a, b)[2]
    ([[0], [0]], 1)
    """
    left, right = _numbered(one), _numbered(two)
    _, at, other = np.intersect1d(left, right, assume_unique=True, return_indices=True)
    return at, other, at.size


def _known(hashes: NDArray[np.void]) -> NDArray[np.void]:
    """Return the hashes that are none of ``NO_CASE``."""
    return hashes[np.frombuffer(hashes.tobytes(), dtype=np.uint64).reshape(-1, 2).any(axis=1)]


def _numbered(hashes: NDArray[np.void]) -> NDArray[np.void]:
    """Return hashes with the number of the copy, so that all differ."""
    halves = np.frombuffer(hashes.tobytes(), dtype=np.uint64).reshape(-1, 2)
    order = np.lexsort((halves[:, 1], halves[:, 0]))
    ordered = halves[order]
    first = np.ones(len(order), dtype=np.bool_)
    first[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    copy = np.arange(len(order)) - np.repeat(starts, np.diff(starts, append=len(order)))
    numbered = np.zeros((len(order), 3), dtype=np.uint64)
    numbered[order, :2] = ordered
    numbered[order, 2] = copy
    return np.ascontiguousarray(numbered).view([("a", "u8"), ("b", "u8"), ("c", "u8")]).ravel()


def _named(new: SetPrint, known: KnownSet, by: Mapping[str, int], *, is_estimate: bool = False) -> Relation | None:
    counts = {tier: count for tier, count in by.items() if count}
    matched, n_new, n_known = sum(counts.values()), len(new), known.case.size
    if not matched:
        return None
    kind: Kind = "overlap"
    if matched == n_new:
        kind = "same" if matched == n_known else "subset"
    elif matched == n_known:
        kind = "superset"
    return Relation(
        kind=kind,
        matched=matched,
        n_new=n_new,
        n_known=n_known,
        by=counts,
        is_reordered=new.root == known.root and new.order != known.order,
        is_renamed=new.name != known.name,
        is_estimate=is_estimate,
    )
