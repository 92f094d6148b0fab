"""Coverage studies: how often does an interval rule hold the truth, on evals whose truth is known?

Cases are independent draws from a population, so a pass/fail case is one draw from the law of its k of R. Three ways
follow, the first that can be had for each rule:

* *fourier*: rules that read sums alone are graded on the exact joint law of the sums;
* *listed*: every log there can be is graded, each with its chance;
* *drawn*: seeded logs, in blocks with a stream each, so that one worker and many give the same bytes.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from evalgauge.errors import ArgumentError
from evalgauge.stats.checks import checked_confidence
from evalgauge.stats.streams import blocks, in_blocks
from evalgauge.studies.coverage_results import RuleCoverage
from evalgauge.studies.drawn_logs import draw_cases, draw_lattice
from evalgauge.studies.exact_logs import exact_logs, outcome_law
from evalgauge.studies.grading import Tally, tally
from evalgauge.studies.interval_rules import STUDY_RULES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import numpy as np

    from evalgauge.stats.streams import Block, Mapper
    from evalgauge.studies.cases import Cases
    from evalgauge.studies.coverage_results import Route, StudyDesign
    from evalgauge.studies.exact_logs import OutcomeLaw
    from evalgauge.studies.interval_rules import Reads
    from evalgauge.studies.logs import Logs

Tallies: TypeAlias = list[Tally]

# A block of logs that stays in the cache; part of the definition of a study.
_MOST_LOGS, _BLOCK_CELLS = 2_000, 200_000
# Above this many draws of a case a study would take hours, and above so many reps its laws would fill the memory.
MOST_CELLS = 20_000_000_000
MOST_REPS = 1_000


def coverage_study(  # noqa: PLR0913 - one keyword for each choice that changes the study
    cases: Cases,
    design: StudyDesign,
    *,
    rules: Sequence[str],
    confidence: float = 0.95,
    sims: int = 20_000,
    seed: int = 0,
    exact: bool = True,
    mapper: Mapper[Tallies] | None = None,
    on_block: Callable[[int], None] | None = None,
) -> tuple[RuleCoverage, ...]:
    """Answer "how often does each rule's interval hold the truth, on evals like these?".

    Parameters
    ----------
    cases
        The population that cases are drawn from.
    design
        Cases, reps, one score or a change, and what the interval is about.
    rules
        Names from :data:`~evalgauge.studies.interval_rules.STUDY_RULES`.
    confidence
        Two-sided level that the rules are asked for, a share.
    sims
        Logs to draw for rules whose coverage cannot be counted out.
    seed
        Seed of the study.
    exact
        Whether coverage is counted out where it can be.
    mapper
        Shares out the blocks of drawn logs, as ``map`` does; serial when left out.
    on_block
        Told the number of logs of each block that is done.

    Returns
    -------
    tuple of RuleCoverage
        One per rule, in the order asked for.

    Raises
    ------
    ArgumentError
        If an argument is out of range, or a rule is not defined for the design.

    References
    ----------
    Morris, White and Crowther 2019, Statistics in Medicine 38, 2074-2102 (coverage and its Monte-Carlo error).

    Examples
    --------
    >>> from evalgauge.studies.coverage_results import StudyDesign
    >>> from evalgauge.studies.shapes import case_shape
    >>> design = StudyDesign(n_cases=20, reps=1, paired=False)
    >>> cases = case_shape("fixed:0.95").points()
    >>> found = coverage_study(cases, design, rules=["evalgauge_default", "percentile_bootstrap"])
    >>> [(one.rule, round(one.coverage, 3), one.exact) for one in found]
    [('evalgauge_default', 0.925, True), ('percentile_bootstrap', 0.639, True)]
    """
    checked_confidence(confidence)
    check_study(cases, design, rules=rules, sims=sims, seed=seed)
    law = _law(cases, design)
    done: dict[str, tuple[Tally, Route]] = {}
    left: dict[Reads, list[str]] = {}
    for rule in rules:
        reads = rule_reads(rule, design)
        logs, route = exact_logs(law, design.n_cases, reads) if law is not None and exact else (None, "drawn")
        if logs is None:
            left.setdefault("arms" if reads == "arms" else "values", []).append(rule)
        else:
            done[rule] = tally(STUDY_RULES[rule].limits(logs, confidence), logs), route
    for reads, names in left.items():
        draw = _draw(cases, design, law, with_arms=reads == "arms")
        work = partial(_graded, draw=draw, rules=names, confidence=confidence)
        size = max(1, min(_MOST_LOGS, _BLOCK_CELLS // design.n_cases))
        study = blocks(sims, seed=seed, size=size, part=(design.reps, int(reads == "arms")))
        parts = in_blocks(work, _told(study, on_block), mapper=mapper)
        for place, rule in enumerate(names):
            done[rule] = sum((part[place] for part in parts[1:]), parts[0][place]), "drawn"
    return tuple(
        rule_coverage(rule, STUDY_RULES[rule].title, *done[rule], reps=design.reps, sims=sims) for rule in rules
    )


def rule_reads(rule: str, design: StudyDesign) -> Reads:
    """Return what a rule needs to know of a log of this design."""
    known = STUDY_RULES[rule]
    return known.reads if design.paired or known.single_reads is None else known.single_reads


def _law(cases: Cases, design: StudyDesign) -> OutcomeLaw | None:
    """Return the law of what a case shows, where one law holds for every case on its own."""
    is_same_truth = design.target == "new-cases" or cases.is_alike
    if not (cases.is_pass_fail and is_same_truth and cases.points is not None):
        return None
    return outcome_law(cases.points, design.reps, paired=design.paired)


def _draw(
    cases: Cases, design: StudyDesign, law: OutcomeLaw | None, *, with_arms: bool
) -> Callable[[np.random.Generator, int], Logs]:
    if law is not None:
        return partial(draw_lattice, law=law, n=design.n_cases, with_arms=with_arms)
    return partial(
        draw_cases,
        cases=cases,
        n=design.n_cases,
        reps=design.reps,
        paired=design.paired,
        these_cases=design.target == "these-cases",
    )


def _graded(
    block: Block, *, draw: Callable[[np.random.Generator, int], Logs], rules: list[str], confidence: float
) -> Tallies:
    logs = draw(block.stream(), block.size)
    return [tally(STUDY_RULES[rule].limits(logs, confidence), logs) for rule in rules]


def _told(study: Iterable[Block], on_block: Callable[[int], None] | None) -> Iterable[Block]:
    for block in study:
        yield block
        if on_block is not None:
            on_block(block.size)


def rule_coverage(rule: str, title: str, counted: Tally, route: Route, *, reps: int, sims: int) -> RuleCoverage:
    """Return what a study found of a rule, from its counts.

    Parameters
    ----------
    rule, title
        Its stable name, and what people call it.
    counted
        Counts over all logs.
    route
        How the logs came about.
    reps
        Runs of each case.
    sims
        Logs that were drawn.
    """
    is_exact = route != "drawn"
    answered = counted.answered
    coverage, lower, upper = (
        part / answered if answered > 0 else math.nan for part in (counted.covered, counted.above, counted.below)
    )
    n = math.inf if is_exact else max(answered, 1.0)
    mean = counted.width / answered if answered > 0 else math.nan
    spread = max(counted.width_squares / answered - mean * mean, 0.0) if answered > 0 else math.nan
    return RuleCoverage(
        rule=rule,
        title=title,
        reps=reps,
        coverage=coverage,
        error=share_error(coverage, n),
        lower_miss=lower,
        upper_miss=upper,
        miss_error=share_error(max(lower, upper), n),
        mean_half_width=mean / 2,
        half_width_error=math.sqrt(spread / n) / 2,
        zero_width=counted.flat / counted.total,
        refused=1 - answered / counted.total,
        exact=is_exact,
        route=route,
        sims=0 if is_exact else sims,
    )


def share_error(share: float, n: float) -> float:
    """Return the Monte-Carlo error of a share of n logs; that of half a log where none, or every one, was hit.

    Parameters
    ----------
    share
        The share.
    n
        Logs; infinite where the share is exact.

    Examples
    --------
    >>> share_error(0.95, 10_000).__round__(5), share_error(0.95, math.inf)
    (0.00218, 0.0)
    """
    return 0.0 if math.isinf(n) else math.sqrt(max(share * (1 - share), 0.25 / n) / n)


def check_study(cases: Cases, design: StudyDesign, *, rules: Sequence[str], sims: int, seed: int) -> None:
    """Refuse a study that cannot be done, before any part of it is.

    Parameters
    ----------
    cases, design, rules, sims, seed
        As in :func:`coverage_study`.

    Raises
    ------
    ArgumentError
        If an argument is out of range, or a rule is not defined for the design.
    """
    whole = (
        ("n_cases", design.n_cases, 2, 1_000_000),
        ("reps", design.reps, 1, MOST_REPS),
        ("sims", sims, 100, 100_000_000),
        ("seed", seed, 0, 2**63),
    )
    for argument, value, least, most in whole:
        if value != int(value) or not least <= value <= most:
            raise ArgumentError(argument, value, f"a whole number from {least} to {most:,}")
    if design.target not in ("new-cases", "these-cases"):
        raise ArgumentError("target", design.target, "new-cases or these-cases")
    if cases.sizes is not None and (design.paired or sum(cases.sizes) != design.n_cases):
        raise ArgumentError(
            "cluster_size",
            f"{sum(cases.sizes):,} cases in clusters",
            f"one score (--design single) of {design.n_cases:,} cases",
        )
    if sims * design.n_cases > MOST_CELLS:
        most = MOST_CELLS // design.n_cases
        raise ArgumentError(
            "sims",
            f"{sims:,} evals of {design.n_cases:,} cases",
            f"at most {most:,} evals of that size",
            "Ask for fewer.",
        )
    for rule in rules:
        _check_rule(rule, cases, design)


def _check_rule(rule: str, cases: Cases, design: StudyDesign) -> None:
    known, kind = STUDY_RULES[rule], "paired" if design.paired else "single"
    if kind not in known.designs:
        raise ArgumentError("rule", rule, f"a rule for --design {kind}", f"It is for {known.designs[0]}.")
    if design.target not in known.targets:
        raise ArgumentError("rule", rule, f"a rule whose interval is about {design.target}")
    if known.lattice and not cases.is_pass_fail:
        raise ArgumentError("rule", rule, "a rule for graded scores", "It is for pass/fail runs.")
    if design.reps > known.most_reps:
        raise ArgumentError("rule", rule, f"a rule for {design.reps} reps", "It is for one run a case.")
    if known.reads == "clusters" and cases.sizes is None:
        raise ArgumentError("rule", rule, "a rule for cases without clusters", "It needs --cluster-size.")
