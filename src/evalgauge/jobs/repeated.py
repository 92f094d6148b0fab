"""Does one case that is run several times pass often enough? What a test framework asks after every run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalgauge.errors import EvalgaugeError
from evalgauge.planning.gate_counts import least_for_rule
from evalgauge.questions.scale import Scale, count, percent
from evalgauge.questions.units import ScoreRange
from evalgauge.rules.gate_reps import reps_verdict

if TYPE_CHECKING:
    from evalgauge.questions.gate import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatedAnswer:
    """What the runs of one case say.

    Attributes
    ----------
    verdict
        pass, fail or inconclusive.
    is_settled
        Whether the runs that are left cannot change it.
    passed, runs, planned
        Runs that passed, that were done, that were to be done.
    min_rate, confidence
        What was asked.
    low, high
        Interval of the pass rate, in shares.
    reason
        Why, in one sentence.
    """

    verdict: Verdict
    is_settled: bool
    passed: int
    runs: int
    planned: int
    min_rate: float
    confidence: float
    low: float
    high: float
    reason: str


def repeated_answer(
    passed: int, runs: int, *, planned: int, min_rate: float, confidence: float, is_over: bool = False
) -> RepeatedAnswer:
    """Return what the runs of one case say so far; once it is over, planned runs without a result are missing ones."""
    found = reps_verdict(passed, runs, planned=planned, min_rate=min_rate, confidence=confidence)
    is_open = is_over and runs < planned and not found.is_settled
    scale = Scale(ScoreRange((0.0, 1.0)))
    low, high = found.reading.low, found.reading.high
    others = "would decide" if is_open else "cannot change the verdict"
    left = "the others have no result and" if is_over else "the others"
    early = f" (of {planned:,} planned: {left} {others})" if runs < planned else ""
    seen = f"{passed:,} of {runs:,} runs passed{early}, likely {scale.span(low, high)} ({percent(confidence)} interval)"
    asked = percent(min_rate)
    verdict: Verdict = "inconclusive" if is_open else found.verdict
    word = {"pass": f"Above {asked} is shown", "fail": f"Below {asked} is shown"}.get(
        verdict, f"Neither above nor below {asked} is shown"
    )
    return RepeatedAnswer(
        verdict=verdict,
        is_settled=found.is_settled,
        passed=passed,
        runs=runs,
        planned=planned,
        min_rate=min_rate,
        confidence=confidence,
        low=low,
        high=high,
        reason=f"{word}: {seen}.",
    )


def refuse_blind_reps(planned: int, *, min_rate: float, confidence: float) -> None:
    """Refuse a number of runs with which a case can never pass, or never fail.

    Raises
    ------
    EvalgaugeError
        With the least number that can.
    ArgumentError
        If the floor is no share.
    """
    best, worst = (
        reps_verdict(passed, planned, planned=planned, min_rate=min_rate, confidence=confidence).verdict
        for passed in (planned, 0)
    )
    least = least_for_rule("rate", min_rate, confidence=confidence)
    for word, is_possible, needed in (
        ("pass", best == "pass", least.to_pass),
        ("fail", worst == "fail", least.to_fail),
    ):
        if not is_possible:
            raise EvalgaugeError(
                f"{count(planned, 'rep')} can never {word} a min_rate of {percent(min_rate)}: it takes at least "
                f"{needed:,}. Run it more often, ask for less, or say allow_blind=True."
            )
