"""Ids that are whole numbers: a million of them are kept as numbers, and become text where somebody reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class NumberIds(Sequence[str]):
    """Ids of cases as text, made from whole numbers when they are asked for.

    Parameters
    ----------
    numbers
        From 0 on, ascending, each once, int64: so they stand in the order of their texts, by length and then by
        character.

    Examples
    --------
    >>> ids = NumberIds(np.array([3, 20]))
    >>> ids[1], list(ids), len(ids)
    ('20', ['3', '20'], 2)
    """

    __slots__ = ("_numbers",)

    def __init__(self, numbers: NDArray[np.int64]) -> None:
        self._numbers = numbers

    def __len__(self) -> int:
        return self._numbers.size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> NumberIds: ...
    def __getitem__(self, index: int | slice) -> str | NumberIds:
        if isinstance(index, slice):
            return NumberIds(self._numbers[index])
        return str(int(self._numbers[index]))

    def __iter__(self) -> Iterator[str]:
        return map(str, self._numbers.tolist())

    def __contains__(self, value: object) -> bool:
        return isinstance(value, str) and value.isdecimal() and bool((self._numbers == int(value)).any())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberIds):
            return self is other or np.array_equal(self._numbers, other._numbers)
        return isinstance(other, tuple) and tuple(self) == other

    def __hash__(self) -> int:
        return hash(tuple(self))


def are_numbers(ids: Sequence[str]) -> bool:
    """Return whether every id is a plain number.

    Examples
    --------
    >>> are_numbers(("7", "8")), are_numbers(("q7", "8"))
    (True, False)
    """
    return isinstance(ids, NumberIds) or all(map(str.isdecimal, ids))
