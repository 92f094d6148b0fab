"""The experiment of the paper that made reusable holdouts known: variables without any signal, chosen on a holdout."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError
from evalgauge.stats.streams import blocks, in_blocks
from evalgauge.studies.results import Experiment

if TYPE_CHECKING:
    from evalgauge.stats.streams import Block, Mapper

Sums: TypeAlias = NDArray[np.int64]
Mechanism: TypeAlias = Literal["standard", "thresholdout"]
_BLOCK = 5
# Variables drawn at a time.
_CHUNK = 50


def science_2015(
    n: int,
    chosen: int,
    *,
    variables: int = 10_000,
    mechanism: Mechanism = "standard",
    experiments: int = 20,
    seed: int = 0,
    mapper: Mapper[Sums] | None = None,
) -> Experiment:
    """Answer "what accuracy does a holdout show for a classifier of noise, if it helped to choose the variables?".

    Labels are coins and all variables noise. Kept are variables whose correlation with the label, on the training set
    and as shown by the holdout, is at least 1/√n and of one sign; of these the ``chosen`` with the largest training
    correlation vote by their sign.

    Parameters
    ----------
    n
        Cases of the training set and of the holdout, each.
    chosen
        Variables k of the classifier.
    variables
        Variables to choose from; about a twentieth of them passes both filters.
    mechanism
        ``"standard"`` shows holdout correlations; ``"thresholdout"`` shows the training value unless it is off by more
        than a noisy 4/√n.
    experiments
        Number of experiments.
    seed
        Seed of the study.
    mapper
        Shares out the blocks, as ``map`` does; serial when left out.

    Returns
    -------
    Experiment
        Mean holdout accuracy; the true one is one half.

    Raises
    ------
    ArgumentError
        If an argument is out of range.

    References
    ----------
    Dwork, Feldman, Hardt, Pitassi, Reingold and Roth 2015, Science 349, 636-638. The standard holdout shows
    Φ(√(k/n)·E[Z | Z > 1]), and E[Z | Z > 1] = 1.525135.

    Examples
    --------
    >>> found = science_2015(400, 20, variables=1_000, experiments=40)
    >>> abs(found.accuracy - 0.633) < 4 * found.mc_error + 0.01
    True
    """
    for argument, value, least in (("cases", n, 2), ("chosen", chosen, 1), ("experiments", experiments, 2)):
        if value != int(value) or value < least:
            raise ArgumentError(argument, value, f"a whole number, {least} or more")
    if variables < chosen:
        raise ArgumentError("variables", variables, f"at least the {chosen} that are chosen")
    if mechanism not in ("standard", "thresholdout"):
        raise ArgumentError("mechanism", mechanism, "standard or thresholdout")
    work = partial(_experiments, n=n, chosen=chosen, variables=variables, mechanism=mechanism)
    study = blocks(experiments, seed=seed, size=_BLOCK, part=(int(mechanism == "thresholdout"),))
    total, squares = np.sum(in_blocks(work, study, mapper=mapper), axis=0).tolist()
    mean = total / experiments
    sd = math.sqrt(max(0.0, squares / experiments - mean * mean)) / n
    return Experiment(
        mechanism=mechanism,
        chosen=chosen,
        accuracy=mean / n,
        mc_error=sd / math.sqrt(experiments),
        experiments=experiments,
    )


def _experiments(block: Block, *, n: int, chosen: int, variables: int, mechanism: Mechanism) -> Sums:
    stream, ends = block.stream(), np.zeros(2, dtype=np.int64)
    for _ in range(block.size):
        right = int(_right_cases(stream, n=n, chosen=chosen, variables=variables, mechanism=mechanism))
        ends += right, right * right
    return ends


def _right_cases(stream: np.random.Generator, *, n: int, chosen: int, variables: int, mechanism: Mechanism) -> int:
    """Return how many holdout cases the vote gets right.

    A correlation with a coin is exactly normal, in units of 1/√n; given it, the rest of a noise variable is normal and
    at right angles to the label. So only the variables of the vote are drawn case by case.
    """
    train, holdout = stream.standard_normal((2, variables))
    shown = holdout if mechanism == "standard" else _thresholdout(stream, train, holdout)
    passes = (np.abs(train) >= 1) & (np.abs(shown) >= 1) & (np.sign(train) == np.sign(shown))
    order = np.flatnonzero(passes)
    best = order[np.argsort(-np.abs(train[order]), kind="stable")[:chosen]]
    if not best.size:
        # No variable, no signal: a coin for every case.
        return int(stream.binomial(n, 0.5))
    # With labels turned to +1 throughout, a variable is its signed correlation plus noise that sums to 0.
    votes = np.zeros(n)
    towards = np.sign(train[best]) * holdout[best]
    for start in range(0, best.size, _CHUNK):
        part = towards[start : start + _CHUNK]
        noise = stream.standard_normal((part.size, n))
        noise -= noise.mean(axis=1, keepdims=True)
        votes += (noise + part[:, None] / math.sqrt(n)).sum(axis=0)
    return int((votes > 0).sum())


def _thresholdout(
    stream: np.random.Generator, train: NDArray[np.float64], holdout: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return what Thresholdout shows of each variable in turn, in units of 1/√n: threshold 4, noise 1."""
    shown = train.copy()
    gap = 4 + stream.laplace(0.0, 2.0)
    noise, own, renewed = stream.laplace(0.0, (4.0, 1.0, 2.0), (train.size, 3)).T
    for index, off in enumerate(np.abs(train - holdout).tolist()):
        if off > gap + noise[index]:
            shown[index] = holdout[index] + own[index]
            gap = 4 + renewed[index]
    return shown
