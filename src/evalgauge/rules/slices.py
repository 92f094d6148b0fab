"""Scores of slices, together and as a total: pooled over cases, or weighted by shares that are not the case shares."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.rules.single import ScoreInterval, Target, score_interval
from evalgauge.stats.checks import checked_confidence, checked_scores
from evalgauge.stats.multiplicity import bonferroni_confidence, holm
from evalgauge.stats.strata import checked_weights, weighted_t_interval, yan_su_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from evalgauge.stats.results import Estimate, Interval

    Array: TypeAlias = NDArray[np.float64]

Average: TypeAlias = Literal["micro", "macro", "weighted"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceScore:
    """The score of one slice.

    Attributes
    ----------
    code
        The slice's number in the input.
    share
        Its share of the cases.
    weight
        Its weight in the total.
    score
        Its score and interval; ``None`` where the slice cannot answer.
    problem
        Why it cannot answer; empty where it can.
    """

    code: int
    share: float
    weight: float
    score: ScoreInterval | None
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceScores:
    """The slices of a set and their total.

    Attributes
    ----------
    slices
        One entry per slice, in the order of their numbers.
    slice_confidence
        Level of each slice's interval: with ``simultaneous``, all of them hold together at the level asked for.
    average
        What the total is: ``"micro"`` (each case counts the same), ``"macro"`` (each slice does) or ``"weighted"``.
    estimate
        The total, in the unit of the score.
    interval
        Its interval.
    notes
        What a reader must know about the total, as sentences.
    """

    slices: tuple[SliceScore, ...]
    slice_confidence: float
    average: Average
    estimate: float
    interval: Interval
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.estimate:.4g}, {self.interval}, {self.average} over {len(self.slices)} slices"


def slice_scores(  # noqa: PLR0913  # one keyword for each choice that changes the answer
    case_means: ArrayLike,
    slices: ArrayLike,
    *,
    weights: Literal["cases", "equal"] | ArrayLike = "cases",
    simultaneous: bool = False,
    confidence: float = 0.95,
    target: Target = "new-cases",
    score_range: tuple[float, float] | None = (0.0, 1.0),
    clusters: ArrayLike | None = None,
    reps: ArrayLike | None = None,
    sums_of_squares: ArrayLike | None = None,
    pass_fail: bool = False,
) -> SliceScores:
    """Return the score of each slice and their total: where is it weak, and what is it on real traffic?

    Parameters
    ----------
    case_means
        One mean per case, in the unit of the score.
    slices
        One whole number per case: its slice.
    weights
        ``"cases"``: the total is the mean over cases. ``"equal"``: the mean over slices. Or one share per slice, in the
        order of their numbers, such as traffic shares.
    simultaneous
        Whether the intervals of the slices hold all together at ``confidence`` (Bonferroni).
    confidence, target, score_range, clusters, reps, sums_of_squares, pass_fail
        As in :func:`~evalgauge.rules.single.score_interval`.

    Returns
    -------
    SliceScores
        The total is pooled where the weights are the case shares; else the stratified Wilson interval of Yan and Su at
        each slice's (effective) cases, or a weighted Student interval where the score has no range or the target is
        these cases.

    Raises
    ------
    ArgumentError
        If there is not one slice per case, or weights are impossible.
    ScoreError
        If a slice that has weight in a weighted total cannot answer.

    References
    ----------
    Yan and Su 2010, Statistics in Biopharmaceutical Research 2, 329-335.

    Examples
    --------
    >>> passed = [1] * 45 + [0] * 5 + [1] * 28 + [0] * 12 + [1] * 9 + [0]
    >>> print(slice_scores(passed, [0] * 50 + [1] * 40 + [2] * 10, weights=[0.6, 0.3, 0.1], pass_fail=True))
    0.84, 0.7576 to 0.8946 (0.95 yan-su), weighted over 3 slices
    """
    checked_confidence(confidence)
    means = checked_scores(case_means, "case_means")
    codes, index = _checked_slices(slices, means.size)
    case_shares = np.bincount(index) / means.size
    average, shares = _checked_average(weights, case_shares)

    def score(chosen: NDArray[np.bool_], level: float) -> ScoreInterval:
        return score_interval(
            means[chosen],
            confidence=level,
            target=target,
            score_range=score_range,
            clusters=_part(clusters, "clusters", chosen),
            reps=_part(reps, "reps", chosen),
            sums_of_squares=_part(sums_of_squares, "sums_of_squares", chosen),
            pass_fail=pass_fail,
        )

    level = bonferroni_confidence(confidence, codes.size) if simultaneous else confidence
    found: list[SliceScore] = []
    for at, code in enumerate(codes.tolist()):
        answer, problem = None, ""
        try:
            answer = score(index == at, level)
        except ScoreError as error:
            # One slice too small to answer must not take the others' answers away.
            problem = str(error)
        found.append(
            SliceScore(code=code, share=float(case_shares[at]), weight=float(shares[at]), score=answer, problem=problem)
        )
    if average == "micro":
        pooled = score(np.ones(means.size, dtype=np.bool_), confidence)
        estimate, interval = pooled.estimate, pooled.interval
    else:
        total = _weighted_total(found, confidence, score_range, target)
        estimate, interval = total.estimate, total.interval
    return SliceScores(
        slices=tuple(found),
        slice_confidence=level,
        average=average,
        estimate=estimate,
        interval=interval,
        notes=tuple(_notes(average, index, clusters, simultaneous=simultaneous)),
    )


def holm_rejections(p_values: ArrayLike, *, confidence: float = 0.95) -> NDArray[np.bool_]:
    """Return which of several slices' tests still count when all are read together: Holm's step-down procedure.

    Parameters
    ----------
    p_values
        Two-sided p-values, one per slice.
    confidence
        1 minus the chance that any verdict is false, a share.

    Returns
    -------
    ndarray of bool
        In the order of the input.

    Raises
    ------
    ArgumentError
        If a p-value is outside 0 to 1.

    References
    ----------
    Holm 1979, Scandinavian Journal of Statistics 6, 65-70.

    Examples
    --------
    >>> holm_rejections([0.01, 0.04, 0.02]).tolist()
    [True, True, True]
    >>> holm_rejections([0.02, 0.04, 0.03]).tolist()
    [False, False, False]
    """
    return holm(p_values) <= 1 - checked_confidence(confidence)


def _checked_slices(slices: ArrayLike, size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    codes = np.asarray(slices)
    if codes.shape != (size,) or codes.dtype.kind not in "iu":
        raise ArgumentError("slices", f"{codes.dtype} of shape {codes.shape}", f"one whole number per case ({size})")
    names, index = np.unique(codes, return_inverse=True)
    return names.astype(np.int64), index.astype(np.int64)


def _checked_average(weights: str | ArrayLike, case_shares: Array) -> tuple[Average, Array]:
    if isinstance(weights, str):
        if weights == "cases":
            return "micro", case_shares
        if weights == "equal":
            return "macro", np.full(case_shares.size, 1 / case_shares.size)
        raise ArgumentError("weights", weights, "'cases', 'equal' or one share per slice")
    shares = checked_weights(weights, case_shares.size)
    # Traffic shares that are the case shares ask for the pooled rate, whose interval needs no strata.
    return ("micro" if np.allclose(shares, case_shares, rtol=0, atol=1e-9) else "weighted"), shares


def _part(column: ArrayLike | None, argument: str, chosen: NDArray[np.bool_]) -> NDArray[np.generic] | None:
    if column is None:
        return None
    values = np.asarray(column)
    if values.shape != chosen.shape:
        raise ArgumentError(argument, f"an array of shape {values.shape}", f"one entry per case ({chosen.size})")
    return values[chosen]


def _weighted_total(
    slices: list[SliceScore], confidence: float, score_range: tuple[float, float] | None, target: Target
) -> Estimate:
    scores: list[ScoreInterval] = []
    for part in slices:
        if part.weight > 0:
            if part.score is None:
                raise ScoreError(f"Slice {part.code} has weight {part.weight:g} but no answer: {part.problem}")
            scores.append(part.score)
    weights = [part.weight for part in slices if part.weight > 0]
    means = np.array([score.estimate for score in scores])
    df = [score.df for score in scores]
    if score_range is None or target == "these-cases":
        errors = [score.std_error for score in scores]
        total = weighted_t_interval(means, errors, df, weights=weights, confidence=confidence)
        low, high = (-math.inf, math.inf) if score_range is None else score_range
        interval = replace(total.interval, low=max(total.interval.low, low), high=min(total.interval.high, high))
        return replace(total, interval=interval)
    start, span = score_range[0], score_range[1] - score_range[0]
    units = np.clip((means - start) / span, 0.0, 1.0)
    n_eff = [score.n_eff for score in scores]
    total = yan_su_interval(units, n_eff, weights=weights, df=df, confidence=confidence)
    ends = replace(total.interval, low=total.interval.low * span + start, high=total.interval.high * span + start)
    return replace(total, estimate=total.estimate * span + start, interval=ends, std_error=total.std_error * span)


def _notes(average: Average, index: NDArray[np.int64], clusters: ArrayLike | None, *, simultaneous: bool) -> list[str]:
    notes = [
        {
            "micro": "The total is the mean over cases: each case counts the same (micro average).",
            "macro": "The total is the mean over slices: each slice counts the same (macro average).",
            "weighted": "The total weights each slice by the share given for it, not by its number of cases.",
        }[average]
    ]
    if simultaneous:
        notes.append("The intervals of the slices hold all together (Bonferroni), which makes each wider.")
    if clusters is not None and average != "micro":
        pairs = np.unique(np.stack([np.asarray(clusters).astype(np.int64), index]), axis=1)
        if np.unique(pairs[0]).size < pairs.shape[1]:
            notes.append("Some clusters have cases in more than one slice; the total takes slices as independent.")
    return notes
