"""Which number a score stands for.

The rule is the one that Inspect AI documents for its ``value_to_float``, with one difference: a word that no rule
knows stays a word. Inspect counts it as 0, which turns a label such as ``"both"`` into a failure.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""Inspect's grades: correct, partial, incorrect, no answer. Upper case only: ``"c"`` is an answer letter."""

_YES_NO = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}


class Reading(NamedTuple):
    """A score as it is read.

    Attributes
    ----------
    score
        The number, or ``None`` where there is none.
    raw
        The source's literal: kept for words, ``None`` for numbers and for a missing score. A word without a number
        makes its metric categorical.
    """

    score: float | None
    raw: str | None


MISSING = Reading(None, None)


def score_reading(value: object, words: Mapping[str, float]) -> Reading:
    """Return the number that a source's score value stands for.

    Parameters
    ----------
    value
        A JSON scalar: number, boolean, word or null.
    words
        The user's numbers for words; they come first, so that a log may use ``"C"`` in a sense of its own. NaN says
        that a word is no score.

    Returns
    -------
    Reading
        Null, NaN and infinite values are missing; an unknown word has a ``raw`` and no ``score``.

    Examples
    --------
    >>> score_reading("P", {})
    Reading(score=0.5, raw='P')
    >>> score_reading("both", {})
    Reading(score=None, raw='both')
    >>> score_reading("both", {"both": 0.5})
    Reading(score=0.5, raw='both')
    >>> score_reading(float("nan"), {}), score_reading("dunno", {"dunno": float("nan")})
    (Reading(score=None, raw=None), Reading(score=None, raw=None))
    """
    if isinstance(value, str):
        return _word_reading(value, words)
    if isinstance(value, (bool, int, float)):
        number = float(value)
        return Reading(number, None) if math.isfinite(number) else MISSING
    return MISSING


def _word_reading(word: str, words: Mapping[str, float]) -> Reading:
    for table, key in ((words, word), (GRADES, word), (_YES_NO, word.strip().lower())):
        if key in table:
            return MISSING if math.isnan(table[key]) else Reading(table[key], word)
    text = word.strip()
    if not text or text.lower() == "nan":
        return MISSING
    try:
        number = float(text)
    except ValueError:
        return Reading(None, word)
    # "inf" parses as a float but is no score: it stays a word, to be mapped by the user.
    return Reading(number if math.isfinite(number) else None, word)
