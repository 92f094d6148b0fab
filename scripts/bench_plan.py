"""Speed of planning, in core-seconds: exact power, safe counts, and the start of ``evalgauge plan``."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.planning.detection import Change, detection, power_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalgauge.planning.results import Design

DESIGNS: tuple[Design, ...] = ("held-reference", "paired", "independent-arms")
# Changes whose handbook counts lie a little below 1e5.
LARGE: dict[Design, Change] = {
    "held-reference": Change(rate=0.9, size=0.0028),
    "paired": Change(rate=0.9, size=0.004, discordance=0.19),
    "independent-arms": Change(rate=0.9, size=0.004),
}
POWER_LIMIT, SAFE_LIMIT, START_LIMIT = 0.010, 0.100, 2.0
# Enough for a Monte-Carlo error of a tenth of a point at a power of 80 %.
SIMULATED_EVALS = 160_000


def core_seconds(work: Callable[[], object], repeats: int = 5) -> float:
    """Return the least process time of several runs, after one that warms up."""
    work()
    best = float("inf")
    for _ in range(repeats):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def power_times() -> dict[str, float]:
    """Return the time of one exact power at 100,000 cases, by design."""
    return {design: core_seconds(lambda design=design: power_of(design, LARGE[design], 100_000)) for design in DESIGNS}


def safe_times() -> dict[str, float]:
    """Return the time of one plan of about 100,000 cases (handbook count, power there, safe count), by design."""
    return {design: core_seconds(lambda design=design: detection(design, LARGE[design]), 3) for design in DESIGNS}


def simulated_power_time() -> float:
    """Return the time of estimating the power of two arms at 100,000 cases from simulated evals."""
    from evalgauge.stats.two_proportions import miettinen_nurminen_statistic  # noqa: PLC0415 - only this peer needs it

    stream = np.random.default_rng(0)

    def simulate() -> float:
        one, two = (stream.binomial(100_000, rate, SIMULATED_EVALS) for rate in (0.9, 0.896))
        return float((miettinen_nurminen_statistic(one, 1e5, two, 1e5, difference=0.0) < -1.959964).mean())

    return core_seconds(simulate, 3)


def process_seconds(words: list[str], repeats: int = 5) -> float:
    """Return the least CPU time of a child process, user and system."""
    best = float("inf")
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime)
    return best


def start_times() -> tuple[float, float]:
    """Return the CPU time of importing scipy.special alone, and of a whole ``evalgauge plan``."""
    plan = ["-m", "evalgauge", "plan", "--rate", "90%", "--margin", "5pp", "--drop", "10pp"]
    return process_seconds(["-c", "import scipy.special"]), process_seconds([*plan, "--slices", "5", "--own", "695"])


def bench() -> bool:
    """Print every figure beside its limit and return whether all limits are kept."""
    print(f"load {os.getloadavg()[0]:.2f}")
    kept = True
    for title, times, limit in (("power at 1e5", power_times(), POWER_LIMIT), ("safe n", safe_times(), SAFE_LIMIT)):
        for design, seconds in times.items():
            kept = kept and seconds <= limit
            print(f"{title:<14} {design:<17} {1e3 * seconds:8.2f} ms   limit {1e3 * limit:.0f} ms")
    ratio = simulated_power_time() / power_times()["independent-arms"]
    kept = kept and ratio >= 100
    print(f"{'simulation':<14} {SIMULATED_EVALS:,} evals, two arms: {ratio:,.0f} × the exact power   limit 100 ×")
    scipy, plan = start_times()
    kept = kept and plan <= START_LIMIT * scipy
    print(
        f"{'start':<14} plan {plan:.3f} s, scipy.special {scipy:.3f} s: {plan / scipy:.2f} ×   limit {START_LIMIT:g} ×"
    )
    return kept


if __name__ == "__main__":
    sys.exit(0 if bench() else 1)
