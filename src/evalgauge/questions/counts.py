"""Whole numbers and other plain numbers, as people write them and as libraries hold them."""

from __future__ import annotations

import re
from math import isfinite
from numbers import Integral, Real

from evalgauge.errors import ArgumentError

MOST_COUNTED = 10**12
"""No eval has more cases, runs or looks."""

# In half of the world 1.000 is a thousand, in the other half one: it is no whole number that all read alike.
_WHOLE = re.compile(r"[+-]?(?:\d+(?:\.0?)?(?:[eE]\+?\d+)?|\d{1,3}(?:[,_]\d{3})+)")
_WHOLE_WORDS, _NUMBER_WORDS = "a whole number, 0 or more", "a number, such as 0.4 or 1000"


class Count(int):
    """A whole number of 0 or more: cases, reps, slices, looks. Written ``1000``, ``1,000`` or ``1e3``."""

    __slots__ = ()


class Number(float):
    """A finite number: a price, a budget, a spread, a correlation. Written ``0.4`` or ``1e3``."""

    __slots__ = ()


def count_from_text(text: str, argument: str) -> Count:
    """Return a whole number from ``1000``, ``1,000``, ``1_000`` or ``1e3``; a fraction is refused, never rounded.

    Raises
    ------
    ArgumentError
        If the text is no whole number, or lies outside 0 to 10^12.

    Examples
    --------
    >>> count_from_text("1,000", "own")
    1000
    >>> count_from_text("2.5", "of")
    Traceback (most recent call last):
    evalgauge.errors.ArgumentError: of: got '2.5', allowed is a whole number, 0 or more.
    """
    bare = text.strip()
    if not _WHOLE.fullmatch(bare):
        hint = f"Did you mean {bare.replace('.', '')}?" if re.fullmatch(r"[1-9]\d{0,2}\.000", bare) else ""
        raise ArgumentError(argument, text, _WHOLE_WORDS, hint)
    return _count(float(bare.replace(",", "")), argument, text)


def count(value: float | str, argument: str) -> Count:
    """Return a whole number that was given in Python as a number, of NumPy too, or as text.

    Raises
    ------
    ArgumentError
        If it is neither, or lies outside 0 to 10^12.
    """
    if isinstance(value, str):
        return count_from_text(value, argument)
    number = plain_number(value, argument, _WHOLE_WORDS)
    if number != int(number):
        raise ArgumentError(argument, value, _WHOLE_WORDS)
    return _count(number, argument, value)


def number_from_text(text: str, argument: str) -> Number:
    """Return a finite number from ``0.4`` or ``1e3``; a decimal comma is refused.

    Raises
    ------
    ArgumentError
        If the text is no number, or too large for one.
    """
    try:
        found = Number(text)
    except ValueError:
        found = None
    if found is None or not isfinite(found):
        raise ArgumentError(argument, text, _NUMBER_WORDS)
    return found


def number(value: float | str, argument: str) -> Number:
    """Return a finite number that was given in Python as a number, of NumPy too, or as text.

    Raises
    ------
    ArgumentError
        If it is neither.
    """
    if isinstance(value, str):
        return number_from_text(value, argument)
    return Number(plain_number(value, argument, _NUMBER_WORDS))


def plain_number(value: object, argument: str, allowed: str) -> float:
    """Return a finite number of Python from one of any library; truth values are none.

    Raises
    ------
    ArgumentError
        If it is no real number, infinite, NaN, or too large for a float.
    """
    # Scalars of NumPy register with the abstract numbers; arrays without dimensions, and those of PyTorch, do not.
    if getattr(value, "ndim", None) == 0 and not isinstance(value, Real):
        value = getattr(value, "item", lambda: None)()
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ArgumentError(argument, value, allowed)
    try:
        # A single-precision 0.02 means 0.02 and not the double next to it.
        found = float(str(value)) if getattr(value, "itemsize", 8) < 8 else float(value)
    except OverflowError:
        found = float("inf")
    if not isfinite(found):
        raise ArgumentError(argument, value, allowed)
    return int(value) if isinstance(value, Integral) else found


def _count(number: float, argument: str, came: object) -> Count:
    if not 0 <= number <= MOST_COUNTED:
        limit = f"a whole number up to {MOST_COUNTED:,}" if number > 0 else _WHOLE_WORDS
        raise ArgumentError(argument, came, limit)
    return Count(number)
