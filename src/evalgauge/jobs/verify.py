"""How often does an interval hold the truth, on evals like mine?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalgauge.errors import ArgumentError
from evalgauge.jobs.parallel import Progress, mapper
from evalgauge.jobs.plan_change import listed, named
from evalgauge.jobs.verify_cases import written_population
from evalgauge.questions.counts import count
from evalgauge.questions.given import request_from
from evalgauge.questions.verify import VerifyAnswer, VerifyRequest
from evalgauge.rules.naming import rule_name
from evalgauge.studies.coverage import check_study, coverage_study
from evalgauge.studies.coverage_results import StudyDesign
from evalgauge.studies.interval_rules import STUDY_RULES
from evalgauge.studies.missing_runs import missing_study
from evalgauge.studies.null_runs import null_change

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from evalgauge.jobs.verify_cases import Population
    from evalgauge.questions.parts import Target
    from evalgauge.questions.verify import StudyKind
    from evalgauge.studies.coverage_results import RuleCoverage

# Coverage within a point of what was asked is what the promises of this package call holding.
_SLACK = 0.01
_OWN = ("evalgauge_default", "within_case_t")
_USUAL = {
    ("paired", "new-cases"): (
        "evalgauge_default",
        "evalgauge_guarded",
        "per_case_wald",
        "percentile_bootstrap",
        "runs_as_cases",
        "one_over_sqrt_nR",
    ),
    ("single", "new-cases"): (
        "evalgauge_default",
        "per_case_wald",
        "per_case_t",
        "percentile_bootstrap",
        "runs_as_cases",
        "one_over_sqrt_nR",
    ),
    ("paired", "these-cases"): ("runs_as_cases", "one_over_sqrt_nR"),
    ("single", "these-cases"): ("within_case_t", "runs_as_cases", "one_over_sqrt_nR"),
}
# Logs of one score with missing runs are graded one by one.
_MISSING_SIMS = 2_000
_CLUSTERED = ("evalgauge_default", "cr2_t", "cr1", "cr0", "ignoring_clusters")


def verify(  # noqa: PLR0913 - the options of one question, all keyword-only
    *,
    n_cases: int | None = None,
    reps: Sequence[int] | int | None = None,
    rates: str | None = None,
    effect: float | None = None,
    effect_sd: float | None = None,
    design: StudyKind | None = None,
    target: Target = "new-cases",
    graded: bool = False,
    cluster_size: str | int | None = None,
    icc: float | None = None,
    missing_share: float | None = None,
    rule: Sequence[str] | str = (),
    like: Any = (),  # noqa: ANN401 - a path, a data frame, a table, or two of them
    same_system: bool = False,
    metric: str | None = None,
    task: str | None = None,
    arm: str | None = None,
    cluster: str | None = None,
    score_range: Sequence[float] | None = None,
    sims: int = 20_000,
    seed: int = 0,
    jobs: int = 1,
    confidence: float | str = 0.95,
    columns: Mapping[str, str] | None = None,
    words: Mapping[str, float] | None = None,
    wide_arms: Sequence[str] = (),
    wide_reps: Sequence[str] = (),
    tolerant: bool = False,
    ledger: str | None = None,
    no_ledger: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> VerifyAnswer:
    """Answer "how often does the interval I use hold the truth?", by simulated evals whose truth is known.

    Parameters
    ----------
    n_cases
        Cases of an eval; 25, or as many as the log has.
    reps
        Runs of each case (in each arm), one or several numbers; (2, 10, 50), or those of the log.
    rates
        How true pass rates are spread over cases: ``"80%"``, ``"uniform:0.05:0.95"``, ``"beta:4:1"``, or a mixture
        such as ``"0.9@1,0.1@beta:7:3"``; for two arms ``"0.98@1,0.02@1/0"``.
    effect, effect_sd
        Mean and standard deviation of the change from baseline to candidate, shares.
    design
        ``"paired"`` (two arms on the same cases) or ``"single"``.
    target
        ``"new-cases"`` like these, or exactly ``"these-cases"``.
    graded
        Whether ``rates`` are graded scores.
    cluster_size, icc
        Cases that share a source (10, or ``"3:27"``), and how alike they are.
    missing_share
        Share of the runs that get no score, by chance; that of the log when left out.
    rule
        Interval rules by name, the one in question first; those in wide use when left out.
    like
        A log, or two of the same cases, to take the cases from.
    same_system
        Whether the two logs are runs of one system (A/A).
    metric, task, arm, cluster, score_range
        Which scores of the logs to use, and which field holds clusters.
    sims, seed, jobs
        Evals to draw where coverage is not exact, their seed, and the workers that share them. With ``jobs`` 1 the
        backend of an active ``joblib.parallel_config`` is used.
    confidence
        Two-sided level, a share.
    columns, words, wide_arms, wide_reps, tolerant
        How to read the logs, as in ``read``.
    ledger, no_ledger
        Which ledger records that a log was looked at, where its set is registered; or none.
    on_progress
        Told the evals that are done, and of how many.

    Returns
    -------
    VerifyAnswer
        Every rule with its coverage, misses and width, each exact or with its Monte-Carlo error.

    Raises
    ------
    ArgumentError
        If an option is out of range or two of them contradict each other.
    ScoreError
        If a log shows no spread.

    References
    ----------
    Morris, White and Crowther 2019, Statistics in Medicine 38, 2074-2102; each rule's own with its formula.

    Examples
    --------
    >>> import evalgauge as eg
    >>> print(eg.verify(n_cases=25, reps=10, rule="one_over_sqrt_nR"))
    1/√(nR) covers 83.2 %, asked 95 % (25 cases × 10 reps, paired)
    """
    if on_progress is not None and not callable(on_progress):
        raise ArgumentError("on_progress", on_progress, "a function of the evals that are done, and of how many")
    sources = listed(like)
    request = request_from(
        VerifyRequest,
        n_cases=n_cases,
        reps=reps,
        rates=rates,
        effect=effect,
        effect_sd=effect_sd,
        design=design,
        target=target,
        graded=graded,
        cluster_size=str(count(cluster_size, "cluster_size")) if isinstance(cluster_size, int) else cluster_size,
        icc=icc,
        missing_share=missing_share,
        rule=rule,
        like=named(sources),
        same_system=same_system,
        metric=metric,
        task=task,
        arm=arm,
        cluster=cluster,
        score_range=score_range,
        sims=sims,
        seed=seed,
        jobs=jobs,
        confidence=confidence,
        columns={} if columns is None else columns,
        words={} if words is None else words,
        wide_arms=wide_arms,
        wide_reps=wide_reps,
        tolerant=tolerant,
        ledger=ledger,
        no_ledger=no_ledger,
    )
    return verify_answer(request, sources, on_progress=on_progress)


def verify_answer(
    request: VerifyRequest, sources: Sequence[Any] = (), *, on_progress: Callable[[int, int], None] | None = None
) -> VerifyAnswer:
    """Return the answer to a request; ``sources`` holds the logs themselves where they are no paths."""
    population = _population(request, sources or request.like)
    rules = _rules(request, population)
    designs = [
        StudyDesign(n_cases=population.n_cases, reps=reps, paired=population.design == "paired", target=request.target)
        for reps in population.reps
    ]
    for design in designs:
        check_study(population.cases, design, rules=rules, sims=request.sims, seed=request.seed)
    done = Progress(request.sims * len(designs), on_progress)
    found = tuple(
        one
        for design in designs
        for one in coverage_study(
            population.cases,
            design,
            rules=rules,
            confidence=request.confidence,
            sims=request.sims,
            seed=request.seed,
            mapper=mapper(request.jobs),
            on_block=done.add,
        )
    )
    without = _missing_rules(request, population, designs, done.add)
    asked = _asked(request, found)
    return VerifyAnswer(
        rules=found,
        asked=asked,
        holds=_holds(asked, request.confidence),
        advised=_advised(asked, found),
        cases=population.words,
        truth=_truth(request, population),
        design=population.design,
        target=request.target,
        n_cases=population.n_cases,
        reps=population.reps,
        confidence=request.confidence,
        sims=request.sims,
        seed=request.seed,
        missing_rules=without,
        missing_share=population.missing if without else 0.0,
        null_changes=_null_changes(request, population),
        log=population.log,
        same_system=population.same_system,
        notes=(*population.notes, *_notes(request, population, is_simulated=bool(without))),
        problems=population.problems,
        ledger=population.ledger,
        request=request,
    )


def _population(request: VerifyRequest, sources: Sequence[Any]) -> Population:
    if sources:
        # Readers are loaded only when there is something to read.
        from evalgauge.jobs.verify_log import log_population  # noqa: PLC0415 - see above

        population = log_population(request, sources)
    else:
        population = written_population(request)
    if request.missing_share is None:
        return population
    points = population.cases.points
    if points is None or not points.is_pass_fail or request.target == "these-cases":
        allowed = "only for pass/fail cases without clusters, and new cases"
        raise ArgumentError("missing_share", float(request.missing_share), allowed)
    return replace(population, missing=float(request.missing_share))


def _rules(request: VerifyRequest, population: Population) -> tuple[str, ...]:
    """Return the rules to grade: those asked for with the product's own beside them, or those in wide use."""
    own = "within_case_t" if request.target == "these-cases" else "evalgauge_default"
    has_own = population.design == "single" or request.target == "new-cases"
    meanings = {name: rule.meaning for name, rule in STUDY_RULES.items()}
    titles = {rule.title: name for name, rule in STUDY_RULES.items()}
    if request.rule:
        named = [titles.get(name) or rule_name(name, meanings, also="") for name in request.rule]
        beside = [own] if has_own and population.cases.is_pass_fail | (own == "evalgauge_default") else []
        return tuple(dict.fromkeys([*named, *beside]))
    usual = _CLUSTERED if population.cases.sizes is not None else _USUAL[population.design, request.target]
    return tuple(rule for rule in usual if population.cases.is_pass_fail or not STUDY_RULES[rule].lattice)


def _missing_rules(
    request: VerifyRequest, population: Population, designs: Sequence[StudyDesign], on_block: Callable[[int], None]
) -> tuple[RuleCoverage, ...]:
    """Return the coverage with runs missing by chance; a log at a time, so of fewer logs."""
    points = population.cases.points
    if population.missing == 0 or points is None or not points.is_pass_fail or request.target == "these-cases":
        return ()
    return tuple(
        one
        for design in designs
        for one in missing_study(
            points,
            design,
            missing=population.missing,
            confidence=request.confidence,
            sims=min(request.sims, _MISSING_SIMS),
            seed=request.seed,
            mapper=mapper(request.jobs),
            on_block=on_block,
        )
    )


def _asked(request: VerifyRequest, found: Sequence[RuleCoverage]) -> RuleCoverage:
    """Return the rule in question where it covers least."""
    first = found[0].rule
    own = [one for one in found if one.rule in _OWN]
    others = [one for one in found if not one.rule.startswith("evalgauge_") and one.rule not in _OWN]
    candidates = [one for one in found if one.rule == first] if request.rule else others or own
    return min(candidates, key=lambda one: one.coverage)


def _holds(asked: RuleCoverage, confidence: float) -> bool:
    return asked.coverage + 2 * asked.error >= confidence - _SLACK


def _advised(asked: RuleCoverage, found: Sequence[RuleCoverage]) -> RuleCoverage | None:
    own = (one for one in found if one.rule in _OWN and one.reps == asked.reps)
    return None if asked.rule in _OWN else next(own, None)


def _truth(request: VerifyRequest, population: Population) -> float | None:
    if request.target == "these-cases" and not population.cases.is_alike:
        return None
    return population.cases.change if population.design == "paired" else population.cases.rate


def _null_changes(request: VerifyRequest, population: Population) -> tuple[Any, ...]:
    points = population.cases.points
    if not population.is_null or points is None or not points.is_pass_fail:
        return ()
    return tuple(
        null_change(points, population.n_cases, reps, confidence=request.confidence) for reps in population.reps
    )


def _notes(request: VerifyRequest, population: Population, *, is_simulated: bool) -> tuple[str, ...]:
    notes: list[str] = []
    if population.missing > 0 and not is_simulated:
        notes.append(
            f"{100 * population.missing:.1f} % of the planned runs have no score; simulated runs all have one."
        )
    if request.target == "these-cases" and population.design == "paired":
        notes.append(
            "compare speaks of new cases, so evalgauge has no rule of its own for the change on exactly these."
        )
    if population.n_cases < 10:
        notes.append("Fewer than 10 cases: no rule was found that covers for every shape of rates.")
    return tuple(notes)
