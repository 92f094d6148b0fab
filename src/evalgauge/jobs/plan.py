"""The verb ``plan``: how many cases and slices, and what an owned set can show."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.jobs.plan_change import asked_change, asked_rate, asked_slices, listed, named, read_pilot
from evalgauge.jobs.plan_notes import plan_notes
from evalgauge.planning.checks import checked_count, checked_share_between
from evalgauge.planning.clusters import cluster_plan
from evalgauge.planning.detection import discordance_of_equals
from evalgauge.planning.golden_set import detection_plan, owned_set, precision_plan, prescription, safe_count
from evalgauge.planning.limits import floor_plan, never_pass, no_worse_plan
from evalgauge.planning.looks import looks_plan
from evalgauge.planning.slices import per_slice_of
from evalgauge.questions.given import request_from
from evalgauge.questions.plan import PlanAnswer, PlanRequest
from evalgauge.questions.units import Share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.jobs.plan_pilot import Piloted
    from evalgauge.planning.detection import Change
    from evalgauge.planning.precision import PrecisionRule
    from evalgauge.planning.results import (
        Because,
        ClusterPlan,
        Design,
        FloorPlan,
        LooksPlan,
        NoWorsePlan,
        SlicePlan,
        Strictness,
    )


def plan(  # noqa: PLR0913 - the options of one question, all keyword-only
    *,
    rate: float | None = None,
    margin: float = 0.05,
    drop: float | None = None,
    rise: float | None = None,
    slices: int | None = None,
    slice_shares: Mapping[str, float] | None = None,
    smallest_share: float | None = None,
    own: int | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    assurance: float | None = None,
    design: Design = "held-reference",
    discordance: float | None = None,
    correlation: float | None = None,
    rule: Strictness = "auto",
    min_rate: float | None = None,
    max_drop: float | None = None,
    looks: int | None = None,
    cluster_size: int | None = None,
    icc: float | None = None,
    like: Any = (),  # noqa: ANN401 - a path, a data frame, a table, or two of them
    metric: str | None = None,
    task: str | None = None,
    arm: str | None = None,
    by: str | None = None,
    cluster: str | None = None,
    score_range: Sequence[float] | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> PlanAnswer:
    """Answer "how many cases do I need, and what can the set I own show?".

    The rule that sizes is the rule that grades: counts come from the intervals of ``measure`` and ``compare``.

    Parameters
    ----------
    rate
        Expected pass rate, a share. Default: that of the pilot log, else 0.9.
    margin
        How wide an interval may be, to each side, a share.
    drop, rise
        Change of the rate to show, a share; one of them. Default: a drop of 0.1.
    slices, slice_shares, smallest_share
        Slices that are judged one by one, and their shares of the traffic.
    own
        Cases that you own, over all slices; per arm for independent arms.
    power
        Chance to show the change.
    confidence
        Two-sided level over all slices, a share.
    assurance
        Meet the margin in this share of all runs.
    design
        How a change will be looked for.
    discordance, correlation
        How alike two systems are: share of cases that exactly one passes, or the correlation over cases.
    rule
        ``"auto"`` or ``"exact"``: the intervals that grade.
    min_rate, max_drop
        Also certify a rate above this; also pass a gate that allows no more than this drop.
    looks
        Planned looks at one comparison.
    cluster_size, icc
        Cases that share a source, and how alike they are.
    like
        A pilot log, or two logs of the same cases.
    metric, task, arm, by, cluster, score_range, columns, words, wide_arms, wide_reps, tolerant
        How to read the pilot log, as in ``measure``; ``by`` takes the slices from it.
    ledger, no_ledger
        Which ledger records that a pilot log was looked at, where its set is registered; or none.

    Returns
    -------
    PlanAnswer
        The count to collect, what decides it, and what the owned set shows; shares in [0, 1].

    Raises
    ------
    ArgumentError
        If an option is out of range; the text says what to do.

    References
    ----------
    Wilson 1927; Fleiss, Levin and Paik 2003; Connor 1987; Dunn 1961.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.plan(rate=0.9, margin=0.05, drop=0.10, slices=5, own=695))
    1,220 cases (244 in each of 5 slices), because of precision; you own 695, add 525
    """
    sources = listed(like)
    request = request_from(
        PlanRequest,
        rate=rate,
        margin=margin,
        drop=drop,
        rise=rise,
        slices=slices,
        slice_shares=slice_shares,
        smallest_share=smallest_share,
        own=own,
        power=power,
        confidence=confidence,
        assurance=assurance,
        design=design,
        discordance=discordance,
        correlation=correlation,
        rule=rule,
        min_rate=min_rate,
        max_drop=max_drop,
        looks=looks,
        cluster_size=cluster_size,
        icc=icc,
        like=named(sources),
        metric=metric,
        task=task,
        arm=arm,
        by=by,
        cluster=cluster,
        score_range=score_range,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    return plan_answer(request, sources)


def plan_answer(request: PlanRequest, sources: Sequence[Any] = ()) -> PlanAnswer:
    """Return the answer to a request; ``sources`` holds the pilot logs themselves where they are no paths."""
    found = read_pilot(request, sources or request.like, by=request.by)
    rate = asked_rate(request, found)
    slices = asked_slices(request, found)
    change = asked_change(request, rate, found, confidence=slices.confidence)
    if request.assurance is not None:
        checked_share_between(request.assurance, "assurance", "90% (0.9)")
    if request.own is not None:
        checked_count(request.own, "own", what="cases")
    rule, rho = _grading(request, rate, found)
    precision = precision_plan(rate, request.margin, slices, rule=rule, rho=rho, assurance=request.assurance)
    detection = detection_plan(change, slices)
    safe = safe_count(detection, request.design)
    clusters = _clusters(request, rate, safe, slices, found)
    mine = None if request.own is None else max(1, per_slice_of(request.own, slices))
    seen = None if found is None else found.pilot.discordance
    floor, no_worse = _limits(request, change, slices, own=_counted(mine, clusters), seen=seen)
    others = _others(floor, no_worse, clusters, graded=rule == "effective-n wilson t")
    prescribed = prescription(
        precision, detection, slices, design=request.design, assurance=request.assurance, others=others
    )
    own = None
    if request.own is not None:
        own = owned_set(
            request.own,
            prescribed,
            precision,
            change,
            slices,
            rate=rate,
            design=request.design,
            assurance=request.assurance,
            clusters=clusters,
            others=others,
        )
    answer = PlanAnswer(
        precision=precision,
        detection=detection,
        prescribed=prescribed,
        own=own,
        slices=slices,
        rate=rate,
        power=request.power,
        confidence=request.confidence,
        design=request.design,
        floor=floor,
        no_worse=no_worse,
        never=never_pass(change),
        clusters=clusters,
        looks=_looks(request, safe, slices),
        pilot=None if found is None else found.pilot,
        problems=() if found is None else found.problems,
        ledger=None if found is None else found.ledger,
        request=request,
    )
    return replace(answer, notes=plan_notes(answer))


def _grading(request: PlanRequest, rate: float, found: Piloted | None) -> tuple[PrecisionRule, float]:
    """Return the interval that will grade: graded scores and averaged reps of a pilot log have their own."""
    if found is None or found.is_pass_fail:
        return ("wilson" if request.rule == "auto" else "clopper-pearson"), 1.0
    if request.rule == "exact":
        hint = "Leave --rule out: the interval for graded scores or averaged reps decides."
        raise ArgumentError("rule", request.rule, "auto for scores that are not pass or fail once a case", hint)
    pass_fail = rate * (1 - rate)
    return "effective-n wilson t", min(found.means_var / pass_fail, 1.0) if pass_fail > 0 else 1.0


def _clusters(
    request: PlanRequest, rate: float, cases: int, slices: SlicePlan, found: Piloted | None
) -> ClusterPlan | None:
    size, icc = request.cluster_size, request.icc
    if found is not None:
        size = round(found.pilot.cluster_size) if size is None and found.pilot.cluster_size is not None else size
        icc = Share(found.pilot.icc) if icc is None and found.pilot.icc is not None else icc
    if size is None and icc is None:
        return None
    if size is None or icc is None:
        missing = "cluster_size" if size is None else "icc"
        hint = "Or name a pilot log and its cluster field: --like LOG --cluster FIELD."
        raise ArgumentError(missing, "nothing", "a value; --cluster-size and --icc go together", hint)
    if size < 2 and request.cluster_size is None:
        return None
    return cluster_plan(
        size=size, icc=icc, rate=rate, margin=request.margin, cases=cases, slices=slices, power=request.power
    )


def _counted(cases: int | None, clusters: ClusterPlan | None) -> int | None:
    """Return how many unrelated cases would say the same as these, where some share a source."""
    if cases is None or clusters is None:
        return cases
    return max(1, math.floor(cases / clusters.design_effect))


def _limits(
    request: PlanRequest, change: Change, slices: SlicePlan, *, own: int | None, seen: float | None
) -> tuple[FloorPlan | None, NoWorsePlan | None]:
    floor = no_worse = None
    level, power = slices.confidence, request.power
    if request.min_rate is not None:
        floor = floor_plan(change.rate, request.min_rate, power=power, confidence=level, rule=request.rule, own=own)
    if request.max_drop is not None:
        if request.design == "independent-arms":
            allowed = "a plan of shared cases: --design paired, or none"
            hint = "A drop is ruled out on the same cases for both systems; on different ones it takes many times more."
            raise ArgumentError("max_drop", request.max_drop, allowed, hint)
        is_named = request.discordance is not None or request.correlation is not None
        no_worse = no_worse_plan(
            request.max_drop,
            discordance=discordance_of_equals(change) if is_named or seen is None else seen,
            assumed=not is_named and seen is None,
            power=power,
            confidence=level,
            own=own,
        )
    return floor, no_worse


def _others(
    floor: FloorPlan | None, no_worse: NoWorsePlan | None, clusters: ClusterPlan | None, *, graded: bool
) -> dict[Because, int]:
    """Return the cases in one slice that wishes beside the margin and the change ask for."""
    others: dict[Because, int] = {}
    inflation = 1.0 if clusters is None else clusters.design_effect
    if floor is not None:
        others["min-rate"] = math.ceil(inflation * (floor.safe_n or floor.least))
    if no_worse is not None:
        least = no_worse.least_graded if graded else no_worse.least
        others["max-drop"] = math.ceil(inflation * max(no_worse.safe_n, least, no_worse.hard_floor))
    if clusters is not None:
        others["clusters"] = max(clusters.precision_cases, clusters.detection_cases)
    return others


def _looks(request: PlanRequest, cases: int, slices: SlicePlan) -> LooksPlan | None:
    if request.looks is None:
        return None
    return looks_plan(request.looks, cases=cases, confidence=slices.confidence, power=request.power)
