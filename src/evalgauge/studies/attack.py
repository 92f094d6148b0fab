"""Somebody who knows nothing and aims at the displayed scores: random answers, voted together by what was shown."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError
from evalgauge.stats.streams import blocks, in_blocks
from evalgauge.studies.results import ATTACKED, Attack

if TYPE_CHECKING:
    from evalgauge.stats.streams import Block, Mapper
    from evalgauge.studies.results import AttackedRule

Sums: TypeAlias = NDArray[np.int64]
_BLOCK = 10
# Two-sided 5 %, which is what every interval here defaults to.
_GATE_Z = 1.96


def random_bit_attack(
    n: int,
    looks: int,
    *,
    rule: AttackedRule = "exact",
    step: float = 0.01,
    attacks: int = 200,
    seed: int = 0,
    mapper: Mapper[Sums] | None = None,
) -> Attack:
    """Answer "what does a tuner score who knows nothing, but learns from the displays?"; the true rate is one half.

    Every look shows a vector of random answers. Under ``"exact"``, ``"sign"`` and ``"ladder"`` the last candidate is
    their vote: each weighs what its score was shown to be above one half, or those that were shown to be above it, or
    to be a gain (more than a step above the best so far), count alike; where they tie, the first answer stays. Under
    ``"pass-fail"`` no score is shown: the tuner keeps what the gate passes against the incumbent, and the last
    candidate is what was kept.

    Parameters
    ----------
    n
        Cases, two answers each.
    looks
        Looks k before the last candidate.
    rule
        What is displayed.
    step
        Step of the ladder, a share.
    attacks
        Number of attacks.
    seed
        Seed of the study.
    mapper
        Shares out the blocks, as ``map`` does; serial when left out.

    Returns
    -------
    Attack
        Mean score of the last candidate above its true rate of one half.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    Blum and Hardt 2015, ICML, section 4.1 (majority of the good ones); the weighted vote has Φ(√(k/n)) - 1/2.

    Examples
    --------
    >>> found = random_bit_attack(1000, 30, attacks=60)
    >>> abs(found.bias - 0.0688) < 4 * found.mc_error
    True
    """
    for argument, value, least in (("cases", n, 2), ("looks", looks, 1), ("attacks", attacks, 2)):
        if value != int(value) or value < least:
            raise ArgumentError(argument, value, f"a whole number, {least} or more")
    if rule not in ATTACKED:
        raise ArgumentError("display rule", rule, ", ".join(ATTACKED))
    if not 0 < step < 1:
        raise ArgumentError("step", step, "points above 0, such as 1pp (0.01)")
    work = partial(_attacks, n=n, looks=looks, rule=rule, step=step)
    study = blocks(attacks, seed=seed, size=_BLOCK, part=(ATTACKED.index(rule),))
    total, squares = np.sum(in_blocks(work, study, mapper=mapper), axis=0).tolist()
    mean = total / attacks
    sd = math.sqrt(max(0.0, squares / attacks - mean * mean)) / n
    return Attack(rule=rule, looks=looks, bias=mean / n - 0.5, mc_error=sd / math.sqrt(attacks), sd=sd, attacks=attacks)


def _attacks(block: Block, *, n: int, looks: int, rule: AttackedRule, step: float) -> Sums:
    """Return the sum, and the sum of squares, of the passes that the attacks of a block end with."""
    stream, ends = block.stream(), np.zeros(2, dtype=np.int64)
    for _ in range(block.size):
        # 1 where the random answer is right, -1 where it is wrong.
        right = 2 * stream.integers(0, 2, (looks, n), dtype=np.int8) - 1
        passes = _passes_of_kept(right) if rule == "pass-fail" else _passes_of_vote(right, rule, step)
        ends += passes, passes * passes
    return ends


def _passes_of_vote(right: NDArray[np.int8], rule: AttackedRule, step: float) -> int:
    excess = right.sum(axis=1, dtype=np.int64)
    vote = _weights(excess, right.shape[1], rule, step) @ right.astype(np.int64)
    return int(np.where(vote == 0, right[0] > 0, vote > 0).sum())


def _passes_of_kept(right: NDArray[np.int8]) -> int:
    """Return the passes of the candidate that a gate leaves: paired z of `_GATE_Z` or more against the incumbent."""
    kept = right[0]
    for answers in right[1:]:
        changed = int((answers != kept).sum())
        gain = (int(answers.sum(dtype=np.int64)) - int(kept.sum(dtype=np.int64))) // 2
        if changed and gain >= _GATE_Z * math.sqrt(changed):
            kept = answers
    return int((kept > 0).sum())


def _weights(excess: Sums, n: int, rule: AttackedRule, step: float) -> Sums:
    if rule == "exact":
        return excess
    if rule == "sign":
        return (excess > 0).astype(np.int64)
    counted, best = np.zeros(excess.size, dtype=np.int64), 0.0
    for look, score in enumerate((excess / (2 * n)).tolist()):
        if score > best + step:
            counted[look], best = 1, math.floor(score / step + 0.5) * step
    return counted
