"""How often does my gate alarm where nothing changed, and how often does it miss a drop?"""

from __future__ import annotations

from dataclasses import fields, replace
from difflib import get_close_matches
from functools import partial, reduce
from operator import add
from typing import TYPE_CHECKING, Any

import numpy as np

from evalgauge.errors import ArgumentError, ScoreError
from evalgauge.jobs.compared_arms import paired_arms
from evalgauge.jobs.gate_judged import judged_rules
from evalgauge.jobs.gate_looks import looked_at
from evalgauge.jobs.gate_noise import log_noise, pooled_sums
from evalgauge.jobs.gate_settings import settings_of
from evalgauge.jobs.gate_subjects import alone, subjects_of
from evalgauge.jobs.gate_trials import Trial, tally
from evalgauge.jobs.noted import last_noted
from evalgauge.jobs.parallel import Progress, mapper
from evalgauge.jobs.plan_change import listed, named
from evalgauge.jobs.reading import asked_table, refuse_engine
from evalgauge.questions.gate import GateOptions
from evalgauge.questions.given import request_from
from evalgauge.questions.parts import Ends
from evalgauge.questions.scale import percent
from evalgauge.questions.verify_gate import GateRates, NullPairs, RuleRates, VerifyGateAnswer, VerifyGateRequest
from evalgauge.rules.gate import errors_of, gate_verdict
from evalgauge.stats.proportion import clopper_pearson_limits
from evalgauge.stats.streams import blocks, in_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from evalgauge.jobs.gate_noise import LogNoise
    from evalgauge.jobs.gate_parts import Subject
    from evalgauge.jobs.gate_settings import GateSettings
    from evalgauge.jobs.gate_trials import Tally
    from evalgauge.rules.gate import Errors
    from evalgauge.scores.table import ScoreTable

_PLAIN = GateOptions()
_RULES = tuple(field.name for field in fields(GateOptions))
# Options of a gate that mean nothing without a real candidate.
_NOT_HERE = (
    "unpaired",
    "flips",
    "holdout",
    "on_inconclusive",
    "allow_blind",
    "candidate_metric",
)
_USUAL_DROPS = (0.05, 0.1)
_BLOCK = 50
_MOST_SIMS = 1_000_000
_LEVEL = 0.95


def verify_gate(
    *,
    like: Any = (),  # noqa: ANN401 - a path, a data frame, a table, or several of them
    drop: float | str | None = None,
    discordance: float | str | None = None,
    sims: int = 1_000,
    seed: int = 0,
    jobs: int = 1,
    on_progress: Callable[[int, int], None] | None = None,
    **rules: Any,  # noqa: ANN401 - the options of gate
) -> VerifyGateAnswer:
    """Answer "how often does my gate alarm for nothing, and what does it miss?", by running its cases again.

    Parameters
    ----------
    like
        The log whose cases, noise and missing runs are taken; or several runs of one system on the same cases.
    drop
        Drop to look for, a share; the largest that the rules allow and twice that when left out.
    discordance
        Share of cases that turn out differently in two runs of one system, for a log of one run a case.
    sims, seed, jobs
        Pairs of runs to draw for each drop, their seed, and the workers that share them.
    on_progress
        Told the pairs that are done, and of how many.
    **rules
        The rules and policies, as for ``gate``: ``max_drop``, ``min_rate``, ``by``, ``config`` …

    Returns
    -------
    VerifyGateAnswer
        How often the gate passes, fails and cannot decide: where nothing changed, and at each drop.

    Raises
    ------
    ArgumentError
        If there is no rule, or an option contradicts another or the log.
    ScoreError
        If the log shows no noise.
    LedgerError
        If the look at the logs cannot be recorded, or shows more than was declared for their set.

    References
    ----------
    Clopper and Pearson 1934, Biometrika 26, 404-413 (the intervals of the shares).

    Examples
    --------
    >>> import evalgauge as eg
    >>> eg.verify_gate(like="run.eval", max_drop=0.02)  # doctest: +SKIP
    """
    if on_progress is not None and not callable(on_progress):
        raise ArgumentError("on_progress", on_progress, "a function of the pairs that are done, and of how many")
    for name in rules:
        if name not in _RULES:
            close = get_close_matches(name, _RULES, n=1)
            raise ArgumentError("option", name, "an option of gate", f"Did you mean {close[0]}?" if close else "")
    sources = listed(like)
    request = request_from(
        VerifyGateRequest,
        like=named(sources),
        drop=drop,
        discordance=discordance,
        sims=sims,
        seed=seed,
        jobs=jobs,
        **rules,
    )
    return verify_gate_answer(request, sources, on_progress=on_progress)


def verify_gate_answer(
    request: VerifyGateRequest, sources: Sequence[Any] = (), *, on_progress: Callable[[int, int], None] | None = None
) -> VerifyGateAnswer:
    """Return the answer to a request; ``sources`` holds the logs themselves where they are no paths."""
    _checked(request)
    if request.interim is not None or request.anytime:
        came = "--anytime" if request.anytime else f"--interim {request.interim}"
        raise ArgumentError("gate", came, "a gate of a single look", "Looks at growing logs are not simulated.")
    refuse_engine(request.engine, "the noise between single runs is read from the log")
    settings = settings_of(request)
    errors = errors_of(settings.options.confidence, settings.groups)
    tables = [asked_table(source, settings.options) for source in sources or request.like]
    subjects = _subjects(settings, tables[0])
    noises = [_noise(request, settings, place, subject, tables) for place, subject in enumerate(subjects)]
    drops = (0.0, *_drops(request, settings, subjects, noises))
    arms = looked_at([*subjects, *(one for table in tables[1:] for one in _subjects(settings, table))])
    note = last_noted(settings.options, arms, display="exact", verb="verify gate")
    done = Progress(request.sims * len(drops), on_progress)
    scenarios: list[GateRates] = []
    for place, drop in enumerate(drops):
        trial = Trial(
            subjects=tuple(subjects),
            rates=tuple(noise.rates for noise in noises),
            noise=tuple(noise.noise for noise in noises),
            errors=errors,
            drop=drop,
        )
        study = blocks(request.sims, seed=request.seed, size=_BLOCK, part=(place,))
        counted = in_blocks(partial(tally, trial), study, mapper=mapper(request.jobs))
        done.add(request.sims)
        scenarios.append(_rates(drop, reduce(add, counted)))
    alarm = round(1 - settings.options.confidence, 12)
    first, noise = subjects[0], noises[0]
    return VerifyGateAnswer(
        scenarios=tuple(scenarios),
        null_pairs=_null_pairs(settings, tables, errors, alarm),
        is_quiet=scenarios[0].failed_range.low <= alarm,
        alarm_error=alarm,
        pass_error=errors.passing,
        unkept=tuple(dict.fromkeys(said for one in zip(subjects, noises, strict=True) for said in _unkept(*one))),
        logs=request.like,
        rate=float(noise.rates.mean()),
        n_cases=int(first.candidate.scored.sum()),
        n_reps=int(np.bincount(first.candidate.sums.n_scored[first.candidate.scored]).argmax()),
        discordance=noise.discordance,
        rules_from=settings.rules_from,
        confidence=settings.options.confidence,
        sims=request.sims,
        seed=request.seed,
        notes=(*settings.notes, *_notes(settings, noise)),
        problems=tuple(dict.fromkeys(problem for one in subjects for problem in one.candidate.problems)),
        ledger=note,
        request=request,
    )


def _checked(request: VerifyGateRequest) -> None:
    if not request.like:
        hint = "Without a log the chances of each rule are said by: evalgauge gate --check --cases N --rate R"
        raise ArgumentError("like", "nothing", "a log whose cases are put before the gate", hint)
    for name in _NOT_HERE:
        if getattr(request, name) != getattr(_PLAIN, name):
            raise ArgumentError(name, getattr(request, name), "left out: the runs are simulated, on the same cases")
    if request.drop is not None and not 0 < request.drop < 1:
        raise ArgumentError("drop", f"{100 * request.drop:g}pp", "above 0pp and below 100pp")
    if request.discordance is not None and not 0 < request.discordance < 1:
        raise ArgumentError("discordance", f"{100 * request.discordance:g}%", "above 0% and below 100%")
    if not 1 <= request.sims <= _MOST_SIMS:
        raise ArgumentError("sims", request.sims, f"a whole number from 1 to {_MOST_SIMS:,}")


def _subjects(settings: GateSettings, table: ScoreTable) -> list[Subject]:
    """Return the arm of the log as baseline and candidate of every set of rules."""
    found: list[Subject] = []
    for rule in settings.rules:
        one = alone(rule, settings.options, table)
        if one.candidate.score_range is None:
            raise ScoreError("A gate needs scores with a lowest and a highest value: --range, such as 0:100.")
        if settings.needs_baseline:
            arm = one.candidate
            one = replace(one, baseline=arm, pairs=paired_arms(arm, arm, rule.cluster))
        found.append(one)
    return found


def _noise(
    request: VerifyGateRequest, settings: GateSettings, place: int, subject: Subject, tables: Sequence[ScoreTable]
) -> LogNoise:
    """Return what the logs show of the noise between runs by the metric of a set of rules."""
    others = [alone(settings.rules[place], settings.options, table).candidate for table in tables[1:]]
    return log_noise(subject.candidate, pooled_sums(subject.candidate, others), request.discordance)


def _drops(
    request: VerifyGateRequest, settings: GateSettings, subjects: Sequence[Subject], noises: Sequence[LogNoise]
) -> tuple[float, ...]:
    rooms = [
        1 - float(noise.rates.mean()) if subject.lower_is_better else float(noise.rates.mean())
        for subject, noise in zip(subjects, noises, strict=True)
    ]
    if request.drop is not None:
        if request.drop > min(rooms):
            raise ArgumentError(
                "drop", f"{100 * request.drop:g}pp", f"at most {100 * min(rooms):.4g}pp: no more can be lost"
            )
        return (float(request.drop),)
    allowed = [float(rule.max_drop) for rule in settings.rules if rule.max_drop is not None]
    usual = (max(allowed), 2 * max(allowed)) if allowed else _USUAL_DROPS
    return tuple(drop for drop in usual if drop <= min(rooms))


def _rates(drop: float, counted: Tally) -> GateRates:
    total = int(counted.gate.sum())
    passed, failed, undecided = (int(count) for count in counted.gate)
    return GateRates(
        drop=drop,
        passed=passed / total,
        failed=failed / total,
        inconclusive=undecided / total,
        passed_range=_range(passed, total),
        failed_range=_range(failed, total),
        rules=tuple(
            RuleRates(rule=rule, part=part, metric=metric, passed=int(by[0]) / total, failed=int(by[1]) / total)
            for (rule, part, metric), by in counted.rules.items()
        ),
    )


def _range(count: int, total: int) -> Ends:
    low, high = clopper_pearson_limits(count, total, confidence=_LEVEL)
    return Ends(low=float(low), high=float(high))


def _null_pairs(settings: GateSettings, tables: Sequence[ScoreTable], errors: Errors, alarm: float) -> NullPairs | None:
    """Return what the gate says of the logs themselves; a log stands in one pair, so that pairs are independent."""
    if len(tables) < 2:
        return None
    bare = replace(settings, baseline=None)
    verdicts = [
        gate_verdict([row.verdict for row in judged_rules(_pair(bare, pair), errors)[0]])
        for pair in zip(tables[::2], tables[1::2], strict=False)
    ]
    alarms = verdicts.count("fail")
    needed = next(pairs for pairs in range(1, 10_000) if _range(0, pairs).high <= alarm)
    return NullPairs(
        pairs=len(verdicts),
        alarms=alarms,
        passes=verdicts.count("pass"),
        alarm_range=_range(alarms, len(verdicts)),
        pairs_needed=needed,
    )


def _pair(settings: GateSettings, pair: tuple[ScoreTable, ScoreTable]) -> list[Subject]:
    return subjects_of(settings, list(pair) if settings.needs_baseline else [pair[1]])


def _unkept(subject: Subject, noise: LogNoise) -> Iterator[str]:
    """Yield the rules that the log does not keep by its own true scores."""
    rule, rates = subject.rule, noise.rates
    if rule.min_rate is not None and rates.mean() < rule.min_rate:
        yield f"--min-rate {percent(rule.min_rate)}: the log itself scores {100 * rates.mean():.1f} %"
    if rule.slice_rate is not None and rule.by is not None:
        fields_of = subject.candidate.field(rule.by, "by")
        for name in sorted(set(fields_of.tolist())):
            mean = float(rates[fields_of == name].mean())
            if mean < rule.slice_rate:
                asked = f"--slice-rate {percent(rule.slice_rate)} in {rule.by}={name}"
                yield f"{asked}: the log itself scores {100 * mean:.1f} %"
    if rule.case_rate is not None and (below := int((rates < rule.case_rate).sum())):
        yield f"--case-rate {percent(rule.case_rate)}: {below:,} cases of the log pass fewer of their runs"


def _notes(settings: GateSettings, noise: LogNoise) -> Iterator[str]:
    if settings.baseline is not None:
        yield "The baseline of the file is not used: both arms are runs of the log's cases."
    yield from noise.notes
