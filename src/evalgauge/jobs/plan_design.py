"""The verb ``plan design``: three designs for one question, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalgauge.jobs.plan_change import asked_change, asked_rate, asked_slices, listed, named, read_pilot
from evalgauge.planning.checks import checked_count
from evalgauge.planning.designs import design_rows, recommended
from evalgauge.questions.given import request_from
from evalgauge.questions.plan_design import PlanDesignAnswer, PlanDesignRequest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalgauge.planning.design_results import DesignRow
    from evalgauge.planning.detection import Change
    from evalgauge.planning.results import Design, SlicePlan, Strictness


def plan_design(  # noqa: PLR0913 - the options of one question, all keyword-only
    *,
    rate: float | None = None,
    drop: float | None = None,
    rise: float | None = None,
    discordance: float | None = None,
    correlation: float | None = None,
    cost_case: float = 1.0,
    cost_run: float = 0.0,
    slices: int | None = None,
    slice_shares: Mapping[str, float] | None = None,
    smallest_share: float | None = None,
    by: str | None = None,
    own: int | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    rule: Strictness = "auto",
    like: Any = (),  # noqa: ANN401 - a path, a data frame, a table, or two of them
    metric: str | None = None,
    task: str | None = None,
    arm: str | None = None,
    cluster: str | None = None,
    score_range: Sequence[float] | None = None,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    ledger: str | None = None,
    no_ledger: bool = False,
) -> PlanDesignAnswer:
    """Answer "which design shows this change with the least effort?": cases, runs, cost, exact power, assumptions.

    Parameters
    ----------
    rate, drop, rise, discordance, correlation, power, confidence, rule, like
        As in ``plan``.
    slices, slice_shares, smallest_share, by, own
        As in ``plan``; ``own`` adds the exact power that each design has with so many cases.
    cost_case, cost_run
        Price of making one case, and of running one case once.
    metric, task, arm, cluster, score_range, columns, words, wide_arms, wide_reps, tolerant
        How to read the pilot log, as in ``measure``.
    ledger, no_ledger
        Which ledger records that a pilot log was looked at, where its set is registered; or none.

    Returns
    -------
    PlanDesignAnswer
        The three designs at their safe counts, and the one to take.

    Raises
    ------
    ArgumentError
        If an option is out of range; the text says what to do.

    References
    ----------
    Connor 1987; Fleiss, Levin and Paik 2003.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.plan_design(rate=0.9, drop=0.05, discordance=0.1, cost_run=0.05))
    take paired: held-reference 334 cases, paired 291 cases, independent-arms 1,364 cases
    """
    sources = listed(like)
    request = request_from(
        PlanDesignRequest,
        rate=rate,
        drop=drop,
        rise=rise,
        discordance=discordance,
        correlation=correlation,
        cost_case=cost_case,
        cost_run=cost_run,
        slices=slices,
        slice_shares=slice_shares,
        smallest_share=smallest_share,
        by=by,
        own=own,
        power=power,
        confidence=confidence,
        rule=rule,
        like=named(sources),
        metric=metric,
        task=task,
        arm=arm,
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
    return design_answer(request, sources)


def design_answer(request: PlanDesignRequest, sources: Sequence[Any] = ()) -> PlanDesignAnswer:
    """Return the answer to a request; ``sources`` holds the pilot logs themselves where they are no paths."""
    found = read_pilot(request, sources or request.like, by=request.by)
    if request.own is not None:
        checked_count(request.own, "own")
    slices = asked_slices(request, found)
    change = asked_change(request, asked_rate(request, found), found, confidence=slices.confidence)
    rows = design_rows(change, slices, cost_case=request.cost_case, cost_run=request.cost_run, own=request.own)
    best = recommended(rows)
    return PlanDesignAnswer(
        direction=change.direction,
        change=change.size,
        rate_from=change.rate,
        rate_to=change.rate_after,
        power=request.power,
        confidence=request.confidence,
        designs=rows,
        recommended=best,
        reason=_reason(rows, best),
        slices=slices,
        own=request.own,
        pilot=None if found is None else found.pilot,
        notes=_notes(request, change, slices),
        problems=() if found is None else found.problems,
        ledger=None if found is None else found.ledger,
        request=request,
    )


def _reason(rows: tuple[DesignRow, ...], best: Design) -> str:
    by_name = {row.design: row for row in rows}
    paired, arms, held = by_name["paired"], by_name["independent-arms"], by_name["held-reference"]
    if best == "paired":
        words = (
            f"Run both systems on the same {paired.cases:,} cases: different cases for each would take {arms.cases:,} "
            "for the same certainty."
        )
    else:
        words = (
            f"Use different cases for each system: the two disagree on so many shared cases that pairing saves "
            f"nothing ({paired.cases:,} shared cases, at a higher price than {arms.cases:,} distinct ones)."
        )
    return (
        f"{words} If the reference is a fixed promise and not a second system, {held.cases:,} cases of one system do."
    )


def _notes(request: PlanDesignRequest, change: Change, slices: SlicePlan) -> tuple[str, ...]:
    notes = [
        (
            f"Counts keep {100 * request.power:g} % power at every larger count too (exact, two-sided at "
            f"{100 * request.confidence:g} %); a handbook count can fall short of it or ask for too many."
        )
    ]
    if slices.count > 1:
        notes.append(
            f"The two-sided error of {100 * (1 - request.confidence):.3g} % is shared over {slices.count:,} slices "
            "(Bonferroni, cautious); cases are for all slices together."
        )
    if change.discordance is None and change.correlation == 0:
        notes.append("Two systems of one family agree more than assumed: --discordance 10%, or --like with two logs.")
    return tuple(notes)
