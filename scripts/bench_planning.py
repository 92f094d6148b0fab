"""Planning: exact power, plans with safe counts, and the start of ``evalgauge plan``, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bench_plan
from bench_rows import Bound, Row

if TYPE_CHECKING:
    from bench_clock import Settings


def rows(_: Settings) -> list[Row]:
    """Return the rows of this part; it repeats as often as its own module says."""
    powers = bench_plan.power_times()
    simulated = bench_plan.simulated_power_time()
    found = [_limited(f"exact power at 100,000 cases, {name}", powers[name], bench_plan.POWER_LIMIT) for name in powers]
    for name, seconds in bench_plan.safe_times().items():
        found.append(_limited(f"plan of about 100,000 cases, safe count, {name}", seconds, bench_plan.SAFE_LIMIT))
    exact = powers["independent-arms"]
    found.append(
        Row(
            job="exact power of two arms at 100,000 cases",
            project=exact,
            peer_name=f"{bench_plan.SIMULATED_EVALS:,} simulated evals",
            peer=simulated,
            goal=Bound(text="≥ 100 × less than simulation", measured=simulated / exact, bound=100, side="at least"),
        )
    )
    scipy, plan = bench_plan.start_times()
    times = plan / scipy
    text = f"≤ {bench_plan.START_LIMIT:g} × that import"
    found.append(
        Row(
            job="evalgauge plan (whole process)",
            project=plan,
            peer_name="python -c 'import scipy.special'",
            peer=scipy,
            limit=Bound(text=text, measured=times, bound=bench_plan.START_LIMIT, side="at most"),
        )
    )
    return found


def _limited(job: str, seconds: float, limit: float) -> Row:
    text, most = f"≤ {1e3 * limit:g} ms", 1e3 * limit
    return Row(job=job, project=seconds, limit=Bound(text=text, measured=1e3 * seconds, bound=most, side="at most"))
