"""Comparisons of two arms from their logs, on the same cases or on different ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import EvalgaugeError, ScoreError
from evalgauge.jobs.blessings import changed_set_note, is_blessed
from evalgauge.jobs.compared import Compared, answer_of
from evalgauge.jobs.paired_slices import paired_slices
from evalgauge.questions.compare import ArmScore, ExplainedPair, Flip, Pairs
from evalgauge.questions.parts import Ends
from evalgauge.rules.paired import paired_intervals
from evalgauge.rules.paired_missing import ArmRuns, paired_with_missing
from evalgauge.rules.unpaired import unpaired_intervals, unpaired_view_of_paired
from evalgauge.scores.identity import CaseView
from evalgauge.scores.pairing import paired_cases
from evalgauge.scores.pairing_reasons import pair_reasons

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.compare import CompareAnswer, CompareRequest
    from evalgauge.rules.answers import PairedAnswer
    from evalgauge.scores.pairing import Pairing
    from evalgauge.scores.pairing_reasons import PairReason

# Without --flips an answer keeps this many changed cases, so that a million of them stay cheap.
_FLIPS_KEPT = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairedArms:
    """Which planned cases of two arms stand side by side.

    Attributes
    ----------
    views
        The cases of both, whose contents are read once.
    pairing
        How they were matched.
    base_rows, cand_rows
        Rows of the arms' sums, pair by pair.
    clusters
        Cluster of each pair; ``None`` where no field was named.
    notes
        What has to be said about the clusters.
    """

    views: tuple[CaseView, CaseView]
    pairing: Pairing
    base_rows: NDArray[np.intp]
    cand_rows: NDArray[np.intp]
    clusters: NDArray[np.intp] | None
    notes: tuple[str, ...]


def paired_arms(baseline: Arm, candidate: Arm, cluster: str | None) -> PairedArms:
    """Return the pairs of two arms.

    Raises
    ------
    PairingError
        When no case of one is found in the other.
    ScoreError
        When their scores have different ranges.
    """
    same_range(baseline, candidate)
    views = CaseView(baseline.table.cases), CaseView(candidate.table.cases)
    pairing = paired_cases(*views)
    base_rows, cand_rows = planned_rows(baseline, pairing.baseline), planned_rows(candidate, pairing.candidate)
    clusters, said = (None, ()) if cluster is None else baseline.clusters(cluster)
    return PairedArms(
        views=views,
        pairing=pairing,
        base_rows=base_rows,
        cand_rows=cand_rows,
        clusters=None if clusters is None else clusters[base_rows],
        notes=said,
    )


def compared_paired(
    request: CompareRequest, baseline: Arm, candidate: Arm, pairs: PairedArms | None = None
) -> CompareAnswer:
    """Return the answer for two arms on the same cases; ``pairs`` where they were made before."""
    pairs = pairs or paired_arms(baseline, candidate, request.cluster)
    pairing, base_rows, cand_rows = pairs.pairing, pairs.base_rows, pairs.cand_rows
    clusters, said = pairs.clusters, pairs.notes
    reading, scored_only, bounds = _reading(request, (baseline, base_rows), (candidate, cand_rows), clusters)
    base_means, cand_means = baseline.means[base_rows], candidate.means[cand_rows]
    both = ~(np.isnan(base_means) | np.isnan(cand_means))
    lower_is_better = baseline.metric.higher_is_better is False
    deltas = np.where(both, cand_means - base_means, 0.0) * (-1 if lower_is_better else 1)
    better, worse = np.flatnonzero(deltas > 0), np.flatnonzero(deltas < 0)
    notes = [*_arm_notes(baseline, candidate), *pairing.notes, *said]
    if is_blessed(baseline.table.runs) and (changed := changed_set_note(pairing)):
        notes.append(changed)
    if lower_is_better:
        notes.append(f"Lower is better for {baseline.metric.name}: a fall counts as won.")
    slices = ()
    if request.by is not None:
        fields = baseline.field(request.by, "by")[base_rows[both]]
        slices = paired_slices(request, fields, (cand_means - base_means)[both], baseline, lower_is_better)
    return answer_of(
        request,
        reading,
        Compared(
            baseline=_side(baseline, base_rows[both]),
            candidate=_side(candidate, cand_rows[both]),
            wins=better.size,
            losses=worse.size,
            ties=int(both.sum()) - better.size - worse.size,
            flips=_flips(request, baseline, base_rows, (base_means, cand_means), worse, better),
            pairing=_pairs(
                baseline,
                candidate,
                pairing,
                explained=_explained(baseline, candidate, pair_reasons(*pairs.views, pairing))
                if request.explain_pairing
                else (),
            ),
            is_paired=True,
            scored_only=scored_only,
            bounds=bounds,
            unpaired_p_value=_unpaired_p(base_means[both], cand_means[both]),
            slices=slices,
            score_range=baseline.score_range,
            is_pass_fail=baseline.is_pass_fail and candidate.is_pass_fail,
            lower_is_better=lower_is_better,
            notes=tuple(notes),
            problems=tuple(dict.fromkeys((*baseline.problems, *candidate.problems))),
        ),
    )


def compared_unpaired(request: CompareRequest, baseline: Arm, candidate: Arm) -> CompareAnswer:
    """Return the answer for two arms on different cases."""
    same_range(baseline, candidate)
    if request.by is not None:
        raise EvalgaugeError("--by: slices of unpaired arms are not compared. Filter the logs, or compare paired.")
    rows = [np.flatnonzero(arm.scored) for arm in (baseline, candidate)]
    clusters, said = None, ()
    if request.cluster is not None:
        (base_codes, base_said), (cand_codes, cand_said) = (
            arm.clusters(request.cluster) for arm in (baseline, candidate)
        )
        clusters, said = (base_codes[rows[0]], cand_codes[rows[1]]), (*base_said, *cand_said)
    is_pass_fail = baseline.is_pass_fail and candidate.is_pass_fail
    reading = unpaired_intervals(
        baseline.means[rows[0]],
        candidate.means[rows[1]],
        confidence=request.confidence,
        score_range=None if baseline.score_range is None else (0.0, 1.0),
        reps=(baseline.sums.n_scored[rows[0]], candidate.sums.n_scored[rows[1]]) if is_pass_fail else None,
        clusters=clusters,
    )
    notes = [*_arm_notes(baseline, candidate), *said]
    if any(arm.counts.errored for arm in (baseline, candidate)):
        notes.append("Missing runs are left out of an unpaired comparison: true only if they are missing by chance.")
    return answer_of(
        request,
        reading,
        Compared(
            baseline=_side(baseline, rows[0]),
            candidate=_side(candidate, rows[1]),
            wins=0,
            losses=0,
            ties=0,
            pairing=Pairs(matched=0, by="none", by_counts={}, only_baseline=(), only_candidate=()),
            is_paired=False,
            score_range=baseline.score_range,
            is_pass_fail=is_pass_fail,
            lower_is_better=baseline.metric.higher_is_better is False,
            notes=tuple(notes),
            problems=tuple(dict.fromkeys((*baseline.problems, *candidate.problems))),
        ),
    )


def _reading(
    request: CompareRequest,
    base: tuple[Arm, NDArray[np.intp]],
    cand: tuple[Arm, NDArray[np.intp]],
    clusters: NDArray[np.intp] | None,
) -> tuple[PairedAnswer, Ends | None, Ends | None]:
    """Return the reading under the missing policy, and where runs are missing the scored one and the extremes."""
    runs = [
        ArmRuns(sums=arm.totals[0][rows], scored=arm.sums.n_scored[rows], planned=arm.sums.n_planned[rows])
        for arm, rows in (base, cand)
    ]
    if base[0].score_range is not None:
        found = paired_with_missing(
            *runs, policy=request.missing, confidence=request.confidence, clusters=clusters, score_range=(0.0, 1.0)
        )
        if found.complete_cases == found.planned_cases:
            return found.answer, None, None
        only = found.scored_only.interval
        return found.answer, Ends(low=only.low, high=only.high), Ends(low=found.low, high=found.high)
    deltas = cand[0].means[cand[1]] - base[0].means[base[1]]
    kept = ~np.isnan(deltas)
    if not kept.any():
        raise ScoreError("No case was scored in both arms. Run the missing cases, or compare with --unpaired.")
    some = None if clusters is None else clusters[kept]
    return paired_intervals(deltas[kept], confidence=request.confidence, clusters=some, span=None), None, None


def planned_rows(arm: Arm, cases: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rows of the arm's sums that hold these cases of its table."""
    planned = arm.sums.case
    # Where every case was planned its number is its row; looking a million of them up is slow in another log's order.
    return cases if planned.size == len(arm.table.cases) else np.searchsorted(planned, cases)


def same_range(baseline: Arm, candidate: Arm) -> None:
    """Refuse two arms whose scores have different ranges."""
    if baseline.score_range != candidate.score_range:
        ranges = [
            "no limits" if arm.score_range is None else f"{arm.score_range[0]:g} to {arm.score_range[1]:g}"
            for arm in (baseline, candidate)
        ]
        raise ScoreError(
            f"The scores have different ranges: {ranges[0]} ({baseline.metric.name}) in the baseline, {ranges[1]} "
            f"({candidate.metric.name}) in the candidate. Choose the same score with --metric, or say --range for both."
        )


def _arm_notes(baseline: Arm, candidate: Arm) -> tuple[str, ...]:
    notes = list(dict.fromkeys((*baseline.notes, *candidate.notes)))
    if baseline.source == candidate.source:
        notes.append("Baseline and candidate are the same log: no change can show.")
    if baseline.metric.name != candidate.metric.name:
        notes.append(f"The scores have different names: {baseline.metric.name} and {candidate.metric.name}.")
    return tuple(notes)


def _side(arm: Arm, rows: NDArray[np.intp]) -> ArmScore:
    runs = arm.sums.n_scored[rows]
    return ArmScore(
        source=arm.source,
        estimate=float(arm.means[rows].mean()),
        n_cases=rows.size,
        n_runs=int(runs.sum()),
        n_reps=int(runs.max()),
        counts=arm.counts,
    )


def _explained(baseline: Arm, candidate: Arm, reasons: Sequence[PairReason]) -> tuple[ExplainedPair, ...]:
    names = [arm.case_names(range(len(arm.sums))) for arm in (baseline, candidate)]
    rows = [{case: row for row, case in enumerate(arm.sums.case.tolist())} for arm in (baseline, candidate)]
    return tuple(
        ExplainedPair(
            baseline=None if one.baseline is None else names[0][rows[0][one.baseline]],
            candidate=None if one.candidate is None else names[1][rows[1][one.candidate]],
            tier=one.tier,
            reason=one.reason,
        )
        for one in reasons
    )


def _pairs(baseline: Arm, candidate: Arm, pairing: Pairing, *, explained: tuple[ExplainedPair, ...]) -> Pairs:
    return Pairs(
        matched=len(pairing),
        by=pairing.by,
        by_counts=dict(pairing.by_counts),
        only_baseline=baseline.case_names(planned_rows(baseline, pairing.only_baseline)),
        only_candidate=candidate.case_names(planned_rows(candidate, pairing.only_candidate)),
        explained=explained,
    )


def _flips(
    request: CompareRequest,
    baseline: Arm,
    rows: NDArray[np.intp],
    means: tuple[NDArray[np.float64], NDArray[np.float64]],
    worse: NDArray[np.intp],
    better: NDArray[np.intp],
) -> tuple[Flip, ...]:
    """Return the changed cases, the worst first; without --flips only so many of each kind."""
    one, two = means
    found: list[Flip] = []
    for changed in (worse, better):
        order = changed[np.argsort(-np.abs(two[changed] - one[changed]), kind="stable")]
        kept = order if request.flips else order[:_FLIPS_KEPT]
        names = baseline.case_names(rows[kept])
        found += [
            Flip(case=name, baseline=float(one[row]), candidate=float(two[row]), change=float(two[row] - one[row]))
            for name, row in zip(names, kept.tolist(), strict=True)
        ]
    return tuple(found)


def _unpaired_p(base: NDArray[np.float64], cand: NDArray[np.float64]) -> float | None:
    try:
        return unpaired_view_of_paired(base, cand)
    except EvalgaugeError:
        # Two cases that do not vary have no such test; nothing is lost by not showing it.
        return None
