"""Missing runs: studied intervals are those of the product, and coverage is what the reason for missing says."""

from __future__ import annotations

import numpy as np
import pytest

from evalgauge.errors import ArgumentError, PairingError, ScoreError
from evalgauge.rules.missing import honest_interval
from evalgauge.rules.paired_missing import ArmRuns, paired_with_missing
from evalgauge.studies import missing_runs
from evalgauge.studies.coverage import coverage_study
from evalgauge.studies.coverage_results import StudyDesign
from evalgauge.studies.shapes import case_shape


@pytest.mark.parametrize("policy", ["bounds", "drop", "fail"])
@pytest.mark.parametrize(("n", "reps", "missing"), [(12, 1, 0.2), (12, 3, 0.3), (30, 2, 0.05), (3, 1, 0.6)])
def test_every_log_gets_the_interval_of_the_product(policy: str, n: int, reps: int, missing: float) -> None:
    stream = np.random.default_rng([n, reps])
    rates = stream.uniform(0.3, 1, (25, n))
    arms = [missing_runs._runs(stream, rate, reps, missing) for rate in (rates, np.clip(rates + 0.1, 0, 1))]
    planned = np.full(n, reps)
    single = missing_runs._single_ends(arms[:1], reps, policy, 0.9)  # type: ignore[arg-type]
    paired = missing_runs._paired_ends(arms, reps, policy, 0.9)  # type: ignore[arg-type]
    for log in range(25):
        (base, base_runs), (cand, cand_runs) = ((sums[log], runs[log]) for sums, runs in arms)
        try:
            one = honest_interval(base, base_runs, planned, policy=policy, confidence=0.9, pass_fail=True).interval  # type: ignore[arg-type]
            assert (single[0][log], single[1][log]) == pytest.approx((one.low, one.high), abs=1e-12)
        except ScoreError:
            assert np.isnan(single[0][log])
        two = [
            ArmRuns(sums=sums, scored=runs, planned=planned) for sums, runs in ((base, base_runs), (cand, cand_runs))
        ]
        try:
            change = paired_with_missing(*two, policy=policy, confidence=0.9).answer.interval  # type: ignore[arg-type]
            assert (paired[0][log], paired[1][log]) == pytest.approx((change.low, change.high), abs=1e-12)
        except PairingError:
            # The product refuses where no case was scored in both arms; a study that counts them as failed need not.
            assert policy == "fail" or np.isnan(paired[0][log])


@pytest.mark.parametrize("paired", [False, True])
def test_nothing_missing_is_the_study_without_it(paired: bool) -> None:  # noqa: FBT001 - a column
    points, design = case_shape("0.8/0.7").points(), StudyDesign(n_cases=20, reps=1, paired=paired)
    found = missing_runs.missing_study(points, design, missing=0.0, sims=4_000)
    exact = coverage_study(points, design, rules=["evalgauge_default"])[0]
    assert len({(one.coverage, one.mean_half_width) for one in found}) == 1
    assert found[0].coverage == pytest.approx(exact.coverage, abs=4 * found[0].error)


def test_counting_chance_as_failure_is_wrong_and_bounds_are_safe() -> None:
    points, design = case_shape("uniform:0.5:1").points(), StudyDesign(n_cases=50, reps=2, paired=False)
    bounds, dropped, failed = missing_runs.missing_study(points, design, missing=0.15, sims=1_500)
    assert bounds.coverage > 0.97
    assert dropped.coverage == pytest.approx(0.953, abs=0.02 + 4 * dropped.error)
    assert failed.coverage < 0.6
    # All the misses lie below the truth, since missing runs were counted as failed.
    assert failed.lower_miss < 0.001
    assert bounds.mean_half_width > dropped.mean_half_width


def test_refusal() -> None:
    with pytest.raises(ArgumentError, match="missing_share: got 1, allowed is a share from 0 % to below 100 %"):
        missing_runs.missing_study(case_shape("0.8").points(), StudyDesign(n_cases=9, reps=1), missing=1)
