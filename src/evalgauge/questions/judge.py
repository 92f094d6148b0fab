"""What labels say of the judge that gave a score."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from evalgauge.questions.parts import Ends, NamedInterval

Bias: TypeAlias = Literal["too lenient", "too strict", "not shown"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeErrors:
    """How the judge did on cases of one kind.

    Attributes
    ----------
    right, of
        Cases that it judged as the labels do, of how many of this kind.
    share, low, high
        The share of them and its interval; ``nan`` without any.
    """

    right: int
    of: int
    share: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedBy:
    """Another rule for the corrected score.

    Attributes
    ----------
    method
        Name of the rule.
    estimate, low, high
        The score and its interval, shares.
    """

    method: str
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCorrection:
    """A judged score with the judge's error taken out; the headline of the answer is the corrected one.

    Attributes
    ----------
    labels
        Where the labels came from.
    n_labels, n_judged
        Labelled cases, and judged cases without a label.
    uncorrected, uncorrected_interval
        The score as the judge gave it on all cases, and its interval.
    labelled_only, labelled_only_interval
        What the labels alone say.
    shift, shift_interval, bias
        Mean of label less verdict with its interval, and what it shows of the judge.
    agreement
        Share of labelled cases on which label and verdict are equal.
    passes, fails
        How the judge did on true passes (sensitivity) and on true failures (specificity); ``None`` for graded scores.
    alternatives
        Other rules: the plain prediction-powered interval, Lang and Reiczigel's, Rogan and Gladen's with the error of
        the labels and without.
    is_by_labels_alone
        Whether the headline rests on the labels alone, because they are more than the other cases.
    gain
        How many times as wide the interval of the labels alone is; below 1 the judge adds nothing.
    """

    labels: str
    n_labels: int
    n_judged: int
    uncorrected: float
    uncorrected_interval: NamedInterval
    labelled_only: float
    labelled_only_interval: NamedInterval
    shift: float
    shift_interval: Ends
    bias: Bias
    agreement: float
    passes: JudgeErrors | None
    fails: JudgeErrors | None
    alternatives: tuple[CorrectedBy, ...]
    is_by_labels_alone: bool
    gain: float
