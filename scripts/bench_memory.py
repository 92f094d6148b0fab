"""Comparing a million paired cases that are in memory: as score tables, and as data frames."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

import evalgauge
from bench_clock import here, interleaved
from bench_rows import Bound, Row
from evalgauge.scores.table import Cases, Metric, Run, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from bench_clock import Settings
    from evalgauge.scores.table import Kind

# Libraries without types of their own, or with types that no strict checker can follow.
PANDAS: Any = import_module("pandas")
POLARS: Any = import_module("polars")
TABLES: Any = import_module("statsmodels.stats.contingency_tables")
WEIGHTS: Any = import_module("statsmodels.stats.weightstats")
Frame: TypeAlias = Any

CASES = 1_000_000
REPS = 3
SEED = 7
MARGIN = 0.02
GRADES = 4
MOST = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One arm: its cases in the order of the log, and a row of scores per case, one per rep."""

    name: str
    kind: Kind
    order: NDArray[np.int64]
    scores: NDArray[np.float64]

    @property
    def reps(self) -> int:
        """Number of reps per case."""
        return self.scores.shape[1]

    def ids(self) -> list[str]:
        """Return ids that are no objects of the other arm, as two logs give them."""
        return [f"case-{number}" for number in self.order.tolist()]


def rows(settings: Settings) -> list[Row]:
    """Return the rows of this part."""
    draw = np.random.default_rng(SEED)
    found: list[Row] = []
    passed = [_pass_fail(draw, rate) for rate in (0.66, 0.67)]
    graded = [_graded(draw, shift) for shift in (0.0, 0.02)]
    order, other = np.arange(CASES), draw.permutation(CASES)
    pairs = {
        "pass/fail": (
            Scored(name="base", kind="binary", order=order, scores=passed[0]),
            Scored(name="cand", kind="binary", order=order, scores=passed[1]),
        ),
        "pass/fail, other order": (
            Scored(name="base", kind="binary", order=order, scores=passed[0]),
            Scored(name="cand", kind="binary", order=other, scores=passed[1][other]),
        ),
        f"graded, {REPS} reps": (
            Scored(name="base", kind="continuous", order=order, scores=graded[0]),
            Scored(name="cand", kind="continuous", order=order, scores=graded[1]),
        ),
    }
    for label, (one, two) in pairs.items():
        peer_frames = _pandas(one), _pandas(two)
        contenders = {
            "score tables": here(_compared(_table(one), _table(two))),
            "pandas frames": here(_compared(*peer_frames)),
            "polars frames": here(_compared(_polars(one), _polars(two))),
            "peer": here(_peer(*peer_frames, is_graded=one.kind != "binary")),
        }
        used = interleaved(contenders, settings.repeats)
        found += [_row(f"compare {CASES:,} paired cases, {label}: {kind}", used, kind) for kind in list(used)[:-1]]
    return found


def _pass_fail(draw: np.random.Generator, rate: float) -> NDArray[np.float64]:
    return (draw.random((CASES, 1)) < rate).astype(np.float64)


def _graded(draw: np.random.Generator, shift: float) -> NDArray[np.float64]:
    skill = draw.random((CASES, 1)) + shift
    noise = draw.normal(0, 0.2, (CASES, REPS))
    return np.clip(np.rint((skill + noise) * GRADES) / GRADES, 0, 1)


def _table(one: Scored) -> ScoreTable:
    size = one.scores.size
    return ScoreTable(
        runs=(Run(run_id=one.name, set_name="bench", arm=one.name, framework="table", file=f"{one.name}.csv"),),
        metrics=(Metric(name="score", kind=one.kind),),
        cases=Cases(case_id=tuple(one.ids()), dup=np.zeros(CASES, dtype=np.int32)),
        run=np.zeros(size, dtype=np.int32),
        case=np.repeat(np.arange(CASES, dtype=np.int32), one.reps),
        rep=np.tile(np.arange(1, one.reps + 1, dtype=np.int32), CASES),
        metric=np.zeros(size, dtype=np.int32),
        score=one.scores.ravel(),
        status=np.zeros(size, dtype=np.int8),
    )


def _columns(one: Scored) -> dict[str, Any]:
    ids = np.repeat(np.array(one.ids(), dtype=object), one.reps)
    rep = np.tile(np.arange(1, one.reps + 1), CASES)
    return {"case": ids, **({"rep": rep} if one.reps > 1 else {}), "score": one.scores.ravel()}


def _pandas(one: Scored) -> Frame:
    return PANDAS.DataFrame(_columns(one))


def _polars(one: Scored) -> Frame:
    return POLARS.DataFrame(
        {name: list(values) if name == "case" else values for name, values in _columns(one).items()}
    )


def _compared(one: object, two: object) -> Callable[[], object]:
    return lambda: evalgauge.compare(one, two, margin=MARGIN)


def _peer(one: Frame, two: Frame, *, is_graded: bool) -> Callable[[], object]:
    """Return what an analyst would write: one interval or one p-value, no checks."""

    def graded() -> object:
        means = [frame.groupby("case")["score"].mean() for frame in (one, two)]
        return WEIGHTS.DescrStatsW((means[1] - means[0]).to_numpy()).tconfint_mean()

    def pass_fail() -> object:
        both = one.merge(two, on="case")
        return TABLES.mcnemar(PANDAS.crosstab(both["score_x"], both["score_y"]).to_numpy(), exact=False)

    return graded if is_graded else pass_fail


def _row(job: str, used: dict[str, float], kind: str) -> Row:
    texts = "every id is a new text that has to be looked up, and then paired"
    return Row(
        job=job,
        project=used[kind],
        peer_name="pandas + statsmodels",
        peer=used["peer"],
        goal=Bound(text=f"< {MOST:g} core-s", measured=used[kind], bound=MOST, side="at most"),
        why=texts if "frames" in kind else "",
    )
