"""A tuner who keeps whatever scores higher: null edits on one holdout, and how far the kept score drifts."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError
from evalgauge.stats.streams import blocks, in_blocks
from evalgauge.studies.displays import Display, Move
from evalgauge.studies.results import RULES, Climb

if TYPE_CHECKING:
    from evalgauge.stats.streams import Block, Mapper
    from evalgauge.studies.displays import Whole
    from evalgauge.studies.results import DisplayRule

Sums: TypeAlias = NDArray[np.int64]
BLOCK = 250


def climb(  # noqa: PLR0913 - one keyword for each choice that changes the climb
    n: int,
    rate: float,
    looks: int,
    *,
    rule: DisplayRule = "exact",
    edit: float = 0.2,
    step: float = 0.01,
    climbs: int = 2_000,
    seed: int = 0,
    mapper: Mapper[Sums] | None = None,
) -> Climb:
    """Answer "how far does the score drift from the truth, if edits that change nothing are kept when they look good?".

    Each edit redraws a random share of the cases; the true rate stays. The law of the next pass count depends on the
    present one alone, so that no case has to be simulated.

    Parameters
    ----------
    n, rate
        Cases and true rate, a share strictly between 0 and 1.
    looks
        Looks k: the first candidate and k - 1 edits.
    rule
        What is displayed of each candidate; see ``Display``.
    edit
        Share of the cases whose outcome an edit redraws; 1 gives k unrelated candidates.
    step
        Step of rounding and of the ladder, a share.
    climbs
        Number of climbs.
    seed
        Seed of the study; every rule has streams of its own.
    mapper
        Shares out the blocks, as ``map`` does; serial when left out.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    Blum and Hardt 2015, ICML, on leaderboards that are climbed.

    Examples
    --------
    >>> found = climb(1000, 0.8, 10, edit=1.0, climbs=500)
    >>> abs(found.bias - 0.0194) < 4 * found.mc_error
    True
    """
    _check(n, rate, looks, edit)
    work = partial(_climbs, n=n, rate=rate, looks=looks, rule=rule, moved=max(1, round(edit * n)), step=step)
    study = blocks(climbs, seed=seed, size=BLOCK, part=(RULES.index(rule),) if rule in RULES else ())
    # Whole passes are summed, so that the order of the blocks leaves no trace.
    total, squares = np.sum(in_blocks(work, study, mapper=mapper), axis=0).tolist()
    mean = total / climbs
    sd = math.sqrt(max(0.0, squares / climbs - mean * mean)) / n
    return Climb(rule=rule, looks=looks, bias=mean / n - rate, mc_error=sd / math.sqrt(climbs), sd=sd, climbs=climbs)


def _check(n: int, rate: float, looks: int, edit: float) -> None:
    if n != int(n) or n < 2:
        raise ArgumentError("cases", n, "a whole number of cases, 2 or more")
    if not 0 < rate < 1:
        raise ArgumentError("rate", rate, "a share above 0 % and below 100 %")
    if looks != int(looks) or looks < 1:
        raise ArgumentError("looks", looks, "a whole number of looks, 1 or more")
    if not 0 < edit <= 1:
        raise ArgumentError("edit", edit, "a share of the cases above 0 %, at most 100 %")


def _climbs(block: Block, *, n: int, rate: float, looks: int, rule: DisplayRule, moved: int, step: float) -> Sums:
    """Return the sum, and the sum of squares, of the passes that the climbs of a block end with."""
    stream = block.stream()
    display = Display(rule, n=n, step=step, stream=stream)
    passes = stream.binomial(n, rate, block.size)
    train = stream.binomial(n, rate, block.size) if display.needs_training else None
    display.start(passes, train)
    for _ in range(looks - 1):
        wins, losses = _edit(stream, passes, n=n, rate=rate, moved=moved)
        new_train = None
        if train is not None:
            up, down = _edit(stream, train, n=n, rate=rate, moved=moved)
            new_train = train + up - down
        move = Move(n=n, before=passes, after=passes + wins - losses, wins=wins, losses=losses, train=new_train)
        kept = display.keeps(move)
        passes = np.where(kept, move.after, passes)
        if train is not None and new_train is not None:
            train = np.where(kept, new_train, train)
    return np.array([passes.sum(), (passes * passes).sum()], dtype=np.int64)


def _edit(stream: np.random.Generator, passes: Whole, *, n: int, rate: float, moved: int) -> tuple[Whole, Whole]:
    """Return the cases won and lost when so many of n cases are redrawn."""
    were_passes = stream.hypergeometric(passes, n - passes, moved)
    losses = stream.binomial(were_passes, 1 - rate)
    wins = stream.binomial(moved - were_passes, rate)
    return wins, losses
