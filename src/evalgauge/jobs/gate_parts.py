"""From two arms to the parts that a rule speaks of: the set as a whole, or each slice, with the claim about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.planning.gate_counts import count_that_decides, evenly_spaced
from evalgauge.rules.gate_claims import Change, Score, drop_claim, gain_claim, rate_claim
from evalgauge.rules.gate_extremes import drop_extremes, gain_extremes, rate_extremes
from evalgauge.rules.paired_missing import ArmRuns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.compared_arms import PairedArms
    from evalgauge.planning.gate_counts import ClaimKind
    from evalgauge.questions.gate import GateOptions, RuleOptions
    from evalgauge.rules.gate import Claim
    from evalgauge.rules.gate_extremes import Extremes

    Array: TypeAlias = NDArray[np.float64]
    Mask: TypeAlias = NDArray[np.bool_]


_SEED = 20250707


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """What one set of rules judges.

    Attributes
    ----------
    rule
        The rules.
    options
        The policies.
    candidate, baseline
        The arms; no baseline where no rule speaks of a change.
    pairs
        Which of their cases stand side by side; ``None`` without a baseline, or where they are unpaired.
    """

    rule: RuleOptions
    options: GateOptions
    candidate: Arm
    baseline: Arm | None
    pairs: PairedArms | None

    @property
    def lower_is_better(self) -> bool:
        """Whether a fall of the score is an improvement."""
        return self.candidate.metric.higher_is_better is False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """A claim about the set or about one of its slices.

    Attributes
    ----------
    name
        ``topic=billing``; empty for the set as a whole.
    claim
        What is judged.
    extremes
        The same claim with the best and with the worst data.
    estimate
        The change or the score, in shares.
    n_cases, n_missing
        Scored cases that it rests on, and planned runs without a score.
    is_graded
        Whether the cases do not all pass or fail as a whole.
    decides_at
        Cases like these that would decide at a level.
    """

    name: str
    claim: Claim
    extremes: Extremes
    estimate: float
    n_cases: int
    n_missing: int
    is_graded: bool
    decides_at: Callable[[float], int | None]


def change_parts(subject: Subject, kind: ClaimKind, threshold: float, by: str | None) -> list[Part]:
    """Return the parts of a rule about a change: one, or one for each slice."""
    baseline, pairs = subject.baseline, subject.pairs
    if baseline is None:
        raise ArgumentError("logs", "one log", "two logs, baseline first", "This rule speaks of a change.")
    if pairs is None:
        change = _change(subject, (np.arange(len(baseline.sums)), np.arange(len(subject.candidate.sums))), None)
        return [_change_part("", subject, change, kind, threshold)]
    rows = (pairs.base_rows, pairs.cand_rows)
    if by is None:
        return [_change_part("", subject, _change(subject, rows, pairs.clusters), kind, threshold)]
    fields = _field(baseline, subject.candidate, by, rows)
    return [
        _change_part(
            name,
            subject,
            _change(
                subject,
                (rows[0][mask], rows[1][mask]),
                None if pairs.clusters is None else pairs.clusters[mask],
            ),
            kind,
            threshold,
        )
        for name, mask in _slices(by, fields)
    ]


def score_parts(subject: Subject, threshold: float, by: str | None) -> list[Part]:
    """Return the parts of a rule about the candidate's score: one, or one for each slice."""
    arm = subject.candidate
    clusters = None if subject.rule.cluster is None else arm.clusters(subject.rule.cluster)[0]
    everything = np.ones(len(arm.sums), dtype=np.bool_)
    parts = [("", everything)] if by is None else _slices(by, arm.field(by, "by"))
    return [_score_part(name, subject, mask, clusters, threshold) for name, mask in parts]


def _slices(by: str, fields: NDArray[np.object_]) -> Iterator[tuple[str, Mask]]:
    return ((f"{by}={name}", fields == name) for name in sorted(set(fields.tolist())))


def _field(
    baseline: Arm, candidate: Arm, by: str, rows: tuple[NDArray[np.intp], NDArray[np.intp]]
) -> NDArray[np.object_]:
    """Return a field of the pairs, from the side that has it."""
    if by not in baseline.table.cases.fields and by in candidate.table.cases.fields:
        return candidate.field(by, "by")[rows[1]]
    return baseline.field(by, "by")[rows[0]]


def _runs(arm: Arm, rows: NDArray[np.intp]) -> ArmRuns:
    return ArmRuns(sums=arm.totals[0][rows], scored=arm.sums.n_scored[rows], planned=arm.sums.n_planned[rows])


def _change(
    subject: Subject, rows: tuple[NDArray[np.intp], NDArray[np.intp]], clusters: NDArray[np.intp] | None
) -> Change:
    arms = (subject.baseline or subject.candidate, subject.candidate)
    labels: tuple[NDArray[np.intp] | None, NDArray[np.intp] | None] = (clusters, clusters)
    if subject.pairs is None and subject.rule.cluster is not None:
        labels = (arms[0].clusters(subject.rule.cluster)[0], arms[1].clusters(subject.rule.cluster)[0])
    return Change(
        base=_runs(arms[0], rows[0]),
        cand=_runs(arms[1], rows[1]),
        is_paired=subject.pairs is not None,
        policy=subject.options.missing,
        direction="lower is better" if subject.lower_is_better else "higher is better",
        clusters=labels,
        is_pass_fail=all(arm.is_pass_fail for arm in arms),
        is_anytime=subject.options.anytime,
    )


def _change_part(name: str, subject: Subject, change: Change, kind: ClaimKind, threshold: float) -> Part:
    base, cand = (_means(arm, subject.options.missing) for arm in (change.base, change.cand))
    if change.is_paired:
        both = ~(np.isnan(base) | np.isnan(cand))
        base, cand = base[both], cand[both]
        labels = None if change.clusters[0] is None else change.clusters[0][both]
    else:
        base, cand, labels = base[~np.isnan(base)], cand[~np.isnan(cand)], None
    changes = cand - base if change.is_paired else None
    estimate = float("nan")
    if base.size and cand.size:
        estimate = float(cand.mean() - base.mean() if changes is None else changes.mean())
    is_graded = changes is not None and not (labels is None and np.isin(changes, (-1.0, 0.0, 1.0)).all())
    if kind == "drop":
        claim = drop_claim(change, max_drop=threshold)
        extremes = drop_extremes(change, max_drop=threshold, is_graded=is_graded)
    else:
        claim, extremes = gain_claim(change, gain=threshold), gain_extremes(change, gain=threshold)
    limit = -threshold if kind == "drop" else threshold
    wants_pass = (-estimate if subject.lower_is_better else estimate) > limit

    def decides_at(confidence: float) -> int | None:
        def is_decided(sample: Array, codes: NDArray[np.int64]) -> bool:
            if change.is_anytime:
                sample = _in_some_order(sample)
            other = cand if changes is not None else evenly_spaced(cand, round(sample.size * cand.size / base.size))
            like = _change_of(change, sample, other, None if labels is None else codes)
            again = drop_claim(like, max_drop=threshold) if kind == "drop" else gain_claim(like, gain=threshold)
            return _is_shown(again, confidence, passes=wants_pass)

        return count_that_decides(base if changes is None else changes, is_decided, clusters=labels)

    return Part(
        name=name,
        claim=claim,
        extremes=extremes,
        estimate=estimate,
        n_cases=cand.size,
        n_missing=_missing(change.base) + _missing(change.cand),
        is_graded=is_graded,
        decides_at=decides_at,
    )


def _change_of(change: Change, sample: Array, cand: Array, codes: NDArray[np.int64] | None) -> Change:
    """Return a change with these cases, complete: paired cases hold their changes, as gains and losses."""
    pair = (np.maximum(-sample, 0.0), np.maximum(sample, 0.0)) if change.is_paired else (sample, cand)
    arms = [ArmRuns(sums=means, scored=np.ones(means.size), planned=np.ones(means.size)) for means in pair]
    return Change(
        base=arms[0],
        cand=arms[1],
        is_paired=change.is_paired,
        policy="drop",
        direction=change.direction,
        clusters=(codes, codes),
        # The cases stand as one run each here, with their means as its score.
        is_pass_fail=False,
        is_anytime=change.is_anytime,
    )


def _score_part(name: str, subject: Subject, mask: Mask, clusters: NDArray[np.intp] | None, threshold: float) -> Part:
    arm = subject.candidate
    rows = np.flatnonzero(mask)
    score = Score(
        runs=_runs(arm, rows),
        squares=arm.totals[1][rows],
        policy=subject.options.missing,
        clusters=None if clusters is None else clusters[rows],
        is_pass_fail=arm.is_pass_fail,
        is_anytime=subject.options.anytime,
    )
    means = _means(score.runs, subject.options.missing)
    seen = ~np.isnan(means)
    labels = None if score.clusters is None else score.clusters[seen]
    estimate = float(means[seen].mean()) if seen.any() else float("nan")
    is_graded = labels is not None or not np.isin(means[seen], (0.0, 1.0)).all()

    def decides_at(confidence: float) -> int | None:
        def is_decided(sample: Array, codes: NDArray[np.int64]) -> bool:
            if score.is_anytime:
                sample = _in_some_order(sample)
            ones = np.ones(sample.size)
            like = Score(
                runs=ArmRuns(sums=sample, scored=ones, planned=ones),
                squares=sample * sample,
                policy="drop",
                clusters=None if labels is None else codes.astype(np.intp),
                is_pass_fail=not is_graded,
                is_anytime=score.is_anytime,
            )
            again = rate_claim(like, min_rate=threshold)
            return _is_shown(again, confidence, passes=estimate > threshold)

        return count_that_decides(means[seen], is_decided, clusters=labels)

    return Part(
        name=name,
        claim=rate_claim(score, min_rate=threshold),
        extremes=rate_extremes(score, min_rate=threshold),
        estimate=estimate,
        n_cases=int(seen.sum()),
        n_missing=_missing(score.runs),
        is_graded=is_graded,
        decides_at=decides_at,
    )


def _is_shown(claim: Claim, confidence: float, *, passes: bool) -> bool:
    """Return whether a claim, or its opposite, is shown; not where a random order looks like one that is none."""
    try:
        return claim.passes(confidence) if passes else claim.fails(confidence)
    except ScoreError:
        return False


def _in_some_order(sample: Array) -> Array:
    """Return cases that stand sorted in an order of no meaning, the same each time."""
    return np.random.default_rng(_SEED).permutation(sample)


def _means(arm: ArmRuns, policy: str) -> Array:
    """Return the case means; NaN for a case without a scored run, unless a missing run counts as failed."""
    sums, scored, planned = (np.asarray(part, dtype=np.float64) for part in (arm.sums, arm.scored, arm.planned))
    if policy == "fail":
        return sums / planned
    return np.divide(sums, scored, out=np.full_like(sums, np.nan), where=scored > 0)


def _missing(arm: ArmRuns) -> int:
    return int(np.asarray(arm.planned).sum() - np.asarray(arm.scored).sum())
