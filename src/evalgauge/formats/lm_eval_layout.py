"""Which filter and which run each row of a samples file belongs to."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from evalgauge.scores.table import Run

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from evalgauge.formats.lm_eval_results import TaskFacts
    from evalgauge.formats.lm_eval_rows import SampleRows


class SamplesFile(NamedTuple):
    """A samples file that was read, and what is known about it."""

    path: Path
    facts: TaskFacts
    rows: SampleRows


class Layout(NamedTuple):
    """Which filter and which of the runs in the file a row belongs to."""

    names: tuple[str, ...]
    filter: NDArray[np.intp]
    run: NDArray[np.intp]


def row_layout(rows: SampleRows, cases: NDArray[np.int32], known: tuple[str, ...]) -> Layout:
    """Tell filters and appended runs apart: a document comes once per filter and run."""
    if any(rows.filters):
        # A row that names no filter among others that do went through none.
        seen = dict.fromkeys(rows.filters)
        names = tuple(dict.fromkeys(name or "none" for name in seen))
        place = {name: names.index(name or "none") for name in seen}
        codes = np.fromiter(map(place.__getitem__, rows.filters), dtype=np.intp, count=len(rows.filters))
        return Layout(names, codes, _occurrence(cases.astype(np.int64) * len(names) + codes))
    # Before 0.4.7 rows name no filter, but all rows of one filter come before those of the next.
    times = _occurrence(cases.astype(np.int64))
    most = int(times.max()) + 1
    names = known or (("none",) if most == 1 else tuple(f"filter-{number}" for number in range(1, most + 1)))
    return Layout(names, times % len(names), times // len(names))


def _occurrence(codes: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return how often each entry came before: 0 for the first of its kind."""
    order = np.argsort(codes, kind="stable")
    ranked = codes[order]
    is_first = np.concatenate(([True], ranked[1:] != ranked[:-1]))
    starts = np.maximum.accumulate(np.where(is_first, np.arange(codes.size), 0))
    times = np.empty(codes.size, dtype=np.intp)
    times[order] = np.arange(codes.size) - starts
    return times


def file_runs(one: SamplesFile, arm: str, runs: int, score: NDArray[np.float64]) -> list[Run]:
    """Return the runs of a file: one, or as many as were appended to it; ``score`` tells them from other files'."""
    facts = one.facts
    lacks = one.rows.is_cut or (facts.effective is not None and len(set(one.rows.doc_ids)) < facts.effective)
    digest = hashlib.blake2b(digest_size=8)
    digest.update(f"{arm}\n{facts.set_name}\n{one.path.name}\n{facts.created}".encode())
    digest.update(score.tobytes())
    run_id = digest.hexdigest()
    return [
        Run(
            run_id=run_id if number == 0 else f"{run_id}-{number + 1}",
            set_name=facts.set_name,
            set_version=facts.set_version,
            arm=arm,
            arm_detail=facts.arm_detail,
            framework="lm-eval",
            framework_version=facts.framework_version,
            file=str(one.path),
            state="partial" if lacks else "complete",
            attempt_of=run_id if runs > 1 else "",
            created=facts.created,
            planned_cases=facts.effective,
            planned_reps=1,
        )
        for number in range(runs)
    ]
