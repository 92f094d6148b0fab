"""The shingles of a set's texts: which groups of words each text has beside the template that they share."""

from __future__ import annotations

import hashlib
import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SHINGLE_WORDS = 5
FEW_SHINGLES = 4
"""Below this many shingles (8 words) a text can lie inside a long one by chance; then the sizes must be alike too."""
LEAST_WORDS = 3
"""Fewer different words than these are in many a text."""
_TEMPLATE_SHARE = 0.9
# Scripts without spaces give one word a character; sentence marks are left out, signs of mathematics and code are not.
_WORD = re.compile(r"""[぀-ヿ㐀-鿿฀-๿]|[^\W぀-ヿ㐀-鿿฀-๿]+|[^\w\s.,;:!?"'()\[\]{}…–—“”‘’`]""")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Shingles:
    """An inverted index: the texts ``text[start[s] : start[s] + held_by[s]]`` hold the shingle ``hash[s]``.

    ``words`` are those of all texts in a row, ``with_letter`` the ones among them that are no numbers; ``whole[t]`` is
    where text t starts and ends there, ``own[t]`` the same without the template.
    """

    hash: NDArray[np.uint64]
    start: NDArray[np.int64]
    held_by: NDArray[np.int64]
    text: NDArray[np.int64]
    n_texts: int
    words: NDArray[np.uint64]
    with_letter: frozenset[int]
    whole: NDArray[np.int64]
    own: NDArray[np.int64]

    @property
    def most(self) -> int:
        """How many texts may hold a shingle that still identifies: a tenth of the set, from 2 to 16."""
        return max(2, min(16, self.n_texts // 10))

    def sizes(self, kept: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the number of kept shingles per text."""
        return np.bincount(self.text[np.repeat(kept, self.held_by)], minlength=self.n_texts)

    def says_much(self, text: int) -> bool:
        """Return whether a text has enough words of its own to be known by them alone."""
        start, end = self.own[text].tolist()
        if end - start >= SHINGLE_WORDS + FEW_SHINGLES - 1:
            return True
        spelled = [word for word in self.words[start:end].tolist() if word in self.with_letter]
        return len(spelled) >= SHINGLE_WORDS and len(set(spelled)) >= LEAST_WORDS

    def whole_text(self, text: int) -> list[int]:
        """Return the words of a text with its template."""
        start, end = self.whole[text].tolist()
        return self.words[start:end].tolist()


def shingles(texts: Sequence[str], key: bytes) -> Shingles:
    """Return the shingles of the texts of one set.

    Parameters
    ----------
    texts
        The texts; the template is found among them.
    key
        Salt of up to 64 bytes: shingles under different keys cannot be compared.
    """
    words, with_letter, *whole = _words(texts, key)
    starts, ends = _without_template(words, *whole)
    # A text of one to four words has one shingle: all its words.
    counts = np.where(ends > starts, np.maximum(ends - starts - SHINGLE_WORDS + 1, 1), 0)
    hashes = _grams(words, ranges(starts, counts), np.repeat(np.minimum(ends - starts, SHINGLE_WORDS), counts))
    text = np.repeat(np.arange(len(texts)), counts)
    order = np.argsort(hashes, kind="stable")
    hashes, text = hashes[order], text[order]
    fresh = np.ones(hashes.size, dtype=np.bool_)
    # The sort is stable, so a shingle that stands twice in one text has its two entries side by side.
    fresh[1:] = (hashes[1:] != hashes[:-1]) | (text[1:] != text[:-1])
    hashes, text = hashes[fresh], text[fresh]
    start = np.flatnonzero(np.concatenate([np.ones(min(hashes.size, 1), np.bool_), hashes[1:] != hashes[:-1]]))
    held_by = np.diff(start, append=hashes.size)
    return Shingles(
        hash=hashes[start],
        start=start,
        held_by=held_by,
        text=text,
        n_texts=len(texts),
        words=words,
        with_letter=with_letter,
        whole=np.stack(whole, axis=1),
        own=np.stack([starts, ends], axis=1),
    )


class _WordHashes(dict[str, int]):
    """Word → 64-bit hash, the same on every machine; each word is hashed once."""

    def __init__(self, key: bytes) -> None:
        super().__init__()
        self.key = key
        self.with_letter: set[int] = set()

    def __missing__(self, word: str) -> int:
        digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8, key=self.key).digest()
        found = self[word] = int.from_bytes(digest, "little")
        if any(map(str.isalpha, word)):
            self.with_letter.add(found)
        return found


def _words(
    texts: Sequence[str], key: bytes
) -> tuple[NDArray[np.uint64], frozenset[int], NDArray[np.int64], NDArray[np.int64]]:
    """Return the words of all texts in one row, those that have a letter, and where each text starts and ends."""
    hashes = _WordHashes(key)
    flat = array("Q")
    ends = np.zeros(len(texts), dtype=np.int64)
    for index, text in enumerate(texts):
        flat.extend(map(hashes.__getitem__, _WORD.findall(text.lower())))
        ends[index] = len(flat)
    starts = np.concatenate([np.zeros(min(ends.size, 1), np.int64), ends[:-1]])
    row = np.frombuffer(flat, dtype=np.uint64) if flat else np.zeros(0, np.uint64)
    return row, frozenset(hashes.with_letter), starts, ends


def _without_template(
    words: NDArray[np.uint64], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return starts and ends without the words before and after that nine in ten texts share."""
    if starts.size <= 1:
        return starts, ends
    length, follows = _shared_run(words, starts, 1, ends - starts)
    starts = starts + np.where(follows, length, 0)
    length, follows = _shared_run(words, ends - 1, -1, ends - starts)
    return starts, ends - np.where(follows, length, 0)


def _shared_run(
    words: NDArray[np.uint64], first: NDArray[np.int64], step: int, room: NDArray[np.int64]
) -> tuple[int, NDArray[np.bool_]]:
    """Return how many words nine in ten texts share from one end on, and which texts share them all."""
    needed = int(np.ceil(_TEMPLATE_SHARE * first.size))
    sharing = np.arange(first.size)
    length = 0
    while True:
        able = sharing[room[sharing] > length]
        if able.size < needed:
            break
        here = words[first[able] + step * length]
        # A word that nine in ten hold is also the median of the hashes.
        able = able[here == np.partition(here, here.size // 2)[here.size // 2]]
        if able.size < needed:
            break
        sharing = able
        length += 1
    follows = np.zeros(first.size, dtype=np.bool_)
    follows[sharing] = True
    return length, follows


def _grams(words: NDArray[np.uint64], at: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Return the hashes of the word groups that start at ``at``: a polynomial, then the finaliser of SplitMix64."""
    mixed = size.astype(np.uint64)
    for offset in range(SHINGLE_WORDS):
        inside = offset < size
        word = words[np.minimum(at + offset, max(words.size - 1, 0))]
        mixed = np.where(inside, mixed * np.uint64(0x9E3779B97F4A7C15) + word, mixed)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def ranges(start: NDArray[np.int64], count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return start, start + 1, … of every run, one after the other."""
    return np.arange(int(count.sum())) + np.repeat(start - (np.cumsum(count) - count), count)
