"""Labels of some cases of a judged log: which case of the log each one is of, and what they say of the judge."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evalgauge.errors import ArgumentError, PairingError, ScoreError
from evalgauge.jobs.arms import arms_of
from evalgauge.jobs.reading import asked_table, log_name
from evalgauge.questions.judge import CorrectedBy, JudgeCorrection, JudgeErrors
from evalgauge.questions.parts import Ends, NamedInterval, ReadingOptions, ScoringOptions
from evalgauge.rules.judged import FEWEST_LABELS, corrected_score
from evalgauge.scores.pairing import paired_cases
from evalgauge.scores.table import Status
from evalgauge.stats.proportion import wilson_interval

if TYPE_CHECKING:
    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.judge import Bias
    from evalgauge.questions.measure import MeasureAnswer, MeasureRequest
    from evalgauge.rules.judged import CorrectedScore

Array: TypeAlias = NDArray[np.float64]

# What says something else than "the score of all cases, new ones included"; each has no corrected form.
_REFUSED = ("by", "weights", "cluster", "pass_k")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Labelled:
    """Labels beside verdicts, by case.

    Attributes
    ----------
    rows
        Planned cases of the log that are labelled and scored.
    verdicts, labels
        Mean verdict and mean label of the labelled runs of each.
    notes
        What has to be said.
    """

    rows: NDArray[np.intp]
    verdicts: Array
    labels: Array
    notes: tuple[str, ...]


def check_judge_options(request: MeasureRequest) -> None:
    """Refuse options that ask for something that labels cannot correct.

    Raises
    ------
    ArgumentError
        If one is given together with ``judge_labels``.
    """
    for option in _REFUSED:
        if getattr(request, option) is not None:
            allowed = "no labels with it: they correct the score of all cases"
            raise ArgumentError("judge_labels", f"labels together with {option}", allowed, "Ask for the two apart.")
    if request.target != "new-cases" or request.rule != "auto":
        raise ArgumentError(
            "judge_labels",
            "labels together with a rule or target",
            "labels alone",
            "The corrected score has a rule of its own, for new cases like these.",
        )


def corrected_answer(request: MeasureRequest, arm: Arm, answer: MeasureAnswer, source: Any) -> MeasureAnswer:  # noqa: ANN401 - a path or a data frame
    """Return an answer whose headline is the score with the judge's error taken out.

    Raises
    ------
    ArgumentError
        If the labels are not 0 or 1, or too few.
    PairingError
        If no labelled case is in the log.
    ScoreError
        If the log has no range or several runs a case that the labels do not tell apart.
    """
    if arm.score_range is None:
        raise ScoreError("A score without limits cannot be put beside labels of 0 and 1. Say its limits with --range.")
    partly = answer.counts.cases_partly
    if partly and request.missing != "drop":
        raise ScoreError(
            f"{partly:,} cases have some of their runs scored only, and labels say nothing of the others. Run them "
            "again, or leave them out with --missing drop."
        )
    labelled = _beside(arm, _label_arm(source))
    if labelled.rows.size < FEWEST_LABELS:
        came = f"labels of {labelled.rows.size} cases of the log"
        raise ArgumentError("judge_labels", came, f"{FEWEST_LABELS} or more; 50 and more say something")
    others = arm.scored.copy()
    others[labelled.rows] = False
    found = corrected_score(arm.means[others], labelled.verdicts, labelled.labels, confidence=request.confidence)
    low, high, estimate = _with_missing(request, arm, found)
    notes = (*answer.notes, *labelled.notes, *found.notes)
    return replace(
        answer,
        estimate=estimate,
        low=low,
        high=high,
        method=found.corrected.interval.method,
        judge=_correction(answer, found, log_name(source), int(others.sum()), labelled.rows.size),
        notes=tuple(dict.fromkeys(notes)),
        reach=None,
        naive=None,
        std_error=found.corrected.std_error,
        n_eff=found.corrected.n_eff,
        df=found.corrected.df,
    )


def _label_arm(source: Any) -> Arm:  # noqa: ANN401 - a path or a data frame
    table = asked_table(source, ReadingOptions())
    allowed = "one label a case: 0 (fails) or 1 (passes)"
    try:
        arms = arms_of(table, ScoringOptions())
    except ScoreError as error:
        if "outside the range" not in str(error):
            raise ScoreError(f"judge_labels: {error}") from error
        scores = table.score[table.status == Status.OK]
        came = f"labels from {scores.min():g} to {scores.max():g}"
        raise ArgumentError("judge_labels", came, allowed) from error
    if len(arms) != 1:
        names = ", ".join(dict.fromkeys(arm.source.arm for arm in arms))
        raise ArgumentError("judge_labels", f"labels of {len(arms)} arms ({names})", "labels of one arm")
    scores = table.score[table.status == Status.OK]
    other = scores[(scores != 0) & (scores != 1)]
    if other.size:
        raise ArgumentError("judge_labels", f"a label of {other[0]:g}", allowed)
    (only,) = arms
    return only


def _beside(arm: Arm, labels: Arm) -> _Labelled:
    try:
        pairing = paired_cases(arm.table.cases, labels.table.cases)
    except PairingError as error:
        mine, theirs = (", ".join(one.case_names(range(min(3, len(one.sums))))) for one in (arm, labels))
        raise PairingError(
            f"No labelled case is in the log: the log has {mine} …; the labels are for {theirs} …. Labels are known by "
            "what their case asks, else by its id: give them the ids of the log in a column named case."
        ) from error
    place = np.full(len(arm.table.cases), -1, dtype=np.intp)
    place[arm.sums.case] = np.arange(len(arm.sums))
    partner = np.full(len(labels.table.cases), -1, dtype=np.intp)
    partner[pairing.candidate] = place[pairing.baseline]
    label_rows = np.flatnonzero((labels.table.status == Status.OK) & (partner[labels.table.case] >= 0))
    case = partner[labels.table.case[label_rows]]
    verdict = _verdicts(arm, labels, label_rows, case)
    kept = ~np.isnan(verdict)
    rows, at = np.unique(case[kept], return_inverse=True)
    count = np.bincount(at).astype(np.float64)
    notes = [*pairing.notes]
    unknown = len(labels.sums) - len(pairing)
    if unknown:
        notes.append(f"{unknown:,} of {len(labels.sums):,} labelled cases are not in the log; they are left out.")
    if not kept.all():
        notes.append(f"{int((~kept).sum()):,} labels are for runs without a score; they are left out.")
    return _Labelled(
        rows=rows,
        verdicts=np.bincount(at, weights=verdict[kept]) / count,
        labels=np.bincount(at, weights=labels.table.score[label_rows][kept]) / count,
        notes=tuple(notes),
    )


def _verdicts(arm: Arm, labels: Arm, label_rows: NDArray[np.intp], case: NDArray[np.intp]) -> Array:
    """Return the judge's verdict on the run that each label speaks of; NaN where that run has no score."""
    if int(arm.sums.n_planned.max()) == 1:
        return arm.means[case]
    if labels.table.runs[0].rep_source != "explicit":
        raise ScoreError(
            "judge_labels: the log has several runs a case, and the labels do not say of which run they speak. Give "
            "them a column named rep."
        )
    low, high = arm.score_range or (0.0, 1.0)
    log = arm.table
    metric = next(index for index, one in enumerate(log.metrics) if one.name == arm.metric.name)
    scored = np.flatnonzero((log.status == Status.OK) & (log.metric == metric))
    place = {int(row): at for at, row in enumerate(arm.sums.case)}
    runs = {
        (place[int(log.case[row])], int(log.rep[row])): (float(log.score[row]) - low) / (high - low) for row in scored
    }
    return np.array(
        [runs.get((int(at), int(labels.table.rep[row])), np.nan) for row, at in zip(label_rows, case, strict=True)]
    )


def _with_missing(request: MeasureRequest, arm: Arm, found: CorrectedScore) -> tuple[float, float, float]:
    """Return low, high and estimate over the planned cases; those without a score count as the policy has it."""
    share = float(arm.scored.mean())
    interval, estimate = found.corrected.interval, found.corrected.estimate
    if request.missing == "drop" or share == 1:
        return interval.low, interval.high, estimate
    unknown = 1 - share if request.missing == "bounds" else 0.0
    return interval.low * share, interval.high * share + unknown, estimate * (1 if unknown else share)


def _correction(
    answer: MeasureAnswer, found: CorrectedScore, labels: str, n_judged: int, n_labels: int
) -> JudgeCorrection:
    only, plain = found.labelled_only.interval, answer.scored_only
    verdicts = found.verdicts
    return JudgeCorrection(
        labels=labels,
        n_labels=n_labels,
        n_judged=n_judged,
        uncorrected=plain.estimate,
        uncorrected_interval=NamedInterval(method=answer.method, low=plain.low, high=plain.high),
        labelled_only=found.labelled_only.estimate,
        labelled_only_interval=NamedInterval(method=only.method, low=only.low, high=only.high),
        shift=found.shift,
        shift_interval=Ends(low=found.shift_interval.low, high=found.shift_interval.high),
        bias=_bias(found),
        agreement=found.agreement,
        passes=None if verdicts is None else _errors(verdicts.caught, verdicts.passes, answer.confidence),
        fails=None if verdicts is None else _errors(verdicts.cleared, verdicts.fails, answer.confidence),
        alternatives=tuple(
            CorrectedBy(method=one.interval.method, estimate=one.estimate, low=one.interval.low, high=one.interval.high)
            for one in found.alternatives
        ),
        is_by_labels_alone=found.is_by_labels_alone,
        gain=only.width / found.corrected.interval.width,
    )


def _bias(found: CorrectedScore) -> Bias:
    if found.shift_interval.low > 0:
        return "too strict"
    return "too lenient" if found.shift_interval.high < 0 else "not shown"


def _errors(right: float, of: float, confidence: float) -> JudgeErrors:
    if not of:
        return JudgeErrors(right=0, of=0, share=float("nan"), low=float("nan"), high=float("nan"))
    interval = wilson_interval(right, of, confidence=confidence)
    return JudgeErrors(right=int(right), of=int(of), share=right / of, low=interval.low, high=interval.high)
