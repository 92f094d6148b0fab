"""A score that a judge gave, corrected by labels on some of the cases: which rule answers which data.

============================  ==========================================================
data                          interval
============================  ==========================================================
verdicts and labels 0 or 1    judged rate (Wilson) plus label less verdict (Tango), MOVER
graded verdicts or labels     the same from effective-n Wilson and the paired rules
more labels than other cases  the labels alone
============================  ==========================================================

Beside it the plain prediction-powered interval, Rogan and Gladen's and Lang and Reiczigel's where they exist, and the
labels alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError, EvalgaugeError
from evalgauge.rules.paired import paired_limits
from evalgauge.stats.checks import checked_confidence, checked_unit_scores
from evalgauge.stats.judged import (
    Verdicts,
    combined_ppi,
    guarded_ppi,
    lang_reiczigel,
    prediction_powered,
    rogan_gladen_interval,
    rogan_gladen_known,
)
from evalgauge.stats.means import effective_n_wilson
from evalgauge.stats.proportion import wilson_interval
from evalgauge.stats.results import Estimate, Interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Array: TypeAlias = NDArray[np.float64]

FEWEST_LABELS = 5
"""With fewer labels nothing is said of the judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedScore:
    """A judged score with the judge's error taken out.

    Attributes
    ----------
    corrected
        The score and its interval.
    labelled_only
        What the labels alone say.
    shift, shift_interval
        Mean of label less verdict on the labelled cases: above 0 for a judge that is too strict.
    verdicts
        How the judge did by kind of case; ``None`` where verdicts or labels are graded.
    agreement
        Share of labelled cases on which verdict and label are equal.
    alternatives
        Other rules on the same data.
    is_by_labels_alone
        Whether the labels are so many that the judge is left out.
    notes
        Plain sentences.
    """

    corrected: Estimate
    labelled_only: Estimate
    shift: float
    shift_interval: Interval
    verdicts: Verdicts | None
    agreement: float
    alternatives: tuple[Estimate, ...]
    is_by_labels_alone: bool
    notes: tuple[str, ...]


def corrected_score(
    judged: ArrayLike, verdicts: ArrayLike, labels: ArrayLike, *, confidence: float = 0.95
) -> CorrectedScore:
    """Answer "what would this score be if every case were labelled?".

    Parameters
    ----------
    judged
        The judge's mean score of each case without a label, shares; may be empty.
    verdicts, labels
        The judge's mean score and the mean label of each labelled case, shares.
    confidence
        Two-sided level, a share.

    Raises
    ------
    ArgumentError
        If a score is no share, there are fewer than five labels, or not one label per verdict.

    References
    ----------
    Angelopoulos et al. 2023; Lang and Reiczigel 2014; Rogan and Gladen 1978; the table at the head of this module.

    Examples
    --------
    >>> label = np.repeat([1.0, 0.0], [80, 20])
    >>> verdict = np.r_[np.ones(76), np.zeros(4), np.ones(2), np.zeros(18)]
    >>> found = corrected_score(np.repeat([1.0, 0.0], [780, 220]), verdict, label)
    >>> print(found.corrected.interval, round(found.shift, 3))
    0.738 to 0.8663 (0.95 guarded ppi) 0.02
    """
    checked_confidence(confidence)
    f, y = (checked_unit_scores(part, (0.0, 1.0), name) for part, name in ((verdicts, "verdicts"), (labels, "labels")))
    if f.shape != y.shape:
        raise ArgumentError("labels", f"{y.size} labels for {f.size} verdicts", "one label per verdict")
    if y.size < FEWEST_LABELS:
        raise ArgumentError("labels", f"{y.size} labelled cases", f"at least {FEWEST_LABELS}")
    rest = np.asarray(judged, dtype=np.float64)
    rest = checked_unit_scores(rest, (0.0, 1.0), "judged") if rest.size else rest
    labelled = _score(y, confidence)
    shift = paired_limits(y - f, confidence=confidence).interval
    counted = _verdicts(f, y) if _is_binary(f) and _is_binary(y) and _is_binary(rest) else None
    others, notes = ((), ()) if counted is None or not rest.size else _others(rest, counted, confidence)
    alone = rest.size <= y.size
    return CorrectedScore(
        corrected=labelled if alone else _combined(rest, float((y - f).mean()), shift, counted, confidence),
        labelled_only=labelled,
        shift=float((y - f).mean()),
        shift_interval=shift,
        verdicts=counted,
        agreement=float((f == y).mean()),
        alternatives=others,
        is_by_labels_alone=alone,
        notes=notes,
    )


def _is_binary(scores: Array) -> bool:
    return bool(((scores == 0) | (scores == 1)).all())


def _verdicts(f: Array, y: Array) -> Verdicts:
    passes = float(y.sum())
    return Verdicts(
        caught=float((f * y).sum()), passes=passes, cleared=float(((1 - f) * (1 - y)).sum()), fails=y.size - passes
    )


def _score(scores: Array, confidence: float) -> Estimate:
    if not _is_binary(scores):
        return effective_n_wilson(scores, confidence=confidence)
    interval = wilson_interval(float(scores.sum()), scores.size, confidence=confidence)
    return Estimate(
        estimate=float(scores.mean()), interval=interval, std_error=float("nan"), df=float("inf"), n_eff=scores.size
    )


def _combined(rest: Array, shift: float, ends: Interval, counted: Verdicts | None, confidence: float) -> Estimate:
    if counted is not None:
        return guarded_ppi(float(rest.sum()), rest.size, counted, confidence=confidence)
    judged = _score(rest, confidence)
    parts = (judged.estimate, judged.interval.low, judged.interval.high), (shift, ends.low, ends.high)
    return combined_ppi(*parts, confidence=confidence)


def _others(rest: Array, counted: Verdicts, confidence: float) -> tuple[tuple[Estimate, ...], tuple[str, ...]]:
    passed, n = float(rest.sum()), float(rest.size)
    found = [prediction_powered(passed, n, counted, confidence=confidence)]
    if not (counted.passes and counted.fails):
        kind, other = ("pass", "failures") if counted.passes else ("fail", "passes")
        return tuple(found), (f"All labelled cases {kind}: nothing shows how the judge errs on {other}. Label some.",)
    try:
        found += [
            lang_reiczigel(passed, n, counted, confidence=confidence),
            rogan_gladen_interval(passed, n, counted, confidence=confidence),
            rogan_gladen_known(
                passed,
                n,
                sensitivity=counted.sensitivity,
                specificity=counted.specificity,
                confidence=confidence,
            ),
        ]
    except EvalgaugeError:
        return tuple(found), ("Among these labels the judge is hardly better than chance: trust the labels alone.",)
    return tuple(found), ()
