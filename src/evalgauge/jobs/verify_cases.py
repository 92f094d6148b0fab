"""The population that ``verify`` draws from: built in, written down, or taken from logs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from evalgauge.errors import ArgumentError
from evalgauge.questions.units import WholeNumbers
from evalgauge.studies.cases import ClusteredCases, GradedShape, RatePoints
from evalgauge.studies.shapes import case_shape

if TYPE_CHECKING:
    from evalgauge.questions.parts import LedgerNote
    from evalgauge.questions.verify import SameSystemCheck, StudiedLog, StudyKind, VerifyRequest
    from evalgauge.studies.cases import Cases
    from evalgauge.studies.shapes import Shape

USUAL_RATES, USUAL_EFFECT, USUAL_EFFECT_SD = "uniform:0.05:0.95", 0.10, 0.15
USUAL_CASES, USUAL_REPS = 25, WholeNumbers((2, 10, 50))
_MOST_CLUSTERS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Population:
    """What is simulated.

    Attributes
    ----------
    cases
        The cases that evals are drawn from.
    words
        The same in words.
    n_cases, reps, design
        Size and kind of an eval.
    is_null
        Whether both arms are one system.
    missing
        Share of the runs that get no score.
    log, same_system
        What was taken from logs.
    notes, problems
        Plain sentences.
    ledger
        What the ledger says of the look; ``None`` where the log's set is not registered.
    """

    cases: Cases
    words: str
    n_cases: int
    reps: WholeNumbers
    design: StudyKind
    is_null: bool = False
    missing: float = 0.0
    log: StudiedLog | None = None
    same_system: SameSystemCheck | None = None
    notes: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    ledger: LedgerNote | None = None


def written_population(asked: VerifyRequest) -> Population:
    """Return the population that the options of a request describe.

    Raises
    ------
    ArgumentError
        If an option is out of range, or two of them contradict each other.
    """
    design = asked.design or ("single" if asked.graded or asked.cluster_size else "paired")
    shape = case_shape(asked.rates or USUAL_RATES, "rates")
    n_cases = USUAL_CASES if asked.n_cases is None else asked.n_cases
    for option, is_given, needs, is_met in (
        ("icc", asked.icc is not None, "--cluster-size, whose cases are alike to that degree", asked.cluster_size),
        ("effect", bool(asked.effect), "--design paired, where two arms differ by it", design == "paired"),
        ("effect_sd", bool(asked.effect_sd), "--design paired, where two arms differ by it", design == "paired"),
        ("graded", asked.graded, "--design single", design == "single"),
        ("cluster_size", asked.cluster_size, "--design single", design == "single"),
        ("cluster", asked.cluster, "a log, named with --like", False),
        ("same_system", asked.same_system, "two logs, named with --like", False),
        ("arm", asked.arm, "a log, named with --like", False),
    ):
        if is_given and not is_met:
            raise ArgumentError(option, getattr(asked, option), f"only with {needs}")
    if asked.graded:
        if asked.cluster_size:
            raise ArgumentError("cluster_size", asked.cluster_size, "pass/fail cases, without --graded")
        return Population(
            cases=GradedShape(shape=shape),
            words=f"graded scores {shape.text}",
            n_cases=n_cases,
            reps=asked.reps or WholeNumbers((1,)),
            design=design,
        )
    if asked.cluster_size:
        return _clustered(asked, shape, asked.n_cases, design)
    return _independent(asked, shape, n_cases, design)


def _independent(asked: VerifyRequest, shape: Shape, n_cases: int, design: StudyKind) -> Population:
    reps = asked.reps or USUAL_REPS
    words = f"true rates {shape.text}"
    if design == "single":
        return Population(cases=_arm_alone(shape), words=words, n_cases=n_cases, reps=reps, design=design)
    is_usual = asked.rates is None and asked.effect is None and asked.effect_sd is None
    effect, sd = (USUAL_EFFECT, USUAL_EFFECT_SD) if is_usual else (asked.effect or 0.0, asked.effect_sd or 0.0)
    is_null = effect == sd == 0 and not shape.has_change
    if is_null:
        words += ", the same in both arms"
    elif effect or sd:
        words += f"; the candidate adds {100 * effect:g} points a case (sd {100 * sd:g}, cut at 0 and 100 %)"
    return Population(
        cases=shape.points(effect=effect, effect_sd=sd),
        words=words,
        n_cases=n_cases,
        reps=reps,
        design=design,
        is_null=is_null,
    )


def _arm_alone(shape: Shape) -> RatePoints:
    """Return the baseline of a shape; kinds that differ in the candidate alone are one kind."""
    points = shape.points()
    rates, where = np.unique(points.base, return_inverse=True)
    return replace(points, base=rates, cand=rates, share=np.bincount(where, weights=points.share))


def _clustered(asked: VerifyRequest, shape: Shape, n_cases: int | None, design: StudyKind) -> Population:
    icc = 0.2 if asked.icc is None else float(asked.icc)
    if [part.kind for part in shape.parts] != ["fixed"]:
        raise ArgumentError(
            "rates", asked.rates or USUAL_RATES, "one mean rate with --cluster-size, such as --rates 80%"
        )
    if not 0 <= icc < 1:
        raise ArgumentError("icc", icc, "a share from 0 % to below 100 %")
    sizes = cluster_sizes(asked.cluster_size or "", n_cases)
    return Population(
        cases=ClusteredCases(mean=shape.mean, icc=icc, sizes=sizes),
        words=f"mean rate {shape.text}; {len(sizes):,} clusters of {asked.cluster_size} cases, ICC {icc:g}",
        n_cases=sum(sizes),
        reps=asked.reps or WholeNumbers((1,)),
        design=design,
    )


def cluster_sizes(text: str, n_cases: int | None) -> tuple[int, ...]:
    """Return the sizes of clusters: ``10`` each, or ``3:27`` spread evenly from 3 to 27.

    Parameters
    ----------
    text
        As written.
    n_cases
        Cases in all, which set the number of clusters: the nearest that makes them up; 20 clusters when left out.

    Raises
    ------
    ArgumentError
        If the sizes cannot be read, or fewer than three clusters come out.

    Examples
    --------
    >>> cluster_sizes("10", 30), cluster_sizes("3:27", 75)
    ((10, 10, 10), (3, 9, 15, 21, 27))
    """
    ends = text.split(":")
    if not (len(ends) <= 2 and all(end.strip().isdecimal() and 0 < int(end) < 10**6 for end in ends)):
        raise ArgumentError("cluster_size", text, "a number of cases such as 10, or low:high such as 3:27")
    low, high = int(ends[0]), int(ends[-1])
    groups = 20 if n_cases is None else round(2 * n_cases / (low + high))
    if not 3 <= groups <= _MOST_CLUSTERS:
        allowed = f"3 to {_MOST_CLUSTERS:,} clusters"
        raise ArgumentError("cluster_size", text, allowed, f"--cases {n_cases} makes {groups} of them.")
    sizes: list[int] = np.rint(np.linspace(low, high, groups)).astype(int).tolist()
    return tuple(sizes)
