"""How the time grows with what there is more of: cases, arms, evals that are simulated, draws."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import evalgauge as eg
from bench_clock import here, interleaved
from bench_rows import Bound, Row
from evalgauge.rules.ranking import ranking
from evalgauge.scores.table import Cases, Metric, Run, ScoreTable
from evalgauge.stats.multiplier import max_t

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench_clock import Settings

SEED = 5
# Ten times as much may take ten times as long, and pairs of ten times as many arms a hundred times; a fifth on top.
LINEAR, PAIRWISE = 12.0, 120.0


def rows(settings: Settings) -> list[Row]:
    """Return a curve of three sizes for each of what grows."""
    repeats = min(settings.repeats, 3)
    return [
        *_curve("compare two arms in memory, pass/fail", "cases", (10_000, 100_000, 1_000_000), _cases, repeats),
        *_curve("rank on 2,000 cases", "arms", (10, 100, 1_000), _arms, repeats, most=PAIRWISE),
        *_curve("coverage study of 25 cases × 5 reps", "evals", (20_000, 200_000, 2_000_000), _evals, repeats),
        *_curve("best of 100 on 2,000 cases", "draws", (10_000, 100_000, 1_000_000), _draws, repeats),
    ]


def _curve(
    what: str,
    unit: str,
    sizes: Sequence[int],
    job: Callable[[int], Callable[[], Any]],
    repeats: int,
    *,
    most: float = LINEAR,
) -> list[Row]:
    found = interleaved({str(size): here(job(size)) for size in sizes}, repeats)
    curve: list[Row] = []
    before: float | None = None
    for size in sizes:
        used = found[str(size)]
        limit = Bound(
            text=f"≤ {most:g} × for 10 × the {unit}",
            measured=None if before is None else used / before,
            bound=most,
            side="at most",
        )
        curve.append(Row(job=f"{what}: {size:,} {unit}", project=used, limit=None if before is None else limit))
        before = used
    return curve


def _cases(size: int) -> Callable[[], Any]:
    draw = np.random.default_rng(SEED)
    ids = tuple(f"q{number}" for number in range(size))
    rates = (("a", 0.66), ("b", 0.67))
    arms = [_table(name, ids, (draw.random(size) < rate).astype(np.float64)) for name, rate in rates]
    return partial(eg.compare, *arms, margin=0.02, no_ledger=True)


def _table(arm: str, ids: tuple[str, ...], score: np.ndarray[tuple[int], np.dtype[np.float64]]) -> ScoreTable:
    zeros = np.zeros(len(ids), dtype=np.int32)
    return ScoreTable(
        runs=(Run(run_id=arm, set_name="s", arm=arm, framework="table", file=arm),),
        metrics=(Metric(name="score", kind="binary", low=0.0, high=1.0),),
        cases=Cases(case_id=ids, dup=zeros),
        run=zeros,
        case=np.arange(len(ids), dtype=np.int32),
        rep=zeros + 1,
        metric=zeros,
        score=score,
        status=zeros.astype(np.int8),
    )


def _arms(size: int) -> Callable[[], Any]:
    scores = (np.random.default_rng(SEED).random((2_000, size)) < 0.7).astype(np.float64)
    return partial(ranking, scores)


def _evals(size: int) -> Callable[[], Any]:
    return partial(eg.verify, n_cases=25, reps=5, sims=size, rule="per_case_wald")


def _draws(size: int) -> Callable[[], Any]:
    scores = (np.random.default_rng(SEED).random((2_000, 100)) < 0.7).astype(np.int8)
    return partial(max_t, scores, draws=size)
