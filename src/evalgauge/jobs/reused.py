"""From a score and a number of looks to the answer about a reused set."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from evalgauge.errors import ArgumentError
from evalgauge.jobs.reuse_notes import reuse_advice, reuse_notes
from evalgauge.questions.reuse import (
    Adaptive,
    Audit,
    ByMaximum,
    ExpectedMax,
    FreshSet,
    LookBudget,
    ReuseAnswer,
)
from evalgauge.reusing.checks import checked_whole_looks
from evalgauge.reusing.optimism import (
    MOST_SHOWN,
    adaptive_figures,
    budget_words,
    common_rate,
    effective_looks,
    fresh_set_size,
    look_budget,
    optimism,
    sampling_sd,
)
from evalgauge.reusing.refresh import audit_reach, audit_size, refresh, share_to_replace
from evalgauge.reusing.transcripts import certified_low
from evalgauge.rules.spending import log_transcripts
from evalgauge.stats.maxima import expected_max_blom, expected_max_normal
from evalgauge.studies.climb import BLOCK, climb
from evalgauge.studies.results import RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from evalgauge.jobs.reused_score import ReusedScore
    from evalgauge.questions.reuse import ReuseRequest
    from evalgauge.reusing.results import Certified, Refresh
    from evalgauge.stats.streams import Block
    from evalgauge.studies.climb import Sums
    from evalgauge.studies.results import Climb

Progress: TypeAlias = "Callable[[int, int], None]"
Law: TypeAlias = Literal["binomial", "normal", "blom"]
_LAWS: tuple[Law, ...] = ("binomial", "normal", "blom")
# Enough to see where a climb leads; more looks would take minutes.
_MOST_CLIMBED, _CLIMBS = 10_000, 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Basis:
    """What every figure rests on: cases, common rate, looks, and the correlation of two candidates' errors."""

    score: ReusedScore
    rate: float
    looks: int
    tolerance: float
    correlation: float

    @property
    def sigma(self) -> float:
        return sampling_sd(self.score.n_eff, self.rate)

    @property
    def own_sigma(self) -> float:
        """Return the part of sigma that two candidates do not share."""
        return self.sigma * math.sqrt(1 - self.correlation)

    def cost(self, law: Law) -> float:
        return optimism(self.score.n_eff, self.rate, self.looks, maximum=law, correlation=self.correlation)

    def budget(self, law: Law) -> int | None:
        return look_budget(self.score.n_eff, self.rate, self.tolerance, maximum=law, correlation=self.correlation)

    def fresh(self, law: Law) -> int | None:
        size = fresh_set_size(self.rate, self.looks, self.tolerance, maximum=law, correlation=self.correlation)
        return self.in_cases(size)

    def in_cases(self, effective: int | None) -> int | None:
        """Return how many cases like these are worth so many effective ones."""
        if effective is None:
            return None
        return math.ceil(effective * self.score.n_cases / self.score.n_eff)


def answer_of(request: ReuseRequest, score: ReusedScore, on_progress: Progress | None = None) -> ReuseAnswer:
    """Return the answer about a score that was chosen on a reused set."""
    basis = _basis(request, score)
    cost = _by_law(basis)
    headline = cost.normal if cost.binomial is None else cost.binomial
    climbs = _climbs(request, basis, on_progress)
    answer = ReuseAnswer(
        source=score.source,
        n_cases=score.n_cases,
        n_eff=score.n_eff,
        observed=score.rate,
        is_observed=score.is_observed,
        rate=basis.rate,
        looks=basis.looks,
        effective_looks=effective_looks(basis.looks, basis.correlation) if basis.correlation else float(basis.looks),
        tolerance=request.tolerance,
        confidence=request.confidence,
        sigma=basis.sigma,
        expected_max=ExpectedMax(
            normal=expected_max_normal(basis.looks) if basis.looks > 1 else 0.0, blom=expected_max_blom(basis.looks)
        ),
        optimism=cost,
        look_budget=_budget(basis),
        adaptive=_adaptive(basis, climbs),
        interval=score.interval(request),
        point_if_equal=basis.rate if score.is_observed else max(0.0, basis.rate - headline),
        fresh_set=FreshSet(
            blom=basis.fresh("blom"),
            normal=basis.fresh("normal"),
            binomial=basis.fresh("binomial") if score.is_pass_fail else None,
        ),
        certified=_certified(request, score),
        share_to_replace=share_to_replace(headline, request.tolerance),
        refresh=_refresh(request, basis, headline),
        audit=_audit(basis, headline),
        climb=climbs,
        problems=score.problems,
        ledger=score.ledger,
        request=request,
    )
    answer = replace(answer, advice=reuse_advice(answer))
    return replace(answer, notes=(*score.notes, *reuse_notes(answer)))


def _basis(request: ReuseRequest, score: ReusedScore) -> _Basis:
    looks = checked_whole_looks(request.looks)
    rate, correlation = score.rate, request.correlation or 0.0
    if score.is_observed:
        law: Law = "binomial" if score.is_pass_fail else "normal"
        rate = common_rate(score.rate, score.n_eff, looks, maximum=law, correlation=correlation)
    return _Basis(score=score, rate=rate, looks=looks, tolerance=request.tolerance, correlation=correlation)


def _by_law(basis: _Basis) -> ByMaximum:
    costs = {law: basis.cost(law) for law in _LAWS[not basis.score.is_pass_fail :]}
    if basis.score.is_observed and basis.looks > 1:
        # A perfect score stands half a failure above the best that its common rate is expected to have.
        first = next(iter(costs))
        costs[first] = max(costs[first], basis.score.rate - basis.rate)
    return ByMaximum(binomial=costs.get("binomial"), normal=costs["normal"], blom=costs["blom"])


def _budget(basis: _Basis) -> LookBudget:
    normal = basis.budget("normal")
    binomial = basis.budget("binomial") if basis.score.is_pass_fail else None
    best = binomial if basis.score.is_pass_fail else normal
    return LookBudget(
        binomial=binomial,
        normal=normal,
        blom=basis.budget("blom"),
        shown=budget_words(best),
        left=None if best is None or best > MOST_SHOWN else max(0, best - basis.looks),
    )


def _adaptive(basis: _Basis, climbs: tuple[Climb, ...]) -> Adaptive:
    found = adaptive_figures(basis.score.n_eff, basis.rate, basis.looks)
    return Adaptive(
        fixed_in_advance=found.fixed_in_advance,
        keep_if_higher=next((one.bias for one in climbs if one.rule == "exact"), None),
        attack=found.attack,
        provable=found.provable,
        order_of_magnitude=found.order_of_magnitude,
    )


def _certified(request: ReuseRequest, score: ReusedScore) -> Certified | None:
    for option, value in (("passes", request.passes), ("retired", request.retired or None)):
        if value is not None and request.display not in ("pass-fail", "score-on-pass"):
            raise ArgumentError(option, value, "given with --display pass-fail or score-on-pass")
    if request.step is not None and request.display != "rounded":
        raise ArgumentError("step", float(request.step), "given with --display rounded")
    if request.display is None or request.display == "per-case":
        return None
    if not score.is_pass_fail:
        hint = "Count passes of one run a case, or take the symmetric interval."
        raise ArgumentError("display", request.display, "given for one pass or fail a case", hint)
    log_count = log_transcripts(
        request.looks,
        request.display,
        passes=request.passes,
        retired=request.retired,
        levels=_levels(request, score.n_cases),
    )
    return certified_low(
        score.rate * score.n_cases, score.n_cases, log_count, looks=request.looks, confidence=request.confidence
    )


def _levels(request: ReuseRequest, n: int) -> int:
    if request.display != "rounded":
        return n + 1
    if request.step is None or request.step <= 0:
        came = "nothing" if request.step is None else float(request.step)
        raise ArgumentError("step", came, "the step of the rounded scores, such as 1pp")
    return min(n, math.ceil(1 / request.step)) + 1


def _refresh(request: ReuseRequest, basis: _Basis, cost: float) -> Refresh | None:
    if request.refresh is None:
        if request.more_looks:
            raise ArgumentError("more_looks", request.more_looks, "given with --refresh, the share to replace")
        return None
    return refresh(basis.own_sigma, basis.looks, request.refresh, more_looks=request.more_looks, cost=cost)


def _audit(basis: _Basis, difference: float) -> Audit:
    size = audit_size(basis.rate, difference) if difference > 0 else None
    return Audit(
        difference=difference,
        cases=basis.in_cases(size),
        reach=audit_reach(basis.rate, basis.score.n_eff),
    )


def _climbs(request: ReuseRequest, basis: _Basis, on_progress: Progress | None) -> tuple[Climb, ...]:
    if not request.climb:
        return ()
    if not basis.score.is_pass_fail:
        raise ArgumentError("climb", "graded or repeated scores", "one pass or fail a case")
    if basis.looks > _MOST_CLIMBED:
        raise ArgumentError("climb", f"{basis.looks:,} looks", f"at most {_MOST_CLIMBED:,} looks")
    done, total = 0, len(RULES) * math.ceil(_CLIMBS / BLOCK)

    def told(work: Callable[[Block], Sums], study: Iterable[Block]) -> Iterator[Sums]:
        nonlocal done
        for block in study:
            yield work(block)
            done += 1
            if on_progress is not None:
                on_progress(done, total)

    return tuple(
        climb(basis.score.n_cases, basis.rate, basis.looks, rule=rule, edit=request.edit, climbs=_CLIMBS, mapper=told)
        for rule in RULES
    )
