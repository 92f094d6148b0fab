"""What plans take from the log of a first run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.jobs.noted import last_noted
from evalgauge.jobs.pilot_arm import pilot_arm
from evalgauge.jobs.reading import log_name
from evalgauge.planning.pilot import cluster_icc, pilot_spread
from evalgauge.questions.plan import Pilot
from evalgauge.scores.pairing import paired_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from evalgauge.jobs.arms import Arm
    from evalgauge.jobs.reading import Side
    from evalgauge.planning.pilot import PilotSpread
    from evalgauge.questions.parts import LedgerNote
    from evalgauge.questions.plan import PilotOptions

    Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeSpread:
    """Spread of the change between two arms on the same cases.

    Attributes
    ----------
    change_var
        ω²: variance of the true change per case, cut at 0.
    run_var
        σ²_A + σ²_B; ``None`` where an arm has one rep, and ``change_var`` then holds all variance.
    n_cases
        Shared cases.
    """

    change_var: float
    run_var: float | None
    n_cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Piloted:
    """A pilot log, read.

    Attributes
    ----------
    pilot
        What an answer says of it.
    spread
        The spread of the (baseline's) scores; ``None`` where no score varies.
    means_var
        Mean squared deviation of its case means, as the interval that grades takes it.
    is_pass_fail
        Whether every case mean is 0 or 1.
    change
        Spread of the change; ``None`` for one log.
    shares
        Share of the cases by slice; empty without a field to split by.
    problems
        What the reader met.
    ledger
        What the ledger says of the look; ``None`` where the set is not registered.
    """

    pilot: Pilot
    spread: PilotSpread | None
    means_var: float
    is_pass_fail: bool
    change: ChangeSpread | None
    shares: dict[str, float]
    problems: tuple[str, ...]
    ledger: LedgerNote | None


def piloted(asked: PilotOptions, logs: Sequence[Any], *, by: str | None = None) -> Piloted:
    """Return what one log, or two of the same cases, tells a plan.

    Raises
    ------
    ArgumentError
        For more than two logs, or an arm or field that is not there.
    ScoreError
        If a log holds several arms and none is named, or its scores have no range.
    LedgerError
        If the look cannot be recorded, or shows more than was declared for the set.
    """
    if len(logs) > 2:
        raise ArgumentError("logs", f"{len(logs)} logs", "one pilot log, or two of the same cases, baseline first")
    sides: tuple[Side | None, ...] = (None,) if len(logs) == 1 else ("base", "cand")
    arms = [pilot_arm(asked, log, side, purpose="a plan") for log, side in zip(logs, sides, strict=True)]
    first = arms[0]
    scored = first.scored
    reps, means = first.sums.n_scored[scored], first.means[scored]
    total, squares = (part[scored] for part in first.totals)
    varies = means.size > 1 and bool(
        ((squares > 0) & (total * total < reps * squares)).any() or means.min() < means.max()
    )
    spread = pilot_spread(reps, total, squares, confidence=asked.confidence) if varies else None
    change, discordance = _change(arms[0], arms[1]) if len(arms) == 2 else (None, None)
    size, icc = _clusters(asked, first)
    has_spread = spread is not None and spread.n_reps > 1
    return Piloted(
        pilot=Pilot(
            logs=tuple(log_name(log) for log in logs),
            rate=float(means.mean()),
            n_cases=means.size,
            n_reps=int(reps.max()),
            case_sd=spread.case_var**0.5 if spread is not None and has_spread else None,
            run_sd=spread.run_var**0.5 if spread is not None and has_spread else None,
            discordance=discordance,
            cluster_size=size,
            icc=icc,
        ),
        spread=spread,
        means_var=float(means.var()),
        is_pass_fail=bool(np.isin(means, (0.0, 1.0)).all()),
        change=change,
        shares=_shares(first, by),
        problems=tuple(dict.fromkeys(problem for arm in arms for problem in arm.problems)),
        ledger=last_noted(asked, arms, display="exact", verb="plan"),
    )


def _change(baseline: Arm, candidate: Arm) -> tuple[ChangeSpread, float | None]:
    pairing = paired_cases(baseline.table.cases, candidate.table.cases)
    rows = [
        np.searchsorted(arm.sums.case, cases)
        for arm, cases in ((baseline, pairing.baseline), (candidate, pairing.candidate))
    ]
    base, cand = baseline.means[rows[0]], candidate.means[rows[1]]
    both = ~(np.isnan(base) | np.isnan(cand))
    deltas = cand[both] - base[both]
    if deltas.size < 2:
        raise ScoreError(f"The pilot logs share {deltas.size} scored cases, and a plan needs at least two.")
    seen = float(deltas.var(ddof=1))
    discordance = None
    if baseline.is_pass_fail and candidate.is_pass_fail:
        # Runs of the two arms are independent given the case: with several reps this is what one run each would show.
        one, other = base[both], cand[both]
        discordance = float((one * (1 - other) + other * (1 - one)).mean())
    parts = [_run_part(arm, row[both]) for arm, row in ((baseline, rows[0]), (candidate, rows[1]))]
    if any(part is None for part in parts):
        return ChangeSpread(change_var=seen, run_var=None, n_cases=deltas.size), discordance
    run_var = sum(part[0] for part in parts if part)
    mean_part = sum(part[1] for part in parts if part)
    return ChangeSpread(change_var=max(seen - mean_part, 0.0), run_var=run_var, n_cases=deltas.size), discordance


def _run_part(arm: Arm, rows: NDArray[np.intp]) -> tuple[float, float] | None:
    """Return the variance between runs, and its part in the variance of case means; nothing with one rep."""
    reps = arm.sums.n_scored[rows]
    free = int(reps.sum()) - reps.size
    if free == 0:
        return None
    total, squares = (part[rows] for part in arm.totals)
    variance = float(np.maximum(squares - total * total / reps, 0.0).sum()) / free
    return variance, variance * float((1 / reps).mean())


def _clusters(asked: PilotOptions, arm: Arm) -> tuple[float | None, float | None]:
    if asked.cluster is None:
        return None, None
    codes = np.unique(arm.clusters(asked.cluster)[0][arm.scored], return_inverse=True)[1]
    return codes.size / (int(codes.max()) + 1), cluster_icc(codes, arm.means[arm.scored])


def _shares(arm: Arm, by: str | None) -> dict[str, float]:
    if by is None:
        return {}
    names, counts = np.unique(arm.field(by, "by")[arm.scored].astype(str), return_counts=True)
    return {str(name): float(count) / float(counts.sum()) for name, count in zip(names, counts, strict=True)}
