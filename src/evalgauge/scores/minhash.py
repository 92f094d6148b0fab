"""Near matches: the same case under another template.

A text becomes the set of its word 5-grams (shingles). What many texts of a set share is the set's template and says
nothing about a case, so it is left out: the words before and after that nine in ten texts share, and every shingle
that more than a few texts hold. *Containment* of two texts is the number of shingles they share over the number in the
smaller set. Jaccard similarity would miss a short case inside a long prompt; containment finds it.

Where the template leaves little, a number or a name, two sets that have nothing else in common would match: "country 7"
and "text number 7". A pair with fewer than five spelled words left counts only if one text, template and all, is in the
other.

References
----------
Broder (1997), On the resemblance and containment of documents: shingles, containment, MinHash.
Lowe (2004), Distinctive image features, section 7.1: the best match counts only when the runner-up is clearly worse.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.scores.shingles import FEW_SHINGLES, LEAST_WORDS, SHINGLE_WORDS, ranges, shingles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.scores.shingles import Shingles

LEAST_CONTAINMENT = 0.8
SKETCH_SIZE = 128
_MOST_HITS = 20_000_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NearMatches:
    """Texts of two sets that are the same case re-templated.

    Attributes
    ----------
    baseline, candidate
        Indices into the two lists of texts, one entry per match; a text is in at most one match.
    containment
        Shared share of the smaller text's shingles, from 0.8 to 1.
    """

    baseline: NDArray[np.intp]
    candidate: NDArray[np.intp]
    containment: NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sketches:
    """MinHash sketches of a set's texts: enough to know them again, too little to read them.

    Attributes
    ----------
    minima
        128 × 32-bit minima per text, shape (n, 128).
    n_shingles
        Identifying shingles per text; 0 for a text that holds too little of its own to be known again.
    """

    minima: NDArray[np.uint32]
    n_shingles: NDArray[np.int64]


def near_matches(
    baseline: Sequence[str],
    candidate: Sequence[str],
    *,
    baseline_context: Sequence[str] = (),
    candidate_context: Sequence[str] = (),
    least: float = LEAST_CONTAINMENT,
) -> NearMatches:
    """Return which text of the baseline is which text of the candidate, under another template.

    A match is mutual and clear: each is the other's best, and the runner-up lacks at least twice as much (by
    containment, or by Jaccard similarity where one text holds several others). What is not clear stays unmatched.

    Parameters
    ----------
    baseline, candidate
        Texts to match, each list without repeats.
    baseline_context, candidate_context
        More texts of the same sets that need no match: they help to see the template.
    least
        Least containment of a match, a share.

    Returns
    -------
    NearMatches
        In the order of the baseline.

    Examples
    --------
    >>> stories = [f"{who} went to the market and came back with {what}" for who, what in
    ...            (("Ann", "two red hens"), ("Bob", "a broken lamp"), ("Cy", "no money at all"))]
    >>> prompts = [f"Read this. {story} Is it sad? Answer yes or no." for story in reversed(stories)]
    >>> found = near_matches(stories, prompts)
    >>> found.candidate.tolist(), found.containment.tolist()
    ([2, 1, 0], [1.0, 1.0, 1.0])
    """
    left = shingles([*baseline, *baseline_context], b"")
    right = shingles([*candidate, *candidate_context], b"")
    at = np.minimum(np.searchsorted(right.hash, left.hash), max(right.hash.size - 1, 0))
    common = np.flatnonzero(right.hash[at] == left.hash) if right.hash.size else np.zeros(0, np.intp)
    kept_left, kept_right = left.held_by <= left.most, right.held_by <= right.most
    # A shingle that is template on one side is left out on both, or containment would depend on the side.
    both = kept_left[common] & kept_right[at[common]]
    kept_left[common] &= both
    kept_right[at[common]] &= both
    one, two, shared = _shared_counts(left, right, common[both], at[common[both]], (len(baseline), len(candidate)))
    sizes = left.sizes(kept_left), right.sizes(kept_right)
    grounded = shared < least * np.minimum(sizes[0][one], sizes[1][two])
    for pair in np.flatnonzero(~grounded).tolist():
        mine, his = int(one[pair]), int(two[pair])
        grounded[pair] = (left.says_much(mine) and right.says_much(his)) or _are_alike(
            left.whole_text(mine), right.whole_text(his), least
        )
    one, two, shared = one[grounded], two[grounded], shared[grounded]
    return _clear_matches(one, two, shared, *sizes, least)


def sketches(texts: Sequence[str], *, key: bytes = b"") -> Sketches:
    """Return MinHash sketches of the texts of one set.

    Parameters
    ----------
    texts
        The texts; the template is found among them.
    key
        Salt of up to 64 bytes: sketches under different keys cannot be compared, and a guessed text cannot be
        looked up without it.

    Returns
    -------
    Sketches
        One row per text.

    Examples
    --------
    >>> sketches(["the quick brown fox jumps over the lazy dog"], key=b"salt").n_shingles.tolist()
    [5]
    """
    index = shingles(texts, key)
    says_much = np.fromiter(map(index.says_much, range(len(texts))), dtype=np.bool_, count=len(texts))
    kept = np.repeat(index.held_by <= index.most, index.held_by) & says_much[index.text]
    text = index.text[kept]
    order = np.argsort(text, kind="stable")
    hashes = np.repeat(index.hash, index.held_by)[kept][order]
    n_shingles = np.bincount(text, minlength=len(texts))
    minima = np.full((len(texts), SKETCH_SIZE), np.iinfo(np.uint32).max, dtype=np.uint32)
    held = np.flatnonzero(n_shingles)
    if held.size:
        starts = (np.cumsum(n_shingles) - n_shingles)[held]
        for column in range(SKETCH_SIZE):
            seed = hashlib.blake2b(b"%d" % column, key=key, digest_size=16, person=b"minhash").digest()
            factor, shift = (np.uint64(int.from_bytes(half, "little")) for half in (seed[:8], seed[8:]))
            mixed = (hashes * (factor | np.uint64(1)) + shift) >> np.uint64(32)
            minima[held, column] = np.minimum.reduceat(mixed, starts)
    return Sketches(minima=minima, n_shingles=n_shingles)


def similar_sketches(new: Sketches, known: Sketches, *, least: float = LEAST_CONTAINMENT) -> NearMatches:
    """Return all pairs of texts whose estimated containment is high enough; a text can be in several.

    With J the share of equal minima, containment is J / (1 + J) · (m1 + m2) / min(m1, m2), m being the numbers of
    shingles. Its standard error is about 0.05 for texts of equal length and grows with the ratio of the lengths.

    Parameters
    ----------
    new, known
        Sketches made with one key.
    least
        Least estimated containment, a share.

    Returns
    -------
    NearMatches
        ``baseline`` holds indices into ``new``, ``candidate`` into ``known``.

    Examples
    --------
    >>> fox = sketches(["the quick brown fox jumps over the lazy dog"])
    >>> similar_sketches(fox, fox).containment.tolist()
    [1.0]
    """
    rows = np.flatnonzero(new.n_shingles)
    others = np.flatnonzero(known.n_shingles)
    pairs: list[NDArray[np.int64]] = []
    for column in range(SKETCH_SIZE):
        wanted: NDArray[np.uint32] = new.minima[rows, column]
        values: NDArray[np.uint32] = known.minima[others, column]
        order = np.argsort(values, kind="stable")
        first = np.searchsorted(values, wanted, side="left", sorter=order)
        end = np.searchsorted(values, wanted, side="right", sorter=order)
        other = others[order[ranges(first, end - first)]]
        pairs.append(np.repeat(rows, end - first) * known.n_shingles.size + other)
    keys, equal = np.unique(np.concatenate(pairs), return_counts=True)
    one, two = np.divmod(keys, max(known.n_shingles.size, 1))
    jaccard = equal / SKETCH_SIZE
    sizes = (new.n_shingles[one], known.n_shingles[two])
    containment = np.minimum(jaccard / (1 + jaccard) * (sizes[0] + sizes[1]) / np.minimum(*sizes), 1.0)
    good = containment >= least
    return NearMatches(baseline=one[good], candidate=two[good], containment=containment[good])


def _are_alike(one: Sequence[int], two: Sequence[int], least: float) -> bool:
    """Return whether the shorter of two texts, template and all, is in the longer one."""
    shorter, longer = sorted((one, two), key=len)
    size = min(SHINGLE_WORDS, len(shorter))
    if size < LEAST_WORDS:
        return False
    groups = [{tuple(text[at : at + size]) for at in range(len(text) - size + 1)} for text in (shorter, longer)]
    return len(groups[0] & groups[1]) >= least * len(groups[0])


def _shared_counts(
    left: Shingles, right: Shingles, one: NDArray[np.intp], two: NDArray[np.intp], sizes: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the pairs of texts that share a shingle, and how many they share; ``one[s]`` and ``two[s]`` are equal."""
    text = left.text[ranges(left.start[one], left.held_by[one])]
    start = np.repeat(right.start[two], left.held_by[one])
    count = np.repeat(right.held_by[two], left.held_by[one])
    wanted = text < sizes[0]
    text, start, count = text[wanted], start[wanted], count[wanted]
    # Counting in parts, by text, keeps memory bounded when every shingle is held by many texts.
    parts = int(count.sum()) // _MOST_HITS + 1
    found: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    for part in range(parts):
        here = text % parts == part
        other = right.text[ranges(start[here], count[here])]
        keys = (np.repeat(text[here], count[here]) * sizes[1] + other)[other < sizes[1]]
        found.append(np.unique(keys, return_counts=True))
    keys, shared = (np.concatenate(columns) for columns in zip(*found, strict=True))
    first, second = np.divmod(keys, max(sizes[1], 1))
    return first, second, shared


def _clear_matches(
    one: NDArray[np.int64],
    two: NDArray[np.int64],
    shared: NDArray[np.int64],
    one_size: NDArray[np.int64],
    two_size: NDArray[np.int64],
    least: float,
) -> NearMatches:
    smaller, larger = np.minimum(one_size[one], two_size[two]), np.maximum(one_size[one], two_size[two])
    telling = (smaller >= FEW_SHINGLES) | (2 * smaller >= larger)
    one, two, shared, smaller, larger = (column[telling] for column in (one, two, shared, smaller, larger))
    containment = shared / smaller
    jaccard = shared / (smaller + larger - shared)
    good = (
        (containment >= least) & _is_clear_best(one, containment, jaccard) & _is_clear_best(two, containment, jaccard)
    )
    one, two, containment = one[good], two[good], containment[good]
    order = np.argsort(one, kind="stable")
    return NearMatches(baseline=one[order], candidate=two[order], containment=containment[order])


def _is_clear_best(
    text: NDArray[np.int64], containment: NDArray[np.float64], jaccard: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """Return which pairs are the clear best of their text."""
    clear = np.zeros(text.size, dtype=np.bool_)
    if not text.size:
        return clear
    order = np.lexsort((-jaccard, -containment, text))
    starts = np.flatnonzero(np.diff(text[order], prepend=-1))
    best = order[starts]
    passed = np.zeros(best.size, dtype=np.bool_)
    for likeness in (containment, jaccard):
        others = likeness[order]
        others[starts] = 0.0
        runner_up = np.maximum.reduceat(others, starts)
        lack = 1 - likeness[best]
        passed |= (runner_up < likeness[best]) & (1 - runner_up >= 2 * lack)
    clear[best] = passed
    return clear
