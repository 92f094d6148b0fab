"""Random numbers that do not depend on how the work is shared out.

Draws come in blocks of a fixed size; each block has a stream of its own, seeded by its place, and results are joined
in the order of the blocks. So one worker and many give the same numbers, to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from evalgauge.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Mapper = Callable[[Callable[["Block"], "Result"], Iterable["Block"]], Iterable["Result"]]

Result = TypeVar("Result")


class Block:
    """So many draws, with the stream they come from.

    Parameters
    ----------
    seed
        Seed of the whole study.
    place
        Number of the block within it, and of the part of the study: the spawn key of its stream.
    size
        Number of draws.
    """

    def __init__(self, seed: int, place: tuple[int, ...], size: int) -> None:
        self.seed, self.place, self.size = seed, place, size

    def stream(self) -> np.random.Generator:
        """Return the stream, at its start."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=self.place))


def blocks(total: int, *, seed: int, size: int, part: tuple[int, ...] = ()) -> Iterator[Block]:
    """Return the blocks of a study, the last one with what is left.

    Parameters
    ----------
    total
        Draws in all, 1 or more.
    seed
        Seed of the study, 0 or more.
    size
        Draws a block: part of the definition of the study, since another size gives other numbers.
    part
        Which part of the study, so that its parts are independent.

    Raises
    ------
    ArgumentError
        If ``total`` or ``size`` is below 1, or the seed is negative.

    Examples
    --------
    >>> [(block.place, block.size) for block in blocks(5, seed=1, size=2)]
    [((0,), 2), ((1,), 2), ((2,), 1)]
    """
    if total < 1 or size < 1:
        raise ArgumentError("total", (total, size), "whole numbers of draws and of draws a block, 1 or more")
    if seed < 0:
        raise ArgumentError("seed", seed, "a whole number, 0 or more")
    for number, start in enumerate(range(0, total, size)):
        yield Block(seed, (*part, number), min(size, total - start))


def in_blocks(
    work: Callable[[Block], Result], study: Iterable[Block], *, mapper: Mapper[Result] | None = None
) -> list[Result]:
    """Return the result of each block, in the order of the blocks.

    Parameters
    ----------
    work
        What to do with one block; it must draw from ``block.stream()`` alone.
    study
        The blocks.
    mapper
        Shares out the work and keeps the order, as ``map`` does: ``pool.map`` of an executor. Serial when left out.

    Examples
    --------
    >>> sums = in_blocks(lambda block: block.stream().normal(size=block.size).sum(), blocks(4, seed=1, size=2))
    >>> len(sums)
    2
    """
    return list((mapper or map)(work, study))
