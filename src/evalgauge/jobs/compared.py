"""From the rules' reading of a difference to an answer; and comparisons from bare counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evalgauge.errors import ArgumentError
from evalgauge.questions.compare import ArmScore, Claims, CompareAnswer, Difference, Flip, Pairs, SliceDifference
from evalgauge.questions.parts import Ends, NamedInterval, Source
from evalgauge.questions.units import ScoreRange
from evalgauge.rules.paired import paired_counts
from evalgauge.rules.small_numbers import small_number_notes
from evalgauge.rules.unpaired import unpaired_counts
from evalgauge.rules.verdict import claims, least_n_for_no_worse

if TYPE_CHECKING:
    from evalgauge.questions.compare import CompareRequest
    from evalgauge.rules.answers import Comparison
    from evalgauge.stats.results import Interval

COUNTS = Source(files=(), framework="", set_name="", arm="", metric="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What a comparison found, beside the reading of the difference itself.

    Attributes
    ----------
    baseline, candidate
        The two sides.
    wins, losses, ties, flips
        Cases that got better, worse, stayed; the changed ones.
    pairing, is_paired
        How cases were matched.
    scored_only, bounds
        Where scores are missing.
    unpaired_p_value
        What treating paired arms as unrelated would say.
    slices
        Differences by slice.
    score_range, is_pass_fail
        Of the score.
    lower_is_better
        Whether a fall of the score is an improvement.
    notes, problems
        Plain sentences.
    """

    baseline: ArmScore
    candidate: ArmScore
    wins: int
    losses: int
    ties: int
    pairing: Pairs
    is_paired: bool
    flips: tuple[Flip, ...] = ()
    scored_only: Ends | None = None
    bounds: Ends | None = None
    unpaired_p_value: float | None = None
    slices: tuple[SliceDifference, ...] = ()
    score_range: ScoreRange | None = ScoreRange((0.0, 1.0))  # noqa: RUF009 - an immutable tuple
    is_pass_fail: bool = True
    lower_is_better: bool = False
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def answer_of(request: CompareRequest, reading: Comparison, found: Compared) -> CompareAnswer:
    """Return the answer; where lower is better, claims are read from the mirrored difference."""
    read = mirrored(reading) if found.lower_is_better else reading
    said = claims(read, margin=request.margin)
    small = small_number_notes(reading, confidence=request.confidence)
    least = None
    if request.margin is not None and found.is_paired and found.score_range is not None:
        least = least_n_for_no_worse(
            request.margin, confidence=request.confidence, graded=reading.interval.method != "tango"
        ).unchanged
    return CompareAnswer(
        baseline=found.baseline,
        candidate=found.candidate,
        verdict=said.verdict,
        within_margin=said.within_margin,
        difference=Difference(
            estimate=reading.estimate,
            low=reading.interval.low,
            high=reading.interval.high,
            method=reading.interval.method,
            p_value=reading.p_value,
            p_values=dict(reading.p_values),
        ),
        guarded=named(reading.guarded),
        alternatives=tuple(named(one) for one in reading.alternatives),
        claims=Claims(
            better=said.better, worse=said.worse, equivalent=said.equivalent is True, no_worse=said.no_worse is True
        ),
        margin=request.margin,
        confidence=request.confidence,
        wins=found.wins if found.is_paired else None,
        losses=found.losses if found.is_paired else None,
        ties=found.ties if found.is_paired else None,
        flips=found.flips,
        pairing=found.pairing,
        is_paired=found.is_paired,
        missing=request.missing,
        scored_only=found.scored_only,
        bounds=found.bounds,
        unpaired_p_value=found.unpaired_p_value,
        least_n=least,
        slices=found.slices,
        range=found.score_range,
        is_pass_fail=found.is_pass_fail,
        lower_is_better=found.lower_is_better,
        notes=tuple(dict.fromkeys((*found.notes, *reading.notes, *small))),
        problems=found.problems,
        request=request,
    )


def named(interval: Interval) -> NamedInterval:
    """Return an interval as answers hold it."""
    return NamedInterval(method=interval.method, low=interval.low, high=interval.high)


def mirrored(reading: Comparison) -> Comparison:
    """Return the same difference seen from the other side, baseline minus candidate."""

    def turned(interval: Interval) -> Interval:
        return replace(interval, low=-interval.high, high=-interval.low)

    return replace(
        reading,
        estimate=-reading.estimate,
        interval=turned(reading.interval),
        guarded=turned(reading.guarded),
        guarded_equivalence=turned(reading.guarded_equivalence),
    )


def compared_counts(request: CompareRequest) -> CompareAnswer:
    """Return the answer for counts of won and lost cases."""
    for option, count in (("wins", request.wins), ("losses", request.losses), ("of", request.of)):
        if count is None:
            hint = "Cases that are neither won nor lost are ties: --of counts them too."
            raise ArgumentError(option, "nothing", "a count; --wins, --losses and --of go together", hint)
    wins, losses, of = request.wins or 0, request.losses or 0, request.of or 0
    if of == 0 or wins + losses > of:
        least = f"at least {max(wins + losses, 1):,}: cases that were won, lost and unchanged"
        raise ArgumentError("of", of, least, "It counts all shared cases, the unchanged ones too.")
    reading = paired_counts(wins, losses, of, confidence=request.confidence)
    side = ArmScore(source=COUNTS, estimate=float("nan"), n_cases=of, n_runs=of, n_reps=1, counts=None)
    pairing = Pairs(matched=of, by="counts", by_counts={}, only_baseline=(), only_candidate=())
    return answer_of(
        request,
        reading,
        Compared(
            baseline=side,
            candidate=side,
            wins=wins,
            losses=losses,
            ties=of - wins - losses,
            pairing=pairing,
            is_paired=True,
        ),
    )


def compared_rates(request: CompareRequest, rates: list[tuple[int, int]]) -> CompareAnswer:
    """Return the answer for two pass rates on different cases."""
    if len(rates) != 2:
        raise ArgumentError("counts", f"{len(rates)} of them", "two, baseline first, such as 45/50 30/80 --unpaired")
    if not request.unpaired:
        raise ArgumentError(
            "counts",
            " ".join(request.logs),
            "two counts with --unpaired",
            "Two pass rates do not say which cases changed. If both were run on the same cases, give the logs, or "
            "--wins, --losses and --of.",
        )
    (x1, n1), (x2, n2) = rates
    for count, (passed, n) in zip(request.logs, rates, strict=True):
        if n == 0 or passed > n:
            raise ArgumentError("counts", count, "passed/cases with passed from 0 to cases, and at least one case")
    reading = unpaired_counts(x1, n1, x2, n2, confidence=request.confidence)
    sides = [
        ArmScore(source=COUNTS, estimate=passed / n, n_cases=n, n_runs=n, n_reps=1, counts=None) for passed, n in rates
    ]
    return answer_of(
        request,
        reading,
        Compared(
            baseline=sides[0],
            candidate=sides[1],
            wins=0,
            losses=0,
            ties=0,
            pairing=Pairs(matched=0, by="none", by_counts={}, only_baseline=(), only_candidate=()),
            is_paired=False,
        ),
    )
