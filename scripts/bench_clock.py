"""How the benchmarks measure: CPU time, contenders in turn, the least of the repeats.

Wall time says how busy the machine was; CPU time says what the work costs.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_PEAK_FIELD = "VmHWM:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What every part of the benchmark is given.

    Attributes
    ----------
    data
        Folder of the large logs, which are made where they are missing.
    repeats
        How often each contender is measured.
    inspect_python
        Interpreter that has inspect-ai, or ``None``.
    """

    data: Path
    repeats: int
    inspect_python: Path | None


def interleaved(contenders: Mapping[str, Callable[[], float]], repeats: int) -> dict[str, float]:
    """Return the least of each contender's figures, after one round that does not count.

    Contenders take turns, so that a neighbour on the machine disturbs all of them alike. The round before warms the
    caches and loads what is loaded at first use.

    Parameters
    ----------
    contenders
        Each returns the core-seconds that it used.
    repeats
        Rounds that count.
    """
    found: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(repeats + 1):
        for name, contender in contenders.items():
            used = contender()
            if number:
                found[name].append(used)
    return {name: min(figures) for name, figures in found.items()}


def here(work: Callable[[], object]) -> Callable[[], float]:
    """Return a contender that does the work in this process."""

    def measured() -> float:
        gc.collect()
        start = time.process_time()
        result = work()
        used = time.process_time() - start
        # Held until the clock has stopped: giving memory back is no part of the work.
        del result
        return used

    return measured


def process(words: Sequence[str | Path]) -> Callable[[], float]:
    """Return a contender that runs a whole process, from the start of its interpreter to its end."""

    def measured() -> float:
        child = subprocess.Popen(words, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        # Waited for here, so that the figures are this child's alone; Popen has to be told.
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, words)
        return used.ru_utime + used.ru_stime

    return measured


def own_peak_mb() -> float:
    """Return the peak of this process's resident memory in MB.

    Linux counts the pages of the parent into ``ru_maxrss`` of a child, because both share them until the new program
    is loaded. The field of ``/proc`` begins with the new program.
    """
    status = Path("/proc/self/status")
    if status.exists():
        field = next(line for line in status.read_text(encoding="ascii").splitlines() if line.startswith(_PEAK_FIELD))
        return int(field.split()[1]) * 1024 / 1e6
    import resource  # noqa: PLC0415 - only systems without /proc need it, and not every one has it

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
