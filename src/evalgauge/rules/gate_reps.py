"""One case run several times: does it pass often enough, and can the runs that are left still change the verdict?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.rules.gate import GateVerdict, Reading, errors_of, judged
from evalgauge.rules.gate_claims import Score, rate_claim
from evalgauge.rules.paired_missing import ArmRuns


@dataclass(frozen=True, slots=True, kw_only=True)
class RepsVerdict:
    """What the runs of one case say.

    Attributes
    ----------
    verdict
        Of the runs so far; of all planned runs once it is settled.
    is_settled
        Whether no outcome of the runs that are left can change the verdict that all planned runs will give.
    reading
        The interval of the pass rate over the runs so far.
    """

    verdict: GateVerdict
    is_settled: bool
    reading: Reading


def reps_verdict(passed: int, runs: int, *, planned: int, min_rate: float, confidence: float = 0.95) -> RepsVerdict:
    """Answer "does this case pass more than this share of its runs?", with the runs as the sample.

    The verdict is that of the planned number of runs. It may be given earlier, where it can no longer change; so
    looking after every run costs nothing, unlike a test that stops as soon as it likes what it sees.

    Parameters
    ----------
    passed, runs
        Runs that passed, of those that are done.
    planned
        Runs that were to be done, at least 1.
    min_rate
        The floor, a share strictly between 0 and 1.
    confidence
        Two-sided level; a pass reads the lower end.

    Raises
    ------
    ArgumentError
        If the counts or the floor are impossible.

    References
    ----------
    As `evalgauge.rules.gate_claims.rate_claim`.

    Examples
    --------
    >>> found = reps_verdict(0, 3, planned=20, min_rate=0.9)
    >>> found.verdict, found.is_settled
    ('fail', False)
    >>> reps_verdict(0, 8, planned=20, min_rate=0.9).is_settled
    True
    """
    if not 0 <= passed <= runs <= planned or planned < 1:
        raise ArgumentError(
            "passed", f"{passed} of {runs} of {planned}", "passed of runs of planned, planned at least 1"
        )
    if not 0 < min_rate < 1:
        raise ArgumentError("min_rate", min_rate, "a share strictly between 0 and 1, such as 0.9")
    at_worst, _ = _verdict(passed, planned, min_rate, confidence)
    at_best, _ = _verdict(passed + planned - runs, planned, min_rate, confidence)
    is_settled = at_worst == at_best
    if not runs:
        nothing = Reading(low=0.0, high=1.0, method="none", may_pass=False)
        return RepsVerdict(verdict="inconclusive", is_settled=is_settled, reading=nothing)
    so_far, reading = _verdict(passed, runs, min_rate, confidence)
    return RepsVerdict(verdict=at_worst if is_settled else so_far, is_settled=is_settled, reading=reading)


def _verdict(passed: int, runs: int, min_rate: float, confidence: float) -> tuple[GateVerdict, Reading]:
    sums = np.zeros(runs)
    sums[:passed] = 1
    ones = np.ones(runs)
    claim = rate_claim(Score(runs=ArmRuns(sums=sums, scored=ones, planned=ones), squares=sums), min_rate=min_rate)
    (found,) = judged([claim], errors_of(confidence, 1))
    return found.verdict, found.reading
