"""Shares, points and small maps as people write them: ``90%``, ``5pp``, ``0.9``, ``web=60%,phone=40%``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.questions.counts import plain_number

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_WITH_UNIT = re.compile(rf"^\s*(?P<number>{_NUMBER})\s*(?P<unit>%|pp|points?|percent)?\s*$", re.IGNORECASE)
MOST_SCORED = 1e100
_SHARES = "a share from 0 % to 100 %"
_POINTS = "a number of points from 0pp to 100pp"


class Share(float):
    """A share in [0, 1]: a rate, a confidence level, a power."""

    __slots__ = ()


class Points(float):
    """A distance between shares, in [0, 1]: a margin, a drop, a tolerance. Written ``5pp``, ``5%`` or ``0.05``."""

    __slots__ = ()


class Weights(dict[str, float]):
    """Shares by slice, adding up to 1. Written ``web=60%,phone=40%``; empty with ``equal`` for the mean of slices."""

    __slots__ = ()


class Columns(dict[str, str]):
    """Which column plays which role. Written ``case=id,score=passed``."""

    __slots__ = ()


class Words(dict[str, float]):
    """Numbers for score words. Written ``both=0.5,left=1``."""

    __slots__ = ()


class Names(tuple[str, ...]):
    """Several names. Written ``base,new``."""

    __slots__ = ()


class WholeNumbers(tuple[int, ...]):
    """Several whole numbers. Written ``2,10,50``."""

    __slots__ = ()


class ScoreRange(tuple[float, float]):
    """Lowest and highest possible score. Written ``0:100``; ``none`` for a score without limits is the empty range."""

    __slots__ = ()

    @property
    def is_unlimited(self) -> bool:
        """Whether the score has no limits."""
        return len(self) == 0


def share_from_text(text: str, argument: str) -> Share:
    """Return a share from ``90%`` or ``0.9``; a bare 90 is refused with the two ways to say it.

    Raises
    ------
    ArgumentError
        If the text is no number, or lies outside 0 to 100 %.

    Examples
    --------
    >>> float(share_from_text("90%", "rate"))
    0.9
    >>> share_from_text("90", "rate")
    Traceback (most recent call last):
    evalgauge.errors.ArgumentError: rate: got '90', allowed is a share from 0 % to 100 %. Did you mean 90% (0.9)?
    """
    return Share(_part_of_one(text, argument, _SHARES, "%"))


def points_from_text(text: str, argument: str) -> Points:
    """Return a distance between shares from ``5pp``, ``5%`` or ``0.05``.

    Raises
    ------
    ArgumentError
        If the text is no number, or lies outside 0 to 100 points.
    """
    return Points(_part_of_one(text, argument, _POINTS, "pp"))


def share(value: float | str, argument: str) -> Share:
    """Return a share that was given in Python as a number, of NumPy too, or as text.

    Raises
    ------
    ArgumentError
        If it is neither, or lies outside 0 to 1.
    """
    if isinstance(value, str):
        return share_from_text(value, argument)
    return Share(_in_one(plain_number(value, argument, _SHARES), argument, value, _SHARES, "%"))


def points(value: float | str, argument: str) -> Points:
    """Return a distance between shares that was given in Python as a number, of NumPy too, or as text.

    Raises
    ------
    ArgumentError
        If it is neither, or lies outside 0 to 1.
    """
    if isinstance(value, str):
        return points_from_text(value, argument)
    return Points(_in_one(plain_number(value, argument, _POINTS), argument, value, _POINTS, "pp"))


def weights(value: Mapping[str, float] | str, argument: str) -> Weights:
    """Return the weights of slices that were given in Python as a mapping or as text.

    Raises
    ------
    ArgumentError
        If they are neither, or do not add up to 1.
    """
    if isinstance(value, str):
        return weights_from_text(value, argument)
    return _adding_up(
        {str(name): float(share(part, f"{argument} {name}")) for name, part in value.items()}, argument, value
    )


def weights_from_text(text: str, argument: str) -> Weights:
    """Return the shares of slices from ``web=60%,phone=40%``; ``equal`` gives every slice the same weight.

    Raises
    ------
    ArgumentError
        If a part is no ``name=share``, a name comes twice, or the shares do not add up to 100 %.
    """
    if text.strip().lower() == "equal":
        return Weights()
    return _adding_up(
        {name: float(share_from_text(share, f"{argument} {name}")) for name, share in pairs_from_text(text, argument)},
        argument,
        text,
    )


def _adding_up(shares: dict[str, float], argument: str, came: object) -> Weights:
    total = sum(shares.values())
    if shares and abs(total - 1) > 1e-6:
        raise ArgumentError(argument, came, "shares that add up to 100 %", f"These add up to {100 * total:.6g} %.")
    return Weights(shares)


def names_from_text(text: str, argument: str) -> Names:
    """Return the names of a comma-separated list.

    Raises
    ------
    ArgumentError
        If a name is empty.
    """
    names = Names(name.strip() for name in text.split(","))
    if not all(names):
        raise ArgumentError(argument, text, "names separated by commas")
    return names


def whole_numbers_from_text(text: str, argument: str) -> WholeNumbers:
    """Return the whole numbers of a comma-separated list.

    Raises
    ------
    ArgumentError
        If a part is no whole number above 0, or one comes twice.

    Examples
    --------
    >>> whole_numbers_from_text("2,10,50", "--reps")
    (2, 10, 50)
    """
    parts = [part.strip() for part in text.split(",")]
    # Beyond nine digits it is refused anyway, and thousands of them cannot be read.
    if not all(part.isdecimal() and len(part) < 20 and 0 < int(part) < 10**9 for part in parts):
        raise ArgumentError(argument, text, "whole numbers above 0, separated by commas, such as 2,10,50")
    numbers = WholeNumbers(int(part) for part in parts)
    if len(set(numbers)) < len(numbers):
        raise ArgumentError(argument, text, "each number once")
    return numbers


def words_from_text(text: str, argument: str) -> Words:
    """Return numbers for score words from ``both=0.5,left=1``; ``dunno=missing`` says that a word is no score.

    Raises
    ------
    ArgumentError
        If a part is no ``word=number``.
    """
    words = Words()
    for word, number in pairs_from_text(text, argument):
        words[word] = word_number(number, f"{argument} {word}")
    return words


def word_number(text: str, argument: str) -> float:
    """Return the number of a score word from ``0.5`` or ``50%``; ``missing`` says that the word is no score.

    Raises
    ------
    ArgumentError
        If the text is neither.
    """
    if text.strip().lower() == "missing":
        return float("nan")
    match = _WITH_UNIT.match(text)
    found = float("inf") if match is None else float(match["number"]) / (100 if match["unit"] else 1)
    if abs(found) == float("inf"):
        raise ArgumentError(argument, text, "a number, as in both=0.5,left=1, or the word missing")
    return found


def columns_from_text(text: str, argument: str) -> Columns:
    """Return roles and columns from ``case=id,score=passed``.

    Raises
    ------
    ArgumentError
        If a part is no ``role=column``.
    """
    return Columns(pairs_from_text(text, argument))


def range_from_text(text: str, argument: str) -> ScoreRange:
    """Return the possible range of a score from ``0:100`` or ``none``.

    Raises
    ------
    ArgumentError
        If the text is not ``low:high`` with low below high, nor ``none``.
    """
    if text.strip().lower() == "none":
        return ScoreRange()
    low, colon, high = text.partition(":")
    allowed = "low:high, such as 0:1 or 0:100, or none for a score without limits"
    try:
        ends = (float(low), float(high)) if colon else None
    except ValueError:
        ends = None
    if ends is None:
        raise ArgumentError(argument, text, allowed)
    return range_of(ends, argument, text, allowed)


def range_of(ends: tuple[float, float], argument: str, came: object, allowed: str) -> ScoreRange:
    """Return two ends as a range.

    Raises
    ------
    ArgumentError
        If the first is not below the second, or one is so large that its square is no number.
    """
    if not -MOST_SCORED <= ends[0] < ends[1] <= MOST_SCORED:
        raise ArgumentError(argument, came, allowed)
    return ScoreRange(ends)


def pairs_from_text(text: str, argument: str) -> list[tuple[str, str]]:
    """Return the ``name=value`` pairs of a comma-separated list.

    Raises
    ------
    ArgumentError
        If a part has no ``=``, an empty side, or a name that came before.
    """
    pairs: dict[str, str] = {}
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name and value):
            raise ArgumentError(argument, part, "name=value pairs, separated by commas")
        if name in pairs:
            raise ArgumentError(argument, text, "each name once", f"{name!r} comes twice.")
        pairs[name] = value
    return list(pairs.items())


def passed_of_total(text: str) -> tuple[int, int] | None:
    """Return (47, 50) from ``47/50``, or nothing if the text is not of that form."""
    match = re.fullmatch(r"\s*(\d{1,12})\s*/\s*(\d{1,12})\s*", text)
    return (int(match[1]), int(match[2])) if match else None


def _part_of_one(text: str, argument: str, allowed: str, unit: str) -> float:
    match = _WITH_UNIT.match(text)
    if match is None:
        raise ArgumentError(argument, text, f"{allowed}, written 5{unit} or 0.05")
    number = float(match["number"])
    if match["unit"]:
        return _in_one(number / 100, argument, text, allowed, "")
    return _in_one(number, argument, text, allowed, unit)


def _in_one(number: float, argument: str, came: object, allowed: str, unit: str) -> float:
    if unit and 1 < number <= 100:
        raise ArgumentError(argument, came, allowed, f"Did you mean {number:g}{unit} ({number / 100:g})?")
    if not 0 <= number <= 1:
        raise ArgumentError(argument, came, allowed)
    return float(number)
