"""The change in every slice, with verdicts that hold for all slices together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalgauge.questions.compare import SliceDifference
from evalgauge.rules.paired import paired_intervals
from evalgauge.stats.multiplicity import holm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.questions.compare import CompareRequest, Verdict


def paired_slices(
    request: CompareRequest,
    fields: NDArray[np.object_],
    deltas: NDArray[np.float64],
    baseline: Arm,
    lower_is_better: bool,  # noqa: FBT001 - internal
) -> tuple[SliceDifference, ...]:
    """Return the change by slice, the slices in the order of their names."""
    names = sorted(set(fields.tolist()))
    span = None if baseline.score_range is None else 1.0
    readings = [paired_intervals(deltas[fields == name], confidence=request.confidence, span=span) for name in names]
    adjusted = holm([reading.p_value for reading in readings])
    found: list[SliceDifference] = []
    for name, reading, p_holm in zip(names, readings, adjusted, strict=True):
        verdict: Verdict = "inconclusive"
        if p_holm < 1 - request.confidence:
            verdict = "better" if (reading.estimate > 0) != lower_is_better else "worse"
        found.append(
            SliceDifference(
                name=name,
                estimate=reading.estimate,
                low=reading.interval.low,
                high=reading.interval.high,
                method=reading.interval.method,
                p_value=reading.p_value,
                p_holm=float(p_holm),
                verdict=verdict,
                n_cases=reading.n_cases,
                wins=reading.losses if lower_is_better else reading.wins,
                losses=reading.wins if lower_is_better else reading.losses,
                ties=reading.ties,
            )
        )
    return tuple(found)
